"""Steps as functions of a state give the bits of `Env.step`, and change nothing but what is handed in to be written."""

from __future__ import annotations

import pytest
import torch
from torch._dynamo.testing import CompileCounterWithBackend
from torch.utils import _pytree

import hamlet
from hamlet import EnvError
from hamlet.env.act.functional import Functional, Out, State
from hamlet.env.environment import Env
from hamlet.package.module import Module

TICKS = 40


def lived(module: Module, backend: str, obs_dtype: str = "float32") -> tuple[Env, Functional, State]:
    env = hamlet.make(module, worlds=19, agents=2, backend=backend, seed=3, obs_dtype=obs_dtype, quiet=True)
    env.params["cold"] = torch.linspace(0.5, 3, 19)
    return (env, *env.functional())


def actions() -> torch.Tensor:
    return torch.randint(7, (TICKS, 38), generator=torch.Generator().manual_seed(1), dtype=torch.int32)


def same(env: Env, state: State, out: Out) -> None:
    assert (state.seed, state.tick) == (env.seed, env.tick)
    for name, tensor in env.state.items():
        assert torch.equal(tensor, state.fields[name]), name
    gave = {**out._asdict(), "final_observation": state.final_observation}
    final = env.info["final_observation"]
    assert final is not None
    shown = {
        **env.outcome,
        "observation": env.observation,
        "action_mask": env.action_mask,
        "final_observation": final.T,
    }
    for name, tensor in shown.items():
        assert tensor is not None
        assert torch.equal(tensor, gave[name]), name


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_steps_are_those_of_an_environment(valley: Module, backend: str) -> None:
    env, functional, state = lived(valley, backend)
    ended = 0
    for row in actions():
        before = _pytree.tree_map_only(torch.Tensor, torch.clone, state)
        next_state, out = functional.step(state, row)
        for old, kept in zip(_pytree.tree_leaves(state), _pytree.tree_leaves(before), strict=True):
            assert torch.equal(old, kept) if isinstance(old, torch.Tensor) else old == kept
        env.step(row)
        same(env, next_state, out)
        ended += int((out.terminated | out.truncated).sum())
        state = next_state
    assert ended > 10


@pytest.mark.parametrize("place", [True, False])
def test_memory_is_handed_in(valley: Module, place: bool) -> None:
    """With the state itself a tick runs in place; with two in turn it writes one of them."""
    env, functional, state = lived(valley, "c", "bfloat16")
    script = actions()
    state, out = functional.step(state, script[0])
    env.step(script[0])
    other = functional.step(state, script[1])
    there, memory = (state, out), {leaf.data_ptr() for leaf in _pytree.tree_leaves((state, other)) if _is_tensor(leaf)}
    for row in script[1:]:
        target = there if place else other
        other, there = there, functional.step(there[0], row, into=target)
        env.step(row)
        same(env, *there)
        assert {leaf.data_ptr() for leaf in there[0].fields.values()} <= memory


@pytest.mark.parametrize("place", [False, True])
def test_steps_are_the_same_inside_torch_compile(valley: Module, place: bool) -> None:
    """A policy and a step in one graph, which can hold no read of a tensor's numbers, so nothing waits for it. Ticks
    share graphs."""
    torch._dynamo.reset()
    counter = CompileCounterWithBackend("aot_eager")
    env, functional, state = lived(valley, "c")
    weights = torch.randn(len(env.observation_names), env.num_actions, generator=torch.Generator().manual_seed(2))
    state, out = functional.step(state, actions()[0])
    env.step(actions()[0])

    def act(state: State, out: Out) -> tuple[State, Out]:
        assert out.observation is not None
        chosen = (out.observation @ weights).masked_fill(~out.action_mask, -torch.inf).argmax(dim=1)
        return functional.step(state, chosen, into=(state, out) if place else None)

    compiled = torch.compile(act, fullgraph=True, backend=counter)
    ended = 0
    for _ in range(TICKS):
        assert env.observation is not None
        env.step((env.observation @ weights).masked_fill(~env.action_mask, -torch.inf).argmax(dim=1))
        state, out = compiled(state, out)
        same(env, state, out)
        ended += int((out.terminated | out.truncated).sum())
    assert ended > 10
    assert counter.frame_count <= 3
    torch._dynamo.reset()


def _is_tensor(leaf: object) -> bool:
    return isinstance(leaf, torch.Tensor)


def test_a_reset_is_that_of_an_environment(valley: Module) -> None:
    env, functional, state = lived(valley, "interpreter")
    for row in actions()[:5]:
        state, _ = functional.step(state, row)
        env.step(row)
    for seed in (None, 8):
        state, out = functional.reset(state, seed)
        env.reset(seed)
        same(env, state, out)


def test_what_is_no_state_is_refused(valley: Module) -> None:
    _, functional, state = lived(valley, "interpreter")
    row = actions()[0]
    wrong = [
        {"fields": {**state.fields, "age": state.fields["age"].long()}},
        {"fields": {**state.fields, "age": state.fields["age"][:5]}},
        {"fields": {name: each for name, each in state.fields.items() if name != "age"}},
    ]
    for change in wrong:
        with pytest.raises(EnvError):
            functional.step(state._replace(**change), row)  # type: ignore[arg-type]
    with pytest.raises(EnvError, match="action 99 does not exist"):
        functional.step(state, torch.full_like(row, 99))
