"""Affordances by one lookup of the cell: what differs between them comes from tables (see `interact`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hamlet import schema
from hamletc.ir.ops import Value
from hamletc.lowering.catalogue import Catalogue
from hamletc.lowering.expressions import clock_hour, lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.lasting import Reached, reach, settle
from hamletc.lowering.layout import affordance_here
from hamletc.lowering.statements import run, run_tick


def interact_by_table(lane: Lane, catalogue: Catalogue, tried: Value) -> Value:
    """Use the affordance of this number (I32; -1: none); the number of the one used, or -1."""
    builder, nowhere = lane.builder, lane.builder.i32(schema.NOWHERE)
    with builder.at("interact", None):
        somewhere = builder.less_equal(builder.i32(0), tried)
        row = builder.select(somewhere, tried, builder.i32(0))
        usable = builder.and_(somewhere, row_is_open(lane, catalogue, row))
        kind = builder.lookup(catalogue.kind, row)
    hits = []
    with _row(lane, catalogue, row):
        # At most one affordance is used, so all can be tested before any of them writes.
        for number, each in enumerate(catalogue.kinds):
            with builder.at(f"affordance {each.name}", each.span):
                hit = usable
                if len(catalogue.kinds) > 1:
                    hit = builder.and_(usable, builder.equal(kind, builder.i32(number)))
                hits.append(hit if each.needs is None else builder.and_(hit, lower_expression(lane, each.needs)))
    lasting = _lasting(lane, catalogue, row)
    before = lane.progress
    with _row(lane, catalogue, row):
        for each, hit in zip(catalogue.kinds, hits, strict=True):
            construct = f"affordance {each.name}"
            if lasting is None or not each.lasts:
                run(lane, construct, each.instantly, hit)
                continue
            with builder.at(construct, each.span):
                completing = builder.and_(hit, lasting.completes)
            lane.progress = lasting.reached.progress
            body = each.each_tick, each.on_completion, each.together
            run_tick(lane, construct, each.span, *body, hit, completing)
            lane.progress = before
    if lasting is not None:
        with builder.at("progress", None):
            using = builder.any([hit for kind, hit in zip(catalogue.kinds, hits, strict=True) if kind.lasts])
        settle(lane, row, lasting.reached, lasting.completes, using)
    with builder.at("interact", None):
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


@dataclass(frozen=True, slots=True)
class _Lasting:
    """What a tick at the affordance of a row comes to if that lasts; whether (BOOL) it completes it."""

    reached: Reached
    completes: Value


def _lasting(lane: Lane, catalogue: Catalogue, row: Value) -> _Lasting | None:
    """`None` where no affordance lasts."""
    builder = lane.builder
    if catalogue.duration is None:
        return None
    reached = reach(lane, affordance_here(lane))
    with builder.at("progress", None):
        return _Lasting(reached, builder.equal(reached.progress, builder.lookup(catalogue.duration, row)))


@contextmanager
def _row(lane: Lane, catalogue: Catalogue, row: Value) -> Iterator[None]:
    """Inside, numbers are columns of the catalogue."""
    outer = lane.columns, lane.row
    lane.columns, lane.row = catalogue.columns, row
    try:
        yield
    finally:
        lane.columns, lane.row = outer
