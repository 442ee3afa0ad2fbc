"""How terms are proven equal: the reasons by which an arena merges them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from hamlet_lab.proof import choices
from hamlet_lab.proof.bounds import Bounds, positive_zero
from hamlet_lab.proof.meanings import FLOATING, MEANINGS, SIGN, Words
from hamlet_lab.proof.queries import DEEP, DEPTHS, Depth, Query
from hamlet_lab.proof.terms import INFINITY, Arena, Term

ONE_BINADE = np.arange(0x3F800000, 0x40000000, dtype=np.uint32)
"""The numbers from 1 to 2, without 2."""
FORMS = 6
"""Terms that were merged with one, and that another is compared with by rules."""
LEAST_NORMAL, GREATEST = 2.0**-126, 2.0**127


@dataclass(frozen=True, slots=True)
class Merge:
    """Two terms of an arena that were proven to be equal, and why.

    Attributes:
        reason: as it is counted.
        said: of a query, the terms whose operations it said; all others were cut off.
        sides: the contexts in which both are one term.
        condition: of a choice, the one that tells both sides apart, on which terms are made anew as far as they are
            `said`.
    """

    arena: Arena
    left: Term
    right: Term
    reason: str
    said: tuple[Term, ...] = ()
    sides: tuple[Arena, ...] = ()
    condition: Term | None = None


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
    _refused: dict[Arena, set[tuple[int, int]]] = field(default_factory=dict)
    _divisions: dict[tuple[int, ...], bool] = field(default_factory=dict)

    def bounds(self, arena: Arena) -> Bounds:
        """The bounds of the terms of an arena."""
        return self._bounds.setdefault(arena, Bounds(arena))

    def equal(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether two terms are proven to be equal in all states of an arena."""
        if self.trusting:
            return True
        if self._refused_before(arena, left, right):
            self._refused.setdefault(arena, set()).add((left.number, right.number))
            return False
        forms = arena.forms(right)[:FORMS]
        for form in forms:
            if rule := self._rule(arena, left, form) or self._rule(arena, form, left):
                return self._merged(Merge(arena, left, form, rule))
        if self._asked(arena, left, right, self.depths):
            return True
        # What was merged last is nearest to what is made next.
        if forms[0] is not right and self._asked(arena, left, forms[0], self.depths[:1]):
            return True
        if left.bits == 32 and not self._splitting:
            sides = self._split(arena, left, right)
            if sides:
                return self._merged(Merge(arena, left, right, "two cases", sides=sides))
        self.refused += 1
        self._refused.setdefault(arena, set()).add((left.number, right.number))
        return False

    def _rule(self, arena: Arena, left: Term, right: Term) -> str:
        """The rule that says that two terms are equal; empty if none does."""
        rules = {
            "bounds": self._decides,
            "division": self._divides,
            "sign of a product": self._opposite,
            "clamp of a clamp": self._clamps,
            "clamp above a clamp": self._clamps_above,
        }
        return next((name for name, fits in rules.items() if fits(arena, left, right)), "")

    def _asked(self, arena: Arena, left: Term, right: Term, depths: tuple[Depth, ...]) -> bool:
        """Whether queries, or a choice, say that two terms are equal."""
        cut = {"levels", "products", "floats"}
        for depth in depths:
            if depth not in self.depths[:1] and self._consumes(arena, left, right):
                break
            if depth not in self.depths[:2] and _is_guess(left, right):
                break
            if depth is self.depths[1] and (choice := self._choice(arena, left, right)) is not None:
                return self._merged(choice)
            if not ("levels" in cut or (depth.products and "products" in cut) or (depth.floats and "floats" in cut)):
                continue
            if depth.levels > DEEP and (left.bits != 32 or self.bounds(arena).numbers(left) is not None):
                continue
            if depth.floats and not _sums(left, right):
                continue
            self.reasons["asked"] += 1
            query = Query(arena, self.bounds(arena), depth)
            if query.equal(left, right):
                name = f"query {DEPTHS.index(depth) + 1}"
                return self._merged(Merge(arena, left, right, name, said=tuple(query.said)))
            cut = query.cut
        return False

    def _consumes(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether two terms are the same operation on what was refused to be the same: they differ as that does, or
        a choice shows it."""
        if left.op != right.op or len(left.operands) != len(right.operands) or not left.operands:
            return False
        refused = self._refused.get(arena, set())
        return all(
            one is other or (one.number, other.number) in refused or (other.number, one.number) in refused
            for one, other in zip(left.operands, right.operands, strict=True)
        )

    def _refused_before(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether that was refused in the context that this one is a side of."""
        if arena.origin is None:
            return False
        one, other = arena.twin(left), arena.twin(right)
        if one is None or other is None:
            return False
        refused = self._refused.get(arena.origin[0], set())
        return (one.number, other.number) in refused

    def _merged(self, merge: Merge) -> bool:
        self.reasons[merge.reason] += 1
        self.merges.append(merge)
        return True

    def _choice(self, arena: Arena, left: Term, right: Term) -> Merge | None:
        """The merge of two numbers that are one on both sides of a condition."""
        if self._splitting or left.bits != 32 or right.value is not None:
            return None
        terms = choices.opened(left, right)
        self._splitting = True
        try:
            for condition in islice(choices.conditions(terms), choices.CONDITIONS):
                if choices.same(arena, left, right, condition, terms):
                    return Merge(arena, left, right, "choice", tuple(terms), condition=condition)
        finally:
            self._splitting = False
        return None

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

    def _decides(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether one compares numbers, and bounds say how that ends."""
        if right.value is None or right.bits != 1:
            return False
        return self.bounds(arena).decided(left) is bool(right.value)

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

    def _clamps_above(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether one is min(x + n, c) and the other min(min(x, c) + n, c), where n is not below 0."""
        one, other = clamped_above(left), clamped_above(right)
        if one is None or other is None or one[1] is not other[1]:
            return False
        bound = one[1]
        for x, n in (one[0].operands, one[0].operands[::-1]):
            for rest, same in (other[0].operands, other[0].operands[::-1]):
                inner = clamped_above(rest, sums=False)
                if n is same and inner is not None and inner[0] is x and inner[1] is bound:
                    above, values = self.bounds(arena).numbers(n), self.bounds(arena).numbers(x)
                    return above is not None and values is not None and above.low >= 0
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


def _is_guess(left: Term, right: Term) -> bool:
    """Whether it is asked if a number has a bound: what is known of its operands says so, or it is not worth more."""
    return left.op == "fle" and right.value == 1


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


def clamped_above(term: Term, sums: bool = True) -> tuple[Term, Term] | None:
    """Of min(x, c), where c is a number other than 0, both; with `sums` of a sum x alone."""
    match term.op, term.operands:
        case "fmin", (x, c):
            pass
        case "ite", (condition, c, x) if condition.op == "flt" and condition.operands == (c, x):
            pass
        case _:
            return None
    number = c.value is not None and 0 < c.value & ~SIGN < INFINITY
    return (x, c) if number and (x.op == "fadd" or not sums) else None


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


def _sums(left: Term, right: Term) -> bool:
    """Whether a query about two terms says sums in binary32: of two comparisons these are compared themselves."""
    if left.op in ("flt", "fle") and right.value is None:
        return False
    return "fadd" in (left.op, right.op) or _sums_near(left, right)


def _sums_near(left: Term, right: Term, levels: int = 3) -> bool:
    """Whether a sum in binary32 is among the upper levels of one of two terms."""
    row = [left, right]
    for _ in range(levels):
        row = [operand for term in row for operand in term.operands]
        if any(term.op == "fadd" for term in row):
            return True
    return False
