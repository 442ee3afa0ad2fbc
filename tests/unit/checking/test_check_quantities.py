"""Quantities, functions and `previous`: what they resolve to, and what they need."""

from __future__ import annotations

import pytest
from checking_cases import BASE, checked, codes, universe

from hamlet.universe import (
    Age,
    Binary,
    Coordinate,
    DayTime,
    Expression,
    InputValue,
    LastUse,
    MeterValue,
    Number,
    Previous,
    Progress,
    Rule,
    Speed,
    StraightDistance,
    Streak,
    Truth,
    Unary,
    Velocity,
    Visited,
)

RICH = (
    BASE
    + """
track uses
input curiosity = 0 in -10 .. 10
affordance Job at random lasts 4 ticks { each tick { mood += 0.01 } }
reward 0.001 * visited
reward curiosity
"""
)
JOB = "affordance Job at random lasts 2 ticks { each tick { mood += 0.1 } }"


def report(expression: str) -> Expression:
    """The value of a report."""
    return universe(f"report probe: {expression}", RICH).reports[0].value


def guard(condition: str) -> Expression | None:
    rule = universe(f"rule probe: {condition} -> mood += 0.1", RICH).dynamics[0]
    assert isinstance(rule, Rule)
    return rule.guard


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("position y", Coordinate),
        ("velocity x", Velocity),
        ("speed", Speed),
        ("progress", Progress),
        ("visited", Visited),
        ("streak of Bed", Streak),
        ("straight distance to Bed", StraightDistance),
        ("day_sin", DayTime),
        ("curiosity", InputValue),
        ("previous(mood)", Previous),
    ],
)
def test_quantities(written: str, kind: type[Expression]) -> None:
    assert isinstance(report(written), kind)


def test_last_use() -> None:
    match guard("last == Bed"), guard("nothing != last"):
        case LastUse("Bed"), Unary("not", LastUse(None)):
            pass
        case other:
            pytest.fail(str(other))


def test_day_time_has_two_functions() -> None:
    match report("day_sin + day_cos"):
        case Binary("+", DayTime("sin"), DayTime("cos")):
            pass
        case other:
            pytest.fail(str(other))


@pytest.mark.parametrize("function", ["exp", "exp2", "log", "log2", "sin", "cos", "tanh", "sigmoid"])
def test_elementary_functions_are_not_folded(function: str) -> None:
    match report(f"{function}(1 + 1) + {function}(energy + 0.5)"):
        case Binary("+", Unary(op=first, operand=Number(2.0)), Unary(op=second, operand=Binary())):
            assert (first, second) == (function, function)
        case other:
            pytest.fail(str(other))


def test_pow_is_not_folded() -> None:
    match report("pow(2, 3)"):
        case Binary("pow", Number(2.0), Number(3.0)):
            pass
        case other:
            pytest.fail(str(other))


def test_square_roots_of_constants_fold() -> None:
    match report("2 * sqrt(0.1) + sqrt(energy)"):
        case Binary("+", Number(value), Unary("sqrt", MeterValue("energy"))):
            assert value == 0.6324555
        case other:
            pytest.fail(str(other))


def test_previous_of_a_condition() -> None:
    match guard("previous(energy < 0.5) and energy > 0.5"):
        case Binary("and", Previous(Binary("<")), Binary(">")):
            pass
        case other:
            pytest.fail(str(other))


def test_truths_of_masks() -> None:
    masks = universe("allow REST UP when false\nallow all when true\naction REST { mood += 0.1 }").masks
    assert [mask.actions for mask in masks] == [("REST", "UP"), ()]
    assert [mask.allowed for mask in masks] == [Truth(False, masks[0].allowed.span), Truth(True, masks[1].allowed.span)]


def test_masks_name_any_action() -> None:
    masks = universe("action REST { mood += 0.1 }\nallow INTERACT WAIT REST LEFT when energy > 0.5").masks
    assert masks[0].actions == ("INTERACT", "WAIT", "REST", "LEFT")


def test_age_in_backticks_is_a_meter() -> None:
    value = universe("meter `age` = 1 { decay 0.1 }\naction YOUNG { `age` = 1 }\nreward `age` + age").rewards[1].value
    match value:
        case Binary("+", MeterValue("age"), Age()):
            pass
        case other:
            pytest.fail(str(other))


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ("reward 1 when last == Bed", ["H056"]),
        ("reward streak of Bed", ["H056"]),
        ("reward visited", ["H056"]),
        ("reward progress", ["H057"]),
        ("reward previous(previous(mood))", ["H058"]),
        ("cascade a: mood < 0.5 -> energy -= 0.01 * previous(shortfall)", ["H058"]),
        ("cascade a: mood < 0.5 -> energy -= 0.01 * previous(energy) * deficit", []),
        ("reward previous(energy, mood)", ["H030"]),
        ("reward previous", ["H030"]),
        ("allow UP when previous(mood) > 0.5", ["H059"]),
        ("input i = 0 in 0 .. 1\nreward i\nallow UP when i > 0.5", ["H059"]),
        ("allow UP when deficit > 0.5", ["H029"]),
        ("allow NORTH when mood > 0.5", ["H020"]),
        ("allow mood when mood > 0.5", ["H021"]),
        ("allow UP when mood > 0.5\nallow DOWN UP when mood > 0.5", ["H024"]),
        ("allow UP UP when mood > 0.5", ["H024"]),
        ("allow all when mood > 0.5\nallow all when energy > 0.5", []),
        ("allow UP when mood", ["H027"]),
        ("allow UP when mood > 2", ["H062"]),
        ("allow UP when mood > 0.5 or true", ["H062"]),
        ("reward last", ["H028"]),
        ("rule a: last == here -> mood += 0.1", ["H028"]),
        ("rule a: last == energy -> mood += 0.1\ntrack uses", ["H021"]),
        ("reward streak of Sofa\ntrack uses", ["H020"]),
        ("reward sqrt(energy, mood)", ["H030"]),
        ("reward pow(energy)", ["H030"]),
        ("meter exp = 1", ["H073"]),
        ("affordance visited at random { instantly { mood += 0.1 } }", ["H023"]),
        ("reward speed: energy", ["H023"]),
        ("report a: energy\nreward a: mood", ["H022"]),
        ("report a: energy\nreport a: mood", ["H022"]),
        ("report a: energy < 0.5", ["H027"]),
        ("input energy = 0 in 0 .. 1", ["H022"]),
        ("input i = 2 in 0 .. 1\nreward i", ["H041"]),
        ("input i = 0 in 0 .. 1", ["H060"]),
        ("rule a: i += 1\ninput i = 0 in 0 .. 1", ["H021"]),
        ("track uses", ["H060"]),
        ("track uses by world\nreward visited", []),
        (f"track uses\naction HOP {{ move (1, 0)  keeps progress }}\n{JOB}", []),
        ("track uses\ntrack uses\nreward visited", ["H024"]),
        ("episodes by hand\nepisodes by hand", ["H024"]),
        ("episodes by hand", []),
        ("report energy: mood", ["H076"]),
        ("reward `speed`: energy", []),
        ("reward 1 when (true)", ["H062"]),
        ("affordance Job at random lasts forever { each tick { mood += 0.01 * progress } }", []),
        ("affordance Job at random lasts forever { on completion { mood += 0.01 } }", ["H064"]),
        ("affordance Job at random lasts 2 ticks together { each tick { together { mood += 0.01 } } }", ["H052"]),
        ("affordance Job at random lasts 2 ticks together { each tick { mood += 0.01 unclamped } }", ["H064"]),
        ("affordance Job at random { }", ["H049"]),
        ("affordance Job at random { instantly { } }", ["H049"]),
        ("affordance Job at random { }\ntrack uses\nreward visited", []),
        ("affordance Job at random lasts 2 ticks { each tick { mood += 0.1 } on completion { } }", ["H064"]),
        ("action HOP { move (1, 0)  keeps progress }", ["H064"]),
        (
            f"action HOP {{ mood += 0.1  keeps progress }}\n{JOB}",
            ["H064"],
        ),
        (
            f"action HOP {{ move (1, 0)  keeps progress }}\n{JOB}",
            [],
        ),
        ("action HOP { keeps progress }", ["H049", "H064"]),
    ],
)
def test_findings(added: str, expected: list[str]) -> None:
    assert codes(added) == expected


def test_day_time_needs_a_clock() -> None:
    base = BASE.replace("clock 24 hours\n", "").replace(" open 8 .. 18", "")
    assert codes("reward day_sin\nreward day_cos", base) == ["H036", "H036"]


def test_the_clock_is_read_by_day_time() -> None:
    base = BASE.replace(" open 8 .. 18", "")
    assert codes("reward day_sin", base) == []
    assert codes(base=base) == ["H060"]


def test_together_of_an_affordance_leaves_its_statements_unclamped() -> None:
    text = "affordance Job at random lasts 2 ticks together { each tick { mood -= 1 } on completion { mood += 0.1 } }"
    job = universe(text).affordances[1]
    assert job.together
    assert [statement.clamped for statement in (*job.each_tick, *job.on_completion)] == [False, False]


def test_an_affordance_that_lasts_for_ever() -> None:
    job = universe("affordance Job at random lasts forever { each tick { mood += 0.01 } }").affordances[1]
    assert (job.duration, job.together) == (0, False)


@pytest.mark.parametrize(
    ("observed", "expected"),
    [
        ("here Bed nothing", []),
        ("here Bed Bed", ["H024"]),
        ("here Sofa", ["H020"]),
        ("here energy", ["H021"]),
        ("blank 3  blank 2  constant 0 -1 0.5  constant 1", []),
        ("blank 0", ["H033"]),
        ("blank 2000000", ["H033"]),
        ("progress", ["H026"]),
        ("progress per 10", []),
        ("window 4", ["H033"]),
        ("window 3", []),
        ("grid  grid", ["H024"]),
    ],
)
def test_observations(observed: str, expected: list[str]) -> None:
    base = BASE.replace("grid  meters", f"meters  {observed}")
    assert codes("affordance Job at random lasts forever { each tick { mood += 0.01 } }", base) == expected


def test_the_next_item_is_no_encoding_of_a_position() -> None:
    _, (found,) = checked(BASE.replace("grid  meters", "meters  position  grid"))
    assert found.message == "`position` needs an encoding"
    assert found.hint == "Write one of `position relative`, `position absolute`, `position scaled`."
