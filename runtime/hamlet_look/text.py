"""A world as text: a board of letters, with its affordances and agents beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from unicodedata import east_asian_width

from hamlet.env.board import FLOOR, Board
from hamlet.env.drawn import Colour, Mark, Place
from hamlet.env.layers import Layer
from hamlet.env.view import Bar, Player, Stand, View

WIDE = 40
"""Cells of a row, at most, that are two letters wide: one for what is there, one for who is."""
MOST = 64
"""Columns and rows of a board, at most; a larger one is drawn smaller."""
FINE = 40, 20
"""Columns and rows that a continuous space of two axes is cut into."""
BAR = 20
SHOWN = 4
"""Agents whose meters are listed."""

RESET, DIM, BOLD = "\x1b[0m", "\x1b[2m", "\x1b[1m"
RED, GREEN, YELLOW, BLUE, CYAN = (f"\x1b[{number}m" for number in (31, 32, 33, 34, 36))
MAGENTA = "\x1b[35m"
AGENT = "\x1b[1;30;43m"

RAMPS = (":%", "'\"", ",;", "-=")
"""How a cell is shown that has a little of something, and one that has more than half of what it can have."""
HUES = (CYAN, MAGENTA, BLUE, YELLOW)
MARK, LINE = "o", "*"
"""How what `draw` puts on the board is shown, where it has no letter, and a line."""
THINGS = "$!^?"
"""How things are shown that lie on a cell."""


def drawn(view: View, colours: bool = True) -> str:
    """The whole picture, several lines; without colours it says the same. An affordance is a capital where it is open,
    a small letter where it is closed; the letter of an agent stands behind it, or in its place. Of what a cell has its
    things are shown, else what it has most of."""
    paint = _Paint(colours)
    left = [] if view.board is None else list(_left(view, view.board, paint))
    right = [*_stands(view, paint), *_players(view, paint)]
    width = 0 if view.board is None else _width(view.board)
    rows = zip_longest(left, right) if left else ((None, line) for line in right)
    lines = [f"{'' if row is None else row}{_gap(row, width)}{line or ''}".rstrip() for row, line in rows]
    return "\n".join([paint(view.title, BOLD), *lines])


class _Paint:
    """Puts colours around texts, or leaves them as they are."""

    def __init__(self, colours: bool) -> None:
        self._colours = colours

    def __call__(self, text: str, colour: str) -> str:
        return f"{colour}{text}{RESET}" if self._colours and colour else text


class _Canvas:
    """Where on the text a place of the board is.

    Attributes:
        columns, rows: the size of the text, in cells of so many `letters`.
        slant: how many letters further right the last row begins than the first one.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        if board.cells:
            width, height = (int(size) for size in board.size)
        else:
            width, height = FINE[0] // 2, FINE[1] if board.size[1] > 0 else 1
        self.columns, self.rows = min(width, MOST), min(height, MOST)
        self.letters = 2 if self.columns <= WIDE else 1
        self.slant = self.begins(self.rows - 1)

    def begins(self, row: int) -> int:
        """How many letters further right a row begins than the first one."""
        return row * self.letters // 2 if self._board.hexagons else 0

    def cell(self, at: tuple[float, float]) -> tuple[int, int]:
        """The column and the row of a place."""
        shares = (_share(x, low, size) for x, low, size in zip(at, self._board.low, self._board.size, strict=True))
        column, row = (int(share * count) for share, count in zip(shares, (self.columns, self.rows), strict=True))
        return min(max(column, 0), self.columns - 1), min(max(row, 0), self.rows - 1)

    def ground(self, column: int, row: int) -> str:
        """The letter of the map there; the floor where there is none."""
        ground = self._board.ground
        if not ground:
            return FLOOR
        return ground[row * len(ground) // self.rows][column * len(ground[0]) // self.columns]

    def covers(self, column: int, row: int) -> tuple[int, int]:
        """The cell that is shown there."""
        width, height = (int(size) for size in self._board.size)
        return column * width // self.columns, row * height // self.rows


def _share(x: float, low: float, size: float) -> float:
    return (x - low) / size if size > 0 else 0.0


def _left(view: View, board: Board, paint: _Paint) -> Iterator[str]:
    return _nodes(view, board, paint) if board.nodes else _board(view, board, paint)


def _width(board: Board) -> int:
    """The letters of a line of the board, between its edges."""
    if board.nodes:
        return max(3 + len(line) for line in _ways(board)[:MOST])
    canvas = _Canvas(board)
    return canvas.columns * canvas.letters + canvas.slant


def _in(colour: Colour | None, usual: str) -> str:
    """The codes of a terminal for letters of a colour."""
    return usual if colour is None else f"\x1b[1;38;2;{colour[0]};{colour[1]};{colour[2]}m"


def _on(colour: Colour | None) -> str:
    """The codes for letters on a colour."""
    if colour is None:
        return AGENT
    dark = 299 * colour[0] + 587 * colour[1] + 114 * colour[2] > 128_000
    return f"\x1b[1;{30 if dark else 97};48;2;{colour[0]};{colour[1]};{colour[2]}m"


def _columns(text: str) -> int:
    """The columns that a letter takes on a terminal: an emoji takes two (Unicode, annex 11)."""
    return 2 if any(east_asian_width(each) in "WF" for each in text) else len(text) if text.isascii() else 1


def _ways(board: Board) -> list[str]:
    """Each node, and where one leads from there."""
    longest = max(len(name) for name in board.nodes)
    leads: list[list[str]] = [[] for _ in board.nodes]
    for one, other, both in board.edges:
        leads[one].append(f"{'-' if both else '->'} {board.nodes[other]}")
        if both and one != other:
            leads[other].append(f"- {board.nodes[one]}")
    return [f"{name:{longest}} {' '.join(ways)}".rstrip() for name, ways in zip(board.nodes, leads, strict=True)]


def _nodes(view: View, board: Board, paint: _Paint) -> Iterator[str]:
    """A line for each node of a graph."""
    width, lines = _width(board), _ways(board)
    tints, signs = dict(board.tints), {letter: sign for letter, sign, _ in board.letters}
    named = max(len(name) for name in board.nodes)
    border = "+" + "-" * width + "+"
    yield border
    for number, line in enumerate(lines[:MOST]):
        stands = [stand for stand in view.stands if stand.at is not None and stand.at[0] == number]
        players = [player for player in view.players if player.at is not None and player.at[0] == number]
        letter = board.ground[0][number] if board.ground else FLOOR
        code = _in(tints.get(letter), "")
        sign = signs.get(letter, FLOOR)
        mark = next((mark for mark in reversed(view.marks) if mark.at[0] == number), None)
        what = _mark(stands) or _marked(mark, 1) or (sign if _columns(sign) == 1 else FLOOR, code)
        who = _who(players)
        marks = f"{paint(*what)}{' ' if who is None else paint(*who)} "
        yield f"|{marks}{paint(line[:named], code)}{line[named:]}{' ' * (width - 3 - len(line))}|"
    yield border
    if len(lines) > MOST:
        yield f"and {len(lines) - MOST} more nodes"


def _gap(row: str | None, width: int) -> str:
    if width == 0:
        return ""
    return "  " if row is not None else " " * (width + 4)


def _board(view: View, board: Board, paint: _Paint) -> Iterator[str]:
    canvas = _Canvas(board)
    stands: dict[tuple[int, int], list[Stand]] = {}
    players: dict[tuple[int, int], list[Player]] = {}
    for stand in view.stands:
        if stand.at is not None:
            stands.setdefault(canvas.cell(stand.at), []).append(stand)
    for player in view.players:
        if player.at is not None:
            players.setdefault(canvas.cell(player.at), []).append(player)
    marks: dict[tuple[int, int], Mark] = {}
    for begin, end, colour in ((line.begin, line.end, line.colour) for line in view.lines):
        for at in _between(begin, end, max(canvas.columns, canvas.rows)):
            marks[canvas.cell(at)] = Mark(at, LINE, colour)
    marks |= {canvas.cell(mark.at): mark for mark in view.marks}
    border = "+" + "-" * _width(board) + "+"
    yield border
    for row in range(canvas.rows):
        cells = (
            _cell(
                canvas,
                view,
                column,
                row,
                _Here(stands.get((column, row), []), marks.get((column, row)), players.get((column, row), [])),
                paint,
            )
            for column in range(canvas.columns)
        )
        left = canvas.begins(row)
        yield f"|{' ' * left}{''.join(cells)}{' ' * (canvas.slant - left)}|"
    yield border


def _between(begin: Place, end: Place, steps: int) -> Iterator[Place]:
    """Places on a line, near enough to each other that no cell is left out."""
    for step in range(2 * steps + 1):
        share = step / (2 * steps)
        yield begin[0] + share * (end[0] - begin[0]), begin[1] + share * (end[1] - begin[1])


@dataclass(frozen=True, slots=True)
class _Here:
    """Parts of the board that share a cell of the text."""

    stands: list[Stand]
    mark: Mark | None
    players: list[Player]


def _cell(canvas: _Canvas, view: View, column: int, row: int, here: _Here, paint: _Paint) -> str:
    """A cell of the text: a letter for what is there and one for who is, or one for both."""
    letter, tints = canvas.ground(column, row), {} if view.board is None else dict(view.board.tints)
    wall = view.board is not None and letter in view.board.walls
    signs = {} if view.board is None else {each: sign for each, sign, _ in view.board.letters}
    # Of a cell that is a wall while something holds what is drawn shows it.
    layers = tuple(layer for layer in view.layers if layer.colour is not None or layer.letter or not wall)
    has = _has(layers, *canvas.covers(column, row), canvas.letters)
    code = _in(tints.get(letter), DIM)
    what = _mark(here.stands) or _marked(here.mark, 2)
    who = _who(here.players)
    if what is None and who is None and wall and has is None:
        return paint("#" * canvas.letters, code)
    sign = signs.get(letter, letter)
    floor = "#" if wall else sign if _columns(sign) <= canvas.letters else letter
    there = what or has or (floor, code)
    if canvas.letters == 1 or (who is None and _columns(there[0]) > 1):
        return paint(*(who or there))
    if who is None:
        return f"{paint(*there)} "
    if _columns(who[0]) > 1:
        return paint(*who)
    return paint(*who) + " " if _columns(there[0]) > 1 else f"{paint(*there)}{paint(*who)}"


def _has(layers: tuple[Layer, ...], column: int, row: int, columns: int) -> tuple[str, str] | None:
    """The mark of a cell's layers, and the code of its colour: that of things, else the last letter that `draw` says,
    else that of the largest share; `None` of an empty cell. A letter that takes more than so many columns is left
    out."""
    every = [(layer, layer.share(column, row), marks, hue) for layer, marks, hue in _layers(layers)]
    shown = [each for each in every if each[1] > each[0].faintest]
    for layer, _, marks, hue in shown:
        if layer.things:
            return (marks if _columns(marks) <= columns else layer.initial[:1]), BOLD + hue
    for layer, _, marks, hue in reversed(shown):
        if layer.letter and _columns(marks) <= columns:
            return marks, hue
    bare = [each for each in shown if not each[0].letter]
    if not bare:
        return None
    _, share, marks, hue = max(bare, key=lambda each: each[1])
    return marks[share > 0.5], hue


def _layers(layers: tuple[Layer, ...]) -> Iterator[tuple[Layer, str, str]]:
    """Each with its marks, and its colour: a letter that `draw` says, or one of a kind of things and two of what there
    is more or less of."""
    counts = {True: 0, False: 0}
    for layer in layers:
        number = counts[layer.things]
        counts[layer.things] += 1
        marks = THINGS if layer.things else RAMPS
        yield layer, layer.letter or marks[number % len(marks)], _in(layer.colour, HUES[number % len(HUES)])


def _marked(mark: Mark | None, columns: int) -> tuple[str, str] | None:
    """The letter and the colour of what `draw` puts there, in a cell of so many columns."""
    if mark is None:
        return None
    return (mark.letter if mark.letter and _columns(mark.letter) <= columns else MARK, _in(mark.colour, RED))


def _mark(stands: list[Stand]) -> tuple[str, str] | None:
    """The letter of the affordances on a cell, and the code of its colour."""
    if not stands:
        return None
    stand = next((each for each in stands if each.open), stands[0])
    if len(stands) > 1:
        return "+", GREEN if stand.open else RED
    return (stand.mark, _in(stand.colour, BOLD + GREEN)) if stand.open else (stand.mark.lower(), RED)


def _who(players: list[Player]) -> tuple[str, str] | None:
    """The letter of the agents on a cell, and the code of its colour."""
    if not players:
        return None
    living = [player for player in players if player.alive]
    if not living:
        return "x", RED
    return (living[0].mark, _on(living[0].colour)) if len(living) == 1 else ("&", AGENT)


def _stands(view: View, paint: _Paint) -> Iterator[str]:
    longest = max((len(stand.name) for stand in view.stands), default=0)
    for stand in view.stands:
        mark = paint(*(_mark([stand]) or ("", "")))
        users = " ".join(view.players[agent].mark for agent in stand.users)
        line = f"{mark} {stand.name:{longest}} {stand.state:6}" + (f" {stand.hours}" if stand.hours else "")
        yield line + (f"  {paint(users, AGENT)}" if users else "")
    longest = max((len(layer.name) for layer in view.layers), default=0)
    for layer, marks, hue in _layers(view.layers):
        yield f"{paint(marks + ' ' * (2 - _columns(marks)), hue)} {layer.name:{longest}} {layer.said}"
    for bar in view.meters:
        yield _bar(bar, max(len(bar.name) for bar in view.meters), paint)


def _players(view: View, paint: _Paint) -> Iterator[str]:
    for player in view.some(SHOWN):
        state = f"age {player.age}" if player.alive else "dead"
        doing = f"  uses {player.doing}" if player.doing else ""
        gained = f"reward {player.reward:.3g}  return {player.gained:.4g}"
        did = f"  {player.action}" if player.action else ""
        yield f"{paint(player.mark, _on(player.colour))} {player.name}  {state}{did}  {gained}{doing}"
        longest = max((len(bar.name) for bar in player.meters), default=0)
        yield from (_bar(bar, longest, paint) for bar in player.meters)
    if len(view.players) > SHOWN:
        alive = sum(player.alive for player in view.players)
        yield f"and {len(view.players) - SHOWN} more agents; {alive} of {len(view.players)} are alive"


def _bar(bar: Bar, longest: int, paint: _Paint) -> str:
    full = round(bar.share * BAR)
    colour = GREEN if bar.share >= 0.5 else YELLOW if bar.share >= 0.25 else RED
    return f"  {bar.name:{longest}} {paint('#' * full, colour)}{paint('-' * (BAR - full), DIM)} {bar.said}"
