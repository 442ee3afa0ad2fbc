"""Two runs are followed to the tick in which they part."""

from __future__ import annotations

import torch
from faults import TOY, universe_of

from hamlet.backend.buffers import Buffers, Shape, Statistics
from hamlet.backend.protocol import NOTHING_BY_TICK, ByTick, Policy, RandomPolicy, Stream
from hamlet.interpreter import Interpreter
from hamlet_lab.divergence.events import CPU, Reset, Rollout
from hamlet_lab.divergence.session import Scenario, Session, Side
from hamlet_lab.verify import Candidate
from hamlet_lab.verify.fired import counting

UNIVERSE = universe_of(TOY)
TICKS, WRONG = 61, 37


class Faulty(Interpreter):
    """Goes wrong in one tick: by itself, or only where ticks before it ran in the same launch."""

    launched = 0

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
        super().rollout(buffers, ticks, policy, stream, observe_every_tick, statistics, by_tick)
        Faulty.launched += ticks
        if stream.tick <= WRONG < stream.tick + ticks and self._wrong(ticks):
            buffers.state["meters"][1, 5] = 0.25

    def _wrong(self, ticks: int) -> bool:
        return ticks > 0


class FaultyAfterOthers(Faulty):
    def _wrong(self, ticks: int) -> bool:
        return ticks > 1


def parting(faulty: Interpreter) -> tuple[int, int]:
    """The tick after which the interpreter and a faulty one part, and the ticks of the event."""
    sides = (Interpreter(UNIVERSE, CPU), faulty)
    left, right = (Side("", UNIVERSE, Candidate(backend, CPU)) for backend in sides)
    scenario = Scenario("rollout", Shape(9, 1), Stream(3, 0), torch.float32)
    session = Session(left, [right], scenario, counting(UNIVERSE))
    assert session.run(Reset()) is None
    found = session.run(Rollout(TICKS, RandomPolicy(), False))
    assert found is not None
    event = found.left.event
    assert isinstance(event, Rollout)
    before = [outcome.before.state["meters"] for outcome in (found.left, found.right)]
    assert torch.equal(*before)
    assert found.difference.array == "meters"
    return found.tick, event.ticks


def test_rollouts_are_bisected() -> None:
    Faulty.launched = 0
    assert parting(Faulty(UNIVERSE, CPU)) == (WRONG, 1)
    assert Faulty.launched < 3 * TICKS


def test_a_tick_that_goes_wrong_only_after_others() -> None:
    tick, ticks = parting(FaultyAfterOthers(UNIVERSE, CPU))
    assert ticks > 1
    assert tick <= WRONG < tick + ticks
