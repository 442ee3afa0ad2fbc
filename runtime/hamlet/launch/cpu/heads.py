"""The heads of a network by machine code, outside of a rollout: for networks whose actions are drawn elsewhere."""

from __future__ import annotations

from ctypes import byref, c_int64

import numpy as np
import torch

from hamlet.backend.protocol import NetworkPolicy
from hamlet.launch.cpu.by_hand import beside, network_struct, player, view
from hamlet.launch.cpu.memory import Array
from hamlet.launch.cpu.packed import packed, sizes
from hamlet.launch.cpu.player import RELU, TANH, WIDTH, Network
from hamlet.launch.cpu.playing import aligned, flags_of

HEADS = "hamlet_heads"
MOST_HIDDEN = 2
NO_AGENTS = np.zeros(0, np.int64)


def reaches(policy: NetworkPolicy) -> bool:
    """Whether machine code has room for the hidden layers of a network."""
    hidden = [bias.shape[1] for _, bias in policy.layers[:-1]]
    return len(hidden) <= MOST_HIDDEN and max(hidden) <= WIDTH


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
        self._function = loaded[HEADS]
        self._function.restype = None

    def of(self, observation: torch.Tensor) -> torch.Tensor:
        """[rows, lanes] f32 of an observation [values, lanes] f32, in memory that the next call writes again."""
        self._x[:, : self._lanes] = observation.detach().numpy()
        self._function(*map(byref, self._passed), c_int64(self._lanes))
        rows: Array = self._heads[: self._rows, : self._lanes]
        return torch.from_numpy(rows)
