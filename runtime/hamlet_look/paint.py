"""A world as pixels: its board on the left, its affordances and agents on the right."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hamlet.env.layers import Layer
from hamlet.env.view import Bar, Player, Stand, View
from hamlet_look.ground import ground_of, in_pixels, inks_of
from hamlet_look.letters import HEIGHT, WIDTH
from hamlet_look.pixels import Painting, Pixels
from hamlet_look.sheet import (
    BAD,
    EMPTY,
    FAINT,
    FAIR,
    GOOD,
    HALO,
    INK,
    MARGIN,
    PAPER,
    Colour,
    Sheet,
    colour,
    upon,
)

LINE = HEIGHT + 3
COLUMNS = 44
"""Letters of a line of the panel."""
BAR = 96
SHOWN = 4
"""Agents whose meters are shown."""
LISTED = 32
"""Affordances that are listed, at most."""


def painted(view: View) -> Pixels:
    """The whole picture, [height, width, 3] u8; its size is even, and the same for all worlds of an environment."""
    board = None if view.board is None else ground_of(view.board, view.layers)
    lines = _lines(view)
    left = 0 if board is None else board.width + MARGIN
    inside = max(lines * LINE, 0 if board is None else board.height)
    width, height = left + COLUMNS * WIDTH + 2 * MARGIN, inside + 2 * MARGIN
    sheet = Painting(np.full((height + height % 2, width + width % 2, 3), PAPER, np.uint8))
    if board is not None:
        board.paint(view, sheet)
    _panel(view, sheet, MARGIN + left)
    return sheet.pixels


def _lines(view: View) -> int:
    """The lines of the panel, the same for all worlds and ticks."""
    listed = min(len(view.stands), LISTED) + (len(view.stands) > LISTED)
    shown = view.some(SHOWN)
    agents = sum(2 + len(player.meters) for player in shown) + (len(view.players) > SHOWN)
    return 3 + listed + len(view.layers) + len(view.meters) + agents


def _panel(view: View, sheet: Sheet, left: int) -> None:
    top = MARGIN
    clock = "" if view.hour is None else f"   hour {view.hour} of {view.hours}"
    for text, ink in ((f"{view.name}   world {view.world}", INK), (f"tick {view.tick}{clock}", FAINT)):
        sheet.write(left, top, text[:COLUMNS], ink)
        top += LINE
    top += LINE // 2
    for stand in view.stands[:LISTED]:
        _swatch(stand, sheet, left, top)
        top += LINE
    if len(view.stands) > LISTED:
        sheet.write(left, top, f"and {len(view.stands) - LISTED} more affordances", FAINT)
        top += LINE
    for layer, ink in _inks(view):
        sheet.box(left, top, HEIGHT, HEIGHT, ink)
        if layer.letter:
            letter = in_pixels(layer.letter, layer.initial)
            sheet.write(left + (HEIGHT - WIDTH) // 2, top, letter, upon(ink))
        sheet.write(left + HEIGHT + 6, top, f"{layer.name[:18]} {layer.said}"[: COLUMNS - 4], INK)
        top += LINE
    for bar in view.meters:
        _bar(bar, sheet, left, top)
        top += LINE
    for player in view.some(SHOWN):
        said = f"age {player.age}" if player.alive else "dead"
        text = f"{player.name}   {said}   return {player.gained:.4g}"
        sheet.write(left, top, text[:COLUMNS], INK if player.alive else FAINT)
        if player.colour is not None:
            sheet.ring(left - 6, top + HEIGHT / 2, 4, player.colour, 4)
        top += LINE
        sheet.write(left + WIDTH, top, _done(player)[: COLUMNS - 1], FAINT)
        top += LINE
        for bar in player.meters:
            _bar(bar, sheet, left, top)
            top += LINE
    if len(view.players) > SHOWN:
        alive = sum(player.alive for player in view.players)
        sheet.write(left, top, f"{len(view.players)} agents, {alive} of them alive", FAINT)


def _inks(view: View) -> Iterator[tuple[Layer, Colour]]:
    """The layers of the cells, and their colours."""
    yield from inks_of([layer for layer in view.layers if not layer.things])
    yield from inks_of([layer for layer in view.layers if layer.things])


def _done(player: Player) -> str:
    """The action of an agent in the last tick, and its reward, in words."""
    did = f"{player.action}   " if player.action else ""
    return f"{did}reward {player.reward:.4g}"


def _swatch(stand: Stand, sheet: Sheet, left: int, top: int) -> None:
    size, fill = HEIGHT, stand.colour or colour(stand.kind)
    if stand.open:
        sheet.box(left, top, size, size, fill)
    else:
        sheet.frame(left, top, size, size, fill, 2)
    ink, mark = INK if stand.open else FAINT, in_pixels(stand.mark, stand.name)
    inside = upon(fill) if stand.open else FAINT
    sheet.write(left + (size - WIDTH) // 2, top, mark if stand.open else mark.lower(), inside)
    said = "" if stand.open else f" {stand.state}"
    hours = f" {stand.hours}" if stand.hours else ""
    sheet.write(left + size + 6, top, f"{stand.name[:24]}{hours}{said}"[: COLUMNS - 4], ink)
    if stand.users:
        sheet.ring(left - 6, top + size / 2, 3, HALO, 3)


def _bar(bar: Bar, sheet: Sheet, left: int, top: int) -> None:
    fill = GOOD if bar.share >= 0.5 else FAIR if bar.share >= 0.25 else BAD
    sheet.write(left + WIDTH, top, bar.name[:18], INK)
    begin = left + 21 * WIDTH
    sheet.box(begin, top + 2, BAR, HEIGHT - 3, EMPTY)
    sheet.box(begin, top + 2, round(bar.share * BAR), HEIGHT - 3, fill)
    sheet.write(begin + BAR + WIDTH, top, bar.said[:12], FAINT)
