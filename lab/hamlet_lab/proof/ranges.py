"""Ranges of terms where conditions hold: of words, of numbers in binary32, and of sums."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from hamlet_lab.proof.evaluated import Evaluated
from hamlet_lab.proof.intervals import Numbers, Range, Sum, modulo, overlap, signed, unsigned, without
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena


class Ranges(Evaluated):
    """Ranges of the terms of an arena, under conditions that are assumed one after the other."""

    def __init__(self, arena: Arena, outer: Ranges | None = None, depth: int = 0) -> None:
        super().__init__(arena, outer, depth)
        self.outer: Ranges | None = outer
        self._sides: dict[tuple[Term, bool], Ranges] = {}

    def under(self, condition: Term, holds: bool, deeper: int = 0) -> Ranges:
        """The ranges where a condition holds, or does not."""
        key = condition, holds
        if key not in self._sides:
            side = Ranges(self.arena, self, self.depth + deeper)
            side._assume(condition, holds)
            side._sides.clear()  # those that were asked for before all of it was known
            self._sides[key] = side
        return self._sides[key]

    def stops(self, turn: Term, since: Ranges) -> int | None:
        """The turn of a loop at which one of the conditions fails that are assumed since then, if that is known."""
        for condition, holds in self._decided.items():
            if condition.op == "eq" and not holds and condition not in since._decided:
                left, right = (self.sum(each) for each in condition.operands)
                difference = modulo(left.plus(right, -1), condition.operands[0].bits)
                step = difference.times.get(turn, 0)
                if step and len(difference.times) == 1 and difference.rest % step == 0 < -difference.rest // step:
                    return -difference.rest // step
        return None

    def _assume(self, condition: Term, holds: bool) -> None:
        before = None if condition.value is None else bool(condition.value)
        before = self._decided.get(condition, before)
        if before is not None:
            self.dead |= before is not holds
            return
        self._decided[condition] = holds
        self._changed(condition)
        of = condition.operands
        match condition.op, holds:
            case ("and", True) | ("or", False):
                for each in of:
                    self._assume(each, holds)
            case ("and", False) | ("or", True):
                for each, other in (of, of[::-1]):
                    if self.decide(each) is not holds and self.decide(each) is not None:
                        self._assume(other, holds)
            case "xor", _ if of[1].value is not None:
                self._assume(of[0], holds is not bool(of[1].value))
            case (("eq" | "ult" | "ule" | "slt" | "sle"), _) if of[0].bits > 1:
                self._assume_compared(condition.op, of[0], of[1], holds)
            case (("flt" | "fle"), _):
                self._assume_order(of[not holds], of[holds], holds, strict=holds is (condition.op == "flt"))
            case _:
                pass

    def _assume_compared(self, op: str, left: Term, right: Term, holds: bool) -> None:
        bits = left.bits
        if op == "eq":
            for one, other in ((left, right), (right, left)):
                range_ = self.words(other)
                if holds:
                    self._nearer(one, range_)
                elif range_[0] == range_[1]:
                    self._nearer(one, without(self.words(one), range_[0], bits))
            return
        read, least, most = (
            (signed, -1 << (bits - 1), (1 << (bits - 1)) - 1) if op[0] == "s" else (unsigned, 0, (1 << bits) - 1)
        )
        # Of a < b that is not, b <= a.
        (one, other), strict = ((left, right), op.endswith("lt")) if holds else ((right, left), not op.endswith("lt"))
        (difference, gap) = self._difference(one, other, read), int(strict)
        (a, _), (_, d) = read(self.words(one), bits), read(self.words(other), bits)
        self._nearer(one, (least, d - gap))
        self._nearer(other, (a + gap, most))
        if difference is not None and all(self._is_lasting(each) for each in difference.times):
            self._below.append(Sum(difference.times, difference.rest + gap))

    def _is_lasting(self, term: Term) -> bool:
        """Whether a term is the same integer in all ranges of an arena."""
        root: Ranges = self
        while root.outer is not None:
            root = root.outer
        low, high = root.words(term)
        return low >= 0 and high < 1 << (term.bits - 1)

    def _nearer(self, term: Term, words: Range) -> None:
        """Words that a term is known to be one of, besides."""
        if words[0] > words[1]:
            self.dead = True
            return
        bits = term.bits
        before = self.words(term)
        if before[1] - before[0] >= (1 << bits) - 1:
            after = words
        else:
            turns = range((before[0] - words[1]) >> bits, ((before[1] - words[0]) >> bits) + 1)
            moved = [(words[0] + (turn << bits), words[1] + (turn << bits)) for turn in turns]
            both = [(max(low, before[0]), min(high, before[1])) for low, high in moved]
            both = [each for each in both if each[0] <= each[1]]
            if not both:
                self.dead = True
                return
            after = min(each[0] for each in both), max(each[1] for each in both)
        if after == before:
            return
        total = self.sum(term)
        alone = next(iter(total.times.items())) if len(total.times) == 1 and self.bounds(total) == before else (term, 0)
        self._near[term] = after
        self._changed(term)
        if alone[0] is not term:
            of, times = alone
            ends = sorted(Fraction(end - total.rest, times) for end in after)
            self._nearer(of, (math.ceil(ends[0]), math.floor(ends[1])))
        match term.op, term.operands:
            case "add", (x, Term(value=int(k))):
                self._nearer(x, (after[0] - k, after[1] - k))
            case "sub", (x, Term(value=int(k))):
                self._nearer(x, (after[0] + k, after[1] + k))
            case "zext", (x,) if after[0] >= 0 and after[1] < 1 << x.bits:
                self._nearer(x, after)
            case "ite", (condition, then, otherwise):
                for side, holds in ((then, False), (otherwise, True)):
                    if side.value is not None and not overlap((side.value, side.value), after, bits):
                        self._assume(condition, holds)
            case _:
                pass

    def _assume_order(self, left: Term, right: Term, holds: bool, strict: bool) -> None:
        """Of numbers, that the left one is not greater, or, `strict`, that it is less; where that follows of what does
        not hold, of numbers alone."""
        a, b = self.numbers(left), self.numbers(right)
        if not holds and (a is None or b is None):
            return
        if b is not None:
            self._nearer_number(left, (-math.inf, _next(b[1], -1) if strict else b[1]))
        if a is not None:
            self._nearer_number(right, (_next(a[0], 1) if strict else a[0], math.inf))

    def _nearer_number(self, term: Term, numbers: Numbers) -> None:
        before = self.numbers(term)
        if before is None:
            return
        after = max(before[0], numbers[0]), min(before[1], numbers[1])
        if after[0] > after[1]:
            self.dead = True
        elif after != before:
            self._floats[term] = after
            self._changed(term)
            match term.op, term.operands:
                case "fadd", (x, Term(value=int(k))) if (added := self.numbers(term.operands[1])) is not None and k:
                    # A sum that is not 0 has the sign that it has before it is rounded.
                    if after[0] > 0:
                        self._nearer_number(x, (_next(-added[0], 1), math.inf))
                    if after[1] < 0:
                        self._nearer_number(x, (-math.inf, _next(-added[0], -1)))
                case _:
                    pass

    def _changed(self, term: Term) -> None:
        """Take note that more is known of a term, and so of those that were made after it."""
        self._since = min(self._since, term.number)
        self._words, self._numbers, self._sums, self._answers = {}, {}, {}, {}


def _next(number: float, outwards: int) -> float:
    """The number in binary32 beside one, on one side."""
    return float(np.nextafter(np.float32(number), np.float32(outwards * np.inf)))
