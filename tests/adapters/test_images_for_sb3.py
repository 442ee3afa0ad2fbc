"""Images train in Stable-Baselines3 as its own do: bytes and float32 with CnnPolicy, groups with MultiInputPolicy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.torch_layers import CombinedExtractor, NatureCNN

from hamlet.package.module import Module
from hamlet_sb3 import VecEnv

MEADOW = """
universe {name}
space grid 36 x 36
lifespan 20 ticks
meter energy = 1 {{ decay 0.01 }}
cells {{ state ground: bare grass flower = choice(bare, grass, flower)  rule grows: chance(0.01) -> ground = grass }}
action GRAZE {{ energy += 0.1 }}
affordance Bed at (3, 4) {{ instantly {{ energy += 0.2 }} }}
reward energy
observe {{ {groups} }}
"""
Compiled = Callable[[str], Module]


def learned(module: Module, policy: str, **settings: object) -> PPO:
    """A policy after two updates."""
    env = VecEnv(2, module, backend="c", seed=1)
    model = PPO(
        policy, env, n_steps=8, batch_size=8, n_epochs=1, seed=0, device="cpu",
        policy_kwargs={"net_arch": [8], **settings},
    )  # fmt: skip
    before = [weights.clone() for weights in model.policy.parameters()]
    model.learn(32)
    assert any(not torch.equal(one, other) for one, other in zip(before, model.policy.parameters(), strict=True))
    return model


def test_a_lone_image_of_bytes_is_one_for_the_cnn(compiled: Compiled) -> None:
    module = compiled(MEADOW.format(name="bytes", groups="image board int { grid of ground  grid }"))
    model = learned(module, "CnnPolicy")
    assert is_image_space(model.observation_space)
    assert isinstance(model.policy.features_extractor, NatureCNN)
    assert model.observation_space.dtype == np.uint8
    seen = model.env.reset()
    assert seen.shape == (2, 2, 36, 36)
    assert set(np.unique(seen[:, 0])) == {0, 1, 2}
    assert seen[:, 1].sum(axis=(1, 2)).tolist() == [2, 2]
    assert (seen[:, 1, 4, 3] >= 1).all()


def test_a_lone_image_of_real_numbers_is_one_that_is_normalised(compiled: Compiled) -> None:
    module = compiled(MEADOW.format(name="reals", groups="image board { hot grid of ground }"))
    model = learned(module, "CnnPolicy", normalize_images=False)
    assert isinstance(model.policy.features_extractor, NatureCNN)
    assert model.observation_space.dtype == np.float32
    assert model.observation_space.shape == (3, 36, 36)


@pytest.mark.parametrize("whole", [" int", ""])
def test_groups_have_an_extractor_each(compiled: Compiled, whole: str) -> None:
    groups = f"image board{whole} {{ grid of ground }}  group body {{ meters }}"
    groups += "  group place discrete { position absolute }"
    module = compiled(MEADOW.format(name=f"groups{whole.strip()}", groups=groups))
    model = learned(module, "MultiInputPolicy")
    extractor = model.policy.features_extractor
    assert isinstance(extractor, CombinedExtractor)
    assert isinstance(extractor.extractors["board"], NatureCNN) == bool(whole)
    assert set(extractor.extractors) == {"board", "body", "place"}
