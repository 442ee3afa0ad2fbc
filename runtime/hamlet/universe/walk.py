"""Walking over a universe."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from hamlet.universe.actions import Blocking, Pushing
from hamlet.universe.affordances import Capacity
from hamlet.universe.expressions import (
    Among,
    At,
    Binary,
    Clamp,
    Draw,
    DrawChance,
    DrawChoice,
    DrawInteger,
    DrawNormal,
    DrawPoisson,
    DrawUniform,
    Expression,
    If,
    Nearest,
    OfAll,
    Own,
    Rank,
    TableValue,
    Unary,
)
from hamlet.universe.quantities import (
    AgentCount,
    Apart,
    DayTime,
    Hour,
    LocalValue,
    MeterValue,
    Number,
    PairValue,
    ParamValue,
    Truth,
    WorldValue,
)
from hamlet.universe.statements import Assign, Guarded, Let, Push, Relocation, Statement
from hamlet.universe.whole import Universe

__all__ = [
    "assigns",
    "depends_on_asker",
    "draws",
    "guards",
    "leading",
    "meet",
    "nodes",
    "operands",
    "owners",
    "parts",
    "pushes",
    "relocations",
]


def nodes(node: object) -> Iterator[object]:
    """All nodes of a universe, or of a part of it; places in a source are none."""
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
    """Whether what happens to an agent of a world can depend on others in it, or on rules of the world or its cells."""
    if universe.cells is not None or universe.pairs is not None:
        return True
    if universe.world is not None and universe.world.rules:
        return True
    return any(isinstance(node, Among | Rank | Nearest | Capacity | Blocking | Pushing) for node in nodes(universe))


OF_WORLD = (ParamValue, WorldValue, Hour, DayTime, AgentCount)
"""Quantities that all agents of a world have alike."""


def owners(expression: Expression) -> tuple[bool, bool]:
    """Whether an expression in what is asked of each agent of a world needs the agent that asks, and whether it needs
    the one that is asked. What all agents have alike needs neither."""
    match expression:
        case Own():
            return True, False
        case Apart() | PairValue():
            return True, True
        case Number() | Truth():
            return False, False
        case _ if isinstance(expression, OF_WORLD):
            return False, False
        case Unary() | Binary() | Clamp() | TableValue() | If():
            needed = [owners(part) for part in operands(expression)]
            return any(mine for mine, _ in needed), any(others for _, others in needed)
        case At(place=place):
            needed = [owners(coordinate) for coordinate in place]
            return any(mine for mine, _ in needed), any(others for _, others in needed)
        case Among() | Rank() | Nearest():
            return False, True
        case _ if any(owners(part)[0] for part in operands(expression)):
            raise ValueError(f"what depends on who asks is arithmetic alone, line {expression.span.line}")
        case _:
            return False, True


def depends_on_asker(asked: OfAll) -> bool:
    """Whether what is found by asking all agents of a world depends on pairs of agents: on one that asks, and on each
    of the others."""
    return isinstance(asked, Nearest) or any(isinstance(node, Own | Apart | PairValue) for node in nodes(asked))


_LEAVES = frozenset(
    ("Span", "Span | None", "str", "str | None", "float", "int", "int | None", "bool", "tuple[float, ...]")
)
"""The types of fields that hold no nodes."""


@cache
def _fields(kind: Any) -> tuple[str, ...] | None:
    """The names of the fields of a dataclass that may hold nodes, last to first; `None` for another type."""
    if not dataclasses.is_dataclass(kind):
        return None
    return tuple(field.name for field in reversed(dataclasses.fields(kind)) if str(field.type) not in _LEAVES)


def draws(part: object) -> tuple[Draw, ...]:
    """The draws of a universe, or of a part of it, in file order."""
    sites = [
        node
        for node in nodes(part)
        if isinstance(node, DrawUniform | DrawInteger | DrawChoice | DrawNormal | DrawPoisson | DrawChance)
    ]
    return tuple(sorted(sites, key=lambda draw: (draw.span.file, draw.span.line, draw.span.column, draw.site)))


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is made of, in the order of its fields."""
    parts: tuple[Expression, ...] = ()
    kind: Any = type(expression)
    for name in _holders(kind):
        value = getattr(expression, name)
        parts += value if isinstance(value, tuple) else () if value is None else (value,)
    return parts


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


def guards(body: Iterable[Statement]) -> Iterator[Guarded]:
    """The guarded statements in a body, outer ones first."""
    for statement in body:
        if isinstance(statement, Guarded):
            yield statement
            yield from guards(statement.both)


def assigns(body: Iterable[Statement]) -> Iterator[Assign]:
    """The assignments in a body, those in `together` too."""
    return (assign for statement in body for assign in statement.assigns)


def pushes(body: Iterable[Statement]) -> Iterator[Push]:
    """The writes to the velocity in a body."""
    return (push for statement in body for push in statement.pushes)


def leading(body: Iterable[Statement]) -> tuple[Statement, ...]:
    """The statements of a body that decide where the agent is behind it, in order: its relocations, what writes a
    velocity, and what writes meters, or is a local, that these read."""
    return _leading(tuple(body), set(), set())


def _leading(body: tuple[Statement, ...], needed: set[str], local: set[str]) -> tuple[Statement, ...]:
    """The same, where meters and locals are needed behind the body; the sets grow by those that are needed before
    it."""
    deciding = list[Statement]()
    for statement in reversed(body):
        named = isinstance(statement, Let) and statement.name in local
        if not (named or statement.relocations or statement.pushes or needed & statement.writes.keys()):
            continue
        if isinstance(statement, Guarded):
            sides = [(part, set(needed), set(local)) for part in (statement.body, statement.otherwise)]
            body, otherwise = (_leading(*side) for side in sides)
            statement = dataclasses.replace(statement, body=body, otherwise=otherwise)
            for _, needed_there, local_there in sides:
                needed |= needed_there
                local |= local_there
        needed |= {node.meter for node in nodes(statement) if isinstance(node, MeterValue)}
        local |= {node.local for node in nodes(statement) if isinstance(node, LocalValue)}
        deciding.append(statement)
    return tuple(reversed(deciding))


def relocations(body: Iterable[Statement]) -> Iterator[Relocation]:
    """The changes of where an agent is in a body."""
    return (relocation for statement in body for relocation in statement.relocations)
