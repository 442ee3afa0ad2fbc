"""docs/api.md says what the docstrings say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from api_page import CLASSES, members, page

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_that_of_the_docstrings(golden: Callable[[Path, str], None]) -> None:
    golden(DOCS / "api.md", page())


def test_everything_public_is_there() -> None:
    text = (DOCS / "api.md").read_text()
    names = [f"{owner.__name__}.{name}" for owner in CLASSES for name, _ in members(owner)]
    assert len(names) >= 40
    assert [name for name in names if f"### {name}\n" not in text] == []
