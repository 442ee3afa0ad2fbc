"""Walking over a universe."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from hamlet.universe.declarations import Capacity
from hamlet.universe.expressions import (
    Among,
    Draw,
    DrawChance,
    DrawChoice,
    DrawInteger,
    DrawNormal,
    DrawUniform,
    Expression,
    Rank,
)
from hamlet.universe.statements import Assign, Statement
from hamlet.universe.whole import Universe

__all__ = ["assigns", "draws", "meet", "nodes", "operands", "parts"]


def nodes(node: object) -> Iterator[object]:
    """All nodes of a universe, or of a part of it."""
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, tuple):
            pending += reversed(each)
        else:
            kind: Any = type(each)
            if (names := _fields(kind)) is not None:
                yield each
                pending += [getattr(each, name) for name in names]


def meet(universe: Universe) -> bool:
    """Whether what happens to an agent of a world can depend on others in it, or on rules of the world."""
    if universe.world is not None and universe.world.rules:
        return True
    return any(isinstance(node, Among | Rank | Capacity) for node in nodes(universe))


@cache
def _fields(kind: Any) -> tuple[str, ...] | None:
    """The names of the fields of a dataclass, last to first; `None` for another type."""
    return tuple(field.name for field in reversed(dataclasses.fields(kind))) if dataclasses.is_dataclass(kind) else None


def draws(part: object) -> tuple[Draw, ...]:
    """The draws of a universe, or of a part of it, in file order."""
    found = [
        node
        for node in nodes(part)
        if isinstance(node, DrawUniform | DrawInteger | DrawChoice | DrawNormal | DrawChance)
    ]
    return tuple(sorted(found, key=lambda draw: (draw.span.file, draw.span.line, draw.span.column, draw.site)))


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is made of, in the order of its fields."""
    found: tuple[Expression, ...] = ()
    kind: Any = type(expression)
    for name in _holders(kind):
        value = getattr(expression, name)
        found += value if isinstance(value, tuple) else (value,)
    return found


@cache
def _holders(kind: Any) -> tuple[str, ...]:
    """The names of the fields that hold expressions."""
    return tuple(field.name for field in dataclasses.fields(kind) if "Expression" in str(field.type))


def parts(expression: Expression) -> Iterator[tuple[Expression, int]]:
    """The expression and everything in it, each with its level; the expression itself has level 1. It takes no
    recursion, so that expressions of any height can be measured."""
    pending = [(expression, 1)]
    while pending:
        node, level = pending.pop()
        yield node, level
        pending += [(operand, level + 1) for operand in operands(node)]


def assigns(body: Iterable[Statement]) -> Iterator[Assign]:
    """The assignments in a body, those in `together` too."""
    return (assign for statement in body for assign in statement.assigns)
