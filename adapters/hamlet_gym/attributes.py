"""Attributes of single worlds, as Gymnasium's vector environments of many single environments have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from hamlet.env.environment import Env
from hamlet.errors import EnvError, shown


def attribute_of_worlds(env: Env, name: Any) -> tuple[Any, ...]:
    """The numbers that worlds have for a param or an input, or once per world what they share.

    Raises:
        EnvError: there is no such attribute, or it is a method, or an array with all worlds.
    """
    for numbers in (env.params, env.inputs):
        if name in numbers:
            return tuple(numbers[name].tolist())
    if not isinstance(name, str) or name.startswith("_") or not hasattr(env, name):
        raise EnvError(f"worlds have no attribute {shown(name)}: {_settable(env)}")
    value = getattr(env, name)
    if callable(value) or isinstance(value, (Tensor, Mapping)):
        raise EnvError(f"{name} is one of all worlds: take env.{name}")
    return (value,) * env.num_worlds


def set_attribute_of_worlds(env: Env, name: Any, values: Any) -> None:
    """Write a param or an input: one number for all worlds, or numbers [worlds].

    Raises:
        EnvError: the universe has no such param and no such input, or a value is wrong. Nothing was changed.
    """
    for numbers in (env.params, env.inputs):
        if name in numbers:
            numbers[name] = list(values) if isinstance(values, tuple) else values
            return
    raise EnvError(f"worlds cannot be given {shown(name)}: {_settable(env)}")


def _settable(env: Env) -> str:
    names = ", ".join((*env.params, *env.inputs))
    return f"their own are params and inputs, {names}" if names else f"{env.universe.name} has no params and no inputs"
