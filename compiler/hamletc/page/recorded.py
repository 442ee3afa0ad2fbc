"""Strokes of a painter on a sheet, as a list that another canvas can paint."""

from __future__ import annotations

from typing import TypeAlias

from hamlet_look.sheet import FAINT, INK, PAPER, RULE, Colour, Sheet

Stroke: TypeAlias = list[str | float | None]
"""The name of what is painted, then its numbers and colours."""

NAMED: dict[Colour, str] = {PAPER: "paper", INK: "ink", FAINT: "faint", RULE: "rule"}
"""Colours of the sheet itself, which a dark page has in its own way."""


LETTERED = (PAPER, INK)
"""Colours of letters on a fill, which stay as they are where that is no colour of the sheet."""


def said(colour: Colour) -> str:
    """A colour as `#rrggbb`, or its name where it is one of the sheet's."""
    return NAMED.get(colour) or coded(colour)


def coded(colour: Colour) -> str:
    """A colour as `#rrggbb`."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


class Recording(Sheet):
    """A sheet that notes what is painted on it, in the place of pixels."""

    def __init__(self) -> None:
        self.strokes: list[Stroke] = []

    def box(self, x: int, y: int, width: int, height: int, fill: Colour) -> None:
        self.strokes.append(["box", x, y, width, height, said(fill)])

    def ring(self, x: float, y: float, radius: float, edge: Colour, thick: float = 2.0) -> None:
        self.strokes.append(["ring", x, y, radius, said(edge), thick])

    def hexagon(self, x: float, y: float, size: float, fill: Colour, edge: Colour | None = None) -> None:
        self.strokes.append(["hexagon", x, y, size, said(fill), None if edge is None else said(edge)])

    def stroke(self, begin: tuple[float, float], end: tuple[float, float], ink: Colour, thick: float) -> None:
        self.strokes.append(["stroke", *begin, *end, said(ink), thick])

    def line(self, begin: tuple[float, float], end: tuple[float, float], ink: Colour) -> None:
        self.strokes.append(["stroke", *begin, *end, said(ink), 1.0])

    def write(self, x: int, y: int, text: str, ink: Colour = INK) -> None:
        if text:
            below = [str(part) for part in (self.strokes[-1] if self.strokes else ())]
            on_colour = ink in LETTERED and any(part.startswith("#") for part in below)
            self.strokes.append(["write", x, y, text, coded(ink) if on_colour else said(ink)])
