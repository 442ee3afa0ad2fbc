"""`Env.step` inside `torch.compile`: one graph with a policy, the same bits; and the operator by itself."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.env.act import operator as ops
from hamlet.env.environment import Env
from hamlet.package.module import Module

FIRST_MEAL = Path(__file__).parents[3] / "generated" / "first_meal"


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """What earlier tests compiled does not count."""
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def act(env: Env, weights: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor, torch.Tensor]:
    """A tick under a policy; what was done, and what came of it."""
    assert env.observation is not None
    actions = (env.observation.float() @ weights).argmax(dim=-1)
    observation, reward, terminated, truncated, _ = env.step(actions)
    return actions, observation, reward, terminated | truncated


@pytest.mark.parametrize(("backend", "compiler"), [("interpreter", "eager"), ("c", "aot_eager")])
def test_compiled_steps_are_steps(backend: str, compiler: str, luck: Module) -> None:
    """Many ticks and episodes, with draws that depend on the tick and with bytes; every tick is the same graph."""
    module = luck if backend == "interpreter" else hamlet.load(FIRST_MEAL)
    dtype = "uint8" if backend == "interpreter" else "float32"
    eager, compiled = (
        hamlet.make(module, worlds=33, device="cpu", backend=backend, seed=4, obs_dtype=dtype) for _ in range(2)
    )
    values, actions = len(eager.observation_names), eager.num_actions
    weights = torch.randn(values, actions, generator=torch.Generator().manual_seed(1))
    function = torch.compile(act, fullgraph=True, backend=compiler)
    chosen: set[int] = set()
    endings = 0
    for _ in range(70):
        expected, found = act(eager, weights), function(compiled, weights)
        for left, right in zip(expected, found, strict=True):
            assert left is not None
            assert right is not None
            assert torch.equal(left, right)
        chosen |= set(expected[0].tolist())
        endings += int(expected[3].sum())
    for name, state in eager.state.items():
        assert torch.equal(state, compiled.state[name]), name
    assert (eager.tick, compiled.tick) == (70, 70)
    assert len(chosen) > 2
    assert endings > 10


def test_few_graphs(luck: Module) -> None:
    """The tick is no constant of a graph."""
    counter = torch._dynamo.testing.CompileCounter()
    env = hamlet.make(luck, worlds=5, backend="interpreter")
    function = torch.compile(act, fullgraph=True, backend=counter)
    weights = torch.randn(len(env.observation_names), env.num_actions)
    for _ in range(20):
        function(env, weights)
    assert counter.frame_count <= 3


def test_the_operator(luck: Module) -> None:
    """Schema, fake, functional form: what torch checks of an operator."""
    env = hamlet.make(luck, worlds=6, backend="interpreter")
    stepper, buffers = env._stepping._operator, env._buffers
    arguments = (torch.full((6,), 5, dtype=torch.int32), stepper.unchanged(buffers), stepper.changed(buffers))
    torch.library.opcheck(torch.ops.hamlet.step.default, (*arguments, 4, 0, 7, stepper.number))


def test_what_a_step_changes(valley: Module) -> None:
    """Everything but what is given; whatever a step writes is among it."""
    env = hamlet.make(valley, worlds=60, backend="interpreter")
    given, changed = env._stepping._operator.unchanged(env._buffers), env._stepping._operator.changed(env._buffers)
    assert [tensor.data_ptr() for tensor in given] == [env.state["params"].data_ptr()]
    everything = {tensor.data_ptr() for tensor in env._buffers.tensors}
    assert {tensor.data_ptr() for tensor in (*given, *changed)} == everything


def test_environments_are_not_kept_alive(luck: Module) -> None:
    env = hamlet.make(luck, worlds=2, backend="interpreter")
    number = env._stepping._operator.number
    assert number in ops._STEPPERS
    del env
    gc.collect()
    assert number not in ops._STEPPERS
