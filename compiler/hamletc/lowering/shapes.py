"""Constructs that are alike but for their numbers.

A *shape* is a tree in which every number is the number of its column: constructs of one shape are rows of a table that
has a column for each number. Spans do not count, and `m -= 0.1` is `m += -0.1`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from hamlet.numbers.binary32 import round32
from hamlet.universe import Assign, Number, Span

NOWHERE = Span(0, 0, 0, 0)


def shape(tree: Any) -> tuple[Any, tuple[float, ...]]:
    """A tree of the universe as its shape, which can be compared, and its numbers, which are binary32, by column."""
    numbers: list[float] = []
    return _abstract(tree, numbers), tuple(numbers)


def _abstract(tree: Any, numbers: list[float]) -> Any:
    match tree:
        case Number(value=value):
            numbers.append(round32(value))
            return Number(float(len(numbers) - 1), NOWHERE)
        case Assign(op="-=", value=Number(value=value)):
            return Assign(tree.meter, "+=", _abstract(Number(-value, NOWHERE), numbers), tree.clamped, NOWHERE)
        case Span():
            return NOWHERE
        case tuple():
            return tuple(_abstract(part, numbers) for part in tree)
        case _ if is_dataclass(tree):
            kind: Callable[..., Any] = type(tree)
            return kind(*_parts(tree, numbers))
        case _:
            return tree


def _parts(tree: Any, numbers: list[float]) -> Iterator[Any]:
    for field in fields(tree):
        yield _abstract(getattr(tree, field.name), numbers)
