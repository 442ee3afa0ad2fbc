"""`hamletc diff` of universes that do not have the same meters, actions, params, observations or reports."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner, Result
from faults import TOY, package, universe_of

import hamlet_lab.verify
from hamlet.backend.buffers import Shape, allocate, allocate_statistics
from hamlet.schema import outcome_fields, state_fields
from hamlet.universe import Universe
from hamlet_lab.divergence.arrays import arrays
from hamlet_lab.divergence.versions import apart
from hamlet_lab.verify import Comparison
from hamletc.cli.main import hamletc

PARAM = "param hunger = 1 in 0 .. 4\n"
HUNGRY = TOY.replace("meter food", f"{PARAM}meter food").replace("decay 0.02", "decay 0.02 * hunger")
FOOD, MOOD = "meter food = 0.8 { decay 0.02 }\n", "meter mood = 0.5 { decay 0.004 }\n"
KITCHEN = next(line + "\n" for line in TOY.split("\n") if line.startswith("affordance Kitchen"))
BAR = "affordance Bar at random lasts 3 ticks { on completion { mood += 0.2 } }\n"
ACTIONS = "action NAP { mood += 0.1 }\n", "action SING { health -= 0.1 }\n"
DEATHS = "dies when health <= 0\n", "dies when food <= 0\n"
NO_SPACE = TOY.replace("space grid 4 x 4", "space none").replace(" at random", "")


def added(what: str, before: str = "dies when", text: str = TOY) -> str:
    return text.replace(before, f"{what}{before}", 1)


APART: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "a meter": (
        TOY,
        added("meter joy = 1 { decay 0.01 }\n", "meter health"),
        ("only new.hamlet@interpreter has meter joy", "only new.hamlet@interpreter has observation meter.joy"),
    ),
    "an action": (TOY, added(ACTIONS[0]), ("only new.hamlet@interpreter has action NAP",)),
    "a param": (
        TOY,
        added(f"inert allowed\n{PARAM}", "meter food"),
        ("only new.hamlet@interpreter has param hunger",),
    ),
    "an input": (
        added("input wind = 0 in 0 .. 1 ", "meter food").replace("health -= 0.001", "health -= 0.001 * wind"),
        TOY,
        ("only old.hamlet@interpreter has input wind",),
    ),
    "an observation": (
        TOY.replace("observe { meters }", "observe { meters  time }"),
        TOY,
        ("only old.hamlet@interpreter has observation time.sin",),
    ),
    "rows of an observation": (
        TOY.replace("observe { meters }", "observe { grid  meters }"),
        TOY.replace("observe { meters }", "observe { grid  meters }").replace("4 x 4", "5 x 4"),
        ("has observation grid[16]", "has observation grid[20]"),
    ),
    "a report": (
        TOY,
        added("report gloom: 1 - mood\n", "reward mood"),
        ("only new.hamlet@interpreter has report gloom",),
    ),
    "an affordance": (
        TOY,
        added(BAR),
        ("only new.hamlet@interpreter has affordance Bar", "only new.hamlet@interpreter has state engaged (i32)"),
    ),
    "a cause of death": (
        TOY,
        added(DEATHS[1], "reward mood"),
        ("only new.hamlet@interpreter has cause of death food <= 0",),
    ),
    "a lifespan": (
        TOY,
        TOY.replace("lifespan 20 ticks { reward 1.0 }\n", ""),
        ("only old.hamlet@interpreter has lifespan",),
    ),
    "a space": (TOY, NO_SPACE, ("has axis x", "has action UP", "has state position (i32)")),
    "another order of meters": (
        TOY,
        TOY.replace(FOOD + MOOD, MOOD + FOOD),
        ("in another order: meters food, mood, health: on the right mood, food, health",),
    ),
    "another order of observations": (
        TOY.replace("observe { meters }", "observe { meters  time }"),
        TOY.replace("observe { meters }", "observe { time  meters }"),
        ("in another order: observations meter.food, ",),
    ),
    "another order of actions": (added("".join(ACTIONS)), added("".join(ACTIONS[::-1])), ("order: actions UP, ",)),
    "another order of affordances": (added(BAR), added(BAR, KITCHEN), ("order: affordances Kitchen, Bar: on",)),
    "another order of deaths": (
        TOY.replace(DEATHS[0], "".join(DEATHS)),
        TOY.replace(DEATHS[0], "".join(DEATHS[::-1])),
        ("in another order: causes of death health <= 0, food <= 0",),
    ),
}
"""Two texts, and what is said of what they do not have in common."""
COMPUTED_ALIKE = ("a meter", "an action", "a param", "an observation", "a report", "another order of meters",
                  "another order of actions")  # fmt: skip
"""What both have has the same values."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    # What fires is a matter of other tests.
    monkeypatch.setattr(hamlet_lab.verify, "QUICK", replace(hamlet_lab.verify.QUICK, rounds=8))
    return tmp_path


def diff(*arguments: str) -> Result:
    done = CliRunner().invoke(hamletc, ["diff", "--quick", "--worlds", "9", "--ticks", "3", *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def written(name: str) -> tuple[str, ...]:
    old, new, said = APART[name]
    Path("old.hamlet").write_text(old)
    Path("new.hamlet").write_text(new)
    return said


@pytest.mark.parametrize("name", APART)
def test_what_stands_on_one_side_only_is_listed_and_a_difference(name: str) -> None:
    old, new, said = APART[name]
    labels = "old.hamlet@interpreter", ("new.hamlet@interpreter",)
    report = Comparison(*labels, 0, 0, {}, apart=apart(universe_of(old), universe_of(new)))
    assert not report.ok
    for line in said:
        assert line in report.render()


def test_nothing_is_run_where_something_stands_on_one_side_only() -> None:
    written("an action")
    done = diff("old.hamlet", "new.hamlet")
    assert done.exit_code == 1, done.output
    assert done.stdout.startswith(
        "only new.hamlet@interpreter has action NAP\n"
        "no values were compared: `hamletc diff --common` compares those that both have\n"
        "meaning:\n  new      action NAP\n"
    )


@pytest.mark.parametrize("name", [*COMPUTED_ALIKE, "a space", "an affordance"])
def test_the_common_part_is_compared_where_it_is_asked_for(name: str) -> None:
    said = written(name)
    done = diff("old.hamlet", "new.hamlet", "--common")
    for line in said:
        assert line in done.stdout
    if name in COMPUTED_ALIKE:
        assert done.exit_code == 0, done.stdout
        assert "values that both have, in a run of" in done.stdout
    else:
        assert done.exit_code == 1, done.stdout
        assert "old.hamlet@interpreter and new.hamlet@interpreter differ" in done.stdout


def test_a_difference_in_the_common_part_is_found() -> None:
    """One meter more, and another decay of a meter that both have."""
    Path("old.hamlet").write_text(TOY)
    Path("new.hamlet").write_text(APART["a meter"][1].replace("decay 0.02", "decay 0.03"))
    done = diff("old.hamlet", "new.hamlet", "--common")
    assert done.exit_code == 1
    assert "only new.hamlet@interpreter has meter joy" in done.stdout
    assert "old.hamlet:5  meter food decay" in done.stdout


def test_numbers_of_affordances_are_compared_by_name() -> None:
    """Where both have fixed places, only the numbers are others."""
    bar, kitchen = BAR.replace("at random", "at (1, 1)"), KITCHEN.replace("at random", "at (2, 2)")
    text = TOY.replace(KITCHEN, "")
    Path("old.hamlet").write_text(added(kitchen + bar, text=text))
    Path("new.hamlet").write_text(added(bar + kitchen, text=text))
    assert diff("old.hamlet", "new.hamlet").exit_code == 1
    done = diff("old.hamlet", "new.hamlet", "--common")
    assert done.exit_code == 0, done.stdout


@pytest.mark.parametrize("name", APART)
def test_nothing_is_left_out_without_a_word(name: str) -> None:
    """Every row of every array stands on both sides, in the same place, or something is said."""
    old, new, _ = APART[name]
    universes = universe_of(old), universe_of(new)
    assert rows(universes[0]) != rows(universes[1]) or numbers(universes[0]) != numbers(universes[1])
    assert apart(*universes)
    assert not apart(universes[0], universes[0])


def rows(universe: Universe) -> list[tuple[str, tuple[str, ...], torch.dtype]]:
    shape, cpu = Shape(1, 1), torch.device("cpu")
    found = arrays(universe, allocate(universe, shape, cpu, torch.float32), allocate_statistics(universe, shape, cpu))
    assert len(found) > len(state_fields(universe)) + len(outcome_fields(universe))
    return [(array.name, array.rows, array.values.dtype) for array in found]


def numbers(universe: Universe) -> list[str]:
    return [item.name for item in (*universe.affordances, *universe.causes)]


def test_json_has_it() -> None:
    written("a meter")
    report = json.loads(diff("old.hamlet", "new.hamlet", "--json").stdout)
    assert not report["ok"]
    assert report["apart"] == {"left": [], "right": ["meter joy", "observation meter.joy"], "reordered": []}
    report = json.loads(diff("old.hamlet", "new.hamlet", "--json", "--common").stdout)
    assert report["ok"]
    assert report["compared"] > 0


def test_packages_and_recorded_runs(folder: Path) -> None:
    written("a meter")
    package(TOY, folder / "package", lambda kernels: f"{kernels}\n")
    done = diff("package@ir", "new.hamlet")
    assert done.exit_code == 1
    assert "only new.hamlet@interpreter has meter joy" in done.stdout
    assert CliRunner().invoke(hamletc, ["record", "old.hamlet", "-o", "old.npz", "--ticks", "4"]).exit_code == 0
    done = diff("old.npz", "new.hamlet")
    assert done.exit_code == 1
    assert "only new.hamlet@interpreter has meter joy" in done.stdout
    done = diff("old.npz", "new.hamlet", "--common")
    assert done.exit_code == 0, done.stdout


@pytest.mark.parametrize(("array", "declared"), [("params", "param hunger = 1"), ("inputs", "input hunger = 1")])
def test_a_changed_default_is_named(array: str, declared: str) -> None:
    text = HUNGRY.replace("param hunger = 1", declared)
    Path("old.hamlet").write_text(text)
    Path("new.hamlet").write_text(text.replace("= 1 in", "= 2 in"))
    done = diff("old.hamlet", "new.hamlet")
    assert done.exit_code == 1
    assert "old.hamlet@interpreter and new.hamlet@interpreter declare other defaults" in done.stdout
    assert f"in the {array} at the beginning" in done.stdout
    for side, value in (("old", "1.0"), ("new", "2.0")):
        assert f"{value}  (0x" in done.stdout
        assert f"--> {side}.hamlet:5  {declared.split(' =')[0]}" in done.stdout
    assert "param hunger = 2 in 0 .. 4".replace("param", declared.split()[0]) in done.stdout


def test_other_bounds_show_in_bytes() -> None:
    """A difference around functions that agree has both values, and what is declared."""
    Path("old.hamlet").write_text(TOY)
    Path("new.hamlet").write_text(TOY.replace("meter health = 1", "meter health = 1 in 0 .. 2"))
    done = diff("old.hamlet", "new.hamlet")
    assert done.exit_code == 1
    assert "left   255  (0x000000ff)  in old.hamlet@interpreter" in done.stdout
    assert "note: bytes stand for 0.0 .. 1.0 on the left, for 0.0 .. 2.0 on the right" in done.stdout
    assert "none" not in done.stdout
