"""The board of a picture in pixels: cells, a continuous space, or a graph, with what is there."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from hamlet.env.board import FLOOR, Board
from hamlet.env.drawn import Mark
from hamlet.env.layers import Layer
from hamlet.env.view import Player, Stand, View
from hamlet_look.letters import HEIGHT, WIDTH
from hamlet_look.sheet import (
    FAINT,
    HALO,
    INK,
    INKS,
    MARGIN,
    PAPER,
    RULE,
    WALL,
    Colour,
    Sheet,
    colour,
    covered,
    tinted,
    upon,
)

MOST = 512
"""Pixels of a board, at most, on its longer side; a grid of more cells has those that it can show."""
LARGEST = 48
"""Pixels of a cell, at most."""
LETTERED = 15
"""Pixels of a cell, at least, into which a letter fits."""
HALOED = 8
"""Agents, at most, that small cells have a ring around so that one finds them."""
RULED = 6
"""Pixels of a cell, at least, that has an edge."""
NAMED = 24
"""Nodes of a graph, at most, that are named in the picture."""

ROW = 3**0.5 / 2
"""How far a row of hexagons is below the one above it, in widths of a hexagon."""
DENSEST = 0.75
"""How much of its ink a cell has that is full."""


def ground_of(board: Board, layers: Sequence[Layer]) -> Ground:
    """The painter of a board and of the layers of its cells."""
    if board.nodes:
        return Web(board)
    if board.hexagons:
        return Honeycomb(board, layers)
    return Tiles(board, layers) if board.cells else Plane(board)


class Ground(ABC):
    """A board, and where on it places are.

    Attributes:
        width, height: of the board, in pixels.
    """

    width: int
    height: int
    _cell: int
    """Pixels of what stands at a place."""

    def __init__(self, board: Board) -> None:
        self._board = board

    @abstractmethod
    def _floor(self, sheet: Sheet) -> None:
        """Paint what is below all that stands there."""

    @abstractmethod
    def _middle(self, at: tuple[float, float]) -> tuple[float, float]:
        """The pixel in the middle of a place."""

    def paint(self, view: View, sheet: Sheet) -> None:
        """The ground, then affordances, what `draw` puts there, and agents."""
        self._floor(sheet)
        for line in view.lines:
            sheet.stroke(self._middle(line.begin), self._middle(line.end), line.colour or INK, max(self._cell / 8, 3.0))
        for stand in view.stands:
            if stand.at is not None:
                self._stand(stand, stand.at, sheet)
        for mark in view.marks:
            self._mark(mark, sheet)
        # The living are painted last, the agent of the lowest number on top.
        order = sorted(range(len(view.players)), key=lambda number: (view.players[number].alive, -number))
        for player in (view.players[number] for number in order):
            if player.at is not None:
                self._player(player, player.at, sheet, len(view.players))

    def _corner(self, at: tuple[float, float]) -> tuple[int, int]:
        """The upper left pixel of what stands at a place."""
        (x, y), half = self._middle(at), self._cell / 2
        return round(x - half), round(y - half)

    def _mark(self, mark: Mark, sheet: Sheet) -> None:
        (x, y), fill = self._middle(mark.at), mark.colour or HALO
        radius = max(self._cell * 0.36, 3.0)
        sheet.ring(x, y, radius + 1, PAPER, radius + 1)
        sheet.ring(x, y, radius, fill, radius)
        if radius >= HEIGHT // 2 and mark.letter.isascii():
            sheet.write(round(x - WIDTH / 2), round(y - HEIGHT / 2), mark.letter, upon(fill))

    def _stand(self, stand: Stand, at: tuple[float, float], sheet: Sheet) -> None:
        ink = stand.colour or colour(stand.kind)
        left, top = self._corner(at)
        inset = 1 if self._cell >= RULED else 0
        size = max(self._cell - 2 * inset + (1 if inset == 0 else 0), 1)
        if stand.open:
            sheet.box(left + inset, top + inset, size, size, ink)
        else:
            sheet.box(left + inset, top + inset, size, size, PAPER)
            sheet.frame(left + inset, top + inset, size, size, ink, max(self._cell // 8, 1))
        if self._cell >= LETTERED:
            letter = in_pixels(stand.mark, stand.name)
            mark = letter if stand.open else letter.lower()
            beside = self._cell // 8 + 3
            at_left = left + (beside if self._cell > 2 * LETTERED else (self._cell - WIDTH) // 2)
            at_top = top + (beside if self._cell > 2 * LETTERED else (self._cell - HEIGHT) // 2)
            sheet.write(at_left, at_top, mark, upon(ink) if stand.open else FAINT)

    def _player(self, player: Player, at: tuple[float, float], sheet: Sheet, count: int) -> None:
        x, y = self._middle(at)
        radius = max(self._cell * (0.28 if self._cell > 2 * LETTERED else 0.38), 2.0)
        if self._cell > 2 * LETTERED:
            x, y = x + self._cell * 0.12, y + self._cell * 0.12
        sheet.ring(x, y, radius + 1, PAPER, radius + 1)
        fill = player.colour or INK
        sheet.ring(x, y, radius, fill if player.alive else FAINT, radius if player.alive else 1.5)
        if player.facing is not None and player.alive:
            right, down = player.facing
            tip = (x + 1.45 * radius * right, y + 1.45 * radius * down)
            sheet.stroke((x + 0.8 * radius * right, y + 0.8 * radius * down), tip, fill, max(radius / 2, 3.0))
        if player.alive and self._cell < LETTERED and count <= HALOED:
            sheet.ring(x, y, radius + 4, HALO, 2.0)
        if (count > 1 or player.mark != "@") and radius >= HEIGHT // 2 and player.alive:
            mark = in_pixels(player.mark, player.name)
            sheet.write(round(x - WIDTH / 2), round(y - HEIGHT / 2), mark, upon(fill))


class Tiles(Ground):
    """Cells of four corners."""

    def __init__(self, board: Board, layers: Sequence[Layer]) -> None:
        super().__init__(board)
        self._inks = [layer for layer in layers if not layer.things]
        self._kinds = [layer for layer in layers if layer.things]
        self._tinted = dict(board.tints)
        self._signs = signs_of(board)
        self._lettered = bool(self._signs) or any(layer.letter for layer in self._inks)
        self._columns, self._rows = (min(int(size), MOST) for size in board.size)
        self._cell = max(min(MOST // max(self._columns, self._rows), LARGEST), 1)
        self.width, self.height = self._columns * self._cell, self._rows * self._cell

    def _corner(self, at: tuple[float, float]) -> tuple[int, int]:
        column, row = (min(int(x), MOST // self._cell - 1) for x in at)
        return MARGIN + column * self._cell, MARGIN + row * self._cell

    def _middle(self, at: tuple[float, float]) -> tuple[float, float]:
        left, top = self._corner(at)
        return left + self._cell / 2, top + self._cell / 2

    def _floor(self, sheet: Sheet) -> None:
        for at, fill in self.fills():
            if fill != PAPER:
                self.cell(at, fill, sheet)
            self._letter(at, fill, sheet)
        self.edges(sheet)
        self._things(sheet)

    @property
    def lettered(self) -> bool:
        """Whether cells have letters, and room for them."""
        return self._lettered and self._cell >= LETTERED

    def _letter(self, at: tuple[int, int], fill: Colour, sheet: Sheet) -> None:
        if self.lettered and (letter := self.letter_of(*at)):
            self.letter(at, letter, fill, sheet)

    def letter(self, at: tuple[float, float], letter: str, fill: Colour, sheet: Sheet) -> None:
        """Write a letter on a cell of a colour."""
        x, y = self._middle(at)
        sheet.write(round(x - WIDTH / 2), round(y - HEIGHT / 2), letter, upon(fill))

    def letter_of(self, column: int, row: int) -> str:
        """The letter of a cell: of the last of its layers that has one and is not empty there, else that of its region;
        empty where it has none."""
        for layer in reversed(self._inks):
            if layer.letter and layer.share(column, row) > layer.faintest:
                return in_pixels(layer.letter, layer.initial)
        letter = self._board.ground[row][column] if self._board.ground else FLOOR
        return "" if letter in self._board.walls else self._signs.get(letter, "")

    def cell(self, at: tuple[float, float], fill: Colour, sheet: Sheet) -> None:
        """Paint a cell."""
        sheet.box(*self._corner(at), self._cell, self._cell, fill)

    def edges(self, sheet: Sheet) -> None:
        """Paint the edges of cells and of the board, and thin walls."""
        if self._ruled():
            for x in range(MARGIN, MARGIN + self.width + 1, self._cell):
                sheet.box(x, MARGIN, 1, self.height, RULE)
            for y in range(MARGIN, MARGIN + self.height + 1, self._cell):
                sheet.box(MARGIN, y, self.width, 1, RULE)
        sheet.frame(MARGIN, MARGIN, self.width + 1, self.height + 1, FAINT)
        for wall in self._board.thin:
            self._thin(*wall, sheet)

    def _thin(self, here: tuple[int, int], there: tuple[int, int], sheet: Sheet) -> None:
        """A wall between two cells; one across the edges of a grid that wraps is beside the first of them."""
        left, top = self._corner(max(here, there))
        thick, size = max(self._cell // 8, 2), self._cell + 1
        if here[1] == there[1]:
            sheet.box(left - thick // 2, top, thick, size, WALL)
        else:
            sheet.box(left, top - thick // 2, size, thick, WALL)

    def _ruled(self) -> bool:
        """Whether cells have edges."""
        return self._cell >= (2 * RULED if self._inks else RULED)

    def fills(self) -> Iterator[tuple[tuple[int, int], Colour]]:
        """The cells with their colours."""
        board = self._board
        tints = sorted({letter for row in board.ground for letter in row} - set(board.walls) - {FLOOR})
        for row in range(self._rows):
            for column in range(self._columns):
                letter = board.ground[row][column] if board.ground else FLOOR
                if letter in board.walls:
                    yield (column, row), self._walled(self._tinted.get(letter, WALL), column, row)
                else:
                    yield (column, row), self._fill(letter, tints, column, row)

    def _walled(self, fill: Colour, column: int, row: int) -> Colour:
        """The colour of a wall, or of what is drawn of a cell that is one while something holds."""
        for layer, ink in inks_of(self._inks):
            fill = fill if layer.colour is None else covered(fill, ink, layer.share(column, row))
        return fill

    def _fill(self, letter: str, tints: list[str], column: int, row: int) -> Colour:
        fill = PAPER
        if letter in self._tinted:
            fill = halved(self._tinted[letter])
        elif letter in tints and not self._tinted:
            red, green, blue = ((channel + 3 * 255) // 4 for channel in colour(2 * tints.index(letter) + 7))
            fill = red, green, blue
        for layer, ink in inks_of(self._inks):
            share = layer.share(column, row)
            fill = tinted(fill, ink, DENSEST * share) if layer.colour is None else covered(fill, ink, share)
        return fill

    def _things(self, sheet: Sheet) -> None:
        """A mark at the lower edge of a cell for each kind of things that lies there."""
        size = max(self._cell // 5, min(self._cell // 2, 4), 2)
        for number, (layer, ink) in enumerate(inks_of(self._kinds)):
            for row in range(self._rows):
                for column in range(self._columns):
                    if layer.share(column, row) > layer.faintest:
                        left, top = self._corner((column, row))
                        x = left + 1 + number * (size + 1) % max(self._cell - size, 1)
                        sheet.box(x, top + self._cell - size - 1, size, size, ink)


class Honeycomb(Tiles):
    """Cells of six corners, each standing on one."""

    def __init__(self, board: Board, layers: Sequence[Layer]) -> None:
        super().__init__(board, layers)
        across, down = self._columns + self._rows / 2, self._rows * ROW + 0.3
        self._cell = max(min(int(MOST / max(across, down)), LARGEST), 1)
        self.width, self.height = math.ceil(across * self._cell), math.ceil(down * self._cell)

    def _middle(self, at: tuple[float, float]) -> tuple[float, float]:
        column, row = (int(x) for x in at)
        return MARGIN + (column + row / 2 + 0.5) * self._cell, MARGIN + (row * ROW + 0.58) * self._cell

    def _corner(self, at: tuple[float, float]) -> tuple[int, int]:
        (x, y), half = self._middle(at), self._cell / 2
        return round(x - half), round(y - half)

    def _floor(self, sheet: Sheet) -> None:
        for at, fill in self.fills():
            self.cell(at, fill, sheet)
            self._letter(at, fill, sheet)
        self._things(sheet)

    def cell(self, at: tuple[float, float], fill: Colour, sheet: Sheet) -> None:
        sheet.hexagon(*self._middle(at), self._cell, fill, RULE if self._ruled() else None)

    def edges(self, sheet: Sheet) -> None:
        """Nothing: cells have their edges."""


class Plane(Ground):
    """A continuous space."""

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        across, down = board.size
        scale = MOST / max(across, down)
        self._cell = LETTERED + 2
        self.width, self.height = max(round(across * scale), 2 * LARGEST), max(round(down * scale), LARGEST)

    def _floor(self, sheet: Sheet) -> None:
        sheet.frame(MARGIN, MARGIN, self.width, self.height, FAINT)

    def _middle(self, at: tuple[float, float]) -> tuple[float, float]:
        across, down = (
            (x - low) / size if size > 0 else 0.5
            for x, low, size in zip(at, self._board.low, self._board.size, strict=True)
        )
        return MARGIN + across * self.width, MARGIN + down * self.height

    def _stand(self, stand: Stand, at: tuple[float, float], sheet: Sheet) -> None:
        super()._stand(stand, at, sheet)
        if self._board.reach > 0:
            x, y = self._middle(at)
            scale = self.width / self._board.size[0] if self._board.size[0] > 0 else 0.0
            sheet.ring(x, y, max(self._board.reach * scale, 2.0), stand.colour or colour(stand.kind), 1.2)


class Web(Ground):
    """A graph: its nodes in a circle, clockwise from the top, and its edges as lines, with a point where they lead one
    way."""

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        self.width = self.height = MOST
        count = len(board.nodes)
        self._radius = MOST / 2 - LARGEST
        self._cell = max(min(int(2 * math.pi * self._radius / count * 0.6), LARGEST), 3)
        self._tints, self._signs = dict(board.tints), signs_of(board)

    def _middle(self, at: tuple[float, float]) -> tuple[float, float]:
        angle = 2 * math.pi * at[0] / len(self._board.nodes)
        middle = MARGIN + MOST / 2
        return middle + self._radius * math.sin(angle), middle - self._radius * math.cos(angle)

    def _floor(self, sheet: Sheet) -> None:
        for one, other, both in self._board.edges:
            begin, end = self._middle((one, 0.0)), self._middle((other, 0.0))
            if both:
                sheet.line(begin, end, FAINT)
            else:
                sheet.arrow(begin, self._before(begin, end), INK, max(self._cell / 4, 4.0))
        for number, name in enumerate(self._board.nodes):
            x, y = self._middle((number, 0.0))
            letter = self._board.ground[0][number] if self._board.ground else FLOOR
            fill = halved(self._tints[letter]) if letter in self._tints else PAPER
            sheet.ring(x, y, self._cell * 0.72 + 1, fill, self._cell)
            if letter in self._signs and self._cell >= LETTERED:
                sheet.write(round(x - WIDTH / 2), round(y - HEIGHT / 2), self._signs[letter], upon(fill))
            sheet.ring(x, y, self._cell * 0.72 + 1, FAINT, 1.2)
            if len(self._board.nodes) <= NAMED:
                below = round(y + self._cell * 0.72) + 2
                sheet.write(max(round(x - len(name) * WIDTH / 2), 0), below, name, FAINT)

    def _before(self, begin: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
        """Where a line ends that leads to the edge of a node."""
        along = math.dist(begin, end)
        left = max(along - self._cell * 0.72 - 2, 0.0) / max(along, 1e-9)
        return begin[0] + (end[0] - begin[0]) * left, begin[1] + (end[1] - begin[1]) * left


def inks_of(layers: Sequence[Layer]) -> Iterator[tuple[Layer, Colour]]:
    """Layers, all of them of things or none, with their colours."""
    for number, layer in enumerate(layers):
        yield layer, layer.colour or (colour_of_things(number) if layer.things else INKS[number % len(INKS)])


def colour_of_things(number: int) -> Colour:
    """The colour of a kind of things of which `draw` says none."""
    red, green, blue = colour(3 * number + 2)
    return red * 2 // 3, green * 2 // 3, blue * 2 // 3


def signs_of(board: Board) -> dict[str, str]:
    """The letters that are painted in place of those of a map, by these."""
    return {letter: in_pixels(sign, name) for letter, sign, name in board.letters}


def halved(tint: Colour) -> Colour:
    """A colour, so light that what stands on it is seen."""
    red, green, blue = ((channel + 255) // 2 for channel in tint)
    return red, green, blue


def in_pixels(mark: str, name: str) -> str:
    """A letter that can be painted: the mark, or the first letter of the name where the font has no such one."""
    return mark if mark.isascii() else next((each.upper() for each in name if each.isascii() and each.isalnum()), "*")
