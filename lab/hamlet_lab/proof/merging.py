"""How terms are proven equal: the reasons by which an arena merges them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from hamlet_lab.proof.bounds import Bounds, positive_zero
from hamlet_lab.proof.meanings import FLOATING, MEANINGS, SIGN, Words
from hamlet_lab.proof.queries import DEPTHS, Depth, Query
from hamlet_lab.proof.terms import Arena, Term

ONE_BINADE = np.arange(0x3F800000, 0x40000000, dtype=np.uint32)
"""The numbers from 1 to 2, without 2."""
LEAST_NORMAL, GREATEST = 2.0**-126, 2.0**127


@dataclass(frozen=True, slots=True)
class Merge:
    """Two terms of an arena that were proven to be equal, and why.

    Attributes:
        reason: as it is counted.
        said: of a query, the terms whose operations it said; all others were cut off.
        sides: the contexts in which both are one term.
    """

    arena: Arena
    left: Term
    right: Term
    reason: str
    said: tuple[Term, ...] = ()
    sides: tuple[Arena, ...] = ()


@dataclass(slots=True)
class Merger:
    """Proves that terms are equal, and keeps why: certificates are made of that.

    Attributes:
        trusting: whether samples are believed. Nothing is proven then, but what differs in a sample differs.
        depths: of the queries that are asked, one after the other.
        merges: of all arenas, in order.
        reasons: how often a pair was proven by what.
        refused: queries without a proof.
    """

    trusting: bool = False
    depths: tuple[Depth, ...] = DEPTHS
    merges: list[Merge] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    _splitting: bool = False
    _bounds: dict[Arena, Bounds] = field(default_factory=dict)
    _divisions: dict[tuple[int, ...], bool] = field(default_factory=dict)

    def bounds(self, arena: Arena) -> Bounds:
        """The bounds of the terms of an arena."""
        return self._bounds.setdefault(arena, Bounds(arena))

    def equal(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether two terms are proven to be equal in all states of an arena."""
        if self.trusting:
            return True
        if self._divides(arena, left, right) or self._divides(arena, right, left):
            return self._merged(Merge(arena, left, right, "division"))
        if self._opposite(arena, left, right) or self._opposite(arena, right, left):
            return self._merged(Merge(arena, left, right, "sign of a product"))
        if self._clamps(arena, left, right) or self._clamps(arena, right, left):
            return self._merged(Merge(arena, left, right, "clamp of a clamp"))
        for depth in self.depths:
            if depth.floats and "fadd" not in (left.op, right.op) and not _sums_near(left, right):
                continue
            self.reasons["asked"] += 1
            query = Query(arena, self.bounds(arena), depth)
            if query.equal(left, right):
                name = f"query {DEPTHS.index(depth) + 1}"
                return self._merged(Merge(arena, left, right, name, said=tuple(query.said)))
        if left.bits == 32 and not self._splitting:
            sides = self._split(arena, left, right)
            if sides:
                return self._merged(Merge(arena, left, right, "two cases", sides=sides))
        self.refused += 1
        return False

    def _merged(self, merge: Merge) -> bool:
        self.reasons[merge.reason] += 1
        self.merges.append(merge)
        return True

    def _split(self, arena: Arena, left: Term, right: Term) -> tuple[Arena, ...]:
        """The contexts in which a condition holds, and does not, if two numbers are the same term in both. It is the
        condition that is nearest to the top of one of them."""
        if not any(_sums_near(each, each) or each.op in FLOATING for each in (left, right)):
            return ()
        condition = nearest_condition(right) or nearest_condition(left)
        if condition is None:
            return ()
        self._splitting = True
        sides = []
        try:
            for holds in (True, False):
                side = arena.under(condition, holds)
                if side is None:
                    return ()
                one, other = side.copies([left, right])
                if one is not other:
                    return ()
                sides.append(side)
            return tuple(sides)
        finally:
            self._splitting = False

    def _opposite(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether one is x * -c and the other -(x * c), where x is a number."""
        if left.op != "fmul" or right.op != "xor" or right.operands[1].value != SIGN or right.operands[0].op != "fmul":
            return False
        (x, c), (y, d) = left.operands, right.operands[0].operands
        if x is not y or c.value is None or d.value is None or c.value ^ d.value != SIGN:
            return False
        return self.bounds(arena).numbers(x) is not None and self.bounds(arena).numbers(left) is not None

    def _clamps(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether one is max(x + n, 0) and the other max(max(x, 0) + n, 0), where x is no -0 and n not above 0."""
        one, other = _clamped(left), _clamped(right)
        if one is None or other is None or one.op != "fadd" or other.op != "fadd":
            return False
        for x, n in (one.operands, one.operands[::-1]):
            if n not in other.operands:
                continue
            (rest,) = [each for each in other.operands if each is not n] or [n]
            below, values = self.bounds(arena).numbers(n), self.bounds(arena).numbers(x)
            if _clamped(rest) is x and positive_zero(x) and values is not None and below is not None:
                return below.high <= 0
        return False

    # --- x / c as fma(x, 1 / c, x * error) ----------------------------------------------------------------------------

    def _divides(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether one is x / c and the other fma(x, high, x * low), for all x that may be. Both scale by powers of two
        as x does, as long as nothing overflows and nothing is subnormal: so all x of one binade stand for all."""
        if left.op != "fma" or right.op != "fdiv":
            return False
        product, high, addend = left.operands
        numerator, divisor = right.operands
        if addend.op != "fmul" or None in (divisor.value, high.value) or product is not numerator:
            return False
        if addend.operands[0] is not numerator or addend.operands[1].value is None:
            return False
        constants = high.value or 0, addend.operands[1].value or 0, divisor.value or 0
        numbers = self.bounds(arena).numbers(numerator)
        if numbers is None or numbers.grain == 0 or not positive_zero(numerator):
            return False
        h, low, c = (abs(float(np.uint32(each).view(np.float32))) for each in constants)
        greatest = max(abs(numbers.low), abs(numbers.high))
        sizes = [numbers.grain, numbers.grain * h, numbers.grain * low]
        if not (h > 0 and low > 0 and c > 0 and np.isfinite([h, low, c]).all()):
            return False
        if numbers.grain / c < 4 * LEAST_NORMAL or min(sizes) < 4 * LEAST_NORMAL:
            return False
        if max(greatest, greatest / c, greatest * h) > GREATEST / 4:
            return False
        if constants not in self._divisions:
            numerators = ONE_BINADE, ONE_BINADE | np.uint32(SIGN), np.zeros(1, np.uint32)
            self._divisions[constants] = all(_quotients(constants, values) for values in numerators)
        return self._divisions[constants]


def _quotients(constants: tuple[int, int, int], values: Words) -> bool:
    high, low, divisor = (np.array([each], np.uint32) for each in constants)
    product = MEANINGS["fmul"](values, low)
    return bool((MEANINGS["fma"](values, high, product) == MEANINGS["fdiv"](values, divisor)).all())


def _clamped(term: Term) -> Term | None:
    """Of max(x, 0), with -0 for -0 or not, the x."""
    match term.op, term.operands:
        case "fmax", (x, zero) if zero.value == 0:
            return x
        case "ite", (condition, zero, x) if zero.value == 0 and condition.op == "flt":
            return x if condition.operands[0] is x and condition.operands[1].value == 0 else None
        case _:
            return None


def nearest_condition(root: Term) -> Term | None:
    """The condition of a term that chooses which is nearest to its top."""
    row, seen = [root], {root.number}
    while row:
        for term in row:
            if term.op == "ite" and term.operands[0].value is None:
                return term.operands[0]
        below = [operand for term in row for operand in term.operands if operand.number not in seen]
        row = list({each.number: each for each in below}.values())
        seen |= {each.number for each in row}
    return None


def _sums_near(left: Term, right: Term, levels: int = 3) -> bool:
    """Whether a sum in binary32 is among the upper levels of one of two terms."""
    row = [left, right]
    for _ in range(levels):
        row = [operand for term in row for operand in term.operands]
        if any(term.op == "fadd" for term in row):
            return True
    return False
