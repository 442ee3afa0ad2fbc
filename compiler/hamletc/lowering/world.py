"""The step World of a tick: the rules of the world, once for all its agents."""

from __future__ import annotations

from dataclasses import replace

from hamlet.numbers.counters import WORLD_DRAWS
from hamlet.universe import World
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Function, Output
from hamletc.ir.ops import F32, I32
from hamletc.lowering.dynamics import run_rule
from hamletc.lowering.lane import Lane
from hamletc.lowering.plan import Plan
from hamletc.lowering.reductions import Meeting


def run_world(planned: Plan, world: World, meeting: Meeting) -> Function:
    """Inputs: `world.<name>`, `param.<name>`, `hour`, what agents have together, and for draws `world` (U32), `tick`
    and the seed. Outputs: `world.<name>`."""
    builder, universe = Builder("world"), planned.universe
    with builder.at(Construct("state"), None, "state"):
        meters = {meter.name: builder.input(F32, f"world.{meter.name}") for meter in world.meters}
        nobody = builder.i32(0)
        lane = Lane(
            universe,
            builder,
            planned,
            meters=meters,
            params={param.name: builder.input(F32, f"param.{param.name}") for param in universe.params},
            # Nothing of an agent is asked for.
            age=nobody,
            layout=nobody,
            hour=None if universe.clock is None else builder.input(I32, "hour"),
            # Statements write meters; expressions read those of the world.
            world=meters,
            among=meeting.settled,
            stream=WORLD_DRAWS,
        )
    lane.before = replace(lane, meters=dict(meters), world=dict(meters))
    for rule in world.rules:
        run_rule(lane, rule)
    return builder.finish("world", tuple(Output(f"world.{name}", value) for name, value in meters.items()))
