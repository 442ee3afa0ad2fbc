"""Copies and pickles of environments; and what is shown of everything in a line."""

from __future__ import annotations

import copy
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from test_env_graphed import Recorder

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.package.module import Module
from processes import Run

COPIES: dict[str, Callable[[Env], Env]] = {
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),  # type: ignore[no-any-return]
}


def lived(module: Module, backend: str) -> Env:
    env = hamlet.make(module, worlds=33, agents=2, backend=backend, seed=3, obs_dtype="bfloat16", first_world=7)
    env.params["cold"] = torch.linspace(0.5, 3, 33)
    env.rollout(17)
    env.step(torch.zeros(66, dtype=torch.int32))
    return env


def tensors(env: Env) -> dict[str, torch.Tensor]:
    final = env.info["final_observation"]
    assert env.observation is not None
    assert final is not None
    observed = {"observation": env.observation, "final": final, "mask": env.action_mask}
    return {**env.state, **env.outcome, **observed}


def same(left: Env, right: Env) -> None:
    assert repr(left) == repr(right)
    for name, values in tensors(left).items():
        assert torch.equal(values, tensors(right)[name]), name


@pytest.mark.parametrize("backend", ["interpreter", "c"])
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_is_equal_and_independent(valley: Module, backend: str, way: str) -> None:
    env = lived(valley, backend)
    other = COPIES[way](env)
    same(env, other)
    assert (other.validate, other.choice, other.observation_names) == (env.validate, env.choice, env.observation_names)
    env.step(torch.zeros(66, dtype=torch.int32))
    assert other.tick == env.tick - 1
    other.step(torch.zeros(66, dtype=torch.int32))
    results = [each.rollout(40, observe=True) for each in (env, other)]
    same(env, other)
    assert results[0].mean_return() == results[1].mean_return()
    assert results[0].episodes() > 10
    env.reset()
    assert not torch.equal(env.state["age"], other.state["age"])
    addresses = {values.data_ptr() for values in tensors(env).values()}
    assert not addresses & {values.data_ptr() for values in tensors(other).values()}
    other.params["cold"][0] = 99
    with pytest.raises(EnvError, match="param cold"):
        other.step(torch.zeros(66, dtype=torch.int32))


def test_a_new_environment_is_copied_as_new(valley: Module) -> None:
    """Its first reset leaves it in episode 0."""
    env = hamlet.make(valley, worlds=3, backend="interpreter")
    other = copy.deepcopy(env)
    other.reset()
    assert other.state["episode"].tolist() == [0, 0, 0]


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_a_pickle_goes_on_in_another_process_without_the_package(
    copy: Path, tmp_path: Path, backend: str, run_program: Run
) -> None:
    env = lived(hamlet.load(copy), backend)
    (tmp_path / "env.pickle").write_bytes(pickle.dumps(env))
    env.rollout(40)
    torch.save({name: values.clone() for name, values in tensors(env).items()}, tmp_path / "expected.pt")
    shutil.rmtree(copy)
    program = """
import pickle, sys, torch
from pathlib import Path
env = pickle.loads(Path("env.pickle").read_bytes())
env.rollout(40)
expected = torch.load("expected.pt")
found = {**env.state, **env.outcome, "observation": env.observation, "mask": env.action_mask}
assert len(found) == len(expected) - 1
assert all(torch.equal(values, expected[name]) for name, values in found.items())
print(env)
"""
    done = run_program(program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{env!r}\n"


def test_what_cannot_be_copied_says_so(valley: Module) -> None:
    env = hamlet.make(valley, worlds=2, backend="interpreter")
    with pytest.raises(
        EnvError, match="the params of an environment cannot be copied or pickled: copy the environment"
    ):
        pickle.dumps(env.params)
    with pytest.raises(EnvError, match="recorded steps cannot be copied or pickled: copy the environment"):
        copy.deepcopy(Recorder(env).graphed())


def test_results_and_policies_are_pickled(valley: Module) -> None:
    env = hamlet.make(valley, worlds=5, backend="interpreter")
    result = env.rollout(50, per_world=True)
    again = pickle.loads(pickle.dumps(result))
    assert (repr(again), again.causes(), again.uses()) == (repr(result), result.causes(), result.uses())
    assert torch.equal(again.world_episodes(), result.world_episodes())
    env.rollout(5, statistics=again.counts)
    policy = env.tabular(torch.zeros(4, dtype=torch.int64), ["x"])
    env.rollout(5, pickle.loads(pickle.dumps(policy)))
    assert pickle.loads(pickle.dumps(valley)).digest == valley.digest


def test_what_is_shown_of_things_is_a_line(valley: Module) -> None:
    env = hamlet.make(valley, worlds=5, backend="interpreter")
    result = env.rollout(60)
    table = env.tabular(torch.zeros(4, dtype=torch.int64), ["x"])
    for thing in (env, valley, valley.universe, result, result.counts, env.params, table, Recorder(env).graphed()):
        shown = repr(thing)
        assert "\n" not in shown
        assert 8 <= len(shown) <= 300
        assert "object at" not in shown
    assert repr(valley) == f"Module(valley, path={str(valley.path)!r}, digest={valley.digest[:12]})"
    assert repr(valley.universe) == (
        "Universe(valley: 1 params, 3 meters, 2 rules and cascades, 2 affordances, 1 own actions, 1 rewards)"
    )
    assert repr(result) == (
        f"Rollout(valley, ticks=60, episodes={result.episodes()}, mean_length={result.mean_length():.6g}, "
        f"mean_return={result.mean_return():.6g})"
    )
    assert repr(env.rollout(1, statistics=False)) == "Rollout(valley, ticks=1, nothing counted)"
