"""HAMLET's environment class on compiled packs: its surface, and what its engine does beyond a tick."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from vectorized import PACKS, ROOT, all_do, compiled, made, number

import hamlet
from hamlet import schema
from hamlet.errors import EnvError, ModuleError
from hamlet.package.module import Module
from hamlet_townlet.adapter import VectorizedEnv


@pytest.mark.parametrize("name", ["greenhouse", "night_market", "office", "orchard", "tesseract", "tower"])
def test_the_surface(name: str, packages: Path) -> None:
    env = made(name, packages)
    axes = len(schema.axes(env.module.universe))
    dtype = torch.float32 if name == "orchard" else torch.int64
    observation = env.reset()
    for _ in range(3):
        masks = env.get_action_masks()
        observation, rewards, dones, info = env.step(torch.randint(0, env.action_dim, (4,)))
        assert (masks.shape, masks.dtype) == ((4, env.action_dim), torch.bool)
        assert (observation.shape, observation.dtype) == ((4, env.observation_dim), torch.float32)
        assert (rewards.shape, rewards.dtype) == ((4,), torch.float32)
        assert (dones.shape, dones.dtype) == ((4,), torch.bool)
        assert set(info) == {"step_counts", "positions", "successful_interactions"}
    assert info["step_counts"].tolist() == [3] * 4
    assert (env.positions.shape, env.positions.dtype) == ((4, axes), dtype)
    assert torch.equal(info["positions"], env.positions)
    assert (env.meters.shape, env.meters.dtype) == ((4, env.meter_count), torch.float32)
    assert env.streaks.shape == (4, len(env.affordance_names))
    assert torch.equal(rewards, env.r_extrinsic + env.r_intrinsic + env.r_shaping)
    assert torch.equal(env.observe(), observation)
    assert set(env.affordances) <= set(env.affordance_names)
    assert all(position.shape == (axes,) for position in env.affordances.values())
    for values in (env.interaction_progress, env.last_interaction_affordance, env.last_affordance, env.unique_count):
        assert (values.shape, values.dtype) == ((4,), torch.int64)
    assert (env.last_interaction_position.shape, env.last_interaction_position.dtype) == ((4, axes), dtype)


def test_it_opens_folders(packages: Path) -> None:
    module = compiled("greenhouse", packages)
    from_package = VectorizedEnv(module.path, 2, "cpu", backend="interpreter")
    assert from_package.description == VectorizedEnv(module, 2, backend="interpreter").description
    from_pack = VectorizedEnv(PACKS / "greenhouse", 2, torch.device("cpu"), backend="interpreter")
    assert from_pack.description == from_package.description
    assert torch.equal(from_pack.reset(), from_package.reset())


def test_a_universe_of_ones_own(tmp_path: Path) -> None:
    source = tmp_path / "hut.hamlet"
    text = """universe hut
space grid 3 x 3 { places stored }
lifespan 5 ticks { reward 1 }
episodes by hand
param depletion = 1 in 0 .. 10
input intrinsic_raw = 0 in -1 .. 1
meter energy = 1 { decay 0.1 * depletion }
affordance Bed at random { instantly { energy += 0.3 } }
dies when energy <= 0
reward extrinsic: energy
reward intrinsic: intrinsic_raw * 0.5
observe { meters energy }
"""
    source.write_text(text)
    env = VectorizedEnv(hamlet.compile(source, tmp_path / "hut"), 2, backend="interpreter")
    env.reset()
    _, rewards, _, _ = env.step(all_do(env, "WAIT"), 2.0)
    left = torch.ones(2) - torch.full((2,), 0.1) * 2.0
    assert torch.equal(env.meters.flatten(), left)
    assert torch.equal(rewards, left)
    assert env.affordance_names == ["Bed"]


def test_a_universe_that_begins_by_itself(tmp_path: Path) -> None:
    module = hamlet.compile(ROOT / "universes" / "first_meal.hamlet", tmp_path / "first_meal")
    with pytest.raises(EnvError, match="first_meal starts episodes by itself: write `episodes by hand` in it"):
        VectorizedEnv(module, 1, backend="interpreter")


def test_a_damaged_description(packages: Path) -> None:
    module = compiled("greenhouse", packages)
    other = Module(module.path, module.universe, module.digest, {**module.sources, "townlet.json": b"{}"})
    with pytest.raises(ModuleError, match="the key 'pack' is missing: compile it again"):
        VectorizedEnv(other, 1, backend="interpreter")


# --- what a step does -----------------------------------------------------------------------------------------------


def test_the_depletion_multiplier(packages: Path) -> None:
    slow, fast = made("office", packages), made("office", packages)
    slow.step(all_do(slow, "WAIT"), 0.0)
    fast.step(all_do(fast, "WAIT"), 2.0)
    assert (fast.meters <= slow.meters).all()
    assert (fast.meters < slow.meters).any()
    slow.step(all_do(slow, "WAIT"))
    with pytest.raises(EnvError, match="param depletion must lie in"):
        slow.step(all_do(slow, "WAIT"), -1.0)


@pytest.mark.parametrize("action", [-1, 1000])
def test_an_action_that_does_not_exist(action: int, packages: Path) -> None:
    env = made("office", packages)
    before = env.meters.clone()
    with pytest.raises(EnvError, match=rf"^action {action} does not exist: actions are 0 .. {env.action_dim - 1}$"):
        env.step(torch.tensor([0, 0, action, 0]))
    assert torch.equal(env.meters, before)


def test_masks_are_not_enforced(packages: Path) -> None:
    env = made("greenhouse", packages)
    env.positions = torch.zeros((4, 2), dtype=torch.int64)
    masked = (~env.get_action_masks()[0]).nonzero().flatten()
    assert len(masked) > 0
    for action in masked:
        env.step(action.repeat(4))


def test_who_used_what(packages: Path) -> None:
    env = made("greenhouse", packages)
    name = list(env.affordances)[-1]
    env.positions[1] = env.affordances[name]
    env.positions[0] = (env.affordances[name] + 1) % 3
    others = {tuple(position.tolist()) for position in env.affordances.values()}
    assert tuple(env.positions[0].tolist()) not in others
    actions = all_do(env, "WAIT")
    actions[:2] = number(env, "INTERACT")
    _, _, _, info = env.step(actions)
    vocabulary = env.affordance_names.index(name)
    assert dict(info["successful_interactions"]) == {1: name}
    assert env.success.tolist() == [-1, vocabulary, -1, -1]
    assert env.last_affordance.tolist() == [-1, vocabulary, -1, -1]
    assert env.unique_count.tolist() == [0, 1, 0, 0]
    assert env.streaks[1].tolist() == [int(i == vocabulary) for i in range(len(env.affordance_names))]


def test_dead_agents_go_on(packages: Path) -> None:
    env = made("office", packages)
    env.meters[2] = 0.0
    _, rewards, dones, _ = env.step(all_do(env, "WAIT"))
    assert dones.tolist() == [False, False, True, False]
    assert rewards[2] == 0
    env.meters = torch.ones_like(env.meters)
    _, rewards, dones, _ = env.step(all_do(env, "WAIT"))
    assert dones.tolist() == [False, False, True, False]
    assert rewards[2] == 0
    assert env.step_counts.tolist() == [2] * 4


def test_retirement_is_paid_again_and_again(packages: Path) -> None:
    env = made("office", packages)
    lifespan = env.module.universe.lifespan
    assert lifespan is not None
    env.step_counts = torch.full((4,), lifespan.ticks - 1)
    _, rewards, dones, _ = env.step(all_do(env, "WAIT"))
    assert dones.all()
    assert (rewards > 1).all()
    for _ in range(2):
        _, rewards, _, _ = env.step(all_do(env, "WAIT"))
        assert rewards.tolist() == [1.0] * 4


# --- exploration modules --------------------------------------------------------------------------------------------


class Curious:
    """Pays what it is told to, and remembers what it saw."""

    def __init__(self, reward: float) -> None:
        self.reward = reward
        self.seen: list[torch.Tensor] = []

    def compute_intrinsic_rewards(self, observations: torch.Tensor) -> torch.Tensor:
        self.seen.append(observations)
        return torch.full((len(observations),), self.reward)


def test_an_exploration_module(packages: Path) -> None:
    env, plain = made("night_market", packages), made("night_market", packages)
    module = Curious(3.0)
    env.exploration_module = module
    fields = {field.name: field.offset for field in env.description.fields}
    for hour in range(3):
        observation, rewards, _, _ = env.step(all_do(env, "WAIT"))
        plain_observation, plain_rewards, _, _ = plain.step(all_do(plain, "WAIT"))
        assert torch.equal(observation, plain_observation)
        assert (rewards != plain_rewards).all()
        assert torch.equal(env.r_intrinsic, torch.full((4,), 3.0) * torch.tensor(0.2) * env.intrinsic_weights)
        # it sees the step as it is, at the hour before it ends
        seen = module.seen[-1]
        timed = [offset for name, offset in fields.items() if name.startswith("time_")]
        kept = [column for column in range(env.observation_dim) if column not in timed]
        assert torch.equal(seen[:, kept], observation[:, kept])
        assert seen[0, fields["time_sin"]] == np.float32(math.sin(hour / 24 * 2 * math.pi))
    assert len(module.seen) == 3
    assert env.step_counts.tolist() == [3] * 4
    env.exploration_module = None
    env.step(all_do(env, "WAIT"))
    plain.step(all_do(plain, "WAIT"))
    assert torch.equal(env.rewards, plain.rewards)


def test_variables_are_fresh_with_an_exploration_module(packages: Path) -> None:
    env, plain = made("night_market", packages), made("night_market", packages)
    env.exploration_module = Curious(0.0)
    for each in (env, plain):
        each.positions = each.affordances["Cot"].repeat(4, 1)
        each.step(all_do(each, "INTERACT"))
    assert torch.equal(env.r_extrinsic, plain.r_extrinsic)
    # interaction_progress counts -0.05: it is 0.1 now, and was 0 when it was last observed
    # approximately: two rounded rewards are subtracted, of which neither is promised to be this far from the other
    assert (plain.r_shaping - env.r_shaping).tolist() == pytest.approx([0.005] * 4, rel=1e-4)


# --- affordances that raise -----------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def raising(packages: Path) -> Module:
    pack = shutil.copytree(PACKS / "night_market", packages / "raising" / "night_market")
    shutil.copy(PACKS / "global_actions.yaml", packages / "raising")
    path = pack / "affordances.yaml"
    before, cot, after = path.read_text().partition("name: Cot\n")
    path.write_text(before + cot + after.replace("interaction_type: dual", "interaction_type: instant", 1))
    return hamlet.compile(pack, packages / "raising" / "package")


@pytest.mark.parametrize("explored", [False, True])
def test_an_affordance_that_raises(explored: bool, raising: Module) -> None:
    env = VectorizedEnv(raising, 3, backend="interpreter")
    env.reset()
    env.exploration_module = Curious(1.0) if explored else None
    assert env.description.raising == ("Cot",)
    env.positions[1] = env.affordances["Cot"]
    env.step(all_do(env, "WAIT"))
    before = {name: values.clone() for name, values in env.state.items()}
    observation = env.observe()
    with pytest.raises(RuntimeError, match="affordance 'Cot' can not be used with temporal mechanics"):
        env.step(all_do(env, "INTERACT"))
    assert all(torch.equal(env.state[name], values) for name, values in before.items())
    assert torch.equal(env.observe(), observation)
    env.step(all_do(env, "WAIT"))
