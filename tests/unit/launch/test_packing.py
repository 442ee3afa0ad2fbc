"""Weights of a network as players of rollouts take them, packed once for all launches of a rollout."""

from __future__ import annotations

import torch

from hamlet.launch.cpu.packed import Packing, packed, without_value
from hamlet.launch.cpu.player import Player
from hamlet.policies.mlp import MLP


def unplayed(*_given: object) -> None:
    raise AssertionError("nothing is played here")


PLAYER = Player(wide=8, room=0, play=unplayed)


def network() -> MLP:
    generator = torch.Generator().manual_seed(1)
    sizes = ((5, 4), (3, 5))
    weights = [torch.randn(2, *size, generator=generator) for size in sizes]
    biases = [torch.randn(2, size[0], generator=generator) for size in sizes]
    return MLP(weights, biases, value=True)


def test_launches_of_one_rollout_pack_once() -> None:
    packing, prepared = Packing(), network().prepared()
    first, size = packing.of(prepared, True, PLAYER)
    assert packing.of(prepared, True, PLAYER)[0] is first
    whole, whole_size = packed(prepared, PLAYER)
    assert size == whole_size
    assert (first == whole).all()


def test_what_a_rollout_prepares_is_packed_anew() -> None:
    """Also where its weights lie where those of the rollout before lay: somebody may have learnt in between."""
    packing, learning = Packing(), network()
    before = packing.of(learning.prepared(), True, PLAYER)[0].copy()
    learning.weights[0].mul_(2)
    after, _ = packing.of(learning.prepared(), True, PLAYER)
    assert (after == packed(learning.prepared(), PLAYER)[0]).all()
    assert (after != before).any()


def test_the_row_of_the_value_comes_and_goes() -> None:
    packing, prepared = Packing(), network().prepared()
    for valued in (True, False, False, True):
        made, _ = packing.of(prepared, valued, PLAYER)
        expected = packed(prepared if valued else without_value(prepared), PLAYER)[0]
        assert len(made) == len(expected)
        assert (made == expected).all()
