"""Heads of networks by machine code have the interpreter's bits."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import Literal

import pytest
import torch

from hamlet.backend.recall import Recall
from hamlet.interpreter.networks import evaluate, evaluate_remembering
from hamlet.launch.cpu.heads import Heads
from hamlet.policies.mlp import MLP
from unit.env.test_env_memory import network_that_remembers

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="this machine has no compiler of C")


@pytest.mark.parametrize(
    ("inputs", "hidden", "lanes", "activation"),
    [
        (150, (64, 33), 75, "relu"),
        (150, (64, 33), 75, "tanh"),
        (90, (64, 64), 75, "tanh"),
        (90, (40, 17), 75, "tanh"),
        (33, (7,), 40, "tanh"),
        (1, (64,), 3, "relu"),
    ],
)
def test_inputs_that_are_zero_change_nothing(
    inputs: int, hidden: tuple[int, ...], lanes: int, activation: Literal["relu", "tanh"]
) -> None:
    """Of lanes that are computed together and of those that are left over, with more heads than a vector has."""
    policy = MLP.random(inputs, 40, hidden=hidden, activation=activation, seed=3)
    policy.biases[0].copy_(torch.linspace(-0.2, 0.3, hidden[0]))
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(inputs, lanes, generator=generator)
    x[torch.rand(inputs, lanes, generator=generator) < 0.7] = 0.0
    x[:, 1], x[:, 2] = 0.0, -0.0
    prepared = policy.prepared()
    wanted = evaluate(prepared, x)
    assert torch.equal(Heads(prepared, lanes).of(x).contiguous().view(torch.int32), wanted.view(torch.int32))
    assert wanted.std() > 0


def test_heads_of_what_is_remembered() -> None:
    """Of lanes that have not acted yet, of some whose episode begins, and where much stays as it was."""
    lanes, prepared = 75, network_that_remembers(40, 6).prepared()
    generator = torch.Generator().manual_seed(1)
    x, before = (torch.randn(40, lanes, generator=generator) for _ in range(2))
    before = torch.where(torch.rand(x.shape, generator=generator) < 0.7, x, before)
    acted = torch.randint(-1, 6, (lanes,), generator=generator, dtype=torch.int32)
    recall = Recall(torch.randn(32, lanes, generator=generator), before, acted)
    age = torch.arange(lanes, dtype=torch.int32) % 4
    rows, hidden = Heads(prepared, lanes).remembering(x, recall, age)
    expected = evaluate_remembering(replace(prepared, recall=recall), x, age)
    for ours, wanted in zip((rows, hidden), expected, strict=True):
        assert torch.equal(ours.contiguous().view(torch.int32), wanted.contiguous().view(torch.int32))
    assert rows.std() > 0
