"""Affordances by one lookup of the cell: what differs between them comes from tables (see `interact`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hamlet import schema
from hamletc.ir.ops import Value
from hamletc.lowering.catalogue import Catalogue
from hamletc.lowering.expressions import clock_hour, lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.layout import affordance_here
from hamletc.lowering.statements import run


def interact_by_table(lane: Lane, catalogue: Catalogue, tried: Value) -> Value:
    """Use the affordance of this number (I32; -1: none); the number of the one used, or -1."""
    builder, nowhere = lane.builder, lane.builder.i32(schema.NOWHERE)
    with builder.at("interact", 0):
        somewhere = builder.less_equal(builder.i32(0), tried)
        row = builder.select(somewhere, tried, builder.i32(0))
        usable = builder.and_(somewhere, row_is_open(lane, catalogue, row))
        kind = builder.lookup(catalogue.kind, row)
    hits = []
    with _row(lane, catalogue, row):
        # At most one affordance is used, so all can be tested before any of them writes.
        for number, each in enumerate(catalogue.kinds):
            with builder.at(f"affordance {each.name}", each.line):
                hit = usable
                if len(catalogue.kinds) > 1:
                    hit = builder.and_(usable, builder.equal(kind, builder.i32(number)))
                hits.append(hit if each.needs is None else builder.and_(hit, lower_expression(lane, each.needs)))
    completes = _last(lane, catalogue, row, hits)
    with _row(lane, catalogue, row):
        for each, hit in zip(catalogue.kinds, hits, strict=True):
            construct = f"affordance {each.name}"
            run(lane, construct, each.each_tick if each.lasts else each.instantly, hit)
            if each.lasts and completes is not None:
                with builder.at(construct, each.line):
                    completing = builder.and_(hit, completes)
                run(lane, construct, each.on_completion, completing)
    with builder.at("interact", 0):
        return builder.select(builder.any(hits), tried, nowhere)


def row_is_open(lane: Lane, catalogue: Catalogue, row: Value) -> Value:
    """Whether the affordance of a row (I32) is open at the lane's hour."""
    builder = lane.builder
    if catalogue.opens is None or catalogue.closes is None:
        return builder.boolean(True)
    hour = clock_hour(lane)
    opens, closes = builder.lookup(catalogue.opens, row), builder.lookup(catalogue.closes, row)
    opened, not_closed = builder.less_equal(opens, hour), builder.less(hour, closes)
    past_midnight = builder.and_(builder.less(closes, opens), builder.or_(opened, not_closed))
    return builder.or_(builder.and_(opened, not_closed), past_midnight)


def _last(lane: Lane, catalogue: Catalogue, row: Value, hits: list[Value]) -> Value | None:
    """Engage in a lasting affordance that is used; whether that completes it. `None` where no affordance lasts."""
    builder = lane.builder
    if lane.engaged is None or lane.progress is None or catalogue.duration is None:
        return None
    here = affordance_here(lane)
    with builder.at("progress", 0):
        nothing, one = builder.i32(0), builder.i32(1)
        using = builder.any([hit for kind, hit in zip(catalogue.kinds, hits, strict=True) if kind.lasts])
        reached = builder.select(builder.equal(lane.engaged, here), builder.add(lane.progress, one), one)
        completes = builder.equal(reached, builder.lookup(catalogue.duration, row))
        engaged = builder.select(completes, builder.i32(schema.NOWHERE), row)
        lane.engaged = builder.select(using, engaged, lane.engaged)
        lane.progress = builder.select(using, builder.select(completes, nothing, reached), lane.progress)
    return completes


@contextmanager
def _row(lane: Lane, catalogue: Catalogue, row: Value) -> Iterator[None]:
    """Inside, numbers are columns of the catalogue."""
    outer = lane.columns, lane.row
    lane.columns, lane.row = catalogue.columns, row
    try:
        yield
    finally:
        lane.columns, lane.row = outer
