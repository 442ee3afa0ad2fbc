"""Arrays of buffers for kernels: kept from call to call, never longer than the memory they stand for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch

import hamlet
from hamlet.launch.cpu.memory import BufferArrays

FIRST_MEAL = hamlet.load(Path(__file__).parents[3] / "generated" / "first_meal")


def test_arrays_are_kept() -> None:
    env, other = (hamlet.make(FIRST_MEAL, worlds=5, device="cpu", backend="interpreter", quiet=True) for _ in range(2))
    memory = BufferArrays()
    arrays = memory.of(env._buffers)
    assert memory.of(env._buffers) is arrays
    assert memory.of(other._buffers) is not arrays
    assert memory.of(other._buffers)["age"].ctypes.data == other.state["age"].data_ptr()


def test_a_tensor_that_moved_is_found() -> None:
    """`share_memory_` gives a tensor other memory and frees what it had."""
    env, still = (hamlet.make(FIRST_MEAL, worlds=50, device="cpu", backend="c", seed=3, quiet=True) for _ in range(2))
    generator = torch.Generator().manual_seed(5)
    for tick in range(40):
        if tick == 20:
            before = env.state["meters"].data_ptr()
            for tensor in (*env.state.values(), *env.outcome.values(), env.observation):
                assert tensor is not None
                tensor.share_memory_()
            assert env.state["meters"].data_ptr() != before
        actions = torch.randint(env.num_actions, (50,), generator=generator)
        env.step(actions)
        still.step(actions)
        for expected, found in zip(still._buffers.tensors, env._buffers.tensors, strict=True):
            assert torch.equal(expected, found)
    assert int(env.state["age"].max()) == 40


def test_a_launch_that_observes_nothing_has_the_machine_code_of_the_others() -> None:
    env = hamlet.make(
        FIRST_MEAL, worlds=5, device="cpu", backend="interpreter", obs_dtype="bfloat16", seed=3, quiet=True
    )
    memory, unseen = BufferArrays(), replace(env._buffers, observation=None)
    observed = memory.of(env._buffers)["observation"]
    nothing = memory.of(unseen)["observation"]
    assert (nothing.shape, nothing.dtype, nothing.flags.c_contiguous) == ((0, 5), observed.dtype, True)
    assert memory.of(env._buffers)["observation"] is observed
    env.state["meters"].share_memory_()
    assert memory.of(unseen)["observation"].dtype == observed.dtype
    assert memory.of(env._buffers)["observation"].ctypes.data == observed.ctypes.data
