"""The universe that a page runs: it computes the bits of the author's, and agents observe what pictures show of it,
and behind that, where a policy plays, what they observe in the author's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from hamlet.env.board import FLAT
from hamlet.schema import axes
from hamlet.universe import (
    Affordance,
    At,
    Binary,
    CellValue,
    Coordinate,
    DrawLine,
    DrawLinks,
    DrawMark,
    Expression,
    Grid,
    Number,
    ObserveConstant,
    ObserveValue,
    On,
    TerrainValue,
    Universe,
)
from hamlet.universe.space import cells
from hamlet.universe.span import Span
from hamletc.page.linked import as_number, linked

PLACES = "places"
"""The array of the places of affordances, which a page asks for, and digests of the author's universe do not know."""
NOWHERE = Span(1, 1, 1, 1)
"""The place of what no author wrote."""
MOST_WALLS = 4096
"""Cells of a board, at most, of which each says whether it is a wall."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Consecutive rows of the observations."""

    begin: int
    count: int


class Shown:
    """A universe whose observations are what pictures show of it; then those of the author, if it is played.

    Attributes:
        universe: with these observations, and with the places of affordances as state.
        rows: how many observations come before those of the author.
        marks: the rows of each mark or line that `draw` puts on the board: its numbers, then its condition, if it has
            one; of links the numbers of one agent that their condition is made of.
        links: the conditions of links, in file order.
        opens, there: the row of each affordance that says whether it is open, and there; `None`: it always is.
        walls: the rows of cells by index that say which are walls, where a condition decides it.
        undigested: arrays of the state that the author's universe has not.
    """

    def __init__(self, universe: Universe, played: bool = False) -> None:
        self._values: list[ObserveValue] = []
        drawn = [each for each in universe.drawings if isinstance(each, DrawMark | DrawLine | DrawLinks)]
        self.links = [linked(universe, each.condition) for each in drawn if isinstance(each, DrawLinks)]
        of_links = iter(self.links)
        self.marks = tuple(
            self._rows(next(of_links).observed if isinstance(each, DrawLinks) else _numbers(each)) for each in drawn
        )
        self.opens = tuple(self._row(_open(each)) for each in universe.affordances)
        self.there = tuple(self._row(each.opening if each.appears else None) for each in universe.affordances)
        walls = tuple(_walls(universe))
        self.walls = self._rows(walls) if walls else None
        at_random = any(each.place is None for each in universe.affordances)
        space, added = universe.space, frozenset[str]()
        if isinstance(space, Grid) and space.places == "computed" and at_random:
            # Both ways give the same places, and agents the same starts.
            space, added = replace(space, places="stored"), frozenset({PLACES})
        self.undigested = added
        roles = None if universe.roles is None else tuple(
            replace(role, observations=role.observations if played else (), groups=()) for role in universe.roles
        )  # fmt: skip
        observed = (*self._values, *(universe.observations if played else ()))
        nothing = ObserveConstant((0.0,), NOWHERE)
        # Where only roles observe, what stands before theirs is nothing.
        self.rows = len(self._values) or int(not observed)
        self.universe = replace(universe, space=space, observations=observed or (nothing,), groups=(), roles=roles)

    def _rows(self, values: Sequence[Expression]) -> Rows:
        begin = len(self._values)
        self._values += [ObserveValue(f"shown {begin + n}", each, 0.0, 1.0, each.span) for n, each in enumerate(values)]
        return Rows(begin, len(values))

    def _row(self, condition: Expression | None) -> int | None:
        return None if condition is None else self._rows([as_number(condition)]).begin


def _numbers(mark: DrawMark | DrawLine) -> tuple[Expression, ...]:
    """The numbers of a mark or a line, then its condition."""
    ends = (mark.x, mark.y) if isinstance(mark, DrawMark) else (mark.x, mark.y, mark.to_x, mark.to_y)
    return ends if mark.condition is None else (*ends, as_number(mark.condition))


def _open(affordance: Affordance) -> Expression | None:
    """The condition under which an affordance is open; `None`: it always is."""
    if affordance.hours is None:
        return affordance.opening
    span = affordance.span
    opened = affordance.hours.condition(span)
    return opened if affordance.opening is None else Binary("and", opened, affordance.opening, span)


def _walls(universe: Universe) -> Iterator[Expression]:
    """Of each cell of a plane whether it is a wall now."""
    grid, condition = universe.space, universe.closed
    if not isinstance(grid, Grid) or condition is None or len(grid.sizes) > FLAT or cells(grid) > MOST_WALLS:
        return
    for index in range(cells(grid)):
        y, x = divmod(index, grid.sizes[0])
        place = dict(zip(axes(universe), (float(x), float(y)), strict=False))
        yield as_number(_at(condition, place))


def _at(part: Expression, place: Mapping[str, float]) -> Expression:
    """The value that an expression of cells has for the cell at a place."""
    match part:
        case CellValue() | TerrainValue() | On():
            return At(part, tuple(Number(each, part.span) for each in place.values()), part.span)
        case Coordinate(axis=axis):
            return Number(place[axis], part.span)
        case _:
            inside: dict[str, Any] = {each.name: getattr(part, each.name) for each in fields(part)}
            del inside["span"]
            operands = [name for name, each in inside.items() if is_dataclass(each)]
            asked: dict[str, Any] = {name: _at(inside[name], place) for name in operands}
            return replace(part, **asked)
