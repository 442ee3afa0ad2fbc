"""Values for arguments of public functions: such as all of a kind take, and such as they refuse."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import torch

import hamlet
import saved_policies
from hamlet.env.environment import Env

DESK = """
universe desk
space grid 4 x 3 { places stored }
lifespan 20 ticks
param rate = 1 in 0.5 .. 2
param haste = 1 in 0 .. 1
input wage = 0 in -1 .. 1
control lift in -1 .. 1
meter food = 1 { decay 0.01 * rate + 0.01 * haste }
affordance Stall at random { instantly { food += 0.1 } }
affordance Booth at (3, 2) { instantly { food += 0.2 } }
dies when food <= 0
reward food + wage + lift
observe { meters  here }
"""
LANES = 6


class Odd:
    """Nothing that anybody expects, and no representation either."""

    def __repr__(self) -> str:
        raise RuntimeError("none")


def of(*shape: int, value: float = 0, dtype: torch.dtype = torch.int32) -> torch.Tensor:
    return torch.full(shape, value, dtype=dtype)


def nested() -> torch.Tensor:
    return torch.nested.nested_tensor([of(2), of(4)])


def strange(*shape: int) -> list[Any]:
    """Tensors and arrays of the right shape that no number can be read from, and some of another shape."""
    return [
        of(*shape, dtype=torch.complex64),
        of(*shape).to_sparse(),
        torch.quantize_per_tensor(torch.zeros(shape), 0.1, 0, torch.quint8),
        of(*shape, dtype=torch.bool),
        torch.zeros(shape, device="meta"),
        nested(),
        of(*shape, 2),
        of(0),
        np.zeros(shape, "M8[s]"),
        np.zeros(shape, object),
        np.zeros(shape, complex),
        np.full(shape, "1"),
    ]


def learnt(env: Env, **others: Any) -> Any:
    return hamlet.policy(saved_policies.saved(Path(mkdtemp()) / "weights", env.module, **others))


def network(env: Env, **arguments: Any) -> hamlet.MLP:
    return hamlet.MLP.random(len(env.observation_names), env.num_actions, **arguments)


ODD = [Odd(), object(), b"1", {}, {1}, lambda: 1]
NO_INTEGER = [*ODD, None, "3", 2.0, math.nan, math.inf, True, np.True_, np.float32(2), [1], torch.tensor(3), 1j, 10**40]
NO_FLAG = [*ODD, 3, 1, 0, "no", "", None, math.nan, [], np.int64(1), torch.tensor(True)]
NO_WORD = [*ODD, 3, True, "", "x", math.nan, ["off"], np.zeros(2), torch.zeros(2)]
NO_PATH = [*ODD, None, 3, True, math.nan, ["a"], "a\0b", torch.zeros(1)]
NO_NAME = [*ODD, None, 3, True, "fod", ["food"], np.array(["food"]), math.nan]
NO_ACTIONS = [*ODD, None, 3, "UP", math.nan, True, [], [[1], [1, 2]], ["UP"] * LANES, [0.0] * LANES, [None] * LANES]
NO_NUMBERS = [*ODD, None, "much", True, 1j, math.nan, math.inf, 9, -9, 10**400, 1e300, [], [[1], [1, 2]], ["1"] * LANES]


def numbers(count: int) -> list[Any]:
    return [
        *NO_NUMBERS,
        *strange(count),
        of(count, value=9),
        of(count, value=math.nan, dtype=torch.float32),
        [9] * count,
    ]


def wrong_actions(*shape: int) -> list[Any]:
    tensors = [of(*shape, value=-1), of(*shape, value=99), of(*shape, value=1 << 40, dtype=torch.int64)]
    floats = [of(*shape, dtype=torch.float32), of(*shape, dtype=torch.float32).requires_grad_(), np.zeros(shape)]
    return [*NO_ACTIONS, *strange(*shape), *tensors, *floats, np.full(shape, (1 << 64) - 1, np.uint64)]


def right_actions(*shape: int) -> list[Any]:
    grouped = (*shape[:-1], 3, 2)
    types = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, ">i4"]
    arrays = [np.zeros(shape, dtype) for dtype in types]
    tensors = [
        of(*shape),
        of(*grouped),
        of(*shape, dtype=torch.uint16),
        of(*reversed(shape)).T if len(shape) > 1 else of(LANES),
    ]
    return [*arrays, *tensors, of(*shape).tolist(), np.zeros(grouped, int), of(*grouped).tolist(), list(of(*shape))]


@dataclass(frozen=True)
class Row:
    """What an argument takes, and what it does not. A name stands for what only an environment can make."""

    right: list[Any]
    wrong: list[Any]


@dataclass(frozen=True)
class Made:
    """A value made of the environment that is tested."""

    make: Callable[[Env], Any]


def saved(change: Callable[[dict[str, Any]], object]) -> Made:
    def make(env: Env) -> dict[str, Any]:
        state = env.state_dict()
        change(state)
        return state

    return Made(make)


def field(name: str, value: Any) -> Made:
    return saved(lambda state: state["state"].update({name: value}))


def elsewhere(**arguments: Any) -> Made:
    """A rollout of another environment."""
    given = {"worlds": 3, "agents": 2, "backend": "interpreter"} | arguments
    return Made(lambda env: hamlet.make(env.module, **given).rollout(1))


def counts(made: Made) -> Made:
    return Made(lambda env: made.make(env).counts)


def of_another_universe(env: Env) -> Any:
    """Counts of the same sizes."""
    return replace(elsewhere().make(env).counts, universe=replace(env.universe, name="bureau"))


def remembered(env: Env) -> int:
    """A tick that its history has."""
    env.keep_history()
    return env.tick


INTEGERS = [2, np.int64(2), np.uint8(2), np.int32(2)]
FLAGS = [True, False, np.True_]
PARAMS = [
    {"rate": 2},
    {"rate": np.ones(3), "haste": hamlet.Uniform(0, 1)},
    {"rate": hamlet.LogUniform(0.5, 2), "haste": hamlet.Normal(0.5, 9)},
    {"rate": hamlet.Choice([1, 2])},
]
NO_PARAMS = [
    *[value for value in ODD if value != {}],
    3,
    "rate",
    [("rate", 1)],
    {"rat": 1},
    {1: 1},
    {"haste": 1, "rate": 9},
    {"rate": torch.ones(6)},
    {"rate": "much"},
    {"rate": hamlet.Uniform},
    {"rate": hamlet.Uniform(0, 1)},
    {"rate": hamlet.LogUniform(1, 4)},
    {"rate": hamlet.Choice([1, 9])},
    {"rate": hamlet.Normal(9, 1)},
]
ARRAY = np.zeros((2, 2))

CONTROLS: list[Any] = [
    torch.zeros(1, LANES),
    torch.ones(1, LANES, dtype=torch.float64),
    torch.full((1, 3, 2), -1.0),
    np.zeros((1, LANES), np.float32),
    [[0.5] * LANES],
    {"lift": torch.ones(LANES)},
    {"lift": np.zeros((3, 2))},
    {"lift": -1},
]
NO_CONTROLS: list[Any] = [
    *ODD,
    *strange(1, LANES),
    *({"lift": value} for value in strange(LANES)),
    None,
    {},
    {"left": 0},
    {"lift": 0, "left": 0},
    {"lift": math.nan},
    {"lift": 1.5},
    torch.full((1, LANES), -1.5),
    torch.full((1, LANES), math.inf),
    torch.zeros(LANES),
    torch.zeros(2, LANES),
]


OUT = Row(
    [None, Made(lambda env: torch.empty_like(env.observation)), Made(lambda env: env.outputs())],  # type: ignore[arg-type]
    [
        *ODD,
        3,
        "x",
        np.zeros((LANES, 4), np.float32),
        torch.zeros(LANES, 4),
        torch.zeros(4, LANES),
        Made(lambda env: torch.empty_like(env.observation, dtype=torch.float64)),  # type: ignore[arg-type]
        Made(lambda env: torch.empty_like(env.observation)[:-1]),  # type: ignore[arg-type]
        Made(lambda env: torch.empty_like(env.observation, device="meta")),  # type: ignore[arg-type]
        nested(),
    ],
)
LARGE = 10**39
"""Beyond what binary32 holds."""
NO_REAL = [*ODD, None, "3", True, [1], 1j, 10**400, -(10**400), math.nan, math.inf, np.array(3), torch.tensor(3.0)]
LAYERS = [torch.zeros(4, 3), torch.zeros(7, 4)]
"""The weights of a network with 3 inputs, one hidden layer, 6 actions and a value."""
NO_LAYERS: list[Any] = [
    *ODD,
    *(None, 3, "x", [], [torch.zeros(4, 3)], [3, 3], [None, None], [np.zeros((4, 3)), np.zeros((7, 4))]),
    *([each.double() for each in LAYERS], [each.T for each in LAYERS], [torch.zeros(0, 3), torch.zeros(7, 0)]),
    *([each.to_sparse() for each in LAYERS], [torch.zeros(65, 3), torch.zeros(7, 65)], [nested(), nested()]),
]
