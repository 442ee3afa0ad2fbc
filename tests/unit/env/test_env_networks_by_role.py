"""Networks of roles in rollouts: every agent has that of its role, on every backend with the same bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.backend.protocol import NetworkPolicy
from hamlet.env.environment import Env
from hamlet.interpreter.networks import decide
from hamlet.package.module import Module
from hamlet.policies.joined import by_role
from hamlet.policies.mlp import MLP

TICKS, AGENTS = 30, 5


@pytest.fixture(scope="module")
def tag(compiled: Callable[[str], Module]) -> Module:
    return compiled(Path("universes/gallery/tag.hamlet").read_text())


def make(tag: Module, backend: str, worlds: int = 30) -> Env:
    return hamlet.make(tag, worlds=worlds, agents=AGENTS, seed=7, backend=backend, quiet=True)


def networks(env: Env, value: bool = True, sample: bool = True) -> dict[str, MLP]:
    """Ones of other widths for each role, whose logits differ."""
    made = {}
    for seed, (name, role) in enumerate(env.roles.items()):
        sizes = len(role.observation_names), len(role.action_names)
        made[name] = MLP.random(*sizes, hidden=(6 + 7 * seed, 5), value=value, sample=sample, seed=seed)
        made[name].weights[-1].mul_(300.0)
        for bias in made[name].biases:
            bias.copy_(torch.linspace(-0.2, 0.3, len(bias)))
    return made


@pytest.mark.parametrize(("worlds", "sample"), [(1, False), (30, True)])
def test_rollouts_are_those_of_the_networks_of_roles(tag: Module, sample: bool, worlds: int) -> None:
    """Against steps in which each role decides by itself, of what it observes, among its own actions."""
    kept = {}
    for backend in ("interpreter", "c"):
        env = make(tag, backend, worlds)
        policy, stored = by_role(env, networks(env, sample=sample)), env.storage(TICKS)
        env.rollout(TICKS, policy, store=stored)
        kept[backend] = [stored.actions, stored.log_probs, stored.values, stored.rewards, stored.final_values]
    for left, right in zip(*kept.values(), strict=True):
        assert left is not None
        assert right is not None
        assert left.numpy().tobytes() == right.numpy().tobytes()
    env, chosen = make(tag, "c", worlds), set()
    own = {name: each.prepared() for name, each in networks(env, sample=sample).items()}
    for tick in range(TICKS):
        actions = torch.zeros(env.num_lanes, dtype=torch.int32)
        for name, role in env.roles.items():
            assert env.observation is not None
            seen = env.observation[role.lanes, : len(role.observation_names)].T
            mask = env.action_mask[role.lanes][:, role.action_numbers].T
            words = env.policy_words()[role.lanes] if sample else None
            decided: NetworkPolicy = own[name]
            picked = decide(decided, seen, mask, words).actions.long()
            actions[role.lanes] = torch.tensor(role.action_numbers)[picked].int()
        assert torch.equal(actions, kept["c"][0][tick]), tick  # type: ignore[index]
        chosen |= set(actions.tolist())
        env.step(actions)
    assert len(chosen) >= (3 if worlds > 1 else 2)


def test_networks_of_whole_observations_play_roles_too(tag: Module) -> None:
    env = make(tag, "c")
    both = networks(env)
    both["it"] = MLP.random(len(env.observation_names), env.num_actions, hidden=(4, 4), seed=9)
    policy = by_role(env, both)
    assert (policy.members, policy.inputs, policy.actions) == (2, len(env.observation_names), env.num_actions)
    assert list(policy.of_agents or ()) == [0, 1, 1, 1, 1]
    assert "of_agents=[0, 1, 1, 1, 1]" in repr(policy)
    assert env.rollout(5, policy).counts is not None


def test_what_does_not_fit_is_refused(tag: Module) -> None:
    env = make(tag, "c")
    both = networks(env)
    for other, said in (
        ({"it": both["it"]}, "a network for each of the roles it, runner"),
        ({**both, "it": MLP.random(2, 4, hidden=(5, 5))}, "is for it, which observes 5 values and has"),
        ({**both, "it": replace(both["it"], sample=False)}, "all networks have the same sample"),
        ({**both, "it": MLP.random(3, 4, hidden=(5,))}, "as many layers"),
        ({**both, "it": MLP.random(3, 4, members=2)}, "is an MLP without members"),
    ):
        with pytest.raises(EnvError, match=said):
            by_role(env, other)
    policy = by_role(env, both)
    with pytest.raises(EnvError, match="are the members of 5 agents, and a world has 4"):
        hamlet.make(tag, worlds=2, agents=4, backend="c", quiet=True).rollout(2, policy)
    with pytest.raises(EnvError, match="7 lanes are no whole worlds of 5 agents"):
        policy.forward(torch.zeros(7, policy.inputs), None, torch.zeros(7, dtype=torch.int64))
