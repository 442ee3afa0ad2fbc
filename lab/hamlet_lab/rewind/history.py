"""The history of a run: checkpoints that fit in so many bytes, and whatever lies between them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape
from hamlet.backend.protocol import NOTHING_BY_TICK, RandomPolicy, Stream
from hamlet.errors import EnvError
from hamlet_lab.divergence.events import CPU, Runner
from hamlet_lab.divergence.session import Side

MOST_BYTES = 64 << 20
"""The bytes that checkpoints take at most."""
SHORTEST = 256
"""Ticks between two checkpoints, at least: playing so many takes a launch."""

State = dict[str, Tensor]


@dataclass(slots=True)
class History:
    """A run of random actions, of which every tick of every world can be had.

    Attributes:
        every: ticks between two checkpoints.
        ticks: how many were run.
        checkpoints: the state of all worlds after 0, `every`, 2 `every`, ... ticks.
    """

    side: Side
    shape: Shape
    seed: int
    every: int = SHORTEST
    ticks: int = 0
    checkpoints: list[State] = field(default_factory=list)
    _places: list[int] = field(default_factory=list)

    @classmethod
    def run(
        cls,
        side: Side,
        shape: Shape,
        seed: int,
        ticks: int,
        most: int = MOST_BYTES,
        told: Callable[[int], None] = lambda _: None,
    ) -> History:
        """Run so many ticks, with as many checkpoints as fit in `most` bytes.

        Raises:
            EnvError: two checkpoints do not fit.
        """
        runner = Runner(side.universe, side.candidate, shape)
        side.candidate.backend.reset(runner.buffers, Stream(seed, 0))
        size = sum(values.numel() * values.element_size() for values in runner.buffers.state.values())
        room = most // size
        if room < 2:
            raise EnvError(f"{shape.worlds:,} worlds take {size:,} bytes: two checkpoints do not fit in {most:,}")
        history = cls(side, shape, seed, max(SHORTEST, -(-ticks // (room - 1))))
        history._keep(runner.buffers, 0)
        while history.ticks < ticks:
            count = min(history.every, ticks - history.ticks)
            _play(side, runner.buffers, seed, history.ticks, count)
            history.ticks += count
            history._keep(runner.buffers, history.ticks)
            told(count)
        return history

    @property
    def size(self) -> int:
        """The bytes of all checkpoints."""
        return sum(each.numel() * each.element_size() for state in self.checkpoints for each in state.values())

    def at(self, tick: int, world: int = 0) -> State:
        """The state of a world after so many ticks, fields of one world by name.

        Raises:
            EnvError: the run has no such tick or world.
        """
        return {name: values.to(CPU, copy=True) for name, values in self.runner(tick, world).buffers.state.items()}

    def runner(self, tick: int, world: int = 0) -> Runner:
        """A world by itself, as it is after so many ticks."""
        place = world - self.shape.first_world
        if not 0 <= place < self.shape.worlds:
            last = self.shape.first_world + self.shape.worlds - 1
            raise EnvError(f"there is no world {world}: the run has worlds {self.shape.first_world} .. {last}")
        if not 0 <= tick <= self.ticks:
            raise EnvError(f"there is no tick {tick}: the run has {self.ticks:,} ticks")
        number = bisect_right(self._places, tick) - 1
        begin, agents = self._places[number], self.shape.agents
        runner = Runner(self.side.universe, self.side.candidate, Shape(1, agents, world))
        for each in schema.state_fields(self.side.universe):
            columns = slice(place, place + 1) if each.per == "world" else slice(place * agents, (place + 1) * agents)
            runner.buffers.state[each.name].copy_(self.checkpoints[number][each.name][..., columns])
        _play(self.side, runner.buffers, self.seed, begin, tick - begin)
        return runner

    def _keep(self, buffers: Buffers, tick: int) -> None:
        self._places.append(tick)
        self.checkpoints.append({name: values.to(CPU, copy=True) for name, values in buffers.state.items()})


def _play(side: Side, buffers: Buffers, seed: int, tick: int, ticks: int) -> None:
    if ticks:
        now = Stream(seed, tick % (1 << 32))
        side.candidate.backend.rollout(buffers, ticks, RandomPolicy(), now, False, None, NOTHING_BY_TICK)


def equal(left: State, right: State) -> bool:
    """Whether two states have the same bits."""
    return left.keys() == right.keys() and all(torch.equal(_bits(left[name]), _bits(right[name])) for name in left)


def _bits(values: Tensor) -> Tensor:
    return values.contiguous().view(torch.int32) if values.dtype == torch.float32 else values
