"""Choices that an author makes: numbers, names, constants and how they are written."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar

from hamlet.numbers.binary32 import round32, spell32
from hamletc.intervals import Interval
from strategies.pieces import ATOM, FACTOR, PRODUCT, Piece
from strategies.sources import Source
from strategies.words import NAMES, SPECIAL, is_bare, is_observation, neighbour

T = TypeVar("T")

LARGEST = 3.4028234663852886e38
"""The largest binary32 number."""


class Choices:
    """Takes all choices from a source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._taken: dict[str, set[str]] = defaultdict(set)
        self._numbers: list[float] = []

    def integer(self, low: int, high: int) -> int:
        return self._source.integer(low, high)

    def chance(self, out_of: int) -> bool:
        """True once in so many times; the simplest example says no."""
        return self.integer(0, out_of - 1) == out_of - 1

    def pick(self, items: Sequence[T]) -> T:
        return items[self.integer(0, len(items) - 1)]

    def draw_order(self, items: Sequence[T]) -> list[T]:
        """The items in some order."""
        return self._source.order(items)

    # --- names -----------------------------------------------------------------------------------------------------

    def name(self, fallback: str, kind: str) -> str:
        """A name that nothing else of this kind has."""
        name = self.pick((fallback, *NAMES)) if self.chance(2) else fallback
        while name in self._taken[kind]:
            name = f"{name}_{len(self._taken[kind])}"
        self.take(name, kind)
        return name

    def late_name(self, fallback: str) -> str:
        """The name of a value that is declared when others have been written: none that says a number by itself."""
        name = self.name(fallback, "value")
        return name if name != "agent" else self.name(f"{fallback}_late", "value")

    def take(self, name: str, kind: str) -> None:
        """Nothing else of this kind will have this name."""
        self._taken[kind].add(name)

    def word(self, name: str) -> str:
        """A name as it is written."""
        return f"`{name}`" if not is_bare(name) or self.chance(20) else name

    def item(self, name: str) -> str:
        """A name as it is written in a list of `observe`."""
        return f"`{name}`" if is_observation(name) else self.word(name)

    # --- constants -------------------------------------------------------------------------------------------------

    def constant(self, low: float, high: float) -> float:
        """A binary32 number within these bounds: often special, or used before, or the neighbour of one."""
        if self.chance(2):
            candidates = [*self._numbers[-12:], *SPECIAL, *(-value for value in SPECIAL if value), low, high]
            value = self.pick(candidates)
            if self.chance(3):
                value = neighbour(value, self.chance(2))
            if low <= round32(value) <= high and abs(value) <= LARGEST:
                return self._noted(round32(value))
        steps = self.pick((2, 10, 16, 1000))
        part = self.integer(0, steps) / steps
        low, high = max(low, -LARGEST), min(high, LARGEST)
        value = round32(min(max(low * (1 - part) + high * part, -LARGEST), LARGEST))
        return self._noted(min(max(value, round32(low)), round32(high)))

    def _noted(self, value: float) -> float:
        self._numbers.append(value)
        return value

    def spell(self, value: float) -> str:
        """A number in one of its spellings, with its sign."""
        sign, size = "-" if math.copysign(1.0, value) < 0 else "", abs(value)
        style = self.integer(0, 9)
        text = spell32(size)
        if style == 9:
            text = f"{size:.17e}"
        elif style == 8:
            text = text.replace("e", "E").replace("E-0", "E-00")
        elif style <= 6:
            text = text.removesuffix(".0")
        return sign + text

    def number_piece(self, value: float) -> Piece:
        """A constant expression of this value."""
        text, exact = self.spell(value), round32(value)
        if self.chance(12) and 1e-20 < abs(value) < 1e20 and round32(value * 0.5) * 2 == exact:
            return Piece(f"{self.spell(value * 0.5)} * 2", PRODUCT, Interval(exact, exact))
        return Piece(text, FACTOR if text.startswith("-") else ATOM, Interval(exact, exact))
