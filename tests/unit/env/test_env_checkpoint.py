"""Checkpoints: going on from one is going on, bit for bit; a damaged one is refused and changes nothing."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.package.module import Module

WORLDS, AGENTS = 64, 2
LANES = WORLDS * AGENTS


def make(module: Module, backend: str = "interpreter", **arguments: Any) -> Env:
    return hamlet.make(module, **({"worlds": WORLDS, "agents": AGENTS, "backend": backend, "seed": 7} | arguments))


def bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.view(torch.int32) if tensor.dtype is torch.float32 else tensor


def same_state(one: Env, other: Env) -> bool:
    return all(torch.equal(bits(value), bits(other.state[name])) for name, value in one.state.items())


def random_actions(ticks: int, actions: int) -> torch.Tensor:
    return torch.randint(actions, (ticks, LANES), generator=torch.Generator().manual_seed(1), dtype=torch.int32)


@pytest.mark.parametrize("backend", ["interpreter", "c"])
@pytest.mark.parametrize("ticks", [1, 13, 41])
def test_going_on_from_a_checkpoint(valley: Module, backend: str, ticks: int) -> None:
    env = make(valley, backend)
    env.params["cold"] = torch.linspace(0, 4, WORLDS)
    env.rollout(ticks)
    file = io.BytesIO()
    torch.save(env.state_dict(), file)
    file.seek(0)
    other = make(valley, backend, seed=99)
    other.rollout(5)
    other.load_state_dict(torch.load(file, weights_only=True))
    assert same_state(env, other)
    assert (other.seed, other.tick) == (7, ticks)
    assert torch.equal(env.observation, other.observation)  # type: ignore[arg-type]
    assert torch.equal(env.action_mask, other.action_mask)
    script = random_actions(30, env.num_actions)
    ended = 0
    for actions in script:
        here, there = env.step(actions), other.step(actions)
        for mine, yours in zip(here[:4], there[:4], strict=True):
            assert torch.equal(bits(mine), bits(yours))  # type: ignore[arg-type]
        ended += int(here[2].sum() + here[3].sum())
    assert same_state(env, other)
    assert ended > 0
    first, second = env.rollout(20), other.rollout(20)
    assert first.uses() == second.uses()
    assert first.mean_return() == second.mean_return()
    assert sum(first.uses().values()) > 0
    assert same_state(env, other)


def test_a_checkpoint_moves_between_backends(valley: Module) -> None:
    env, other = make(valley, "interpreter"), make(valley, "c")
    env.rollout(17)
    other.load_state_dict(env.state_dict())
    env.rollout(17)
    other.rollout(17)
    assert same_state(env, other)


def test_a_checkpoint_is_a_copy(valley: Module) -> None:
    env = make(valley)
    saved = env.state_dict()
    env.rollout(3)
    assert not torch.equal(saved["state"]["meters"], env.state["meters"])


def put(field: str, value: float, index: Any = 0) -> Callable[[dict[str, Any]], None]:
    def change(saved: dict[str, Any]) -> None:
        saved["state"][field][index] = value

    return change


def replace(field: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(saved: dict[str, Any]) -> None:
        saved["state"][field] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda saved: saved.pop("seed"), "a state has the entries"),
        (lambda saved: saved.update(universe="0" * 64), "belongs to another universe"),
        (lambda saved: saved.update(first_world=1), "begins at world 1, these worlds at 0"),
        (
            lambda saved: saved.update(seed=-1),
            "seed of the state is a whole number in 0 .. 18446744073709551615, not -1",
        ),
        (lambda saved: saved.update(tick=1 << 32), "tick of the state is a whole number in 0 .. 4294967295, not"),
        (lambda saved: saved.update(tick=1.5), "tick of the state is a whole number in 0 .. 4294967295, not"),
        (lambda saved: saved.update(state=None), "has the fields meters"),
        (lambda saved: saved["state"].pop("age"), "has the fields meters"),
        (replace("age", None), "field age of the state is torch.int32 \\[128\\], not None"),
        (replace("age", torch.zeros(LANES)), "not torch.float32 \\[128\\]"),
        (replace("age", torch.zeros(5, dtype=torch.int32)), "not torch.int32 \\[5\\]"),
        (put("meters", 1.5, (0, 3)), "meter warmth of the state must lie in 0 .. 1"),
        (put("meters", -0.1, (0, 3)), "meter warmth of the state must lie in 0 .. 1"),
        (put("meters", float("nan"), (0, 3)), "meter warmth"),
        (put("meters", float("nan"), (2, 3)), "meter debt of the state must lie in -4194304 .. 2097152"),
        (put("meters", float("inf"), (2, 3)), "meter debt of the state must lie in -4194304 .. 2097152"),
        (put("position", 4, (0, 3)), "position x of the state must lie in 0 .. 3"),
        (put("position", -1, (1, 3)), "position y of the state must lie in 0 .. 2"),
        (put("age", -1), "age of the state must lie in 0 .. 40"),
        (put("age", 41), "age of the state must lie in 0 .. 40"),
        (put("age", 40), "alive at the end of its lifespan"),
        (put("alive", False, slice(0, 2)), "a world without an agent alive"),
        (put("episode_return", float("nan")), "episode_return of the state holds a NaN"),
        (put("engaged", 2), "engaged of the state must lie in -1 .. 1"),
        (put("engaged", 1), "progress of the state does not fit"),
        (put("progress", 1), "progress of the state does not fit"),
        (put("hour", 6), "hour of the state must lie in 0 .. 5"),
        (put("episode", -1), "episode of the state must lie in 0"),
        (put("params", 4.5, (0, 1)), "param cold must lie in 0 .. 4"),
        (put("params", float("nan"), (0, 1)), "param cold must lie in 0 .. 4"),
    ],
)
def test_a_damaged_checkpoint(valley: Module, change: Callable[[dict[str, Any]], None], message: str) -> None:
    env, untouched = make(valley), make(valley)
    saved = env.state_dict()
    change(saved)
    with pytest.raises(EnvError, match=message):
        env.load_state_dict(saved)
    assert same_state(env, untouched)


def test_meters_that_no_statement_clamps_may_leave_their_bounds(valley: Module) -> None:
    env = make(valley)
    saved = env.state_dict()
    saved["state"]["meters"][2, 0] = -0.5
    env.load_state_dict(saved)
    assert env.state["meters"][2, 0] == -0.5


def test_progress_that_fits_is_taken(valley: Module) -> None:
    env = make(valley)
    saved = env.state_dict()
    saved["state"]["engaged"][0] = 1
    for progress, fits in ((1, True), (2, True), (3, False), (0, False)):
        saved["state"]["progress"][0] = progress
        if fits:
            env.load_state_dict(saved)
        else:
            with pytest.raises(EnvError, match="progress"):
                env.load_state_dict(saved)
