"""A backend that keeps a history of what it runs: around another one, which pays nothing where nobody keeps any."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from hamlet.backend.buffers import Buffers, Statistics
from hamlet.backend.protocol import (
    NOTHING_BY_TICK,
    Backend,
    ByTick,
    Checking,
    NetworkPolicy,
    Policy,
    RecordedPolicy,
    Stream,
)
from hamlet.env.keep.history import Drawn, History
from hamlet.env.keep.state import TICK_LIMIT

STEERED = "controls"


class Keeping:
    """A backend around another one, which keeps a history of one state. Buffers with other states pass through.

    Attributes:
        inner: what runs the ticks.
        history: of the state.
    """

    def __init__(self, inner: Backend, buffers: Buffers, history: History) -> None:
        self.name, self.origin = inner.name, inner.origin
        self.inner, self.history = inner, history
        self._buffers, self._state = buffers, buffers.state
        # What is given for each tick is written down with it.
        self._watched = tuple(values for name, values in self._state.items() if name != STEERED)
        self._steered = {STEERED: self._state[STEERED].unsqueeze(0)} if STEERED in self._state else NOTHING_BY_TICK
        self._bytes = history.bytes_of(False, self._steered)
        self._versions = -1

    def around(self, inner: Backend) -> Keeping:
        """The same history, of what another backend goes on with."""
        return Keeping(inner, self._buffers, self.history)

    def reset(self, buffers: Buffers, stream: Stream, worlds: Tensor | None = None) -> None:
        """See `Backend`."""
        self.inner.reset(buffers, stream, worlds)
        self._touched(buffers)

    def observe(self, buffers: Buffers) -> None:
        """See `Backend`; whoever asks for it may have written the state."""
        self.inner.observe(buffers)
        self._touched(buffers)

    def step(self, buffers: Buffers, actions: Tensor, stream: Stream, statistics: Statistics | None = None) -> None:
        """See `Backend`."""
        mine = buffers.state is self._state
        if mine:
            self._before(stream, self._bytes)
        self.inner.step(buffers, actions, stream, statistics)
        if mine:
            self._stepped(stream, actions)

    def step_in_range(
        self,
        buffers: Buffers,
        actions: Tensor,
        seed: int,
        tick: int,
        count: int,
        statistics: Statistics | None = None,
        controls: Tensor | None = None,
    ) -> bool:
        """See `Checking`; around backends that do not look at ranges, too, since controls are written after the state
        is kept."""
        inner, now, mine = self.inner, Stream(seed, tick), buffers.state is self._state
        if mine:
            self._before(now, self._bytes)
        if isinstance(inner, Checking):
            ran = inner.step_in_range(buffers, actions, seed, tick, count, statistics, controls)
        else:
            ran = not count or bool(((actions >= 0) & (actions < count)).all())
            if ran and controls is not None:
                buffers.state[STEERED].copy_(controls)
            if ran:
                inner.step(buffers, actions.to(torch.int32), now, statistics)
        if mine and ran:
            self._stepped(now, actions)
        return ran

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
        """See `Backend`; a launch for the ticks between two states that are kept."""
        if buffers.state is not self._state:
            self.inner.rollout(buffers, ticks, policy, stream, observe_every_tick, statistics, by_tick)
            return
        watching = observe_every_tick or isinstance(policy, NetworkPolicy)
        unseen = buffers if watching else replace(buffers, observation=None)
        size, first = self.history.bytes_of(isinstance(policy, Drawn), by_tick), 0
        while first < ticks:
            now = Stream(stream.seed, (stream.tick + first) % TICK_LIMIT)
            count = min(self._before(now, size), ticks - first)
            part, actions = self._part(policy, first, count)
            rows = {name: values[first : first + count] for name, values in by_tick.items()}
            seen = buffers if first + count == ticks else unseen
            self.inner.rollout(seen, count, part, now, observe_every_tick, statistics, rows)
            for name, values in rows.items():
                self._state[name].copy_(values[-1])
            self._ran(now, count, actions, rows)
            first += count

    def _part(self, policy: Policy, first: int, count: int) -> tuple[Policy, Drawn | Tensor]:
        """The policy of some ticks, and what the history has of their actions."""
        match policy:
            case RecordedPolicy(actions=actions):
                return RecordedPolicy(actions[first:]), actions[first : first + count]
            case NetworkPolicy():
                store = policy.store.part(first, count)
                if store.actions is None:
                    lanes, device = self._buffers.shape.lanes, self._buffers.mask.device
                    store = replace(store, actions=torch.empty((count, lanes), dtype=torch.int32, device=device))
                assert store.actions is not None
                return replace(policy, store=store), store.actions
            case _:
                return policy, policy

    def _before(self, now: Stream, size: int) -> int:
        """The ticks until the next state that is kept, of so many bytes each."""
        return self.history.before(self._state, now, self._versions != self._written(), size)

    def _stepped(self, now: Stream, actions: Tensor) -> None:
        self._ran(now, 1, actions.unsqueeze(0), self._steered)

    def _ran(self, now: Stream, ticks: int, actions: Drawn | Tensor, rows: ByTick) -> None:
        self.history.ran(now, ticks, actions, rows)
        self._versions = self._written()

    def _touched(self, buffers: Buffers) -> None:
        if buffers.state is self._state:
            self._versions = -1

    def _written(self) -> int:
        """A number that grows with every write of torch into the state."""
        return sum(values._version for values in self._watched)
