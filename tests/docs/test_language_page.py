"""docs/language.md: its table of functions is that of the rows of `hamlet.universe.functions`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import get_args

from hamlet.universe.functions import FUNCTIONS, FunctionOfOne, FunctionOfTwo

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
HEAD, TAIL = "| function | value | argument |\n|---|---|---|\n", "| `previous(e)` |"


def test_the_table_of_functions_is_that_of_their_rows(golden: Callable[[Path, str], None]) -> None:
    before, head, rest = PAGE.read_text().partition(HEAD)
    _, tail, after = rest.partition(TAIL)
    rows = (f"| `{row.form}` | {row.value} | {row.arguments} |\n" for row in FUNCTIONS.values())
    golden(PAGE, f"{before}{head}{''.join(rows)}{tail}{after}")


def test_every_function_has_a_row() -> None:
    assert set(FUNCTIONS) == {*get_args(FunctionOfOne), *get_args(FunctionOfTwo), "clamp"}
