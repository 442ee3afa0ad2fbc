"""Equality of two terms by a choice: where a condition holds both are one term, and where it does not both are one.

Affordances exclude each other, so where the condition of one holds, choices by those of all others are decided. What a
condition decides is asked in the arena itself: another that cannot hold together with it, or must. Terms are made anew
with what is decided, as far as they are opened.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from hamlet_lab.proof.meanings import FLOATING
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena

SUMS = 4
"""Sums that are opened one below the other."""
CONDITIONS = 3
"""Conditions by which a pair is tried to be told apart."""
CLAMPING = frozenset(("flt", "fle", "feq"))
OPENED = (FLOATING | CLAMPING | {"ite"}) - {"tofloat", "unsignedtofloat"}


def opened(left: Term, right: Term) -> list[Term]:
    """The terms of two that are made anew on either side, those near the tops first."""
    result: list[Term] = []
    best: dict[int, int] = {}
    row = deque((each, 0) for each in (left, right))
    while row:
        term, sums = row.popleft()
        if best.get(term.number, SUMS + 1) <= sums or not opens(term):
            continue
        if term.number not in best:
            result.append(term)
        best[term.number] = sums
        if term.op in ("fadd", "fma", "fdiv"):
            row.extend((each, sums + 1) for each in term.operands if sums < SUMS)
        else:
            row.extendleft((each, sums) for each in term.operands)
    return result


def opens(term: Term) -> bool:
    """Whether a term can be made anew of operands on a side."""
    return term.op in OPENED or (term.op in ("and", "or", "xor") and (term.bits == 1 or term.op == "xor"))


def conditions(terms: list[Term]) -> Iterator[Term]:
    """The conditions of choices among terms, those of clamps last."""
    of = [each.operands[0] for each in terms if each.op == "ite" and each.operands[0].value is None]
    seen: set[int] = set()
    for clamping in (False, True):
        for each in of:
            if (each.op in CLAMPING) is clamping and each.number not in seen:
                seen.add(each.number)
                yield each


class Side:
    """Terms where a condition holds."""

    def __init__(self, arena: Arena, condition: Term, opened: list[Term]) -> None:
        self._arena, self._condition = arena, condition
        self._opened = {each.number for each in opened}
        self._done: dict[int, Term] = {
            condition.number: arena.constant(1, 1),
            arena.no(condition).number: arena.constant(0, 1),
        }

    def of(self, term: Term) -> Term:
        """A term as it is there."""
        if term.number not in self._done:
            self._done[term.number] = self._made(term)
        return self._done[term.number]

    def _made(self, term: Term) -> Term:
        if term.bits == 1 and term.op not in CLAMPING and term.value is None:
            holds = self._decided(term)
            if holds is not None:
                return self._arena.constant(int(holds), 1)
        if term.number not in self._opened:
            return term
        if term.op == "ite":
            condition = self.of(term.operands[0])
            if condition.value is not None:
                return self.of(term.operands[1 if condition.value else 2])
        operands = tuple(self.of(each) for each in term.operands)
        if all(one is other for one, other in zip(operands, term.operands, strict=True)):
            return term
        return self._arena.make(term.op, term.bits, operands, term.attribute)

    def _decided(self, term: Term) -> bool | None:
        """Whether another condition holds, if this one says so. It is asked only where samples say so."""
        arena, condition = self._arena, self._condition
        if not np.any(condition.samples & term.samples) and arena.op("and", condition, term).value == 0:
            return False
        if not np.any(condition.samples & ~term.samples) and arena.op("and", condition, arena.no(term)).value == 0:
            return True
        return None


def same(arena: Arena, left: Term, right: Term, condition: Term, terms: list[Term]) -> bool:
    """Whether two terms are one where a condition holds, and where it does not."""
    for each in (condition, arena.no(condition)):
        side = Side(arena, each, terms)
        if side.of(left) is not side.of(right):
            return False
    return True
