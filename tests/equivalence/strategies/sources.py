"""Where an author's choices come from: from hypothesis, or from the number of a universe."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Source(Protocol):
    """Makes choices."""

    def integer(self, low: int, high: int) -> int:
        """An integer, low .. high, both included."""
        ...

    def order(self, items: Sequence[T]) -> list[T]:
        """The items in some order."""
        ...


class Drawn:
    """Draws from hypothesis, which can make an example smaller."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        return int(self._draw(st.integers(low, high)))

    def order(self, items: Sequence[T]) -> list[T]:
        return list(self._draw(st.permutations(items))) if items else []


class Numbered:
    """The same number makes the same choices, on every machine; a hundred times faster than hypothesis."""

    def __init__(self, number: int) -> None:
        self._random = random.Random(number)

    def integer(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def order(self, items: Sequence[T]) -> list[T]:
        return self._random.sample(items, len(items))
