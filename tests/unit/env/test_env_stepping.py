"""What a step is given, looked at by the kernel and refused before anything changes; and closed environments."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.package.module import Module


def made(module: Module, worlds: int, backend: str = "c", seed: int = 3) -> Env:
    return hamlet.make(module, worlds=worlds, backend=backend, seed=seed, quiet=True)


def same(left: Env, right: Env) -> None:
    assert (left.seed, left.tick) == (right.seed, right.tick)
    for one, other in zip(left._buffers.tensors, right._buffers.tensors, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("worlds", [1, 70, 9000])
def test_steps_of_all_sizes_and_types(luck: Module, worlds: int) -> None:
    """One lane, a part of a chunk, several threads; i32 and i64, contiguous or not."""
    env, expected = made(luck, worlds), made(luck, worlds, "interpreter")
    generator = torch.Generator().manual_seed(2)
    for tick in range(8):
        given = torch.randint(env.num_actions, (worlds, 2), generator=generator)[:, tick % 2]
        forms = (given, given.to(torch.int32), given.to(torch.uint8), given.contiguous())
        env.step(forms[tick % 4])
        expected.step(given)
        same(env, expected)


@pytest.mark.parametrize("worlds", [70, 9000])
@pytest.mark.parametrize(
    "wrong", [-1, 9, (1 << 32) + 1, -(1 << 63), (1 << 31) - 1], ids=["least", "most", "narrow", "low", "high"]
)
def test_a_wrong_action_changes_nothing(luck: Module, worlds: int, wrong: int) -> None:
    env, before = made(luck, worlds), made(luck, worlds)
    for each in (env, before):
        each.step(torch.zeros(worlds, dtype=torch.int32))
    given = torch.zeros(worlds, dtype=torch.int64)
    given[-1] = wrong
    types = [torch.int64] if abs(wrong) >= 1 << 31 else [torch.int64, torch.int32]
    for dtype in types:
        with pytest.raises(EnvError, match=rf"action {wrong} does not exist"):
            env.step(given.to(dtype))
        same(env, before)


def test_observations_go_where_they_are_asked_for(luck: Module) -> None:
    env, expected = made(luck, 1), made(luck, 1)
    for tick in range(4):
        out = torch.empty_like(expected.observation)  # type: ignore[arg-type]
        given = torch.full((1,), tick % env.num_actions)
        observation = env.step(given, out=out)[0]
        expected.step(given)
        assert observation is out
        assert torch.equal(out, expected.observation)  # type: ignore[arg-type]


@pytest.mark.parametrize("worlds", [70, 9000])
def test_outputs_go_where_they_are_asked_for(luck: Module, worlds: int) -> None:
    """In one thread and in several; what other outputs had stays."""
    env, expected = made(luck, worlds), made(luck, worlds)
    outs = [env.outputs(), env.outputs()]
    kept: dict[str, torch.Tensor] = {}
    for tick in range(6):
        given = torch.full((worlds,), tick % env.num_actions)
        out = outs[tick % 2]
        assert env.step(given, out=out) is out.results
        expected.step(given)
        assert expected.observation is not None
        found = {"observation": expected.observation, "action_mask": expected.action_mask, **expected.outcome}
        assert all(torch.equal(out.tensors()[name], values) for name, values in found.items())
        assert all(torch.equal(outs[(tick + 1) % 2].tensors()[name], values) for name, values in kept.items())
        kept = {name: values.clone() for name, values in found.items()}


def test_a_tensor_that_moved_is_written_where_it_is(luck: Module) -> None:
    env, still = made(luck, 40), made(luck, 40)
    for tick in range(6):
        if tick == 3:
            env.state["age"].set_(env.state["age"].clone())
            env.outcome["reward"].share_memory_()
        for each in (env, still):
            each.step(torch.full((40,), tick % env.num_actions))
        same(env, still)


def test_environments_on_two_threads(luck: Module) -> None:
    envs = [made(luck, 5000, seed=seed) for seed in (1, 2)]
    alone = [made(luck, 5000, seed=seed) for seed in (1, 2)]

    def run(env: Env) -> None:
        for tick in range(10):
            env.step(torch.full((5000,), tick % env.num_actions))

    threads = [threading.Thread(target=run, args=(env,)) for env in envs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for env, other in zip(envs, alone, strict=True):
        run(other)
        same(env, other)


def test_autocast_changes_no_bit(luck: Module) -> None:
    """And observations in bf16 are what a layer takes there."""
    env, other = (hamlet.make(luck, worlds=9, seed=1, backend="c", obs_dtype="bfloat16", quiet=True) for _ in "12")
    layer = torch.nn.Linear(len(env.observation_names), 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        observation = env.step(torch.zeros(9, dtype=torch.int32))[0]
        assert observation is not None
        assert layer(observation).dtype is torch.bfloat16
    other.step(torch.zeros(9, dtype=torch.int32))
    same(env, other)


AFTER: dict[str, Callable[[Env], object]] = {
    "step": lambda env: env.step(torch.zeros(9, dtype=torch.int32)),
    "reset": lambda env: env.reset(),
    "rollout": lambda env: env.rollout(3),
    "observe": lambda env: env.observe(),
    "observation": lambda env: env.observation,
    "state": lambda env: env.state["age"],
    "mask": lambda env: env.action_mask,
    "info": lambda env: env.info["used"],
    "checkpoint": lambda env: env.state_dict(),
    "functional": lambda env: env.functional(),
    "render": lambda env: env.render(),
    "params": lambda env: env.params.update({}),
    "reports": lambda env: env.reports["x"],
    "copy": lambda env: __import__("copy").copy(env),
}


@pytest.mark.parametrize("call", AFTER)
def test_a_closed_environment_says_so(luck: Module, call: str) -> None:
    env = made(luck, 9, "interpreter")
    kept = env.observation
    env.close()
    env.close()
    with pytest.raises(EnvError, match="closed"):
        AFTER[call](env)
    assert "luck" in repr(env)
    assert kept is not None
