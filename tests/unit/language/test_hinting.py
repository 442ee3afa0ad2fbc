"""Inlay hints: where values lie, as the checker proved it, rounded outwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from hamlet_language import Document, Position, Range, inlay_hints
from hamlet_language.proving import told
from hamletc.intervals import Interval

TEXT = """\
universe garden
space none
meter joy = 1 { decay 0.02 }
let gloom = 1 - joy
let sad = gloom > 0.5
meter wealth = 3 in 0 .. 9
rule tax: wealth > 4 -> wealth -= 0.1 * wealth
action REST { joy += 0.2  wealth += 0.5 }
dies when joy <= 0 or wealth <= 0
reward sum: joy + gloom * 0.333
observe { meters  half: joy / 2 }
"""


def shown(text: str, path: Path = Path("garden.hamlet")) -> list[str]:
    """The lines of a text that have hints, with these."""
    lines = text.split("\n")
    hints = inlay_hints(Document(path, text))
    for hint in reversed(hints):
        line = lines[hint.position.line]
        lines[hint.position.line] = f"{line[: hint.position.character]}[{hint.text}]{line[hint.position.character :]}"
    return [lines[number] for number in sorted({hint.position.line for hint in hints})]


def test_ranges_of_meters_lets_and_numbers() -> None:
    """A meter has decayed before anything reads what is computed of it."""
    text = TEXT.replace("dies when", "rule sulk: sad -> wealth -= 0.01\ndies when")
    assert shown(text) == [
        "meter joy[: 0 .. 1] = 1 { decay 0.02 }",
        "let gloom[: 0.0199 .. 1] = 1 - joy",
        "meter wealth[: 0 .. 9] = 3 in 0 .. 9",
        "rule tax: wealth > 4 -> wealth -= 0.1 * wealth[: 0.4 .. 0.901]",
        "reward sum: joy + gloom * 0.333[: 0.00665 .. 1.313]",
        "observe { meters  half: joy / 2[: 0 .. 0.5] }",
    ]


def test_a_meter_stays_where_play_leads_it() -> None:
    """Bounds are what an author allows; a meter that nothing raises above 0.5 lies below."""
    text = TEXT.replace("meter joy = 1 { decay 0.02 }", "meter joy = 0.5 { decay 0.02  only falls }")
    text = text.replace("joy += 0.2  ", "").replace("let sad = gloom > 0.5\n", "")
    assert "meter joy[: 0 .. 0.5] = 0.5 { decay 0.02  only falls }" in shown(text)
    assert "let gloom[: 0.52 .. 1] = 1 - joy" in shown(text)


def test_only_a_part_of_a_text_is_asked_for() -> None:
    text = TEXT.replace("let sad = gloom > 0.5\n", "")
    (hint,) = inlay_hints(Document(Path("garden.hamlet"), text), Range(Position(3, 0), Position(4, 0)))
    assert (hint.position, hint.text) == (Position(3, 9), ": 0.0199 .. 1")
    assert hint.about == "this is in 0.0199 .. 1 wherever it counts"


@pytest.mark.parametrize("text", ["", "meter joy = 1\n", TEXT, TEXT.replace("reward", "rewardd")])
def test_no_hints_without_a_universe_that_is_right(text: str) -> None:
    """In the third a let is never used."""
    assert inlay_hints(Document(Path("garden.hamlet"), text)) == ()


def test_names_of_several_meters_have_no_range_of_one() -> None:
    """Templates and roles write out meters of their own."""
    purse = "template Purse(name) { meter name = 1 { decay 0.1 } }\nuse Purse(gold)\n"
    text = TEXT.replace("let sad = gloom > 0.5\n", purse)
    text = text.replace("observe { meters", "rule mine: gold += 0.2\nobserve { meters")
    lines = shown(text)
    assert not any("Purse" in line for line in lines)
    assert "meter joy[: 0 .. 1] = 1 { decay 0.02 }" in lines


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.0, 1.0, "0 .. 1"),
        (0.5, 0.5, "0.5"),
        (0.00050499995, 0.0030012345, "0.000504 .. 0.00301"),
        (-0.12345678, -0.11111111, "-0.124 .. -0.111"),
        (1.9868214e-09, 16777216.0, "1.98e-9 .. 16800000"),
        (-3.4028235e38, 3.4028235e38, "-3.41e38 .. 3.41e38"),
    ],
)
def test_long_numbers_are_rounded_outwards(low: float, high: float, words: str) -> None:
    assert told(Interval(low, high)) == words
    if low < high:
        first, last = (float(end) for end in words.split(" .. "))
        assert low - abs(low) / 99 <= first <= low
        assert high <= last <= high + abs(high) / 99
