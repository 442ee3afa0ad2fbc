"""The controls that a policy draws, against an implementation of Philox that shares nothing with hamlet's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from plain_philox import draw_word

import hamlet
from hamlet.package.module import Module
from samples.rink import RINK

AGENTS, LANES, FIRST = 3, 12, 7


@pytest.mark.parametrize("policy", ["random", "table"])
def test_a_policy_without_controls_draws_them_uniformly(compiled: Callable[[str], Module], policy: str) -> None:
    module = compiled(RINK)
    env = hamlet.make(
        module, worlds=LANES // AGENTS, agents=AGENTS, first_world=FIRST, backend="interpreter", seed=3, quiet=True
    )
    held, wait = env.state["controls"].clone(), env.action_names.index("WAIT")
    env.rollout(3, policy if policy == "random" else env.tabular(torch.tensor(wait), []))
    lived = env.state["age"] > 0
    assert lived.any()
    for name, row in (("felt", 0), ("spare", 4)):
        control = module.universe.controls[row]
        words = [draw_word(3, FIRST * AGENTS + lane, 2, row, stream=5) for lane in range(LANES)]
        shares = np.array([word >> 8 for word in words], np.float32) * np.float32(2.0**-24)
        low, high = np.float32(control.low), np.float32(control.high)
        expected = torch.from_numpy(low + shares * (high - low))
        assert torch.equal(env.reports[name][lived], expected[lived])
    assert torch.equal(env.state["controls"], held)


SHOP = """
universe drawn_whole
space none
lifespan 12 ticks
control order: int in 0 .. 100
control shift: int in -3 .. 3
meter stock = 1 { decay 0.01  only falls }
reward stock
report ordered: order
report shifted: shift
observe { meters }
"""


@pytest.mark.parametrize("backend", ["interpreter", "c"])
@pytest.mark.parametrize("policy", ["random", "table"])
def test_whole_controls_are_drawn_among_whole_numbers(
    compiled: Callable[[str], Module], backend: str, policy: str
) -> None:
    env = hamlet.make(compiled(SHOP), worlds=LANES, first_world=FIRST, backend=backend, seed=3, quiet=True)
    env.rollout(3, policy if policy == "random" else env.tabular(torch.tensor(0), []))
    for row, (name, low, high) in enumerate((("ordered", 0, 100), ("shifted", -3, 3))):
        words = [draw_word(3, FIRST + lane, 2, row, stream=5) for lane in range(LANES)]
        expected = [float(low + (word * (high - low + 1) >> 32)) for word in words]
        assert env.reports[name].tolist() == expected
