"""Semantic tokens: words, numbers and symbols by what they are where they stand."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from hamlet_language import COLOURS, MODIFIERS, Document, semantic_tokens

ROOT = Path(__file__).parents[3]
SHIPPED = sorted((ROOT / "universes").rglob("*.hamlet"))
TEXT = """\
universe garden  # of joy
space grid 8 x 8
param tax = 0.1 in 0 .. 1
meter hour_s = 1 { decay 0.02 }
let double(a) = 2 * a
state left: bool = false
rule age_d: left and hour > 3 -> hour_s -= double(min(tax, 1))
affordance `My Bed` at random { instantly { hour_s += 0.2 } }
"""


def tokens(text: str) -> dict[tuple[str, int], tuple[str, ...]]:
    """The colour and modifiers of each piece, by its text and the number of its line."""
    lines = text.split("\n")
    found = {}
    for piece in semantic_tokens(Document(Path("garden.hamlet"), text)):
        start, end = piece.range.start, piece.range.end
        assert start.line == end.line
        key = lines[start.line][start.character : end.character], start.line
        found.setdefault(key, (piece.colour, *piece.modifiers))
    return found


def test_names_are_what_they_are_declared_as() -> None:
    found = tokens(TEXT)
    assert found["meter", 3] == ("keyword",)
    assert found["hour_s", 3] == ("variable", "declaration")
    assert found["hour_s", 6] == found["hour_s", 7] == ("variable",)
    assert found["tax", 2] == ("variable", "declaration", "readonly")
    assert found["tax", 6] == ("variable", "readonly")
    assert found["double", 4] == ("function", "declaration")
    assert found["double", 6] == ("function",)
    assert found["min", 6] == ("function", "defaultLibrary")
    assert found["hour", 6] == ("variable", "readonly", "defaultLibrary")
    assert found["age_d", 6] == ("event", "declaration")
    assert found["`My Bed`", 7] == ("class", "declaration")
    assert found["# of joy", 0] == ("comment",)
    assert found["0.02", 3] == ("number",)
    assert found["-=", 6] == ("operator",)
    assert found["x", 1] == ("keyword",)


def test_a_word_that_is_declared_is_a_name_where_it_is_one() -> None:
    found = tokens(TEXT)
    assert found["left", 5] == ("variable", "declaration")
    assert found["left", 6] == ("variable",)


def test_a_text_with_errors_has_the_colours_of_its_words() -> None:
    found = tokens("universe u\nmeter {{ = = decay\nrule r: energy && 3\n")
    assert found["meter", 1] == ("keyword",)
    assert found["3", 2] == ("number",)


@pytest.mark.parametrize("path", SHIPPED[::7], ids=lambda path: path.stem)
def test_pieces_are_apart_and_in_order(path: Path) -> None:
    pieces = semantic_tokens(Document(path, path.read_text(encoding="utf-8")))
    assert all(first.range.end <= second.range.start for first, second in pairwise(pieces))
    assert {piece.colour for piece in pieces} <= set(COLOURS)
    assert {each for piece in pieces for each in piece.modifiers} <= set(MODIFIERS)
    words = {piece.colour for piece in pieces}
    assert {"keyword", "number"} <= words
