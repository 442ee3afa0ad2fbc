"""Costs and effects as statements."""

from __future__ import annotations

from hamlet_townlet.pack import Change
from hamlet_townlet.reader.limits import LARGEST_FLOAT
from hamlet_townlet.translate.terms import as_binary32, binary, number, quoted, shortest, when, word
from hamletc.language.syntax import AssignStmt, Expr


def gain(change: Change, *, ticks: int = 1) -> AssignStmt:
    """`energy += 0.5`: what an effect gives, so many ticks of it at once. What is negative is taken."""
    if ticks == 1:
        return _assign(change, change.amount.value, gives=True, unclamped=False)
    # HAMLET forms this product in binary64 and rounds it once. One that is infinite fills or empties a meter, as the
    # largest number does.
    amount = as_binary32(change.amount.value * ticks)
    amount = min(max(amount, -LARGEST_FLOAT), LARGEST_FLOAT)
    return _assign(change, shortest(amount), gives=True, unclamped=False)


def loss(change: Change, *, unclamped: bool = False) -> AssignStmt:
    """`energy -= 0.5`: what a cost takes. What is negative is given."""
    return _assign(change, change.amount.value, gives=False, unclamped=unclamped)


def gain_at_first(change: Change) -> AssignStmt:
    """`energy += 0.5 when progress == 1`."""
    span = change.span
    first = binary(word("progress", span), "==", number(1.0, span), span)
    value = when(number(change.amount.value, change.amount.span), first, span)
    return AssignStmt(quoted(change.meter), "+=", value, None, span)


def _assign(change: Change, amount: float, *, gives: bool, unclamped: bool) -> AssignStmt:
    span = change.span
    gives = gives != (as_binary32(amount) < 0)
    value: Expr = number(abs(amount), change.amount.span)
    return AssignStmt(quoted(change.meter), "+=" if gives else "-=", value, span if unclamped else None, span)
