"""Trajectories of chosen lanes: what steps would have shown of them."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import hamlet
from hamlet import MLP, EnvError
from hamlet.env.act.trajectories import HAPPENED, KEPT, Trajectories
from hamlet.env.environment import Env
from hamlet.package.module import Module

LANES = [9, 2, 3, 17]
TICKS = 45


def made(module: Module, backend: str = "interpreter") -> Env:
    return hamlet.make(module, worlds=10, agents=2, backend=backend, seed=6, first_world=5, quiet=True)


def stepped(env: Env, actions: torch.Tensor, controls: torch.Tensor | None) -> dict[str, torch.Tensor]:
    """What steps show of the lanes."""
    rows: dict[str, list[torch.Tensor]] = {}
    for tick, each in enumerate(actions):
        env.step(each, None if controls is None else controls[tick])
        for name, values in {**env.outcome, **env.state}.items():
            if name in (*HAPPENED, *KEPT):
                rows.setdefault(name, []).append(values[..., LANES].clone())
    return {name: torch.stack(values) for name, values in rows.items()}


def assert_seen(seen: Trajectories, expected: dict[str, torch.Tensor]) -> None:
    for name, values in expected.items():
        assert torch.equal(getattr(seen, name), values), name


@pytest.mark.parametrize("backend", ["interpreter", pytest.param("c", marks=pytest.mark.long)])
def test_trajectories_are_those_of_steps(backend: str, valley: Module) -> None:
    env = made(valley, backend)
    actions = torch.randint(env.num_actions, (TICKS, env.num_lanes), generator=torch.Generator().manual_seed(2))
    controls = torch.zeros(TICKS, env.num_controls, env.num_lanes) if env.num_controls else None
    given: dict[str, Any] = {} if controls is None else {"controls": controls}
    seen = env.rollout(TICKS, actions, watch=LANES, **given).trajectories
    expected = stepped(made(valley), actions, controls)
    assert len(expected) >= len(HAPPENED) + 3
    assert bool((expected["terminated"] | expected["truncated"]).any())
    assert seen.lanes == tuple(LANES)
    assert torch.equal(seen.actions, actions[:, LANES].int())
    assert_seen(seen, expected)


def test_random_lanes_act_as_they_do_in_a_rollout(luck: Module) -> None:
    env, watched = made(luck), made(luck)
    env.rollout(TICKS)
    seen = watched.rollout(TICKS, watch=LANES).trajectories
    assert torch.equal(seen.meters[-1], env.state["meters"][:, LANES])
    again = made(luck)
    everything = torch.zeros(TICKS, env.num_lanes, dtype=torch.int32)
    everything[:, LANES] = seen.actions
    again.rollout(TICKS, everything, **({"controls": 0} if env.num_controls else {}))
    assert torch.equal(again.outcome["reward"][LANES], seen.reward[-1])
    for name, values in env.state.items():
        assert torch.equal(values, watched.state[name]), name


def test_tables_are_looked_up(luck: Module) -> None:
    env, watched = made(luck), made(luck)
    name = env.universe.meters[0].name
    table = torch.full((4, env.num_actions), 1 / env.num_actions)
    table[0] = torch.eye(env.num_actions)[1]
    policies = [each.tabular(table, [(name, 4)]) for each in (env, watched)]
    env.rollout(TICKS, policies[0])
    seen = watched.rollout(TICKS, policies[1], watch=range(20)).trajectories
    assert len(seen.actions.unique()) > 1
    assert torch.equal(seen.meters[-1], env.state["meters"])
    assert torch.equal(seen.meter(name)[-1], env.meter(name))
    assert torch.equal(seen.reward[-1], env.outcome["reward"])


def test_what_was_not_watched_is_not_there(luck: Module) -> None:
    with pytest.raises(EnvError, match="watched no lanes"):
        print(made(luck).rollout(2).trajectories)
    seen = made(luck).rollout(2, watch=[1]).trajectories
    assert repr(seen) == "Trajectories(luck, 2 ticks of 1 lanes)"
    with pytest.raises(EnvError, match="luck has no meter 'fod'"):
        seen.meter("fod")


def test_networks_decide_as_they_do_in_a_rollout(valley: Module) -> None:
    """One of a population for every two worlds."""
    env, watched = made(valley), made(valley)
    policy = MLP.random(len(env.observation_names), env.num_actions, seed=1, members=5)
    policy.weights[-1].mul_(300.0)
    env.rollout(TICKS, policy)
    seen = watched.rollout(TICKS, policy, watch=range(4, 20)).trajectories
    assert len(seen.actions.unique()) > 2
    assert torch.equal(seen.meters[-1], env.state["meters"][:, 4:])
    assert torch.equal(seen.reward[-1], env.outcome["reward"][4:])
