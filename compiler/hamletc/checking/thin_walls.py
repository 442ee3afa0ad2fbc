"""Walls between two cells: those that an author names by their cells, and those that a map draws between its cells."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hamlet.frozen import dataclass
from hamlet.universe import Grid, ThinWall
from hamlet.universe.space import around
from hamletc import messages
from hamletc.checking.report import Findings, all_of
from hamletc.expansion.drawn_levels import place_of
from hamletc.expansion.trees import constant
from hamletc.language import syntax

PLAIN = ". "
"""Letters of ground that need no meaning."""
OPEN = PLAIN + ":+"
"""Letters between cells that stop nobody."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The rows of a map as they are written, of which some draw what is between cells.

    Attributes:
        rows: the letters of the cells.
        across, down: 2 where every second column, or row, stands between cells, else 1.
    """

    rows: tuple[str, ...]
    across: int
    down: int


def drawing_of(written: syntax.MapDecl, report: Findings) -> Drawing | None:
    """The drawing of a map, whose rows are of one length; `None` where a column or a row is missing."""
    kinds = {item.axis: item for item in all_of(written.items, syntax.DrawnWallsDecl)}
    for item in all_of(written.items, syntax.DrawnWallsDecl):
        if item is not kinds[item.axis]:
            report.add(messages.everywhere.GivenTwice(kinds[item.axis].span, f"`wall between {item.axis}`", item.span))
    across, down = 1 + ("columns" in kinds), 1 + ("rows" in kinds)
    for item in kinds.values():
        count = len(written.rows) if item.axis == "rows" else len(written.rows[0].text)
        if count % 2 == 0:
            report.add(messages.maps.NoOddNumber(item.span, item.axis, count))
            return None
    return Drawing(tuple(row.text[::across] for row in written.rows[::down]), across, down)


def resolve_thin_walls(written: syntax.MapDecl, drawing: Drawing, walls: str, report: Findings) -> tuple[ThinWall, ...]:
    """The walls between cells, first those that are drawn; `walls` are the letters of cells that are walls."""
    letters, given = "".join(drawing.rows), dict[tuple[int, int], ThinWall]()
    for wall in (*_drawn(written, drawing, report), *_named(written, drawing, report)):
        if any(letters[cell] in walls for cell in wall.cells):
            report.add(messages.maps.ThinWallAtWall(wall.span))
        elif wall.cells in given:
            report.add(messages.everywhere.GivenTwice(wall.span, "this wall", given[wall.cells].span))
        else:
            given[wall.cells] = wall
    return tuple(given.values())


def _drawn(written: syntax.MapDecl, drawing: Drawing, report: Findings) -> Iterator[ThinWall]:
    """The walls that letters between cells say; other letters there are reported, each once."""
    width, said = len(drawing.rows[0]), set[str]()
    meant = dict.fromkeys(("columns", "rows"), "")
    meant |= {item.axis: item.letters.text for item in all_of(written.items, syntax.DrawnWallsDecl)}
    places = product(range(len(written.rows)), range(len(written.rows[0].text)))
    for line, place in ((line, place) for line, place in places if line % drawing.down or place % drawing.across):
        letter, span = written.rows[line].text[place], place_of(written.rows[line], place)
        cell = place // drawing.across + width * (line // drawing.down)
        corner = bool(line % drawing.down and place % drawing.across)
        known = meant["rows"] if line % drawing.down else meant["columns"]
        if letter in known and not corner:
            yield ThinWall((cell, cell + (width if line % drawing.down else 1)), span)
        elif letter not in OPEN + (meant["rows"] + meant["columns"] if corner else "") and letter not in said:
            said.add(letter)
            report.add(messages.maps.LetterWithoutMeaning(span, letter))
    for item in all_of(written.items, syntax.DrawnWallsDecl):
        if not item.letters.text:
            report.add(messages.maps.NoLetters(item.letters.span))


def _named(written: syntax.MapDecl, drawing: Drawing, report: Findings) -> Iterator[ThinWall]:
    """The walls between pairs of cells."""
    width, height = len(drawing.rows[0]), len(drawing.rows)
    for pair in (pair for item in all_of(written.items, syntax.ThinWallsDecl) for pair in item.pairs):
        cells = [cell for each in (pair.first, pair.second) if (cell := _cell(each, width, height)) is not None]
        if len(cells) < 2:
            report.add(messages.maps.NoSuchPair(pair.span, (width, height)))
        else:
            yield ThinWall((min(cells), max(cells)), pair.span)


def _cell(written: syntax.Cell, width: int, height: int) -> int | None:
    """The index of a cell; `None` where there is none."""
    numbers = [constant(coordinate) for coordinate in written]
    if len(numbers) != 2 or numbers[0] not in range(width) or numbers[1] not in range(height):
        return None
    return int(numbers[0] or 0) + width * int(numbers[1] or 0)


def touch(grid: Grid, away: tuple[int, int]) -> bool:
    """Whether two cells lie side by side, of which the second is so far `away` from the first."""
    ways = [step for step in around(grid, 1) if any(step) and (grid.metric == "hexagonal" or 0 in step)]
    if grid.edges != "wrap":
        return away in ways
    return any(
        all((step - by) % size == 0 for step, by, size in zip(way, away, grid.sizes, strict=True)) for way in ways
    )
