"""The table of a sweep: a row for each variant, in files and on terminals."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from hamlet.env.act.results import LIFESPAN
from hamlet.universe import Universe
from hamlet_lab.sweep.measured import Column, Measured
from hamletc.cli.show import literal
from hamletc.errors import CompileError

Table: TypeAlias = Mapping[str, Column]
"""Columns by name, one entry per variant."""
QUARTILES = (0.25, 0.5, 0.75)
SUFFIXES = (".csv", ".parquet")
SHOWN = 40
"""The rows that are printed of a table that goes to no file."""
WIDTH = 140
"""Columns that a printed table may take where there is no terminal."""
ROWS = 1 << 16
"""Rows of a CSV file that are written together."""


def cause_names(universe: Universe) -> tuple[str, ...]:
    """How episodes can end: the causes of death, and the lifespan where there is one."""
    return (*(cause.name for cause in universe.causes), *((LIFESPAN,) if universe.lifespan is not None else ()))


def columns(universe: Universe, measured: Measured) -> dict[str, Column]:
    """Columns of a table of variants, beside their params."""
    mean_life, (low_life, life, high_life) = measured.life(*QUARTILES)
    low, median, high = (measured.return_quantile(share) for share in QUARTILES)
    result = {
        "episodes": measured.episodes,
        "mean return": measured.mean_return(),
        "lower quartile return": low,
        "median return": median,
        "upper quartile return": high,
        "mean life": mean_life,
        "lower quartile life": low_life,
        "median life": life,
        "upper quartile life": high_life,
        "uses": measured.uses.sum(axis=0),
    }
    names = [affordance.name for affordance in universe.affordances]
    result |= {f"use of {name}": shares for name, shares in zip(names, measured.use_shares(), strict=True)}
    # Where there is no lifespan nothing ends by it.
    ends = zip(cause_names(universe), measured.end_shares(), strict=False)
    return result | {f"end by {name}": shares for name, shares in ends}


def row_bytes(universe: Universe, params: int) -> int:
    """The bytes of a row."""
    return 8 * (params + 10 + len(universe.affordances) + len(universe.causes) + 1)


def writer(path: Path) -> Callable[[Table, Path], None]:
    """The function that writes a table into a file with this suffix.

    Raises:
        CompileError: it is another one, or pyarrow is missing.
    """
    match path.suffix:
        case ".csv":
            return _write_csv
        case ".parquet":
            try:
                import pyarrow.parquet  # noqa: F401  (looked for before anything runs)
            except ImportError as error:
                raise CompileError(f"{path}: parquet needs pyarrow: pip install 'hamletc[parquet]'") from error
            return _write_parquet
        case suffix:
            raise CompileError(f"{path}: a table is a file {' or '.join(SUFFIXES)}, not {suffix or 'without suffix'}")


def write(table: Table, path: Path) -> None:
    """Write a table; the file is there whole or not at all.

    Raises:
        CompileError: it cannot be written, or `writer` raises it.
    """
    part = path.with_name(f"{path.name}.part")
    write_to = writer(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_to(table, part)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise CompileError(f"cannot write {path}: {error.strerror or error}") from error


def _write_csv(table: Table, path: Path) -> None:
    """Numbers as Python writes them; what is not known is empty, what was not reached is inf."""
    arrays = list(table.values())
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(table)
        for first in range(0, len(arrays[0]), ROWS):
            out.writerows(zip(*(_listed(array[first : first + ROWS]) for array in arrays), strict=True))


def _listed(array: Column) -> list[Any]:
    numbers: list[Any] = array.tolist()
    if array.dtype.kind == "f" and np.isnan(array).any():
        return ["" if number != number else number for number in numbers]
    return numbers


def _write_parquet(table: Table, path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    arrays = {name: pyarrow.array(array, from_pandas=True) for name, array in table.items()}
    pyarrow.parquet.write_table(pyarrow.table(arrays), path)


def printed(table: Table, universe: Universe, params: Iterable[str]) -> Any:
    """The first rows as a table of rich: params, episodes, returns, lives, and what is most used and most ended by."""
    from rich.table import Table as Shown

    result = Shown(box=None, pad_edge=False)
    for heading in (*params, "episodes", "return", "quartiles", "life", "quartiles"):
        result.add_column(literal(heading), justify="right", no_wrap=True)
    for heading in ("most used", "most ends by"):
        result.add_column(heading, no_wrap=True)
    uses = [affordance.name for affordance in universe.affordances]
    for row in islice(range(len(table["episodes"])), SHOWN):
        cells = [f"{table[name][row]:.10g}" for name in params]
        cells.append(f"{table['episodes'][row]:,}")
        for kind in ("return", "life"):
            low, median, high = (
                table[f"{which} {kind}"][row] for which in ("lower quartile", "median", "upper quartile")
            )
            cells += [f"{median:.5g}", f"{low:.5g} .. {high:.5g}"]
        cells.append(_most(table, row, "use of", uses))
        cells.append(_most(table, row, "end by", cause_names(universe)))
        result.add_row(*cells)
    return result


def _most(table: Table, row: int, kind: str, names: Iterable[str]) -> str:
    """The name with the greatest share, and the share."""
    shares = {name: float(table[f"{kind} {name}"][row]) for name in names}
    positive = {name: share for name, share in shares.items() if share > 0}
    most = max(positive, key=lambda name: positive[name], default=None)
    return "-" if most is None else f"{literal(most)} {positive[most]:.0%}"
