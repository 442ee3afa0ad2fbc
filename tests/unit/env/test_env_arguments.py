"""Every argument of everything public: what it takes, numpy's numbers too; and that anything else is one line that says
what is wrong, and changes nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from argument_rows import GIVEN, TABLE, Made
from argument_values import DESK, LANES
from test_env_graphed import Recorder

import hamlet
from hamlet import HamletError
from hamlet.env.act.graph import Graphed
from hamlet.env.act.results import Rollout
from hamlet.env.environment import Env
from hamlet.env.write.params import Numbers
from hamlet.package.module import Module

CLASSES = (Module, Env, Numbers, Rollout, Graphed)
ITEMS = ("__getitem__", "__setitem__", "__delitem__")


@pytest.fixture(scope="module")
def desk(compiled: Callable[..., Module]) -> Module:
    return compiled(DESK, "triton")


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every function and method that a user calls, as `Env.step`."""
    for name in hamlet.__all__:
        if inspect.isfunction(getattr(hamlet, name)):
            yield name, getattr(hamlet, name)
    for name in ("Uniform", "LogUniform", "Normal", "Choice", "MLP"):
        yield name, getattr(hamlet, name)
    yield "MLP.random", hamlet.MLP.random
    yield "MLP.forward", hamlet.MLP.forward
    for owner in CLASSES:
        for name, value in inspect.getmembers(owner, inspect.isfunction):
            if name in ITEMS or not name.startswith("_"):
                yield f"{owner.__name__}.{name}", value


def arguments(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]


def test_every_argument_has_a_row() -> None:
    every = {(name, argument) for name, function in public() for argument in arguments(function)}
    assert every == set(TABLE)


def call(name: str, argument: str, value: Any, env: Env) -> Any:
    """Call something with one argument of its own choice."""
    owner, _, method = name.rpartition(".")
    targets = {"Module": env.module, "Env": env, "Numbers": env.params, "": hamlet, "MLP": hamlet.MLP.random(3, 6)}
    target = Recorder(env).graphed() if owner == "Graphed" else targets[owner]
    value = value.make(env) if isinstance(value, Made) else value
    if argument in ("others", "key", "default") and name != "Numbers.setdefault":
        return getattr(target, method)(value)
    given = ({"module": env.module} if name in ("make", "replay") else {}) | GIVEN.get(name, {}) | {argument: value}
    given = {each: other.make(env) if isinstance(other, Made) else other for each, other in given.items()}
    if name in (
        "Numbers.__setitem__",
        "Numbers.__getitem__",
        "Numbers.__delitem__",
        "Numbers.setdefault",
        "Numbers.get",
    ):
        return getattr(target, method)(*given.values())
    return getattr(target, method)(**given)


def make(desk: Module) -> Env:
    env = hamlet.make(desk, worlds=3, agents=2, backend="c", seed=4)
    env.rollout(3)
    return env


CASES = [pytest.param(name, argument, id=f"{name}-{argument}") for name, argument in TABLE]


@pytest.mark.parametrize(("name", "argument"), CASES)
def test_what_is_wrong_is_one_line_and_changes_nothing(name: str, argument: str, desk: Module) -> None:
    env, untouched = make(desk), make(desk)
    for number, value in enumerate(TABLE[name, argument].wrong):
        with pytest.raises(HamletError) as caught:
            print(call(name, argument, value, env), "came of number", number)
        message = str(caught.value)
        assert message, number
        assert "\n" not in message, message
        assert len(message) <= 200, message
        assert "Odd object" not in message
        assert (env.tick, env.seed) == (3, 4), number
    for field_name, values in untouched.state.items():
        assert torch.equal(values, env.state[field_name]), field_name
    assert env.observation is not None
    assert untouched.observation is not None
    assert torch.equal(env.observation, untouched.observation)


@pytest.mark.parametrize(("name", "argument"), CASES)
def test_what_is_right_is_taken(name: str, argument: str, desk: Module) -> None:
    for value in TABLE[name, argument].right:
        call(name, argument, value, make(desk))


def test_other_words_for_the_same_actions(desk: Module) -> None:
    env, lift = make(desk), {"lift": 0.5}
    chosen = torch.tensor([0, 1, 2, 3, 4, 5])
    expected = hamlet.make(desk, worlds=3, agents=2, backend="c", seed=4)
    expected.rollout(3)
    expected.step(chosen, lift)
    ways: list[Any] = [chosen.view(3, 2), chosen.tolist(), chosen.numpy(), chosen.view(3, 2).numpy().astype(np.uint16)]
    ways += [tuple(chosen.tolist()), chosen.view(3, 2).tolist(), list(chosen), [chosen[:2], chosen[2:4], chosen[4:]]]
    for way in ways:
        env = make(desk)
        env.step(way, lift)
        assert torch.equal(env.state["meters"], expected.state["meters"])
        assert torch.equal(env.state["position"], expected.state["position"])
    script = torch.randint(6, (5, LANES), generator=torch.Generator().manual_seed(0))
    env, expected = make(desk), make(desk)
    env.rollout(5, script.view(5, 3, 2).numpy(), controls=lift)
    for actions in script:
        expected.step(actions, lift)
    assert torch.equal(env.state["meters"], expected.state["meters"])


def test_numbers_in_other_words(desk: Module) -> None:
    env = make(desk)
    env.params["rate"] = [0.5, 1, 2]
    assert env.params["rate"].tolist() == [0.5, 1, 2]
    env.params["rate"] = np.array([2, 1, 1], np.int16)
    assert env.params["rate"].tolist() == [2, 1, 1]
    env.inputs["wage"] = np.linspace(0, 1, 6).reshape(3, 2)
    assert torch.equal(env.inputs["wage"], torch.linspace(0, 1, 6))
    env.inputs["wage"] = torch.ones(6, requires_grad=True)
    assert not env.inputs["wage"].requires_grad
    env.params.update({"rate": 1, "haste": 0}, rate=2)
    assert [env.params[name].tolist() for name in env.params] == [[2.0] * 3, [0.0] * 3]
    assert "rate" in env.params
    assert "rat" not in env.params
    assert env.params.get("rat") is None


def test_paths_that_are_paths(desk: Module, tmp_path: Path) -> None:
    assert hamlet.load(desk.path).name == hamlet.load(str(desk.path)).name == "desk"
    with pytest.raises(HamletError, match="no such file"):
        hamlet.compile(str(tmp_path / "nothing.hamlet"))
