"""Solid affordances: no displacement leads to their cells, and who walks into one uses it."""

from __future__ import annotations

from dataclasses import replace

from hamletc.ir.function import Construct
from hamletc.ir.ops import Value
from hamletc.lowering.expressions import is_at
from hamletc.lowering.lane import Lane


def held_back(lane: Lane, before: tuple[Value, ...], there: tuple[Value, ...]) -> tuple[Value, ...]:
    """Where a displacement from one position to another leads: not to a solid affordance, which the lane keeps."""
    solid = [number for number, each in enumerate(lane.universe.affordances) if each.solid]
    if not solid:
        return there
    builder, seen = lane.builder, replace(lane, position=there)
    with builder.at(Construct("solid"), None):
        stays = builder.all([builder.equal(a, b) for a, b in zip(before, there, strict=True)])
        met = builder.and_(builder.any([is_at(seen, number) for number in solid]), builder.not_(stays))
        earlier = lane.reached or there
        lane.reached = tuple(builder.select(met, to, x) for to, x in zip(there, earlier, strict=True))
        lane.walked = met if lane.walked is None else builder.or_(lane.walked, met)
        return tuple(builder.select(met, x, to) for x, to in zip(before, there, strict=True))


def walked_or(lane: Lane, interacting: Value) -> Value:
    """Whether (BOOL) the agent interacts, or walked into something."""
    return interacting if lane.walked is None else lane.builder.or_(interacting, lane.walked)


def facing(lane: Lane, then: Lane) -> Lane:
    """The lane `then`, where a solid affordance is if the agent walked into one."""
    if lane.walked is None:
        return then
    ways = zip(lane.reached, then.position, strict=True)
    return replace(then, position=tuple(lane.builder.select(lane.walked, to, x) for to, x in ways))
