"""Proven ranges: where meters lie in play and what statements add, as the checker found it, and in few digits."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from hamlet_language.document import Document
from hamletc.changes import Change
from hamletc.intervals import ZERO, Interval, add, hull, spell
from hamletc.language import syntax

DIGITS = 3
"""The digits of an end of a range that is not short."""
ALONE = ("decay", "rules", "world", "cells")
"""The steps of a tick in which meters change of an agent that does nothing."""
_LONG = 7


def told(where: Interval) -> str:
    """A range in words: `0.2 .. 1`. Ends of many digits are rounded outwards, so that the range stays true."""
    if where.is_single:
        return spell(where.low)
    return f"{_rounded(where.low, ROUND_FLOOR)} .. {_rounded(where.high, ROUND_CEILING)}"


def _rounded(value: float, rounding: str) -> str:
    exact = spell(value)
    if len(exact) <= _LONG:
        return exact
    rounded = Context(prec=DIGITS, rounding=rounding).create_decimal(Decimal(exact)).normalize()
    plain = f"{rounded:f}"
    return plain if len(plain) <= _LONG + 2 else f"{rounded:e}".replace("e+", "e")


def value_of(document: Document, value: syntax.Expr | None) -> Interval | None:
    """Where a number of the text lies wherever it counts; `None` where that is not known."""
    if value is None:
        return None
    if isinstance(value, syntax.Numeral) and not value.unit:
        return Interval(float(value.text), float(value.text))
    return None if document.proofs is None else document.proofs.values.get(value.span)


def addition(document: Document, change: Change) -> Interval | None:
    """The numbers that a change adds in its tick; `None` where it sets a value, or nothing is known."""
    where = value_of(document, change.value)
    if where is None or change.op == "=":
        return None
    return where if change.op == "+=" else Interval(-where.high, -where.low)


def drift(document: Document, changes: Iterable[Change]) -> Interval | None:
    """The numbers that a tick adds to a meter of an agent that neither moves nor uses anything, away from the meter's
    bounds; `None` where that is not known, or a statement sets the meter."""
    total = ZERO
    for change in changes:
        if change.step in ALONE:
            where = addition(document, change)
            if where is None:
                return None
            total = add(total, where if change.always else hull(where, ZERO))
    return total
