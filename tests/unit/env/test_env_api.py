"""reset, step, rollout and params: shapes, types, episodes, errors."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
import torch

import hamlet
from hamlet import EnvError, schema
from hamlet.env.environment import Env
from hamlet.package.module import Module

BACKENDS = ["interpreter", "c"]


def make(module: Module, backend: str = "interpreter", worlds: int = 32, **arguments: object) -> Env:
    return hamlet.make(module, worlds=worlds, backend=backend, **arguments)  # type: ignore[arg-type]


def bits(tensor: torch.Tensor | None) -> torch.Tensor:
    assert tensor is not None
    return tensor.contiguous().view(torch.int32) if tensor.dtype is torch.float32 else tensor


def test_names_and_numbers(valley: Module) -> None:
    env = make(valley, agents=2, seed=5)
    assert (env.num_worlds, env.num_agents, env.num_lanes) == (32, 2, 64)
    assert env.action_names == ("UP", "DOWN", "LEFT", "RIGHT", "INTERACT", "WAIT", "WORK")
    assert env.num_actions == 7
    assert len(env.observation_names) == schema.observation_rows(valley.universe)
    assert env.observation_names[:5] == ("window[-1,-1]", "window[0,-1]", "window[1,-1]", "window[-1,0]", "window[0,0]")
    assert [name for name in env.observation_names if "here" in name] == ["here[Fire]", "here[Farm]", "here[nothing]"]
    assert env.observation_names[-1] == "param.cold"
    assert (env.seed, env.tick, env.backend) == (5, 0, "interpreter")
    assert repr(env) == "Env(valley, worlds=32, agents=2, backend='interpreter', device='cpu', seed=5, tick=0)"


@pytest.mark.parametrize("backend", BACKENDS)
def test_step_returns_views(valley: Module, backend: str) -> None:
    env = make(valley, backend)
    observation, reward, terminated, truncated, info = env.step(torch.full((32,), 5))
    rows = schema.observation_rows(valley.universe)
    assert observation is not None
    assert (observation.shape, observation.dtype) == ((32, rows), torch.float32)
    assert (reward.shape, reward.dtype) == ((32,), torch.float32)
    assert terminated.dtype is truncated.dtype is torch.bool
    assert info["used"] is not None
    assert info["used"].tolist() == [-1] * 32
    assert info["action_mask"] is not None
    assert info["action_mask"].shape == (32, 7)
    assert info["action_mask"].data_ptr() == env.action_mask.data_ptr()
    assert info["final_observation"] is not None
    assert info["final_observation"].shape == (32, rows)
    before = observation.clone()
    env.step(torch.full((32,), 3))
    assert not torch.equal(before, observation)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8])
def test_any_integer_type_is_an_action(valley: Module, dtype: torch.dtype) -> None:
    env, other = make(valley), make(valley)
    env.step(torch.arange(32, dtype=dtype) % 7)
    other.step(torch.arange(32, dtype=torch.int32) % 7)
    assert torch.equal(bits(env.observation), bits(other.observation))


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (torch.zeros(32), "whole numbers \\(torch.int32\\), not torch.float32"),
        (torch.zeros(32, dtype=torch.bool), "not torch.bool"),
        (torch.zeros(31, dtype=torch.int32), "have the shape \\[32\\] or \\[32, 1\\], not \\[31\\]"),
        (torch.zeros(1, 32, dtype=torch.int32), r"have the shape \[32\] or \[32, 1\], not \[1, 32\]"),
        (torch.full((32,), 7), "action 7 does not exist: actions are 0 .. 6"),
        (torch.full((32,), -1), "action -1 does not exist"),
        (torch.full((32,), 1 << 32), "action 4294967296 does not exist"),
        ([0.5] * 32, "whole numbers \\(torch.int32\\), not torch.float64"),
        (torch.zeros(32, dtype=torch.int32, device="meta"), "are on meta, the environment is on cpu"),
    ],
)
def test_wrong_actions(valley: Module, actions: torch.Tensor, message: str) -> None:
    env = make(valley)
    before = env.state_dict()["state"]
    with pytest.raises(EnvError, match=message):
        env.step(actions)
    assert env.tick == 0
    assert all(torch.equal(value, env.state[name]) for name, value in before.items())


@pytest.mark.parametrize(
    ("ticks", "policy", "message"),
    [
        (0, "random", "1 or more ticks, not 0"),
        (-1, "random", "1 or more ticks"),
        (1.0, "random", "1 or more ticks"),
        (2, "greedy", "no policy 'greedy'"),
        (2, torch.zeros(3, 32, dtype=torch.int32), "have the shape \\[2, 32\\] or \\[2, 32, 1\\], not \\[3, 32\\]"),
        (2, torch.zeros(2, 32), "whole numbers"),
        (2, torch.full((2, 32), 9), "action 9 does not exist"),
    ],
)
def test_wrong_rollouts(valley: Module, ticks: int, policy: str | torch.Tensor, message: str) -> None:
    with pytest.raises(EnvError, match=message):
        make(valley).rollout(ticks, policy)


@pytest.mark.parametrize("backend", BACKENDS)
def test_rollout_is_so_many_steps(valley: Module, backend: str) -> None:
    env, other = make(valley, backend, agents=2), make(valley, backend, agents=2)
    script = torch.randint(7, (60, 64), generator=torch.Generator().manual_seed(0))
    ended = 0
    for actions in script:
        _, _, terminated, truncated, _ = env.step(actions)
        ended += int((terminated | truncated).sum())
    result = other.rollout(60, script, observe=True)
    assert result.episodes() == ended > 0
    assert other.tick == env.tick == 60
    for name, value in env.state.items():
        assert torch.equal(bits(value), bits(other.state[name])), name
    assert torch.equal(bits(env.observation), bits(other.observation))
    assert torch.equal(bits(env.info["final_observation"]), bits(other.info["final_observation"]))


@pytest.mark.parametrize("backend", BACKENDS)
def test_statistics_add_up(valley: Module, backend: str) -> None:
    env, other = make(valley, backend), make(valley, backend)
    whole = env.rollout(90)
    part = other.rollout(50)
    part = other.rollout(40, statistics=part.counts)
    assert whole.episodes() == sum(whole.causes().values()) == sum(whole.lengths()) > 0
    assert whole.causes() == part.causes()
    assert list(whole.causes()) == ["warmth <= 0", "food <= 0", "lifespan"]
    assert whole.uses() == part.uses()
    assert min(whole.uses().values()) > 0
    assert whole.lengths() == part.lengths()
    assert whole.mean_return() == part.mean_return()
    assert 1 <= whole.mean_length() <= 40


def test_a_rollout_without_counts(valley: Module) -> None:
    env, other = make(valley), make(valley)
    result = env.rollout(10, statistics=False)
    other.rollout(10)
    assert torch.equal(env.state["meters"], other.state["meters"])
    with pytest.raises(EnvError, match="counted nothing"):
        result.mean_return()


def test_no_finished_episode_has_no_mean(valley: Module) -> None:
    result = make(valley).rollout(1)
    assert result.episodes() == 0
    assert math.isnan(result.mean_return())
    assert math.isnan(result.mean_length())


def test_episodes_and_seeds(valley: Module) -> None:
    env = make(valley, seed=3)
    first = env.state["layout"].clone()
    env.reset()
    assert torch.equal(env.state["layout"], first)
    assert env.state["episode"].tolist() == [0] * 32
    env.rollout(5)
    env.reset()
    assert env.state["episode"].unique().tolist() == [1]
    assert not torch.equal(env.state["layout"], first)
    assert env.tick == 5
    observation, info = env.reset(seed=3)
    assert (env.tick, env.seed) == (0, 3)
    assert torch.equal(env.state["layout"], first)
    assert observation is not None
    assert info["used"] is not None
    assert info["used"].tolist() == [-1] * 32
    env.reset(seed=(1 << 64) - 1)
    assert not torch.equal(env.state["layout"], first)
    with pytest.raises(EnvError, match="a seed is a whole number"):
        env.reset(seed=-1)


def test_a_seed_repeats_everything(valley: Module) -> None:
    env = make(valley, seed=3)
    env.rollout(33)
    once = env.state_dict()["state"]
    env.reset(seed=3)
    env.rollout(33)
    assert all(torch.equal(bits(once[name]), bits(value)) for name, value in env.state.items())


def test_shards_are_parts_of_the_whole(valley: Module) -> None:
    whole, shard = make(valley, worlds=32, agents=2), make(valley, worlds=8, agents=2, first_world=16)
    whole.rollout(50)
    shard.rollout(50)
    assert torch.equal(bits(whole.state["meters"][:, 32:48].contiguous()), bits(shard.state["meters"]))
    assert torch.equal(whole.state["episode"][16:24], shard.state["episode"])


def test_without_observations(valley: Module) -> None:
    env = make(valley, obs_dtype=None)
    observation, *_, info = env.step(torch.zeros(32, dtype=torch.int32))
    assert observation is None
    assert info["final_observation"] is None
    assert env.action_mask.any()


def test_bfloat16_observations_are_rounded(valley: Module) -> None:
    env, other = make(valley), make(valley, obs_dtype="bfloat16")
    env.rollout(7)
    other.rollout(7)
    assert env.observation is not None
    assert other.observation is not None
    assert torch.equal(env.observation.to(torch.bfloat16), other.observation)


def test_params(valley: Module) -> None:
    env = make(valley)
    assert list(env.params) == ["cold"]
    assert env.params["cold"].tolist() == [1.0] * 32
    env.params["cold"] = 2.0
    assert env.params["cold"].tolist() == [2.0] * 32
    assert env.observation is not None
    assert env.observation[:, -1].tolist() == [2.0] * 32
    env.params["cold"] = torch.linspace(0, 4, 32, dtype=torch.float64)
    env.step(torch.full((32,), 5))
    warmth = env.state["meters"][0]
    assert warmth[0] > warmth[31]
    env.reset()
    assert env.params["cold"][31] == 4.0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (4.5, "param cold must lie in 0 .. 4"),
        (-1, "param cold must lie in 0 .. 4"),
        (float("nan"), "param cold must lie in 0 .. 4"),
        (torch.full((32,), 9.0), "param cold must lie in 0 .. 4"),
        (torch.zeros(31), "a number or a tensor \\[32\\], not \\[31\\]"),
        (True, "takes numbers"),
        ("hot", "takes numbers"),
    ],
)
def test_wrong_params(valley: Module, value: float, message: str) -> None:
    env = make(valley)
    with pytest.raises(EnvError, match=message):
        env.params["cold"] = value
    assert env.params["cold"].tolist() == [1.0] * 32


def test_unknown_params(valley: Module) -> None:
    env = make(valley)
    with pytest.raises(EnvError, match="no param 'heat': cold"):
        env.params["heat"] = 1.0
    with pytest.raises(EnvError, match="no param 'heat'"):
        env.params["heat"]
    with pytest.raises(EnvError, match="cannot be deleted"):
        del env.params["cold"]


def test_importing_hamlet_imports_little() -> None:
    code = "import hamlet, sys; print([m for m in ('torch', 'numpy', 'lark', 'jinja2', 'hamletc') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
