"""What agents remember of their uses, at the end of step 2 of a tick."""

from __future__ import annotations

from hamletc.ir.ops import BOOL, Value
from hamletc.lowering.lane import Lane

INTERACTING = "interacting"
"""The input that tells whether some agent of the world interacts."""


def remember_uses(lane: Lane, interacting: Value, used: Value) -> None:
    """Bring last use, streaks and what was seen up to date.

    Args:
        interacting: whether (BOOL) the agent does.
        used: the number (I32) of the affordance that it used, or -1.
    """
    builder, tracking = lane.builder, lane.universe.tracking
    if tracking is None or lane.last is None:
        return
    with builder.at("track uses", tracking.span):
        if tracking.by == "world":
            interacting = builder.input(BOOL, INTERACTING)
        one, nothing = builder.i32(1), builder.i32(0)
        again = builder.equal(lane.last, used)
        another = builder.and_(builder.less_equal(nothing, used), builder.not_(again))
        for name in lane.streaks:
            streak, this = lane.streaks[name], builder.equal(used, builder.i32(lane.plan.numbers[name]))
            counted = builder.select(again, builder.add(streak, one), one)
            lane.streaks[name] = builder.select(this, counted, builder.select(another, nothing, streak))
            lane.seen[name] = builder.or_(lane.seen[name], this)
        lane.last = builder.select(interacting, used, lane.last)
