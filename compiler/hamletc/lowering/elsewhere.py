"""The cell that an expression names by its coordinates (docs/semantics.md, "A cell by its coordinates")."""

from __future__ import annotations

from hamlet.universe import Grid
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.functions import whole
from hamletc.lowering.places import cell_index

FARTHEST = 1 << 20
"""With edges that wrap a coordinate beyond this, either way, is this, so that integers hold it beside a size."""


def named_cell(builder: Builder, grid: Grid, place: tuple[Value, ...]) -> tuple[Value, Value | None]:
    """The index (I32) of the cell at these coordinates (F32, whole numbers), always that of some cell, and whether
    (BOOL) there is one there; `None` where there always is, since edges wrap."""
    if grid.edges == "wrap":
        position = tuple(_wrapped(builder, x, size) for x, size in zip(place, grid.sizes, strict=True))
        return cell_index(builder, grid.sizes, position), None
    zero = builder.f32(0.0)
    position, conditions = (), []
    for x, size in zip(place, grid.sizes, strict=True):
        last = builder.f32(float(size - 1))
        conditions += [builder.less_equal(zero, x), builder.less_equal(x, last)]
        position += (whole(builder, builder.clamp(x, zero, last)),)
    inside = conditions[0]
    for condition in conditions[1:]:
        inside = builder.and_(inside, condition)
    return cell_index(builder, grid.sizes, position), inside


def _wrapped(builder: Builder, x: Value, size: int) -> Value:
    """A coordinate (I32) modulo the size of its axis."""
    near = builder.clamp(x, builder.f32(float(-FARTHEST)), builder.f32(float(FARTHEST)))
    above = builder.add(whole(builder, near), builder.i32(-(-FARTHEST // size) * size))
    return builder.to_i32(builder.rem(builder.to_u32(above), builder.u32(size)))
