"""Relocations: `move` and `teleport`, among statements and of own actions."""

from __future__ import annotations

from typing import Literal

from hamlet import universe
from hamlet.numbers.binary32 import round32
from hamlet.universe import Continuous, Displace, Expression, Grid, Number, Relocation, Space, Teleport
from hamletc import messages
from hamletc.checking.draft import Draft
from hamletc.checking.expressions import Expressions
from hamletc.checking.graph import is_graph
from hamletc.checking.names import Names
from hamletc.checking.places import displacement, fits_axes, place
from hamletc.checking.report import Findings
from hamletc.checking.wholes import wholes_in
from hamletc.intervals import Interval
from hamletc.language import syntax


class Relocations:
    """Resolves the relocations of one declaration; those with errors are left out."""

    def __init__(self, names: Names, report: Findings, expressions: Expressions) -> None:
        self._names = names
        self._report = report
        self._expressions = expressions

    def move(self, statement: syntax.MoveStmt) -> Displace | None:
        """`move (1, 0)`, `move (choice(-1, 1), 0)`."""
        values, space, span = self._values(statement.by), self._names.space, statement.span
        if values is None or space is None or is_graph("a displacement", space, span, self._report):
            return None
        if not fits_axes(len(values), space, span, "a displacement", self._report):
            return None
        if constants(values) is None:
            return Displace(values, span)
        by = displacement(_signed(statement.by, values), space, span, self._report)
        if by is None:
            return None
        if not any(by):
            self._report.add(messages.actions.NoDisplacement(span))
        return Displace(_numbers(by, values), span)

    def teleport(self, statement: syntax.TeleportStmt) -> Teleport | None:
        """`teleport "B"`, `teleport home`, `teleport (0, 0)`, `teleport (integer(0, 7), 0)`."""
        space, span = self._names.space, statement.span
        if statement.spot is not None:
            there = place(statement.spot, space, span, self._names, self._report)
            return None if there is None else Teleport(tuple(Number(x, span) for x in there), span)
        values = self._values(statement.place)
        if values is None or space is None or is_graph("a place with coordinates", space, span, self._report):
            return None
        if not fits_axes(len(values), space, span, "a place", self._report):
            return None
        if constants(values) is None:
            return Teleport(values, span)
        there = place(_signed(statement.place, values), space, span, self._names, self._report)
        return None if there is None else Teleport(_numbers(there, values), span)

    def _values(self, written: tuple[syntax.Expr, ...]) -> tuple[Expression, ...] | None:
        values = [self._expressions.number(each) for each in written]
        known = tuple(value for value in values if value is not None)
        return known if len(known) == len(values) else None


def constants(values: tuple[Expression, ...]) -> tuple[float, ...] | None:
    """The numbers that all of these are; `None` where one is no constant."""
    numbers = tuple(value.value for value in values if isinstance(value, Number))
    return numbers if len(numbers) == len(values) else None


def _numbers(numbers: tuple[float, ...], places: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Constants at the places of expressions."""
    return tuple(Number(number, at.span) for number, at in zip(numbers, places, strict=True))


def _signed(written: tuple[syntax.Expr, ...], values: tuple[Expression, ...]) -> tuple[syntax.Signed, ...]:
    """Constants as they are written, or as their numbers are."""
    return tuple(
        syntax.Signed(_spelled(each, value), each.span)
        for each, value in zip(written, values, strict=True)
        if isinstance(value, Number)
    )


def _spelled(written: syntax.Expr, number: Number) -> str:
    match written:
        case syntax.Numeral(text=text, unit=""):
            return text
        case syntax.UnaryExpr(op="-", operand=syntax.Numeral(text=text, unit="")):
            return f"-{text}"
        case _:
            return f"{number.value:.0f}" if number.value.is_integer() else repr(number.value)


# --- what has to be proven -------------------------------------------------------------------------------------------


def check_whole_relocations(draft: Draft, report: Findings) -> None:
    """Report displacements and places on a grid that may be no whole numbers."""
    if not isinstance(draft.space, Grid):
        return
    wholes = wholes_in(draft, draft.space)
    for _, body in draft.bodies():
        for relocation in universe.relocations(body):
            for value in relocation.coordinates:
                part = wholes.doubt(value)
                if part is not None:
                    about = part.span, word(relocation), value, part, draft.space.span
                    report.add(messages.relocations.RelocationNotWhole(*about))


def check_inside(
    relocation: Relocation, axis: int, lies: Interval | None, space: Space | None, report: Findings
) -> None:
    """Report a coordinate of a relocation that may lead out of the space, or that is longer than it."""
    if lies is None or not isinstance(space, Grid | Continuous):
        return
    low, high = limits(relocation, axis, space)
    if round32(low) <= lies.low and lies.high <= round32(high):
        return
    span = relocation.coordinates[axis].span
    match relocation:
        case Displace():
            report.add(messages.relocations.DisplacementMayBeTooLong(span, lies, high, space))
        case Teleport():
            report.add(messages.relocations.MayLeaveSpace(span, lies, low, high, space))


def limits(relocation: Relocation, axis: int, space: Grid | Continuous) -> tuple[float, float]:
    """The least and the greatest number on an axis."""
    match space:
        case Grid(sizes=sizes):
            low, high = 0.0, sizes[axis] - 1.0
        case Continuous(axes=axes):
            low, high = axes[axis].low, axes[axis].high
    return (low, high) if isinstance(relocation, Teleport) else (low - high, high - low)


def word(relocation: Relocation) -> Literal["move", "teleport"]:
    """The word that begins the statement."""
    return "move" if isinstance(relocation, Displace) else "teleport"
