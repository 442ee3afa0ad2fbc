"""Rollouts of networks: what a player is given (`hamlet.launch.cpu.player`), made of buffers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import NetworkPolicy, Stream
from hamlet.backend.storage import NAMES, OF_VALUES, Storage
from hamlet.launch.cpu.entry import LINE as BYTES
from hamlet.launch.cpu.entry import Entry, Value, shares_of
from hamlet.launch.cpu.kernels import SHORT, Kernels
from hamlet.launch.cpu.memory import Array, Arrays, array_of
from hamlet.launch.cpu.packed import Packing, sizes, without_value
from hamlet.launch.cpu.player import RELU, TANH, Frame, Network, Own, Player, Recalling, Stored, Worlds

MEMBERS = 1 << 19
"""Bytes of weights that a chunk of a population has, unless one member has more: what the second cache holds."""
LINE = 16
"""f32 in a cache line."""
FLAGS = 32
"""Inputs that have a bit in a word."""
TYPES = {"masks": np.bool_, "alive": np.bool_, "terminated": np.bool_, "truncated": np.bool_, "actions": np.int32}
"""Of what is stored; the others are f32."""


Kept: TypeAlias = "tuple[Entry, list[Value]]"


class Spare:
    """The arrays of threads that no launch has at present: to make them anew takes as long as some ticks."""

    __slots__ = ("_arrays",)

    def __init__(self) -> None:
        self._arrays: list[tuple[tuple[int, ...], Own]] = []

    def taken(self, sizes: tuple[int, ...]) -> Own | None:
        """Arrays of these sizes; those of others are forgotten. Threads may ask at once."""
        while True:
            try:
                made, own = self._arrays.pop()
            except IndexError:
                return None
            if made == sizes:
                return own

    def back(self, sizes: tuple[int, ...], own: Own) -> None:
        """Keep arrays for the next launch."""
        self._arrays.append((sizes, own))


class Playing:
    """What a rollout of a network needs beside the arguments of its kernel.

    Attributes:
        network, worlds, stored: for all threads.
        per_chunk: how many worlds are run together.
    """

    def __init__(
        self,
        player: Player,
        packing: Packing,
        spare: Spare,
        most: int,
        policy: NetworkPolicy,
        shape: Shape,
        arrays: Arrays,
        stream: Stream,
        by_hand: bool,
        observe: bool,
    ) -> None:
        """`packing` has the weights of the launch before, `spare` the arrays of its threads.

        Args:
            most: the lanes of a chunk of the kernel.
        """
        self._player, self._shape, self._spare = player, shape, spare
        valued = policy.value and any(name in policy.store.tensors for name in OF_VALUES)
        weights, size = packing.of(policy, valued, player)
        if policy.value and not valued:
            policy = without_value(policy)
        lanes = 1 if policy.of_agents else shape.lanes // policy.members
        activation = TANH if policy.activation == "tanh" else RELU
        of_agents = np.array(policy.of_agents, np.int64)
        self.network = Network(weights, size, sizes(policy), lanes, activation, int(policy.sample), of_agents)
        self.worlds = _worlds(shape, arrays, stream, by_hand, observe)
        self.stored = _stored(policy.store, shape.lanes)
        together = most if policy.of_agents else max(MEMBERS // (4 * size), 1) * lanes
        self.per_chunk = max(min(most, together) // shape.agents, 1)
        self._lanes = self.per_chunk * shape.agents
        self._pitch = _pitch(self._lanes + player.wide)
        self._recall, self._age = policy.recall, arrays["age"]

    @contextmanager
    def own(self) -> Iterator[Own]:
        """The arrays of a thread."""
        rows, actions, heads = len(self.worlds.observation), len(self.worlds.mask), int(self.network.sizes[-1])
        sizes = rows, actions, heads, self._lanes, max(self._player.room, actions * self._player.wide)
        own = self._spare.taken(sizes) or self._made(*sizes)
        yield own
        self._spare.back(sizes, own)

    def _made(self, rows: int, actions: int, heads: int, lanes: int, room: int) -> Own:
        pitch = self._pitch
        return Own(
            aligned((rows, pitch), np.float32),
            aligned((lanes, rows), np.float32),
            aligned((rows, pitch), np.float32),
            aligned((actions, pitch), np.bool_),
            aligned((heads, pitch), np.float32),
            aligned((heads, pitch), np.float32),
            aligned((1, pitch), np.int32),
            aligned((1, pitch), np.float32),
            aligned((room,), np.float32),
            flags_of(rows, pitch),
            aligned((4, pitch), np.uint32),
        )

    def recalling(self) -> Recalling | None:
        """The memory of lanes, with arrays of a thread; `None` of a network without a memory."""
        recall = self._recall
        if recall is None:
            return None
        hidden, before, acted = (array_of(each) for each in (recall.hidden, recall.before, recall.acted))
        own, now = (aligned((self._lanes, len(hidden)), np.float32) for _ in range(2))
        seen, last = aligned((len(before), self._pitch), np.float32), aligned((1, self._pitch), np.int32)
        changed = flags_of(len(before), self._pitch)
        return Recalling(hidden, before, acted.reshape(1, -1), self._age, own, seen, last, now, changed)

    def frame(self, kernels: Kernels, values: Mapping[str, Value], own: Own, ticks: int) -> tuple[Frame, Kept]:
        """How to call a kernel with these arguments by name, and what keeps their memory and machine code."""
        shares = shares_of([(0, 0)])
        known = {
            **values,
            "observation": own.observation,
            "final_observation": own.final,
            "mask": own.mask,
            "actions": own.action,
            "shares": shares,
        }
        arguments = list(known.values())
        entry = kernels.entry(arguments, self._shape.lanes * ticks > SHORT)
        place = dict(zip(known, entry.places, strict=True))
        layouts = known.get("layouts")
        stored = isinstance(layouts, np.ndarray) and len(layouts) > 0
        frame = Frame(
            entry.address,
            np.array(entry.table(arguments), np.int64),
            observation=place["observation"],
            final=place["final_observation"],
            mask=place["mask"],
            actions=place["actions"],
            worlds=place["worlds"],
            tick=place["tick"],
            ticks=place["ticks"],
            known=place["known"] if stored else -1,
            given=_given(place, known, ticks),
            shares=shares,
        )
        return frame, (entry, arguments)


def aligned(shape: tuple[int, ...], dtype: type[Any]) -> Array:
    """Zeros whose memory begins a cache line: vectors that lie across two lines take twice as long."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    memory = np.zeros(size + BYTES, np.uint8)
    first = -memory.ctypes.data % BYTES
    begun: Array = memory[first : first + size].view(dtype).reshape(shape)
    return begun


def flags_of(inputs: int, pitch: int) -> Array:
    """A bit for each input of lanes, in rows."""
    return aligned((-(-inputs // FLAGS), pitch), np.uint32)


def _given(place: dict[str, int], known: Mapping[str, Value], ticks: int) -> Array:
    """The arrays that are given for each tick, see `Frame`."""
    rows = []
    for name, array in known.items():
        if name.startswith("given_") and isinstance(array, np.ndarray) and array.size:
            rows.append([place[name], array.ctypes.data, array.nbytes // ticks])
    return np.array(rows, np.int64).reshape(-1, 3)


def _worlds(shape: Shape, arrays: Arrays, stream: Stream, by_hand: bool, observe: bool) -> Worlds:
    final = arrays["final_observation"]
    return Worlds(
        shape.worlds,
        shape.agents,
        shape.first_world,
        int(by_hand or shape.waits),
        stream.low,
        stream.high,
        stream.tick,
        arrays["observation"],
        final if observe else final[:0],
        *(arrays[name] for name in ("mask", "alive", "reward", "terminated", "truncated")),
    )


def _stored(store: Storage, lanes: int) -> Stored:
    """What is stored, each [rows, lanes]."""
    empty: Arrays = {name: np.zeros((0, lanes), TYPES.get(name, np.float32)) for name in NAMES}
    kept = {name: array_of(tensor.reshape(-1, lanes)) for name, tensor in store.tensors.items()}
    return Stored(**(empty | kept))


def _pitch(lanes: int) -> int:
    """Numbers from one row to the next, an odd number of cache lines: rows do not compete for the same places."""
    lines = -(-lanes // LINE)
    return (lines | 1) * LINE
