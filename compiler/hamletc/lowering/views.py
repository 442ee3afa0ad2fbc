"""Windows and grids of expressions: a value per row, in a window of the cell that lies there by the agent's heading
(docs/semantics.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hamlet import universe
from hamlet.numbers.binary32 import round32
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.functions import whole
from hamletc.lowering.lane import Lane
from hamletc.lowering.occupancy import WORD, Occupancy, has_bit
from hamletc.lowering.places import cell_index, cell_position, grid_of
from hamletc.lowering.view_tables import Shape, ViewTables, steps_outwards
from hamletc.lowering.walls import hidden_behind


class Views:
    """The windows of a lane. What several of them need is found once."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._facing: dict[str, Value] = {}
        self._opaque: dict[Shape, list[Value]] = {}
        self._seen: dict[Shape, list[Value]] = {}

    def row(self, item: universe.ObserveView, occupied: Callable[[], Occupancy], row: Value) -> Value:
        """The value (F32) of a row (I32) of a window."""
        lane, builder = self._lane, self._lane.builder
        inside, position = self._cell(item, row)
        if item.value is None:
            cell = builder.to_u32(cell_index(builder, grid_of(lane.universe).sizes, position))
            value = builder.select(occupied().at(cell), builder.f32(1.0), builder.f32(0.0))
        else:
            looked_at = replace(lane, position=position, cells={}, columns=(), row=0, searched=None, looks=True)
            value = lower_expression(looked_at, item.value)
        value = builder.select(inside, value, builder.f32(round32(item.beyond)))
        if item.own is not None:
            here = builder.equal(row, self._own(item))
            value = builder.select(here, lower_expression(lane, item.own), value)
        if item.within is None:
            return value
        return builder.select(self._sees(item, row), value, builder.f32(0.0))

    def _own(self, item: universe.ObserveView) -> Value:
        """The row (I32) of the agent's own cell."""
        builder, lane = self._lane.builder, self._lane
        if item.whole:
            return cell_index(builder, grid_of(lane.universe).sizes, lane.position)
        return builder.i32(item.places.index((0, 0)))

    def _tables(self, item: universe.ObserveView) -> ViewTables:
        return self._lane.plan.views[Shape.of(item)]

    def _number(self, item: universe.ObserveView) -> Value:
        """The number (I32) of the heading."""
        builder, heading = self._lane.builder, item.heading
        if heading is None:
            return builder.i32(0)
        if heading not in self._facing:
            self._facing[heading] = whole(builder, self._lane.meters[heading])
        return self._facing[heading]

    def _cell(self, item: universe.ObserveView, row: Value) -> tuple[Value, tuple[Value, ...]]:
        """Whether (BOOL) there is a cell in a row (I32), and where (I32 per axis); where there is none, a cell."""
        builder, lane = self._lane.builder, self._lane
        if item.whole:
            return builder.boolean(True), cell_position(builder, grid_of(lane.universe).sizes, builder.to_u32(row))
        return self._beside(item, [builder.lookup(table, row) for table in self._tables(item).axes])

    def _beside(self, item: universe.ObserveView, offsets: list[Value]) -> tuple[Value, tuple[Value, ...]]:
        """The same of the row whose numbers (I32) these are of the tables `axes`."""
        builder, lane = self._lane.builder, self._lane
        near = list(lane.position)
        if item.heading is None:
            near = [builder.add(x, offset) for x, offset in zip(near, offsets, strict=True)]
        else:
            for far, way in zip(offsets, self._tables(item).ways, strict=True):
                steps = (builder.lookup(table, self._number(item)) for table in way)
                near = [builder.add(x, builder.mul(far, step)) for x, step in zip(near, steps, strict=True)]
        sizes = grid_of(lane.universe).sizes
        inside = builder.all(
            [builder.less(builder.to_u32(x), builder.u32(size)) for x, size in zip(near, sizes, strict=True)]
        )
        return inside, tuple(builder.select(inside, x, builder.i32(0)) for x in near)

    # --- what walls hide ---

    def _sees(self, item: universe.ObserveView, row: Value) -> Value:
        """Whether (BOOL) the agent sees the cell of a row (I32)."""
        builder, shape, tables = self._lane.builder, Shape.of(item), self._tables(item)
        if tables.between:
            ways = (builder.to_u32(builder.lookup(table, row)) for table in tables.between)
            met = [builder.and_(word, way) for word, way in zip(self._walls(item), ways, strict=True)]
            return builder.all([builder.equal(each, builder.u32(0)) for each in met])
        if shape not in self._seen:
            past = spread_outwards if item.hexagonal else spread
            self._seen[shape] = self._from_tables(item) if tables.seen else past(builder, item, self._walls(item))
        return has_bit(builder, self._seen[shape], builder.to_u32(row))

    def _from_tables(self, item: universe.ObserveView) -> list[Value]:
        """Words (U32) with a bit per row: whether its cell is seen, as tables have it by heading and cell."""
        lane, builder = self._lane, self._lane.builder
        grid, tables = grid_of(lane.universe), self._tables(item)
        index = cell_index(builder, grid.sizes, lane.position)
        if item.heading is not None:
            count = len(tables.seen[0].values) // len(item.steps)
            index = builder.add(builder.mul(self._number(item), builder.i32(count)), index)
        return [builder.to_u32(builder.lookup(table, index)) for table in tables.seen]

    def _walls(self, item: universe.ObserveView) -> list[Value]:
        """Words (U32) with a bit per row: whether its cell is a wall; beyond edges all is, unless they wrap."""
        builder, lane, shape = self._lane.builder, self._lane, Shape.of(item)
        if shape in self._opaque:
            return self._opaque[shape]
        outside = builder.boolean(grid_of(lane.universe).edges != "wrap")
        words = [builder.u32(0)] * -(-len(item.places) // WORD)
        for row in range(len(item.places)):
            offsets = [builder.i32(int(table.values[row])) for table in self._tables(item).axes]
            inside, position = self._beside(item, offsets)
            there = hidden_behind(lane, position)
            wall = builder.select(inside, builder.boolean(False) if there is None else there, outside)
            bit = builder.select(wall, builder.u32(1 << row % WORD), builder.u32(0))
            words[row // WORD] = builder.or_(words[row // WORD], bit)
        self._opaque[shape] = words
        return words


def spread(builder: Builder, item: universe.ObserveView, walls: list[Value]) -> list[Value]:
    """Words (U32) with a bit per row: whether its cell is seen line by line from the agent on, past these walls."""
    width, full = item.width, (1 << item.width) - 1
    one, line = builder.u32(1), builder.u32(1 << item.left)
    seen = [builder.u32(0)] * len(walls)
    for ahead in range(item.ahead + 1):
        first = (item.ahead - ahead) * width
        clear = builder.xor(_line(builder, walls, first, width), builder.u32(full))
        if ahead == 0:
            clear = builder.or_(clear, builder.u32(1 << item.left))
        for _ in range(width - 1):
            on = builder.and_(builder.shift_left(builder.and_(line, clear), one), builder.u32(full))
            line = builder.or_(line, on)
        right = builder.and_(builder.and_(line, clear), builder.u32(full >> 1))
        for _ in range(width - 1):
            line = builder.or_(line, builder.shift_right(builder.and_(line, clear), 1))
        left = builder.and_(builder.and_(line, clear), builder.u32(full & ~1))
        _put(builder, seen, first, width, line)
        rightwards = builder.or_(right, builder.shift_left(right, one))
        line = builder.or_(rightwards, builder.or_(left, builder.shift_right(left, 1)))
    return seen


def spread_outwards(builder: Builder, item: universe.ObserveView, walls: list[Value]) -> list[Value]:
    """Words (U32) with a bit per row: whether its hexagon is seen outwards from the agent, past these walls."""
    own = item.places.index((0, 0))
    through = {own: builder.boolean(True)}
    """By row whether its hexagon is seen, and is no wall."""
    words = [builder.u32(1 << own % WORD if own // WORD == word else 0) for word in range(len(walls))]
    for row, nearer in steps_outwards(item):
        seen = builder.any([through[other] for other in nearer])
        word, bit = divmod(row, WORD)
        mark = builder.u32(1 << bit)
        clear = builder.equal(builder.and_(walls[word], mark), builder.u32(0))
        through[row] = builder.and_(seen, clear)
        words[word] = builder.or_(words[word], builder.select(seen, mark, builder.u32(0)))
    return words


def _line(builder: Builder, words: list[Value], first: int, width: int) -> Value:
    """The bits (U32) of a line, the first one lowest."""
    word, bit = divmod(first, WORD)
    value = builder.shift_right(words[word], bit) if bit else words[word]
    if bit + width > WORD:
        value = builder.or_(value, builder.shift_left(words[word + 1], builder.u32(WORD - bit)))
    return builder.and_(value, builder.u32((1 << width) - 1))


def _put(builder: Builder, words: list[Value], first: int, width: int, line: Value) -> None:
    """Set the bits of a line in words."""
    word, bit = divmod(first, WORD)
    words[word] = builder.or_(words[word], builder.shift_left(line, builder.u32(bit)) if bit else line)
    if bit + width > WORD:
        words[word + 1] = builder.or_(words[word + 1], builder.shift_right(line, WORD - bit))
