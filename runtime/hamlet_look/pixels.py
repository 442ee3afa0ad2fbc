"""Pictures as pixels."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from hamlet_look.letters import FIRST, GLYPHS, HEIGHT, UNKNOWN, WIDTH
from hamlet_look.sheet import INK, Colour, Sheet

Pixels: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"


class Painting(Sheet):
    """A sheet of pixels. What lies outside is not painted."""

    def __init__(self, pixels: Pixels) -> None:
        self.pixels = pixels

    def box(self, x: int, y: int, width: int, height: int, fill: Colour) -> None:
        self.pixels[max(y, 0) : max(y + height, 0), max(x, 0) : max(x + width, 0)] = fill

    def ring(self, x: float, y: float, radius: float, edge: Colour, thick: float = 2.0) -> None:
        rows, columns = self.pixels.shape[:2]
        top, left = max(int(y - radius) - 1, 0), max(int(x - radius) - 1, 0)
        bottom, right = min(int(y + radius) + 2, rows), min(int(x + radius) + 2, columns)
        down, across = np.mgrid[top:bottom, left:right]
        far = np.hypot(down + 0.5 - y, across + 0.5 - x)
        self.pixels[top:bottom, left:right][(far <= radius) & (far >= radius - thick)] = edge

    def hexagon(self, x: float, y: float, size: float, fill: Colour, edge: Colour | None = None) -> None:
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
        (x, y), (to_x, to_y) = begin, end
        steps = max(round(max(abs(to_x - x), abs(to_y - y))), 1)
        columns, rows = (
            np.linspace(one, other, steps + 1).round().astype(int) for one, other in ((x, to_x), (y, to_y))
        )
        inside = (rows >= 0) & (rows < self.pixels.shape[0]) & (columns >= 0) & (columns < self.pixels.shape[1])
        self.pixels[rows[inside], columns[inside]] = ink

    def write(self, x: int, y: int, text: str, ink: Colour = INK) -> None:
        if text:
            shape = letters(text)
            part = self.pixels[y : y + HEIGHT, x : x + shape.shape[1]]
            part[shape[: part.shape[0], : part.shape[1]]] = ink


def letters(text: str) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """A line of text, [HEIGHT, WIDTH * length] bool: where its pixels are. Letters beyond ASCII become `?`."""
    codes = [ord(letter) if FIRST <= ord(letter) < FIRST + len(GLYPHS) // HEIGHT else UNKNOWN for letter in text]
    rows = np.frombuffer(GLYPHS, np.uint8).reshape(-1, HEIGHT)[[code - FIRST for code in codes]]
    pixels = np.unpackbits(rows, axis=1).reshape(len(codes), HEIGHT, 8)[:, :, 8 - WIDTH :]
    return pixels.transpose(1, 0, 2).reshape(HEIGHT, -1).astype(bool)
