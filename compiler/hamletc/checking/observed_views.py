"""Windows that turn with the heading of agents, that show an expression of each cell, or what is in view, and grids of
such expressions."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple, cast

from hamlet import universe
from hamlet.numbers.binary32 import LARGEST, canonical32, round32
from hamlet.universe import Expression, Span
from hamlet.universe.space import axes_of, cells, count_around, is_hexagonal
from hamlet.universe.views import WIDEST_VIEW
from hamletc import messages
from hamletc.checking.asking import OF_CELLS
from hamletc.checking.expressions import Expressions
from hamletc.checking.observed_affordances import shows_affordances, stands
from hamletc.checking.observed_cells import MOST_ROWS, agents_on_cells, region_shown, shows_agents
from hamletc.checking.observed_items import Listing, number_at
from hamletc.checking.observed_wholes import MOST_HOT
from hamletc.checking.operations import is_condition
from hamletc.checking.report import any_number, whole_number
from hamletc.checking.space import LONGEST_SIDE
from hamletc.checking.symbols import is_word
from hamletc.expansion.headings import DIRECTIONS, HEADING
from hamletc.intervals import Interval, hull
from hamletc.language import syntax

MOST_HIDDEN = 225
"""The most cells of a window in which walls hide some."""
UPWARDS = (0, -1)
"""The step ahead of agents that face against the y axis."""

Window = syntax.ObserveWindow | syntax.ObserveHotWindow
Shown = syntax.ObserveGrid | Window


class _Extent(NamedTuple):
    """How many cells a window shows on each side of the agent."""

    left: int
    right: int
    ahead: int
    behind: int


class _Layer(NamedTuple):
    """What a window shows of each cell: a number that lies in `lies`, and another one beyond the edges."""

    name: str
    value: Expression | None
    lies: Interval
    beyond: float = 0.0


class ObservedViews:
    """Resolves such windows in a list of items."""

    def __init__(self, listing: Listing) -> None:
        self._in = listing
        self._meters = {meter.name: meter for meter in listing.draft.cell_meters}

    def is_plain(self, item: syntax.ObserveGrid | syntax.ObserveWindow) -> bool:
        """Whether a window shows cells as they lie, and no expression; those of terrains are none, nor is what cells
        have where walls hide it."""
        names, layer = self._in.names, item.layer
        in_grid = isinstance(item, syntax.ObserveGrid)
        of_cells = layer is not None and not names.means(layer, "region")
        terrain = of_cells and layer is not None and names.means(layer, "terrain")
        in_sight = isinstance(item, syntax.ObserveWindow) and item.within is not None
        hidden = of_cells and layer is not None and in_sight and names.means(layer, "cell meter")
        plain = item.is_plain and not terrain and not hidden
        agents = layer is not None and not in_grid and shows_agents(layer, names)
        return plain and not agents and (layer is None or not shows_affordances(layer, names))

    def shown(self, item: syntax.ObserveGrid | syntax.ObserveWindow) -> universe.ObserveView | None:
        """`window 7 x 7 ahead of wall in view`, `window 2 turned`, `window 2 of edible: 2 * moss`, `grid of Bed`."""
        shape = self._shape(item) if isinstance(item, Window) else self._whole(item)
        layer = self._labelled(item) if item.value is not None else self._layer(item.layer, item.opened)
        if layer is not None and isinstance(item, syntax.ObserveWindow) and item.beyond is not None:
            beyond = any_number(item.beyond, LARGEST, "a number beyond the edges", self._in.report)
            layer = None if beyond is None else layer._replace(beyond=beyond)
        own = None if item.own is None else self._of_agent(item.own)
        if shape is None or layer is None or (item.own is not None and own is None):
            return None
        if not self._is_first(item, layer.name):
            return None
        if own is not None and (lies := self._in.names.lies(own)) is not None:
            layer = layer._replace(lies=hull(layer.lies, lies))
        view = self._view(item, shape, layer)
        return None if view is None else replace(view, own=own)

    def _of_agent(self, written: syntax.Expr) -> Expression | None:
        """What an agent shows of itself: a number, or a condition, which is 1 where it holds."""
        expressions = Expressions(self._in.names, self._in.report, scope="observe")
        value = expressions.value(written)
        if value is None or not is_condition(value):
            return None if value is None else expressions.rounded(value)
        return self._indicator(cast(Expression, value), written.span)

    def hot(self, item: syntax.ObserveHotWindow) -> list[universe.Observation]:
        """`hot window 7 x 7 ahead of ground`: of each value of a state of cells where it is."""
        shape, word = self._shape(item), item.layer
        name = self._in.names.find(word, "cell meter")
        declared = None if name is None else self._meters.get(name)
        if declared is None or shape is None:
            return []
        if declared.type is None or not declared.type.whole:
            self._in.report.add(messages.observations.CellsNotWhole(word.span, word.text, declared.span))
            return []
        values = range(int(declared.low), int(declared.high) + 1)
        if len(values) > MOST_HOT:
            where = Interval(float(values.start), float(values[-1]))
            self._in.report.add(messages.observations.TooManyValues(item.span, where, MOST_HOT))
            return []
        if not self._is_first(item, f"hot {word.text}"):
            return []
        read, options = universe.CellValue(declared.name, word.span), declared.type.options
        shown: list[universe.Observation] = []
        for value in values:
            is_value = universe.Binary("==", read, number_at(value, word.span), word.span)
            called = f"{word.text}={options[value] if options else value}"
            layer = _Layer(called, self._indicator(is_value, word.span), Interval(0.0, 1.0))
            view = self._view(item, shape, layer)
            shown += [] if view is None else [view]
        return shown

    # --- which cells -------------------------------------------------------------------------------------------------

    def _whole(self, item: syntax.ObserveGrid) -> _Extent | None:
        """All cells: on the first axis to the right of the first one, and on all others behind it."""
        grid, report = self._in.space, self._in.report
        if not isinstance(grid, universe.Grid):
            return None
        width, count = grid.sizes[0], cells(grid)
        if count > MOST_ROWS:
            report.add(messages.observations.TooManyRows(item.span, count, MOST_ROWS))
            return None
        return _Extent(0, width - 1, 0, count // width - 1)

    def _shape(self, item: Window) -> _Extent | None:
        grid, report = self._in.space, self._in.report
        if not isinstance(grid, universe.Grid):
            return None
        if len(grid.sizes) != 2:
            report.add(messages.headings.WindowOffPlane(item.span, grid.span))
            return None
        hexagons = is_hexagonal(grid)
        ahead = item.turned is not None and item.turned.text == "ahead"
        if item.reach is not None and (not ahead or item.depth is None):
            report.add(messages.headings.WindowReach(item.reach.span))
            return None
        if hexagons and item.depth is not None:
            report.add(messages.headings.DepthOfHexagons(item.span))
            return None
        if not hexagons and ahead != (item.depth is not None):
            report.add(messages.headings.WindowSides(item.span, ahead))
            return None
        if hexagons and item.within is not None and item.within.text == "sight":
            report.add(messages.observations.SightOnHexagons(item.within.span, grid.span))
            return None
        extent = self._ahead(item, item.depth) if item.depth is not None else self._centred(item)
        if extent is None:
            return None
        cells = (extent.left + 1 + extent.right) * (extent.ahead + 1 + extent.behind)
        if hexagons:
            extent = extent._replace(behind=0) if ahead else extent
            cells = (extent.ahead + 1) ** 2 if ahead else count_around(grid, extent.ahead)
        if cells > MOST_ROWS:
            report.add(messages.observations.TooManyRows(item.span, cells, MOST_ROWS))
            return None
        of_map = grid.map is not None and bool(grid.map.walls)
        if item.within is not None and not of_map and self._in.draft.wall is None:
            report.add(messages.observations.NothingHidden(item.within.span))
            return None
        width = 1 if hexagons else extent.left + 1 + extent.right
        if item.within is not None and (cells > MOST_HIDDEN or width > WIDEST_VIEW):
            report.add(messages.headings.WindowTooLarge(item.span, MOST_HIDDEN, WIDEST_VIEW))
            return None
        return extent

    def _ahead(self, item: Window, depth: syntax.Signed) -> _Extent | None:
        """The agent stands in the middle of the last line, or of the line behind as many as the window reaches."""
        report = self._in.report
        width = whole_number(item.radius, 1, 2 * LONGEST_SIDE, "the width of a window", report)
        height = whole_number(depth, 1, LONGEST_SIDE, "the depth of a window", report)
        if width is None or height is None:
            return None
        reach: int | None = height - 1
        if item.reach is not None:
            reach = whole_number(item.reach, 0, height - 1, "how far a window reaches ahead", report)
        return None if reach is None else _Extent(width // 2, width - 1 - width // 2, reach, height - 1 - reach)

    def _centred(self, item: Window) -> _Extent | None:
        radius = whole_number(item.radius, 0, LONGEST_SIDE - 1, "the radius of a window", self._in.report)
        return None if radius is None else _Extent(radius, radius, radius, radius)

    def _steps(self, item: Shown) -> tuple[str | None, tuple[tuple[int, int], ...]] | None:
        """The state that is the heading, and the step ahead by the number of its option."""
        if isinstance(item, syntax.ObserveGrid) or item.turned is None:
            return None, (UPWARDS,)
        directions = DIRECTIONS["hexagons" if is_hexagonal(self._in.space) else "grid"]
        state = next((meter for meter in self._in.draft.meters if meter.name == HEADING), None)
        options = () if state is None or state.type is None else state.type.options
        if sorted(options) == sorted(directions):
            return HEADING, tuple(directions[option] for option in options)
        self._in.report.add(messages.headings.NoHeading(item.turned.span, tuple(directions)))
        return None

    # --- what of them ------------------------------------------------------------------------------------------------

    def _layer(self, word: syntax.Name | None, opened: syntax.Name | None) -> _Layer | None:
        """What is declared by this name, of an affordance only where it is open if that is said; all affordances, where
        there is no name."""
        names, space = self._in.names, self._in.space
        if word is None:
            return _Layer("", None, Interval(0.0, 1.0))
        if opened is not None or shows_affordances(word, names):
            return self._affordance(word, opened)
        if shows_agents(word, names):
            return self._agents(word)
        if names.means(word, "cell meter") and not names.means(word, "region"):
            meter = self._meters.get(word.text)
            value = universe.CellValue(word.text, word.span)
            return (
                None if meter is None else _Layer(word.text, value, Interval(round32(meter.low), round32(meter.high)))
            )
        if names.means(word, "terrain") and not names.means(word, "region"):
            return self._proven(word.text, universe.TerrainValue(word.text, word.span))
        walls = is_word(word, "wall") and not names.means(word, "region")
        if walls:
            condition = self._wall(word.span)
            beyond = 0.0 if isinstance(space, universe.Grid) and space.edges == "wrap" else 1.0
            return _Layer("wall", self._indicator(condition, word.span), Interval(0.0, 1.0), beyond)
        region = region_shown(word, names)
        if region is None:
            return None
        return _Layer(region, self._indicator(universe.On(region, word.span), word.span), Interval(0.0, 1.0))

    def _affordance(self, word: syntax.Name, opened: syntax.Name | None) -> _Layer | None:
        """Where an affordance stands, or one of its copies; with `opened` where one stands that is open."""
        where = stands(word, opened, self._in)
        if where is None:
            return None
        name = word.text if opened is None else f"open {word.text}"
        return _Layer(name, self._indicator(where, word.span), Interval(0.0, 1.0))

    def _agents(self, word: syntax.Name) -> _Layer | None:
        """How many agents, of a role or of all, are on each cell."""
        number = agents_on_cells(word, self._in)
        return None if number is None else self._proven(word.text, number)

    def _wall(self, span: Span) -> Expression:
        """The condition of a cell that it is a wall."""
        space = self._in.space
        here = tuple(universe.Coordinate(axis, span) for axis in (() if space is None else axes_of(space)))
        of_map, drawn = universe.At(universe.Wall(span), here, span), self._in.names.wall
        return of_map if drawn is None else universe.Binary("or", of_map, drawn, span)

    def _labelled(self, item: syntax.ObserveGrid | syntax.ObserveWindow) -> _Layer | None:
        """`edible: 2 * moss`."""
        name, written = cast(syntax.Name, item.name), cast(syntax.Expr, item.value)
        expressions = Expressions(self._in.names, self._in.report, scope="observe", whose="neighbour")
        value = expressions.value(written)
        if value is None:
            return None
        number = expressions.rounded(value) if not is_condition(value) else None
        shown = number if number is not None else self._indicator(cast(Expression, value), written.span)
        if not any(isinstance(node, (*OF_CELLS, universe.Here)) for node, _ in universe.parts(shown)):
            self._in.report.add(messages.headings.SameOfAllCells(written.span))
            return None
        return self._proven(name.text, shown)

    def _proven(self, name: str, value: Expression) -> _Layer | None:
        """A layer that lies where its value is proven to lie."""
        where = self._in.names.lies(value)
        return None if where is None else _Layer(name, value, where)

    def _indicator(self, condition: Expression, span: Span) -> Expression:
        return universe.If(condition, number_at(1, span), number_at(0, span), span)

    # --- the item ----------------------------------------------------------------------------------------------------

    def _is_first(self, item: Shown, name: str) -> bool:
        return self._in.first(f"{_word(item)} of", name, item.span)

    def _view(self, item: Shown, shape: _Extent, layer: _Layer) -> universe.ObserveView | None:
        found = self._steps(item)
        if found is None:
            return None
        heading, steps = found
        prefix, whole = _word(item), isinstance(item, syntax.ObserveGrid)
        ends = (layer.lies.low, layer.lies.high, *(() if whole else (0.0, layer.beyond)))
        low, high = canonical32(min(ends)), canonical32(max(ends))
        name = f"{prefix}.{layer.name}" if layer.name else prefix
        within = None
        if not isinstance(item, syntax.ObserveGrid) and item.within is not None:
            within = cast(Literal["sight", "view"], item.within.text)
        beyond = 0.0 if whole else layer.beyond
        view = universe.ObserveView(name, layer.value, low, high, beyond, *shape, steps, item.span)
        return replace(view, heading=heading, within=within, hexagonal=is_hexagonal(self._in.space), whole=whole)


def _word(item: Shown) -> str:
    """The word with which names of its rows begin."""
    if isinstance(item, syntax.ObserveGrid):
        return "grid"
    return "window" if item.turned is None else item.turned.text
