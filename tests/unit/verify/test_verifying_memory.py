"""Policies with a memory are compared from the beginning of a rollout on; a side that forgets is found in its tick."""

from __future__ import annotations

from bisect import bisect_left

import torch

from hamlet.backend.buffers import Buffers, Shape, Statistics
from hamlet.backend.protocol import NOTHING_BY_TICK, ByTick, NetworkPolicy, Policy, Stream
from hamlet.interpreter import Interpreter
from hamlet.universe import Universe
from hamlet_lab.divergence.events import CPU, Candidate, Reset, Rollout, later, ticks_of
from hamlet_lab.divergence.locate import locate
from hamlet_lab.divergence.session import Parting, Scenario, Session, Side
from hamlet_lab.verify.fired import counting
from samples import sample
from unit.env.test_env_memory import network_that_remembers
from unit.verify.test_verifying import Faulty

KEPT, TICKS = 3, 12


class Forgetful(Faulty):
    """Forgets in every rollout once, after `KEPT` ticks."""

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
        assert not by_tick
        first = min(ticks, KEPT)
        self.inner.rollout(buffers, first, policy, stream, observe_every_tick, statistics)
        if ticks > first:
            assert isinstance(policy, NetworkPolicy)
            forgets = policy.beginning(buffers.shape.lanes, CPU)
            rest = later(stream, first)
            self.inner.rollout(buffers, ticks - first, forgets, rest, observe_every_tick, statistics)


def parted(universe: Universe, other: Candidate, ticks: int = TICKS) -> Parting | None:
    """Where a rollout of a network that remembers parts from the interpreter's."""
    left = Candidate(Interpreter(universe, CPU), CPU)
    sides = [Side(name, universe, each) for name, each in (("left", left), ("right", other))]
    scenario = Scenario("memory", Shape(40, 1), Stream(3, 0), torch.float32)
    session = Session(sides[0], sides[1:], scenario, counting(universe))
    assert session.run(Reset()) is None
    seen = session.reference.observation
    assert seen is not None
    network = network_that_remembers(len(seen), len(session.reference.mask), seed=2)
    return session.run(Rollout(ticks, network.prepared(), True))


def test_a_side_that_forgets_is_found_in_its_tick() -> None:
    universe = sample("first_meal")
    assert parted(universe, Candidate(Interpreter(universe, CPU), CPU)) is None
    forgets = Candidate(Forgetful(universe, 0, lambda _buffers, _statistics: None), CPU)
    parting = parted(universe, forgets)
    assert parting is not None
    # Whatever parts in fewer ticks does in more.
    shorter = range(1, TICKS)
    first = 1 + bisect_left(shorter, True, key=lambda ticks: parted(universe, forgets, ticks) is not None)
    assert parted(universe, forgets, first - 1) is None
    assert first > KEPT
    assert ticks_of(parting.left.event) == first
    assert locate(parting).tick == first - 1
