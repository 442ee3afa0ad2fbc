"""Networks that read large values: no sum may overflow, so what is larger has smaller weights."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import hamlet
from hamlet import MLP
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet.policies.mlp import MOST_WEIGHT, beyond

RICH = """
universe rich
space none
lifespan 40 ticks
meter cheer = 1 { decay 0.01 }
meter money = 0 in 0 .. 16777216
action WORK { money += 100000  cheer -= 0.02 }
action REST { cheer += 0.03 }
reward cheer
observe { meters }
"""
"""Money of up to 2**24."""


def test_values_and_weights_go_together() -> None:
    reach = torch.tensor([1.0, 2.0**24, 2.0**100])
    weights = torch.zeros(4, 3)
    assert beyond(weights, reach).tolist() == [False, False, False]
    weights[1] = torch.tensor([MOST_WEIGHT, 2.0**16, -(2.0**-60)])
    assert beyond(weights, reach).tolist() == [False, False, False]
    weights[2] = torch.tensor([0.0, 2.0**16 + 1, -(2.0**-59)])
    assert beyond(weights, reach).tolist() == [False, True, True]
    assert beyond(torch.stack([torch.zeros(4, 3), weights]), reach).tolist() == [False, True, True]
    remembering = torch.cat([torch.zeros(4, 3), weights, torch.full((4, 5), MOST_WEIGHT)], dim=1)
    assert beyond(remembering, reach).tolist() == [False, True, True]


def test_small_weights_read_large_values_on_each_backend(compiled: Callable[[str], Module]) -> None:
    module, digests = compiled(RICH), set()
    policy = MLP.random(2, 4, hidden=(8,), seed=3)
    policy.weights[0][:, 1] *= 2.0**-20
    for backend in ("interpreter", "c"):
        env = hamlet.make(module, worlds=16, backend=backend, quiet=True, seed=4)
        env.reset()
        env.rollout(30, policy)
        digests.add(env.digest())
        assert float(env.meter("money").max()) > 2.0**20
    assert len(digests) == 1


def test_large_weights_do_not(compiled: Callable[[str], Module]) -> None:
    env = hamlet.make(compiled(RICH), worlds=16, backend="interpreter", quiet=True)
    policy = MLP.random(2, 4, hidden=(8,), seed=3)
    policy.weights[0][2, 1] = 2.0**17
    with pytest.raises(
        EnvError, match=r"^meter\.money lies in 0\.0 \.\. 16777216\.0: an MLP reads values of at most 2"
    ):
        env.rollout(1, policy)
