"""Bounds of terms: as an unsigned word, and as a number in binary32.

Rounding is monotone, so the bounds of a sum are the rounded sums of bounds; bounds of numbers are no NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hamlet_lab.proof.intervals import rounded
from hamlet_lab.proof.meanings import FLOATING, INFINITY, PREDICATES, SIGN, Words
from hamlet_lab.proof.sums import ADDING, bounds_of_sum
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena

GUESSED = ("ite", "fmin", "fmax")
"""Operations whose bounds may be closer than those of their operands."""
MOST_GUESSED = 1 << 16
ONE, LEAST_NORMAL = 0x3F800000, 0x00800000
GREATEST = 2.0**126
"""Beyond it nothing is said of numbers, which may overflow."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers from `low` to `high`, none a NaN. Each is 0 or at least `grain` away from 0."""

    low: float
    high: float
    grain: float = 0.0

    @property
    def negates(self) -> Numbers:
        """The same with the other sign."""
        return Numbers(-self.high, -self.low, self.grain)

    def above(self, low: float) -> Numbers:
        """Numbers from `low` on, as far as bounds tell."""
        return Numbers(min(max(self.low, low), self.high), self.high, self.grain)

    def below(self, high: float) -> Numbers:
        """Numbers up to `high`, as far as bounds tell."""
        return Numbers(self.low, max(min(self.high, high), self.low), self.grain)


class Bounds:
    """Bounds of the terms of an arena, found once; with `guessing` as close as those of samples, if that is proven.

    Attributes:
        tried: values within bounds of terms that queries cut off, by the numbers of these.
    """

    def __init__(self, arena: Arena, guessing: bool = True) -> None:
        self._arena, self._guessing = arena, guessing
        self.tried: dict[int, Words] = {}
        self._words: dict[int, tuple[int, int]] = {}
        self._numbers: dict[int, Numbers | None] = {}

    def words(self, term: Term) -> tuple[int, int]:
        """The least and the greatest unsigned word that a term may be."""
        for each in _missing(term, self._words):
            self._words[each.number] = self._word(each)
            if self._guessing and each.op in GUESSED and each.bits == 32:
                most = int(each.samples.max())
                if most < min(MOST_GUESSED, self._words[each.number][1]) and self._holds(
                    "ule", each, self._arena.constant(most, 32)
                ):
                    self._words[each.number] = 0, most
        return self._words[term.number]

    def numbers(self, term: Term) -> Numbers | None:
        """The numbers that a term may be, if that is known."""
        for each in _missing(term, self._numbers):
            self._numbers[each.number] = self._number(each)
            if each.op in GUESSED or (each.op == "fadd" and each.operands[1].value is not None):
                self._guess(each)
        return self._numbers[term.number]

    def _holds(self, op: str, left: Term, right: Term) -> bool:
        return self._arena.holds(op, left, right)

    def _guess(self, term: Term) -> None:
        """Whether numbers are between 0 and 1, as meters often are: what samples say is proven like anything else."""
        numbers = self._numbers[term.number]
        if not self._guessing or numbers is None or term.bits != 32 or is_chosen_constant(term):
            return
        values = term.samples.view(np.float32)
        if (numbers.low >= 0 and numbers.high <= 1) or not ((values >= 0) & (values <= 1)).all():
            return
        grain, low, high = numbers.grain, numbers.low, numbers.high
        if low < 0 and self._holds("fle", self._arena.constant(0, 32), term):
            low = 0.0
        if high > 1 and self._holds("fle", term, self._arena.constant(ONE, 32)):
            high = 1.0
        self._numbers[term.number] = Numbers(low, high, grain)

    def _word(self, term: Term) -> tuple[int, int]:
        most = (1 << term.bits) - 1
        of = [self._words[each.number] for each in term.operands]
        match term.op:
            case _ if term.op in PREDICATES:
                return 0, 1
            case "constant":
                assert term.value is not None
                return term.value, term.value
            case "variable":
                variable = self._arena.variables[str(term.attribute)]
                return (0, most) if variable.floating else (int(variable.low), int(variable.high))
            case "zext":
                return of[0]
            case "sext" if of[0][1] < 1 << (term.operands[0].bits - 1):
                return of[0]
            case "low" if of[0][1] <= most:
                return of[0]
            case "ite":
                return min(of[1][0], of[2][0]), max(of[1][1], of[2][1])
            case "and":
                return 0, min(of[0][1], of[1][1])
            case "or" | "xor":
                return 0, min(most, (1 << max(of[0][1].bit_length(), of[1][1].bit_length())) - 1)
            case "add" if of[0][1] + of[1][1] <= most:
                return of[0][0] + of[1][0], of[0][1] + of[1][1]
            case "mul" if of[0][1] * of[1][1] <= most:
                return of[0][0] * of[1][0], of[0][1] * of[1][1]
            case "mulhi":
                return of[0][0] * of[1][0] >> 32, of[0][1] * of[1][1] >> 32
            case "shl" if (amount := term.operands[1].value) is not None and of[0][1] << min(amount, 64) <= most:
                return of[0][0] << amount, of[0][1] << amount
            case "lshr" if (amount := term.operands[1].value) is not None and amount < term.bits:
                return of[0][0] >> amount, of[0][1] >> amount
            case "ashr" if (amount := term.operands[1].value) is not None and of[0][1] <= most >> 1:
                return of[0][0] >> min(amount, 64), of[0][1] >> min(amount, 64)
            case "urem" if (divisor := term.operands[1].value) not in (None, 0):
                assert divisor is not None
                return 0, min(divisor - 1, of[0][1])
            case "udiv" if (divisor := term.operands[1].value) not in (None, 0):
                assert divisor is not None
                return of[0][0] // divisor, of[0][1] // divisor
            case op if op in FLOATING:
                # Numbers above 0 are ordered as their words are.
                numbers = self.numbers(term)
                return (_bits(numbers.low), _bits(numbers.high)) if numbers and numbers.low > 0 else (0, most)
            case "table":
                rows = [int(str(row)) for row in term.attribute] if isinstance(term.attribute, tuple) else [0, most]
                return min(rows), max(rows)
            case op if op in ADDING:
                return bounds_of_sum(self._arena, lambda each: self._words.get(each.number, (0, most)), term)
            case _:
                return 0, most

    def decided(self, term: Term) -> bool | None:
        """Whether a comparison holds, if bounds say so; nothing else is asked."""
        if term.op in ("ult", "ule", "slt", "sle", "eq") and term.operands[0].bits > 1:
            return self._of_words(term)
        if term.op not in ("flt", "fle"):
            return None
        a, b = (self.numbers(each) for each in term.operands)
        if a is None or b is None:
            return None
        if a.high < b.low or (term.op == "fle" and a.high <= b.low):
            return True
        return False if a.low > b.high or (term.op == "flt" and a.low >= b.high) else None

    def _of_words(self, term: Term) -> bool | None:
        """Whether a comparison of words holds, if bounds say so: of signed ones where none is below 0."""
        (a, b), (c, d) = (self.words(each) for each in term.operands)
        if term.op[0] == "s" and max(b, d) >= 1 << term.operands[0].bits - 1:
            return None
        if term.op == "eq":
            return False if b < c or d < a else None
        if b < c or (term.op[1:] == "le" and b <= c):
            return True
        return False if a > d or (term.op[1:] == "lt" and a >= d) else None

    def _chosen(self, term: Term, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
        """The numbers of two of which one is chosen, where the choice is by one of them: x < 0 ? 0 : x is not below
        0."""
        condition, then, otherwise = term.operands
        forms = (each for each in (condition, *self._arena.forms(condition)) if each.op == "flt")
        if (less := next(forms, None)) is None:
            return a, b
        left, right = less.operands
        low, high = self._numbers.get(left.number), self._numbers.get(right.number)
        if low is None or high is None:
            return a, b
        if then is left:
            a = a.below(high.high)
        if then is right:
            a = a.above(low.low)
        if otherwise is left:
            b = b.above(high.low)
        if otherwise is right:
            b = b.below(low.high)
        if then.op == "fadd" and then.operands[1] is right and _is_negative(then.operands[0], left):
            a = a.above(0.0)
        return a, b

    def _number(self, term: Term) -> Numbers | None:
        of = [self._numbers[each.number] for each in term.operands]
        match term.op, of:
            case ("constant", _) if term.bits == 32 and term.value is not None:
                value = float(np.uint32(term.value).view(np.float32))
                return None if math.isnan(value) else Numbers(value, value, abs(value))
            case ("variable", _):
                variable = self._arena.variables[str(term.attribute)]
                return Numbers(variable.low, variable.high) if variable.floating else None
            case ("cell", _) if isinstance(term.attribute, tuple):
                low, high = (float(np.uint32(each).view(np.float32)) for each in term.attribute)
                return Numbers(low, high)
            case ("table", _) if isinstance(term.attribute, tuple):
                rows = np.array(term.attribute, np.uint32)
                sizes = rows & np.uint32(SIGN - 1)
                # Those of whole numbers would be tiny ones.
                if ((sizes >= INFINITY) | ((sizes > 0) & (sizes < LEAST_NORMAL))).any():
                    return None
                values = rows.view(np.float32)
                grain = np.abs(values[values != 0]).min(initial=np.float32(np.inf))
                return Numbers(float(values.min()), float(values.max()), float(grain))
            case "ite", [_, Numbers() as a, Numbers() as b]:
                a, b = self._chosen(term, a, b)
                return Numbers(min(a.low, b.low), max(a.high, b.high), _both(a, b))
            case ("fmin", [Numbers() as a, Numbers() as b]):
                return Numbers(min(a.low, b.low), min(a.high, b.high), _both(a, b))
            case ("fmax", [Numbers() as a, Numbers() as b]):
                return Numbers(max(a.low, b.low), max(a.high, b.high), _both(a, b))
            case "fadd", [Numbers() as a, Numbers() as b]:
                return _finite(_rounded(a.low + b.low), _rounded(a.high + b.high), _grain(term))
            case "fmul", [Numbers() as a, Numbers() as b]:
                ends = [_rounded(x * y) for x in (a.low, a.high) for y in (b.low, b.high)]
                return _finite(min(ends), max(ends))
            case "fma", [Numbers() as a, Numbers() as b, Numbers() as c]:
                exact = [Fraction(x) * Fraction(y) for x in (a.low, a.high) for y in (b.low, b.high)]
                return _finite(rounded(min(exact) + Fraction(c.low), -1), rounded(max(exact) + Fraction(c.high), 1))
            case "fdiv", [Numbers() as a, Numbers() as b] if b.low > 0 or b.high < 0:
                ends = [_rounded(x / y) for x in (a.low, a.high) for y in (b.low, b.high)]
                return _finite(min(ends), max(ends))
            case "xor", [Numbers() as a, _] if term.operands[1].value == SIGN:
                return a.negates
            case "and", [Numbers() as a, _] if term.operands[1].value == SIGN - 1:
                return Numbers(0.0, max(abs(a.low), abs(a.high)), a.grain)
            case (("tofloat" | "unsignedtofloat"), _):
                least, most = self.words(term.operands[0])
                if term.op == "tofloat" and most > (1 << 31) - 1:
                    least, most = -(1 << 31), (1 << 31) - 1
                return Numbers(_rounded(least), _rounded(most), 1.0)
            case _:
                return None


def is_chosen_constant(term: Term) -> bool:
    """Whether a term is one of constants: those are its bounds."""
    return term.value is not None or (term.op == "ite" and all(map(is_chosen_constant, term.operands[1:])))


def _is_negative(term: Term, of: Term) -> bool:
    return term.op == "xor" and term.operands[0] is of and term.operands[1].value == SIGN


def _missing(root: Term, bounds: dict[int, tuple[int, int]] | dict[int, Numbers | None]) -> list[Term]:
    """The terms of which nothing is known yet, operands first."""
    result: list[Term] = []
    seen: set[int] = set()
    stack = [root]
    while stack:
        term = stack[-1]
        missing = [each for each in term.operands if each.number not in bounds and each.number not in seen]
        if term.number in bounds or term.number in seen:
            stack.pop()
        elif missing:
            stack += missing
        else:
            seen.add(term.number)
            result.append(term)
            stack.pop()
    return result


def _rounded(value: float) -> float:
    """The nearest number in binary32: of a sum, product or quotient in binary64 the same as if it was rounded once."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _bits(number: float) -> int:
    return int(np.float32(number).view(np.uint32))


def _finite(low: float, high: float, grain: float = 0.0) -> Numbers | None:
    if not (math.isfinite(low) and math.isfinite(high)) or max(abs(low), abs(high)) > GREATEST:
        return None
    return Numbers(low, high, grain)


def _both(a: Numbers, b: Numbers) -> float:
    """The grain of what is one of two: constants of 0 have none that matters."""
    grains = [each.grain for each in (a, b) if each.low != 0 or each.high != 0]
    return min(grains, default=0.0)


def _grain(term: Term) -> float:
    """The grain of a sum with a constant k: within a factor of 2 the difference is a multiple of the unit in the last
    place of k / 2, and elsewhere at least k / 2."""
    constant = term.operands[1].value
    if constant is None:
        return 0.0
    k = abs(np.uint32(constant).view(np.float32))
    return float(np.spacing(k)) / 2 if np.isfinite(k) and k > 2.0**-100 else 0.0


def positive_zero(term: Term, bounds: Bounds | None = None) -> bool:
    """Whether a term is never -0: a sum is -0 of two -0 alone, and one with a constant other than 0 never is; a product
    of numbers that are not below 0 is -0 of -0 alone."""
    match term.op:
        case "fadd":
            if bounds is not None:
                for numbers in map(bounds.numbers, term.operands):
                    if numbers is not None and (numbers.low > 0 or numbers.high < 0):
                        return True
            return term.operands[1].value not in (None, SIGN) or any(
                positive_zero(each, bounds) for each in term.operands
            )
        case "ite":
            return all(positive_zero(each, bounds) for each in term.operands[1:])
        case "fmul" if bounds is not None:
            factors = [(each, bounds.numbers(each)) for each in term.operands]
            return all(of is not None and of.low >= 0 and positive_zero(each, bounds) for each, of in factors)
        case "tofloat" | "unsignedtofloat":
            return True
        case "and":
            return term.operands[1].value == SIGN - 1
        case "table" if isinstance(term.attribute, tuple):
            return SIGN not in term.attribute
        case "fmax":
            return any(each.value == 0 for each in term.operands) or all(map(positive_zero, term.operands))
        case _:
            return term.value is not None and term.value != SIGN
