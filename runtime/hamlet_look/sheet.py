"""A sheet of pixels, what can be painted on it, and the colours of things."""

from __future__ import annotations

import colorsys
from typing import Any, TypeAlias

import numpy as np

from hamlet_look.letters import HEIGHT, letters

Colour: TypeAlias = tuple[int, int, int]
Pixels: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"

MARGIN = 12
PAPER, INK, FAINT, RULE, WALL = (255, 255, 255), (30, 30, 34), (120, 120, 128), (228, 228, 232), (84, 86, 94)
HALO = (214, 39, 40)
GOOD, FAIR, BAD, EMPTY = (44, 140, 80), (222, 160, 30), (200, 50, 47), (232, 232, 236)
INKS: tuple[Colour, ...] = ((30, 130, 60), (220, 70, 20), (40, 90, 200), (150, 50, 160))
"""Colours of what cells have, in turn; where a cell has several they are mixed as inks are."""


def colour(number: int) -> Colour:
    """The colour of an affordance; those of neighbouring numbers are far apart."""
    red, green, blue = colorsys.hsv_to_rgb(number * 0.618034 % 1.0, 0.62 if number % 2 else 0.45, 0.92)
    return round(red * 255), round(green * 255), round(blue * 255)


def tinted(base: Colour, ink: Colour, share: float) -> Colour:
    """A colour under a share of an ink, 0 .. 1."""
    red, green, blue = (
        round(below * (1.0 - share * (1.0 - above / 255))) for below, above in zip(base, ink, strict=True)
    )
    return red, green, blue


class Sheet:
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

    def line(self, begin: tuple[float, float], end: tuple[float, float], ink: Colour) -> None:
        """A straight line, a pixel wide."""
        (x, y), (to_x, to_y) = begin, end
        steps = max(round(max(abs(to_x - x), abs(to_y - y))), 1)
        columns, rows = (
            np.linspace(one, other, steps + 1).round().astype(int) for one, other in ((x, to_x), (y, to_y))
        )
        inside = (rows >= 0) & (rows < self.pixels.shape[0]) & (columns >= 0) & (columns < self.pixels.shape[1])
        self.pixels[rows[inside], columns[inside]] = ink

    def arrow(self, begin: tuple[float, float], end: tuple[float, float], ink: Colour, size: float) -> None:
        """A line with a point of this size at its end."""
        self.line(begin, end, ink)
        along = np.array(end) - np.array(begin)
        along = along / max(float(np.hypot(*along)), 1e-9) * size
        aside = np.array([-along[1], along[0]]) / 2
        for side in (aside, -aside):
            x, y = np.array(end) - along + side
            self.line(end, (float(x), float(y)), ink)

    def write(self, x: int, y: int, text: str, ink: Colour = INK) -> None:
        """A line of text."""
        if text:
            shape = letters(text)
            part = self.pixels[y : y + HEIGHT, x : x + shape.shape[1]]
            part[shape[: part.shape[0], : part.shape[1]]] = ink
