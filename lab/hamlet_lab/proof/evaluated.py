"""Ranges of terms, of those of their operands: nothing is sampled, and nobody is asked."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np

from hamlet_lab.proof.intervals import Numbers, Range, Sum, full, modulo, of_numbers, rounded, signed, unsigned
from hamlet_lab.proof.meanings import CONSTANT, INFINITY, PREDICATES, SIGN, VARIABLE
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena

MOST_TOLD = 2
"""Choices inside each other of which both sides are told apart."""
ROUNDS = 4
"""Terms that are eliminated from a sum by what is known of others."""


class Evaluated(ABC):
    """Ranges of the terms of an arena.

    Attributes:
        dead: whether what is assumed excludes itself: nothing is ever there.
        depth: how many of the conditions that are assumed are sides of choices.
    """

    def __init__(self, arena: Arena, outer: Evaluated | None = None, depth: int = 0) -> None:
        self.arena, self.depth, self._outer = arena, depth, outer
        self.dead: bool = outer is not None and outer.dead
        self._decided: dict[Term, bool] = {} if outer is None else dict(outer._decided)
        self._near: dict[Term, Range] = {} if outer is None else dict(outer._near)
        self._floats: dict[Term, Numbers] = {} if outer is None else dict(outer._floats)
        self._below: list[Sum] = [] if outer is None else list(outer._below)
        self._since = 0 if outer is None else len(arena.terms)
        self._words: dict[Term, Range] = {}
        self._numbers: dict[Term, Numbers | None] = {}
        self._sums: dict[Term, Sum] = {}
        self._answers: dict[Term, bool | None] = {}

    @abstractmethod
    def under(self, condition: Term, holds: bool, deeper: int = 0) -> Evaluated:
        """The ranges where a condition holds, or does not."""

    def decide(self, condition: Term) -> bool | None:
        """Whether a condition holds, if ranges say so."""
        if condition.value is not None:
            return bool(condition.value)
        if condition in self._decided:
            return self._decided[condition]
        if condition not in self._answers:
            outer = self._outer if condition.number < self._since else None
            self._answers[condition] = self._decide(condition) if outer is None else outer.decide(condition)
        return self._answers[condition]

    def _decide(self, condition: Term) -> bool | None:
        of = condition.operands
        match condition.op:
            case "and" | "or":
                ends = condition.op == "or"
                sides = [self.decide(each) for each in of]
                return ends if ends in sides else None if None in sides else not ends
            case "xor":
                left, right = (self.decide(each) for each in of)
                return None if left is None or right is None else left is not right
            case "eq" | "ult" | "ule" | "slt" | "sle":
                return self._compared(condition.op, *of)
            case "flt" | "fle":
                a, b = (self.numbers(each) for each in of)
                if a is None or b is None:
                    return None
                strict = condition.op == "flt"
                if a[1] < b[0] or (not strict and a[1] == b[0]):
                    return True
                return False if a[0] > b[1] or (strict and a[0] == b[1]) else None
            case "low":
                words = self.words(of[0])
                return None if words[0] != words[1] else bool(words[0] & 1)
            case _:
                return None

    def _compared(self, op: str, left: Term, right: Term) -> bool | None:
        bits = left.bits
        if bits == 1:
            return None
        read = signed if op[0] == "s" else unsigned
        (a, b), (c, d) = (read(self.words(each), bits) for each in (left, right))
        if op == "eq":
            apart = b < c or d < a or (signed(self.words(left), bits)[1] < signed(self.words(right), bits)[0])
            return False if apart else True if a == b == c == d else None
        strict = op.endswith("lt")
        if b < c or (not strict and b <= c):
            return True
        if a > d or (strict and a >= d):
            return False
        if (difference := self._difference(left, right, read)) is not None:
            low, high = self.bounds(difference)
            if high < 0 or (not strict and high <= 0):
                return True
            return False if low > 0 or (strict and low >= 0) else None
        return None

    def _difference(self, left: Term, right: Term, read: object) -> Sum | None:
        """Left without right as an integer; `None` where one of them may wrap."""
        most = 1 << (left.bits - 1)
        sums = self.sum(left), self.sum(right)
        for each in sums:
            low, high = self.bounds(each)
            if low < (0 if read is unsigned else -most) or high >= most:
                return None
        return sums[0].plus(sums[1], -1)

    def sum(self, term: Term) -> Sum:
        """A word as a sum: what is added, multiplied by constants and widened is taken apart, and sides are chosen."""
        if term not in self._sums:
            total = self._taken_apart(term)
            if total is None:
                low, high = self.words(term)
                total = Sum({}, low) if low == high else Sum({term: 1})
            self._sums[term] = modulo(total, term.bits)
        return self._sums[term]

    def _taken_apart(self, term: Term) -> Sum | None:
        if term.value is not None:
            return Sum({}, term.value)
        low, high = self._near.get(term, (0, 1))
        if low == high:
            return Sum({}, low)
        match term.op, term.operands:
            case "add", (left, right):
                return self.sum(left).plus(self.sum(right))
            case "sub", (left, right):
                return self.sum(left).plus(self.sum(right), -1)
            case "or", (left, right) if self.apart(left, right) or self.apart(right, left):
                return self.sum(left).plus(self.sum(right))
            case "mul", (left, Term(value=int(factor))):
                return Sum({}).plus(self.sum(left), factor)
            case "shl", (left, Term(value=int(amount))) if amount < term.bits:
                return Sum({}).plus(self.sum(left), 1 << amount)
            case "lshr", (left, Term(value=int(amount))) if amount < term.bits:
                total, unit = self.sum(left), 1 << amount
                low, high = self.bounds(total)
                if (
                    low >= 0
                    and high < 1 << term.bits
                    and not any(each % unit for each in (*total.times.values(), total.rest))
                ):
                    return Sum({each: count // unit for each, count in total.times.items()}, total.rest // unit)
            case "low", (inner,):
                return self.sum(inner)
            case (("zext" | "sext"), (inner,)):
                total, bits = self.sum(inner), inner.bits - (term.op == "sext")
                low, high = self.bounds(total)
                if low >= (0 if term.op == "zext" else -1 << bits) and high < 1 << bits:
                    return total
            case "ite", (condition, then, otherwise):
                holds = self.decide(condition)
                if holds is not None:
                    return self.sum(then if holds else otherwise)
            case _:
                pass
        return None

    def apart(self, left: Term, right: Term) -> bool:
        """Whether no bit is set in both."""
        if left.op != "shl" or left.operands[1].value is None:
            return False
        low, high = self.words(right)
        return low >= 0 and high < 1 << left.operands[1].value

    def bounds(self, total: Sum) -> Range:
        """The least and the greatest integer that a sum may be."""
        negative = Sum({term: -count for term, count in total.times.items()}, -total.rest)
        return -self._most(negative), self._most(total)

    def _most(self, total: Sum) -> int:
        total = self._without_products(total)
        times, rest = {term: Fraction(count) for term, count in total.times.items()}, Fraction(total.rest)
        best = self._greatest(times, rest)
        for _ in range(ROUNDS):
            chosen = None
            for limit in self._below:
                for term, count in limit.times.items():
                    if count > 0 and times.get(term, 0) > 0:
                        factor = times[term] / count
                        trial = dict(times)
                        for each, of in limit.times.items():
                            trial[each] = trial.get(each, Fraction(0)) - factor * of
                        most = self._greatest(trial, rest - factor * limit.rest)
                        if most < best:
                            best, chosen = most, (trial, rest - factor * limit.rest)
            if chosen is None:
                break
            times, rest = chosen
        return math.floor(best)

    def _without_products(self, total: Sum) -> Sum:
        """A sum that is not less, of which a product is its first factor at its end, times the other one."""
        for term, count in list(total.times.items()):
            if term.op == "mul" and term.operands[1].value is None:
                one, other = sorted(term.operands, key=lambda each: self.words(each)[1])
                (low, high), least = self.words(one), self.words(other)[0]
                end = self.sum(other)
                if low >= 0 and least >= 0 and self._fits(term) and self.bounds(end)[0] >= 0:
                    total = total.plus(Sum({term: 1}), -count).plus(end, count * (high if count > 0 else low))
        return total

    def _fits(self, product: Term) -> bool:
        """Whether a product of words is that of integers."""
        (_, a), (_, b) = (self.words(each) for each in product.operands)
        return a * b < 1 << product.bits

    def _greatest(self, times: Mapping[Term, Fraction], rest: Fraction) -> Fraction:
        for term, count in times.items():
            if count:
                low, high = self.words(term)
                rest += count * (high if count > 0 else low)
        return rest

    def words(self, term: Term) -> Range:
        """The words that a term may be."""
        if term not in self._words:
            if term in self._near:
                self._words[term] = self._near[term]
            elif self._outer is not None and term.number < self._since:
                self._words[term] = self._outer.words(term)
            else:
                low, high = self._word(term)
                self._words[term] = (low, high) if high - low < (1 << term.bits) - 1 else full(term.bits)
        return self._words[term]

    def _word(self, term: Term) -> Range:
        op, of, bits = term.op, term.operands, term.bits
        if op == CONSTANT:
            assert term.value is not None
            return (term.value, term.value) if bits == 1 else signed((term.value, term.value), bits)
        if op == VARIABLE:
            variable = self.arena.variables[str(term.attribute)]
            return self._encoded(term) if variable.floating else (int(variable.low), int(variable.high))
        if op in PREDICATES or bits == 1:
            holds = self.decide(term)
            return (0, 1) if holds is None else (int(holds), int(holds))
        if op == "ite":
            return self._hull_of_words(term)
        if op == "table":
            rows = [int(str(each)) for each in term.attribute] if isinstance(term.attribute, tuple) else list(full(32))
            return min(rows), max(rows)
        if op in ("add", "sub", "mul", "shl", "or", "lshr") and (total := self._taken_apart(term)) is not None:
            return self.bounds(modulo(total, bits))
        ranges = [self.words(each) for each in of]
        plain = [unsigned(each, operand.bits) for each, operand in zip(ranges, of, strict=True)]
        k = of[-1].value
        match op:
            case "zext":
                return plain[0]
            case "sext":
                return signed(ranges[0], of[0].bits)
            case "low":
                return ranges[0]
            case "and":
                return 0, min(each[1] for each in plain)
            case "or" | "xor":
                if op == "xor" and bits == 32 and (k == SIGN):
                    return self._encoded(term)
                return 0, (1 << max(each[1].bit_length() for each in plain)) - 1
            case "mul":
                return plain[0][0] * plain[1][0], plain[0][1] * plain[1][1]
            case "mulhi":
                return plain[0][0] * plain[1][0] >> 32, plain[0][1] * plain[1][1] >> 32
            case "lshr" if k is not None:
                return plain[0][0] >> k, plain[0][1] >> k
            case "ashr" if k is not None:
                low, high = signed(ranges[0], bits)
                return low >> min(k, bits), high >> min(k, bits)
            case "udiv" if k:
                return plain[0][0] // k, plain[0][1] // k
            case "urem" if k:
                return (0, k - 1) if plain[0][1] >= k else plain[0]
            case _:
                return self._encoded(term) if bits == 32 else full(bits)

    def _hull_of_words(self, term: Term) -> Range:
        bits, chosen = term.bits, [each.words(side) for each, side in self._told_apart(term)]
        if not chosen:
            return full(bits)
        plain = [unsigned(each, bits) for each in chosen]
        other = [signed(each, bits) for each in chosen]
        hulls = [(min(each[0] for each in kind), max(each[1] for each in kind)) for kind in (plain, other, chosen)]
        return min(hulls, key=lambda each: each[1] - each[0])

    def _told_apart(self, term: Term) -> Iterable[tuple[Evaluated, Term]]:
        """The sides of a choice that may be, each with the ranges there."""
        condition, then, otherwise = term.operands
        holds = self.decide(condition)
        if holds is not None:
            return [(self, then if holds else otherwise)]
        if self.depth >= MOST_TOLD:
            return [(self, then), (self, otherwise)]
        sides = ((self.under(condition, True, 1), then), (self.under(condition, False, 1), otherwise))
        return [(ranges, side) for ranges, side in sides if not ranges.dead]

    def _encoded(self, term: Term) -> Range:
        """The words of numbers, where these are all of one sign and none is 0."""
        numbers = self.numbers(term)
        if numbers is None or not (numbers[0] > 0 or numbers[1] < 0):
            return full(32)
        ends = [int(np.float32(each).view(np.uint32)) for each in numbers]
        return min(ends), max(ends)

    def numbers(self, term: Term) -> Numbers | None:
        """The numbers that a term may be, none of them a NaN or an infinity, if that is known."""
        if term not in self._numbers:
            chosen: Numbers | None = None
            if self._outer is not None and term.number < self._since:
                chosen = self._outer.numbers(term)
            elif term.bits == 32:
                chosen = self._number(term)
            self._numbers[term] = self._floats.get(term) or chosen
        return self._numbers[term]

    def _number(self, term: Term) -> Numbers | None:
        op, of = term.op, term.operands
        if op == VARIABLE and (variable := self.arena.variables[str(term.attribute)]).floating:
            return float(variable.low), float(variable.high)
        if op in ("tofloat", "unsignedtofloat"):
            low, high = (signed if op == "tofloat" else unsigned)(self.words(of[0]), 32)
            return rounded(Fraction(low), -1), rounded(Fraction(high), 1)
        if op == "ite":
            sides = [each.numbers(side) for each, side in self._told_apart(term)]
            chosen = [each for each in sides if each is not None]
            return (
                (min(x for x, _ in chosen), max(x for _, x in chosen)) if chosen and len(chosen) == len(sides) else None
            )
        if op == "xor" and of[1].value == SIGN:
            inside = self.numbers(of[0])
            return None if inside is None else (-inside[1], -inside[0])
        if op == "and" and of[1].value == SIGN - 1:
            inside = self.numbers(of[0])
            if inside is None:
                return None
            return (max(inside[0], -inside[1], 0.0)), max(map(abs, inside))
        if op in ("fadd", "fmul", "fma", "fdiv", "fmin", "fmax"):
            operands = [self.numbers(each) for each in of]
            limit = [each for each in operands if each is not None]
            return of_numbers(op, limit) if len(limit) == len(of) else None
        if op == CONSTANT or op in ("add", "sub", "and", "or", "low", "zext", "table", VARIABLE):
            low, high = unsigned(self.words(term), 32)
            for sign in (0, SIGN):
                if sign <= low and high < sign + INFINITY:
                    ends = [float(np.uint32(each).view(np.float32)) for each in (low, high)]
                    return min(ends), max(ends)
        return None
