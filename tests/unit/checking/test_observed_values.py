"""What agents observe of expressions: names, ranges that are proven, and what has no value between ticks."""

from __future__ import annotations

import pytest
from checking_cases import BASE, checked, codes, universe

from hamlet.universe import ObserveOneHot, ObserveValue
from hamletc.language.formatter import format_source


def observing(items: str) -> str:
    return BASE.replace("grid  meters", items)


def shown(items: str, added: str = "") -> list[tuple[str, float, float]]:
    made = universe(added, observing(items)).observations
    return [(item.name, item.low, item.high) for item in made if isinstance(item, ObserveValue)]


def test_an_expression_has_its_name_and_the_range_that_is_proven() -> None:
    items = "meters energy  lack: 2 - energy * mood  hungry: energy < 0.3  meters mood"
    assert shown(items) == [("meter.energy", 0, 1), ("lack", 1, 2), ("hungry", 0, 1), ("meter.mood", 0, 1)]


def test_what_looks_back_is_observed() -> None:
    assert shown("meters  before: lag(energy, 2)")[-1] == ("before", 0, 1)


def test_positions_are_expressions() -> None:
    assert [name for name, *_ in shown("meters  position scaled")][2:] == [
        *("position.x", "position.y", "size.x", "size.y"),
    ]


def test_an_option_is_one_of_several() -> None:
    made = universe("state weather: dry wet = dry  rule w: weather = wet", observing("meters  state"))
    (item,) = (each for each in made.observations if isinstance(each, ObserveOneHot))
    assert (item.name, item.options) == ("state.weather", ("dry", "wet"))


@pytest.mark.parametrize(
    ("item", "code"),
    [
        ("x: 0.5", "H064"),
        ("x: energy * 0", "H064"),
        ("x: 1 / energy", "H050"),
        ("x: uniform(0, 1)", "H068"),
        ("x: count(energy > 0.5)", "H093"),
        ("x: previous(energy)", "H059"),
        ("x: energy  x: mood", "H024"),
        ("x: exp(200 * energy)", "H051"),
        ("x: enrgy", "H020"),
        ("x: energy > 2", "H062"),
    ],
)
def test_what_cannot_be_observed(item: str, code: str) -> None:
    assert codes("", observing(f"meters  {item}")) == [code]


def test_a_keyword_is_a_name_where_a_colon_follows() -> None:
    assert [name for name, *_ in shown("meters energy mood  time: 1 - energy  `if`: mood * 2")][2:] == ["time", "if"]


def test_the_formatter_keeps_it() -> None:
    text, problems = format_source(observing("meters energy mood  lack: 1-energy  `if`: mood*2"))
    assert problems == ()
    assert "lack: 1 - energy" in text
    assert checked(text)[0] is not None
