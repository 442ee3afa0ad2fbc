"""Rings around agents on small cells: few agents are found by them, many would be hidden."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import hamlet
from hamlet.package.module import Module
from hamlet_look.sheet import HALO

MEADOW = """
universe meadow
space grid 60 x 60 { starts anywhere }
lifespan 9 ticks
reward nothing
observe { position relative }
"""


@pytest.mark.parametrize(("agents", "ringed"), [(1, True), (8, True), (9, False)])
def test_few_agents_have_rings(compiled: Callable[[str], Module], agents: int, ringed: bool) -> None:
    env = hamlet.make(compiled(MEADOW), worlds=1, agents=agents, seed=1, backend="interpreter", quiet=True)
    picture = np.asarray(env.render("rgb_array"))
    assert bool((picture == HALO).all(axis=-1).any()) == ringed
