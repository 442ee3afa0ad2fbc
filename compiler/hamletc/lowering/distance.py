"""Lengths and distances (docs/semantics.md, "Expressions")."""

from __future__ import annotations

from collections.abc import Sequence

from hamlet.universe import Continuous, Grid, NoSpace
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.lane import Lane
from hamletc.lowering.layout import affordance_position


def distance(lane: Lane, number: int) -> Value:
    """The distance (F32) to an affordance by the metric of the space."""
    builder = lane.builder
    match lane.universe.space:
        case Grid() as grid:
            return _on_grid(lane, grid, number)
        case Continuous(metric=metric):
            steps = _steps(lane, number)
            match metric:
                case "manhattan":
                    return _sum(builder, [builder.abs(step) for step in steps])
                case "chebyshev":
                    return _most(builder, [builder.abs(step) for step in steps])
                case "euclidean":
                    return builder.sqrt(_sum(builder, [builder.mul(step, step) for step in steps]))
        case NoSpace():
            return builder.f32(0.0)


def straight_distance(lane: Lane, number: int) -> Value:
    """The length (F32) of the vector to an affordance."""
    builder, steps = lane.builder, _steps(lane, number)
    if isinstance(lane.universe.space, Grid):
        steps = [builder.to_f32(step) for step in steps]
    return length(builder, steps)


def length(builder: Builder, vector: Sequence[Value]) -> Value:
    """The length (F32) of a vector: the first squares, a multiple of 4 of them, are rounded before they are added."""
    total: Value | None = None
    rounded_twice = len(vector) // 4 * 4
    for index, part in enumerate(vector):
        if total is None:
            total = builder.mul(part, part)
        elif index < rounded_twice:
            total = builder.add(total, builder.mul(part, part))
        else:
            total = builder.fma(part, part, total)
    return builder.f32(0.0) if total is None else builder.sqrt(total)


def _steps(lane: Lane, number: int) -> list[Value]:
    """The agent's coordinates less those of an affordance."""
    there = affordance_position(lane, number)
    return [lane.builder.sub(own, other) for own, other in zip(lane.position, there, strict=True)]


def _on_grid(lane: Lane, grid: Grid, number: int) -> Value:
    builder = lane.builder
    away = []
    for size, step in zip(grid.sizes, _steps(lane, number), strict=True):
        apart = builder.abs(step)
        if grid.edges == "wrap":
            apart = builder.minimum(apart, builder.sub(builder.i32(size), apart))
        away.append(apart)
    match grid.metric:
        case "manhattan":
            return builder.to_f32(_sum(builder, away))
        case "chebyshev":
            return builder.to_f32(_most(builder, away))
        case "euclidean":
            squared = _sum(builder, [builder.mul(apart, apart) for apart in away])
            return builder.sqrt(builder.to_f32(squared))


def _sum(builder: Builder, values: list[Value]) -> Value:
    total = values[0]
    for value in values[1:]:
        total = builder.add(total, value)
    return total


def _most(builder: Builder, values: list[Value]) -> Value:
    most = values[0]
    for value in values[1:]:
        most = builder.maximum(most, value)
    return most
