"""A sheet, what can be painted on it, and the colours of things."""

from __future__ import annotations

import colorsys
import math
from abc import ABC, abstractmethod
from typing import TypeAlias

Colour: TypeAlias = tuple[int, int, int]

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


class Sheet(ABC):
    """A canvas of pictures."""

    @abstractmethod
    def box(self, x: int, y: int, width: int, height: int, fill: Colour) -> None:
        """A filled rectangle."""

    @abstractmethod
    def ring(self, x: float, y: float, radius: float, edge: Colour, thick: float = 2.0) -> None:
        """A circle around a point; filled where it is as thick as its radius."""

    @abstractmethod
    def hexagon(self, x: float, y: float, size: float, fill: Colour, edge: Colour | None = None) -> None:
        """A hexagon that stands on a corner, `size` wide, around a point; with an edge a pixel wide inside of it."""

    @abstractmethod
    def stroke(self, begin: tuple[float, float], end: tuple[float, float], ink: Colour, thick: float) -> None:
        """A straight line of a thickness."""

    @abstractmethod
    def line(self, begin: tuple[float, float], end: tuple[float, float], ink: Colour) -> None:
        """A straight line, a pixel wide."""

    @abstractmethod
    def write(self, x: int, y: int, text: str, ink: Colour = INK) -> None:
        """A line of text."""

    def frame(self, x: int, y: int, width: int, height: int, edge: Colour, thick: int = 1) -> None:
        """A rectangle's edge, inside of it."""
        for left, top, across, down in (
            (x, y, width, thick),
            (x, y + height - thick, width, thick),
            (x, y, thick, height),
            (x + width - thick, y, thick, height),
        ):
            self.box(left, top, across, down, edge)

    def arrow(self, begin: tuple[float, float], end: tuple[float, float], ink: Colour, size: float) -> None:
        """A line with a point of this size at its end."""
        self.line(begin, end, ink)
        (x, y), (to_x, to_y) = begin, end
        long = max(math.dist(begin, end), 1e-9)
        across, down = (to_x - x) / long * size, (to_y - y) / long * size
        for side in (0.5, -0.5):
            self.line(end, (to_x - across - side * down, to_y - down + side * across), ink)
