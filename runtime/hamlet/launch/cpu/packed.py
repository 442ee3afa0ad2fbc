"""The weights of networks in the order in which machine code reads them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from hamlet.backend.protocol import NetworkPolicy
from hamlet.launch.cpu.memory import Array
from hamlet.launch.cpu.player import Player


def packed(policy: NetworkPolicy, player: Player) -> tuple[Array, int]:
    """The weights of all members, f32, and how many each has.

    For each layer, the gates of a memory behind the first one, and for as many outputs as the player computes at once
    (`Player.wide`): the biases, then for each input the weights of these outputs. Outputs that there are not have
    zeros.
    """
    layers = [*policy.layers]
    if policy.gates is not None:
        layers.insert(1, policy.gates)
    members = [_layer(weight, bias, player.wide) for weight, bias in layers]
    result = torch.cat(members, dim=1)
    return result.numpy().reshape(-1), result.shape[1]


class Packing:
    """The packed weights of the network that was played last. A rollout is many launches, and a large population takes
    longer to pack than to play a tick; what a rollout prepares has layers of its own, which nothing changes."""

    __slots__ = ("_layers", "_made", "_valued")

    def __init__(self) -> None:
        self._layers: object = None
        self._valued = False
        self._made: tuple[Array, int] | None = None

    def of(self, policy: NetworkPolicy, valued: bool, player: Player) -> tuple[Array, int]:
        """`packed` weights, those of the value left out unless the network is `valued`."""
        if self._made is None or self._layers is not policy.layers or self._valued != valued:
            self._made = packed(policy if valued or not policy.value else without_value(policy), player)
            self._layers, self._valued = policy.layers, valued
        return self._made


def without_value(policy: NetworkPolicy) -> NetworkPolicy:
    """The same network without the row of the heads that nobody asks for."""
    *hidden, (weight, bias) = policy.layers
    return replace(policy, layers=(*hidden, (weight[:, :-1], bias[:, :-1])), value=False)


def _layer(weight: torch.Tensor, bias: torch.Tensor, width: int) -> torch.Tensor:
    """[members, numbers] of a layer: weight [members, outputs, inputs], bias [members, outputs]."""
    members, outputs, inputs = weight.shape
    rows = -(-outputs // width) * width
    both = torch.zeros(members, rows, inputs + 1)
    both[:, :outputs, 0] = bias
    both[:, :outputs, 1:] = weight
    return both.view(members, -1, width, inputs + 1).transpose(2, 3).reshape(members, -1)


def sizes(policy: NetworkPolicy) -> Array:
    """The inputs of a network, then the outputs of each layer, i64."""
    return np.array([policy.inputs, *(bias.shape[1] for _, bias in policy.layers)], np.int64)
