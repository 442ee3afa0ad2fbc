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


def covered(base: Colour, above: Colour, share: float) -> Colour:
    """A colour that another one covers by a share, 0 .. 1."""
    red, green, blue = (round(below + share * (over - below)) for below, over in zip(base, above, strict=True))
    return red, green, blue


def upon(ground: Colour) -> Colour:
    """The ink of letters on a colour: dark on a light one, light on a dark one (ITU-R BT.601's weights)."""
    red, green, blue = ground
    return INK if 299 * red + 587 * green + 114 * blue > 128_000 else PAPER


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

    def hexagon(self, x: float, y: float, size: float, fill: Colour, edge: Colour | None = None) -> None:
        """A hexagon that stands on a corner, `size` wide, around a point; with an edge a pixel wide inside of it."""
        rows, columns = self.pixels.shape[:2]
        half, reach = size / 2, size / 3**0.5
        top, left = max(int(y - reach) - 1, 0), max(int(x - half) - 1, 0)
        bottom, right = min(int(y + reach) + 2, rows), min(int(x + half) + 2, columns)
        down, across = np.mgrid[top:bottom, left:right]
        aside, along = np.abs(across + 0.5 - x), np.abs(down + 0.5 - y)
        # How far a pixel lies out, as a share of the way to the edge: of the upright sides, and of the slanting ones.
        far = np.maximum(aside / half, (aside / 2 + along * (3**0.5 / 2)) / half)
        part = self.pixels[top:bottom, left:right]
        part[far <= 1.0] = fill
        if edge is not None:
            part[(far <= 1.0) & (far > 1.0 - 1.0 / half)] = edge

    def stroke(self, begin: tuple[float, float], end: tuple[float, float], ink: Colour, thick: float) -> None:
        """A straight line of a thickness."""
        rows, columns = self.pixels.shape[:2]
        (x, y), (to_x, to_y) = begin, end
        top, left = max(int(min(y, to_y) - thick), 0), max(int(min(x, to_x) - thick), 0)
        bottom, right = min(int(max(y, to_y) + thick) + 2, rows), min(int(max(x, to_x) + thick) + 2, columns)
        if bottom <= top or right <= left:
            return
        down, across = np.mgrid[top:bottom, left:right]
        down, across = down + 0.5 - y, across + 0.5 - x
        length = max((to_x - x) ** 2 + (to_y - y) ** 2, 1e-9)
        share = np.clip((across * (to_x - x) + down * (to_y - y)) / length, 0.0, 1.0)
        far = np.hypot(across - share * (to_x - x), down - share * (to_y - y))
        self.pixels[top:bottom, left:right][far <= thick / 2] = ink

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
