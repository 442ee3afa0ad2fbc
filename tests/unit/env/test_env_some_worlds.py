"""Resets of some worlds, and observations written where the caller wants them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.errors import EnvError
from hamlet.package.module import Module

WORLDS, AGENTS = 6, 2
MASK = torch.tensor([True, False, False, True, True, False])
LANES = MASK.repeat_interleave(AGENTS)


def make(module: Module, backend: str, **given: Any) -> Env:
    env = hamlet.make(module, worlds=WORLDS, agents=AGENTS, backend=backend, seed=4, quiet=True, **given)
    env.rollout(7)
    env.step(torch.zeros(env.num_lanes, dtype=torch.int32))
    return env


def contents(env: Env) -> dict[str, torch.Tensor]:
    shown = {"observation": env.observation, "mask": env.action_mask, "final": env.info["final_observation"]}
    values = {**env.state, **env.outcome, **{name: value.T for name, value in shown.items() if value is not None}}
    return {name: value.clone() for name, value in values.items()}


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_some_worlds_begin_their_next_episode(valley: Module, backend: str) -> None:
    """The chosen ones are as after a reset of all, the others are as they were, and all of them go on like that."""
    env, all_reset, none_reset = (make(valley, backend) for _ in range(3))
    before = contents(env)
    env.reset(worlds=MASK)
    all_reset.reset()
    now, anew = contents(env), contents(all_reset)
    for name, value in now.items():
        chosen = MASK if value.shape[-1] == WORLDS else LANES
        assert torch.equal(value, torch.where(chosen, anew[name], before[name])), name
    assert any(not torch.equal(before[name], anew[name]) for name in ("meters", "position", "layout"))
    actions = torch.ones(env.num_lanes, dtype=torch.int32)
    for each in (env, all_reset, none_reset):
        each.step(actions)
    for name, value in contents(env).items():
        chosen = MASK if value.shape[-1] == WORLDS else LANES
        if name != "final":
            after = torch.where(chosen, contents(all_reset)[name], contents(none_reset)[name])
            assert torch.equal(value, after), name


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_some_worlds_begin_again_with_the_seed_of_all(valley: Module, backend: str) -> None:
    """They are as in the beginning, params drawn included, and the others go on; another seed is refused."""
    name = next(iter(make(valley, backend).params))
    bounds = {name: hamlet.Uniform(valley.universe.params[0].low, valley.universe.params[0].high)}
    env, first = make(valley, backend), make(valley, backend)
    first.reset(seed=4, params=bounds)
    env.reset()
    before = contents(env)
    with pytest.raises(EnvError, match="those that go on have 4"):
        env.reset(seed=5, worlds=MASK)
    env.reset(seed=4, worlds=MASK, params=bounds)
    begun = contents(first)
    for field, value in contents(env).items():
        chosen = MASK if value.shape[-1] == WORLDS else LANES
        assert torch.equal(value, torch.where(chosen, begun[field], before[field])), field
    assert not torch.equal(before["episode"], begun["episode"])
    assert env.tick == 8


def test_params_are_those_of_the_worlds_that_begin(valley: Module) -> None:
    env, all_reset = make(valley, "interpreter"), make(valley, "interpreter")
    name = next(iter(env.params))
    declared = env.universe.params[0]
    before = env.params[name].clone()
    drawn = hamlet.Uniform(declared.low, declared.high)
    env.reset(params={name: drawn}, worlds=MASK)
    all_reset.reset(params={name: drawn})
    assert torch.equal(env.params[name], torch.where(MASK, all_reset.params[name], before))
    assert not torch.equal(env.params[name], before)
    env.check_given()


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_observations_where_the_caller_wants_them(valley: Module, backend: str) -> None:
    env, plain = make(valley, backend), make(valley, backend)
    rows: list[torch.Tensor] = []
    for tick in range(6):
        assert env.observation is not None
        out = None if tick == 3 else torch.empty_like(env.observation)
        actions = torch.full((env.num_lanes,), tick % 3, dtype=torch.int32)
        observation, *rest = env.step(actions, out=out)
        expected, *others = plain.step(actions)
        assert env.observation is not None
        assert out is None or (observation is out and env.observation is out)
        assert observation is not None
        assert expected is not None
        assert torch.equal(observation, expected)
        assert all(torch.equal(one, other) for one, other in zip(rest[:3], others[:3], strict=True))
        rows.append(observation)
    # A tensor that was handed in is not written again.
    again = make(valley, backend)
    for tick, row in enumerate(rows):
        again.step(torch.full((env.num_lanes,), tick % 3, dtype=torch.int32))
        assert tick == 3 or torch.equal(row, again.observation), tick  # type: ignore[arg-type]
    shown = env.observation
    for other in (copy.deepcopy(env), env):
        assert torch.equal(other.observation, shown)  # type: ignore[arg-type]
    env.observe()
    assert env.observation is not shown
    assert torch.equal(env.observation, plain.observation)  # type: ignore[arg-type]
    env.rollout(2)
    plain.rollout(2)
    assert torch.equal(env.observation, plain.observation)  # type: ignore[arg-type]
