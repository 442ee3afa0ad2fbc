"""Lanes that have to be asked: those of which a condition holds that they show alone, in kernels and by the bits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import hamlet
from hamlet.package.module import Module
from hamletc.compile import lower
from hamletc.targets.c.speaking import conditions_of_speakers
from samples import universe_of

CROWD = """
universe crowd
space grid 9 x 9 {{ starts anywhere }}
lifespan 40 ticks
role person: 21 agents
meter ill = 1 when chance(0.3)
meter calm = uniform(0, 1)
action REST {{ calm += 0.1 }}
rule heals: chance(0.1) -> ill = 0
rule tires: calm -= 0.02
{}
reward calm - ill
observe {{ meters  position relative }}
"""
BOTH = """rule catches: chance(0.1 * count(apart <= 2 and ill == 1)) -> ill = 1
rule follows: calm += 0.01 * nearest(calm > 0.9 and action == REST, calm, 0.5)"""


@pytest.mark.parametrize(
    ("rules", "conditions"),
    [
        (BOTH, 2),
        ("rule catches: chance(0.1 * count(apart <= 2 and ill == 1)) -> ill = 1", 1),
        ("rule crowd: calm -= 0.01 * count(apart <= 2 and other)", 0),
        ("rule crowd: calm -= 0.01 * count(apart <= 2 and (ill == 1 or other))", 0),
        (f"{BOTH}\nrule crowd: calm -= 0.01 * count(apart <= 2)", 0),
        ("rule moved: calm += 0.01 * total(ill when (apart <= 2 and ill == 1))", 0),
    ],
)
def test_what_speakers_show(rules: str, conditions: int) -> None:
    program = lower(universe_of(CROWD.format(rules))).program
    assert len(conditions_of_speakers(program, "tick")) == conditions


def test_who_is_not_asked_adds_nothing(compiled: Callable[[str], Module]) -> None:
    module = compiled(CROWD.format(BOTH))
    envs = [hamlet.make(module, worlds=5, seed=3, backend=name) for name in ("interpreter", "c")]
    for _ in range(25):
        actions = torch.randint(0, envs[0].num_actions, (envs[0].num_lanes,))
        one, other = (env.step(actions) for env in envs)
        for left, right in zip(one[:2], other[:2], strict=True):
            assert torch.equal(left, right)
        assert 0 < float(envs[0].meter("ill").sum()) < envs[0].num_lanes
