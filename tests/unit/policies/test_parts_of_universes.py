"""Parts of universes: which of them differ between two versions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet.policies.parts import WHOLE, check_same, differing, parts_of, parts_with_pictures, told

SHED = """
universe shed
space grid 3 x 3
param wage = 0.1 in 0 .. 1
meter food = 1 { decay 0.01 }
meter rest = 1 { decay 0.01 }
affordance Bed at random { instantly { rest += wage } }
dies when food <= 0
reward food
reward rest
observe { meters }
"""


def test_parts_have_the_names_that_authors_give(compiled: Callable[[str], Module]) -> None:
    parts = parts_of(compiled(SHED).universe)
    assert {"meter food", "meter rest", "affordance Bed", "param wage", "reward 1", "reward 2", "space"} <= set(parts)
    assert {"the order of meters", "observation meter.food", "cause food <= 0"} <= set(parts)
    assert "the order of params" not in parts


def test_each_change_is_told_by_its_part(compiled: Callable[[str], Module]) -> None:
    before = parts_of(compiled(SHED).universe)

    def changed(*replacements: tuple[str, str]) -> list[str]:
        text = SHED
        for old, new in replacements:
            assert text.count(old) == 1
            text = text.replace(old, new)
        return differing(before, parts_of(compiled(text).universe))

    assert changed(("reward rest", "# What rests.\nreward rest")) == []
    assert changed(("observe { meters }", "observe { meters }\ndraw { agents in gold }")) == []
    assert changed(("3 x 3", "3 x 4")) == ["space"]
    assert changed(("0.1 in 0", "0.2 in 0")) == ["param wage"]
    assert changed(("reward rest", "reward 2 * rest")) == ["reward 2"]
    assert changed(("+= wage", "+= 2 * wage")) == ["affordance Bed"]
    assert "meter sleep" in changed(
        ("meter rest", "meter sleep"), ("rest +=", "sleep +="), ("reward rest", "reward sleep")
    )
    first, second = "meter food = 1 { decay 0.01 }\n", "meter rest = 1 { decay 0.01 }\n"
    assert changed((first, ""), (second, second + first)) == [
        "the order of meters",
        "the order of observations",
    ]


def test_a_part_that_has_a_name_twice_shows_in_the_whole(compiled: Callable[[str], Module]) -> None:
    parts = parts_of(compiled(SHED).universe)
    other = {**parts, WHOLE: "another"}
    assert parts != other
    assert differing(parts, other) == []


def test_a_policy_stays_that_of_a_universe_whose_picture_changes(compiled: Callable[[str], Module]) -> None:
    path, pictured = Path("policy"), SHED + "draw { agents in gold }"
    wider = pictured.replace("3 x 3", "3 x 4")
    plain, drawn, other = (compiled(text).universe for text in (SHED, pictured, wider))
    for universe, parts in ((plain, parts_of(drawn)), (drawn, parts_of(plain)), (drawn, parts_with_pictures(drawn))):
        check_same(path, "shed", "one", parts, universe, "other")
    for parts in (parts_of(drawn), parts_with_pictures(drawn)):
        with pytest.raises(EnvError, match=r"policy was learnt on another version of shed: space differs"):
            check_same(path, "shed", "one", parts, other, "other")


def test_many_parts_are_not_all_named() -> None:
    names = [f"meter {letter}" for letter in "abcdefg"]
    assert told(names[:1]) == "meter a"
    assert told(names[:5]) == "meter a, meter b, meter c, meter d and meter e"
    assert told(names) == "meter a, meter b, meter c, meter d and 3 more"
