"""`state stone = maze` and `state stone = rooms(2, 2)`: layouts whose ways are connected, written out as draws of the
world, one when an episode begins for each row of a maze or each doorway, and a condition of where a cell is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hamlet.universe import Grid, Space, Span
from hamlet.universe.space import graph_of, is_hexagonal
from hamletc import messages
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.moving import SpaceOf
from hamletc.expansion.places import Copy, Places
from hamletc.expansion.trees import Field, binary, call, constant, every, named, rebuilt, whole
from hamletc.language import syntax
from hamletc.language.declared import in_namespace

MAZE, ROOMS = "maze", "rooms"
LONGEST_SIDE = 101
"""The most cells of a side of a grid with a maze: each row has draws of its own."""
BITS = 24
"""Ways that one draw decides: as many bits as an f32 holds."""
MOST_DOORWAYS = 100


def layouts_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places, space_of: SpaceOf
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations without mazes and rooms, and what is wrong with these."""
    known = in_namespace("value", declarations).keys() | in_namespace("region", declarations).keys()
    options = {option.text for item in _meters(declarations) if item.state is not None for option in item.state.options}
    words = frozenset((MAZE, ROOMS)) - known - options
    if not any(_asks(item.start, words) for item in _meters(declarations, of_cells=True)):
        return declarations, ()
    space, wrong = space_of(declarations, places)
    if wrong:
        return declarations, wrong
    writer = _Layouts(space, places, words)
    made = tuple(writer.block(item) if isinstance(item, syntax.CellsDecl) else item for item in declarations)
    if writer.problems or not writer.drawn:
        return (declarations if writer.problems else made), tuple(writer.problems)
    return (syntax.WorldDecl(tuple(writer.drawn), writer.drawn[0].span), *made), ()


def _meters(declarations: tuple[syntax.Decl, ...], *, of_cells: bool = False) -> list[syntax.MeterDecl]:
    """The meters and states of all, or of cells alone."""
    blocks = syntax.CellsDecl if of_cells else syntax.CellsDecl | syntax.WorldDecl | syntax.RoleDecl
    inside = [part for item in declarations if isinstance(item, blocks) for part in item.items]
    return [item for item in (*(() if of_cells else declarations), *inside) if isinstance(item, syntax.MeterDecl)]


def _asks(node: Any, words: frozenset[str]) -> bool:
    """Whether an expression has a maze or rooms in it."""
    found: list[bool] = []

    def look(part: Any, _: Field) -> Any:
        found.append(_kind(part, words) is not None)
        return rebuilt(part, look)

    look(node, Field("start", "expression"))
    return any(found)


def _kind(node: Any, words: frozenset[str]) -> str | None:
    """Which layout a node of an expression is."""
    match node:
        case syntax.Bound():
            return None
        case syntax.Name(text=text, quoted=False) if text == MAZE and text in words:
            return MAZE
        case syntax.CallExpr(function=syntax.Name(text=text, quoted=False)) if text == ROOMS and text in words:
            return ROOMS
        case _:
            return None


@dataclass(slots=True)
class _Layouts:
    """Writes out mazes and rooms. `drawn` are the draws of the world, `problems` is what is wrong."""

    space: Space | None
    places: Places
    words: frozenset[str]
    drawn: list[syntax.MeterDecl] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)
    count: int = 0

    def block(self, block: syntax.CellsDecl) -> syntax.CellsDecl:
        """A block of cells whose start values are conditions of draws."""
        items = (
            replace(item, start=self.tree(item.start)) if isinstance(item, syntax.MeterDecl) else item
            for item in block.items
        )
        return replace(block, items=tuple(items))

    def tree(self, node: Any, _: Field | None = None) -> Any:
        """The node with what stands for the layouts in it."""
        match _kind(node, self.words):
            case "maze":
                return self._layout(node.span, self._maze)
            case "rooms":
                return self._layout(node.span, lambda width, height, span: self._rooms(node, width, height, span))
            case _:
                return rebuilt(node, self.tree)

    def _layout(self, span: Span, write: Callable[[int, int, Span], syntax.Expr | None]) -> syntax.Expr:
        space, nothing = self.space, syntax.Name("false", span)
        if not isinstance(space, Grid) or len(space.sizes) != 2 or is_hexagonal(space) or graph_of(space) is not None:
            self._wrong(messages.walls.LayoutWithoutGrid(span))
            return nothing
        self.count += 1
        width, height = space.sizes
        return write(width, height, span) or nothing

    def _wrong(self, finding: Any) -> None:
        self.problems.append(self.places.told(finding))

    def _draw(self, what: str, last: int, span: Span, first: int = 0) -> syntax.Expr:
        """A whole number from `first` to `last` that the world draws when an episode begins."""
        if first == last:
            return _number(first, span)
        copy = Copy(span.file, span, "written", "drawn for this layout", repeats=bool(self.drawn), made=True)
        own = replace(span, file=self.places.add(copy))
        name = named(f"{what} of layout {self.count}", own)
        value = call("integer", _number(first, own), _number(last, own), span=own)
        self.drawn.append(whole(name, first, last, value, own, "layouts"))
        return replace(name, span=span)

    def _maze(self, width: int, height: int, span: Span) -> syntax.Expr | None:
        """Walls around cells with odd coordinates, each of which opens a way east or south (a binary tree)."""
        if width % 2 == 0 or height % 2 == 0 or not 5 <= min(width, height) <= max(width, height) <= LONGEST_SIDE:
            self._wrong(messages.walls.MazeOfOtherSize(span, width, height, LONGEST_SIDE))
            return None
        x, y = (syntax.AxisExpr("position", syntax.Name(axis, span), span) for axis in "xy")

        def is_(op: Any, left: syntax.Expr, right: int) -> syntax.Expr:
            return binary(op, left, _number(right, span), span)

        def parity(of: syntax.Expr, number: int) -> syntax.Expr:
            return is_("==", call("mod", of, _number(2, span), span=span), number)

        columns, rows = (width - 3) // 2, (height - 3) // 2
        chunks = range(0, columns, BITS)
        words = [
            [self._draw(f"row {row}, columns {first}", 2 ** min(BITS, columns - first) - 1, span) for first in chunks]
            for row in range(rows)
        ]
        column = call("floor", is_("/", is_("-", x, 1), 2), span=span)
        # The column of a bit in its word.
        bits = [self._chosen(x, [2 * BITS * (n + 1) + 1 for n in range(len(chunks) - 1)], row, span) for row in words]
        word = self._chosen(y, [2 * (row + 1) + 1 for row in range(rows - 1)], bits, span)
        place = call("mod", column, _number(BITS, span), span=span) if len(chunks) > 1 else column
        shifted = call("floor", binary("/", word, call("exp2", place, span=span), span), span=span)
        south = parity(shifted, 1)
        border = [is_("==", x, 0), is_("==", x, width - 1), is_("==", y, 0), is_("==", y, height - 1)]
        across = every("and", [is_("<", y, height - 2), south], span)
        post_or_across = every("or", [parity(y, 0), across], span)
        along = [parity(x, 1), parity(y, 0), is_("<", x, width - 2), syntax.UnaryExpr("not", south, span)]
        walls = [*border, every("and", [parity(x, 0), post_or_across], span), every("and", along, span)]
        return every("or", walls, span)

    def _chosen(self, by: syntax.Expr, bounds: list[int], options: Sequence[syntax.Expr], span: Span) -> syntax.Expr:
        """The option whose bound is the first above a coordinate, else the last one; by halves, so that it is low."""
        if len(options) == 1:
            return options[0]
        half = len(options) // 2
        below = binary("<", by, _number(bounds[half - 1], span), span)
        first = self._chosen(by, bounds[: half - 1], options[:half], span)
        return syntax.IfExpr(below, first, self._chosen(by, bounds[half:], options[half:], span), span)

    def _rooms(self, written: syntax.CallExpr, width: int, height: int, span: Span) -> syntax.Expr | None:
        """Walls around and between rooms, with a doorway in each wall that two of them share."""
        numbers = [constant(each) for each in written.arguments]
        if len(numbers) != 2 or not all(each is not None and each.is_integer() and each >= 1 for each in numbers):
            self._wrong(messages.walls.NoNumberOfRooms(span))
            return None
        across, down = (int(each or 1) for each in numbers)
        doorways = (across - 1) * down + (down - 1) * across
        fits = (width - 1) % across == 0 and (height - 1) % down == 0
        if not fits or (width - 1) // across < 2 or (height - 1) // down < 2 or not 0 < doorways <= MOST_DOORWAYS:
            self._wrong(messages.walls.RoomsOfOtherSize(span, across, down, width, height, MOST_DOORWAYS))
            return None
        x, y = (syntax.AxisExpr("position", syntax.Name(axis, span), span) for axis in "xy")
        room = (width - 1) // across, (height - 1) // down

        def same(left: syntax.Expr, right: syntax.Expr) -> syntax.Expr:
            return binary("==", left, right, span)

        walls = [same(x, _number(end, span)) for end in (0, width - 1)]
        walls += [same(y, _number(end, span)) for end in (0, height - 1)]
        lines = [(x, y, room[0], across, room[1], down, "wall"), (y, x, room[1], down, room[0], across, "ledge")]
        for by, along, wide, many, high, others, word in lines:
            for number in range(1, many):
                gaps = [
                    same(along, self._draw(f"{word} {number}, {other}", (other + 1) * high - 1, span, other * high + 1))
                    for other in range(others)
                ]
                closed = syntax.UnaryExpr("not", every("or", gaps, span), span)
                walls.append(every("and", [same(by, _number(number * wide, span)), closed], span))
        return every("or", walls, span)


def _number(value: int, span: Span) -> syntax.Expr:
    return syntax.Numeral(str(value), span)
