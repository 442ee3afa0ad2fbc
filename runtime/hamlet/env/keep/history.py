"""The history of a run: the state of all worlds at some ticks, and what acted between them, in so many bytes.

A state is a function of the one before, of seed and actions, and draws are numbered by lane and tick. So one world is
played on by itself from the last state that was kept, with the bits that it had among the others (docs/exactness.md).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import DTYPES, Buffers, Shape, allocate
from hamlet.backend.protocol import Backend, ByTick, RandomPolicy, RecordedPolicy, Stream, TabularPolicy
from hamlet.env.keep.episode import bits_of
from hamlet.errors import EnvError
from hamlet.universe import Universe

SHORTEST = 64
"""Ticks between two states that are kept, at first: the interpreter plays so many in a tenth of a second."""
FAST: Mapping[str, int] = MappingProxyType({"c": 512, "triton": 512})
"""The same of kernels, which take as long as that to be launched."""
OBJECT = 256
"""Bytes that a state or a span takes beside its contents, at most."""
PART = 8
"""The part of all bytes that what is written down between two states takes at most."""
BY_TICK = attrgetter("tick")

Drawn: TypeAlias = RandomPolicy | TabularPolicy
"""Policies whose actions follow from the state, so that nobody has to keep them."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The state of all worlds before a tick.

    Attributes:
        free: whether the ticks before lead to it, so that it may be left out.
        content: its fields, one behind the other.
    """

    tick: int
    free: bool
    content: bytes

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return len(self.content) + OBJECT


@dataclass(slots=True)
class Span:
    """Consecutive ticks with actions of one kind.

    Attributes:
        tick, ticks: the first one, and how many they are.
        policy: what drew the actions; `None` where they are written down.
        actions: [ticks, lanes] of as few bytes as they need.
        rows: f32, by the name of a field that was given for each tick, [ticks, rows, lanes].
    """

    tick: int
    ticks: int
    policy: Drawn | None
    actions: bytearray = field(default_factory=bytearray)
    rows: dict[str, bytearray] = field(default_factory=dict)

    @property
    def end(self) -> int:
        """The tick behind the last one."""
        return self.tick + self.ticks

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return len(self.actions) + sum(map(len, self.rows.values())) + OBJECT


class History:
    """A history of worlds, from which any tick of any world can be had.

    Attributes:
        every: ticks between two states that are kept; doubled where they take too many bytes.
        size: the bytes that everything takes.
        marks: the states that are kept.
        seed: of the random numbers.
    """

    def __init__(self, universe: Universe, shape: Shape, backend: str, most: int) -> None:
        """A history that takes `most` bytes, of what a backend of this name plays.

        Raises:
            EnvError: two states of these worlds take more.
        """
        self._shortest = FAST.get(backend, SHORTEST)
        self.every, self.size, self.seed = self._shortest, 0, 0
        self._universe, self._shape, self._most = universe, shape, most
        self.marks: list[Mark] = []
        self._spans: list[Span] = []
        self._fields = tuple(schema.state_fields(universe))
        self._type = np.min_scalar_type(max(len(schema.action_names(universe)) - 1, 0))
        self._since = 0
        content = sum(DTYPES[each.dtype].itemsize * np.prod(self._size_of(each)) for each in self._fields)
        if 2 * (content + OBJECT) > most:
            raise EnvError(f"{shape.worlds:,} worlds take {content:,} bytes: two states do not fit in {most:,}")

    @property
    def end(self) -> int:
        """The tick behind the last one."""
        return self._spans[-1].end if self._spans else self.marks[-1].tick if self.marks else 0

    def bytes_of(self, drawn: bool, rows: ByTick) -> int:
        """The bytes that a tick takes whose actions are drawn or not, and for which fields were given."""
        written = 0 if drawn else self._shape.lanes * self._type.itemsize
        return written + sum(4 * each[0].numel() for each in rows.values())

    def before(self, state: Mapping[str, Tensor], now: Stream, changed: bool, tick: int) -> int:
        """Keep the state if it has to be, and give the number of ticks until the next one that has to.

        Args:
            state: of all worlds.
            now: of the next tick.
            changed: whether something else than ticks wrote the state.
            tick: the bytes that each of the next ticks takes.
        """
        begun = bool(self.marks)
        if begun and (now.seed != self.seed or now.tick < self.end):
            self.marks, self._spans, self.every, self.size = [], [], self._shortest, 0
            begun = False
        self.seed = now.seed
        leads = begun and now.tick == self.end and not changed
        most = self._most // PART
        if not leads or now.tick - self.marks[-1].tick >= self.every or self._since + tick > most:
            if begun and self.marks[-1].tick == now.tick:
                self.size -= self.marks.pop().size
            mark = Mark(now.tick, leads, b"".join(bits_of(state[each.name]) for each in self._fields))
            self.marks.append(mark)
            self.size += mark.size
            self._since = 0
            self._fit()
        left = self.every - (now.tick - self.marks[-1].tick)
        return min(left, max((most - self._since) // tick, 1)) if tick else left

    def ran(self, now: Stream, ticks: int, policy: Drawn | Tensor, rows: ByTick) -> None:
        """Note that so many ticks were run from a state that `before` has seen.

        Args:
            now: of the first one.
            ticks: their number.
            policy: what drew their actions, or these, [ticks, lanes].
            rows: what was given for each tick.
        """
        span = self._open(now.tick, None if isinstance(policy, Tensor) else policy, rows)
        before = span.size
        span.ticks += ticks
        if isinstance(policy, Tensor):
            span.actions += policy.detach().to("cpu").numpy().astype(self._type).tobytes()
        for name, values in rows.items():
            span.rows[name] += bits_of(values)
        self.size += span.size - before
        self._since += span.size - before
        self._fit()

    def restored(self, backend: Backend, device: torch.device, tick: int, place: int) -> Buffers:
        """The world at a place among them by itself, as it was before a tick, which observes in f32; what it sees is
        not computed yet.

        Args:
            backend: what plays it on.
            device: of the backend.
            tick: its number.
            place: 0 for the first world.

        Raises:
            EnvError: the history has no such tick.
        """
        agents = self._shape.agents
        shape = replace(self._shape, worlds=1, first_world=self._shape.first_world + place)
        mark, parts = self._way(tick)
        buffers = allocate(self._universe, shape, device, torch.float32)
        lanes = slice(place * agents, (place + 1) * agents)
        for each, values in self._unpacked(mark.content):
            columns = slice(place, place + 1) if each.per == "world" else lanes
            buffers.state[each.name].copy_(values[..., columns])
        for first, count, span in parts:
            policy, rows = self._part(span, first - span.tick, count, lanes, device)
            backend.rollout(buffers, count, policy, Stream(self.seed, first), False, None, rows)
            for name, values in rows.items():
                buffers.state[name].copy_(values[-1])
        return buffers

    def _way(self, tick: int) -> tuple[Mark, list[tuple[int, int, Span]]]:
        """The last state before a tick, and the ticks from there on: the first, the count, and their span.

        Raises:
            EnvError: nothing leads to the tick.
        """
        if not self.marks:
            raise EnvError(f"there is no tick {tick}: nothing has been run since the history is kept")
        if not self.marks[0].tick <= tick <= self.end:
            raise EnvError(f"there is no tick {tick}: the history has ticks {self.marks[0].tick:,} .. {self.end:,}")
        mark = self.marks[bisect_right(self.marks, tick, key=BY_TICK) - 1]
        now, parts = mark.tick, list[tuple[int, int, Span]]()
        for span in self._spans[max(bisect_right(self._spans, now, key=BY_TICK) - 1, 0) :]:
            if span.tick > now or now == tick:
                break
            count = min(span.end, tick) - now
            if count > 0:
                parts.append((now, count, span))
                now += count
        if now < tick:
            raise EnvError(
                f"tick {tick} is not in the history: what ran ticks {now:,} and later was a graph, torch.compile, a "
                "loaded checkpoint or an adapter that was made before"
            )
        return mark, parts

    def _open(self, tick: int, policy: Drawn | None, rows: ByTick) -> Span:
        """A span that goes on with a tick."""
        last = self._spans[-1] if self._spans else None
        if last is not None and last.end == tick and last.rows.keys() == rows.keys():
            same = policy is last.policy or (isinstance(policy, RandomPolicy) and isinstance(last.policy, RandomPolicy))
            # What is written down is cut where states are kept, so that it can be forgotten with them.
            if same and (last.tick >= self.marks[-1].tick or not (policy is None or rows)):
                return last
        new = Span(tick, 0, policy, rows={name: bytearray() for name in rows})
        self._spans.append(new)
        self.size += new.size
        return new

    def _fit(self) -> None:
        """Leave states out, then forget the oldest ticks, until everything fits."""
        while self.size > self._most and len(self.marks) > 1:
            states = sum(mark.size for mark in self.marks)
            if not (2 * states > self._most and self._thinned()):
                self._forget(self.marks[1].tick)

    def _thinned(self) -> bool:
        """Leave out states until they are twice as far apart; gives whether there was any."""
        self.every *= 2
        left = self.marks[:1]
        for mark in self.marks[1:]:
            if not mark.free or mark.tick - left[-1].tick >= self.every:
                left.append(mark)
        fewer = len(left) < len(self.marks)
        self.size -= sum(mark.size for mark in self.marks) - sum(mark.size for mark in left)
        self.marks = left
        return fewer

    def _forget(self, tick: int) -> None:
        """Forget what was before a tick."""
        self.size -= sum(mark.size for mark in self.marks if mark.tick < tick)
        self.marks = [mark for mark in self.marks if mark.tick >= tick]
        self.size -= sum(span.size for span in self._spans if span.end <= tick)
        self._spans = [span for span in self._spans if span.end > tick]

    def _size_of(self, each: schema.Field) -> tuple[int, ...]:
        count = self._shape.worlds if each.per == "world" else self._shape.lanes
        return (count,) if each.rows is None else (len(each.rows), count)

    def _unpacked(self, content: bytes) -> Iterator[tuple[schema.Field, Tensor]]:
        begin = 0
        for each in self._fields:
            size, dtype = self._size_of(each), DTYPES[each.dtype]
            length = int(np.prod(size)) * dtype.itemsize
            if length:
                # A tensor of memory that nobody may write brings a warning.
                yield each, torch.frombuffer(bytearray(content[begin : begin + length]), dtype=dtype).view(size)
            begin += length

    def _part(
        self, span: Span, first: int, count: int, lanes: slice, device: torch.device
    ) -> tuple[Drawn | RecordedPolicy, dict[str, Tensor]]:
        """The actions of some ticks of a span for some lanes, and what was given for each of these ticks."""
        where = slice(first, first + count)

        def of(content: bytearray, dtype: np.dtype[np.generic] | type[np.float32]) -> Tensor:
            values = np.frombuffer(content, dtype).reshape(span.ticks, -1, self._shape.lanes)[where, :, lanes]
            return torch.from_numpy(values.astype(np.float32 if dtype is np.float32 else np.int32)).to(device)

        rows = {name: of(content, np.float32) for name, content in span.rows.items()}
        return span.policy or RecordedPolicy(of(span.actions, self._type)[:, 0].contiguous()), rows
