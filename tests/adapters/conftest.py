"""Universes of which the tests of adapters make worlds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from hamlet.package.module import Module

STALL = """
universe stall
space grid 3 x 3
lifespan 9 ticks { reward 1.0 }
clock 5 hours
param noise = 0 in 0 .. 1
param haste = 1 in 0.5 .. 3
meter food = uniform(0.2, 1.0) { decay 0.1 * haste + noise * uniform(0, 0.05) }
world { meter snow = 0  rule falls: snow += 0.01 }
affordance Stall at random open 1 .. 4 { instantly { food += 0.3 } }
dies when food <= 0
reward food + 0.1 * snow
report hunger: 1 - food
observe { grid  meters  time  lifetime }
"""
"""Short episodes; draws at their beginning, in every tick where noise is above 0; a clock, a world, a report."""


@pytest.fixture(scope="session")
def stall(compiled: Callable[[str], Module]) -> Module:
    return compiled(STALL)


@pytest.fixture(scope="session")
def by_hand(compiled: Callable[[str], Module]) -> Module:
    """The same, in worlds that do not start anew by themselves."""
    return compiled(STALL.replace("universe stall", "universe by_hand\nepisodes by hand"))


ADAPTERS = {
    "hamlet_gym.Env": (),
    "hamlet_gym.VectorEnv": (2,),
    "hamlet_pettingzoo.ParallelEnv": (),
    "hamlet_sb3.VecEnv": (2,),
    "hamlet_torchrl.TorchRLEnv": (2,),
    "hamlet_rsl_rl.VecEnv": (2,),
}
"""The classes, and what they take before the universe."""


@pytest.fixture(params=ADAPTERS)
def adapted(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Makes an environment of each adapter, of a module and arguments of `hamlet.make`."""
    package, _, name = request.param.partition(".")
    for needed, other in (("hamlet_torchrl", "torchrl"), ("hamlet_rsl_rl", "rsl_rl")):
        if package == needed:
            pytest.importorskip(other, reason=f"hamletc[{other}] is not installed")
    made = getattr(import_module(package), name)
    return lambda module, **given: made(*ADAPTERS[request.param], module, **given)


@pytest.fixture
def first() -> Callable[[Any], Any]:
    """The observations with which an environment begins, an array."""

    def of(env: Any) -> Any:
        begun = env.reset()
        if isinstance(begun, tuple):
            begun = begun[0]
        if isinstance(begun, Mapping) and not hasattr(begun, "batch_size"):
            return np.stack(list(begun.values()))
        for name in ("observation", "policy"):
            if hasattr(begun, "batch_size") and name in begun:
                return begun[name].numpy()
        return begun

    return of
