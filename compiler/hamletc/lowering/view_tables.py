"""Tables of windows of expressions, which turn with the heading: where cells of rows are, and what walls hide.

Where a window turns, lanes have in common how far the cell of a row is to the right and ahead, and each lane knows once
which ways these are. A table by heading and row would be read at as many places as there are lanes, for every row."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Literal, NamedTuple

from hamlet.frozen import dataclass
from hamlet.universe import Grid, ObserveView, Universe, nodes
from hamlet.universe.space import cells
from hamletc.ir.function import Table
from hamletc.ir.ops import I32
from hamletc.lowering.moves import WORD
from hamletc.lowering.terrain import MOST_SEEN, between, signed


class Shape(NamedTuple):
    """The key of the tables of a window: which cells it shows by which heading, and how walls hide them."""

    left: int
    right: int
    ahead: int
    behind: int
    steps: tuple[tuple[int, int], ...]
    within: Literal["sight", "view"] | None
    hexagonal: bool

    @classmethod
    def of(cls, item: ObserveView) -> Shape:
        """That of an item."""
        return cls(item.left, item.right, item.ahead, item.behind, item.steps, item.within, item.hexagonal)


@dataclass(frozen=True, slots=True)
class ViewTables:
    """Tables (I32) of a shape.

    Attributes:
        axes: by row how far its cell is from the agent's, per axis; where the window turns, to the right and ahead.
        ways: where the window turns, by the number of the heading: which way is right, per axis, and which is ahead.
        seen: by the number of the heading and then by cell on which an agent stands, together a bit per row: whether
            the agent sees the cell of that row. None where this is found as agents look around.
        between: by row, together a bit per row: whether that one lies on the way to this one; in sight alone, and only
            where there is no `seen`.
    """

    axes: tuple[Table, ...]
    ways: tuple[tuple[Table, ...], ...]
    seen: tuple[Table, ...]
    between: tuple[Table, ...]


def view_tables(universe: Universe) -> dict[Shape, ViewTables]:
    """The tables of each shape of the windows of expressions."""
    items = {Shape.of(item): item for item in nodes(universe) if isinstance(item, ObserveView) and not item.whole}
    if not isinstance(universe.space, Grid):
        return {}
    drawn = universe.wall is not None
    return {shape: _tables(universe.space, item, number, drawn) for number, (shape, item) in enumerate(items.items())}


def _tables(grid: Grid, item: ObserveView, number: int, drawn: bool) -> ViewTables:
    of_axes, ways = _of_cells(item, f"view{number}")
    if item.within is None:
        return ViewTables(of_axes, ways, (), ())
    count = -(-len(item.places) // WORD)
    if not drawn and count * len(item.steps) * cells(grid) <= MOST_SEEN:
        return ViewTables(of_axes, ways, _words_of(f"view{number}.seen", _seen(grid, item), count), ())
    lines = _lines(item) if item.within == "sight" else []
    return ViewTables(of_axes, ways, (), _words_of(f"view{number}.between", lines, count) if lines else ())


def _of_cells(item: ObserveView, name: str) -> tuple[tuple[Table, ...], tuple[tuple[Table, ...], ...]]:
    """Where the cells of rows are, and where the window turns the ways."""
    if item.heading is None:
        return _per_axis(name, item.offsets(0)), ()
    places = zip(("right", "ahead"), zip(*item.places, strict=True), strict=True)
    ways = (_per_axis(f"{name}.{way}", steps) for way, steps in (("to_right", item.across), ("to_ahead", item.steps)))
    return tuple(Table(f"{name}.{way}", I32, far) for way, far in places), tuple(ways)


def _per_axis(name: str, offsets: Iterable[tuple[int, int]]) -> tuple[Table, ...]:
    along_axes = zip(*offsets, strict=True)
    return tuple(Table(f"{name}.{axis}", I32, along) for axis, along in zip("xy", along_axes, strict=True))


def _words_of(name: str, rows: list[int], count: int) -> tuple[Table, ...]:
    """Tables of as many words as these numbers have bits."""
    words = [[signed(row >> WORD * word & (1 << WORD) - 1) for row in rows] for word in range(count)]
    return tuple(Table(f"{name}{word}", I32, tuple(values)) for word, values in enumerate(words))


def _lines(item: ObserveView) -> list[int]:
    """By row the bits of those that lie on the straight line to it."""
    bits = {place: 1 << row for row, place in enumerate(item.places)}
    return [reduce(or_, (bits[each] for each in between(*place)), 0) for place in item.places]


def _seen(grid: Grid, item: ObserveView) -> list[int]:
    """By heading and cell the bits of the rows whose cells are seen past the walls of a map."""
    width, height = grid.sizes
    solid = frozenset() if grid.map is None else frozenset(grid.map.cells(grid.map.walls))
    lines = _lines(item) if item.within == "sight" else []
    seen = []
    for option in range(len(item.steps)):
        for y in range(height):
            for x in range(width):
                walls = 0
                for row, (right, down) in enumerate(item.offsets(option)):
                    inside = 0 <= x + right < width and 0 <= y + down < height
                    wall = x + right + width * (y + down) in solid if inside else grid.edges != "wrap"
                    walls |= wall << row
                if item.hexagonal:
                    seen.append(_spread_outwards(item, walls))
                elif item.within == "sight":
                    seen.append(sum((not walls & line) << row for row, line in enumerate(lines)))
                else:
                    seen.append(_spread(item, walls))
    return seen


def _spread(item: ObserveView, walls: int) -> int:
    """The bits of the rows that are seen line by line from the agent on, past these walls."""
    width, full = item.width, (1 << item.width) - 1
    seen, line, own = 0, 1 << item.left, 1 << item.left
    for ahead in range(item.ahead + 1):
        first = (item.ahead - ahead) * width
        clear = ~(walls >> first) & full | (own if ahead == 0 else 0)
        for _ in range(width - 1):
            line |= (line & clear) << 1 & full
        rightwards = line & clear & full >> 1
        for _ in range(width - 1):
            line |= (line & clear) >> 1
        leftwards = line & clear & ~1
        seen |= line << first
        line = rightwards | rightwards << 1 | leftwards | leftwards >> 1
    return seen


def steps_outwards(item: ObserveView) -> list[tuple[int, tuple[int, ...]]]:
    """The rows of hexagons around the agent, the nearest first, each with those of the hexagons beside it that are one
    step nearer to the agent."""
    away = [max(abs(right), abs(ahead), abs(right - ahead)) for right, ahead in item.places]
    rows = {place: row for row, place in enumerate(item.places)}
    steps: list[tuple[int, tuple[int, ...]]] = []
    for row in sorted(range(len(away)), key=away.__getitem__):
        right, ahead = item.places[row]
        around = ((right + x, ahead + x - y) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)))
        near = (rows[each] for each in around if each in rows)
        if away[row]:
            steps.append((row, tuple(other for other in near if away[other] < away[row])))
    return steps


def _spread_outwards(item: ObserveView, walls: int) -> int:
    """The bits of the rows whose hexagons are seen outwards from the agent, past these walls."""
    own = 1 << item.places.index((0, 0))
    seen, clear = own, ~walls | own
    for row, nearer in steps_outwards(item):
        seen |= any(seen & clear & 1 << other for other in nearer) << row
    return seen
