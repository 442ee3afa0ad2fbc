"""Agents that keep each other from moving: a question of each agent to all of its world, found before anybody moves."""

from __future__ import annotations

from dataclasses import replace

from hamlet.frozen import dataclass
from hamlet.universe import AgentNumber, Universe
from hamletc.ir.function import Construct
from hamletc.ir.ops import Value
from hamletc.lowering.act import BLOCKED, destination
from hamletc.lowering.expressions import lower_expression, there_is
from hamletc.lowering.lane import Lane, Line
from hamletc.lowering.pairs import Pairs
from hamletc.lowering.places import cell_index, grid_of
from hamletc.lowering.pushing import same_cell

NOWHERE = -1


def count_in_the_way(pairs: Pairs, universe: Universe) -> None:
    """Ask how many agents keep an agent from moving, where some can."""
    holds = universe.blocking or universe.pushing
    if holds is None:
        return
    lane, construct = pairs.lane, Construct("agents block" if universe.blocking else "agents push")
    trial = replace(lane, meters=dict(lane.meters))
    there = destination(trial, there_is(lane.action, "action"))
    with lane.builder.at(construct, holds.span, "act"):
        goes = lane.builder.not_(same_cell(lane, there, lane.position))
        number = lower_expression(lane, AgentNumber(holds.span))
        order = universe.order_of_moves
        priority = None if order is None else lower_expression(lane, order)
        claims = None if trial.line is None else _claims(lane, trial.line, goes)
    builder = pairs.pair.builder
    with builder.at(construct, holds.span, "act"):
        mine, theirs = (pairs.of(whose, number) for whose in ("own", "other"))
        first = builder.less(theirs, mine)
        if priority is not None:
            low, high = (pairs.of(whose, priority) for whose in ("own", "other"))
            first = builder.or_(builder.less(low, high), builder.and_(builder.equal(high, low), first))
        taken = []
        if universe.blocking is not None:
            goal = tuple(pairs.of("own", x) for x in there)
            stands = same_cell(pairs.pair, goal, tuple(pairs.of("other", x) for x in lane.position))
            wants = same_cell(pairs.pair, goal, tuple(pairs.of("other", x) for x in there))
            taken += [stands, builder.and_(wants, first)]
        if claims is not None:
            taken.append(_contended(pairs, claims, first))
        other = builder.not_(builder.equal(mine, theirs))
        pairs.count(BLOCKED, builder.all([pairs.of("own", goes), other, builder.any(taken)]))


@dataclass(frozen=True, slots=True)
class _Claims:
    """Cells that an agent claims by its move.

    Attributes:
        cells: each index (I32), or -1.
        behind: the index (I32) of the one behind the line that it pushes, or -1.
        standing: the index (I32) of its own.
        pushes: whether (BOOL) it pushes something.
    """

    cells: tuple[Value, ...]
    behind: Value
    standing: Value
    pushes: Value


def _claims(lane: Lane, line: Line, goes: Value) -> _Claims:
    """The cells that an agent claims that goes (BOOL) towards a line."""
    builder, nowhere = lane.builder, lane.builder.i32(NOWHERE)
    pushes = builder.less(builder.i32(0), line.length)
    cells, behind = [builder.select(goes, line.cells[0], nowhere)], nowhere
    for number, cell in enumerate(line.cells[1:], 1):
        cells.append(builder.select(builder.less_equal(builder.i32(number), line.length), cell, nowhere))
        behind = builder.select(builder.equal(line.length, builder.i32(number)), cell, behind)
    standing = cell_index(builder, grid_of(lane.universe).sizes, lane.position)
    return _Claims(tuple(cells), behind, standing, pushes)


def _contended(pairs: Pairs, claims: _Claims, first: Value) -> Value:
    """Whether (BOOL) the other agent, which comes `first` (BOOL) or not, stands where this one pushes, or claims a cell
    that it claims, too."""
    builder = pairs.pair.builder
    shared = []
    for cell in claims.cells:
        own = pairs.of("own", cell)
        claimed = builder.less_equal(builder.i32(0), own)
        same = builder.any([builder.equal(own, pairs.of("other", each)) for each in claims.cells])
        shared.append(builder.and_(claimed, same))
    pushes = builder.or_(pairs.of("own", claims.pushes), pairs.of("other", claims.pushes))
    stands = builder.equal(pairs.of("own", claims.behind), pairs.of("other", claims.standing))
    return builder.or_(builder.all([first, pushes, builder.any(shared)]), stands)
