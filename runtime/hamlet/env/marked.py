"""Marks and lines that `draw` puts on the board of one world."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch

from hamlet.env.drawn import MOST_LINKS, Drawn, Line, Mark, Place
from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import Lanes
from hamlet.universe import DrawLine, DrawLinks, DrawMark, Expression
from hamlet.universe.drawings import COLOURS

MOST_MARKS = 1024
"""Marks, and lines, that one item draws, at most: one for each agent."""


def on_board(drawn: Drawn, lanes: Lanes) -> tuple[tuple[Mark, ...], tuple[Line, ...]]:
    """The marks and lines of one world."""
    marks: list[Mark] = []
    lines: list[Line] = []
    for item in drawn.marks:
        colour = COLOURS[item.colour] if item.colour else None
        match item:
            case DrawMark(x=x, y=y, letter=letter):
                places = _values((x, y), item.condition, lanes)
                marks += [Mark(drawn.turned((at[0], at[1])), letter, colour) for at in places]
            case DrawLine(x=x, y=y, to_x=to_x, to_y=to_y):
                places = _values((x, y, to_x, to_y), item.condition, lanes)
                ends = ((drawn.turned((a, b)), drawn.turned((c, d))) for a, b, c, d in places)
                lines += [Line(begin, end, colour) for begin, end in ends]
            case DrawLinks(condition=condition):
                ends = ((drawn.turned(one), drawn.turned(other)) for one, other in _linked(condition, lanes))
                lines += [Line(begin, end, colour) for begin, end in ends]
    return tuple(marks), tuple(lines)


def _linked(condition: Expression, lanes: Lanes) -> list[tuple[Place, Place]]:
    """The places of each two living agents of one world of which the condition holds, whichever of them asks."""
    agents = lanes.alive.shape[1]
    asking = replace(lanes, askers=slice(0, agents), coverage=None)
    holds = evaluate(condition, asking).expand(agents, 1, agents)[:, 0]
    both = (holds | holds.T) & lanes.alive.T & lanes.alive
    pairs = torch.triu(both, diagonal=1).nonzero()[:MOST_LINKS].tolist()
    places = torch.stack([axis.reshape(-1).double() for axis in lanes.position], dim=1).tolist()
    return [((places[a][0], places[a][1]), (places[b][0], places[b][1])) for a, b in pairs]


def within(place: Place, low: Place, size: Place) -> bool:
    """Whether a place is on a board that begins at `low` and has this size."""
    return all(a <= x <= a + b for x, a, b in zip(place, low, size, strict=True))


def clipped(line: Line, low: Place, size: Place) -> Iterator[Line]:
    """The part of a line that is on such a board (Y.-D. Liang, B. Barsky, 1984); none where it passes the board by."""
    first, last = 0.0, 1.0
    by = line.end[0] - line.begin[0], line.end[1] - line.begin[1]
    for x, step, least, wide in zip(line.begin, by, low, size, strict=True):
        for go, room in ((-step, x - least), (step, least + wide - x)):
            if go == 0 and room < 0:
                return
            if go < 0:
                first = max(first, room / go)
            elif go > 0:
                last = min(last, room / go)
    if first <= last:
        begin, end = ((line.begin[0] + share * by[0], line.begin[1] + share * by[1]) for share in (first, last))
        yield Line(begin, end, line.colour)


def _values(expressions: Sequence[Expression], condition: Expression | None, lanes: Lanes) -> list[tuple[float, ...]]:
    """The values of expressions in one world: of each living agent for which the condition holds, each but once."""
    every = torch.ones_like(lanes.alive)
    holds = every if condition is None else every & evaluate(condition, lanes)
    shown = (holds & lanes.alive if bool(lanes.alive.any()) else holds).reshape(-1)
    numbers = [
        (evaluate(each, lanes) + torch.zeros_like(every, dtype=torch.float32)).reshape(-1) for each in expressions
    ]
    rows = torch.stack([each[shown] for each in numbers], dim=1)[:MOST_MARKS]
    return list(dict.fromkeys(tuple(row) for row in rows.tolist()))
