"""Normal forms: of all that a term is by a rule, the form that every term of its kind is brought to.

Terms that differ in their forms alone are one then, and need no question. Numbers are compared by `<`; extremes are
choices; signs are outside of products; what is clamped and clamped again is clamped once; and, where that is wanted,
what is added to a number on one side of a choice is added always, where nothing (-0) is added on the other side.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hamlet_lab.proof import choices
from hamlet_lab.proof.bounds import Bounds, is_chosen_constant, positive_zero
from hamlet_lab.proof.meanings import INFINITY, SIGN
from hamlet_lab.proof.merge import Merge
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena

ONE, TWO, MOST_EXACT, MOST_ADDED = 0x3F800000, 0x40000000, 2**24, 2**10
LAYERS = 8
"""Sums and clamps that a choice is taken through."""


class NormalForms:
    """The normal forms of an arena. `note` is told each merge that leads there; with `always`, what is done on one side
    of a choice is done on both."""

    def __init__(self, arena: Arena, bounds: Bounds, note: Callable[[Merge], object], always: bool) -> None:
        self._arena, self._bounds, self._note, self._always = arena, bounds, note, always

    def of(self, term: Term) -> Term | None:
        """The form that a term is brought to, by one rule; `None` if it has it already."""
        holds = self._bounds.decided(term) if term.bits == 1 else None
        if holds is not None:
            return self._merged(term, self._arena.constant(int(holds), 1), "bounds")
        match term.op:
            case "fle":
                return self._order(term)
            case "flt":
                return self._sign_of_a_sum(term) or self._of_whole(term) or self._of_words(term)
            case "feq":
                return self._of_whole(term) or self._of_words(term)
            case "ult":
                return self._sign(term)
            case "fmin" | "fmax":
                return self._extreme(term)
            case "fmul":
                return self._sign_of_a_product(term) or self._twice(term) or self._times_one(term)
            case "fadd":
                return self._nothing_added(term) or self._of_words(term)
            case "fdiv":
                return self._power_of_two(term)
            case "fma":
                return self._sign_of_a_factor(term)
            case "unsignedtofloat":
                return self._conversion(term)
            case "tofloat" if term.operands[0].op == "ite" and is_chosen_constant(term.operands[0]):
                return self._inside(term)
            case "lshr" if term.bits == 64:
                return self._high_half(term)
            case "and" | "or" | "xor" if term.bits > 1:
                return self._widened(term)
            case "ite" if term.bits == 32:
                both = (self._guarded(term) or self._of_a_product(term)) if self._always else None
                return self._outside(term) or both or self._sign_of_both(term) or self._clamped_once(term)
            case _:
                return None

    def _merged(self, term: Term, by: Term, rule: str) -> Term:
        self._note(Merge(self._arena, term, by, rule))
        return by

    def _are_numbers(self, *terms: Term) -> bool:
        return all(self._bounds.numbers(each) is not None for each in terms)

    def _is_canonical(self, term: Term) -> bool:
        """Whether a term is a number, or the NaN that operations make."""
        return self._arena.canonical(term) or self._are_numbers(term)

    def _times_one(self, term: Term) -> Term | None:
        """Of x * 1, x."""
        x, k = term.operands
        return self._merged(term, x, "times one") if k.value == ONE and self._is_canonical(x) else None

    def _nothing_added(self, term: Term) -> Term | None:
        """Of x + 0, where x is never -0, x."""
        x, k = term.operands
        if k.value != 0 or not self._is_canonical(x) or not positive_zero(x, self._bounds):
            return None
        return self._merged(term, x, "nothing added")

    # --- comparisons, extremes and signs ------------------------------------------------------------------------------

    def _order(self, term: Term) -> Term | None:
        """Of x <= y, that y < x is not."""
        if not self._are_numbers(*term.operands):
            return None
        return self._merged(term, self._arena.no(self._arena.op("flt", *term.operands[::-1])), "order")

    def _sign_of_a_sum(self, term: Term) -> Term | None:
        """Of x + k < 0, that x < -k, where that is decided."""
        total, zero = term.operands
        if zero.value != 0 or total.op != "fadd" or not _is_finite(k := total.operands[1]):
            return None
        x = total.operands[0]
        if not self._are_numbers(x):
            return None
        less = self._arena.op("flt", x, self._arena.negative(k))
        return None if less.value is None else self._merged(term, less, "sign of a sum")

    def _of_whole(self, term: Term) -> Term | None:
        """Of a word as a number, compared with a constant, the comparison of the word with a whole number."""
        for at, (word, limit) in enumerate((term.operands, term.operands[::-1])):
            if word.op == "tofloat" and _is_finite(limit):
                value = float(np.uint32(limit.value or 0).view(np.float32))
                whole = math.floor(value) if at else math.ceil(value)
                if abs(value) >= MOST_EXACT or (term.op == "feq" and whole != value):
                    return None
                operands = word.operands[0], self._arena.constant(whole, 32)
                by = self._arena.op("eq" if term.op == "feq" else "slt", *operands[:: -1 if at else 1])
                return self._merged(term, by, "whole number")
        return None

    def _of_words(self, term: Term) -> Term | None:
        """Of two words as numbers that have these exactly, the comparison of the words, or the number of their sum."""
        if all(each.op != "tofloat" for each in term.operands):
            return None
        words = [each for each in map(self._whole, term.operands) if each is not None]
        most = MOST_ADDED if term.op == "fadd" else MOST_EXACT
        if len(words) < len(term.operands) or any(self._size(each) > most for each in words):
            return None
        if term.op == "fadd":
            by = self._arena.make("tofloat", 32, (self._arena.op("add", *words),))
        else:
            by = self._arena.op("eq" if term.op == "feq" else "slt", *words)
        return self._merged(term, by, "whole numbers")

    def _size(self, word: Term) -> int:
        """The greatest size of a word; of one that may be below 0, unless it is a constant, that of all."""
        value = word.value
        return self._bounds.words(word)[1] if value is None else min(value, (1 << word.bits) - value)

    def _inside(self, term: Term) -> Term:
        """Of the number of one of two words, one of two numbers."""
        condition, *sides = term.operands[0].operands
        return self._merged(
            term, self._arena.select(condition, *[self._arena.make("tofloat", 32, (each,)) for each in sides]), "inside"
        )

    def _outside(self, term: Term) -> Term | None:
        """Of one of two whole numbers, of which one is a word's, the number of one of two words."""
        condition, *sides = term.operands
        if all(each.op != "tofloat" for each in sides):
            return None
        words = [self._whole(each) for each in sides]
        if None in words:
            return None
        word = self._arena.select(condition, *[each for each in words if each is not None])
        return self._merged(term, self._arena.make("tofloat", 32, (word,)), "outside")

    def _whole(self, term: Term) -> Term | None:
        """The word of a whole number."""
        if term.op == "tofloat":
            return term.operands[0]
        if term.op == "ite":
            condition, *sides = term.operands
            words = [each for each in map(self._whole, sides) if each is not None]
            return self._arena.select(condition, *words) if len(words) == len(sides) else None
        if term.value is None or term.value == SIGN or term.value & ~SIGN >= INFINITY:
            return None
        value = float(np.uint32(term.value).view(np.float32))
        return self._arena.constant(int(value), 32) if value.is_integer() and abs(value) <= MOST_EXACT else None

    def _sign(self, term: Term) -> Term | None:
        """Of the word of a number beyond that of -0, that the number is below 0."""
        bound, x = term.operands
        if bound.value != SIGN or not self._are_numbers(x):
            return None
        return self._merged(term, self._arena.op("flt", x, self._arena.constant(0, 32)), "sign")

    def _extreme(self, term: Term) -> Term | None:
        """Of an extreme of x and a constant, the choice of one of them."""
        x, k = term.operands
        if k.value is None or not self._are_numbers(x, k):
            return None
        if k.value & ~SIGN == 0 and not (k.value == 0 and positive_zero(x, self._bounds)):
            return None
        less = self._arena.op("flt", *((x, k) if term.op == "fmax" else (k, x)))
        return self._merged(term, self._arena.select(less, k, x), "extreme")

    def _sign_of_a_product(self, term: Term) -> Term | None:
        """Of x * -k, that it is -(x * k), and of -x * y, that it is -(x * y)."""
        for one, other in (term.operands, term.operands[::-1]):
            if _is_negated(other) or (other.value is not None and other.value & SIGN):
                if not self._are_numbers(*term.operands, term):
                    return None
                product = self._arena.op("fmul", one, self._arena.negative(other))
                return self._merged(term, self._arena.negative(product), "sign of a product")
        return None

    def _sign_of_both(self, term: Term) -> Term | None:
        """Of -x or -y, that it is -(x or y); and so where one of them is a constant."""
        condition, *sides = term.operands
        if not any(map(_is_negated, sides)) or not all(_is_negated(each) or each.value is not None for each in sides):
            return None
        chosen = self._arena.select(condition, *map(self._arena.negative, sides))
        return self._merged(term, self._arena.negative(chosen), "sign of both")

    def _twice(self, term: Term) -> Term | None:
        """Of x * 2, that it is x + x."""
        x, k = term.operands
        return self._merged(term, self._arena.op("fadd", x, x), "twice") if k.value == TWO else None

    def _power_of_two(self, term: Term) -> Term | None:
        """Of x / k, that it is x * (1 / k), where that is a number as well."""
        x, k = term.operands
        if not _is_finite(k) or not (k.value or 0) & ~SIGN:
            return None
        value = np.uint32(k.value or 0).view(np.float32)
        with np.errstate(over="ignore"):
            inverse = np.float32(1) / value
        if not np.isfinite(inverse) or float(inverse) * float(value) != 1:
            return None
        product = self._arena.op("fmul", x, self._arena.constant(int(inverse.view(np.uint32)), 32))
        return self._merged(term, product, "power of two")

    def _sign_of_a_factor(self, term: Term) -> Term | None:
        """Of -x * k + y, rounded once, that it is x * -k + y."""
        x, k, y = term.operands
        if k.value is None or not _is_negated(x):
            return None
        return self._merged(term, self._arena.op("fma", x.operands[0], self._arena.negative(k), y), "sign of a factor")

    def _high_half(self, term: Term) -> Term | None:
        """Of the upper half of the product of two words of 32 bits, that it is one, widened."""
        product, amount = term.operands
        if amount.value != 32 or product.op != "mul":
            return None
        halves = [self._narrow(each, 32) for each in product.operands]
        if None in halves:
            return None
        high = self._arena.op("mulhi", *[each for each in halves if each is not None])
        return self._merged(term, self._arena.wide(high, 64), "high half")

    def _widened(self, term: Term) -> Term | None:
        """Of bits of widened words, that they are those of the words, widened."""
        widths = [each.operands[0].bits for each in term.operands if each.op == "zext"]
        if not widths:
            return None
        narrow = [self._narrow(each, widths[0]) for each in term.operands]
        if None in narrow:
            return None
        made = self._arena.op(term.op, *[each for each in narrow if each is not None])
        return self._merged(term, self._arena.wide(made, term.bits), "widened")

    def _narrow(self, term: Term, bits: int) -> Term | None:
        """The word of so many bits that was widened to a term."""
        if term.value is not None:
            return self._arena.constant(term.value, bits) if term.value < 1 << bits else None
        return term.operands[0] if term.op == "zext" and term.operands[0].bits == bits else None

    def _conversion(self, term: Term) -> Term | None:
        """Of an unsigned word as a number, that it is the number of the signed word, where that is not below 0."""
        if self._bounds.words(term.operands[0])[1] >= SIGN:
            return None
        return self._merged(term, self._arena.make("tofloat", 32, term.operands), "conversion")

    # --- choices ------------------------------------------------------------------------------------------------------

    def _chosen(self, term: Term, by: Term) -> bool:
        """Whether a choice is one with another term on both of its sides."""
        condition, said = term.operands[0], choices.opened(by, term)
        if by is term or not choices.same(self._arena, by, term, condition, said):
            return False
        self._note(Merge(self._arena, term, by, "choice", tuple(said), condition=condition))
        return True

    def _guarded(self, term: Term) -> Term | None:
        """Of c ? F(m) : m, where F adds to m and clamps it: F with amounts that are -0 where c does not hold."""
        layers = self._layers(term)
        raws = self._raws(term, layers) if layers else []
        if not raws or not self._chosen(term, raws[-1]):
            return None
        arena, made = self._arena, term
        for raw in raws:
            made = arena.settled(raw)
            if made is not raw and made.number not in (each.number for each in arena.forms(raw)):
                self._note(Merge(arena, raw, made, "operands"))
        return made

    def _layers(self, term: Term) -> list[Term]:
        """Of c ? F(m) : m, the sums and clamps that F is made of, the last first; none where it is something else."""
        _, below, m = term.operands
        layers: list[Term] = []
        if m.value is not None or not self._are_numbers(m):
            return []
        while below is not m:
            layers.append(below)
            match below.op, below.operands:
                case "fadd", (one, other):
                    right = other is m or (_is_made_of(other, m) and not _is_made_of(one, m))
                    below = other if right else one
                case "ite", (less, k, x) if (
                    less.op == "flt" and less.operands in ((x, k), (k, x)) and k.value is not None
                ):
                    below = x
                case _:
                    return []
            if len(layers) > LAYERS:
                return []
        return layers

    def _raws(self, term: Term, layers: list[Term]) -> list[Term]:
        """The terms of F with amounts that are -0 where c does not hold, operands first; none where m is not clamped
        already, so that a clamp would change it."""
        arena, (condition, _, m) = self._arena, term.operands
        made, below, raws = m, m, list[Term]()
        for layer in reversed(layers):
            if layer.op == "fadd":
                (amount,) = [each for each in layer.operands if each is not below] or [below]
                made = arena.raw("fadd", made, arena.select(condition, amount, arena.constant(SIGN, 32)))
            else:
                less, k, _ = layer.operands
                low = less.operands[1] is k
                if arena.op("flt", *((m, k) if low else (k, m))).value != 0:
                    return []
                raws.append(arena.raw("flt", *((made, k) if low else (k, made))))
                made = arena.raw("ite", raws[-1], k, made)
            raws.append(made)
            below = layer
        return raws

    def _of_a_product(self, term: Term) -> Term | None:
        """Of c ? x * k : 0, the product of what is chosen; and so of quotients and signs."""
        arena, (condition, then, otherwise) = self._arena, term.operands
        if otherwise.value not in (0, SIGN) or len(then.operands) != 2 or (k := then.operands[1]).value is None:
            return None
        x = then.operands[0]
        if x.value is not None or x.op == "ite":
            return None
        if then.op == "xor" and k.value == SIGN:
            rest = arena.negative(otherwise)
        elif then.op in ("fmul", "fdiv") and 0 < k.value < INFINITY:
            rest = otherwise
        else:
            return None
        made = arena.op(then.op, arena.select(condition, x, rest), k)
        return made if self._chosen(term, made) else None

    def _clamped_once(self, term: Term) -> Term | None:
        """Of a sum that is clamped to k, and some of whose parts were: the sum of what was not, clamped."""
        less, k, total = term.operands
        if less.op != "flt" or total.op != "fadd" or not _is_finite(k) or k.value == SIGN:
            return None
        low = less.operands[1] is k
        once = self._unclamped(total, k, low)
        if once is None or less.operands[0 if low else 1] not in (total, once):
            return None
        test = self._arena.op("flt", *((once, k) if low else (k, once)))
        return self._merged(term, self._arena.select(test, k, once), "clamp of a clamp")

    def _unclamped(self, total: Term, k: Term, low: bool) -> Term | None:
        """Of a sum with what was clamped to k, the sum with what was not, where amounts lead no nearer to k."""
        if total.op != "fadd":
            return None
        for clamp, amount in (total.operands, total.operands[::-1]):
            numbers = self._bounds.numbers(amount)
            if numbers is None or not (numbers.high <= 0 if low else numbers.low >= 0):
                continue
            if clamp.op == "ite" and clamp.operands[1] is k:
                less, _, x = clamp.operands
                if less.op == "flt" and less.operands == ((x, k) if low else (k, x)):
                    return self._arena.op("fadd", x, amount) if self._are_numbers(x) else None
            rest = self._unclamped(clamp, k, low)
            if rest is not None:
                return self._arena.op("fadd", rest, amount)
        return None


def _is_negated(term: Term) -> bool:
    return term.op == "xor" and term.operands[1].value == SIGN


def _is_finite(term: Term) -> bool:
    """Whether a term is a constant that is no infinity and no NaN."""
    return term.value is not None and term.value & ~SIGN < INFINITY


def _is_made_of(term: Term, m: Term, levels: int = LAYERS) -> bool:
    """Whether a term is made of m by additions and clamps."""
    if term is m:
        return True
    if levels == 0:
        return False
    if term.op == "ite" and term.operands[0].op == "flt":
        return _is_made_of(term.operands[2], m, levels - 1)
    return term.op == "fadd" and any(_is_made_of(each, m, levels - 1) for each in term.operands)
