"""Universes of one or two constructs, built by hand, and a player that runs them on the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from hamlet import schema
from hamlet.backend import Stream
from hamlet.interpreter import Coverage, Interpreter, Trace
from hamlet.state import Shape, allocate
from hamlet.universe import (
    Affordance,
    Assign,
    Binary,
    BinaryOp,
    Expression,
    Grid,
    Meter,
    MeterValue,
    Number,
    ObserveMeters,
    Span,
    Statement,
    Universe,
)

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


def place(name: str, cell: tuple[int, ...] | None, *instantly: Statement, **fields: Any) -> Affordance:
    nothing = Affordance(name, cell, None, None, None, instantly, (), (), SPAN)
    return replace(nothing, **fields)


def universe(**fields: Any) -> Universe:
    """Five cells in a row and a meter `m` that starts at 0.5; anything can be replaced."""
    plain = Universe(
        name="tiny",
        source="tiny.hamlet",
        space=Grid((5,), "clamp", "manhattan", SPAN),
        clock=None,
        lifespan=None,
        params=(),
        meters=(meter(),),
        dynamics=(),
        affordances=(),
        actions=(),
        causes=(),
        reward=value(),
        observations=(ObserveMeters(("m",), SPAN),),
    )
    return replace(plain, **fields)


class Player:
    """An interpreter with buffers; numbers go in and out as numpy arrays."""

    def __init__(
        self, universe: Universe, worlds: int = 1, agents: int = 1, seed: int = 0, trace: Trace | None = None
    ) -> None:
        self.universe = universe
        self.coverage = Coverage(universe)
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
    def position(self) -> list[tuple[int, ...]]:
        return [tuple(int(x) for x in lane) for lane in self["position"].T]

    def mask(self, action: str) -> list[bool]:
        row = schema.action_names(self.universe).index(action)
        return [bool(on) for on in self.buffers.mask[row]]
