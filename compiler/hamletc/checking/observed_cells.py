"""Grids and windows that agents observe: where affordances are, regions and walls, and what cells have."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from hamlet import universe
from hamlet.universe import Span
from hamlet.universe.space import is_hexagonal
from hamletc import messages
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.observed_items import Listing
from hamletc.checking.observed_wholes import MOST_HOT
from hamletc.checking.report import whole_number
from hamletc.checking.space import LONGEST_SIDE
from hamletc.checking.symbols import is_word
from hamletc.intervals import Interval
from hamletc.language import syntax

MOST_ROWS = 2**20
MOST_SEEN = 2**16
"""The most words that say what walls hide in a window."""
FARTHEST_SIGHT = 7
"""The largest radius of a window that walls hide of which cells decide: each step asks for every cell of it."""


class ObservedCells:
    """Resolves grids and windows in a list of items."""

    def __init__(self, listing: Listing) -> None:
        self._in = listing
        self._meters = {meter.name: meter for meter in listing.draft.cell_meters}

    def grid(self, item: syntax.ObserveGrid) -> universe.Observation | None:
        if isinstance(self._in.space, universe.Grid) and self._is_too_large(prod(self._in.space.sizes), item):
            return None
        return universe.ObserveGrid(item.span)

    def window(self, item: syntax.ObserveWindow) -> universe.ObserveWindow | None:
        radius = whole_number(item.radius, 0, LONGEST_SIDE - 1, "the radius of a window", self._in.report)
        if radius is None or not isinstance(self._in.space, universe.Grid):
            return None
        farthest = max(self._in.space.sizes) - 1
        if farthest == 0:
            self._in.nothing(item, "window")
        elif radius > farthest:
            self._in.report.add(messages.observations.RadiusOutsideGrid(item.radius.span, farthest))
        if self._is_too_large((2 * radius + 1) ** len(self._in.space.sizes), item):
            return None
        if item.within is None:
            return universe.ObserveWindow(radius, item.span)
        sees = self._has_sight(self._in.space, radius, item)
        return universe.ObserveWindow(radius, item.span, "sight") if sees else None

    def _has_sight(self, grid: universe.Grid, radius: int, item: syntax.ObserveWindow) -> bool:
        """Whether walls can hide something, and what they hide fits into tables."""
        where = item.span if item.within is None else item.within.span
        if is_hexagonal(grid):
            self._in.report.add(messages.observations.SightOnHexagons(where, grid.span))
            return False
        if self._in.draft.wall is not None and len(grid.sizes) == 2:
            if radius > FARTHEST_SIGHT:
                self._in.report.add(messages.walls.SightTooFar(item.span, FARTHEST_SIGHT))
            return radius <= FARTHEST_SIGHT
        if grid.map is None or not grid.map.walls:
            self._in.report.add(messages.observations.NothingHidden(where))
            return False
        words = -(-((2 * radius + 1) ** 2) // 32) * prod(grid.sizes)
        if words > MOST_SEEN:
            self._in.report.add(messages.observations.TooMuchSight(item.span, words, MOST_SEEN))
        return words <= MOST_SEEN

    def layer(self, item: syntax.ObserveGrid | syntax.ObserveWindow, word: syntax.Name) -> universe.Observation | None:
        """`grid of forest`, `window 2 of wall`, `window 2 of moss`."""
        if self._in.names.means(word, "cell meter") and not self._in.names.means(word, "region"):
            return self._of_cells(item, word) if self._in.first(f"{item.keyword()} of", word.text, item.span) else None
        if isinstance(item, syntax.ObserveGrid) and shows_agents(word, self._in.names):
            return self._agents(item, word)
        region = None if is_word(word, "wall") else region_shown(word, self._in.names)
        walls = region is None and is_word(word, "wall")
        if not walls and region is None:
            return None
        if not self._in.first(f"{item.keyword()} of", word.text, item.span) or not self._in.has_grid(item):
            return None
        space = self._in.space
        if not isinstance(space, universe.Grid):
            return None
        drawn = walls and self._in.draft.wall is not None
        if not drawn and (space.map is None or (walls and not space.map.walls)):
            self._in.report.add(messages.observations.NoWalls(word.span))
            return None
        if isinstance(item, syntax.ObserveGrid):
            too_large = self._is_too_large(prod(space.sizes), item)
            return None if too_large else universe.ObserveRegion(None, region, item.span)
        plain = self.window(item)
        return None if plain is None else universe.ObserveRegion(plain.radius, region, item.span, plain.within)

    def _of_cells(
        self, item: syntax.ObserveGrid | syntax.ObserveWindow, word: syntax.Name
    ) -> universe.Observation | None:
        """`grid of moss`, `window 2 of moss`."""
        if not self._in.has_grid(item):
            return None
        if isinstance(item, syntax.ObserveWindow):
            plain = self.window(item)
            return None if plain is None else universe.ObserveCells(plain.radius, word.text, item.span)
        if not isinstance(self._in.space, universe.Grid) or self._is_too_large(prod(self._in.space.sizes), item):
            return None
        return universe.ObserveCells(None, word.text, item.span)

    def _agents(self, item: syntax.ObserveGrid, word: syntax.Name) -> universe.Observation | None:
        """`grid of wolf`, `grid of agents`."""
        if not self._in.first("grid of", word.text, item.span) or not self._in.has_grid(item):
            return None
        if not isinstance(self._in.space, universe.Grid) or self._is_too_large(prod(self._in.space.sizes), item):
            return None
        number = agents_on_cells(word, self._in)
        if not isinstance(number, universe.CellValue):
            return None
        return universe.ObserveCells(None, number.meter, item.span, called=word.text)

    def hot(self, item: syntax.ObserveHotGrid | syntax.ObserveHotWindow) -> list[universe.Observation]:
        """`hot grid of ground`, `hot window 2 of ground`: of each value of a state of cells where it is."""
        span, layer = item.span, item.layer
        plain: syntax.ObserveGrid | syntax.ObserveWindow = syntax.ObserveGrid(layer, span)
        if isinstance(item, syntax.ObserveHotWindow):
            plain = syntax.ObserveWindow(item.radius, layer, None, span)
        name = self._in.names.find(layer, "cell meter")
        declared = None if name is None else self._meters.get(name)
        if declared is None:
            return []
        if declared.type is None or not declared.type.whole:
            self._in.report.add(messages.observations.CellsNotWhole(layer.span, layer.text, declared.span))
            return []
        first = self._in.first(f"hot {plain.keyword()} of", layer.text, span)
        shown = self._of_cells(plain, layer) if first else None
        values = range(int(declared.low), int(declared.high) + 1)
        if not isinstance(shown, universe.ObserveCells) or self._is_too_many(values, item.span):
            return []
        return [replace(shown, only=value) for value in values]

    def _is_too_many(self, values: range, span: Span) -> bool:
        if len(values) > MOST_HOT:
            where = Interval(float(values.start), float(values[-1]))
            self._in.report.add(messages.observations.TooManyValues(span, where, MOST_HOT))
        return len(values) > MOST_HOT

    def _is_too_large(self, rows: int, item: syntax.ObserveItem) -> bool:
        if rows <= MOST_ROWS:
            return False
        self._in.report.add(messages.observations.TooManyRows(item.span, rows, MOST_ROWS))
        return True


def shows_agents(word: syntax.Name, names: Names) -> bool:
    """Whether `of agents`, or `of` a role, is meant, and nothing else that is declared by this name."""
    if names.means(word, "cell meter") or names.means(word, "region") or names.means(word, "terrain"):
        return False
    return names.means(word, "role") or is_word(word, "agents")


def agents_on_cells(word: syntax.Name, listing: Listing) -> universe.Expression | None:
    """How many agents, of a role or of all, are on a cell."""
    expressions = Expressions(listing.names, listing.report, scope="observe", whose="neighbour")
    who: syntax.Expr = syntax.Name("true", word.span)
    if listing.names.means(word, "role"):
        who = syntax.RoleExpr(word.text, word.span)
    return expressions.number(syntax.CallExpr(syntax.Name("count", word.span), (who,), word.span))


def affordances_of(names: Names) -> tuple[str, ...]:
    """The names of affordances, and those that all copies of one have."""
    return tuple(dict.fromkeys((*names.of_kind("affordance"), *names.copy_of.values())))


def region_shown(word: syntax.Name, names: Names) -> str | None:
    """The region of this name; where there is none, all that windows and grids show is told."""
    if names.means(word, "region"):
        return names.find(word, "region")
    shown = (*names.of_kind("region", "cell meter", "terrain", "role"), *affordances_of(names))
    names.refuse(word, "a layer", (*shown, "agents", "wall"))
    return None
