"""`hamletc explain U NAME`: what changes a meter, held to the interpreter and to hovers; a construct in each stage."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from click.testing import CliRunner, Result

import hamlet
from hamlet.package.module import Module
from hamlet_language import Document, Position, hover
from hamletc.changes import changes_of
from hamletc.cli.main import hamletc
from hamletc.compile import check, lower
from hamletc.explanation.meter import Explained, explained
from hamletc.frontend import Stopwatch
from hamletc.read import read_universe

UNIVERSES = Path(__file__).parents[3] / "universes"
TOWN = UNIVERSES / "town.hamlet"


def about(path: Path, meter: str, **state: float) -> Explained:
    reading = read_universe(path, Stopwatch())
    universe = check(reading).universe
    return explained(reading, universe, lower(universe).program, meter, state)


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(hamletc, ["explain", *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def test_amounts_are_those_of_the_text() -> None:
    rows = about(TOWN, "energy").rows
    by_text = {(row.owner, row.text): row.amount for row in rows}
    assert by_text["affordance Bed instantly", "energy += 5 * 0.075"] == pytest.approx(0.375)
    assert by_text["affordance Bed instantly", "energy += 0.125"] == pytest.approx(0.125)
    assert by_text["affordance Bar instantly", "energy -= 0.2"] == pytest.approx(-0.2)
    assert by_text["cascade hunger_exhausts", "energy -= 0.005 * deficit"] is None
    hungry = {row.owner: row for row in about(TOWN, "energy", satiation=0.1).rows}
    # 0.1 less the decay of 0.004 is what the cascade sees; the deficit is (0.3 - 0.096) / 0.3.
    assert hungry["cascade hunger_exhausts"].amount == pytest.approx(-0.005 * (0.3 - 0.096) / 0.3)
    assert hungry["cascade hunger_exhausts"].now
    assert not hungry["affordance Bed instantly"].now


@pytest.mark.parametrize(
    ("name", "meter", "state"),
    [
        ("town", "health", {"satiation": 0.1, "fitness": 0.2}),
        ("town", "energy", {}),
        ("shifts", "energy", {"energy": 0.5}),
    ],
)
def test_nets_are_what_the_interpreter_does(name: str, meter: str, state: dict[str, float]) -> None:
    path = UNIVERSES / f"{name}.hamlet"
    module: Module = hamlet.compile(path)
    nets = dict(about(path, meter, **state).nets)
    env = hamlet.make(module, worlds=1, backend="interpreter", device="cpu", seed=0, quiet=True)
    names = env.action_names
    assert nets
    for action, by in nets.items():
        env.reset(seed=0)
        for each, value in state.items():
            env.set(each, value)
        before = float(env.meter(meter))
        env.step(torch.tensor([names.index(action)], dtype=torch.int32))
        assert float(env.meter(meter)) - before == by


def test_hovers_say_the_same() -> None:
    text = TOWN.read_text()
    line = next(number for number, each in enumerate(text.splitlines()) if each.startswith("meter health"))
    shown = hover(Document(TOWN, text), Position(line, 7))
    assert shown is not None
    rows = about(TOWN, "health").rows
    assert len(rows) == len(changes_of("health", Document(TOWN, text).declarations))
    places = [shown.text.index(f"{row.owner} (`{row.text}`, line {row.place.rpartition(':')[2]})") for row in rows]
    assert places == sorted(places)


def test_a_construct_in_every_stage() -> None:
    done = run(str(TOWN), "hunger_sickens")
    assert done.exit_code == 0, done.output
    for expected in (
        "town.hamlet:24  cascade hunger_sickens:  satiation < 0.3 -> health -= 0.004 * deficit",
        '"kind": "Cascade"',
        "; rules: cascade `hunger_sickens` :24",
        "health_6 = subtract_vf32(health_5, ",
        "health_6 = health_5 - (0.004 * ",
    ):
        assert expected in done.output
    assert "hunger_exhausts" not in done.output


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        ((str(TOWN), "hungr_sickens"), 1, "town has nothing named hungr_sickens: did you mean hunger_sickens?"),
        ((str(TOWN), "energy", "--at", "mony=1"), 1, "--at mony: town has no such meter or param: did you mean money?"),
        ((str(TOWN), "energy", "--at", "money=2"), 1, "--at money: 2 is outside of its bounds, 0 .. 1"),
        ((str(TOWN),), 2, "name a meter or a construct behind the universe"),
        (("H050", "--at", "money=2"), 2, "--at is about a meter of a universe"),
    ],
)
def test_names_and_states_that_a_universe_has_not(arguments: tuple[str, ...], code: int, line: str) -> None:
    done = run(*arguments)
    assert done.exit_code == code
    assert line in done.output


def test_a_meter_of_a_role_and_one_that_is_set(tmp_path: Path) -> None:
    done = run(str(UNIVERSES / "gallery" / "wolves.hamlet"), "hunger")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("meter wolf.hunger from 0 to 1")
    (tmp_path / "peak.hamlet").write_text(
        "universe peak\nspace grid 3 x 1\nlifespan 9 ticks { reward 1.0 }\n"
        "meter joy = 0.5 { decay 0.1 }\nmeter best = 0\n"
        "rule remembers: best = max(best, joy)\nreward best\nobserve { meters }\n"
    )
    rows = about(tmp_path / "peak.hamlet", "best").rows
    assert [(row.effect, row.owner, row.amount) for row in rows] == [("sets", "rule remembers", None)]
