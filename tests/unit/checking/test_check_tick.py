"""What an agent did in a tick, and how long it has lived: where that may be asked for, and what it decides."""

from __future__ import annotations

import pytest
from checking_cases import BASE, codes, universe

from hamlet.universe import ActionTaken, If, Unary, Used

REST = "action REST { energy += 0.01 }\n"
STORED = BASE.replace("grid 4 x 4", "grid 4 x 4 { places stored }")
INN = "affordance Inn at random { instantly { mood += 0.1 } }\n"


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ("rule a: action == WAIT -> mood -= 0.1", []),
        ("rule a: UP != action -> mood -= 0.1", []),
        (REST + "rule a: action == REST -> mood -= 0.1", []),
        ("rule a: mood -= 0.1 when not action == INTERACT", []),
        ("reward 0.1 when action == UP\nreport a: 1 when action == DOWN\ndies when mood < 0.1 and action == LEFT", []),
        ("rule a: used == Bed or used == nothing and mood > 0.2 -> mood -= 0.1", []),
        ("meter m = 1 { decay 0.1 when used == Bed }\nreward m", ["H071"]),
        # names
        ("rule a: action == REST -> mood -= 0.1", ["H020"]),
        ("rule a: action == Bed -> mood -= 0.1", ["H021"]),
        ("rule a: action == nothing -> mood -= 0.1", ["H021"]),
        ("rule a: action > UP -> mood -= 0.1", ["H028"]),
        ("rule a: action == 3 -> mood -= 0.1", ["H028"]),
        ("rule a: action == used -> mood -= 0.1", ["H028"]),
        ("rule a: mood -= 0.1 * action", ["H028"]),
        ("rule a: used == UP -> mood -= 0.1", ["H020"]),
        ("rule a: used -> mood -= 0.1", ["H028"]),
        (REST + "rule a: mood -= 0.1 * REST", ["H021"]),
        ("meter action = 1", ["H023"]),
        ("meter used = 1", ["H023"]),
        # places
        ("allow UP when action == UP", ["H059"]),
        ("allow UP when used == Bed", ["H059"]),
        ("rule a: previous(action == UP) -> mood -= 0.1", ["H058"]),
        ("rule a: previous(used == Bed) -> mood -= 0.1", ["H058"]),
        ("action SING { needs action == SING  mood += 0.1 }", ["H082"]),
        ("affordance Inn at random { needs used == Bed  instantly { mood += 0.1 } }", ["H082"]),
        ("affordance Inn at random { instantly { mood += 0.1 when used == Bed } }", ["H082"]),
        ("action SING { mood += 0.1 when used == Bed }", ["H082"]),
        ("meter m = 1 { interact 0.1 when used == Bed }\nreward m", ["H082"]),
        ("meter m = 1 { move 0.1 when used == Bed }\nreward m", ["H082"]),
        # what is decided where it stands
        ("action SING { mood += 0.1 when action == SING }", ["H062"]),
        ("action SING { mood += 0.1 when action == WAIT }", ["H062"]),
        ("affordance Inn at random { instantly { mood += 0.1 when action == UP } }", ["H062"]),
        ("meter m = 1 { interact 0.1 when action == UP  decay -0.01 }\nreward m", ["H062"]),
        ("meter m = 1 { move 0.1 when action == UP  decay -0.01 }\nreward m", []),
        ("meter m = 1 { move 0.1 when action == WAIT  decay -0.01 }\nreward m", ["H062"]),
        ("rule a: action == UP and action == DOWN -> mood -= 0.1", ["H062"]),
        ("rule a: action == UP and used == Bed -> mood -= 0.1", ["H062"]),
        ("rule a: action == UP and used == nothing -> mood -= 0.1", ["H062"]),
        ("rule a: action == INTERACT and used == nothing -> mood -= 0.1", []),
        ("rule a: used == Bed and here == Bed -> mood -= 0.1", ["H062"]),
        ("rule a: used == Bed and here == nothing -> mood -= 0.1", ["H062"]),
        ("rule a: used == Bed and used == nothing -> mood -= 0.1", ["H062"]),
        ("rule a: used == nothing and here == Bed -> mood -= 0.1", []),
        (INN + "rule a: used == Bed and used == Inn -> mood -= 0.1", ["H062"]),
        (INN + "rule a: used == Bed and here == Inn -> mood -= 0.1", ["H062"]),
        # time
        ("rule a: every 24 ticks -> mood -= 0.1", []),
        ("rule a: after 24 ticks -> mood -= 0.1", []),
        ("rule a: mood -= 0.1 when not after 1 tick", []),
        ("rule a: mood -= 0.1 * every 24 ticks", ["H027"]),
        ("rule a: every 24 ticks == 1 -> mood -= 0.1", ["H027"]),
        ("action SING { needs every 2 ticks  mood += 0.1 }\nallow UP when after 3 ticks", []),
        ("rule a: every 0 ticks -> mood -= 0.1", ["H033"]),
        ("rule a: after 0 ticks -> mood -= 0.1", ["H033"]),
        ("rule a: every 1.5 ticks -> mood -= 0.1", ["H032"]),
        ("rule a: every 1 tick -> mood -= 0.1", ["H062"]),
        ("rule a: every 100 ticks -> mood -= 0.1", []),
        ("rule a: every 101 ticks -> mood -= 0.1", ["H062"]),
        ("rule a: after 99 ticks -> mood -= 0.1", []),
        ("rule a: after 100 ticks -> mood -= 0.1", ["H062"]),
        ("reward 0.1 when after 99 ticks\nreport a: 1 when every 100 ticks", []),
        ("reward 0.1 when after 100 ticks", ["H062"]),
        ("allow UP when every 101 ticks", ["H062"]),
        ("episodes by hand\nrule a: after 1000 ticks -> mood -= 0.1", []),
        ("rule a: every 5 ticks and not every 5 ticks -> mood -= 0.1", ["H062"]),
        (
            "meter every = 1 { decay 0.1 }\nmeter after = 1 { decay 0.1 * every }\nreward after - every",
            ["H071", "H071"],
        ),
    ],
)
def test_findings(added: str, expected: list[str]) -> None:
    assert codes(added) == expected


def test_where_several_can_be_used_at_once_none_excludes_another() -> None:
    assert codes(INN + "rule a: used == Bed and used == Inn -> mood -= 0.1", STORED) == []
    assert codes(INN + "rule a: used == Bed and used == nothing -> mood -= 0.1", STORED) == ["H062"]


def test_the_universe() -> None:
    found = universe(REST + "reward 0.1 when action == REST\nreward 0.1 when nothing != used")
    first, second = (reward.value for reward in found.rewards[1:])
    assert isinstance(first, If)
    assert isinstance(first.condition, ActionTaken)
    assert first.condition.action == "REST"
    assert isinstance(second, If)
    assert isinstance(second.condition, Unary)
    assert second.condition.operand == Used(None, second.condition.span)
