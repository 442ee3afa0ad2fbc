"""The board of a picture in pixels: cells, a continuous space, or a graph, with what is there."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

from hamlet.env.layers import FAINTEST, Layer
from hamlet.env.view import FLOOR, Board, Player, Stand, View
from hamlet_look.letters import HEIGHT, WIDTH
from hamlet_look.sheet import FAINT, HALO, INK, INKS, MARGIN, PAPER, RULE, WALL, Colour, Sheet, colour, tinted

MOST = 512
"""Pixels of a board, at most, on its longer side; a grid of more cells has those that it can show."""
LARGEST = 48
"""Pixels of a cell, at most."""
LETTERED = 15
"""Pixels of a cell, at least, into which a letter fits."""
RULED = 6
"""Pixels of a cell, at least, that has an edge."""
NAMED = 24
"""Nodes of a graph, at most, that are named in the picture."""

DENSEST = 0.75
"""How much of its ink a cell has that is full."""


def ground_of(board: Board, layers: Sequence[Layer]) -> Ground:
    """The painter of a board and of the layers of its cells."""
    if board.nodes:
        return Web(board)
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
        """The ground, then affordances, then agents."""
        self._floor(sheet)
        for number, stand in enumerate(view.stands):
            if stand.at is not None:
                self._stand(number, stand, stand.at, sheet)
        # The living are painted last, the agent of the lowest number on top.
        order = sorted(range(len(view.players)), key=lambda number: (view.players[number].alive, -number))
        for player in (view.players[number] for number in order):
            if player.at is not None:
                self._player(player, player.at, sheet, len(view.players) > 1)

    def _corner(self, at: tuple[float, float]) -> tuple[int, int]:
        """The upper left pixel of what stands at a place."""
        (x, y), half = self._middle(at), self._cell / 2
        return round(x - half), round(y - half)

    def _stand(self, number: int, stand: Stand, at: tuple[float, float], sheet: Sheet) -> None:
        left, top = self._corner(at)
        inset = 1 if self._cell >= RULED else 0
        size = max(self._cell - 2 * inset + (1 if inset == 0 else 0), 1)
        if stand.open:
            sheet.box(left + inset, top + inset, size, size, colour(number))
        else:
            sheet.box(left + inset, top + inset, size, size, PAPER)
            sheet.frame(left + inset, top + inset, size, size, colour(number), max(self._cell // 8, 1))
        if self._cell >= LETTERED:
            mark = stand.mark if stand.open else stand.mark.lower()
            beside = self._cell // 8 + 3
            at_left = left + (beside if self._cell > 2 * LETTERED else (self._cell - WIDTH) // 2)
            at_top = top + (beside if self._cell > 2 * LETTERED else (self._cell - HEIGHT) // 2)
            sheet.write(at_left, at_top, mark, INK if stand.open else FAINT)

    def _player(self, player: Player, at: tuple[float, float], sheet: Sheet, named: bool) -> None:
        x, y = self._middle(at)
        radius = max(self._cell * (0.28 if self._cell > 2 * LETTERED else 0.38), 2.0)
        if self._cell > 2 * LETTERED:
            x, y = x + self._cell * 0.12, y + self._cell * 0.12
        sheet.ring(x, y, radius + 1, PAPER, radius + 1)
        sheet.ring(x, y, radius, INK if player.alive else FAINT, radius if player.alive else 1.5)
        if player.alive and self._cell < LETTERED:
            sheet.ring(x, y, radius + 4, HALO, 2.0)
        if named and radius >= HEIGHT // 2 and player.alive:
            sheet.write(round(x - WIDTH / 2), round(y - HEIGHT / 2), player.mark, PAPER)


class Tiles(Ground):
    """Cells, of four corners or of six."""

    def __init__(self, board: Board, layers: Sequence[Layer]) -> None:
        super().__init__(board)
        self._inks = [layer for layer in layers if not layer.things]
        self._kinds = [layer for layer in layers if layer.things]
        self._columns, self._rows = (min(int(size), MOST) for size in board.size)
        self._cell = max(min(MOST // max(self._columns, self._rows), LARGEST), 1)
        self.width = self._columns * self._cell + self._begins(self._rows - 1)
        self.height = self._rows * self._cell

    def _begins(self, row: int) -> int:
        """How many pixels further right a row begins than the first one."""
        return row * self._cell // 2 if self._board.hexagons else 0

    def _corner(self, at: tuple[float, float]) -> tuple[int, int]:
        column, row = (min(int(x), MOST // self._cell - 1) for x in at)
        return MARGIN + self._begins(row) + column * self._cell, MARGIN + row * self._cell

    def _middle(self, at: tuple[float, float]) -> tuple[float, float]:
        left, top = self._corner(at)
        return left + self._cell / 2, top + self._cell / 2

    def _floor(self, sheet: Sheet) -> None:
        board, cell = self._board, self._cell
        tints = sorted({letter for row in board.ground for letter in row} - set(board.walls) - {FLOOR})
        for row in range(self._rows if board.ground or self._inks else 0):
            for column in range(self._columns):
                letter = board.ground[row][column] if board.ground else FLOOR
                fill = WALL if letter in board.walls else self._tint(letter, tints, column, row)
                if fill != PAPER:
                    sheet.box(MARGIN + self._begins(row) + column * cell, MARGIN + row * cell, cell, cell, fill)
        if cell >= (2 * RULED if self._inks else RULED):
            self._rules(sheet)
        sheet.frame(MARGIN, MARGIN, self.width + 1, self.height + 1, FAINT)
        self._things(sheet)

    def _tint(self, letter: str, tints: list[str], column: int, row: int) -> Colour:
        fill = PAPER
        if letter in tints:
            red, green, blue = ((channel + 3 * 255) // 4 for channel in colour(2 * tints.index(letter) + 7))
            fill = red, green, blue
        for number, layer in enumerate(self._inks):
            fill = tinted(fill, INKS[number % len(INKS)], DENSEST * layer.share(column, row))
        return fill

    def _rules(self, sheet: Sheet) -> None:
        """The edges of cells."""
        cell, across = self._cell, self._columns * self._cell
        for number in range(self._rows):
            left, top = MARGIN + self._begins(number), MARGIN + number * cell
            for x in range(left, left + across + 1, cell):
                sheet.box(x, top, 1, cell, RULE)
            sheet.box(left, top, across, 1, RULE)
        sheet.box(MARGIN + self.width - across, MARGIN + self.height, across, 1, RULE)

    def _things(self, sheet: Sheet) -> None:
        """A mark at the lower edge of a cell for each kind of things that lies there."""
        size = max(self._cell // 5, min(self._cell // 2, 4), 2)
        for number, layer in enumerate(self._kinds):
            for row in range(self._rows):
                for column in range(self._columns):
                    if layer.share(column, row) > FAINTEST:
                        left, top = self._corner((column, row))
                        x = left + 1 + number * (size + 1) % max(self._cell - size, 1)
                        sheet.box(x, top + self._cell - size - 1, size, size, colour_of_things(number))


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

    def _stand(self, number: int, stand: Stand, at: tuple[float, float], sheet: Sheet) -> None:
        super()._stand(number, stand, at, sheet)
        if self._board.reach > 0:
            x, y = self._middle(at)
            scale = self.width / self._board.size[0] if self._board.size[0] > 0 else 0.0
            sheet.ring(x, y, max(self._board.reach * scale, 2.0), colour(number), 1.2)


class Web(Ground):
    """A graph: its nodes in a circle, clockwise from the top, and its edges as lines, with a point where they lead one
    way."""

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        self.width = self.height = MOST
        count = len(board.nodes)
        self._radius = MOST / 2 - LARGEST
        self._cell = max(min(int(2 * math.pi * self._radius / count * 0.6), LARGEST), 3)

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
            sheet.ring(x, y, self._cell * 0.72 + 1, PAPER, self._cell)
            sheet.ring(x, y, self._cell * 0.72 + 1, FAINT, 1.2)
            if len(self._board.nodes) <= NAMED:
                below = round(y + self._cell * 0.72) + 2
                sheet.write(max(round(x - len(name) * WIDTH / 2), 0), below, name, FAINT)

    def _before(self, begin: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
        """Where a line ends that leads to the edge of a node."""
        along = math.dist(begin, end)
        left = max(along - self._cell * 0.72 - 2, 0.0) / max(along, 1e-9)
        return begin[0] + (end[0] - begin[0]) * left, begin[1] + (end[1] - begin[1]) * left


def colour_of_things(number: int) -> Colour:
    """The colour of a kind of things."""
    red, green, blue = colour(3 * number + 2)
    return red * 2 // 3, green * 2 // 3, blue * 2 // 3
