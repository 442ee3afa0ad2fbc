"""Every argument of everything public: what it takes, numpy's numbers too; and that anything else is one line that says
what is wrong, and changes nothing."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
import torch
from test_env_graphed import Recorder

import hamlet
import saved_policies
from hamlet import HamletError
from hamlet.env.act.graph import Graphed
from hamlet.env.act.results import Rollout
from hamlet.env.environment import Env
from hamlet.env.write.params import Numbers
from hamlet.package.module import Module

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
CLASSES = (Module, Env, Numbers, Rollout, Graphed)
ITEMS = ("__getitem__", "__setitem__", "__delitem__")


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
TABLE: dict[tuple[str, str], Row] = {
    ("compile", "path"): Row([], NO_PATH),
    ("compile", "output"): Row([], [value for value in NO_PATH if value is not None]),
    ("load", "package"): Row([], NO_PATH),
    ("Module.kernels", "target"): Row(["triton"], [*NO_WORD, None]),
    ("policy", "path"): Row([], [*NO_PATH, "", "nothing"]),
    ("policy", "greedy"): Row([], NO_FLAG),
    ("make", "module"): Row([Made(lambda env: env.module)], [*NO_WORD, None, hamlet]),
    ("make", "worlds"): Row(INTEGERS, [*NO_INTEGER, 0, -1]),
    ("make", "agents"): Row([None, *INTEGERS], [value for value in [*NO_INTEGER, 0, -1] if value is not None]),
    ("make", "first_world"): Row(INTEGERS, [*NO_INTEGER, -1]),
    ("make", "shard"): Row(
        [None, "torchrun", (2, 3), [np.int64(0), 3]],
        [value for value in [*ODD, 3, "x", (0, 0), (3, 3), (0, 4), (0, 1, 2), (0.0, 3), ("0", 3)] if value is not None],
    ),
    ("make", "seed"): Row([*INTEGERS, (1 << 64) - 1], [*NO_INTEGER, -1, 1 << 64]),
    ("make", "params"): Row([None, {}, *PARAMS], NO_PARAMS),
    ("make", "device"): Row(["cpu", None, torch.device("cpu"), "cpu:0"], [*NO_WORD, 0, "cpu:1", "meta"]),
    ("make", "backend"): Row(["c", "interpreter"], [*NO_WORD, None]),
    ("make", "obs_dtype"): Row([None, "uint8", torch.bfloat16], [*NO_WORD, torch.float64, np.float32]),
    ("make", "validate"): Row([*FLAGS, None], [value for value in NO_FLAG if value is not None]),
    ("make", "quiet"): Row(FLAGS, NO_FLAG),
    ("make", "tune"): Row(["max", "off"], [*NO_WORD, None]),
    ("make", "launch"): Row(["step", "auto"], [*NO_WORD, None, "graph"]),
    ("make", "autoreset"): Row(["same_step", "next_step"], [*NO_WORD, None]),
    ("Env.meter", "name"): Row(["food", np.str_("food")], NO_NAME),
    ("Env.reset", "seed"): Row([None, *INTEGERS], [value for value in [*NO_INTEGER, -1, 1 << 64] if value is not None]),
    ("Env.reset", "params"): Row([None, {}, *PARAMS], NO_PARAMS),
    ("Env.reset", "out"): OUT,
    ("Env.reset", "worlds"): Row(
        [None, [True, False, True], np.zeros(3, bool), torch.ones(3, dtype=torch.bool), (np.True_, False, True)],
        [
            *ODD,
            3,
            "all",
            True,
            [0, 2],
            [1, 0, 1],
            [True],
            [True] * 6,
            [[True] * 3],
            torch.ones(3),
            *[value for value in strange(3) if getattr(value, "dtype", None) != torch.bool],
            [None] * 3,
        ],
    ),
    ("Env.step", "actions"): Row(right_actions(LANES), wrong_actions(LANES)),
    ("Env.step", "out"): OUT,
    # Its names are those of outputs: `tensors` is none.
    ("Env.outputs", "tensors"): Row([], [*ODD, torch.zeros(LANES)]),
    ("Env.view", "world"): Row(INTEGERS, [*NO_INTEGER, 3, -1]),
    ("Env.render", "mode"): Row(["ansi", "rgb_array"], [*NO_WORD, None]),
    ("Env.render", "world"): Row(INTEGERS, [*NO_INTEGER, 3, -1]),
    ("Env.plot", "world"): Row([2], [*NO_INTEGER, 3, -1]),
    ("Env.checked_actions", "actions"): Row(right_actions(LANES), wrong_actions(LANES)),
    ("Env.step", "controls"): Row(CONTROLS, NO_CONTROLS),
    ("Env.checked_controls", "controls"): Row(CONTROLS, NO_CONTROLS),
    ("Env.rollout", "controls"): Row(
        [None, torch.zeros(2, 1, LANES), np.zeros((2, 1, 3, 2)), {"lift": torch.ones(2, LANES)}, {"lift": 1}],
        [*ODD, *strange(2, 1, LANES), {}, {"lift": math.nan}, {"lift": torch.ones(LANES)}, torch.zeros(3, 1, LANES)],
    ),
    ("Env.rollout", "inputs"): Row(
        [None, {}, {"wage": torch.ones(2, LANES)}, {"wage": np.zeros((2, 3, 2))}, {"wage": 0.5}],
        [
            *ODD[:3],
            *({"wage": value} for value in strange(2, LANES)),
            {"pay": 1},
            {"wage": 2},
            {"wage": torch.zeros(LANES)},
            [],
            torch.zeros(2, 1, LANES),
        ],
    ),
    ("Env.rollout", "watch"): Row(
        [None, [0, 5], (3,), np.array([1, 4]), torch.tensor([2])],
        [*ODD, 3, "all", True, [6], [-1], [0.5], [math.nan], [1, 1], [True], [[0]], [], [None], of(2, value=9)],
    ),
    ("Env.rollout", "ticks"): Row(INTEGERS, [*NO_INTEGER, 0, -1, 1 << 31]),
    ("Env.rollout", "policy"): Row(
        ["random", *right_actions(2, LANES), Made(network), Made(lambda env: network(env, members=3))],
        [
            *wrong_actions(2, LANES),
            "greedy",
            of(LANES),
            hamlet.MLP,
            Made(lambda env: network(env, members=2)),
            hamlet.MLP.random(1, 1),
            Made(lambda env: learnt(env, digest="0" * 64, universe="another")),
        ],
    ),
    ("Env.rollout", "store"): Row([None], [*ODD, 3, "x", torch.zeros(2), Made(lambda env: env.storage(2))]),
    ("Env.storage", "ticks"): Row(INTEGERS, [*NO_INTEGER, 0, -1, 1 << 31]),
    ("Env.storage", "names"): Row(
        [None, [], ["actions"], ("values", "rewards")], [*ODD, 3, "actions", ["action"], [3], torch.zeros(2)]
    ),
    ("Env.rollout", "observe"): Row(FLAGS, NO_FLAG),
    ("Env.rollout", "per_world"): Row(FLAGS, NO_FLAG),
    ("Env.rollout", "per_lane"): Row([None, 0, *INTEGERS], [v for v in [*NO_INTEGER, -1, 1 << 31] if v is not None]),
    ("Env.rollout", "statistics"): Row(
        [True, False, counts(elsewhere()), counts(elsewhere(seed=5))],
        [*NO_FLAG, elsewhere(), counts(elsewhere(worlds=4)), Made(of_another_universe)],
    ),
    ("Env.alone", "world"): Row(INTEGERS, [*NO_INTEGER, 3, -1]),
    ("Env.at", "tick"): Row([Made(remembered)], [*NO_INTEGER, -1, 1 << 32]),
    ("Env.at", "world"): Row([], [*NO_INTEGER, 3, -1]),
    ("Env.keep_history", "memory"): Row([0, 1 << 20, np.int64(1 << 16)], [*NO_INTEGER, -1, 9, 1 << 60]),
    ("Env.record", "world"): Row(INTEGERS, [*NO_INTEGER, 3, -1]),
    ("Env.record", "ticks"): Row([None, *INTEGERS], [v for v in [*NO_INTEGER, 0, -1, 1 << 31] if v is not None]),
    ("Env.acting", "policy"): Row(
        ["random", Made(network)],
        [*wrong_actions(LANES), "greedy", of(1, LANES), Made(lambda env: network(env, members=2))],
    ),
    ("Env.record", "policy"): Row(
        ["random", of(3, 2), of(3, 2).tolist(), np.ones((3, 2), int), lambda seen, _: [0] * len(seen)],
        [each for each in [*wrong_actions(3, 2), "greedy", of(2)] if not callable(each)],
    ),
    ("Env.save", "path"): Row([], NO_PATH),
    ("Env.save", "counts"): Row([], [*ODD, 3, True, elsewhere(), counts(elsewhere(worlds=4))]),
    ("Env.load", "path"): Row([], NO_PATH),
    ("replay", "episode"): Row([Made(lambda env: env.record(1, 2))], [*NO_PATH, "nothing.episode"]),
    ("replay", "module"): Row([Made(lambda env: env.module)], [*NO_WORD, None, hamlet]),
    ("replay", "backend"): Row(["interpreter"], [*NO_WORD, None]),
    ("replay", "device"): Row(["cpu", None, torch.device("cpu")], [*NO_WORD, 0, "cpu:1", "meta"]),
    ("replay", "ticks"): Row([None, *INTEGERS], [v for v in [*NO_INTEGER, 0, -1] if v is not None]),
    ("Env.telemetry", "every"): Row(INTEGERS, [*NO_INTEGER, 0, -1, 1 << 31]),
    ("Env.telemetry", "to"): Row(
        [print, [], [print, print]], [*(each for each in ODD if not callable(each)), None, 3, "x", Env, [print, 3]]
    ),
    ("Env.telemetry", "gather"): Row(FLAGS, NO_FLAG),
    ("Env.tabular", "table"): Row(
        [of(4), of(4).tolist(), np.zeros(4, int), torch.eye(6)[:4]],
        [*NO_ACTIONS, *strange(4), of(4, value=6), of(4, value=-1), torch.zeros(4, 6), torch.full((4, 6), torch.nan)],
    ),
    ("Env.tabular", "features"): Row(
        [["x"], ("x",), [("food", np.int64(4))], [("food", 4)]],
        [
            *ODD,
            None,
            "x",
            3,
            [3],
            [None],
            ["z"],
            ["x", "y"],
            [("food",)],
            [("food", 4, 4)],
            [("food", True)],
            [("x", 4)],
        ],
    ),
    ("Env.set", "name"): Row(["food", np.str_("food")], ["position", *NO_NAME, "rate", "wage", "lift"]),
    ("Env.set", "values"): Row(
        [0.5, np.float32(0.5), 1, [0.5] * LANES, np.zeros((3, 2)), of(LANES, dtype=torch.float64), of(LANES)],
        [*numbers(LANES), "food", ["food"] * LANES, of(2, 3), of(LANES, dtype=torch.bool)],
    ),
    ("Env.set", "worlds"): Row(
        [None, [0, 2], np.array([1]), torch.tensor([2]), []],
        [*ODD, 3, "all", True, [3], [-1], [0.5], [1, 1], [True, False, True], [[0]], *strange(3)[:6], [None]],
    ),
    ("Env.set", "agents"): Row(
        [None, [0, 1], np.array([1]), torch.tensor([0]), []],
        [*ODD, 3, "all", True, [2], [-1], [0.5], [1, 1], [True, False], [[0]], *strange(2)[:6], [None]],
    ),
    ("Env.place", "affordance"): Row(["Stall"], [value for value in NO_NAME if value != "fod"]),
    ("Env.place", "position"): Row(
        [(1, 2), [1, 2], np.array([1, 2]), torch.ones(2), torch.ones(3, 2), np.ones((3, 2), np.uint8)],
        [*NO_ACTIONS, *strange(2), (0.5, 1), (math.nan, 1), (9, 9), (-1, 0), (True, False), (1, 2, 3), of(2, 2)],
    ),
    ("Env.place", "worlds"): Row(
        [None, [0, 2], np.array([1]), torch.tensor([2]), []],
        [
            *(*ODD, 3, "all", True, [3], [-1], [0.5], [math.nan], [True, False, True], [[0]], *strange(3)[:6], [None]),
            *([0.0, 1.0], np.zeros(2), torch.zeros(2), [10**400]),
        ],
    ),
    ("Env.load_state_dict", "saved"): Row(
        [saved(lambda _: None), saved(lambda state: state.update(tick=np.int64(3)))],
        [
            *ODD,
            None,
            3,
            "x",
            [],
            saved(lambda state: state.update(universe=None)),
            saved(lambda state: state.update(universe=ARRAY)),
            saved(lambda state: state.update(first_world=ARRAY)),
            saved(lambda state: state.update(first_world=1)),
            *(saved(lambda state, value=value: state.update(seed=value)) for value in NO_INTEGER),
            *(saved(lambda state, value=value: state.update(tick=value)) for value in NO_INTEGER),
            saved(lambda state: state.update(state=None)),
            *(field("age", value) for value in [*ODD, None, 3, *strange(LANES)]),
            *(field("meters", value) for value in [*ODD, None, 3, *strange(1, LANES)]),
            field("meters", torch.zeros(1, LANES).to_sparse()),
            field("meters", torch.zeros(1, LANES, device="meta")),
            field("params", torch.full((2, 3), torch.nan)),
            field("inputs", torch.full((1, LANES), 9.0)),
        ],
    ),
    ("Numbers.__getitem__", "name"): Row(["rate"], NO_NAME),
    ("Numbers.__delitem__", "name"): Row([], ["rate", *NO_NAME]),
    ("Numbers.__setitem__", "name"): Row(["rate"], NO_NAME),
    ("Numbers.__setitem__", "value"): Row(
        [
            1,
            0.5,
            2.0,
            np.float32(1),
            np.int8(1),
            [1, 2, 1],
            (0.5, 1, 1),
            np.ones(3),
            np.ones(3, np.float16),
            torch.ones(3),
        ],
        numbers(3),
    ),
    ("Numbers.update", "others"): Row(
        [{"rate": 2}, [("rate", 2)]], [3, None, "x", {"rat": 1}, {"rate": 9}, {"haste": 0.5, "rate": 9}]
    ),
    ("Numbers.update", "values"): Row([], []),
    ("Numbers.get", "name"): Row(["rate", "x", None, 3], []),
    ("Numbers.get", "default"): Row([None, 3], []),
    ("Numbers.pop", "key"): Row([], ["rate", *NO_NAME]),
    ("Numbers.pop", "default"): Row([], []),
    ("Numbers.setdefault", "key"): Row(["rate"], NO_NAME),
    ("Numbers.setdefault", "default"): Row([None, 3], []),
    ("Graphed.step", "actions"): Row(
        [None, *right_actions(LANES)], [value for value in wrong_actions(LANES) if value is not None]
    ),
    ("Graphed.step", "controls"): Row(CONTROLS, NO_CONTROLS),
    ("Uniform", "low"): Row([0, 0.5, np.int8(0), np.float16(0)], [*NO_REAL, 2, -LARGE]),
    ("Uniform", "high"): Row([2, 1.5, np.int8(2)], [*NO_REAL, 0, -1, LARGE]),
    ("LogUniform", "low"): Row([0.5, np.float64(0.5)], [*NO_REAL, 0, -1, 2]),
    ("LogUniform", "high"): Row([2, np.int64(2)], [*NO_REAL, 0, -1, LARGE]),
    ("Normal", "mean"): Row([0, -1.5, np.float32(1)], [*NO_REAL, LARGE]),
    ("Normal", "deviation"): Row([0.5, np.int8(2)], [*NO_REAL, 0, -1, LARGE]),
    ("Choice", "values"): Row(
        [[1], (0.5, 2), np.ones(3), [np.int8(1), 2.0]],
        [
            *ODD,
            *(None, 3, "12", [], (), np.zeros(0), np.array(3), np.zeros((2, 2)), [[1, 2]], [None], ["1"], [True]),
            *([LARGE], [10**400], [math.nan], [math.inf], torch.zeros(3), np.full(2, "1"), np.zeros(2, complex)),
        ],
    ),
    ("MLP", "weights"): Row([LAYERS], NO_LAYERS),
    ("MLP", "biases"): Row([[torch.zeros(4), torch.zeros(7)], (torch.ones(4), torch.ones(7))], NO_LAYERS),
    ("MLP", "activation"): Row(["relu"], [*NO_WORD, None]),
    ("MLP", "gates"): Row(
        [None],
        [
            *ODD,
            *(3, "x", [], [torch.zeros(64, 4)], (3, 3), (None, None), (torch.zeros(64, 4), torch.zeros(())), LAYERS),
            *(
                (torch.zeros(64, 4).double(), torch.zeros(64)),
                (torch.zeros(64, 4), torch.zeros(64)),
                (nested(), nested()),
            ),
            *((torch.zeros(64, 4).to_sparse(), torch.zeros(64)), (torch.zeros(0, 4), torch.zeros(0))),
        ],
    ),
    ("MLP", "value"): Row(FLAGS, NO_FLAG),
    ("MLP", "sample"): Row(FLAGS, NO_FLAG),
    ("MLP", "of_agents"): Row([None, [0], (0, 0)], [*(v for v in ODD if v is not None), [], [1], [-1], [0.5], "0", 0]),
    ("MLP.random", "inputs"): Row(INTEGERS, [*NO_INTEGER, 0, -1]),
    ("MLP.random", "actions"): Row(INTEGERS, [*NO_INTEGER, 0, -1]),
    ("MLP.random", "hidden"): Row([[4], (4, 8)], [*ODD, None, "4", [0], [65], [4.0], [4, 4, 4], [], 1j, np.zeros(2)]),
    ("MLP.random", "activation"): Row(["relu"], [*NO_WORD, None]),
    ("MLP.random", "value"): Row(FLAGS, NO_FLAG),
    ("MLP.random", "sample"): Row(FLAGS, NO_FLAG),
    ("MLP.random", "members"): Row([None, *INTEGERS], [v for v in [*NO_INTEGER, 0, -1] if v is not None]),
    ("MLP.random", "seed"): Row(INTEGERS, [*NO_INTEGER, -1, 1 << 63]),
    ("MLP.random", "device"): Row(["cpu", torch.device("cpu")], [*NO_WORD, "cuda:99", "meta:1:1"]),
    ("MLP.forward", "observation"): Row(
        [torch.zeros(2, 3)], [*ODD, None, 3, torch.zeros(3), np.zeros((2, 3)), nested()]
    ),
    ("MLP.forward", "mask"): Row([None, torch.ones(2, 6, dtype=torch.bool)], [*ODD, 3, torch.ones(2, 6), of(2, 6)]),
    ("MLP.forward", "words"): Row([of(2, dtype=torch.int64)], [*ODD, None, 3, [1, 2], of(2), of(3, dtype=torch.int64)]),
}

GIVEN: dict[str, dict[str, Any]] = {
    "Uniform": {"low": 0, "high": 1},
    "LogUniform": {"low": 1, "high": 2},
    "Normal": {"mean": 0, "deviation": 1},
    "MLP": {"weights": LAYERS, "biases": [torch.zeros(4), torch.zeros(7)]},
    "MLP.random": {"inputs": 3, "actions": 6},
    "MLP.forward": {"observation": torch.zeros(2, 3), "words": of(2, dtype=torch.int64)},
    "make": {"worlds": 3, "backend": "interpreter", "quiet": True},
    "Env.step": {"actions": of(LANES), "controls": {"lift": 0.5}},
    "Env.rollout": {"ticks": 2, "controls": {"lift": 0.5}},
    "Env.storage": {"ticks": 2},
    "Graphed.step": {"actions": of(LANES), "controls": {"lift": 0.5}},
    "Env.tabular": {"table": of(4), "features": ["x"]},
    "Env.record": {"ticks": 3},
    "Env.at": {"tick": Made(remembered)},
    "Env.save": {"path": "nowhere/nothing.safetensors"},
    "replay": {"episode": Made(lambda env: env.record(1, 2)), "backend": "interpreter"},
    "Env.telemetry": {"to": print},
    "Env.set": {"name": "food", "values": 0.5},
    "Env.place": {"affordance": "Stall", "position": (1, 1)},
    "Numbers.__setitem__": {"name": "rate", "value": 1.0},
    "Numbers.setdefault": {"key": "rate"},
    "Numbers.get": {"name": "rate"},
    "compile": {"path": "nothing.hamlet"},
    "policy": {"path": Made(lambda env: saved_policies.saved(Path(mkdtemp()) / "weights", env.module))},
}


@pytest.fixture(scope="module")
def desk(compiled: Callable[[str], Module]) -> Module:
    return compiled(DESK)


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
    env = hamlet.make(desk, worlds=3, agents=2, backend="interpreter", seed=4)
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
    expected = hamlet.make(desk, worlds=3, agents=2, backend="interpreter", seed=4)
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
