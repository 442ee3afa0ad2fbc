"""Universes of one or two constructs, built by hand, and a player that runs them on the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from hamlet import schema
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter, Trace
from hamlet.numbers.binary32 import canonical32
from hamlet.universe import (
    Action,
    Affordance,
    Assign,
    Axis,
    Binary,
    BinaryOp,
    Continuous,
    Edges,
    Expression,
    Grid,
    Meter,
    MeterValue,
    Metric,
    Move,
    Number,
    ObserveValue,
    Report,
    Reward,
    Rule,
    Span,
    Statement,
    Universe,
)
from hamlet_lab.verify.fired import counting

CPU = torch.device("cpu")
SPAN = Span(1, 1, 1, 2)
f32 = np.float32


def number(value: float) -> Number:
    return Number(value, SPAN)


def value(meter: str = "m") -> MeterValue:
    return MeterValue(meter, SPAN)


def binary(op: BinaryOp, left: Expression, right: Expression) -> Binary:
    return Binary(op, left, right, SPAN)


def write(op: Any, amount: float | Expression, meter: str = "m", clamped: bool = True) -> Assign:
    return Assign(meter, op, number(amount) if isinstance(amount, float) else amount, clamped, SPAN)


def meter(name: str = "m", start: float = 0.5, low: float = 0.0, high: float = 1.0, **costs: float) -> Meter:
    priced = {key: number(costs[key]) if key in costs else None for key in ("decay", "move", "interact")}
    return Meter(name, start, low, high, **priced, span=SPAN)


def place(name: str, at: tuple[float, ...] | None, *instantly: Statement, **fields: Any) -> Affordance:
    nothing = Affordance(name, at, None, None, False, None, instantly, (), (), SPAN)
    return replace(nothing, **fields)


def custom(name: str, *body: Statement, **fields: Any) -> Action:
    return replace(Action(name, None, body, None, None, False, SPAN), **fields)


def rule(*body: Statement, guard: Expression | None = None, name: str = "r") -> Rule:
    return Rule(name, guard, body, SPAN)


def reward(*terms: Expression) -> tuple[Reward, ...]:
    return tuple(Reward(None, term, SPAN) for term in terms)


def report(**values: Expression) -> tuple[Report, ...]:
    return tuple(Report(name, expression, SPAN) for name, expression in values.items())


def grid(*sizes: int, edges: Edges = "clamp", metric: Metric = "manhattan", **fields: Any) -> Grid:
    return replace(Grid(sizes, edges, metric, "computed", "apart", SPAN), **fields)


def continuous(
    *bounds: tuple[float, float], reach: float = 0.5, edges: Edges = "clamp", metric: Metric = "euclidean"
) -> Continuous:
    axes = tuple(Axis(low, high, canonical32(high - low)) for low, high in bounds)
    return Continuous(axes, reach, edges, metric, SPAN)


def steps(axes: int, by: float = 1.0) -> tuple[Move, ...]:
    """The usual moves in a space of so many axes."""
    two = [("UP", 1, -by), ("DOWN", 1, by), ("LEFT", 0, -by), ("RIGHT", 0, by)]
    of_axes = {0: [], 1: two[2:], 2: two, 3: [*two, ("UP_Z", 2, -by), ("DOWN_Z", 2, by)]}
    return tuple(
        Move(name, tuple(delta if axis == along else 0.0 for axis in range(axes)))
        for name, along, delta in of_axes[axes]
    )


def universe(**fields: Any) -> Universe:
    """Five cells in a row and a meter `m` that starts at 0.5; anything can be replaced. Moves fit the grid."""
    space = fields.get("space", grid(5))
    plain = Universe(
        name="tiny",
        sources=("tiny.hamlet",),
        space=space,
        moves=steps(len(space.sizes)) if isinstance(space, Grid) and len(space.sizes) <= 3 else (),
        clock=None,
        lifespan=None,
        velocity=False,
        by_hand=False,
        tracking=None,
        params=(),
        inputs=(),
        meters=(meter(),),
        dynamics=(),
        affordances=(),
        actions=(),
        masks=(),
        causes=(),
        rewards=reward(value()),
        reports=(),
        observations=(shown("meter.m", value()),),
    )
    return replace(plain, **fields)


def shown(name: str, value: Expression, low: float = 0.0, high: float = 1.0) -> ObserveValue:
    """What agents observe of an expression."""
    return ObserveValue(name, value, low, high, SPAN)


class Player:
    """An interpreter with buffers; numbers go in and out as numpy arrays."""

    def __init__(
        self, universe: Universe, worlds: int = 1, agents: int = 1, seed: int = 0, trace: Trace | None = None
    ) -> None:
        self.universe = universe
        self.coverage = counting(universe)
        self.backend = Interpreter(universe, CPU, self.coverage, trace)
        self.buffers = allocate(universe, Shape(worlds, agents), CPU, torch.float32)
        self.stream = Stream(seed, 0)
        self.backend.reset(self.buffers, self.stream)

    def set(self, field: str, values: Any, row: int | None = None) -> Player:
        target = self.buffers.state[field] if row is None else self.buffers.state[field][row]
        target.copy_(torch.as_tensor(values, dtype=target.dtype).expand_as(target))
        self.backend.observe(self.buffers)
        return self

    def do(self, *actions: str | Sequence[str]) -> Player:
        """A tick for each argument: one action for all lanes, or one per lane."""
        names = schema.action_names(self.universe)
        for action in actions:
            lanes = [action] * self.buffers.shape.lanes if isinstance(action, str) else action
            self.backend.step(
                self.buffers, torch.tensor([names.index(n) for n in lanes], dtype=torch.int32), self.stream
            )
        return self

    def __getitem__(self, field: str) -> Any:
        arrays = self.buffers.state | self.buffers.outcome
        return arrays[field].numpy().copy()

    def meter(self, name: str = "m") -> Any:
        (row,) = (row for row, item in enumerate(self.universe.meters) if item.name == name)
        return self["meters"][row]

    @property
    def position(self) -> list[tuple[Any, ...]]:
        return [tuple(lane.tolist()) for lane in self["position"].T]

    def report(self, name: str) -> Any:
        return self["reports"][schema.report_names(self.universe).index(name)]

    @property
    def seen(self) -> list[float]:
        """What the first lane observes."""
        assert self.buffers.observation is not None
        return [float(number) for number in self.buffers.observation[:, 0]]

    def mask(self, action: str) -> list[bool]:
        row = schema.action_names(self.universe).index(action)
        return [bool(on) for on in self.buffers.mask[row]]
