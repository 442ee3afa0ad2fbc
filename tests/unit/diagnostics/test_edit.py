"""Edits: a text after them, those that overlap, and slips of letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic, Edit, apart, diagnose, edited, is_sure
from hamletc.diagnostics.edit import around, guessed, overlapping
from hamletc.diagnostics.files import by_file
from hamletc.diagnostics.mending import MOST_ROUNDS, mended
from hamletc.language.source import Source
from hamletc.suggest import is_slip

TEXT = "one two\nthree\n"


def at(line: int, first: int, last: int, end_line: int | None = None) -> Span:
    return Span(line, first, line if end_line is None else end_line, last)


def test_a_text_after_edits_whatever_their_order() -> None:
    edits = (Edit(at(2, 1, 6), "3"), Edit(at(1, 4, 5), ""), *around(at(1, 5, 8), "(", ")"))
    assert edited(TEXT, edits) == "one(two)\n3\n"
    assert edited(TEXT, edits[::-1]) == "one(two)\n3\n"
    assert edited(TEXT, (Edit(at(1, 5, 3, 2), "-"),)) == "one -ree\n"


@pytest.mark.parametrize("text", ["", "x", "x\n"])
def test_places_behind_the_end_of_a_text_are_its_end(text: str) -> None:
    assert edited(text, (Edit(at(9, 9, 9), "!"),)) == f"{text}!"


def test_of_edits_that_overlap_the_first_group_is_done_whole() -> None:
    first = (Edit(at(1, 1, 4), "1"), Edit(at(2, 1, 6), "3"))
    second = (Edit(at(1, 5, 8), "2"), Edit(at(2, 2, 3), "h"))
    third = (Edit(at(1, 5, 8), "zwei"),)
    assert tuple(apart((first, second, third))) == (*first, *third)
    assert not overlapping(first)
    assert overlapping((*first, *second))


@pytest.mark.parametrize(
    ("first", "second", "overlap"),
    [
        (at(1, 1, 4), at(1, 4, 8), False),
        (at(1, 1, 5), at(1, 4, 8), True),
        (at(1, 4, 4), at(1, 4, 4), True),
        (at(1, 4, 4), at(1, 4, 8), True),
        (at(1, 1, 4), at(1, 5, 5), False),
        (at(1, 1, 1), at(2, 1, 1), False),
    ],
)
def test_two_texts_at_one_place_overlap(first: Span, second: Span, overlap: bool) -> None:
    assert overlapping((Edit(first, "a"), Edit(second, "b"))) == overlap
    assert overlapping((Edit(second, "b"), Edit(first, "a"))) == overlap


def test_a_diagnostic_is_sure_where_all_of_its_edits_are() -> None:
    sure, other = Edit(at(1, 1, 4), "1"), Edit(at(2, 1, 6), "3", sure=False)
    assert is_sure((sure,))
    assert not is_sure(())
    assert not is_sure((sure, other))


@pytest.mark.parametrize("word", ["enrgy", "energyy", "enegry", "Energy", "energi", "nergy"])
def test_slips_of_a_letter(word: str) -> None:
    assert is_slip(word, "energy")
    assert guessed(at(1, 1, 7), word, "energy") == (Edit(at(1, 1, 7), "energy"),)


@pytest.mark.parametrize("word", ["energetic", "nrgy", "yenerg", "enyegr", "a"])
def test_what_is_no_slip(word: str) -> None:
    assert not is_slip(word, "energy")
    assert not is_slip("ab", "ac")
    assert guessed(at(1, 1, 7), word, None) == ()


def test_mending_ends() -> None:
    """A check that always asks for more is not followed for ever."""

    def check(_: str) -> tuple[Diagnostic, ...]:
        return (diagnose("H009", "more", at(1, 1, 1), hint="Write `a`.", edits=(Edit(at(1, 1, 1), "a"),)),)

    text, left = mended("", check)
    assert text == "a" * MOST_ROUNDS
    assert len(left) == 1


def test_edits_are_of_one_file_of_the_language() -> None:
    sources = (Source(Path("a.hamlet"), TEXT), Source(Path("b.yaml"), TEXT))
    own, other = Edit(at(1, 1, 4), "1"), Edit(Span(1, 1, 1, 4, 1), "1")
    said = [
        diagnose("H009", "own", at(1, 1, 4), hint="Write.", edits=(own,)),
        diagnose("H009", "elsewhere", at(1, 1, 4), hint="Write.", edits=(own, other)),
        diagnose("H009", "of a pack", Span(1, 1, 1, 4, 1), hint="Write.", edits=(other,)),
    ]
    first, second = by_file(said, sources)
    assert [each.edits for each in (*first.diagnostics, *second.diagnostics)] == [(own,), (), ()]
