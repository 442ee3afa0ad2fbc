"""Cascades as the rows of a table that a loop goes through, where they are too many to be unrolled.

A *step* is one statement of a cascade, with its guard. The other statements of a cascade use what it measured of its
source at the first. Steps read meters by number: in file order, and in place, as they are written.
"""

from __future__ import annotations

from typing import Any

from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import round32
from hamlet.universe import (
    Assign,
    Binary,
    Cascade,
    Clamp,
    Deficit,
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
from hamlet.universe.walk import nodes
from hamletc.ir.function import Construct, Table
from hamletc.ir.ops import F32, I32
from hamletc.lowering.tables import rows_of

ABOUT_METERS = Number | Truth | MeterValue | ParamValue | Deficit | Shortfall | Unary | Binary | Clamp | If | Span
"""A loop can compute expressions that consist of these."""

MOST_METERS = 64
"""A row of a loop tests each of its meters for being its source and its target: among more, steps are unrolled."""


@dataclass(frozen=True, slots=True)
class CascadeStep:
    """One statement of a cascade, which runs where the cascade's guard holds. `first`: it is the first one."""

    cascade: Cascade
    first: bool
    assign: Assign


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
    construct: Construct
    span: Span


def cascade_tables(universe: Universe, most_unrolled: int) -> tuple[CascadeTable, ...]:
    """The loops that successive cascades become where they have more steps than are unrolled."""
    loops: list[CascadeTable] = []
    steps: list[CascadeStep] = []
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


def _steps(cascade: Cascade) -> list[CascadeStep] | None:
    """The steps of a cascade; `None` where a loop cannot run it, as it needs more of a lane than meters and
    params."""
    steps = []
    if cascade.who is not None:
        return None
    for number, statement in enumerate(cascade.body):
        if not isinstance(statement, Assign) or not statement.clamped:
            return None
        if not all(isinstance(node, ABOUT_METERS) for node in nodes(statement.value)):
            return None
        steps.append(CascadeStep(cascade, number == 0, statement))
    return steps


def _loop(name: str, universe: Universe, begin: int, end: int, steps: tuple[CascadeStep, ...]) -> CascadeTable | None:
    """The table of a loop; `None` where a row would have to choose among too many meters."""
    rows = rows_of(name, [(step.assign.op, step.assign.value) for step in steps])
    shapes = tuple(rows.shapes)
    read = {step.cascade.source for step in steps}
    written = {step.assign.meter for step in steps}
    inside = {node.meter for node in nodes(shapes) if isinstance(node, MeterValue)}
    params = {node.param for node in nodes(shapes) if isinstance(node, ParamValue)}
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
        shapes,
        tuple(meters),
        tuple(meter for meter in meters if meter in read),
        tuple(meter for meter in meters if meter in written),
        tuple(param.name for param in universe.params if param.name in params),
        Table(f"{name}.source", I32, tuple(numbers[step.cascade.source] for step in steps)),
        Table(f"{name}.target", I32, tuple(numbers[step.assign.meter] for step in steps)),
        Table(f"{name}.threshold", F32, tuple(round32(step.cascade.threshold) for step in steps)),
        rows.kind,
        rows.columns,
        Construct("cascades from", steps[0].cascade.name),
        steps[0].cascade.span,
    )
