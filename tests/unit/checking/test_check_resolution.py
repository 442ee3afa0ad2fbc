"""Names, types and the parts of a universe."""

from __future__ import annotations

from pathlib import Path

import pytest
from checking_cases import BASE, checked, codes, universe

from hamlet.universe import Assign, Binary, Here, If, MeterValue, Number, ObserveValue, Reward, Rule, Together, Unary
from hamletc.language.parser import parse

ROOT = Path(__file__).parents[3]


def value(expression: str) -> object:
    """The resolved value of an expression in a statement."""
    rule = universe(f"rule probe: mood += {expression}").dynamics[0]
    assert isinstance(rule, Rule)
    assert isinstance(rule.body[0], Assign)
    return rule.body[0].value


def guard(condition: str) -> object:
    rule = universe(f"rule probe: {condition} -> mood += 0.1").dynamics[0]
    assert isinstance(rule, Rule)
    return rule.guard


def test_the_base_has_no_findings() -> None:
    assert codes() == []


@pytest.mark.parametrize("path", sorted((ROOT / "universes").glob("*.hamlet")), ids=lambda path: path.stem)
def test_shipped_universes_have_no_findings(path: Path) -> None:
    result, diagnostics = checked(path.read_text())
    assert diagnostics == ()
    assert result is not None
    assert result.name == path.stem


def test_when_is_an_if_with_zero() -> None:
    match value("0.1 when energy < 0.5"):
        case If(Binary(op="<"), Number(0.1), Number(0.0)):
            pass
        case other:
            pytest.fail(str(other))


def test_min_of_three_is_a_left_fold() -> None:
    match value("min(energy, mood, 0.5)"):
        case Binary("min", Binary("min", MeterValue("energy"), MeterValue("mood")), Number(0.5)):
            pass
        case other:
            pytest.fail(str(other))


def test_if_chooses_between_conditions() -> None:
    match guard("(if energy < 0.5 then mood < 0.5 else mood < 0.2)"):
        case If(Binary(), Binary(), Binary()):
            pass
        case other:
            pytest.fail(str(other))


@pytest.mark.parametrize(
    ("condition", "affordance", "negated"),
    [
        ("here == Bed", "Bed", False),
        ("Bed == here", "Bed", False),
        ("here != Bed", "Bed", True),
        ("here == nothing", None, False),
        ("nothing != here", None, True),
    ],
)
def test_here(condition: str, affordance: str | None, negated: bool) -> None:
    found = guard(condition)
    if negated:
        assert isinstance(found, Unary)
        assert found.op == "not"
        found = found.operand
    assert isinstance(found, Here)
    assert found.affordance == affordance


def test_together_clamps_its_statements_once() -> None:
    rule = universe("rule probe { together { energy += 0.1  energy -= 0.2 }  mood += 0.1 unclamped }").dynamics[0]
    together, last = rule.body
    assert isinstance(together, Together)
    assert [statement.clamped for statement in together.body] == [False, False]
    assert isinstance(last, Assign)
    assert not last.clamped


def test_causes_are_the_disjuncts_in_canonical_spelling() -> None:
    causes = universe("dies when (mood<=0   or energy  < 0.1) or not (energy>0.15)").causes
    assert [cause.name for cause in causes] == ["energy <= 0", "mood <= 0", "energy < 0.1", "not energy > 0.15"]


def test_rewards_are_kept_in_file_order() -> None:
    match universe("reward content: mood\nreward 0.5").rewards:
        case (Reward(None, MeterValue("energy")), Reward("content", MeterValue("mood")), Reward(None, Number(0.5))):
            pass
        case other:
            pytest.fail(str(other))


@pytest.mark.parametrize(
    ("added", "hint", "written"),
    [
        ("rule a: mood -= 0.01 * count(other and distance < 2)", "Write `apart`: how far the two", "apart"),
        ("rule a: distance < 2 -> mood -= 0.01", "Write `distance to Bed`.", "distance to Bed"),
        (
            "state air: dry wet = dry\nrule a: mood > 0.5 -> air = wet\nrule b: air == dry and wet -> mood -= 0.01",
            "`wet` is an option of `air`: write `air == wet`.",
            "air == wet",
        ),
    ],
)
def test_names_of_something_else_have_hints_of_their_own(added: str, hint: str, written: str) -> None:
    (problem,) = checked(f"{BASE}{added}\n")[1]
    assert problem.hint.startswith(hint)
    assert [edit.text for edit in problem.edits] == [written]


def test_observe_is_optional() -> None:
    base = BASE.replace("observe { grid  meters }\n", "reward mood\n")
    assert universe(base=base).observations == ()


def test_bare_meters_are_all_in_file_order() -> None:
    _, *meters = universe().observations
    assert [item.name for item in meters if isinstance(item, ObserveValue)] == ["meter.energy", "meter.mood"]


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ("reward enrgy", ["H020"]),
        ("reward enrgy + enrgy", ["H020", "H020"]),
        ("reward 1 / enrgy", ["H020"]),
        ("rule Bed: energy -= 0.1", ["H076"]),
        ("rule a: energy += 0.1\ncascade a: mood < 0.3 -> energy += 0.1", ["H022"]),
        ("rule a: energy += foo\nrule b: mood += bar", ["H020", "H020"]),
        ("meter hour = 0.5", ["H023"]),
        ("meter day_sin = 0.5", ["H023"]),
        ("action UP { mood += 0.1 }", ["H066"]),
        ("action UP_Z { mood += 0.1 }", []),
        ("meter min = 0.5", ["H073"]),
        ("reward min", ["H030"]),
        ("reward minn(energy, mood)", ["H020"]),
        ("rule a: hour += 1", ["H021"]),
        ("reward 0.1 when here == here", ["H028"]),
        ("reward 0.1 when here == energy", ["H021"]),
        ("reward not energy", ["H027"]),
        ("reward if mood < 0.5 then energy else mood < 0.2", ["H027"]),
        ("rule a: (if mood < 0.5 then mood < 0.3 else energy) -> mood += 0.1", ["H027"]),
        ("rule a: (if mood < 0.5 then foo < 0.3 else mood > 0.9) -> mood += 0.1", ["H020"]),
        ("reward 1 when (energy)", ["H027"]),
        ("rule a: energy < 0.5 or mood -> energy += 0.1", ["H027"]),
        ("cascade a: 0.3 > energy -> mood -= 0.1", ["H039"]),
        ("cascade a: level < 1 -> mood -= 0.1", ["H039"]),
        ("cascade a: hour < 6 -> mood -= 0.1", ["H039"]),
        ("cascade a: enrgy < 1 -> mood -= 0.1 * deficit", ["H020"]),
        ("cascade a: energy < 0.3 -> mood -= shortfall * deficit", []),
        ("rule a: energy > 0.5 -> mood -= shortfall", ["H029"]),
        ("affordance Sofa at (0, 0) { instantly { mood += 0.1 } }", []),
        ("affordance Sofa at (0, -1) { instantly { mood += 0.1 } }", ["H043"]),
        ("affordance Sofa at (4, 4) { instantly { mood += 0.1 } }", ["H043", "H043"]),
        ("affordance Sofa at (0.5, 0) { instantly { mood += 0.1 } }", ["H032"]),
        ("affordance Sofa at random open 24 .. 8 { instantly { mood += 0.1 } }", ["H046"]),
        ("affordance Sofa at random open 0 .. 24 { instantly { mood += 0.1 } }", []),
        ("affordance Sofa at random lasts 0 ticks { each tick { mood += 0.1 } }", ["H033"]),
        ("affordance Sofa at random lasts 100 ticks { on completion { mood += 0.1 } }", ["H064"]),
        ("affordance Sofa at random lasts 99 ticks { on completion { mood += 0.1 } }", []),
        ("affordance Sofa at random { instantly { mood += 0.1 } each tick { mood += 0.1 } }", ["H048"]),
        ("affordance Sofa at random { needs mood > 0.1 needs mood < 0.9 instantly { mood += 0.1 } }", ["H024"]),
        ("action HOP { move (1, 0) teleport (0, 0) }", ["H064"]),
        ("action HOP { move (1, 0, 0) }", ["H042"]),
        ("action HOP { move (-3, 3) }", []),
        ("action HOP { move (-4, 3) }", ["H033"]),
        ("action HOP { needs energy > 0.5 }", ["H049"]),
        ("param x = 3 in 0 .. 1", ["H041"]),
        ("param x = 1 / 0 in 0 .. 1", ["H050"]),
        ("observe { here }", ["H024"]),
        ("space grid 5", ["H024"]),
        ("reward 0", ["H064"]),
    ],
)
def test_findings(added: str, expected: list[str]) -> None:
    assert codes(added) == expected


@pytest.mark.parametrize("size", ["1 x 1", "16384 x 1024", "5", "3 x 3 x 3"])
def test_grids(size: str) -> None:
    fits = "1 x 1" not in size
    base = BASE.replace("4 x 4", size).replace("grid  meters", "meters")
    assert codes(base=base) == ([] if fits else ["H045"])


@pytest.mark.parametrize("size", ["0", "16385", "16384 x 1025", "99999999999999999999999"])
def test_impossible_grids(size: str) -> None:
    assert codes(base=BASE.replace("4 x 4", size)) == ["H033"]


def test_one_mistake_is_reported_once() -> None:
    """Nothing is concluded from a meter whose declaration or statements are wrong."""
    wrong = BASE.replace("meter mood = 0.5 { decay 0.01 }", "meter mood = 5 { decay 0.01 }")
    assert codes("cascade a: mood < 0 -> energy -= 0.01", wrong) == ["H041"]
    assert codes("rule a: mood -= foo unclamped\nreward 1 when mood < 0") == ["H020"]
    assert codes("rule a { energy += 0.1  mood -= foo unclamped }\nreward 1 when mood < 0") == ["H020"]
    unsure = "rule a: mood -= 1 unclamped\nrule b: foo > 1 -> mood += 0.1\nreward 1 when mood < 0"
    assert codes(unsure) == ["H020"]


def test_independent_mistakes_are_all_reported() -> None:
    assert codes("reward enrgy\nreward 1 / energy\nmeter energy = 1\ncascade a: mood < 0 -> energy -= 1") == [
        "H020",
        "H050",
        "H022",
        "H061",
    ]


@pytest.mark.parametrize(
    "expression",
    [
        "+".join(["energy"] * 190),
        "(" * 95 + "energy" + ")" * 95,
        "abs(" * 95 + "energy" + ")" * 95,
        "if energy < 0.5 then mood else " * 60 + "energy",
        "-" * 150 + "energy",
    ],
)
def test_deep_expressions(expression: str) -> None:
    assert codes(f"reward {expression}") == []


def test_too_deep_expressions() -> None:
    assert codes(f"reward min({', '.join(['energy'] * 300)})") == ["H015"]
    assert codes("reward mood\n" * 300) == []


def test_keywords_of_python_are_no_universe_names() -> None:
    file, _ = parse(BASE.replace("universe small", "universe class"))
    assert file is not None
    assert codes(base=BASE.replace("universe small", "universe class")) == ["H053"]
    assert codes(base=BASE.replace("universe small", "universe `a small one`")) == ["H053"]
    assert codes("meter lambda = 1 { decay 0.1 }\nreward lambda\naction REST { lambda += 0.1 }") == []


@pytest.mark.parametrize("declared", ["meter clock = 0.1", "param clock = 0.1 in 0 .. 1", "state clock = false"])
def test_what_is_called_as_a_quantity_is_observed_all_the_same(declared: str) -> None:
    kind = declared.split()[0]
    text = f"""
        universe named
        space grid 3 x 3
        {declared}
        meter food = 1 {{ decay {"clock" if kind == "param" else "0.1"} }}
        {"rule slept: food < 0.5 -> clock = true" if kind == "state" else ""}
        dies when food <= 0
        reward food
        observe {{ meters food  { {"meter": "", "param": "params", "state": "state"}[kind] } clock }}
    """
    found, diagnostics = checked(text)
    assert [each.code for each in diagnostics if each.severity == "error"] == []
    assert found is not None
