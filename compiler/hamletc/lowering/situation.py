"""The situation of an agent: the row of a policy's table that it looks up (`hamlet.features`)."""

from __future__ import annotations

from hamlet import elementary, schema
from hamlet.binary32 import round32
from hamlet.features import AGE, HERE, HOUR, Count, Quantity, features
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import Value
from hamletc.ir.typing import F32, I32
from hamletc.lowering.expressions import clock_hour
from hamletc.lowering.functions.pieces import nearest
from hamletc.lowering.lane import Lane, input_lane
from hamletc.lowering.layout import affordance_here
from hamletc.lowering.plan import Plan


def lower_situation(planned: Plan) -> Function:
    """Inputs: the state, and of the table stride.0, ... (I32, per feature), scale.0, ... and top.0, ... (F32, per
    quantity: bins / width, bins - 1). Output situation (I32)."""
    builder = Builder()
    lane = input_lane(planned, builder)
    with builder.at("policy", None):
        situation, binned = builder.i32(0), 0
        found = features(planned.universe)
        # Meters are the last features, in their order.
        meters = len(found) - len(planned.universe.meters)
        for number, feature in enumerate(found):
            match feature:
                case Count():
                    value = _count(lane, feature)
                case Quantity():
                    meter = planned.universe.meters[number - meters].name if number >= meters else None
                    quantity = lane.position[number] if meter is None else lane.meters[meter]
                    value = _bin(builder, quantity, feature, binned)
                    binned += 1
            situation = builder.add(situation, builder.mul(value, builder.input(I32, f"stride.{number}")))
    return builder.finish("situation", (Output("situation", situation),))


def _count(lane: Lane, feature: Count) -> Value:
    """A whole number (I32)."""
    builder = lane.builder
    match feature.name:
        case name if name == HOUR:
            return clock_hour(lane)
        case name if name == AGE:
            return builder.minimum(lane.age, builder.i32(feature.size - 1))
        case name if name == HERE:
            return builder.add(affordance_here(lane), builder.i32(1))
        case name:
            return lane.position[schema.axes(lane.universe).index(name)]


def _bin(builder: Builder, value: Value, feature: Quantity, number: int) -> Value:
    """The bin (I32) that a number is in."""
    shifted = builder.sub(value, builder.f32(round32(feature.low)))
    scaled = builder.mul(shifted, builder.input(F32, f"scale.{number}"))
    inside = builder.clamp(scaled, builder.f32(0.0), builder.input(F32, f"top.{number}"))
    near, whole = nearest(builder, builder.add(inside, builder.f32(elementary.ROUND)))
    above = builder.select(builder.less(inside, near), builder.i32(1), builder.i32(0))
    return builder.sub(builder.to_i32(whole), above)
