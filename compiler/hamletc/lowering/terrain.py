"""The map of a grid as tables: walls, regions and numbers of cells.

Letters that mean the same are one *kind* of ground. A table has the kind of every cell, packed in words where that
makes it so short that registers hold it, or where cells are many; everything else is found by the kind.
"""

from __future__ import annotations

from functools import partial

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import bits32, round32
from hamlet.schema import cells
from hamlet.universe import Grid, Map, ObserveRegion, Universe
from hamlet.universe.space import around
from hamletc.ir.builder import Builder
from hamletc.ir.function import Table
from hamletc.ir.ops import F32, I32, ShiftLeft, ShiftRight, Value
from hamletc.lowering.moves import WORD, displacement
from hamletc.lowering.places import grid_of

SHORT = 32
"""Words that registers hold."""
MOST_DIRECT = 4096
"""The most cells of a table that has a number for each, if it could be shorter."""
MOST_SEEN = 16384
"""The most numbers in the tables of an observed window."""
MOST_MOVES = WORD - 1
"""The most moves that a word has bits for; its sign stays unset."""


@dataclass(frozen=True, slots=True)
class ThinWalls:
    """Walls between two cells, as a table.

    Attributes:
        apart: by how much the index of the one cell is above that of the other: the different numbers there are.
        table: by the lower index, a bit per number of `apart`: whether a wall stands between these two cells.
    """

    apart: tuple[int, ...]
    table: Table


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground of a map, as tables.

    Attributes:
        kinds: a letter of each kind of ground; walls are the last ones.
        open: the number of kinds that are no walls.
        bits: that the table has for each cell.
        table: the kind of every cell; `None` where all are of one kind.
        terrains: the numbers of kinds, in the order of the map.
        moves: by cell, a bit per move: whether it changes the position, or goes nowhere anyway. `None` without walls,
            and where moves or cells are too many.
        thin: walls between two cells.
    """

    map: Map
    kinds: str
    open: int
    bits: int
    table: Table | None
    terrains: tuple[Table, ...]
    moves: Table | None
    thin: ThinWalls | None

    @property
    def has_walls(self) -> bool:
        """Whether some cells cannot be entered."""
        return self.open < len(self.kinds)


def ground(universe: Universe) -> Ground | None:
    """The ground of a universe; `None` without a map."""
    grid = universe.space
    if not isinstance(grid, Grid) or grid.map is None:
        return None
    drawn = grid.map
    kinds: dict[tuple[object, ...], str] = {}
    same: dict[str, tuple[object, ...]] = {}
    for letter in dict.fromkeys("".join(drawn.rows)):
        regions = tuple(letter in region.letters for region in drawn.regions)
        numbers = tuple(bits32(round32(drawn.number(terrain, letter))) for terrain in drawn.terrains)
        same[letter] = (letter in drawn.walls, regions, numbers)
        kinds.setdefault(same[letter], letter)
    order = sorted(kinds, key=lambda kind: bool(kind[0]))
    numbers_of = {kind: index for index, kind in enumerate(order)}
    bits, table = _table([numbers_of[same[letter]] for letter in "".join(drawn.rows)], len(order))
    letters = "".join(kinds[kind] for kind in order)
    stops = bool(drawn.walls or drawn.thin)
    return Ground(
        drawn,
        letters,
        sum(not kind[0] for kind in order),
        bits,
        table,
        tuple(
            Table(f"map.terrain{number}", F32, tuple(round32(drawn.number(terrain, letter)) for letter in letters))
            for number, terrain in enumerate(drawn.terrains)
        ),
        _open_moves(universe, grid) if stops and universe.closed is None and universe.pushing is None else None,
        _thin_walls(grid) if drawn.thin else None,
    )


def _table(numbers: list[int], kinds: int) -> tuple[int, Table | None]:
    """The table of the kinds of cells, and how many bits a cell has in it."""
    if kinds == 1:
        return WORD, None
    bits = next(bits for bits in (1, 2, 4, 8, 16) if kinds <= 1 << bits)
    count = WORD // bits
    words = [
        sum(kind << bits * place for place, kind in enumerate(numbers[first : first + count]))
        for first in range(0, len(numbers), count)
    ]
    if len(words) > SHORT and len(numbers) <= MOST_DIRECT:
        return WORD, Table("map.kind", I32, tuple(numbers))
    return bits, Table("map.kind", I32, tuple(map(signed, words)))


def signed(word: int) -> int:
    """The 32 bits of a word as a signed number."""
    return word - 2**WORD if word >= 2 ** (WORD - 1) else word


def _open_moves(universe: Universe, grid: Grid) -> Table | None:
    width, height = grid.sizes
    moves = schema.moves_of(universe)
    if any(number >= MOST_MOVES for number, _ in moves) or width * height > MOST_DIRECT or grid.map is None:
        return None
    walls, between = frozenset(grid.map.cells(grid.map.walls)), grid.map.between
    steps = [(number, displacement(universe, move.by), any(move.by)) for number, move in moves]
    rows = []
    for cell in range(width * height):
        x, y = cell % width, cell // width
        row = 0
        for bit, (right, down), goes in steps:
            there = along(grid, 0, x, int(right)) + width * along(grid, 1, y, int(down))
            row |= (not goes or (there != cell and there not in walls and (cell, there) not in between)) << bit
        rows.append(row)
    return Table("map.moves", I32, tuple(rows))


def _thin_walls(grid: Grid) -> ThinWalls:
    pairs = () if grid.map is None else tuple(wall.cells for wall in grid.map.thin)
    apart = tuple(sorted({high - low for low, high in pairs}))
    rows = [0] * cells(grid)
    for low, high in pairs:
        rows[low] |= 1 << apart.index(high - low)
    return ThinWalls(apart, Table("map.thin", I32, tuple(rows)))


def along(grid: Grid, axis: int, x: int, by: int) -> int:
    """The coordinate after a displacement, as `displacement` gives it, and after the edges."""
    size, there = grid.sizes[axis], x + by
    match grid.edges:
        case "clamp":
            return min(max(there, 0), size - 1)
        case "wrap":
            return there - size if there >= size else there
        case "sticky":
            return there if 0 <= there < size else x
        case "bounce":
            there = -there if there < 0 else there
            there = 2 * (size - 1) - there if there >= size else there
            return min(max(there, 0), size - 1)


# --- asking ----------------------------------------------------------------------------------------------------------


def kind_of(builder: Builder, floor: Ground, cell: Value) -> Value:
    """The kind (I32) of the ground of a cell (I32)."""
    if floor.table is None:
        return builder.i32(0)
    if floor.bits == WORD:
        return builder.lookup(floor.table, cell)
    count, index = WORD // floor.bits, builder.to_u32(cell)
    number = builder.to_i32(builder.shift_right(index, count.bit_length() - 1))
    place = builder.and_(index, builder.u32(count - 1))
    if floor.bits > 1:
        place = builder.emit(ShiftLeft(place, builder.u32(floor.bits.bit_length() - 1)))
    word = builder.emit(ShiftRight(builder.to_u32(builder.lookup(floor.table, number)), place))
    return builder.to_i32(builder.and_(word, builder.u32((1 << floor.bits) - 1)))


def is_wall(builder: Builder, floor: Ground, cell: Value) -> Value:
    """Whether (BOOL) a cell (I32) cannot be entered."""
    return builder.less_equal(builder.i32(floor.open), kind_of(builder, floor, cell))


def is_in(builder: Builder, floor: Ground, region: str | None, cell: Value) -> Value:
    """Whether (BOOL) a cell (I32) is in a region; of `None`: is a wall."""
    if region is None:
        return is_wall(builder, floor, cell)
    kind, letters = kind_of(builder, floor, cell), floor.map.region(region)
    numbers = [number for number, letter in enumerate(floor.kinds) if letter in letters]
    if len(floor.kinds) > WORD or len(numbers) == 1:
        return builder.any([builder.equal(kind, builder.i32(number)) for number in numbers])
    kinds = builder.u32(sum(1 << number for number in numbers))
    bit = builder.and_(builder.emit(ShiftRight(kinds, builder.to_u32(kind))), builder.u32(1))
    return builder.equal(bit, builder.u32(1))


def number_of(builder: Builder, floor: Ground, terrain: str, cell: Value) -> Value:
    """The number (F32) of a cell (I32)."""
    names = [each.name for each in floor.map.terrains]
    return builder.lookup(floor.terrains[names.index(terrain)], kind_of(builder, floor, cell))


# --- what is seen ----------------------------------------------------------------------------------------------------


def seen_words(universe: Universe, item: ObserveRegion, number: int) -> tuple[Table, ...]:
    """Of the observed region of this number: of a grid the words with a bit per cell, as a table; of a window, tables
    with a word for each cell on which an agent stands, together a bit per row; none where they would be too long."""
    grid = grid_of(universe)
    if universe.wall is not None and (item.region is None or item.within is not None):
        return () if item.radius is None or item.within is None else between_words(item.radius, number)
    if grid.map is None:
        return ()
    there = frozenset(grid.map.cells(grid.map.region(item.region)))
    if item.radius is None:
        words = tuple(map(signed, _words([cell in there for cell in range(cells(grid))])))
        return (Table(f"map.seen{number}", I32, words),)
    near = around(grid, item.radius)
    count = -(-len(near) // WORD)
    if count * cells(grid) > MOST_SEEN and item.within is None:
        return ()
    sees = partial(_sees, grid, there, beyond(grid, item))
    rows = [_words([sees(cell, right, down) for right, down in near]) for cell in range(cells(grid))]
    if item.within is not None:
        hidden = visible(grid, item.radius)
        rows = [[word & sight for word, sight in zip(*both, strict=True)] for both in zip(rows, hidden, strict=True)]
    return tuple(
        Table(f"map.seen{number}.{word}", I32, tuple(signed(row[word]) for row in rows)) for word in range(count)
    )


def beyond(grid: Grid, item: ObserveRegion) -> bool:
    """Whether there are walls beyond the edges."""
    return item.region is None and grid.edges != "wrap"


def _sees(grid: Grid, there: frozenset[int], outside: bool, cell: int, right: int, down: int) -> bool:
    width, height = grid.sizes
    x, y = cell % width + right, cell // width + down
    return x + width * y in there if 0 <= x < width and 0 <= y < height else outside


def sight_words(universe: Universe, radius: int, number: int) -> tuple[Table, ...]:
    """Of an observed window in sight: tables with a word for each cell on which an agent stands, together a bit per
    row, whether the agent sees the cell of that row."""
    if universe.wall is not None:
        return between_words(radius, number)
    rows = visible(grid_of(universe), radius)
    return tuple(
        Table(f"map.sight{number}.{word}", I32, tuple(signed(row[word]) for row in rows))
        for word in range(len(rows[0]))
    )


def between_words(radius: int, number: int) -> tuple[Table, ...]:
    """Of an observed window that walls hide of which cells decide: tables with a word for each row, together a bit per
    cell of the window, whether it lies between the agent's cell and that of the row."""
    side = range(-radius, radius + 1)
    offsets = [(right, down) for down in side for right in side]
    rows = [_words([each in between(*offset) for each in offsets]) for offset in offsets]
    return tuple(
        Table(f"map.between{number}.{word}", I32, tuple(signed(row[word]) for row in rows))
        for word in range(len(rows[0]))
    )


def visible(grid: Grid, radius: int) -> list[list[int]]:
    """By cell the words with a bit per row of a window: whether no wall lies between the cell and that of the row.

    A bit of a number of Python's stands for each cell of the grid with a margin of `radius` cells around it, so a shift
    moves all walls at once.
    """
    width, height = grid.sizes
    wide, side = width + 2 * radius, range(-radius, radius + 1)
    spots = [x + radius + wide * (y + radius) for y in range(height) for x in range(width)]
    walls = 0 if grid.edges == "wrap" else (1 << wide * (height + 2 * radius)) - 1
    solid = frozenset() if grid.map is None else frozenset(grid.map.cells(grid.map.walls))
    for cell, spot in enumerate(spots):
        walls = walls | 1 << spot if cell in solid else walls & ~(1 << spot)
    bits: list[list[bool]] = [[] for _ in spots]
    for down in side:
        for right in side:
            hidden = 0
            for across, along_y in between(right, down):
                by = across + wide * along_y
                hidden |= walls >> by if by >= 0 else walls << -by
            for seen, spot in zip(bits, spots, strict=True):
                seen.append(not hidden >> spot & 1)
    return [_words(seen) for seen in bits]


def between(right: int, down: int) -> list[tuple[int, int]]:
    """The offsets of the cells whose inside meets the line from the middle of a cell to that of the one at this offset,
    both of them left out."""
    pairs = []
    for across in range(min(right, 0), max(right, 0) + 1):
        for along_y in range(min(down, 0), max(down, 0) + 1):
            at_end = (across, along_y) in ((0, 0), (right, down))
            if not at_end and 2 * abs(right * along_y - down * across) < abs(right) + abs(down):
                pairs.append((across, along_y))
    return pairs


def _words(bits: list[bool]) -> list[int]:
    return [
        sum(bit << place for place, bit in enumerate(bits[first : first + WORD])) for first in range(0, len(bits), WORD)
    ]
