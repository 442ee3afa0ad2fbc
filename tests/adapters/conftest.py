"""Universes of which the tests of adapters make worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

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
