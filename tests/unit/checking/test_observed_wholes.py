"""What is observed value by value: what is proven of it, and words that stay names."""

from __future__ import annotations

import pytest
from checking_cases import BASE, checked, codes

from hamlet.schema import observation_names
from hamlet.universe import ObserveHot
from hamletc.language.formatter import format_source


@pytest.mark.parametrize(
    ("item", "code"),
    [
        ("hot energy", "H280"),
        ("hot x: 3 * level", "H280"),
        ("hot x: 100 * age", "H281"),
        ("hot x: 20000000 + hour", "H281"),
        ("hot x: 3", "H064"),
        ("hot hour  hot hour", "H024"),
        ("hot hour  hour: 2 * hour", "H024"),
        ("hot huor", "H020"),
        ("hot x: uniform(0, 1)", "H068"),
        ("hot x: count(energy > 0.5)", "H093"),
    ],
)
def test_what_has_no_row_per_value(item: str, code: str) -> None:
    assert codes("", BASE.replace("grid  meters", f"meters  {item}")) == [code]


def test_states_that_are_all_shown_leave_none() -> None:
    added = "state task: int in 0 .. 3 = 1  rule t: task = integer(0, 3)"
    assert codes(added, BASE.replace("grid  meters", "meters  hot task  state")) == ["H064"]


@pytest.mark.parametrize("item", ["hot hour", "hot big: 2 * hour  hot hour", "hot `hour`"])
def test_the_formatter_keeps_it(item: str) -> None:
    text, problems = format_source(BASE.replace("grid  meters", f"meters  {item}"))
    assert problems == ()
    assert " ".join(item.split()) in " ".join(text.split())


@pytest.mark.parametrize(
    "observed", ["hot: 1 - hot", "meters hot", "meters energy hot  mood: 1 - mood", "meters energy mood `hot`"]
)
def test_it_gives_way_to_a_declaration(observed: str) -> None:
    """What is declared by that name is meant wherever a name can stand."""
    text = BASE.replace("grid  meters", observed) + "meter hot = 0.5 { decay 0.01 }\ndies when hot <= 0 or mood <= 0\n"
    made, found = checked(text)
    assert made is not None, found
    assert not any(isinstance(item, ObserveHot) for item in made.observations)


def test_behind_state_it_begins_an_item() -> None:
    added = "state task: int in 0 .. 3 = 1  rule t { task = integer(0, 3)  seen = not seen }  state seen = false"
    made, found = checked(BASE.replace("grid  meters", "meters  state hot task") + added)
    assert made is not None, found
    assert observation_names(made)[2:] == ("state.seen", "task[0]", "task[1]", "task[2]", "task[3]")
