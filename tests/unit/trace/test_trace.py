"""Traces: every change of an agent's states, held to what the interpreter writes, statement by statement."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result

from hamlet.backend.buffers import Buffers, Shape, Statistics, allocate
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamlet.interpreter import Trace as Writes
from hamlet.numbers.binary32 import spell32
from hamlet.universe import Universe
from hamlet_lab.diff.open import Opened, opened
from hamlet_lab.divergence.events import CPU, Candidate
from hamlet_lab.divergence.session import Side
from hamlet_lab.trace.changes import Trace, traced
from hamlet_lab.trace.course import Course, live
from hamlet_lab.trace.told import lines
from hamletc.cli.main import hamletc

UNIVERSES = Path(__file__).parents[3] / "universes"
SHOP = """
universe shop
space grid 5 x 1
lifespan 30 ticks { reward 1.0 }
param wage = 0.25 in 0 .. 1
clock 4 hours
meter money = 0.3 { decay 0.01 }
meter cheer = 0.5 { decay 0.01 }
meter best = 0
cascade poverty_saddens: money < 0.3 -> cheer -= 0.01 * deficit
affordance Work at (0, 0) {
    instantly {
        money += wage
        cheer -= 0.05
    }
}
affordance Fair at (1, 0) {
    needs money >= 0.2
    instantly { money -= 0.2  cheer += 0.9 }
}
rule remembers: best = max(best, money)
dies when cheer <= 0 and money <= 0
reward cheer + best
observe { meters  time }
"""


def course_of(side: Side, ticks: int, agents: int = 1, world: int = 3) -> Course:
    return live(side, Shape(1, agents, world), 5, ticks, {})


def trace_of(path: Path, ticks: int, agents: int = 1, agent: int = 0) -> tuple[Trace, Opened]:
    universe = opened(path, path.parent / "unused")
    side = universe.side("interpreter")
    return traced(course_of(side, ticks, agents), agent, side), universe


def written(universe: Universe, course: Course, agent: int) -> list[list[tuple[str, int, str]]]:
    """The writes of the interpreter to meters that change them, of each tick: meter, line and value; of the writes of
    a line that follow each other the last one."""
    result = []
    writes = Writes(0, agent)
    interpreter = Interpreter(universe, CPU, trace=writes)
    names = [meter.name for meter in universe.meters]
    for number, tick in enumerate(course.ticks):
        buffers = allocate(universe, Shape(1, course.agents, course.world), CPU, None)
        for name, values in course.before[number].items():
            buffers.state[name].copy_(torch.from_numpy(values))
        writes.writes.clear()
        interpreter.step(buffers, torch.from_numpy(course.actions[number]), Stream(course.seed, int(tick)))
        now = {name: float(course.before[number]["meters"][row, agent]) for row, name in enumerate(names)}
        changes: list[tuple[str, int, str]] = []
        starts: list[float] = []
        last = ""
        for write in writes.writes:
            if write.meter not in now:
                continue
            if changes and (*changes[-1][:2], last) == (write.meter, write.span.line, write.construct):
                changes.pop()
                now[write.meter] = starts.pop()
            if np.float32(write.value) != np.float32(now[write.meter]):
                changes.append((write.meter, write.span.line, spell32(write.value)))
                starts.append(now[write.meter])
                last = write.construct
                now[write.meter] = write.value
        result.append(changes)
    return result


@pytest.mark.parametrize(
    ("name", "agents"), [("town", 1), ("shifts", 1), ("gallery/commons", 5), ("gallery/cold_night", 1)]
)
def test_meters_change_as_the_interpreter_writes_them(name: str, agents: int) -> None:
    made, universe = trace_of(UNIVERSES / f"{name}.hamlet", 60, agents, agents - 1)
    expected = written(universe.universe, made.course, agents - 1)
    ours = [
        [
            (each.state.removeprefix("meter."), each.source.line, each.after.text)
            for each in tick.changes
            if each.state.startswith("meter.") and each.source.construct != "new episode"
        ]
        for tick in made.ticks
    ]
    assert sum(map(len, ours)) > 80
    assert [sorted(tick) for tick in ours] == [sorted(tick) for tick in expected]
    # States are told one after the other where they do not depend on each other; of each the order is that of writes.
    for tick, writes in zip(ours, expected, strict=True):
        for meter in {each[0] for each in tick}:
            assert [each for each in tick if each[0] == meter] == [each for each in writes if each[0] == meter]
    assert made.differs is None


@pytest.mark.parametrize(
    ("name", "agents"),
    [
        ("gallery/moss", 3),
        ("gallery/wolves", 3),
        ("gallery/reputation", 4),
        ("ports/deep_sea", 1),
        ("gallery/lessons", 2),
    ],
)
def test_changes_lead_from_each_state_to_the_next(name: str, agents: int) -> None:
    """Cells, roles, pairs, totals of agents on cells and new episodes: nothing is left out."""
    made, _ = trace_of(UNIVERSES / f"{name}.hamlet", 40, agents)
    now: dict[str, str] = {}
    changes = 0
    for tick in made.ticks:
        for each in tick.changes:
            assert now.get(each.state, each.before.bits or each.before.text) == (each.before.bits or each.before.text)
            now[each.state] = each.after.bits or each.after.text
            assert each.source.construct
            changes += 1
    assert changes > 20
    assert made.differs is None


def test_what_is_set_keeps_what_changed_before(tmp_path: Path) -> None:
    path = tmp_path / "shop.hamlet"
    path.write_text(SHOP)
    made, _ = trace_of(path, 30)
    constructs = {each.source.construct for tick in made.ticks for each in tick.changes}
    assert {"rule remembers", "affordance Work", "cascade poverty_saddens", "meter money decay", "clock"} <= constructs
    work = [
        (each.state, each.source.text.strip())
        for tick in made.ticks
        for each in tick.changes
        if each.source.construct == "affordance Work"
    ]
    assert set(work) == {("meter.money", "money += wage"), ("meter.cheer", "cheer -= 0.05")}
    text = "\n".join(lines(made, ["money"]))
    assert "money" in text
    assert "cheer" not in text
    assert text.endswith("30 of 30 ticks: the program leaves every bit that shop.hamlet@interpreter left")


def test_hidden_states_are_of_what_looks_back(tmp_path: Path) -> None:
    """What they keep is computed once, for whatever needs it first: here for `needs money >= 0.2`."""
    path = tmp_path / "shop.hamlet"
    looks = ("reward 1 when rising(money >= 0.2)", "reward since(money >= 0.2, 9)")
    path.write_text(SHOP.replace("reward cheer + best", "\n".join((*looks, "reward cheer + best"))))
    made, _ = trace_of(path, 30)
    kept = {
        (each.state, each.source.construct, each.source.text.strip())
        for tick in made.ticks
        for each in tick.changes
        if "tick" in each.state and each.source.construct != "new episode"
    }
    assert kept == {
        ("meter.money >= 0.2, 1 tick ago", "rising(money >= 0.2)", looks[0]),
        ("meter.ticks since money >= 0.2", "since(money >= 0.2, 9)", looks[1]),
    }


class Wrong(Interpreter):
    """An interpreter that adds a little to a meter in tick 7."""

    def step(
        self, buffers: Buffers, actions: torch.Tensor, stream: Stream, statistics: Statistics | None = None
    ) -> None:
        super().step(buffers, actions, stream, statistics)
        if stream.tick == 7:
            buffers.state["meters"][0, 0] += 1e-7


def test_a_backend_that_departs_is_told_from_the_program(tmp_path: Path) -> None:
    path = tmp_path / "shop.hamlet"
    path.write_text(SHOP)
    universe = opened(path, tmp_path / "unused")
    side = universe.side("interpreter")
    wrong = replace(side, candidate=Candidate(Wrong(universe.universe, CPU), CPU))
    made = traced(course_of(wrong, 20), 0, wrong)
    assert made.differs == (7, "meters")
    assert "tick 7" in list(lines(made))[-1]


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(hamletc, arguments)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.hamlet").write_text(SHOP)
    return tmp_path


@pytest.mark.usefixtures("shop")
def test_backends_episodes_and_runs_have_one_table() -> None:
    arguments = ("--world", "2", "--ticks", "12", "--seed", "9", "--json")
    by_interpreter, by_program = (run("trace", f"shop.hamlet@{name}", *arguments) for name in ("interpreter", "ir"))
    assert by_interpreter.exit_code == by_program.exit_code == 0, by_interpreter.output
    first, second = json.loads(by_interpreter.stdout), json.loads(by_program.stdout)
    assert first["equal"]
    assert second["equal"]
    assert first["ticks"] == second["ticks"]
    assert run("record", "shop.hamlet", "-o", "one.episode", "--world", "2", "--seed", "9").exit_code == 0
    episode = json.loads(run("trace", "one.episode@interpreter", "--ticks", "12", "--json").stdout)
    bare = [{**each, "changes": [{**change, "text": ""} for change in each["changes"]]} for each in first["ticks"]]
    assert episode["ticks"] == bare
    assert run("record", "shop.hamlet", "-o", "run.npz", "--worlds", "3", "--ticks", "20").exit_code == 0
    recorded = run("trace", "run.npz", "--world", "2", "--ticks", "20")
    assert recorded.exit_code == 0, recorded.output
    assert "20 of 20 ticks" in recorded.output


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--agent", "1"), "error: there is no agent 1: world 0 has agent 0 alone"),
        (("--agents", "3", "--agent", "3"), "error: there is no agent 3: world 0 has agents 0 .. 2"),
        (("--state", "mony"), "error: there is no state mony: did you mean money?"),
        (("--param", "wage=2"), "error: --param wage: 2 is outside of its bounds, 0 .. 1"),
    ],
)
@pytest.mark.usefixtures("shop")
def test_lanes_and_states_that_do_not_exist(arguments: tuple[str, ...], line: str) -> None:
    done = run("trace", "shop.hamlet@interpreter", "--ticks", "2", *arguments)
    assert done.exit_code == 1
    assert done.output.startswith(line), done.output
    assert done.output.count("\n") == 1


@pytest.mark.usefixtures("shop")
def test_a_world_that_was_not_recorded() -> None:
    assert run("record", "shop.hamlet", "-o", "run.npz", "--worlds", "3", "--ticks", "4").exit_code == 0
    assert "there is no world 3: the run has worlds 0 .. 2" in run("trace", "run.npz", "--world", "3").output
    assert run("record", "shop.hamlet", "-o", "one.episode", "--world", "2").exit_code == 0
    assert (
        "there is no world 4: one.episode is an episode of world 2"
        in run("trace", "one.episode", "--world", "4").output
    )


def test_pictures(shop: Path) -> None:
    for name in ("trace.svg", "trace.png"):
        done = run("trace", "shop.hamlet@interpreter", "--ticks", "10", "-o", name)
        assert done.exit_code == 0, done.output
        first = (shop / name).read_bytes()
        run("trace", "shop.hamlet@interpreter", "--ticks", "10", "-o", name)
        assert first == (shop / name).read_bytes()
    assert (
        "affordance Work" in (shop / "trace.svg").read_text() or "meter money decay" in (shop / "trace.svg").read_text()
    )
    assert run("trace", "shop.hamlet", "-o", "trace.pdf").exit_code == 2
