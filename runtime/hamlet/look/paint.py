"""A world as pixels: its board on the left, its affordances and agents on the right."""

from __future__ import annotations

import colorsys
from typing import Any, TypeAlias

import numpy as np

from hamlet.look.letters import HEIGHT, WIDTH, letters
from hamlet.look.view import FLOOR, Bar, Board, Player, Stand, View

Colour: TypeAlias = tuple[int, int, int]
Pixels: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"

MARGIN = 12
MOST = 512
"""Pixels of a board, at most, on its longer side; a grid of more cells has those that it can show."""
LARGEST = 48
"""Pixels of a cell, at most."""
LETTERED = 15
"""Pixels of a cell, at least, into which a letter fits."""
RULED = 6
"""Pixels of a cell, at least, that has an edge."""
LINE = HEIGHT + 3
COLUMNS = 44
"""Letters of a line of the panel."""
BAR = 96
SHOWN = 4
"""Agents whose meters are shown."""
LISTED = 32
"""Affordances that are listed, at most."""

PAPER, INK, FAINT, RULE, WALL = (255, 255, 255), (30, 30, 34), (120, 120, 128), (228, 228, 232), (84, 86, 94)
HALO = (214, 39, 40)
GOOD, FAIR, BAD, EMPTY = (44, 140, 80), (222, 160, 30), (200, 50, 47), (232, 232, 236)


def painted(view: View) -> Pixels:
    """The whole picture, [height, width, 3] u8; its size is even, and the same for all worlds of an environment."""
    board = None if view.board is None else _Ground(view.board)
    lines = _lines(view)
    left = 0 if board is None else board.width + MARGIN
    inside = max(lines * LINE, 0 if board is None else board.height)
    width, height = left + COLUMNS * WIDTH + 2 * MARGIN, inside + 2 * MARGIN
    sheet = _Sheet(np.full((height + height % 2, width + width % 2, 3), PAPER, np.uint8))
    if board is not None:
        board.paint(view, sheet)
    _panel(view, sheet, MARGIN + left)
    return sheet.pixels


def colour(number: int) -> Colour:
    """The colour of an affordance; those of neighbouring numbers are far apart."""
    red, green, blue = colorsys.hsv_to_rgb(number * 0.618034 % 1.0, 0.62 if number % 2 else 0.45, 0.92)
    return round(red * 255), round(green * 255), round(blue * 255)


class _Sheet:
    """Pixels, and what can be painted on them. What lies outside is not painted."""

    def __init__(self, pixels: Pixels) -> None:
        self.pixels = pixels

    def box(self, x: int, y: int, width: int, height: int, fill: Colour) -> None:
        """A filled rectangle."""
        self.pixels[max(y, 0) : max(y + height, 0), max(x, 0) : max(x + width, 0)] = fill

    def frame(self, x: int, y: int, width: int, height: int, edge: Colour, thick: int = 1) -> None:
        """A rectangle's edge, inside of it."""
        for left, top, across, down in (
            (x, y, width, thick),
            (x, y + height - thick, width, thick),
            (x, y, thick, height),
            (x + width - thick, y, thick, height),
        ):
            self.box(left, top, across, down, edge)

    def ring(self, x: float, y: float, radius: float, edge: Colour, thick: float = 2.0) -> None:
        """A circle around a point; filled where it is as thick as its radius."""
        rows, columns = self.pixels.shape[:2]
        top, left = max(int(y - radius) - 1, 0), max(int(x - radius) - 1, 0)
        bottom, right = min(int(y + radius) + 2, rows), min(int(x + radius) + 2, columns)
        down, across = np.mgrid[top:bottom, left:right]
        far = np.hypot(down + 0.5 - y, across + 0.5 - x)
        self.pixels[top:bottom, left:right][(far <= radius) & (far >= radius - thick)] = edge

    def write(self, x: int, y: int, text: str, ink: Colour = INK) -> None:
        """A line of text."""
        if text:
            shape = letters(text)
            part = self.pixels[y : y + HEIGHT, x : x + shape.shape[1]]
            part[shape[: part.shape[0], : part.shape[1]]] = ink


class _Ground:
    """The board, and where on it places are.

    Attributes:
        width, height: of the board, in pixels.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        across, down = board.size
        if board.cells:
            columns, rows = min(int(across), MOST), min(int(down), MOST)
            self._cell = max(min(MOST // max(columns, rows), LARGEST), 1)
            self.width, self.height = columns * self._cell + self._begins(rows - 1), rows * self._cell
        else:
            scale = MOST / max(across, down)
            self._cell = LETTERED + 2
            self.width, self.height = max(round(across * scale), 2 * LARGEST), max(round(down * scale), LARGEST)

    def _begins(self, row: int) -> int:
        """How many pixels further right a row begins than the first one."""
        return row * self._cell // 2 if self._board.hexagons else 0

    def paint(self, view: View, sheet: _Sheet) -> None:
        """The ground, then affordances, then agents."""
        if self._board.cells:
            self._rows(sheet)
        else:
            sheet.frame(MARGIN, MARGIN, self.width, self.height, FAINT)
        for number, stand in enumerate(view.stands):
            if stand.at is not None:
                self._stand(number, stand, stand.at, sheet)
        # The living are painted last, the agent of the lowest number on top.
        order = sorted(range(len(view.players)), key=lambda number: (view.players[number].alive, -number))
        for player in (view.players[number] for number in order):
            if player.at is not None:
                self._player(player, player.at, sheet, len(view.players) > 1)

    def _rows(self, sheet: _Sheet) -> None:
        board, cell = self._board, self._cell
        tints = sorted({letter for row in board.ground for letter in row} - set(board.walls) - {FLOOR})
        for y, row in enumerate(board.ground):
            for x, letter in enumerate(row):
                left = MARGIN + self._begins(y) + x * cell
                if letter in board.walls:
                    sheet.box(left, MARGIN + y * cell, cell, cell, WALL)
                elif letter in tints:
                    pale = tuple((channel + 3 * 255) // 4 for channel in colour(2 * tints.index(letter) + 7))
                    sheet.box(left, MARGIN + y * cell, cell, cell, (pale[0], pale[1], pale[2]))
        if cell >= RULED:
            rows, across = self.height // cell, self.width - self._begins(self.height // cell - 1)
            for number in range(rows):
                left, top = MARGIN + self._begins(number), MARGIN + number * cell
                for x in range(left, left + across + 1, cell):
                    sheet.box(x, top, 1, cell, RULE)
                sheet.box(left, top, across, 1, RULE)
            sheet.box(MARGIN + self.width - across, MARGIN + self.height, across, 1, RULE)
        sheet.frame(MARGIN, MARGIN, self.width + 1, self.height + 1, FAINT)

    def _corner(self, at: tuple[float, float]) -> tuple[int, int]:
        """The upper left pixel of the cell of a place."""
        if self._board.cells:
            column, row = (min(int(x), MOST // self._cell - 1) for x in at)
            return MARGIN + self._begins(row) + column * self._cell, MARGIN + row * self._cell
        (x, y), half = self._middle(at), self._cell / 2
        return round(x - half), round(y - half)

    def _middle(self, at: tuple[float, float]) -> tuple[float, float]:
        """The pixel in the middle of a place."""
        if self._board.cells:
            left, top = self._corner(at)
            return left + self._cell / 2, top + self._cell / 2
        shares = (
            (x - low) / size if size > 0 else 0.5
            for x, low, size in zip(at, self._board.low, self._board.size, strict=True)
        )
        across, down = shares
        return MARGIN + across * self.width, MARGIN + down * self.height

    def _stand(self, number: int, stand: Stand, at: tuple[float, float], sheet: _Sheet) -> None:
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
        if not self._board.cells and self._board.reach > 0:
            x, y = self._middle(at)
            scale = self.width / self._board.size[0] if self._board.size[0] > 0 else 0.0
            sheet.ring(x, y, max(self._board.reach * scale, 2.0), colour(number), 1.2)

    def _player(self, player: Player, at: tuple[float, float], sheet: _Sheet, named: bool) -> None:
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


def _lines(view: View) -> int:
    """The lines of the panel, the same for all worlds and ticks."""
    listed = min(len(view.stands), LISTED) + (len(view.stands) > LISTED)
    shown = view.players[:SHOWN]
    agents = sum(1 + len(player.meters) for player in shown) + (len(view.players) > SHOWN)
    return 3 + listed + len(view.meters) + agents


def _panel(view: View, sheet: _Sheet, left: int) -> None:
    top = MARGIN
    clock = "" if view.hour is None else f"   hour {view.hour} of {view.hours}"
    for text, ink in ((f"{view.name}   world {view.world}", INK), (f"tick {view.tick}{clock}", FAINT)):
        sheet.write(left, top, text[:COLUMNS], ink)
        top += LINE
    top += LINE // 2
    for number, stand in enumerate(view.stands[:LISTED]):
        _swatch(number, stand, sheet, left, top)
        top += LINE
    if len(view.stands) > LISTED:
        sheet.write(left, top, f"and {len(view.stands) - LISTED} more affordances", FAINT)
        top += LINE
    for bar in view.meters:
        _bar(bar, sheet, left, top)
        top += LINE
    for player in view.players[:SHOWN]:
        said = f"age {player.age}" if player.alive else "dead"
        text = f"{player.name}   {said}   return {player.gained:.4g}"
        sheet.write(left, top, text[:COLUMNS], INK if player.alive else FAINT)
        top += LINE
        for bar in player.meters:
            _bar(bar, sheet, left, top)
            top += LINE
    if len(view.players) > SHOWN:
        alive = sum(player.alive for player in view.players)
        sheet.write(left, top, f"{len(view.players)} agents, {alive} of them alive", FAINT)


def _swatch(number: int, stand: Stand, sheet: _Sheet, left: int, top: int) -> None:
    size = HEIGHT
    if stand.open:
        sheet.box(left, top, size, size, colour(number))
    else:
        sheet.frame(left, top, size, size, colour(number), 2)
    ink = INK if stand.open else FAINT
    sheet.write(left + (size - WIDTH) // 2, top, stand.mark if stand.open else stand.mark.lower(), ink)
    said = "" if stand.open else " closed"
    hours = f" {stand.hours}" if stand.hours else ""
    sheet.write(left + size + 6, top, f"{stand.name[:24]}{hours}{said}"[: COLUMNS - 4], ink)
    if stand.users:
        sheet.ring(left - 6, top + size / 2, 3, HALO, 3)


def _bar(bar: Bar, sheet: _Sheet, left: int, top: int) -> None:
    fill = GOOD if bar.share >= 0.5 else FAIR if bar.share >= 0.25 else BAD
    sheet.write(left + WIDTH, top, bar.name[:18], INK)
    begin = left + 21 * WIDTH
    sheet.box(begin, top + 2, BAR, HEIGHT - 3, EMPTY)
    sheet.box(begin, top + 2, round(bar.share * BAR), HEIGHT - 3, fill)
    sheet.write(begin + BAR + WIDTH, top, f"{bar.value:.3g}"[:7], FAINT)
