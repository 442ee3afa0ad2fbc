"""The board of a picture: the space of a universe, as far as it can be shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hamlet.env.drawn import Colour, Drawn
from hamlet.universe import Continuous, Graph, Grid, NoSpace, Universe
from hamlet.universe.space import graph_of, is_hexagonal, letters_of
from hamlet.universe.terrain import Map

FLAT = 2
"""Axes that can be shown. Of a space of more the first two are, as if one looked through all others."""

FLOOR = "."
WALL = "#"
SOLID = "%&$"
"""Letters of solid cells: the first that a map has not."""
SOLID_TINT = (150, 150, 156)


@dataclass(frozen=True, slots=True)
class Board:
    """The space that is shown.

    Attributes:
        low, size: the first coordinate of both axes, and how far they reach: a number of cells on a grid. An axis
            that a space lacks is one cell.
        cells: whether it is a grid.
        reach: the distance from which an affordance is used, in a continuous space.
        ground: a letter per cell of each row, where there is a map; of a graph with regions per node, in one row.
        walls: the letters of cells that nobody enters.
    """

    low: tuple[float, float]
    size: tuple[float, float]
    cells: bool
    reach: float
    ground: tuple[str, ...]
    walls: str
    hexagons: bool = False
    """Whether each row begins half a cell further right than the one above it."""
    nodes: tuple[str, ...] = ()
    """Of a graph the names of its nodes; place k is node k."""
    edges: tuple[tuple[int, int, bool], ...] = ()
    """From which node one leads to which, and whether it leads back."""
    tints: tuple[tuple[str, Colour], ...] = ()
    """The colours of letters of the map, or of nodes."""
    thin: tuple[tuple[tuple[int, int], tuple[int, int]], ...] = ()
    """The two cells on both sides of each thin wall."""
    letters: tuple[tuple[str, str, str], ...] = ()
    """Of letters of the map those that are shown in their place, as `draw` says, and the name of the region."""

    @property
    def edge(self) -> tuple[float, float]:
        """How far the last place is from the first one, on both axes."""
        across, down = self.size
        return (across - 1, down - 1) if self.cells else self.size


def board_of(universe: Universe, drawn: Drawn) -> Board | None:
    """The space as it is in all worlds: without walls of which a condition of cells decides."""
    canvas = drawn.canvas
    match universe.space:
        case Grid(sizes=sizes):
            width, height = (*sizes, 1)[:FLAT]
            graph = graph_of(universe.space)
            ground = letters_of(universe.space)
            rows, walls = ((), "") if ground is None else (ground.rows, ground.walls)
            return Board(
                (0.0, 0.0),
                (float(width), float(height)),
                True,
                0.0,
                rows,
                walls,
                is_hexagonal(universe.space),
                () if graph is None else tuple(node.name for node in graph.nodes),
                () if graph is None else tuple(_edges(graph)),
                tuple(_tints(universe.space, drawn)),
                () if ground is None else tuple(_thin(ground, width)),
                () if ground is None else tuple(_letters(ground, drawn)),
            )
        case Continuous(axes=axes, reach=reach):
            low = (*(axis.low for axis in axes), 0.0)[:FLAT]
            size = (*(axis.size for axis in axes), 0.0)[:FLAT]
            return Board((low[0], low[1]), (size[0], size[1]), False, reach, (), "")
        case NoSpace() if canvas is not None:
            (left, bottom), (right, top) = canvas.low, canvas.high
            return Board(canvas.low, (right - left, top - bottom), False, 0.0, (), "")
        case NoSpace():
            return None


def _thin(ground: Map, width: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    for wall in ground.thin:
        (y, x), (v, u) = (divmod(cell, width) for cell in wall.cells)
        yield (x, y), (u, v)


def _tints(space: Grid, drawn: Drawn) -> Iterator[tuple[str, Colour]]:
    """The colours of letters of the map, or of nodes: of regions, the first that has one, and of walls."""
    ground = letters_of(space)
    if ground is None:
        return
    tints: dict[str, Colour] = {}
    if (wall := drawn.colour("wall")) is not None:
        tints |= dict.fromkeys(ground.walls, wall)
    for region in ground.regions:
        if (tint := drawn.colour("region", region.name)) is not None:
            tints = dict.fromkeys(region.letters, tint) | tints
    yield from tints.items()


def _letters(ground: Map, drawn: Drawn) -> Iterator[tuple[str, str, str]]:
    """The letters of regions in place of those of the map: of each the first region that has one."""
    signs: dict[str, tuple[str, str]] = {}
    for region in ground.regions:
        if letter := drawn.letter("region", region.name):
            signs = dict.fromkeys(region.letters, (letter, region.name)) | signs
    yield from ((letter, *sign) for letter, sign in signs.items())


def _edges(graph: Graph) -> Iterator[tuple[int, int, bool]]:
    """The edges of a graph, those that lead both ways once."""
    for one, node in enumerate(graph.nodes):
        for other in sorted(graph.number(name) for name in node.leads):
            back = node.name in graph.nodes[other].leads
            if not back or one <= other:
                yield one, other, back
