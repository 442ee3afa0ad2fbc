"""The verifier finds faults that were put in on purpose, says where they are, and refuses empty comparisons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from hamlet.backend.buffers import Buffers, Statistics
from hamlet.backend.protocol import NOTHING_BY_TICK, ByTick, Policy, Stream
from hamlet.interpreter import Interpreter, Trace
from hamlet.universe import Universe
from hamlet_lab.divergence.arrays import bits
from hamlet_lab.divergence.record import SourceLine
from hamlet_lab.verify import Candidate, Effort, verify
from hamlet_lab.verify.fired import counting
from hamletc.compile import check
from hamletc.language.source import Source
from hamletc.read import parsed
from samples import CONSTRUCTS, NAMES, sample
from samples.by_hand import CPU, Player

TINY = Effort(worlds=13, ticks=9, rounds=24)
Fault = Callable[[Buffers, Statistics | None], None]


class Faulty:
    """An interpreter that does something wrong in one tick."""

    name = "faulty"

    def __init__(self, universe: Universe, tick: int, fault: Fault) -> None:
        self.inner = Interpreter(universe, CPU)
        self.ticks = 0
        self.tick = tick
        self.fault = fault

    def reset(self, buffers: Buffers, stream: Stream, worlds: torch.Tensor | None = None) -> None:
        self.inner.reset(buffers, stream, worlds)

    def observe(self, buffers: Buffers) -> None:
        self.inner.observe(buffers)

    def step(
        self, buffers: Buffers, actions: torch.Tensor, stream: Stream, statistics: Statistics | None = None
    ) -> None:
        self.inner.step(buffers, actions, stream, statistics)
        self.ticks += 1
        if self.ticks == self.tick:
            self.fault(buffers, None)

    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: Policy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
        by_tick: ByTick = NOTHING_BY_TICK,
    ) -> None:
        self.inner.rollout(buffers, ticks, policy, stream, observe_every_tick, statistics, by_tick)


class FaultyRollout(Faulty):
    """Does something wrong at the end of every rollout of at least `tick` ticks."""

    def step(
        self, buffers: Buffers, actions: torch.Tensor, stream: Stream, statistics: Statistics | None = None
    ) -> None:
        self.inner.step(buffers, actions, stream, statistics)

    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: Policy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
        by_tick: ByTick = NOTHING_BY_TICK,
    ) -> None:
        self.inner.rollout(buffers, ticks, policy, stream, observe_every_tick, statistics, by_tick)
        if ticks >= self.tick:
            self.fault(buffers, statistics)


def one_ulp(field: str, row: int, lane: int) -> Fault:
    def fault(buffers: Buffers, _statistics: Statistics | None) -> None:
        values = (buffers.state | buffers.outcome)[field]
        values = values if values.dim() == 1 else values[row]
        values[lane] = torch.nextafter(values[lane], torch.tensor(9.0))

    return fault


def flip(field: str, lane: int) -> Fault:
    def fault(buffers: Buffers, _statistics: Statistics | None) -> None:
        arrays = buffers.state | buffers.outcome | {"mask": buffers.mask[2]}
        arrays[field][..., lane] = arrays[field][..., lane] ^ 1

    return fault


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=[pytest.mark.long] if name not in ("handled", "adrift", "nowhere") else [],
        )
        for name in (*NAMES[2:], *CONSTRUCTS, "meadow")
    ],
)
def test_an_interpreter_equals_itself_and_everything_fires(name: str) -> None:
    effort = replace(TINY, ticks=4, rounds=80)
    report = verify(sample(name), [Candidate(Interpreter(sample(name), CPU), CPU)], effort)
    assert report.ok, report.render()
    assert report.compared > 20_000
    assert min(report.coverage.values()) > 0
    assert "equal in all" in report.render()


def test_one_ulp_in_a_meter_is_found_and_placed() -> None:
    world = sample("first_meal")
    report = verify(world, [Candidate(Faulty(world, 7, one_ulp("meters", 1, 5)), CPU)], TINY)
    found = report.divergence
    assert not report.ok
    assert found is not None
    assert (found.tick, found.field, found.row, found.world, found.agent) == (6, "meters", "mood", 5, 0)
    assert int(found.found.bits, 16) == int(found.expected.bits, 16) + 1
    assert found.more == 0
    assert SourceLine("cascade hunger_saddens", "first_meal.hamlet", 11) in found.writers
    assert any("mood: decay" in write.source.construct for write in found.writes)
    text = report.render()
    assert "tick 6" in text
    assert "meters mood, world 5, agent 0, action" in text
    assert found.expected.bits in text


@pytest.mark.parametrize(
    "field", ["position", "age", "alive", "episode", "layout", "used", "cause", "truncated", "mask"]
)
def test_every_array_is_compared(field: str) -> None:
    world = sample("town")
    report = verify(world, [Candidate(Faulty(world, 4, flip(field, 3)), CPU)], TINY)
    assert report.divergence is not None
    assert (report.divergence.field, report.divergence.tick, report.divergence.world) == (field, 3, 3)
    assert report.divergence.writers


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("handled", "last"),
        ("handled", "streaks"),
        ("handled", "seen"),
        ("handled", "inputs"),
        ("handled", "reports"),
        ("adrift", "used_at"),
        ("adrift", "velocity"),
        ("adrift", "places"),
        ("vast", "places"),
    ],
)
def test_every_array_of_other_universes_is_compared(name: str, field: str) -> None:
    world = sample(name)
    lane = 3

    def fault(buffers: Buffers, _statistics: Statistics | None) -> None:
        values = (buffers.state | buffers.outcome)[field]
        row = values if values.dim() == 1 else values[-1]
        row = row.view(torch.int32) if row.dtype is torch.float32 else row
        row[lane] = row[lane] ^ 1

    report = verify(world, [Candidate(Faulty(world, 4, fault), CPU)], TINY)
    assert report.divergence is not None
    assert (report.divergence.field, report.divergence.tick, report.divergence.world) == (field, 3, lane)
    assert report.divergence.writers or field == "inputs"


@pytest.mark.parametrize("field", ["reward", "episode_return"])
def test_one_ulp_in_a_reward(field: str) -> None:
    world = sample("town")
    report = verify(world, [Candidate(Faulty(world, 4, one_ulp(field, 0, 2)), CPU)], TINY)
    assert report.divergence is not None
    assert report.divergence.field == field
    assert any("reward" in writer.construct for writer in report.divergence.writers)


@pytest.mark.parametrize("array", ["observation", "final_observation"])
def test_observations_are_compared(array: str) -> None:
    def fault(buffers: Buffers, _statistics: Statistics | None) -> None:
        getattr(buffers, array)[1, 2] += 1

    world = sample("first_meal")
    report = verify(world, [Candidate(Faulty(world, 2, fault), CPU)], TINY)
    assert report.divergence is not None
    assert (report.divergence.field, report.divergence.row) == (array, "grid[1,0]")


def test_all_that_differs_is_counted() -> None:
    """The first difference is that in the first array, in the first of its lanes."""

    def fault(buffers: Buffers, _statistics: Statistics | None) -> None:
        buffers.state["meters"][:, 7:9] += 1
        buffers.outcome["reward"][2] += 1
        buffers.state["age"][5] += 1

    world = sample("first_meal")
    found = verify(world, [Candidate(Faulty(world, 4, fault), CPU)], TINY).divergence
    assert found is not None
    assert (found.field, found.world) == ("age", 5)
    assert found.more == 2 * len(world.meters) + 1
    assert f"  more   {found.more} other values differ after this event" in found.lines()


def test_the_tick_of_a_rollout_is_found() -> None:
    """A rollout that is wrong from its fifth tick on, and only there."""

    def fault(buffers: Buffers, statistics: Statistics | None) -> None:
        oldest = int((buffers.state["age"] * buffers.state["alive"]).argmax())
        one_ulp("meters", 0, oldest)(buffers, statistics)

    world = sample("bounce")
    report = verify(world, [Candidate(FaultyRollout(world, 5, fault), CPU)], TINY)
    found = report.divergence
    assert found is not None
    assert found.tick == 4
    assert "rollout of 9 ticks" in found.event
    assert found.event.endswith("; only after others in a launch of 5")
    assert any("fuel" in write.source.construct for write in found.writes)


@pytest.mark.parametrize("field", ["uses", "lengths", "finished_return"])
def test_statistics_are_compared(field: str) -> None:
    def fault(_buffers: Buffers, statistics: Statistics | None) -> None:
        assert statistics is not None
        getattr(statistics, field)[1] += 1

    world = sample("bounce")
    report = verify(world, [Candidate(FaultyRollout(world, 1, fault), CPU)], TINY)
    assert report.divergence is not None
    assert report.divergence.field == field


def test_comparing_nothing_is_a_failure() -> None:
    report = verify(sample("first_meal"), [], Effort(3, 1, 8))
    assert report.equal
    assert not report.ok
    assert "nothing was compared" in report.render()


def test_a_universe_with_one_action_is_compared() -> None:
    """Tables of probabilities are among the policies that play it."""
    text = (
        "universe one space none lifespan 9 ticks meter a = 0 { decay -0.1 } actions WAIT reward a observe { meters }"
    )
    universe = check(parsed(Source(Path("one.hamlet"), text))).universe
    report = verify(universe, [Candidate(Interpreter(universe, CPU), CPU)], TINY)
    assert report.ok, report.render()


def test_what_never_fired_is_named() -> None:
    world = sample("town")
    report = verify(world, [Candidate(Interpreter(world, CPU), CPU)], Effort(2, 1, 1))
    assert report.equal
    assert not report.ok
    assert report.never_fired
    for name in report.never_fired:
        assert f"never fired, so not verified: {name}" in report.render()


def test_a_nan_is_a_nan_and_zeros_differ() -> None:
    words = torch.tensor([0x7FC00000, 0x7F800001, -4194304, 0, -0x80000000], dtype=torch.int32)
    assert bits(words.view(torch.float32)).tolist() == [0x7FC00000] * 3 + [0, -0x80000000]


def test_a_trace_has_every_write_in_order() -> None:
    world = sample("town")
    trace = Trace(1, 0)
    player = Player(world, worlds=2, trace=trace).do("RIGHT")
    constructs = [write.construct for write in trace.writes if write.meter == "energy"]
    assert constructs == ["meter energy: move", "meter energy: decay"]
    assert trace.writes[-1].construct == "rule unfit_bodies_sicken"
    assert trace.writes[-1].value == player.meter("health")[1]


def test_coverage_counts_lanes() -> None:
    world = sample("first_meal")
    player = Player(world, worlds=4).set("meters", [0.2, 0.2, 0.9, 0.01], 0).do("WAIT")
    assert player.coverage.counts["cascade hunger_saddens"] == 3
    assert player.coverage.counts["dies when satiation <= 0"] == 1
    assert player.coverage.counts["new episode"] == 1
    assert "cascade hunger_saddens" not in player.coverage.never_fired
    assert counting(world).never_fired == tuple(counting(world).counts)
