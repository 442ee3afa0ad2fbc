"""The heads of a network by machine code, outside of a rollout: for networks whose actions are drawn elsewhere."""

from __future__ import annotations

from ctypes import byref, c_int64

import numpy as np
import torch

from hamlet.backend.protocol import NetworkPolicy
from hamlet.backend.recall import Recall
from hamlet.launch.cpu.by_hand import beside, network_struct, player, recalling_struct, view
from hamlet.launch.cpu.memory import Array
from hamlet.launch.cpu.packed import packed, sizes
from hamlet.launch.cpu.player import RELU, TANH, WIDTH, Network, Recalling
from hamlet.launch.cpu.playing import aligned, flags_of

HEADS, REMEMBERING = "hamlet_heads", "hamlet_heads_remembering"
MOST_HIDDEN = 2
WHOLE = 32
"""Memories, and the layer before them, are multiples of this."""
NO_AGENTS = np.zeros(0, np.int64)


def reaches(policy: NetworkPolicy) -> bool:
    """Whether machine code has room for the hidden layers of a network, and for its memory."""
    hidden = [bias.shape[1] for _, bias in policy.layers[:-1]]
    small = len(hidden) <= MOST_HIDDEN and max(hidden) <= WIDTH
    if policy.gates is None:
        return small
    whole = hidden[0] % WHOLE == policy.remembers % WHOLE == 0 and policy.remembers <= WIDTH
    return small and whole and len(hidden) == MOST_HIDDEN and policy.activation == "tanh"


class Heads:
    """The heads of a network without members for so many lanes, with the bits of a rollout."""

    def __init__(self, policy: NetworkPolicy, lanes: int) -> None:
        loaded = beside()
        made = player(loaded)
        weights, size = packed(policy, made)
        activation = TANH if policy.activation == "tanh" else RELU
        self._network = Network(weights, size, sizes(policy), lanes, activation, 0, NO_AGENTS)
        self._lanes, self._rows = lanes, int(self._network.sizes[-1])
        pitch = lanes + made.wide
        self._x = aligned((policy.inputs, pitch), np.float32)
        self._heads = aligned((self._rows, pitch), np.float32)
        self._room = aligned((made.room,), np.float32), flags_of(policy.inputs, pitch)
        arrays = self._x, self._heads, *reversed(self._room)
        self._passed = network_struct(self._network), *map(view, arrays)
        self._function = loaded[HEADS if policy.gates is None else REMEMBERING]
        self._function.restype = None
        self._recalling: Recalling | None = None
        if policy.gates is not None:
            self._recalling = _recalling(policy, lanes, pitch)
            network, *others = self._passed
            self._passed = network, recalling_struct(self._recalling), *others

    def of(self, observation: torch.Tensor) -> torch.Tensor:
        """[rows, lanes] f32 of an observation [values, lanes] f32, in memory that the next call writes again."""
        self._x[: len(observation), : self._lanes] = observation.detach().numpy()
        self._function(*map(byref, self._passed), c_int64(self._lanes))
        rows: Array = self._heads[: self._rows, : self._lanes]
        return torch.from_numpy(rows)

    def remembering(
        self, observation: torch.Tensor, recall: Recall, age: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The same of a network with a memory, and what is remembered then, [numbers, lanes]; `age` [lanes] i32 is 0
        where an episode begins."""
        made = self._recalling
        assert made is not None, "it has a memory"
        made.own_hidden[:] = recall.hidden.T.numpy()
        made.own_before[:, : self._lanes] = recall.before.numpy()
        made.own_acted[0, : self._lanes] = recall.acted.numpy()
        made.age[0, : self._lanes] = age.numpy()
        rows = self.of(observation)
        return rows, torch.from_numpy(made.now).T


def _recalling(policy: NetworkPolicy, lanes: int, pitch: int) -> Recalling:
    """The arrays of a thread whose chunk is all lanes."""
    own, now = (aligned((lanes, policy.remembers), np.float32) for _ in range(2))
    before = aligned((policy.values, pitch), np.float32)
    acted, age = (aligned((1, pitch), np.int32) for _ in range(2))
    changed = flags_of(policy.values, pitch)
    return Recalling(own, before, acted, age, own, before, acted, now, changed)
