"""Cascades as the rows of a table that a loop goes through, where they are too many to be unrolled.

A *step* is one statement of a cascade, with its guard. The other statements of a cascade use what it measured of its
source at the first. Steps read meters by number: in file order, and in place, as they are written.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from hamlet.numbers.binary32 import round32
from hamlet.universe import (
    Assign,
    AssignOp,
    Binary,
    Cascade,
    Clamp,
    Deficit,
    Expression,
    If,
    MeterValue,
    Number,
    ParamValue,
    Shortfall,
    Span,
    Truth,
    Unary,
    Universe,
)
from hamletc.ir.function import Table
from hamletc.ir.ops import F32, I32
from hamletc.lowering.tables import rows_of

MOST_METERS = 64
"""A row of a loop tests each of its meters for being its source and its target: among more, steps are unrolled."""


@dataclass(frozen=True, slots=True)
class Step:
    """`target op value` where the cascade's guard holds."""

    cascade: Cascade
    first: bool
    target: str
    op: AssignOp
    value: Expression


@dataclass(frozen=True, slots=True)
class CascadeTable:
    """A loop that runs `universe.dynamics[begin:end]`, and its tables with one row per step.

    Attributes:
        name: of the function that is the body of the loop.
        first: whether a step is the first of its cascade; `None` where all are.
        kinds: the shapes of (op, value), in which numbers are columns.
        meters: all that are read or written; tables name a meter by its number among them.
        sources, targets: those that are read as a source, and those that are written.
        params: those that are read.
        columns: the numbers of a shape; 0.0 where a step has fewer.
    """

    name: str
    begin: int
    end: int
    steps: int
    first: Table | None
    kinds: tuple[Any, ...]
    meters: tuple[str, ...]
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    params: tuple[str, ...]
    source: Table
    target: Table
    threshold: Table
    kind: Table
    columns: tuple[Table, ...]
    construct: str
    span: Span


def cascade_tables(universe: Universe, most_unrolled: int) -> tuple[CascadeTable, ...]:
    """The loops: of successive cascades that have more steps than are unrolled."""
    loops: list[CascadeTable] = []
    steps: list[Step] = []
    begin = 0
    for number, item in enumerate((*universe.dynamics, None)):
        following = _steps(item) if isinstance(item, Cascade) else None
        if following is not None:
            begin = begin if steps else number
            steps += following
            continue
        if len(steps) > most_unrolled and (
            loop := _loop(f"cascades{len(loops)}", universe, begin, number, tuple(steps))
        ):
            loops.append(loop)
        steps = []
    return tuple(loops)


def _steps(cascade: Cascade) -> list[Step] | None:
    """The steps of a cascade; `None` where it is none of the kind that a loop can run."""
    result = []
    for number, statement in enumerate(cascade.body):
        if not isinstance(statement, Assign) or not statement.clamped:
            return None
        if not _is_about_meters(statement.value):
            return None
        result.append(Step(cascade, number == 0, statement.meter, statement.op, statement.value))
    return result


def _is_about_meters(expression: Expression) -> bool:
    """Whether an expression needs no more of a lane than meters and params."""
    match expression:
        case Number() | Truth() | MeterValue() | ParamValue() | Deficit() | Shortfall():
            return True
        case Unary(operand=operand):
            return _is_about_meters(operand)
        case Binary(left=left, right=right):
            return _is_about_meters(left) and _is_about_meters(right)
        case Clamp(operand=first, low=second, high=third) | If(condition=first, then=second, otherwise=third):
            return all(_is_about_meters(part) for part in (first, second, third))
        case _:
            return False


def _names(tree: Any, kind: type[MeterValue | ParamValue]) -> set[str]:
    """The meters or the params that an expression reads."""
    if isinstance(tree, MeterValue | ParamValue):
        return {tree.meter if isinstance(tree, MeterValue) else tree.param} if isinstance(tree, kind) else set()
    parts = (getattr(tree, field.name) for field in fields(tree)) if is_dataclass(tree) else ()
    return set().union(*(_names(part, kind) for part in parts))


def _loop(name: str, universe: Universe, begin: int, end: int, steps: tuple[Step, ...]) -> CascadeTable | None:
    """The table of a loop; `None` where a row would have to choose among too many meters."""
    rows = rows_of(name, [(step.op, step.value) for step in steps])
    read = {step.cascade.source for step in steps}
    written = {step.target for step in steps}
    inside = set().union(*(_names(expression, MeterValue) for _, expression in rows.shapes))
    params = set().union(*(_names(expression, ParamValue) for _, expression in rows.shapes))
    meters = [meter.name for meter in universe.meters if meter.name in read | written | inside]
    if len(meters) > MOST_METERS:
        return None
    numbers = {meter: number for number, meter in enumerate(meters)}
    return CascadeTable(
        name,
        begin,
        end,
        len(steps),
        None if all(step.first for step in steps) else Table(f"{name}.first", I32, tuple(int(s.first) for s in steps)),
        tuple(rows.shapes),
        tuple(meters),
        tuple(meter for meter in meters if meter in read),
        tuple(meter for meter in meters if meter in written),
        tuple(param.name for param in universe.params if param.name in params),
        Table(f"{name}.source", I32, tuple(numbers[step.cascade.source] for step in steps)),
        Table(f"{name}.target", I32, tuple(numbers[step.target] for step in steps)),
        Table(f"{name}.threshold", F32, tuple(round32(step.cascade.threshold) for step in steps)),
        rows.kind,
        rows.columns,
        f"cascade {steps[0].cascade.name} and those after it",
        steps[0].cascade.span,
    )
