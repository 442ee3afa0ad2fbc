"""Step 7 of a tick: the reward."""

from __future__ import annotations

from hamlet.binary32 import round32
from hamletc.ir.ops import Value
from hamletc.lowering.death import End
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane


def reward(lane: Lane, end: End) -> Value:
    """The reward (F32): 0 where terminated; with the lifespan's reward where truncated."""
    builder, universe = lane.builder, lane.universe
    with builder.at("reward", universe.reward.span.line):
        value = lower_expression(lane, universe.reward)
    if universe.lifespan is not None:
        with builder.at("lifespan", universe.lifespan.span.line):
            rewarded = builder.add(value, builder.f32(round32(universe.lifespan.reward)))
            value = builder.select(end.truncated, rewarded, value)
    with builder.at("reward", universe.reward.span.line):
        return builder.select(end.terminated, builder.f32(0.0), value)
