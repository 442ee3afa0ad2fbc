"""Networks that remember, in rollouts: the same bits by the interpreter, kernels and steps; what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet.policies.mlp import MLP
from saved_policies import saved

WORLDS, TICKS = 160, 70


@pytest.fixture(scope="module")
def meal(tmp_path_factory: pytest.TempPathFactory) -> Module:
    """Some starve, and some outlive a short lifespan."""
    text = (Path(__file__).parents[3] / "universes" / "first_meal.hamlet").read_text()
    file = tmp_path_factory.mktemp("memory") / "meal.hamlet"
    file.write_text(text.replace("lifespan 200 ticks", "lifespan 55 ticks"))
    return hamlet.compile(file)


def made(module: Module, backend: str) -> Env:
    return hamlet.make(module, worlds=WORLDS, seed=3, backend=backend, quiet=True)


def remembering(env: Env, memory: int = 32, seed: int = 5) -> MLP:
    """One whose logits depend on what it remembers."""
    return network_that_remembers(len(env.observation_names), env.num_actions, memory, seed)


def network_that_remembers(values: int, actions: int, memory: int = 32, seed: int = 5) -> MLP:
    generator = torch.Generator().manual_seed(seed)
    shapes = (32, 2 * values + actions), (20, 32 + memory), (actions + 1, 20)
    weights = [(torch.rand(shape, generator=generator) * 2 - 1) * (6 / shape[1]) ** 0.5 for shape in shapes]
    biases = [torch.rand(shape[0], generator=generator) - 0.5 for shape in shapes]
    gates = torch.rand(2 * memory, 32, generator=generator) - 0.5, torch.rand(2 * memory, generator=generator) - 1
    weights[-1].mul_(3)
    return MLP(weights, biases, gates=gates)


def played(env: Env, policy: MLP, *parts: int) -> dict[str, torch.Tensor]:
    """All that rollouts of so many ticks store, one behind the other."""
    stored = []
    for ticks in parts:
        store = env.storage(ticks)
        env.rollout(ticks, policy, store=store)
        stored.append({name: each[:ticks] for name, each in store.tensors.items()})
    return {name: torch.cat([each[name] for each in stored]) for name in stored[0]}


def assert_same(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> None:
    for name, tensor in left.items():
        pair = (each.view(torch.int32) if each.dtype is torch.float32 else each for each in (tensor, right[name]))
        assert torch.equal(*pair), name


def test_kernels_remember_what_the_interpreter_does(meal: Module) -> None:
    """In one rollout and in several, across the ends of episodes."""
    env = made(meal, "interpreter")
    policy = remembering(env)
    whole = played(env, policy, TICKS)
    assert 3 < int(whole["terminated"].sum()) < WORLDS * TICKS / 10
    assert 3 < int(whole["truncated"].sum()) < WORLDS * TICKS / 10
    assert_same(whole, played(made(meal, "c"), policy, TICKS))
    assert_same(whole, played(made(meal, "c"), policy, 1, 30, TICKS - 31))


def test_watched_lanes_remember_what_they_did(meal: Module) -> None:
    """In a rollout that goes on with what one before has left, across the ends of episodes."""
    env, other = made(meal, "c"), made(meal, "c")
    policy, lanes = remembering(env), [150, 3, 151]
    played(env, policy, 30)
    other.rollout(30, policy)
    store = env.storage(TICKS - 30)
    seen = env.rollout(TICKS - 30, policy, watch=lanes, store=store).trajectories
    assert torch.equal(seen.actions, store.tensors["actions"][:, lanes])
    assert torch.equal(seen.reward, store.tensors["rewards"][:, lanes])
    assert int(seen.truncated.sum() + seen.terminated.sum()) > 0
    other.rollout(TICKS - 30, policy)
    assert env.digest() == other.digest()


def test_what_is_remembered_changes_what_is_done(meal: Module) -> None:
    """Who forgets in between, as after another network's ticks, does something else."""
    env, policy = made(meal, "c"), None
    policy = remembering(env)
    whole = played(env, policy, TICKS)
    other = made(meal, "c")
    first = played(other, policy, 30)
    saved = other.state_dict()
    other.load_state_dict(saved)
    second = played(other, policy, TICKS - 30)
    assert torch.equal(first["actions"], whole["actions"][:30])
    assert torch.equal(second["observations"][0], whole["observations"][30])
    assert not torch.equal(second["values"][0], whole["values"][30])


def test_a_record_goes_on_with_what_is_remembered(meal: Module) -> None:
    """Of one world, beside a rollout of all, which it does not change."""
    env = made(meal, "c")
    policy = remembering(env)
    played(env, policy, 30)
    episode = env.record(world=150, policy=policy, ticks=20)
    actions = played(env, policy, 20)["actions"][:, 150]
    recorded = torch.as_tensor(episode.actions).flatten()
    assert torch.equal(recorded, actions[: len(recorded)])
    assert len(set(recorded.tolist())) > 1


@pytest.mark.parametrize("others", [{"hidden": (32, 20), "memory": 32}, {"hidden": (9, 5, 7), "memory": 6}])
def test_a_learnt_policy_remembers_in_whichever_way_it_acts(
    meal: Module, tmp_path: Path, others: dict[str, Any]
) -> None:
    """By one action after the other, by a function and by rollouts, one behind the other; asked twice in a tick it says
    the same. Networks that no kernel plays act by steps in rollouts."""
    file = saved(tmp_path / "policy.safetensors", meal, **others)
    env, other = made(meal, "c"), made(meal, "interpreter")
    policy = hamlet.policy(file)
    assert policy.rolls == (others["memory"] == 32)
    for _ in range(20):
        actions, controls = policy.act(env)
        assert torch.equal(policy.act(env)[0], actions)
        env.step(actions, controls)
    acting = policy.acting(env)
    for _ in range(20):
        env.step(*acting())
    for ticks in (9, 11):
        env.rollout(ticks, policy)
    other.rollout(60, policy)
    assert env.digest() == other.digest()
    env.load_state_dict(env.state_dict())
    last = env.state_dict()
    fresh, new = policy.act(env)[0], made(meal, "interpreter")
    new.load_state_dict(last)
    assert torch.equal(policy.act(new)[0], fresh)


def test_members_and_single_decisions_are_refused(meal: Module) -> None:
    env = made(meal, "interpreter")
    policy = remembering(env)
    with pytest.raises(EnvError, match="decides by what it has seen before"):
        policy.forward(env.observation)  # type: ignore[arg-type]  # it is there
    with pytest.raises(EnvError, match="a memory of 32 or 64 numbers stands between"):
        MLP(policy.weights, policy.biases, "relu", gates=policy.gates)
