"""A question of the kind `what if`: an agent, a tick, what is changed in it, and how long both worlds are followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import NOTHING_BY_TICK, RandomPolicy, Stream
from hamlet_lab.divergence.events import Runner
from hamlet_lab.divergence.session import Side
from hamlet_lab.whatif.alteration import Alteration

LONGEST_LAUNCH = 1 << 16


@dataclass(frozen=True, slots=True)
class Start:
    """The start of worlds: what runs them, the seed of all randomness, and params of all worlds."""

    side: Side
    seed: int
    params: Mapping[str, float]

    def after(self, tick: int, shape: Shape) -> Runner:
        """Worlds after so many ticks of random actions."""
        runner = Runner(self.side.universe, self.side.candidate, shape)
        rows = [param.name for param in self.side.universe.params]
        for name, value in self.params.items():
            runner.buffers.state["params"][rows.index(name)] = value
        backend = self.side.candidate.backend
        backend.reset(runner.buffers, Stream(self.seed, 0))
        for begin in range(0, tick, LONGEST_LAUNCH):
            count = min(LONGEST_LAUNCH, tick - begin)
            stream = Stream(self.seed, begin)
            backend.rollout(runner.buffers, count, RandomPolicy(), stream, False, None, NOTHING_BY_TICK)
        return runner


@dataclass(frozen=True, slots=True)
class Question:
    """A change, and what it is asked of.

    Attributes:
        start: of the worlds.
        agent: that is changed, of its world.
        alteration: the change.
        tick, ticks: when, and for how many ticks both are followed.
    """

    start: Start
    agent: int
    alteration: Alteration
    tick: int
    ticks: int

    def begun(self, shape: Shape) -> Runner:
        """Worlds before the tick."""
        return self.start.after(self.tick, shape)
