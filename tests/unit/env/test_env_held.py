"""Params and inputs hold their bounds whoever writes them; and attributes that nobody reads cannot be assigned."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from test_env_graphed import Recorder

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.package.module import Module

MILL = """
universe mill
space grid 3 x 3
lifespan 30 ticks
param scale = 0.5 in 0.1 .. 1
param grain = 1 in 0 .. 2
input force = 0 in -1 .. 1
meter flour = 0.5 { decay 0.01 / scale * grain }
rule push: flour += 0.01 * force
affordance Stone at random { instantly { flour += 0.1 } }
dies when flour <= 0
reward flour
observe { meters  params }
"""
BACKENDS = ["interpreter", "c"]
NAN = float("nan")
ACTIONS = torch.zeros(8, dtype=torch.int32)

Write = Callable[[Env], object]
WRITES: dict[str, tuple[Write, str]] = {
    "a zero divisor": (
        lambda env: env.params["scale"].__setitem__(0, 0.0),
        "param scale must lie in 0.1 .. 1, not 0 in",
    ),
    "a NaN": (
        lambda env: env.params["grain"].__setitem__(3, NAN),
        "param grain must lie in 0 .. 2, not nan in world 3",
    ),
    "an input": (lambda env: env.inputs["force"].fill_(99), "input force must lie in -1 .. 1, not 99 in lane 0"),
    "the state": (lambda env: env.state["params"].mul_(50), "param scale must lie in 0.1 .. 1, not 25 in world 0"),
    "inputs of the state": (lambda env: env.state["inputs"][0, 5:].fill_(-2), "input force .* not -2 in lane 5"),
    "out": (lambda env: torch.add(torch.zeros(4), 9, out=env.params["grain"]), "param grain .* not 9 in world 0"),
    "foreach": (lambda env: torch._foreach_add_([env.params["grain"]], 7.0), "param grain .* not 7.5 in world 0"),
    "a detached view": (
        lambda env: env.params["grain"].detach().copy_(torch.full((4,), -1.0)),
        "param grain .* not -1",
    ),
    "inference": (lambda env: written_in_inference(env), "param grain must lie in 0 .. 2, not 5 in world 1"),
}
CALLS: dict[str, Callable[[Env], object]] = {
    "step": lambda env: env.step(ACTIONS),
    "rollout": lambda env: env.rollout(3),
    "reset": lambda env: env.reset(),
    "reset with a seed": lambda env: env.reset(seed=9),
    "observe": lambda env: env.observe(),
    "state_dict": lambda env: env.state_dict(),
    "check_given": lambda env: env.check_given(),
    "an assignment": lambda env: env.params.update(scale=1),
    "deepcopy": lambda env: copy.deepcopy(env),
    "pickle": lambda env: pickle.dumps(env),
}


def written_in_inference(env: Env) -> None:
    with torch.inference_mode():
        env.params["grain"][1] = 5


@pytest.fixture(scope="module")
def mill(compiled: Callable[[str], Module]) -> Module:
    return compiled(MILL)


def make(mill: Module, backend: str = "interpreter", **arguments: Any) -> Env:
    return hamlet.make(mill, worlds=4, agents=2, backend=backend, seed=2, **arguments)


def same(left: Env, right: Env) -> None:
    for one, other in ((left.state, right.state), (left.outcome, right.outcome)):
        for name, values in one.items():
            assert torch.equal(values, other[name]), name
    assert left.observation is not None
    assert right.observation is not None
    assert torch.equal(left.observation, right.observation)
    assert torch.equal(left.action_mask, right.action_mask)
    assert (left.tick, left.seed) == (right.tick, right.seed)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("write", WRITES)
def test_what_is_written_in_place_is_refused_and_undone(mill: Module, backend: str, call: str, write: str) -> None:
    """Before anything happens: nothing that is not a number gets into a meter."""
    env, untouched = make(mill, backend), make(mill, backend)
    for each in (env, untouched):
        each.params["grain"] = [0.5, 1, 1, 1]
        each.rollout(4)
    changed, message = WRITES[write]
    changed(env)
    with pytest.raises(EnvError, match=f"{message}.*: it was written in place, and is what it was before"):
        CALLS[call](env)
    same(env, untouched)
    for each in (env, untouched):
        each.step(ACTIONS)
    same(env, untouched)
    assert env.state["meters"].isfinite().all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_views_from_before_and_values_within_bounds(mill: Module, backend: str) -> None:
    """What is within bounds is taken over; what was put back is what was taken over last, of each param its own."""
    env, assigned = make(mill, backend), make(mill, backend)
    scale, force = env.params["scale"], env.inputs["force"]
    env.rollout(2)
    assigned.rollout(2)
    scale[1] = 0.25
    force[3:] = 0.5
    env.step(ACTIONS)
    assigned.params["scale"] = [0.5, 0.25, 0.5, 0.5]
    assigned.inputs["force"] = [0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0.5]
    assigned.step(ACTIONS)
    same(env, assigned)
    scale[2] = 0.0
    env.params["grain"][0] = 2.0
    with pytest.raises(EnvError, match=r"param scale .* not 0 in world 2"):
        env.step(ACTIONS)
    assert scale.tolist() == [0.5, 0.25, 0.5, 0.5]
    assert env.params["grain"].tolist() == [2, 1, 1, 1]
    env.step(ACTIONS)


def test_an_assignment_does_not_hide_what_was_written_in_place(mill: Module) -> None:
    env = make(mill)
    env.params["grain"][0] = 9
    with pytest.raises(EnvError, match=r"param grain .* it was written in place"):
        env.params["scale"] = 1
    assert env.params["scale"].tolist() == [0.5] * 4
    assert env.params["grain"].tolist() == [1] * 4


def test_nothing_is_looked_at_where_nothing_was_written(mill: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU looking waits for the device."""
    env = make(mill)
    for name in ("params", "inputs"):
        monkeypatch.setattr(env._held[name], "_settle", lambda: pytest.fail("somebody looked"))
    env.params["scale"] = 0.2
    env.inputs["force"] = torch.linspace(-1, 1, 8)
    for call in CALLS.values():
        call(env)
    env.load_state_dict(env.state_dict())
    env.step(ACTIONS)


def test_recorded_steps_hold_them(mill: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recording itself writes nothing into them."""
    env, untouched = make(mill), make(mill)
    graphed = Recorder(env).graphed()
    with monkeypatch.context() as patch:
        for name in ("params", "inputs"):
            patch.setattr(env._held[name], "_settle", lambda: pytest.fail("somebody looked"))
        graphed.step(ACTIONS)
        env.reset(seed=8)
        graphed.step(ACTIONS)
    for call in (lambda: untouched.step(ACTIONS), lambda: untouched.reset(seed=8), lambda: untouched.step(ACTIONS)):
        call()
    env.inputs["force"][3] = NAN
    with pytest.raises(EnvError, match=r"input force must lie in -1 .. 1, not nan in lane 3"):
        graphed.step()
    same(env, untouched)
    with pytest.raises(EnvError, match=r"'actions' of Graphed cannot be assigned: write into it in place"):
        graphed.actions = ACTIONS


def test_inputs_without_validation_are_not_looked_at_and_params_are(mill: Module) -> None:
    env = make(mill, validate=False)
    env.inputs["force"].fill_(9)
    env.step(ACTIONS)
    assert env.inputs["force"].tolist() == [9] * 8
    env.params["scale"].zero_()
    with pytest.raises(EnvError, match="param scale"):
        env.step(ACTIONS)
    env.inputs["force"] = 99
    env.step(ACTIONS)


def test_gradients_do_not_stick(mill: Module) -> None:
    env = make(mill)
    weight = torch.ones(4, requires_grad=True)
    env.params["grain"].copy_(weight)
    env.step(ACTIONS)
    assert not env.params["grain"].requires_grad
    env.params["grain"] = weight
    assert not env.params["grain"].requires_grad


def test_an_environment_made_in_inference_mode_holds_them_too(mill: Module) -> None:
    with torch.inference_mode():
        env = make(mill)
        env.params["grain"][0] = 9
        with pytest.raises(EnvError, match="param grain"):
            env.step(ACTIONS)
    env.step(ACTIONS)


@pytest.fixture
def fresh() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("compiler", ["eager", "aot_eager"])
def test_a_compiled_graph_that_writes_them(mill: Module, compiler: str) -> None:
    """`aot_eager` steps on copies of what it has written."""
    env = make(mill)

    def act(scale: torch.Tensor) -> torch.Tensor:
        env.params["scale"].copy_(scale)
        return env.step(ACTIONS)[1]

    compiled = torch.compile(act, backend=compiler)
    compiled(torch.full((4,), 0.5))
    compiled(torch.full((4,), 0.25))
    assert env.tick == 2
    for wrong in (0.0, NAN):
        with pytest.raises(EnvError, match="param scale must lie in"):
            compiled(torch.full((4,), wrong))
        assert env.params["scale"].tolist() == [0.25] * 4
        assert env.tick == 2
    compiled(torch.full((4,), 1.0))
    assert env.state["meters"].isfinite().all()


# --- attributes that nobody reads ------------------------------------------------------------------------------------


def assigned(name: str, value: Any, get: Callable[[Env], Any] = lambda env: env) -> Callable[[Env], object]:
    return lambda env: setattr(get(env), name, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (assigned("grain", 2, lambda env: env.params), r"no attribute 'grain', .*: write env.params\[\"grain\"\]"),
        (assigned("force", 1, lambda env: env.inputs), r"no attribute 'force', .*: write env.inputs\[\"force\"\]"),
        (assigned("grin", 1, lambda env: env.params), "the params are scale, grain"),
        (assigned("param", 1), "Env has no attribute 'param', and takes no new ones: did you mean `params`"),
        (assigned("params", {}), r"'params' of Env cannot be assigned: write env.params\[\"name\"\] = ..."),
        (assigned("seed", 3), r"'seed' of Env cannot be assigned: call reset\(seed=...\)"),
        (assigned("tick", 3), "'tick' of Env cannot be assigned"),
        (assigned("validate", False), "'validate' of Env cannot be assigned: make another environment"),
        (assigned("step", None), "'step' of Env cannot be assigned"),
        (assigned("flour", 1), r"call env.set\(\"flour\", ...\)"),
        (assigned("whatever", 1), "Env has no attribute 'whatever', and takes no new ones"),
        (lambda env: env.grain, r"Env has no attribute 'grain': write env.params\[\"grain\"\]"),
        (lambda env: env.params.grain, r"write env.params\[\"grain\"\]"),
        (lambda env: env.action_masks, "did you mean `action_mask`"),
        (lambda env: delattr(env, "params"), "'params' of Env cannot be deleted"),
        (lambda env: delattr(env, "nothing"), "Env has no attribute 'nothing'"),
    ],
)
def test_attributes_that_nobody_reads(mill: Module, change: Callable[[Env], object], message: str) -> None:
    env, untouched = make(mill), make(mill)
    with pytest.raises(EnvError, match=message):
        change(env)
    with pytest.raises(AttributeError, match=message):
        change(env)
    assert not hasattr(env, "whatever")
    for each in (env, untouched):
        each.rollout(3)
    same(env, untouched)
