"""Warnings of what is often meant: when they are given, and the words that answer them."""

from __future__ import annotations

import pytest
from checking_cases import BASE, checked, codes, universe

from hamlet.universe import Number
from hamletc.language.formatter import format_source

ENDLESS = BASE.replace("lifespan 100 ticks\n", "").replace("dies when energy <= 0\n", "")


@pytest.mark.parametrize(
    ("meter", "rest", "expected"),
    [
        # Fuel: nothing restores it.
        ("1 { decay 0.01 }", "", ["H071"]),
        ("1 { decay 0.01  only falls }", "", []),
        ("1 { only falls }", "action BURN { fuel -= 0.1 }", []),
        ("1 { decay 0.01  only falls }", "action FILL { fuel += 0.1 }", ["H069"]),
        ("1 { decay 0.01  only rises }", "", ["H069"]),
        # A clock, or hunger that nothing stills: it rises by itself.
        ("0 { decay -0.01 }", "", ["H072"]),
        ("0 { move -0.01 }", "action EAT { fuel += 0.1 }", ["H072"]),
        ("0 { decay -0.01 }", "action EAT { fuel -= 0.1 }", []),
        ("0 { decay -0.01  only rises }", "", []),
        ("0 { decay -0.01  only rises }", "action EAT { fuel -= 0.1 }", ["H069"]),
        ("0 { decay -0.01  only falls }", "", ["H069"]),
        # Scores, counters, absorbing states.
        ("0", "action WIN { fuel += 0.1 }", []),
        ("0 in 0 .. 1000", "rule more: fuel += 1", []),
        ("0", "rule recovered: mood < 0.2 -> fuel = 1", []),
        ("0 { only rises }", "action WIN { fuel += 0.1 }", []),
        # Records.
        ("0 { only rises }", "rule best: fuel = max(0.5 * energy, fuel)", []),
        ("1 { only falls }", "rule worst: fuel = min(fuel, energy, 0.9)", []),
        ("0 { only rises }", "rule best: fuel = min(fuel, energy)", ["H069"]),
        ("0 { only rises }", "rule best: fuel = min(max(fuel, energy), max(mood, fuel))", []),
        ("0 { only rises }", "rule best: fuel = min(max(fuel, energy), 0.8)", ["H069"]),
        ("0 { only rises }", "rule best: fuel = if mood < 0.5 then fuel else max(fuel, mood)", []),
        ("0 { only rises }", "rule best: fuel = if mood < 0.5 then mood else max(fuel, mood)", ["H069"]),
        ("0 { only rises }", "rule far { fuel += 2 * energy unclamped  fuel = max(fuel, mood) }", ["H069"]),
        # What a program writes.
        ("0.5", "", ["H073"]),
        ("0.5 { only read }", "", []),
        ("0.5 { only read }", "action WIN { fuel += 0.1 }", ["H069"]),
        ("0.5 { only read }", "action LOSE { fuel -= 0.1 }", ["H069"]),
        ("0.5 { only falls }", "", ["H069"]),
        # Not understood.
        ("0.5 { only stays }", "", ["H026"]),
        ("1 { only falls  decay 0.01  only falls }", "", ["H024"]),
    ],
)
def test_meters_that_go_one_way(meter: str, rest: str, expected: list[str]) -> None:
    assert codes(f"meter fuel = {meter}\n{rest}\nreward fuel") == expected


def test_a_false_claim_shows_what_speaks_against_it() -> None:
    (finding,) = checked(f"{BASE}meter trait = 0.5 {{ only read }}\naction GROW {{ trait += 0.1 }}\nreward trait")[1]
    assert finding.message == "it is not so that `trait` is only read"
    assert [label.text for label in finding.secondary] == ["this can raise it"]


def test_a_meter_may_be_called_only() -> None:
    assert universe("meter only = 0.5 { decay only  only falls }\nreward only").meters[-1].name == "only"


def test_universes_without_an_end() -> None:
    assert codes("", ENDLESS) == ["H074"]
    assert codes("lifespan forever", ENDLESS) == []
    assert codes("episodes by hand", ENDLESS) == []
    assert codes("lifespan forever\nepisodes by hand", ENDLESS) == ["H064"]
    assert codes("lifespan forever\ndies when energy <= 0", ENDLESS) == ["H064"]
    assert codes("lifespan forever\nlifespan 5 ticks", ENDLESS) == ["H024"]
    assert codes("lifespan forever\nlifespan forever", ENDLESS) == ["H024"]
    assert universe("lifespan forever", ENDLESS).lifespan is None
    seen = ENDLESS.replace("meters", "meters  lifetime")
    assert codes("lifespan forever", seen) == ["H037"]


def test_nothing_is_observed() -> None:
    blind = BASE.replace("observe { grid  meters }\n", "reward 0.1 * mood\n")
    assert codes("", blind) == ["H078"]
    assert codes("observe nothing", blind) == []
    assert codes("observe nothing\nobserve { grid }", blind) == ["H024"]
    assert (
        codes("meter nothing_ = 0.5 { decay 0.01 only falls }\nobserve { meters nothing_ here nothing }", blind) == []
    )
    assert universe("observe nothing", blind).observations == ()


def test_nothing_is_paid() -> None:
    free = BASE.replace("reward energy\n", "")
    assert codes("", free) == ["H025"]
    assert codes("reward nothing", free) == []
    assert codes("reward nothing\nreward energy", free) == ["H069"]
    assert codes("reward nothing\nreward nothing", free) == ["H024"]
    assert codes("reward peace: nothing", free) == ["H064"]
    assert codes("reward 0", free) == ["H064"]
    assert codes("reward nothing\nlifespan 50 ticks { reward 1 }", free.replace("lifespan 100 ticks\n", "")) == []
    (reward,) = universe("reward nothing", free).rewards
    assert isinstance(reward.value, Number)
    assert reward.value.value == 0
    quoted = "meter `nothing` = 0.5 { decay 0.01  only falls }\nreward `nothing`"
    assert codes(quoted, free) == []


def test_these_words_are_formatted() -> None:
    head, tail = "universe a\n\nspace none\nlifespan forever\n\n", "\nreward nothing\nobserve nothing\n"
    formatted = f"{head}meter b = 1 {{ only falls  decay 1 }}\n{tail}"
    written = formatted.replace(" falls  ", "   falls ").replace("t nothing", "t   nothing").replace("n f", "n  f")
    assert format_source(written)[0] == formatted
    assert format_source(formatted)[0] == formatted
