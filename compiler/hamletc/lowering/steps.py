"""Whether a step on an axis of a grid changes the position."""

from __future__ import annotations

from hamletc.ir.ops import Value
from hamletc.lowering.lane import Lane
from hamletc.lowering.layout import grid_of
from hamletc.lowering.moves import displaced
from hamletc.lowering.step_tables import WORD, StepTables


def goes_somewhere(lane: Lane, axis: int, step: int) -> Value:
    """Whether (BOOL) the coordinate on the axis would be another one."""
    builder, grid, own = lane.builder, grid_of(lane.universe), lane.position[axis]
    size = grid.sizes[axis]
    match grid.edges:
        case "clamp":
            return builder.less(builder.i32(0), own) if step < 0 else builder.less(own, builder.i32(size - 1))
        case "sticky":
            return (
                builder.less(builder.i32(-step - 1), own) if step < 0 else builder.less(own, builder.i32(size - step))
            )
        case "wrap":
            return builder.boolean(step % size != 0)
        case "bounce" if step % 2:
            return builder.boolean(size > 1)
        case "bounce":
            # A step of 2 from next to the edge leads back.
            there = displaced(builder, lane.universe, axis, own, builder.i32(step))
            return builder.not_(builder.equal(there, own))


def possible_steps(lane: Lane, tables: StepTables) -> list[Value]:
    """Words (U32) with the bits of `tables`: whether each step goes somewhere."""
    builder, nothing = lane.builder, lane.builder.u32(0)
    words = [builder.u32(1), *[nothing] * (len(tables.words) - 1)]
    for bit, (axis, step) in enumerate(tables.steps, 1):
        here = builder.select(goes_somewhere(lane, axis, step), builder.u32(1 << bit % WORD), nothing)
        words[bit // WORD] = builder.or_(words[bit // WORD], here)
    return words
