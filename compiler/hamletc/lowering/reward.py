"""Step 7 of a tick: the reward, and what is reported."""

from __future__ import annotations

from hamlet.numbers.binary32 import round32
from hamletc.ir.ops import Value
from hamletc.lowering.death import End
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane


def reward(lane: Lane, end: End) -> dict[str, Value]:
    """The output `reward`, then `report.<name>` of every name that is reported (F32). The terms of the reward are 0
    where nothing is paid; with the lifespan's reward where that is."""
    builder, universe = lane.builder, lane.universe
    nothing, total = builder.f32(0.0), None
    reports: dict[str, Value] = {}
    for term in universe.rewards:
        construct = "reward" if term.name is None else f"reward {term.name}"
        with builder.at(construct, term.span):
            value = lower_expression(lane, term.value)
            if term.name is not None:
                reports[f"report.{term.name}"] = builder.select(end.unpaid, nothing, value)
            total = value if total is None else builder.add(total, value)
    for report in universe.reports:
        with builder.at(f"report {report.name}", report.span):
            reports[f"report.{report.name}"] = lower_expression(lane, report.value)
    span = universe.rewards[0].span if universe.rewards else None
    with builder.at("reward", span):
        total = nothing if total is None else total
        if universe.by_hand:
            total = builder.select(end.unpaid, nothing, total)
    if universe.lifespan is not None:
        with builder.at("lifespan", universe.lifespan.span):
            lifespan = builder.f32(round32(universe.lifespan.reward))
            total = builder.select(end.old, builder.add(total, lifespan), total)
    with builder.at("reward", span):
        if not universe.by_hand:
            # A lane that is truncated is paid.
            total = builder.select(end.unpaid, nothing, total)
    return {"reward": total, **reports}
