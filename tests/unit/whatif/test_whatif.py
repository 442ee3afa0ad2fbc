"""`hamletc whatif`: all lanes that part and no others, their first line, effects in pairs of worlds, and shares."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result

from hamlet import schema
from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.env.act.trajectories import chosen
from hamlet.interpreter import Interpreter
from hamlet.package.module import in_memory
from hamlet_lab.diff.open import opened
from hamlet_lab.divergence.events import CPU
from hamlet_lab.divergence.session import Side
from hamlet_lab.divergence.values import words
from hamlet_lab.sweep.run import Trial
from hamlet_lab.whatif.alteration import Alteration, act, alter_actions, alter_state, set_to
from hamlet_lab.whatif.effects import effects
from hamlet_lab.whatif.question import Question, Start
from hamlet_lab.whatif.shares import shares
from hamlet_lab.whatif.twins import parts, twins
from hamletc.cli.main import hamletc
from hamletc.compile import Options, build, check_file
from hamletc.frontend import Stopwatch

UNIVERSES = Path(__file__).parents[3] / "universes"
TOWN = UNIVERSES / "town.hamlet"
WORLDS, TICK, TICKS, SEED = 6, 5, 25, 3


def side_of(path: Path) -> Side:
    return opened(path, path.parent / "unused").side("interpreter")


def parted_lanes(side: Side, agents: int, world: int, agent: int, alteration: Alteration) -> dict[int, int]:
    """By a run of all worlds with the change and one without: the lanes that part, and the first tick of each."""
    shape = Shape(WORLDS, agents)
    runs = [Start(side, SEED, {}).after(TICK, shape) for _ in range(2)]
    alter_state(alteration, runs[1].buffers, agent, [world])
    interpreter = Interpreter(side.universe, CPU)
    fields = [each for each in schema.state_fields(side.universe) if each.per == "lane" and each.rows != ()]
    result: dict[int, int] = {}
    for index in range(TICKS):
        now = Stream(SEED, TICK + index)
        for number, run in enumerate(runs):
            actions = chosen(interpreter, run.buffers, RandomPolicy(), now)
            if number and index == 0:
                actions = alter_actions(alteration, actions, agents, agent, [world])
            side.candidate.backend.step(run.buffers, actions.contiguous(), now)
        for each in fields:
            left, right = (np.atleast_2d(run.buffers.state[each.name].numpy()) for run in runs)
            for lane in np.flatnonzero((words(left) != words(right)).any(axis=0)):
                result.setdefault(int(lane), TICK + index)
    return result


@pytest.mark.parametrize(
    ("name", "agents", "change"),
    [
        ("town", 2, "action INTERACT"),
        ("gallery/epidemic", 4, "meter sick"),
        ("gallery/commons", 4, "action GRAZE"),
        ("gallery/predators", 5, "action WAIT"),
    ],
)
def test_all_and_only_the_lanes_that_part(name: str, agents: int, change: str) -> None:
    side = side_of(UNIVERSES / f"{name}.hamlet")
    kind, _, word = change.partition(" ")
    names = schema.choices(side.universe)
    if kind == "action":
        alteration: Alteration = act(side.universe, word if word in names else names[-1])
    else:
        meter = next((each for each in side.universe.meters if each.name == word), side.universe.meters[0])
        alteration = set_to(side.universe, meter.name, meter.high)
    world, agent = 4, 1
    without, altered = twins(Question(Start(side, SEED, {}), agent, alteration, TICK, TICKS), Shape(1, agents, world))
    ours = {world * agents + part.agent: part.tick for part in parts(side, without, altered)}
    assert ours == parted_lanes(side, agents, world, agent, alteration)
    assert ours


def test_the_first_difference_has_its_line() -> None:
    side = side_of(TOWN)
    without, altered = twins(Question(Start(side, 0, {}), 0, act(side.universe, "INTERACT"), 31, 5), Shape(1, 1, 7))
    (part,) = parts(side, without, altered)
    assert part.source is not None
    assert (part.tick, part.state, part.source.construct) == (31, "meter.energy", "meter energy interact")
    assert part.source.text.startswith("meter energy")
    same = act(side.universe, schema.action_names(side.universe)[int(without.actions[0, 0])])
    assert list(parts(side, *twins(Question(Start(side, 0, {}), 0, same, 31, 5), Shape(1, 1, 7)))) == []


def test_a_use_of_an_affordance() -> None:
    side = side_of(TOWN)
    bar = act(side.universe, "Bar")
    without, altered = twins(Question(Start(side, 0, {}), 0, bar, 31, 3), Shape(1, 1, 7))
    (part,) = parts(side, without, altered)
    assert (part.tick, part.without != part.altered) == (31, True)
    numbers = [place.name for place in side.universe.affordances]
    runner = Start(side, 0, {}).after(31, Shape(3, 2, 7))
    before = runner.buffers.state["position"].clone()
    alter_state(bar, runner.buffers, 1, [2])
    assert (runner.buffers.state["position"] != before).any(dim=0).tolist() == [False] * 5 + [True]
    idle = torch.full((6,), schema.idle_action(side.universe), dtype=torch.int32)
    side.candidate.backend.step(runner.buffers, alter_actions(bar, idle, 2, 1, [2]), Stream(0, 31))
    assert runner.buffers.outcome["used"].tolist()[5] == numbers.index("Bar")


def test_common_random_numbers_make_effects_sharp() -> None:
    side = side_of(TOWN)
    hygiene = set_to(side.universe, "hygiene", 0.3)
    by_name = {each.name: each for each in effects(Question(Start(side, 0, {}), 0, hygiene, 31, 120), Shape(64, 1))}
    for each in by_name.values():
        assert each.mean < 0
        assert each.independent > 50 * each.paired > 0
    money = set_to(side.universe, "money", 0.5)
    waiting = effects(Question(Start(side, 0, {}), 0, money, 3, 10), Shape(8, 1))
    assert all(each.half >= 0 for each in waiting)


def test_shares_add_up() -> None:
    universe = check_file(UNIVERSES / "first_meal.hamlet", Stopwatch()).universe
    module = in_memory(Path("meal"), build(universe, Options(()), Stopwatch()))
    made = shares(universe, Trial(module, worlds=16, ticks=250, backend="interpreter"), 4, "affordance", {})
    assert [share.player for share in made.shares] == ["affordance Kitchen"]
    assert sum(share.value for share in made.shares) == pytest.approx(made.all_on - made.all_off)
    assert made.shares[0].value > 0


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(hamletc, ["whatif", f"{TOWN}@interpreter", *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (("--action", "Barr"), 1, "error: town has no action Barr: did you mean Bar?"),
        (("--action", "INTERAKT"), 1, "error: town has no action INTERAKT: did you mean INTERACT?"),
        (("--set", "mony=1"), 1, "error: town has no param and no meter mony: did you mean money?"),
        (("--set", "money=2"), 1, "error: --set money: 2 is outside of its bounds, 0 .. 1"),
        (("--set", "money"), 1, "error: --set money: write NAME=NUMBER"),
        (("--action", "WAIT", "--agent", "1"), 1, "error: there is no agent 1: world 0 has agent 0 alone"),
        ((), 2, "say one change"),
    ],
)
def test_changes_that_cannot_be(arguments: tuple[str, ...], code: int, line: str) -> None:
    done = run(*arguments)
    assert done.exit_code == code
    assert line in done.output


def test_what_is_printed() -> None:
    done = run("--world", "7", "--tick", "31", "--action", "INTERACT", "--ticks", "20", "--worlds", "8")
    assert done.exit_code == 0, done.output
    assert "what if action INTERACT in tick 31" in done.output
    assert "1 of 1 agents of the world part in 20 ticks" in done.output
    assert "  agent 0 from tick 31: energy " in done.output
    assert "times lower than with independent seeds" in done.output
