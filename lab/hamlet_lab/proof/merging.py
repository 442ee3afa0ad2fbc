"""How terms are proven equal: the reasons by which an arena merges them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from hamlet_lab.proof import choices, sides
from hamlet_lab.proof.bounds import Bounds, positive_zero
from hamlet_lab.proof.meanings import FLOATING, MEANINGS, SIGN, Words
from hamlet_lab.proof.merge import Merge
from hamlet_lab.proof.normal_forms import NormalForms
from hamlet_lab.proof.queries import DEEP, DEPTHS, Depth, Query
from hamlet_lab.proof.sides import Sides
from hamlet_lab.proof.sums import same_sums
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena
from hamlet_lab.proof.values import word_of_both

ONE_BINADE = np.arange(0x3F800000, 0x40000000, dtype=np.uint32)
"""The numbers from 1 to 2, without 2."""
FORMS = 6
"""Terms that were merged with one, and that another is compared with by rules."""
LEAST_NORMAL, GREATEST = 2.0**-126, 2.0**127
INJECTIVE = frozenset(("add", "sub", "xor"))
"""Operations of which each operand, beside the same other one, has a result of its own."""
MOST_FAILED = 8
"""Pairs that were not one in two cases, one after the other, until no more are tried: hardly ever one is, and each
makes all of its terms anew."""
COVERED = 8
"""The number by which queries about covers are counted."""


@dataclass(slots=True)
class Merger:
    """Proves that terms are equal, and keeps why: certificates are made of that.

    Attributes:
        trusting: whether samples are believed. Nothing is proven then, but what differs in a sample differs.
        by_sides: whether words are told apart (`sides`), and what is done on one side of a choice is done always.
        depths: of the queries that are asked, one after the other.
        merges: of all arenas, in order.
        reasons: how often a pair was proven by what.
    """

    trusting: bool = False
    by_sides: bool = False
    depths: tuple[Depth, ...] = DEPTHS
    merges: list[Merge] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    _splitting: bool = False
    _failed: int = 0
    _sides: dict[Arena, list[Sides]] = field(default_factory=dict)
    _side_arenas: set[Arena] = field(default_factory=set)
    _touched: dict[Arena, dict[int, bool]] = field(default_factory=dict)
    _bounds: dict[Arena, Bounds] = field(default_factory=dict)
    _refused: dict[Arena, set[tuple[int, int]]] = field(default_factory=dict)
    _divisions: dict[tuple[int, ...], bool] = field(default_factory=dict)

    @property
    def goes_by_passes(self) -> bool:
        """Whether programs between the one and the PTX are made, so that steps are small."""
        return not (self.trusting or self.by_sides)

    def bounds(self, arena: Arena) -> Bounds:
        """The bounds of the terms of an arena."""
        return self._bounds.setdefault(arena, Bounds(arena))

    def simpler(self, arena: Arena, term: Term) -> Term | None:
        """The normal form that a term is brought to, if that is another term."""
        if self.trusting:
            return None
        return NormalForms(arena, self.bounds(arena), self._merged, self.by_sides).of(term)

    def equal(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether two terms are proven to be equal in all states of an arena."""
        if self.trusting:
            return True
        proven = not self._refused_before(arena, left, right) and self._proven(arena, left, right)
        if not proven:
            self._refused.setdefault(arena, set()).add((left.number, right.number))
        return proven

    def _proven(self, arena: Arena, left: Term, right: Term) -> bool:
        forms = arena.forms(right)[:FORMS]
        for form in forms:
            if rule := self._rule(arena, left, form) or self._rule(arena, form, left):
                return self._merged(Merge(arena, left, form, rule))
        if (word := word_of_both(self.bounds(arena), left, right)) is not None:
            return self._merged(Merge(arena, left, right, "values", condition=word))
        of_numbers = self._is_number(arena, left) or self._is_number(arena, right)
        on_side = arena in self._side_arenas
        touched = arena in self._sides and self._touches(arena, left)
        # What is done to numbers on a side is one by rules, or it is not one.
        # Few samples are of a side, and conditions that rarely hold have the same there.
        rare = on_side and left.bits == 1 and right.value is None
        if not (of_numbers and (on_side or touched)) and not rare:
            depths = self.depths[:1] if of_numbers or on_side else self.depths
            if self._asked(arena, left, right, depths):
                return True
        if self._same_on_sides(arena, left, right):
            return True
        if on_side or touched or not of_numbers:
            return False
        if self._asked(arena, left, right, self.depths[1:]):
            return True
        # What was merged last is nearest to what is made next.
        if forms[0] is not right and self._asked(arena, left, forms[0], self.depths[:1]):
            return True
        if left.bits != 32 or self._splitting or self._failed >= MOST_FAILED:
            return False
        contexts = self._split(arena, left, right)
        self._failed = 0 if contexts else self._failed + 1
        return bool(contexts) and self._merged(Merge(arena, left, right, "two cases", sides=contexts))

    def _rule(self, arena: Arena, left: Term, right: Term) -> str:
        """The rule that says that two terms are equal; empty if none does."""
        rules = {"bounds": self._decides, "division": self._divides, "sums": same_sums}
        return next((name for name, fits in rules.items() if fits(arena, left, right)), "")

    def _asked(self, arena: Arena, left: Term, right: Term, depths: tuple[Depth, ...]) -> bool:
        """Whether queries, or a choice, say that two terms are equal."""
        cut = {"levels", "products", "floats"}
        if self._hinges(arena, left, right):
            return False
        for depth in depths:
            if depth not in self.depths[:1] and self._consumes(arena, left, right):
                break
            if depth not in self.depths[:2] and _is_guess(left, right):
                break
            if depth is self.depths[1] and (choice := self._choice(arena, left, right)) is not None:
                return self._merged(choice)
            if ("products" if depth.products else "floats" if depth.floats else "levels") not in cut:
                continue
            if depth.levels > DEEP and (left.bits not in (8, 32) or self._is_number(arena, left)):
                continue
            if depth.floats and not _sums(left, right):
                continue
            self.reasons["asked"] += 1
            query = Query(arena, self.bounds(arena), depth)
            if query.equal(left, right):
                name = f"query {DEPTHS.index(depth) + 1}"
                return self._merged(Merge(arena, left, right, name, said=tuple(query.said)))
            if not depth.products and not depth.floats:
                cut = query.cut
        return False

    def _hinges(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether two terms are equal only where two others are that were refused: an operation that tells all values
        of an operand apart, with the same other one."""
        if left.op not in INJECTIVE:
            return False
        (x, y), k = left.operands, right.value
        if left.op == "xor" and k is not None and y.value is not None:
            return self._was_refused(arena, x, arena.constant(k ^ y.value, x.bits))
        if right.op != left.op:
            return False
        pairs = [(one, other) for one in (0, 1) for other in (0, 1) if one == other or left.op != "sub"]
        return any(
            left.operands[one] is right.operands[other]
            and self._was_refused(arena, left.operands[1 - one], right.operands[1 - other])
            for one, other in pairs
        )

    def _was_refused(self, arena: Arena, left: Term, right: Term) -> bool:
        refused = self._refused.get(arena, set())
        return (left.number, right.number) in refused or (right.number, left.number) in refused

    def _consumes(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether two terms are the same operation on what was refused to be the same: they differ as that does, or
        a choice shows it."""
        if left.op != right.op or len(left.operands) != len(right.operands) or not left.operands:
            return False
        return all(
            one is other or self._was_refused(arena, one, other)
            for one, other in zip(left.operands, right.operands, strict=True)
        )

    def _is_number(self, arena: Arena, term: Term) -> bool:
        """Whether a term is a number in binary32, or says how two compare."""
        if term.op in ("flt", "fle", "feq"):
            return True
        return term.bits == 32 and term.value is None and self.bounds(arena).numbers(term) is not None

    def _refused_before(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether that was refused in the context that this one is a side of."""
        if arena.origin is None:
            return False
        one, other = arena.twin(left), arena.twin(right)
        if one is None or other is None:
            return False
        refused = self._refused.get(arena.origin[0], set())
        return (one.number, other.number) in refused

    def tell_apart(self, arena: Arena) -> None:
        """Have sides of an arena from now on."""
        words = sides.compared(arena)
        if self.trusting or not words or arena in self._sides:
            return
        arena.comparing = False
        for conditions in (tuple(sides.conditions(arena, words)), tuple(sides.living(arena, words))):
            self._cover(arena, words, conditions)
        arena.comparing = True

    def _cover(self, arena: Arena, words: list[Term], conditions: tuple[Term, ...]) -> None:
        """Have the sides of conditions, if it is proven that one of these holds in each state."""
        cover, one = sides.any_of(arena, list(conditions)), arena.constant(1, 1)
        if arena.instead_of(cover) is not one:
            query = Query(arena, self.bounds(arena), sides.COVERS)
            if not query.equal(cover, one):
                return
            self._merged(Merge(arena, cover, one, f"query {COVERED}", said=tuple(query.said)))
        arenas = tuple(each for each in (arena.under(condition, True) for condition in conditions) if each is not None)
        if len(arenas) == len(conditions):
            self.merges.append(Merge(arena, cover, one, "cover", conditions, arenas))
            self._side_arenas |= set(arenas)
            self._sides.setdefault(arena, []).append(Sides(arenas, tuple(words)))

    def _touches(self, arena: Arena, term: Term) -> bool:
        """Whether a term is made of a word that sides are told apart by."""
        touched = self._touched.setdefault(arena, {each.number: True for of in self._sides[arena] for each in of.words})
        stack = [term]
        while stack:
            each = stack[-1]
            missing = [] if each.number in touched else [of for of in each.operands if of.number not in touched]
            stack += missing
            if not missing:
                stack.pop()
                touched.setdefault(each.number, any(touched[of.number] for of in each.operands))
        return touched[term.number]

    def _same_on_sides(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether two terms are one on all sides of an arena."""
        if (
            arena not in self._sides
            or self._splitting
            or not (self._touches(arena, left) or self._touches(arena, right))
        ):
            return False
        for cover, each in enumerate(self._sides[arena]):
            if all(self._same_on(side, left, right) for side in each.arenas):
                return self._merged(Merge(arena, left, right, "sides", cover=cover))
        return False

    def _same_on(self, side: Arena, left: Term, right: Term) -> bool:
        one, other = side.copies([left, right])
        return one is other or self.equal(side, one, other)

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

    # --- x / c as fma(x, 1 / c, x * error) ----------------------------------------------------------------------------

    def _divides(self, arena: Arena, left: Term, right: Term) -> bool:
        """Whether one is x / c and the other fma(x, high, x * low), for all x that may be. Both scale by powers of two
        as x does, as long as nothing overflows and nothing is subnormal, and have the other sign as x has: so all x of
        one binade stand for all."""
        if left.op != "fma" or right.op != "fdiv":
            return False
        product, high, addend = left.operands
        numerator, divisor = right.operands
        sign = SIGN if _is_negated(addend) else 0
        addend = addend.operands[0] if sign else addend
        if addend.op != "fmul" or None in (divisor.value, high.value) or product is not numerator:
            return False
        if addend.operands[0] is not numerator or addend.operands[1].value is None:
            return False
        constants = high.value or 0, addend.operands[1].value ^ sign, divisor.value or 0
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
            numerators = (*np.split(ONE_BINADE, 128), np.zeros(1, np.uint32))
            self._divisions[constants] = all(_quotients(constants, values) for values in numerators)
        return self._divisions[constants]


def _is_negated(term: Term) -> bool:
    return term.op == "xor" and term.operands[1].value == SIGN


def _is_guess(left: Term, right: Term) -> bool:
    """Whether it is asked if a number has a bound: what is known of its operands says so, or it is not worth more."""
    return left.op == "fle" and right.value == 1


def _quotients(constants: tuple[int, int, int], values: Words) -> bool:
    high, low, divisor = (np.array([each], np.uint32) for each in constants)
    product = MEANINGS["fmul"](values, low)
    return bool((MEANINGS["fma"](values, high, product) == MEANINGS["fdiv"](values, divisor)).all())


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
