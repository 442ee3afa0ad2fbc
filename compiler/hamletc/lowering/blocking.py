"""Agents that block each other: a question of each agent to all of its world, found before anybody moves."""

from __future__ import annotations

from dataclasses import replace

from hamlet.universe import AgentNumber, Blocking
from hamletc.ir.function import Construct
from hamletc.ir.ops import Value
from hamletc.lowering.act import BLOCKED, destination
from hamletc.lowering.expressions import lower_expression, there_is
from hamletc.lowering.lane import Lane
from hamletc.lowering.pairs import Pairs


def count_in_the_way(pairs: Pairs, blocking: Blocking) -> None:
    """Ask how many agents keep an agent from moving."""
    lane = pairs.lane
    trial = replace(lane, meters=dict(lane.meters))
    there = destination(trial, there_is(lane.action, "action"))
    with lane.builder.at(Construct("agents block"), blocking.span, "act"):
        goes = lane.builder.not_(_same(lane, there, lane.position))
        number = lower_expression(lane, AgentNumber(blocking.span))
        priority = None if blocking.priority is None else lower_expression(lane, blocking.priority)
    builder = pairs.pair.builder
    with builder.at(Construct("agents block"), blocking.span, "act"):
        mine, theirs = (pairs.of(whose, number) for whose in ("own", "other"))
        first = builder.less(theirs, mine)
        if priority is not None:
            low, high = (pairs.of(whose, priority) for whose in ("own", "other"))
            first = builder.or_(builder.less(low, high), builder.and_(builder.equal(high, low), first))
        goal = tuple(pairs.of("own", x) for x in there)
        stands = _same(pairs.pair, goal, tuple(pairs.of("other", x) for x in lane.position))
        wants = _same(pairs.pair, goal, tuple(pairs.of("other", x) for x in there))
        taken = builder.or_(stands, builder.and_(wants, first))
        other = builder.not_(builder.equal(mine, theirs))
        pairs.count(BLOCKED, builder.all([pairs.of("own", goes), other, taken]))


def _same(lane: Lane, position: tuple[Value, ...], other: tuple[Value, ...]) -> Value:
    """Whether (BOOL) two positions are one cell."""
    return lane.builder.all([lane.builder.equal(a, b) for a, b in zip(position, other, strict=True)])
