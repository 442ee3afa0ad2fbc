"""Progress at affordances that last."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet import schema
from hamletc.ir.ops import Value
from hamletc.lowering.lane import Lane


@dataclass(frozen=True, slots=True)
class Reached:
    """Whether (BOOL) a tick at an affordance goes on with what the agent is engaged in; the progress (I32) with it."""

    goes_on: Value
    progress: Value


def reach(lane: Lane, number: Value) -> Reached:
    """What a tick at the affordance of this number (I32), which lasts, comes to."""
    builder = lane.builder
    if lane.engaged is None or lane.progress is None:
        raise ValueError(f"nothing lasts in universe {lane.universe.name}")
    with builder.at("progress", None):
        one = builder.i32(1)
        goes_on = builder.equal(lane.engaged, number)
        if lane.used_at:
            there = [builder.equal(a, b) for a, b in zip(lane.position, lane.used_at, strict=True)]
            goes_on = builder.all([goes_on, *there])
        return Reached(goes_on, builder.select(goes_on, builder.add(lane.progress, one), one))


def settle(lane: Lane, number: Value, reached: Reached, completes: Value, using: Value) -> None:
    """The state after a tick at the affordance of this number (I32), where one is used (BOOL)."""
    builder = lane.builder
    if lane.engaged is None or lane.progress is None:
        raise ValueError(f"nothing lasts in universe {lane.universe.name}")
    with builder.at("progress", None):
        engaged = builder.select(completes, builder.i32(schema.NOWHERE), number)
        progress = builder.select(completes, builder.i32(0), reached.progress)
        lane.engaged = builder.select(using, engaged, lane.engaged)
        lane.progress = builder.select(using, progress, lane.progress)
        if lane.used_at:
            begins = builder.and_(using, builder.not_(reached.goes_on))
            lane.used_at = tuple(
                builder.select(begins, now, old) for now, old in zip(lane.position, lane.used_at, strict=True)
            )
