"""Buffers on another device lie in memory as they did: kernels take strides for granted."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.backend.buffers import Buffers, Shape, allocate
from hamlet.package.module import Module

FIRE = Path(__file__).parents[3] / "universes" / "gallery" / "forest_fire.hamlet"


@pytest.fixture(scope="module")
def fire(compiled: Callable[[str], Module]) -> Module:
    return compiled(FIRE.read_text(encoding="utf-8"))


def strides(buffers: Buffers) -> dict[str, tuple[int, ...]]:
    return {name: tensor.stride() for name, tensor in (buffers.state | buffers.outcome).items()}


def test_buffers_keep_their_strides_on_another_device(fire: Module) -> None:
    buffers = allocate(fire.universe, Shape(5, 1), torch.device("cpu"), torch.float32)
    cells = buffers.state["cell_meters"]
    assert cells.stride(1) > cells.shape[0]
    moved = buffers.moved(torch.device("meta"))
    assert strides(moved) == strides(buffers)
    assert {tensor.device.type for tensor in moved.tensors} == {"meta"}


def test_values_move_with_their_gaps(fire: Module) -> None:
    buffers = allocate(fire.universe, Shape(5, 1), torch.device("cpu"), None)
    buffers.state["cell_meters"].uniform_()
    # A copy of the whole memory, which is what another device is given.
    moved = copy.deepcopy(buffers).moved(torch.device("cpu"))
    assert torch.equal(moved.state["cell_meters"], buffers.state["cell_meters"])
    assert strides(moved) == strides(buffers)


def test_a_copy_of_an_environment_keeps_them(fire: Module) -> None:
    env = hamlet.make(fire, worlds=3, backend="interpreter", quiet=True)
    assert strides(copy.deepcopy(env)._buffers) == strides(env._buffers)
