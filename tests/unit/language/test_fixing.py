"""Fixes of a text: what hints say to write, at a place and all at once."""

from __future__ import annotations

from pathlib import Path

from hamlet_language import Document, Lines, Position, Range, diagnostics, fixed, fixes

TEXT = """\
universe garden
space none
param tax = 0.1
meter joy = 1,0 { decay: .02 }
action REST { joy += 0.2 }
dies when joy < 0
reward jjoy - tax
observe { meters  params }
"""


def document(text: str, path: Path = Path("garden.hamlet")) -> Document:
    return Document(path, text)


def line(number: int) -> Range:
    return Range(Position(number, 0), Position(number, 99))


def test_fixes_at_a_place() -> None:
    found = fixes(document(TEXT), line(3))
    assert [fix.title for fix in found] == ["Write `1.0`", "Leave it out", "Write `0.02`"]
    assert all(fix.sure for fix in found)
    (bounds,) = fixes(document(TEXT), line(2))
    assert (bounds.title, bounds.sure) == ("Write `in 0 .. 1`", False)
    assert fixes(document(TEXT), line(1)) == ()
    changes = bounds.changes
    assert [change.range for change in changes] == [Range(Position(2, 15), Position(2, 15))]
    assert [change.text for change in changes] == [" in 0 .. 1"]


def test_several_changes_are_named_by_the_hint() -> None:
    text = TEXT.replace("param tax = 0.1", "param tax = 0.1 in 0 .. 1").replace("1,0 { decay: .02 }", "1 decay 0.02")
    (fix,) = fixes(document(text), line(3))
    assert fix.title == "`decay 0.01` stands in the braces of a meter: `meter energy = 1.0 { decay 0.01 }`"
    assert len(fix.changes) == 2


def test_all_that_is_sure() -> None:
    """Behind errors of syntax are others; a bound that somebody must choose stays."""
    text = fixed(document(TEXT))
    assert "meter joy = 1.0 { decay 0.02 }" in text
    assert "param tax = 0.1\n" in text
    whole = fixed(document(TEXT.replace("param tax = 0.1", "param tax = 0.1 in 0 .. 1")))
    assert "dies when joy <= 0\nreward joy - tax\n" in whole
    assert diagnostics(document(whole)) == ()
    assert fixed(document(whole)) == whole


def test_fixes_are_of_the_text_alone(tmp_path: Path) -> None:
    (tmp_path / "part.hamlet").write_text("rule dull: joy -= .1\n")
    text = TEXT.replace("param tax = 0.1", 'include "part.hamlet"').replace(" - tax", "").replace("  params", "")
    text = text.replace("1,0 { decay: .02 }", "1")
    own = document(text, tmp_path / "garden.hamlet")
    assert [notice.path.name for notice in diagnostics(own)] == ["part.hamlet"]
    assert fixes(own, Lines(text).whole) == ()
    assert fixed(own) == text
