"""Checks a certificate of a package: `hamletc attest PACKAGE`, or `python attest.py PACKAGE` without hamletc.

A certificate says that a kernel in PTX leaves in memory, in all states within bounds, the words that the tick IR and
the schedule of the package say, and nothing else. This file believes nothing of it: it reads the texts, makes terms of
them, and replays which terms are equal, each for a reason that it checks. It searches nothing, shares no code with the
prover, and imports the standard library alone; where bitwuzla is installed, queries are asked again. docs/proof.md has
the rules by their numbers, and says what is trusted.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import json
import math
import re
import struct
import sys
from collections import ChainMap, Counter
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

FORMAT = 3
FILES = ("universe.json", "tick.kernel", "triton_kernels.py")
SIGN, NAN, INFINITY, ONES = 1 << 31, 0x7FFFFFFF, 0x7F800000, (1 << 32) - 1
LARGEST = float((2 - 2**-23) * 2.0**127)
MOST_WORLDS, MOST_BLOCKS, MOST_EXECUTED, MOST_NEAR = 2**31 - 33, 2**26, 100_000, 4096
SECONDS = 60
COMMUTATIVE = {"add", "mul", "and", "or", "xor", "eq", "fadd", "fmul", "feq", "mulhi"}
PREDICATES = {"eq", "ult", "ule", "slt", "sle", "flt", "fle", "feq"}
NUMBERS = {"fadd", "fmul", "fdiv", "fma", "fsqrt", "fmin", "fmax", "tofloat", "unsignedtofloat"}
PREMISES = (
    "worlds have one agent, and there are 1 to 2^31 - 33; all 32 threads of a block run; there are no observations",
    "arrays and tables lie apart, are large enough and begin at multiples of 16; tables hold what the package says",
)
TRUSTED = (
    "the rules (docs/proof.md says how each was proven), this file, Python",
    "that the lowered tick IR says what the universe says (tests), and that the launcher keeps to the premises (tests)",
)
UNPROVEN = "ptxas, the driver and the chip; other kernels, and launches with observations or of several agents"


class RefusedError(Exception):
    """A certificate is refused; the message has the place and the reason."""


def check(holds: object, place: str, reason: str) -> None:
    if not holds:
        raise RefusedError(f"{place}: {reason}")


# --- words ------------------------------------------------------------------------------------------------------------


def number_of(word: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", word))[0])


def word_of(value: float | Fraction, zero: int = 0) -> int:
    """The word of the number in binary32 next to a number, to even; of a zero `zero`."""
    exact = Fraction(value)
    if not exact:
        return zero
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent = max(exponent - (size < Fraction(2) ** exponent), -126)
    mantissa = round(size / Fraction(2) ** (exponent - 23))
    return min(mantissa + (exponent + 126 << 23), INFINITY) | (SIGN if exact < 0 else 0)


def signed(value: int, bits: int) -> int:
    return value - ((value >> bits - 1) << bits)


def exact(word: int) -> Fraction:
    """The number of a word; there is none of an infinity or a NaN."""
    return Fraction(number_of(word))


MEANINGS: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "mulhi": lambda a, b: a * b >> 32,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "shl": lambda a, b: a << min(b, 64),
    "lshr": lambda a, b: a >> b, "ashr": lambda a, b: a >> b, "udiv": lambda a, b: a // b if b else -1,
    "urem": lambda a, b: a % b if b else a, "zext": lambda a: a, "low": lambda a: a, "sext": lambda a: a,
    "eq": lambda a, b: a == b, "ult": lambda a, b: a < b, "ule": lambda a, b: a <= b, "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b, "flt": lambda a, b: number_of(a) < number_of(b),
    "fle": lambda a, b: number_of(a) <= number_of(b), "feq": lambda a, b: number_of(a) == number_of(b),
    "fadd": lambda a, b: word_of(exact(a) + exact(b), a & b & SIGN),
    "fmul": lambda a, b: word_of(exact(a) * exact(b), (a ^ b) & SIGN),
    "fdiv": lambda a, b: word_of(exact(a) / exact(b), (a ^ b) & SIGN),
    "fma": lambda a, b, c: word_of(exact(a) * exact(b) + exact(c), (a ^ b) & c & SIGN),
    "fmin": lambda a, b: a | b if exact(a) == exact(b) else min(a, b, key=exact),
    "fmax": lambda a, b: a & b if exact(a) == exact(b) else max(a, b, key=exact),
    "tofloat": lambda a: word_of(a), "unsignedtofloat": lambda a: word_of(a),
}  # fmt: skip
"""Operations on words, as far as they are computed (rule 1); the result wraps. Those in SIGNED have signed operands."""
SIGNED = {"sext", "ashr", "slt", "sle", "tofloat"}


# --- terms ------------------------------------------------------------------------------------------------------------


class Term:
    """An operation on terms; an object of its own in its context."""

    __slots__ = ("attribute", "bits", "number", "op", "operands", "value")

    def __init__(self, number: int, op: str, bits: int, operands: tuple[Term, ...], attribute: Any) -> None:
        self.number, self.op, self.bits, self.operands, self.attribute = number, op, bits, operands, attribute
        self.value: int | None = attribute if op == "constant" else None


Range = tuple[float, float]
Ends = tuple[float, float, float]
"""The least and the greatest number that a term may be, and how near to 0 it comes where it is not 0."""


class Context:
    """Terms under premises. Equal terms are one: by their shape, by rules, by merges. `variables` have bits, the least
    and the greatest value, and whether these are numbers in binary32. What was proven in the context that it is a side
    of, `outer`, holds in it."""

    def __init__(
        self,
        variables: Mapping[str, tuple[int, float, float, bool]],
        used: Counter[str],
        outer: Context | None = None,
    ) -> None:
        self.variables, self.used, self.by_bounds, self.outer = dict(variables), used, False, outer
        self.premises: list[Term] = []
        self.nodes: dict[int, Term] = {}
        self._twins: dict[Term, Term] = {}
        self._of_twins: dict[Term, Term] = {}
        self._made: dict[Any, Term] = {}
        self._instead: dict[Term, Term] = {}
        self._words: dict[Term, tuple[int, int]] = {}
        self._ends: dict[Term, Ends | None] = {}
        self._facts: dict[Term, list[tuple[str, bool, int]]] = {}
        self.sides: list[list[Context]] = []
        self._copied: dict[Term, Term] = {}

    def assume(self, premise: Term, holds: bool) -> None:
        check(premise.bits == 1, "a condition", f"it has {premise.bits} bits, not 1")
        premise = premise if holds else self.no(premise)
        self.premises.append(premise)
        self.merge(premise, self.constant(1, 1))
        if premise.op == "and":
            for each in premise.operands:
                self.assume(each, True)
        elif premise.op == "xor" and premise.operands[1].value == 1:
            self.merge(premise.operands[0], self.constant(0, 1))
        elif premise.op == "eq" and premise.operands[1].value is not None:
            left, right = premise.operands
            self.merge(left, right)
            if left.op == "ite":  # what is not one side of a choice is the other
                condition, *both = left.operands
                for side, other, which in zip(both, both[::-1], (True, False), strict=True):
                    if other.value not in (None, right.value):
                        self.assume(condition, which)
                        self.assume(self.op("eq", side, right), True)

    def merge(self, left: Term, right: Term) -> None:
        """Take two terms for one from now on."""
        right = self.one(right)
        if left is not right and left.value is None:
            self._instead[left] = right
            if right.value == 0 and left.op == "flt":
                for term, limit in (left.operands, left.operands[::-1]):
                    if limit.value is not None:
                        self._facts.setdefault(term, []).append(("fle", limit is left.operands[0], limit.value))
                        self._words, self._ends = {}, {}
            if right.value == 1 and left.op in ("ule", "fle"):
                for term, limit in (left.operands, left.operands[::-1]):
                    if limit.value is not None:
                        self._facts.setdefault(term, []).append((left.op, limit is left.operands[1], limit.value))
                        self._words, self._ends = {}, {}

    def one(self, term: Term) -> Term:
        return self._instead.get(term, term)

    def bounded(self, term: Term) -> bool:
        """Whether a merge says more of its bounds than its operands do."""
        return term in self._facts

    def copy(self, root: Term, instead: Mapping[Term, Term] | None = None) -> Term:
        """A term of any context in this one; `instead` has what stands for some."""
        done: MutableMapping[Term, Term] = self._copied if instead is None else ChainMap({}, instead)  # type: ignore[arg-type]
        for term in below(root, done):
            done[term] = self.make(term.op, term.bits, tuple(done[each] for each in term.operands), term.attribute)
        return done[root]

    def constant(self, value: int, bits: int) -> Term:
        return self.raw("constant", bits, (), value % (1 << bits))

    def variable(self, name: str) -> Term:
        return self.make("variable", self.variables[name][0], (), name)

    def op(self, op: str, *operands: Term) -> Term:
        return self.make(op, 1 if op in PREDICATES else operands[-1].bits, operands)

    def no(self, term: Term) -> Term:
        return self.op("xor", term, self.constant(-1, term.bits))

    def wide(self, term: Term, bits: int, with_sign: bool = False) -> Term:
        return self.make("low" if bits < term.bits else "sext" if with_sign else "zext", bits, (term,))

    def make(self, op: str, bits: int, operands: tuple[Term, ...], attribute: Any = None) -> Term:
        return self.one(self.raw(op, bits, operands, attribute))

    def made(self, op: str, bits: int, operands: tuple[Term, ...], attribute: Any) -> Term:
        """The term that was made of these very operands, before any was merged; or the one that is made now."""
        shape = op, bits, ordered(op, operands), attribute
        return self._made[shape] if shape in self._made else self.raw(op, bits, operands, attribute)

    def raw(self, op: str, bits: int, operands: tuple[Term, ...], attribute: Any = None) -> Term:
        """The term of an operation, before merges of it."""
        operands = ordered(op, tuple(self.one(each) for each in operands))
        if op in MEANINGS and all(each.value is not None for each in operands):
            values = [signed(each.value or 0, each.bits) if op in SIGNED else each.value for each in operands]
            with contextlib.suppress(OverflowError, ValueError, ZeroDivisionError):  # infinities and NaNs stay symbols
                return self.constant(MEANINGS[op](*values), bits)
        if op == "table" and operands[0].value is not None:
            return self.constant(attribute[min(operands[0].value, len(attribute) - 1)], bits)
        check(
            self._typed(op, bits, [each.bits for each in operands], attribute), "a term", f"{op} of {bits} bits is none"
        )
        simple = self._simple(op, bits, operands)
        if simple is not None:
            self.used[f"rule {simple[0]}"] += 1
            return simple[1]
        shape = op, bits, operands, attribute
        if shape not in self._made:
            term = self._made[shape] = Term(len(self._made), op, bits, operands, attribute)
            if self.by_bounds and len(set(self.words(term))) == 1:
                self._instead[term] = self.constant(self.words(term)[0], bits)
            if self.outer is not None:
                self._inherit(term, self.outer)
        return self._made[shape]

    def _inherit(self, term: Term, outer: Context) -> None:
        """Merge a term as that of the same operations in the outer context was."""
        twins = [self._twins[each] for each in term.operands if each in self._twins]
        twin = outer._made.get((term.op, term.bits, ordered(term.op, tuple(twins)), term.attribute))
        if twin is not None and len(twins) == len(term.operands):
            self._twins[term], self._of_twins[twin] = twin, term
            if twin in outer._facts:
                self._facts[term] = list(outer._facts[twin])
            if outer.one(twin) is not twin:
                self.merge(term, self.copy(outer.one(twin), self._of_twins))

    def _typed(self, op: str, bits: int, of: list[int], attribute: Any) -> bool:
        """Whether an operation of so many bits has operands of these bits."""
        match op:
            case "constant":
                return isinstance(attribute, int) and 0 <= attribute < 1 << bits and not of
            case "variable":
                return self.variables[attribute][0] == bits and not of
            case "ite":
                return of == [1, bits, bits]
            case "zext" | "sext" | "low":
                return len(of) == 1 and (of[0] >= bits if op == "low" else of[0] <= bits)
            case "table":
                return of == [32] and bits == 32 and all(0 <= row <= ONES for row in attribute) and len(attribute) > 0
            case _ if op in PREDICATES:
                return len(of) == 2 and of[0] == of[1] and bits == 1 and (op[0] != "f" or of[0] == 32)
            case _ if op in NUMBERS or op == "mulhi":
                return of == [32] * (3 if op == "fma" else 1 if op in ("fsqrt", "tofloat", "unsignedtofloat") else 2)
            case _:
                return of == [bits, bits] and op in MEANINGS

    def _simple(self, op: str, bits: int, operands: tuple[Term, ...]) -> tuple[int, Term] | None:
        """The number of the rule that fits an operation, and what it is by that."""
        most = (1 << bits) - 1
        match op, operands:
            case "ite", (condition, *both):
                then, otherwise = both
                if condition.value is not None:
                    return 3, then if condition.value else otherwise
                if then is otherwise:
                    return 4, then
                if condition.op == "xor" and condition.operands[1].value == 1:
                    return 30, self.op("ite", condition.operands[0], otherwise, then)
                if bits == 1 and (then.value is not None or otherwise.value is not None):
                    side, other = both if then.value is not None else both[::-1]
                    same = (side is then) == bool(side.value)
                    return 5, self.op("or" if side.value else "and", condition if same else self.no(condition), other)
            case (("and" | "or"), (left, right)) if left is right:
                return 6, left
            case (("and" | "or"), (left, right)) if right.value in (0, most):
                return (7, right) if (right.value == 0) == (op == "and") else (8, left)
            case (("add" | "xor" | "sub" | "shl" | "lshr" | "ashr"), (left, right)) if right.value == 0:
                return 9, left
            case "xor", (left, right) if left is right:
                return 10, self.constant(0, bits)
            case "xor", (Term(op="xor", operands=(left, Term(value=int(inner)))), Term(value=int(outer))):
                return 11, self.make("xor", bits, (left, self.constant(inner ^ outer, bits)))
            case "mul", (left, right) if right.value in (0, 1):
                return 12, left if right.value else right
            case "eq", (left, right) if left is right:
                return 13, self.constant(1, 1)
            case "eq", (left, right) if left.bits == 1 and right.value is not None:
                return 14, left if right.value else self.no(left)
            case (("zext" | "sext" | "low"), (only,)) if only.bits == bits:
                return 15, only
            case "low", (Term(op=("zext" | "sext"), operands=(inner,)),) if inner.bits >= bits:
                return 16, self.make("low", bits, (inner,))
            case "fadd", (left, right) if right.value == SIGN and self._canonical(left):
                return 17, left
            case (("fadd" | "fmul"), (left, right)):
                for one, other in ((left, right), (right, left)):
                    if other.op == "ite" and all(each.value not in (None, SIGN) for each in other.operands[1:]):
                        sides = (self.op(op, one, each) for each in other.operands[1:])
                        return 18, self.op("ite", other.operands[0], *sides)
            case _:
                pass
        return None

    # --- bounds (rule 19) ---------------------------------------------------------------------------------------------

    def words(self, root: Term) -> tuple[int, int]:
        """The least and the greatest unsigned word that a term may be."""
        for term in below(root, self._words):
            low, high = self._word(term, (1 << term.bits) - 1, [self._words[each] for each in term.operands])
            for op, above, limit in self._facts.get(term, ()):
                low, high = (low, min(high, limit)) if above and op == "ule" else (low, high)
            self._words[term] = low, high
        return self._words[root]

    def _word(self, term: Term, most: int, of: list[tuple[int, int]]) -> tuple[int, int]:
        (a, b), (c, d) = (*of, (0, 0), (0, 0))[:2]
        k = term.operands[1].value if len(of) == 2 else None
        match term.op:
            case "constant":
                return term.attribute, term.attribute
            case "variable":
                _, low, high, floating = self.variables[term.attribute]
                return (0, most) if floating else (int(low), int(high))
            case "ite":
                return min(c, of[2][0]), max(d, of[2][1])
            case "and":
                return 0, min(b, d)
            case "or" | "xor":
                return 0, (1 << max(b.bit_length(), d.bit_length())) - 1
            case "add" if b + d <= most:
                return a + c, b + d
            case "mul" if b * d <= most:
                return a * c, b * d
            case "mulhi":
                return a * c >> 32, b * d >> 32
            case "shl" if k is not None and b << min(k, 64) <= most:
                return a << k, b << k
            case "lshr" | "ashr" if k is not None and k < term.bits and b <= most >> (term.op == "ashr"):
                return a >> k, b >> k
            case "urem" if k:
                return 0, min(k - 1, b)
            case "udiv" if k:
                return a // k, b // k
            case "table":
                return min(term.attribute), max(term.attribute)
            case "zext" | "sext" | "low" if b <= (most if term.op != "sext" else (1 << term.operands[0].bits - 1) - 1):
                return a, b
        return 0, most

    def ends(self, root: Term) -> Ends | None:
        """The numbers that a term may be, none of them a NaN; `None` where that is not known."""
        for term in below(root, self._ends):
            ends = self._number(term, [self._ends[each] for each in term.operands]) if term.bits == 32 else None
            for op, above, limit in self._facts.get(term, ()):
                if ends is not None and op == "fle":
                    low, high, value = *ends[:2], number_of(limit)
                    ends = (low, min(high, value), ends[2]) if above else (max(low, value), high, ends[2])
            self._ends[term] = ends
        return self._ends[root]

    def _number(self, term: Term, of: list[Ends | None]) -> Ends | None:
        k = term.operands[-1].value if of else None
        match term.op, of:
            case "constant", _:
                value = number_of(term.attribute)
                return None if math.isnan(value) else (value, value, abs(value))
            case "variable", _:
                _, low, high, floating = self.variables[term.attribute]
                return (low, high, 0.0) if floating else None
            case "tofloat", _:
                return -(2.0**31), 2.0**31, 1.0
            case "xor", [(low, high, grain), _] if k == SIGN:
                return -high, -low, grain
            case "and", [(low, high, grain), _] if k == SIGN - 1:
                return 0.0, max(abs(low), abs(high)), grain
            case (("ite" | "fmin" | "fmax"), [*_, (low, high, grain), (least, most, other)]):
                grain = min(grain if low or high else math.inf, other if least or most else math.inf)
                if term.op == "ite":
                    (low, high), (least, most) = self._chosen(term, (low, high), (least, most))
                    return min(low, least), max(high, most), grain
                pick = min if term.op == "fmin" else max
                return pick(low, least), pick(high, most), grain
            case "fadd", [(low, high, _), (least, most, _)]:
                # Within a factor of 2 of k the sum is a multiple of half a unit in k's last place, else at least k / 2.
                size = 0.0 if k is None else abs(number_of(k))
                grain = 2.0 ** (math.frexp(size)[1] - 25) if 2.0**-100 < size < math.inf else 0.0
                return rounded([Fraction(low) + Fraction(least), Fraction(high) + Fraction(most)], grain)
            case "fmul", [(low, high, _), (least, most, _)]:
                return rounded([Fraction(x) * Fraction(y) for x in (low, high) for y in (least, most)], 0.0)
            case "fma", [(low, high, _), (least, most, _), (lowest, highest, _)]:
                products = [Fraction(x) * Fraction(y) for x in (low, high) for y in (least, most)]
                return rounded([min(products) + Fraction(lowest), max(products) + Fraction(highest)], 0.0)
            case "fdiv", [(low, high, _), (least, most, _)] if least == most != 0:
                return rounded([Fraction(x) / Fraction(least) for x in (low, high)], 0.0)
        return None

    def _chosen(self, term: Term, then: Range, otherwise: Range) -> tuple[Range, Range]:
        """The numbers of the two sides of a choice by x < y: x < 0 ? 0 : x is at least 0, x < y ? y - x : z, too."""
        condition, one, other = term.operands
        if condition.op != "flt":
            return then, otherwise
        left, right = condition.operands
        low, high = self.ends(left), self.ends(right)
        if low is None or high is None:
            return then, otherwise
        if one is left:
            then = then[0], max(min(then[1], high[1]), then[0])
        if one is right or (one.op == "fadd" and one.operands[1] is right and negated(one.operands[0]) is left):
            least = low[0] if one is right else 0.0
            then = min(max(then[0], least), then[1]), then[1]
        if other is left:
            otherwise = min(max(otherwise[0], high[0]), otherwise[1]), otherwise[1]
        if other is right:
            otherwise = otherwise[0], max(min(otherwise[1], low[1]), otherwise[0])
        return then, otherwise

    def _canonical(self, term: Term) -> bool:
        """Whether a term is no NaN but the one that operations make."""
        if term.op == "ite":
            return all(map(self._canonical, term.operands[1:]))
        return term.op in NUMBERS or self.ends(term) is not None

    # --- merges by rules ----------------------------------------------------------------------------------------------

    def decides(self, left: Term, right: Term) -> bool:
        """Rule 23: a comparison of numbers is what their bounds say."""
        if right.value is None or right.bits != 1:
            return False
        if left.op in ("ult", "ule", "slt", "sle", "eq") and left.operands[0].bits > 1:
            (a, b), (c, d) = (self.words(each) for each in left.operands)
            if left.op[0] == "s" and max(b, d) >> left.operands[0].bits - 1:
                return False
            if left.op == "eq":
                return right.value == 0 and (b < c or d < a)
            equal = left.op[1:] == "le"
            return (b < c or (equal and b <= c)) if right.value else (a > d or (not equal and a >= d))
        if left.op not in ("flt", "fle"):
            return False
        one, other = (self.ends(each) for each in left.operands)
        if one is None or other is None:
            return False
        if right.value == 1:
            return one[1] < other[0] or (left.op == "fle" and one[1] <= other[0])
        return one[0] > other[1] or (left.op == "flt" and one[0] >= other[1])

    def choice(self, left: Term, right: Term, condition: Term, opened: set[Term]) -> bool:
        """Rule 24: two terms are one where a condition holds, and where it does not."""
        for each in (condition, self.no(condition)):
            done = {each: self.constant(1, 1), self.no(each): self.constant(0, 1)}
            if self._where(left, each, opened, done) is not self._where(right, each, opened, done):
                return False
        return True

    def _where(self, term: Term, condition: Term, opened: set[Term], done: dict[Term, Term]) -> Term:
        """A term as it is where a condition holds: of those that are opened operands are made anew, and another
        condition is 0 if both cannot hold together, or 1 if it must hold."""
        if term not in done:
            result = self.one(term)
            decides = term.bits == 1 and term.value is None and term.op not in ("flt", "fle", "feq")
            if decides and self.op("and", condition, term).value == 0:
                result = self.constant(0, 1)
            elif decides and self.op("and", condition, self.no(term)).value == 0:
                result = self.constant(1, 1)
            elif term in opened:
                of = term.operands
                chosen = self._where(of[0], condition, opened, done) if term.op == "ite" else None
                if chosen is not None and chosen.value is not None:
                    result = self._where(of[1 if chosen.value else 2], condition, opened, done)
                else:
                    of = tuple(self._where(each, condition, opened, done) for each in of)
                    result = self.make(term.op, term.bits, of, term.attribute)
            done[term] = result
        return done[term]

    def divides(self, left: Term, right: Term) -> bool:
        """Rule 20: fma(x, h, x * l) is x / c, where both are rounded to the same number for all x of one binade."""
        match left, right:
            case (
                Term(op="fma", operands=(x, Term(value=int(h)), part)),
                Term(op="fdiv", operands=(z, Term(value=int(c)))),
            ) if x is z and positive_zero(x):
                product, sign = negated(part) or part, SIGN if negated(part) else 0
                if product.op != "fmul" or product.operands[0] is not x or product.operands[1].value is None:
                    return False
                k = product.operands[1].value ^ sign
                ends = self.ends(x)
                return ends is not None and same_quotients(number_of(h), number_of(k), number_of(c), ends)
            case _:
                return False

    def opposite(self, left: Term, right: Term) -> bool:
        """Rule 21: x * -c is -(x * c), where x is a number."""
        match left, right:
            case (
                Term(op="fmul", operands=(x, Term(value=int(c)))),
                Term(op="xor", operands=(Term(op="fmul", operands=(y, Term(value=int(d)))), Term(value=0x80000000))),
            ):
                return x is y and c ^ d == SIGN and None not in (self.ends(x), self.ends(left))
            case _:
                return False

    def clamps(self, left: Term, right: Term) -> bool:
        """Rule 22: a sum that is clamped to c is so without earlier clamps to c, where all amounts after them lead away
        from c or stay: those below c are below it in the end."""
        less, c, total = left.operands if left.op == "ite" else (left, left, left)
        if less.op != "flt" or c.value is None or c.value == SIGN or c.value & ~SIGN >= INFINITY:
            return False
        low = less.operands[1] is c
        once = self._once(total, c, low) if c in less.operands else None
        if once is None or less.operands[0 if low else 1] not in (total, once):
            return False
        test = self.op("flt", *((once, c) if low else (c, once)))
        return self.one(right) is self.op("ite", test, c, once)

    def _once(self, total: Term, c: Term, low: bool) -> Term | None:
        """Of a sum with what was clamped to c, the sum with what was not, where amounts lead no nearer to c."""
        for clamp, n in (total.operands, total.operands[::-1]) if total.op == "fadd" else ():
            ends = self.ends(n)
            if ends is None or not (ends[1] <= 0 if low else ends[0] >= 0):
                continue
            if clamp.op == "ite" and clamp.operands[1] is c and clamp.operands[0].op == "flt":
                test, _, x = clamp.operands
                if test.operands == ((x, c) if low else (c, x)) and self.ends(x) is not None:
                    return self.op("fadd", x, n)
            if (rest := self._once(clamp, c, low)) is not None:
                return self.op("fadd", rest, n)
        return None

    def order(self, left: Term, right: Term) -> bool:
        """Rule 25: f <= g is not g < f, of numbers."""
        a, b = left.operands if left.op == "fle" else (left, left)
        numbers = left.op == "fle" and None not in (self.ends(a), self.ends(b))
        return numbers and right is self.no(self.op("flt", b, a))

    def below_zero(self, left: Term, right: Term) -> bool:
        """Rule 26: a word beyond that of -0 is a number below 0."""
        sign, x = left.operands if left.op == "ult" else (left, left)
        fits = sign.value == SIGN and sign.bits == 32 and self.ends(x) is not None
        return fits and right is self.op("flt", x, self.constant(0, 32))

    def sum_below_zero(self, left: Term, right: Term) -> bool:
        """Rule 27: f + k is below 0 where f is below -k."""
        match left:
            case Term(op="flt", operands=(Term(op="fadd", operands=(x, Term(value=int(k)))), Term(value=0))):
                fits = self.ends(x) is not None and k & ~SIGN < INFINITY
                return fits and right is self.op("flt", x, self.constant(k ^ SIGN, 32))
            case _:
                return False

    def extreme(self, left: Term, right: Term) -> bool:
        """Rule 28: min(f, k) is k < f ? k : f, and max(f, k) is f < k ? k : f, where f is no -0 or k no zero."""
        if left.op not in ("fmin", "fmax") or left.operands[1].value is None:
            return False
        x, c = left.operands
        fits = None not in (self.ends(x), self.ends(c)) and c.value != SIGN and (c.value or positive_zero(x, self))
        less = self.op("flt", *((x, c) if left.op == "fmax" else (c, x)))
        return bool(fits) and right is self.op("ite", less, c, x)

    def sums(self, left: Term, right: Term) -> bool:
        """Rule 35: two words are sums of the same multiples of the same terms, in whatever order that is added."""
        return left.bits == right.bits and self._multiples(left) == self._multiples(right)

    def _multiples(self, root: Term) -> dict[Term | None, int]:
        """How often each term is in a sum, modulo its width; at `None` are the constants of it together."""
        times, result = Counter({root: 1}), Counter[Term | None]()
        while times:
            term = max(times, key=lambda each: each.number)  # those that it is in have greater numbers
            of = times.pop(term)
            match term.op, term.operands:
                case "constant", _:
                    result[None] += of * term.attribute
                case (("add" | "sub"), (one, other)):
                    times[one] += of
                    times[other] += of if term.op == "add" else -of
                case "mul", (one, Term(value=int(k))):
                    times[one] += of * k
                case "shl", (one, Term(value=int(k))) if k < term.bits:
                    times[one] += of << k
                case _:
                    result[self.one(term)] += of
        return {term: left for term, of in result.items() if (left := of % (1 << root.bits))}

    def again(self, left: Term, right: Term) -> bool:
        """The same operation, on what its operands are by now."""
        return right is self.make(left.op, left.bits, left.operands, left.attribute)


def ordered(op: str, operands: tuple[Term, ...]) -> tuple[Term, ...]:
    """Operands in an order of their own, where an operation has none (rule 2)."""
    commutes = op in COMMUTATIVE
    return tuple(sorted(operands, key=lambda each: (each.value is not None, each.number))) if commutes else operands


def below(root: Term, done: Mapping[Term, object], cut: Callable[[Term], bool] = lambda _: False) -> Iterator[Term]:
    """The terms of a term that are not done yet, operands first, but none below those that are cut."""
    stack = [root]
    while stack:
        term = stack[-1]
        missing = [] if term in done or cut(term) else [each for each in term.operands if each not in done]
        stack += missing
        if not missing:
            stack.pop()
            if term not in done:
                yield term


def rounded(exact: Sequence[Fraction], grain: float) -> Ends | None:
    numbers = [number_of(word_of(each)) for each in exact]
    return (min(numbers), max(numbers), grain) if max(map(abs, numbers)) <= 2.0**126 else None


def positive_zero(term: Term, context: Context | None = None) -> bool:
    """Whether a term is never -0: a sum is -0 of two -0 alone, and one with a constant other than -0 never is."""
    match term.op:
        case "fadd":
            ends = [context.ends(each) if context else None for each in term.operands]
            apart = any(each is not None and (each[0] > 0 or each[1] < 0) for each in ends)
            never = apart or term.operands[1].value not in (None, SIGN)
            return never or any(positive_zero(each, context) for each in term.operands)
        case "ite":
            return all(positive_zero(each, context) for each in term.operands[1:])
        case "fmax":
            return any(each.value == 0 for each in term.operands) or all(map(positive_zero, term.operands))
        case _:
            return term.value is not None and term.value != SIGN


def negated(term: Term) -> Term | None:
    """Of -x, the x."""
    return term.operands[0] if term.op == "xor" and term.operands[1].value == SIGN else None


def same_quotients(h: float, low: float, c: float, ends: Ends) -> bool:
    """Whether fma(x, h, x * low) is x / c. What is rounded differs by less than `error` quotients; so the results are
    the same unless a midpoint of two numbers is that near. Those quotients have a small remainder r: each is tried."""
    sizes = [
        factor * size for factor in (1, h, abs(low), 1 / c if c > 0 else 0) for size in (ends[2], max(map(abs, ends)))
    ]
    if h <= 0 or min(sizes) < 2.0**-120 or max(sizes) > 2.0**120:
        return False
    x_h, x_low, x_c = Fraction(h), Fraction(low), Fraction(c)
    divisor, error = int(math.ldexp(math.frexp(c)[0], 24)), (abs(x_h + x_low - 1 / x_c) + abs(x_low) / 2**24) * x_c
    twos, near = (divisor & -divisor).bit_length() - 1, math.ceil(error * 2**49)
    if near << twos > MOST_NEAR:
        return False
    for shift in (24, 25):  # X * 2^shift = odd * divisor + r, for all X from 2^23 to 2^24, and odd from 2^24 to 2^25
        modulus = 1 << shift - twos
        for r in range(-near >> twos, (near >> twos) + 1):
            first = -r * pow(divisor >> twos, -1, modulus) % modulus
            for odd in range(first | 1 << 24 if modulus <= 1 << 24 else first, 1 << 25, modulus):
                x = Fraction(odd * divisor + (r << twos), 1 << shift)
                if x.denominator == 1 and 1 << 23 <= x < 1 << 24:
                    product = Fraction(number_of(word_of(x * x_low)))
                    if word_of(x * x_h + product) != word_of(x / x_c):
                        return False
    return True


# --- queries ----------------------------------------------------------------------------------------------------------


def pairs(text: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in text.split())


SAID = {
    **{op: f"({name} {{a}} {{b}})" for op, name in pairs(
        "add=bvadd sub=bvsub mul=bvmul and=bvand or=bvor xor=bvxor shl=bvshl lshr=bvlshr ashr=bvashr udiv=bvudiv "
        "urem=bvurem"
    ).items()},
    **{op: f"(ite ({name} {{a}} {{b}}) #b1 #b0)" for op, name in pairs(
        "eq== ult=bvult ule=bvule slt=bvslt sle=bvsle").items()},
    **{op: f"(ite ({name} {{x}} {{y}}) #b1 #b0)" for op, name in pairs("flt=fp.lt fle=fp.leq feq=fp.eq").items()},
    "ite": "(ite (= {a} #b1) {b} {c})", "zext": "((_ zero_extend {more}) {a})", "sext": "((_ sign_extend {more}) {a})",
    "low": "((_ extract {top} 0) {a})", "table": "", "fadd": "(fp.add RNE {x} {y})",
    "mulhi": "((_ extract 63 32) (bvmul ((_ zero_extend 32) {a}) ((_ zero_extend 32) {b})))",
    "fmin": "(ite (fp.lt {x} {y}) {a} (ite (fp.eq {x} {y}) (bvor {a} {b}) {b}))",
    "fmax": "(ite (fp.gt {x} {y}) {a} (ite (fp.eq {x} {y}) (bvand {a} {b}) {b}))",
}  # fmt: skip
"""Operations in SMT-LIB: of words a, b and c, and of numbers x and y."""


class Question:
    """In SMT-LIB, whether two terms can differ. Of terms that are not said nothing is asserted but their bounds: a
    query that says less proves more."""

    def __init__(self, context: Context, left: Term, right: Term, said: set[Term]) -> None:
        self.context, self.lines, self.names = context, ["(set-logic QF_BVFP)"], dict[Term, str]()
        premises = [each for each in context.premises if each in said]

        def cut(term: Term) -> bool:
            numbers = term.op not in ("fmin", "fmax") or all(context.ends(each) is not None for each in term.operands)
            return not (term in said and term.op in SAID and numbers)

        for root in (left, right, *premises):
            for term in below(root, self.names, cut):
                understood = f"(_ bv{term.value} {term.bits})"
                self.names[term] = (
                    understood if term.value is not None else self._cut(term) if cut(term) else self._said(term)
                )
        self.lines += [f"(assert (= {self.names[each]} #b1))" for each in premises]
        self.lines += [f"(assert (distinct {self.names[left]} {self.names[right]}))", "(check-sat)", ""]
        self.text = "\n".join(self.lines)

    def _cut(self, term: Term) -> str:
        name = f"c{len(self.lines)}"
        self.lines.append(f"(declare-const {name} (_ BitVec {term.bits}))")
        self._bound(term, name)
        return name

    def _bound(self, term: Term, name: str) -> None:
        low, high = self.context.words(term)
        if (low, high) != (0, (1 << term.bits) - 1):
            limits = f"(bvule (_ bv{low} {term.bits}) {name}) (bvule {name} (_ bv{high} {term.bits}))"
            self.lines.append(f"(assert (and {limits}))")
        if positive_zero(term):
            self.lines.append(f"(assert (distinct {name} (_ bv{SIGN} {term.bits})))")
        if (ends := self.context.ends(term)) is not None:
            low, high = word_of(ends[0]), word_of(ends[1])
            self.lines.append(
                f"(assert (fp.leq {number(f'(_ bv{low} 32)')} {number(name)} {number(f'(_ bv{high} 32)')}))"
            )

    def _said(self, term: Term) -> str:
        a, b, c = (*(self.names[each] for each in term.operands), "", "", "")[:3]
        more = term.bits - term.operands[0].bits
        text = SAID[term.op].format(a=a, b=b, c=c, x=number(a), y=number(b), more=more, top=term.bits - 1)
        if term.op == "table":
            *rows, text = [f"(_ bv{row} 32)" for row in term.attribute]
            for index, row in reversed(list(enumerate(rows))):
                text = f"(ite (= {a} (_ bv{index} 32)) {row} {text})"
        name = f"t{len(self.lines)}"
        if term.op == "fadd":
            nan = f"(=> (fp.isNaN {text}) (= {name} (_ bv{NAN} 32)))"
            self.lines += [f"(declare-const {name} (_ BitVec 32))", f"(assert (and (= {number(name)} {text}) {nan}))"]
        else:
            self.lines.append(f"(define-fun {name} () (_ BitVec {term.bits}) {text})")
        if self.context.bounded(term):
            self._bound(term, name)
        return name


def number(name: str) -> str:
    return f"((_ to_fp 8 24) {name})"


class Solver:
    """Asks each text once, where bitwuzla is installed."""

    def __init__(self, asks: bool) -> None:
        self.texts: dict[str, str] = {}
        self.bitwuzla: Any = None
        if asks:
            try:
                import bitwuzla
            except ImportError:
                return
            self.bitwuzla = bitwuzla

    def ask(self, text: str, place: str) -> None:
        """Refuse a query that is not answered by `unsat`; without a solver it is taken on trust."""
        new = text not in self.texts
        self.texts[text] = place
        if new and self.bitwuzla is not None:
            options = self.bitwuzla.Options()
            options.set(self.bitwuzla.Option.TIME_LIMIT_PER, 1000 * SECONDS)
            parser = self.bitwuzla.Parser(self.bitwuzla.TermManager(), options)
            parser.parse(text, True, False)
            answer = parser.bitwuzla().check_sat()
            check(answer == self.bitwuzla.Result.UNSAT, place, f"the query is answered by {answer}, not by unsat")


# --- operations of PTX and the tick IR --------------------------------------------------------------------------------

Make = Callable[..., Term]
OPERATIONS: dict[str, Make] = {
    **{op: lambda c, *of, op=op: c.op(op, *of) for op in (*MEANINGS, *NUMBERS)},
    "not": lambda c, a: c.no(a), "ne": lambda c, a, b: c.no(c.op("eq", a, b)), "same": lambda _, a: a,
    "neg": lambda c, a: c.op("sub", c.constant(0, a.bits), a), "select": lambda c, a, b, s: c.op("ite", s, a, b),
    "abs": lambda c, a: c.op("ite", c.op("slt", a, c.constant(0, a.bits)), OPERATIONS["neg"](c, a), a),
    "fneg": lambda c, a: c.op("xor", a, c.constant(SIGN, 32)),
    "fabs": lambda c, a: c.op("and", a, c.constant(SIGN - 1, 32)),
    "fsub": lambda c, a, b: c.op("fadd", a, OPERATIONS["fneg"](c, b)), "fne": lambda c, a, b: c.no(c.op("feq", a, b)),
    "mad": lambda c, a, b, d: c.op("add", c.op("mul", a, b), d),
    **{f"{p}gt": lambda c, a, b, op=f"{p}lt": c.op(op, b, a) for p in "suf"},
    **{f"{p}ge": lambda c, a, b, op=f"{p}le": c.op(op, b, a) for p in "suf"},
    **{f"f{order}u": lambda c, a, b, op="f" + inverse: c.no(OPERATIONS[op](c, a, b))
       for order, inverse in (("lt", "ge"), ("le", "gt"), ("gt", "le"), ("ge", "lt"))},
    **{f"{p}min": lambda c, a, b, p=p: c.op("ite", c.op(f"{p}lt", a, b), a, b) for p in "su"},
    **{f"{p}max": lambda c, a, b, p=p: c.op("ite", c.op(f"{p}lt", b, a), a, b) for p in "su"},
}  # fmt: skip
IR = pairs(
    "add.f32=fadd sub.f32=fsub mul.f32=fmul div.f32=fdiv fma.f32=fma sqrt.f32=fsqrt neg.f32=fneg abs.f32=fabs "
    "less.f32=flt less_equal.f32=fle equal.f32=feq add.i32=add sub.i32=sub mul.i32=mul neg.i32=neg abs.i32=abs "
    "less.i32=slt less_equal.i32=sle equal.i32=eq add.u32=add sub.u32=sub mul.u32=mul mul_high.u32=mulhi "
    "div.u32=udiv rem.u32=urem less.u32=ult less_equal.u32=ule equal.u32=eq and.u32=and or.u32=or xor.u32=xor "
    "shift_left.u32=shl shift_right.u32=lshr and.bool=and or.bool=or not.bool=not equal.bool=eq "
    "to_f32.i32=tofloat to_u32.i32=same to_i32.u32=same to_bits.f32=same from_bits.u32=same"
)  # fmt: skip
PTX = pairs(
    r"add\.rn\.f32=fadd sub\.rn\.f32=fsub mul\.rn\.f32=fmul div\.rn\.f32=fdiv fma\.rn\.f32=fma "
    r"sqrt\.rn\.f32=fsqrt (min|max|neg|abs)\.f32=f\1 setp\.(lt|le|gt|ge|eq|[lg][te]u)\.f32=f\1 "
    r"setp\.neu\.f32=fne mov\..*=same cvta\..*=same (add|sub|and|or|xor|not|neg)\.([sub]\d+|pred)=\1 "
    r"abs\.s\d+=abs (min|max)\.([su])\d+=\2\1 (div|rem)\.u\d+=u\1 mul\.lo\.[su]\d+=mul mad\.lo\.[su]\d+=mad "
    r"mul\.hi\.u32=mulhi setp\.(eq|ne)\.[sub]\d+=\1 setp\.(lt|le|gt|ge)\.([su])\d+=\2\1 "
    r"setp\.(lo|ls|hi|hs)\.u\d+=\1 selp\..*=select cvt\.rn\.f32\.s32=tofloat cvt\.rn\.f32\.u32=unsignedtofloat"
)  # fmt: skip
OPERATIONS |= {"lo": OPERATIONS["ult"], "ls": OPERATIONS["ule"], "hi": OPERATIONS["ugt"], "hs": OPERATIONS["uge"]}


# --- the tick IR ------------------------------------------------------------------------------------------------------

NAME = r"(?:`[^`]*`|[^`\s\[=,]+)"
NODE = re.compile(r"  %(\d+): (\w+) = (\w+) ((?:`[^`]*`|[^`;])*)  ; .*")
OUTPUT = re.compile(rf"  output ({NAME})(?:\[(\d+)\])? = %(\d+)")


def literal(type_: str, text: str) -> int:
    if type_ == "bool":
        return int(text == "true")
    return word_of(float(text), SIGN if text.startswith("-") else 0) if type_ == "f32" else int(text) & ONES


class Program:
    """The functions and tables of a text of the tick IR: of a function, its nodes and its outputs."""

    def __init__(self, text: str) -> None:
        self.tables: dict[str, tuple[int, ...]] = {}
        self.functions: dict[str, tuple[list[tuple[str, str, list[str]]], list[tuple[str, str | None, str]]]] = {}
        nodes: list[tuple[str, str, list[str]]] = []
        outputs: list[tuple[str, str | None, str]] = []
        for number, line in enumerate(text.split("\n"), 1):
            if match := NODE.fullmatch(line):
                check(int(match[1]) == len(nodes), f"tick IR, line {number}", f"this is node {len(nodes)}")
                nodes.append(
                    (match[2], match[3], [each.strip() for each in re.findall(r"(?:`[^`]*`|[^`,])+", match[4])])
                )
            elif match := OUTPUT.fullmatch(line):
                outputs.append((match[1].strip("`"), match[2], match[3]))
            elif match := re.fullmatch(r"function (\S+) \{", line):
                nodes, outputs = [], []
                self.functions[match[1]] = nodes, outputs
            elif match := re.fullmatch(r"table (\S+): (\w+) = (.*)", line):
                self.tables[match[1]] = tuple(literal(match[2], each) for each in match[3].split(", "))
            else:
                rest = line in ("", "}") or line.startswith(("universe ", "  row ", "reduction "))
                check(rest, f"tick IR, line {number}", "this is not known here")

    def call(self, context: Context, name: str, inputs: Mapping[str, Term]) -> dict[str, list[Term]]:
        """The outputs of a function by name: one term, or one for each element of a repeated output."""
        nodes, outputs = self.functions[name]
        result: dict[str, list[Term]] = {}
        for output, count, root in outputs:
            needed, stack = set[int](), [int(root)]
            while stack:
                if (number := stack.pop()) not in needed:
                    needed.add(number)
                    stack += self._operands(nodes[number][2])
            result[output] = []
            for element in range(int(count or 1)):
                done: dict[int, Term] = {}
                for number in sorted(needed):
                    of = self._operands(nodes[number][2])
                    type_ = nodes[of[0]][0] if of else ""
                    done[number] = self._value(
                        context, nodes[number], type_, [done[each] for each in of], inputs, element
                    )
                result[output].append(done[int(root)])
        return result

    @staticmethod
    def _operands(arguments: list[str]) -> list[int]:
        return [int(each.split("%")[1]) for each in arguments if "%" in each]

    def _value(
        self,
        context: Context,
        node: tuple[str, str, list[str]],
        of: str,
        values: list[Term],
        inputs: Mapping[str, Term],
        element: int,
    ) -> Term:
        type_, op, arguments = node
        match op:
            case "const":
                return context.constant(literal(type_, arguments[0]), 1 if type_ == "bool" else 32)
            case "input":
                return inputs[arguments[0].strip("`")]
            case "element":
                return context.constant(element, 32)
            case "select":
                return context.op("ite", *values)
            case "lookup" if len(arguments) == 2 and type_ != "bool":
                return context.make("table", 32, (values[0],), self.tables[arguments[0]])
            case "fold":
                names = [each.split("=")[0].strip("`") for each in arguments if "=" in each]
                state = dict(zip(names, values, strict=True))
                for row in range(int(arguments[2])):
                    outputs = self.call(context, arguments[0], {**state, "row": context.constant(row, 32)})
                    state = {name: value for name, (value,) in outputs.items()}
                return state[arguments[1].strip("`")]
            case _:
                check(f"{op}.{of}" in IR, "tick IR", f"{op} of {of} is not known here")
                return OPERATIONS[IR[f"{op}.{of}"]](context, *values)


# --- the package ------------------------------------------------------------------------------------------------------

ANY: tuple[float, float] = (0, 2**31 - 1)
Row = tuple[str, str, float, float]


class Package:
    """The files of a package, and what they say of memory: of each array the names of its rows in the tick IR, and the
    bounds of its words."""

    def __init__(self, files: Mapping[str, str], ir: str, kernel: str) -> None:
        self.universe, self.program = json.loads(files["universe.json"]), Program(ir)
        self.schedule: dict[tuple[str, ...], list[tuple[int, list[str]]]] = {}
        for line in files["tick.kernel"].split("\n"):
            words = [plain or quoted for quoted, plain in re.findall(r"`([^`]*)`|(\S+)", line)]
            if words and line[0] != " ":
                body = self.schedule[tuple(words)] = []
            elif words:
                body.append((len(line) - len(line.lstrip()), words))
        tree = ast.parse(files["triton_kernels.py"])
        (function,) = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == kernel]
        names = [
            each.arg
            for each in function.args.args
            if not (each.annotation and "constexpr" in ast.unparse(each.annotation))
        ]
        absent = ("observation_ptr", "final_observation_ptr", "kept_ptr", "elapsed_ptr")
        (tables,) = [
            each.value
            for each in tree.body
            if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "TABLES"
        ]
        arrays = {
            f"{name.replace('.', '_')}_ptr": f"&table{at}" for at, (name, *_) in enumerate(ast.literal_eval(tables))
        }
        arrays |= {each: f"&{each[:-4]}" for each in names if each.endswith("_ptr") and each not in arrays}
        self.arguments = [arrays.get(each, each) for each in names if each not in absent]
        self.tables = {
            f"&table{at}": tuple(literal(type_, repr(row)) for row in rows)
            for at, (_, type_, rows) in enumerate(ast.literal_eval(tables))
        }
        self.rows = self._rows()
        self.variables = self._variables()

    def _rows(self) -> dict[str, list[Row]]:
        """Of each array its rows: the name in the tick IR, the type, and the bounds."""
        of = self.universe
        loose = set(re.findall(r'"meter": "([^"]+)"[^{}]*"clamped": false', json.dumps(of)))
        life, sizes = of["lifespan"], of["space"].get("sizes", ())
        axes = ("x", "y", "z")[: len(sizes)] if len(sizes) <= 3 else tuple(f"x{each}" for each in range(len(sizes)))
        meters: list[Row] = []
        for each in of["meters"]:
            low, high = each.get("reach") or (
                (-LARGEST, LARGEST) if each["name"] in loose else (each["low"], each["high"])
            )
            low, high = (number_of(word_of(end)) for end in (low, high))
            meters.append((f"meter.{each['name']}", "f32", low, high))
        words: dict[str, list[Row]] = {each: [(each, "i32", *ANY)] for each in ("progress", "episode")}
        bits = "alive", "terminated", "truncated", "begins"
        flags: dict[str, list[Row]] = {each: [(each, "bool", 0, 1)] for each in bits}
        floats: dict[str, list[Row]] = {
            each: [(each, "f32", -LARGEST, LARGEST)] for each in ("episode_return", "reward")
        }
        anything: dict[str, list[Row]] = {
            each: [(each, "i32", 0, ONES)] for each in ("layout", "used", "cause", "engaged")
        }
        return {
            **words, **flags, **floats, **anything, "meters": meters,
            "position": [(f"position.{axis}", "i32", 0, size - 1) for axis, size in zip(axes, sizes, strict=True)],
            "age": [("age", "i32", *ANY) if life is None or of["by_hand"] else ("age", "i32", 0, life["ticks"])],
            "hour": [("hour", "i32", 0, of["clock"]["hours"] - 1 if of["clock"] else 0)],
        }  # fmt: skip

    def _variables(self) -> dict[str, tuple[int, float, float, bool]]:
        result: dict[str, tuple[int, float, float, bool]] = {
            "tid": (32, 0, 31, False), "ctaid": (32, 0, MOST_BLOCKS - 1, False), "worlds": (32, 1, MOST_WORLDS, False),
            "waits": (32, 0, 1, False), "&scratch": (64, 0, 2**64 - 1, False),
        }  # fmt: skip
        result |= dict.fromkeys(("first_world", "seed_low", "seed_high", "tick"), (32, 0, ONES, False))
        result |= {f"vote{each}": (32, 0, 1, False) for each in range(1, 99)}
        actions = sum(int(count or 1) for _, count, _ in self.program.functions["mask"][1])
        if "&actions" in self.arguments:
            result["actions[0]"] = 32, 0, actions - 1, False
        result |= {f"mask[{row}]": (8, 0, 1, False) for row in range(actions)}
        for name in self.arguments:
            if name.startswith("&"):
                result[name] = 64, 0, 2**64 - 1, False
                understood = name[1:] in self.rows or name in self.tables or name in ("&actions", "&mask")
                check(understood, "triton_kernels.py", f"the array {name[1:]} is not known here")
                for row, (_, type_, low, high) in enumerate(self.rows.get(name[1:], ())):
                    result[f"{name[1:]}[{row}]"] = 8 if type_ == "bool" else 32, low, high, type_ == "f32"
        return result

    def address(self, context: Context, word: str) -> Term:
        """Where a word of the lane is: arrays are [rows, lanes]."""
        name, row = word[:-1].split("[")
        lane, worlds = lane_of(context), context.variable("worlds")
        index = context.op("mul", context.wide(worlds, 64), context.constant(int(row), 64))
        index = context.op("add", index, context.wide(lane, 64))
        size = context.constant(self.variables[word][0] // 8, 64)
        return context.op("add", context.variable(f"&{name}"), context.op("mul", index, size))


def lane_of(context: Context) -> Term:
    first = context.op("shl", context.variable("ctaid"), context.constant(5, 32))
    return context.op("or", first, context.variable("tid"))


# --- the schedule -----------------------------------------------------------------------------------------------------


class Lane:
    """The words that a schedule leaves in the memory of the lane of a world of one agent."""

    def __init__(self, context: Context, package: Package, words: Mapping[str, Term]) -> None:
        self.context, self.package, self.words = context, package, dict(words)
        self.registers: dict[str, Term] = {}
        self.within = context.constant(1, 1)

    def run(self, body: Sequence[tuple[int, list[str]]]) -> None:
        """Run statements: how far they are indented, and their words."""
        at = 0
        while at < len(body):
            end = next((each for each in range(at + 1, len(body)) if body[each][0] <= body[at][0]), len(body))
            self._statement(body[at][1], body[at + 1 : end])
            at = end

    def _statement(self, words: list[str], body: Sequence[tuple[int, list[str]]]) -> None:
        c, registers, package = self.context, self.registers, self.package
        match words:
            case ["load" | "take", *arrays]:
                for word, register in self._registers_of(arrays or ["begins"]):
                    value = self.words[word]
                    registers[register] = OPERATIONS["ne"](c, value, c.constant(0, 8)) if value.bits == 8 else value
            case ["store", *arrays]:
                at = arrays.index("where") if "where" in arrays else len(arrays)
                where = registers[arrays[at + 1]] if at < len(arrays) else c.constant(1, 1)
                for word, register in self._registers_of(arrays[:at]):
                    self._write(word, registers[register], where)
            case ["agents"]:
                self._set({"agent": c.constant(0, 32), "agents": c.constant(1, 32)})
            case ["counters"]:
                lane = c.op("add", c.variable("first_world"), lane_of(c))
                registers |= {each: c.variable(each) for each in ("tick", "seed_low", "seed_high")}
                registers |= {"lane": lane, "world": lane}
            case ["act"]:
                self._set({"action": c.variable("actions[0]")})
            case ["set", register, "to", source, *equals]:
                value = registers[source]
                self._set({register: c.op("eq", value, c.constant(int(equals[1]), 32)) if equals else value})
            case ["copy", *names, "to", prefix]:
                self._set({f"{prefix}.{each}": registers[each] for each in names})
            case ["call", function]:
                outputs = package.program.call(c, function, registers)
                self._set({name: values[0] for name, values in outputs.items() if len(values) == 1})
            case ["some", register, "of", condition]:
                self._set({register: c.op("and", registers[condition], registers["running"])})
            case ["gain"]:
                self._set({"episode_return": c.op("fadd", registers["episode_return"], registers["reward"])})
            case ["live"]:
                over = c.op("or", registers["terminated"], registers["truncated"])
                self._set({"alive": c.op("and", registers["alive"], c.no(over))})
            case ["end"]:
                waits = OPERATIONS["ne"](c, c.variable("waits"), c.constant(0, 32))
                ended = OPERATIONS["ne"](c, registers["cause"], c.constant(-1, 32))
                self._set({"begins": c.no(c.op("or", registers["alive"], c.op("and", waits, ended)))})
            case ["fill", *names, "with", value]:
                type_ = "bool" if value in ("true", "false") else "f32" if "." in value else "i32"
                self._set(dict.fromkeys(names, c.constant(literal(type_, value), 1 if type_ == "bool" else 32)))
            case ["next"]:
                self._set({"episode": c.op("add", registers["episode"], c.constant(1, 32))})
            case ["allow", *wait]:
                masks = [each for values in package.program.call(c, "mask", registers).values() for each in values]
                for row, may in enumerate(masks):
                    idle = c.constant(bool(wait) and row == int(wait[1]), 1)
                    self._write(
                        f"mask[{row}]", c.op("ite", registers["alive"], may, idle) if wait else may, c.constant(1, 1)
                    )
            case ["within", condition]:
                outside, self.within = self.within, c.op("and", self.within, registers[condition])
                self.run(body)
                self.within = outside
            case ["do", routine]:
                self.run(package.schedule["routine", routine])
            case ["if", "counting" | "every_tick" | "last_only" | "shown"] | ["observe", *_]:
                pass  # a step counts nothing, and the launch has no observations
            case _:
                raise RefusedError(f"tick.kernel: `{' '.join(words)}` is not known here")

    def _registers_of(self, arrays: list[str]) -> Iterator[tuple[str, str]]:
        for array in arrays:
            yield from ((f"{array}[{row}]", register) for row, (register, *_) in enumerate(self.package.rows[array]))

    def _set(self, values: Mapping[str, Term]) -> None:
        for name, value in values.items():
            before = self.registers.get(name)
            self.registers[name] = value if before is None else self.context.op("ite", self.within, value, before)

    def _write(self, word: str, value: Term, where: Term) -> None:
        stored = self.context.wide(value, 8) if value.bits == 1 else value
        self.words[word] = self.context.op("ite", where, stored, self.words[word])


# --- PTX --------------------------------------------------------------------------------------------------------------

REGISTERS = re.compile(r"\.reg \.(\w+)\s+(%\w+)<(\d+)>;")
INSTRUCTION = re.compile(r"(?:@(!?)(%\w+)\s+)?([a-z][\w.]*)(?:\s+([^;]*))?;")
OPERAND = re.compile(r"\{[^}]*\}|\[[^]]*\]|[^,\s]+")
HEADER = re.compile(r"\.(version|target|address_size|extern|visible \.entry|maxnreg)\b.*|\)|\.reqntid 32")
PARAMETER = re.compile(r"\.param \.u(32|64) (?:\.ptr \.global \.align \d+ )?(\w+),?")


class UndecidedError(Exception):
    """A branch may go both ways."""


def bare(text: str) -> str:
    """A PTX text without comments, and without what debuggers read: the lines that say where code is from, and what
    stands behind the kernel. Nothing is left out behind which another kernel stands."""
    lines = [line.rstrip() for line in re.sub(r"//[^\n]*", "", text).split("\n")]
    lines = [line for line in lines if line and not re.match(r"\s*\.(loc|file)\b", line)]
    end = lines.index("}") + 1 if "}" in lines else len(lines)
    hidden = any(re.search(r"\.(entry|func)\b", line) for line in lines[end:])
    return "\n".join(lines if hidden else lines[:end]) + "\n"


class Kernel:
    """The only kernel of a PTX text."""

    def __init__(self, text: str) -> None:
        self.parameters: list[tuple[str, int]] = []
        self.widths: dict[str, int] = {}
        self.labels: dict[str, int] = {}
        self.code: list[tuple[int, tuple[str, bool] | None, str, list[str]]] = []
        part = "head"
        for number, line in enumerate((each.strip() for each in text.split("\n")), 1):
            if not line or line.startswith((".pragma", ".local")):
                understood = True
            elif line in ("{", "}"):
                understood, part = part == ("head" if line == "{" else "body"), "body" if line == "{" else "tail"
            elif part == "head":
                understood = HEADER.fullmatch(line) is not None
                if match := PARAMETER.fullmatch(line):
                    understood = not self.parameters.append((match[2], int(match[1])))  # type: ignore[func-returns-value]
            elif part == "tail":
                understood = False
            elif match := REGISTERS.fullmatch(line):
                bits = 1 if match[1] == "pred" else int(match[1][1:])
                self.widths |= {f"{match[2]}{each}": bits for each in range(int(match[3]))}
            elif match := re.fullmatch(r"(\$\w+):", line):
                self.labels[match[1]] = len(self.code)
            elif match := INSTRUCTION.fullmatch(line):
                guard = (match[2], match[1] == "!") if match[2] else None
                operands = [each.strip("{}[] ") for each in OPERAND.findall(match[4] or "")]
                self.code.append((number, guard, match[3], operands))
            else:
                understood = part == "body" and line.startswith(".reg ")
            check(understood, f"PTX, line {number}", f"`{line}` is not known here")
        check(
            part == "tail" and re.search(r"^\.reqntid 32$", text, re.M), "PTX", "no whole kernel of 32 threads a block"
        )


@dataclass
class Thread:
    """One thread, any of its block, executes a kernel. A `blind` one knows nothing of memory but tables: it finds out
    what holds for all threads, up to its first undecided branch: in which votes none votes, and their rows."""

    context: Context
    kernel: Kernel
    package: Package
    words: dict[str, Term]
    blind: Thread | None = None
    stored: list[tuple[str, str, Term]] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    agreed: dict[int, list[int] | None] = field(default_factory=dict)
    executed: int = 0
    votes: int = 0
    place: str = "PTX"

    def run(self) -> None:
        c, package, kernel = self.context, self.package, self.kernel
        arguments = [c.constant(1, 32) if each == "agents" else c.variable(each) for each in package.arguments]
        arguments += [c.variable("&scratch")] * (len(kernel.parameters) - len(arguments))
        fit = [bits for _, bits in kernel.parameters] == [each.bits for each in arguments]
        check(fit, "PTX", "its parameters are not the kernel's")
        self.parameters = {name: term for (name, _), term in zip(kernel.parameters, arguments, strict=True)}
        self.tables = {c.variable(name): rows for name, rows in package.tables.items()}
        self.places = {package.address(c, word): word for word in self.words} if self.blind else {}
        self.registers: dict[str, Term] = {}
        at = 0
        while at < len(kernel.code):
            line, guard, opcode, operands = kernel.code[at]
            self.place, self.executed, at = f"PTX, line {line}", self.executed + 1, at + 1
            check(self.executed <= MOST_EXECUTED, self.place, f"more than {MOST_EXECUTED} instructions are executed")
            where = c.constant(1, 1) if guard is None else self.registers[guard[0]]
            where = c.no(where) if guard is not None and guard[1] else where
            if opcode in ("bra", "bra.uni", "ret"):
                if where.value is None:
                    raise UndecidedError
                if where.value and opcode == "ret":
                    return
                at = kernel.labels[operands[0]] if where.value else at
            elif where.value != 0 and not opcode.startswith("bar."):
                self._instruction(opcode, operands, where)

    def _instruction(self, opcode: str, operands: list[str], where: Term) -> None:
        target, *sources = operands
        if match := re.fullmatch(r"(ld|st)\.global\.b(8|16|32|64)", opcode):
            bits, base, *offset = int(match[2]), *re.split(r"\s*\+\s*", (operands[match[1] == "ld"])), "0"
            address = self.context.op("add", self.source(base, 64), self.context.constant(int(offset[0], 0), 64))
            if match[1] == "st":
                self._store(address, self.context.wide(self.source(sources[0], max(bits, 16)), bits), where)
                return
            value = self.context.wide(self._load(address, bits), max(bits, 16))
        elif opcode == "mov.b64" and "," in target:  # both halves of a word
            low, high = target.split(",")
            word = self.source(sources[0], 64)
            if low.strip() != "_":
                self._write(low.strip(), self.context.wide(word, 32), where)
            target = high.strip()
            value = self.context.wide(self.context.op("lshr", word, self.context.constant(32, 64)), 32)
        else:
            value = self._result(opcode, sources)
        if target != "_":
            self._write(target, value, where)

    def _write(self, target: str, value: Term, where: Term) -> None:
        check(self.kernel.widths.get(target) == value.bits, self.place, f"{target} does not take {value.bits} bits")
        one = where.value == 1
        self.registers[target] = value if one else self.context.op("ite", where, value, self.registers[target])

    def source(self, operand: str, bits: int) -> Term:
        if operand in ("%tid.x", "%laneid", "%ctaid.x"):
            return self.context.variable("ctaid" if operand == "%ctaid.x" else "tid")
        if operand in self.registers:
            term = self.registers[operand]
            check(term.bits >= bits, self.place, f"{operand} has {term.bits} bits, not {bits}")
            return term if term.bits == bits else self.context.wide(term, bits)
        if re.fullmatch(r"0f[0-9A-Fa-f]{8}", operand):
            return self.context.constant(int(operand[2:], 16), 32)
        check(re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|0|[1-9]\d*)U?", operand), self.place, f"{operand} is not known here")
        value = int(operand.rstrip("U"), 0)
        return self.context.constant(value != 0 if bits == 1 else value, bits)

    def _result(self, opcode: str, sources: list[str]) -> Term:
        c, (name, *modifiers) = self.context, opcode.split(".")
        match = re.fullmatch(r"pred|([bsuf])(8|16|32|64)", modifiers[-1] if modifiers else "")
        if match is not None:
            bits, with_sign = int(match[2] or 1), match[1] == "s"
            of = [self.source(each, 1 if name == "selp" and at == 2 else bits) for at, each in enumerate(sources)
                  if not (name in ("ld", "mad") and modifiers[0] in ("param", "wide"))]  # fmt: skip
            name_of = next(
                (name_of.expand(to) for understood, to in PTX.items() if (name_of := re.fullmatch(understood, opcode))),
                None,
            )
            match name, modifiers[:-1]:
                case _ if name_of is not None:
                    return OPERATIONS[name_of](c, *of)
                case "ld", ["param"]:
                    return self.parameters[sources[0]]
                case (("redux" | "shfl"), _):
                    return self._together(opcode, of)
                case (("mul" | "mad"), ["wide"]):
                    a, b = (c.wide(self.source(each, bits), 2 * bits, with_sign) for each in sources[:2])
                    product = c.op("mul", a, b)
                    return product if name == "mul" else c.op("add", product, self.source(sources[2], 2 * bits))
                case (("shl" | "shr"), []):
                    amount = self.source(sources[1], 32)
                    if bits != 32 and amount.value is not None:
                        amount = c.constant(min(amount.value, bits), bits)
                    if amount.bits == bits:
                        return c.op("shl" if name == "shl" else "ashr" if with_sign else "lshr", of[0], amount)
                case "div", [] if of[0] is of[1] and c.words(of[0])[0] > 0:
                    return c.constant(1, bits)
                case "cvt", [to] if to[0] != "f" and match[1] != "f":
                    return c.wide(of[0], int(to[1:]), with_sign)
                case "bfe", [] if bits == 32:
                    first, count = of[1].value, of[2].value
                    if first is not None and count is not None and 0 < count <= 32 - first:
                        left = c.op("shl", of[0], c.constant(32 - first - count, 32))
                        return c.op("ashr" if with_sign else "lshr", left, c.constant(32 - count, 32))
        raise RefusedError(f"{self.place}: {opcode} is not known here")

    def _load(self, address: Term, bits: int) -> Term:
        c, parts, rows = self.context, [address], None
        if address in self.places:
            self.loaded.append(self.place)
            value = self.words[self.places[address]]
            check(value.bits == bits, self.place, f"a load of {bits} bits of a word of {value.bits}")
            return value
        rest = c.constant(0, 64)
        while parts:
            part = parts.pop()
            if part.op == "add":
                parts += part.operands
            elif part in self.tables and rows is None:
                rows = self.tables[part]
            else:
                rest = c.op("add", rest, part)
        if self.blind is None:
            offsets = self._of_threads(rest)
            if rows and offsets and bits == 32 and all(each % 4 == 0 and each < 4 * len(rows) for each in offsets):
                return c.make("table", 32, (c.variable("tid"),), tuple(rows[each // 4] for each in offsets))
            name = f"load {self.executed}"
            c.variables[name] = bits, 0, (1 << bits) - 1, False
            return c.variable(name)
        check(rows is not None and bits == 32, self.place, "a load from where no word of the lane is known to be")
        assert rows is not None
        inside = c.op("ult", rest, c.constant(4 * len(rows), 64))
        aligned = c.op("eq", c.op("and", rest, c.constant(3, 64)), c.constant(0, 64))
        check(inside.value == aligned.value == 1, self.place, "a load that may be beyond a table")
        return c.make("table", 32, (c.wide(c.op("lshr", rest, c.constant(2, 64)), 32),), rows)

    def _store(self, address: Term, value: Term, where: Term) -> None:
        check(address in self.places, self.place, "a store to where no word of the lane is known to be")
        word = self.places[address]
        before = self.words[word]
        check(before.bits == value.bits, self.place, f"a store of {value.bits} bits to a word of {before.bits}")
        self.stored.append((self.place, word, where))
        self.words[word] = self.context.op("ite", where, value, before)

    def _of_threads(self, term: Term) -> list[int] | None:
        """The values of a term in the 32 threads of a warp, if it is a function of the thread's number."""
        c, own = self.context, self.context.variable("tid")
        values = [c.copy(term, {own: c.constant(each, 32)}).value for each in range(32)]
        return None if None in values else [each or 0 for each in values]

    def _together(self, opcode: str, operands: list[Term]) -> Term:
        c, value, agreed = self.context, operands[0], (self.blind or self).agreed
        check(operands[-1].value == ONES, self.place, "not all threads take part")
        if opcode == "shfl.sync.idx.b32" and operands[2].value == 31:
            own = self._of_threads(value)
            if self.blind is None:
                agreed[self.executed] = own
            check(own and agreed.get(self.executed) == own, self.place, "what another thread has is not known")
            return c.copy(value, {c.variable("tid"): c.op("and", operands[1], c.constant(31, 32))})
        check(re.fullmatch(r"redux\.sync\.(max\.[su]32|or\.b32)", opcode), self.place, f"{opcode} is not known here")
        if self.blind is None and value.value == 0:
            agreed[self.executed] = None
        if value.value == 1 or (value.value == 0 and self.executed in agreed):
            return value
        check(c.words(value)[1] <= 1, self.place, "a vote on more than 0 and 1")
        self.votes += 1
        return c.op("or", value, c.variable(f"vote{self.votes}"))


# --- certificates -----------------------------------------------------------------------------------------------------

Chain = tuple[tuple[int, bool], ...]
RULES = {
    "division": (20, Context.divides),
    "sign of a product": (21, Context.opposite),
    "clamp of a clamp": (22, Context.clamps),
    "bounds": (23, Context.decides),
    "order": (25, Context.order),
    "sign": (26, Context.below_zero),
    "sign of a sum": (27, Context.sum_below_zero),
    "extreme": (28, Context.extreme),
    "operands": (29, Context.again),
    "sums": (35, Context.sums),
}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def packed(data: Any) -> bytes:
    return json.dumps(data, sort_keys=True, separators=(",", ":")).encode()


class Certificate:
    """A certificate of the package in a folder, and what was checked of it."""

    def __init__(self, folder: Path, path: Path, asks: bool = True) -> None:
        self.data: dict[str, Any] = json.loads(path.read_text())
        self.solver, self.used, self.nodes = Solver(asks), Counter[str](), self.data["nodes"]
        self.words: list[str] = []
        self.executed = self.cases = 0
        check(self.data["format"] == FORMAT, path.name, f"its format is {self.data['format']}, not {FORMAT}")
        rest = {key: value for key, value in self.data.items() if key != "sha256"}
        check(self.data["sha256"] == digest(packed(rest)), path.name, "it was changed after it was written")
        files = {name: (folder / name).read_bytes() for name in FILES}
        for name, content in files.items():
            check(
                self.data["files"][name] == digest(content),
                f"{folder.name}/{name}",
                "the certificate is of another one",
            )
        texts = {name: content.decode() for name, content in files.items()}
        self.package = Package(texts, self.data["ir"], self.data["kernel"])
        self.kernel = Kernel(self.data["ptx"])
        for name, bounds in self.package.variables.items():
            claimed = self.data["premises"].get(name, list(bounds) if name.startswith("vote") else None)
            check(claimed == list(bounds), f"premise {name}", f"{claimed} is not {list(bounds)}")
        for at, (_, _, operands, *_) in enumerate(self.nodes):
            check(
                all(0 <= each < at for each in operands), f"node {at}", "a cycle: it is made of a node that comes later"
            )

    def attest(self) -> None:
        """Check all cases.

        Raises:
            RefusedError: something is not as the certificate says.
        """
        self.blind = Thread(Context(self.package.variables, self.used), self.kernel, self.package, {})
        self.blind.context.by_bounds = True
        with contextlib.suppress(UndecidedError, RefusedError):  # it finds out as much as it can
            self.blind.run()
        self._cases(self.data["cases"], (), "case", None)

    def _context(self, chain: Chain, outer: Context | None) -> Context:
        """A context under conditions."""
        context = Context(self.package.variables, self.used, outer)
        for number, holds in chain:
            context.assume(self._node(context, number), holds)
        return context

    def _node(self, context: Context, root: int) -> Term:
        """The term of a node in a context: the one that was made of its operands' terms, or would be now."""
        stack = [root]
        while stack:
            op, bits, operands, *attribute = self.nodes[stack[-1]]
            missing = [each for each in operands if each not in context.nodes]
            stack += missing
            if not missing:
                attached = tuple(attribute[0]) if op == "table" else attribute[0] if attribute else None
                of = tuple(context.nodes[each] for each in operands)
                context.nodes[stack.pop()] = context.made(op, bits, of, attached)
        return context.nodes[root]

    def _cases(self, tree: Any, chain: Chain, place: str, outer: Context | None) -> None:
        """Check a case, or the two sides of a condition and what is so on both."""
        context = self._context(chain, outer)
        if isinstance(tree, list):
            condition, steps, yes, no = tree
            self._replay(context, chain, steps, place)
            self._cases(yes, (*chain, (condition, True)), f"{place}, yes", context)
            self._cases(no, (*chain, (condition, False)), f"{place}, no", context)
            return
        self.cases += 1
        self._replay(context, chain, tree["steps"], place)
        words = {name: context.variable(name) for name in self.package.variables if name[-1] == "]"}
        lane, thread = (
            Lane(context, self.package, words),
            Thread(context, self.kernel, self.package, dict(words), self.blind),
        )
        inside = context.op("slt", lane_of(context), context.variable("worlds"))
        check(inside.value is not None, place, "whether the lane is one of the launch is not decided")
        try:
            thread.run()
        except UndecidedError:
            raise RefusedError(f"{place}, {thread.place}: a branch is not decided") from None
        self.executed = max(self.executed, thread.executed)
        if inside.value == 0:
            check(not thread.loaded, f"{place}, {thread.loaded}", "a load of a thread without a lane")
            for line, word, where in thread.stored:
                check(where.value == 0, f"{place}, {line}", f"a store to {word} of a thread without a lane")
                self.words.append(word)
            return
        lane.run(self.package.schedule["kernel", self.data["kernel"]])
        for word in words:
            self._same(
                context, chain, lane.words[word], thread.words[word], tree["words"].get(word), f"{place}, word {word}"
            )
            self.words.append(word)

    def _same(self, context: Context, chain: Chain, left: Term, right: Term, split: Any, place: str) -> None:
        """Check that two terms are one, or are so on both sides of a condition."""
        if split is None:
            check(left is right, place, "the two terms are not equal in the end")
            return
        condition, *sides = split
        for holds, (steps, inner) in zip((True, False), sides, strict=True):
            under = (*chain, (condition, holds))
            side, where = self._context(under, context), f"{place}, {'yes' if holds else 'no'}"
            self._replay(side, under, steps, where)
            self._same(side, under, side.copy(left), side.copy(right), inner, where)

    def _replay(self, context: Context, chain: Chain, steps: list[Any], place: str) -> None:
        for entry in steps:
            if isinstance(entry, list):
                at, side, number = entry
                self._step(context.sides[at][side], chain, number, f"{place}, side {side}")
            else:
                self._step(context, chain, entry, place)

    def _tell_apart(self, context: Context, chain: Chain, cover: int, conditions: list[int], place: str) -> None:
        """Have sides of a context, one of which holds in each state."""
        check(context.one(self._node(context, cover)).value == 1, place, "it is not shown that one of the sides holds")
        check(set(self._parts("or", cover, set(conditions))) <= set(conditions), place, "a side is missing")
        sides: list[Context] = []
        for condition in conditions:
            side = self._context(chain, context)
            for each in self._parts("and", condition):
                side.assume(side.copy(self._node(context, each), {}), True)
            sides.append(side)
        context.sides.append(sides)

    def _parts(self, op: str, node: int, whole: Set[int] = frozenset()) -> list[int]:
        """The nodes that a node joins by an operation, in order, down to those that are `whole`."""
        stack, parts = [node], dict[int, bool]()
        while stack:
            each = stack.pop()
            if each not in parts:
                parts[each] = each in whole or self.nodes[each][0] != op
                stack += [] if parts[each] else self.nodes[each][2][::-1]
        return [each for each, is_part in parts.items() if is_part]

    def _step(self, context: Context, chain: Chain, number: int, place: str) -> None:
        one, other, reason, *more = self.data["steps"][number]
        left, right, here = self._node(context, one), self._node(context, other), f"{place}, step {number}"
        self.used[reason] += 1
        check(left.bits == right.bits, here, "the two terms have different widths")
        if reason == "query":
            said = {self._node(context, each) for each in more[0]}
            self.solver.ask(Question(context, left, right, said).text, here)
        elif reason == "cover":
            self._tell_apart(context, chain, one, more[0], here)
            return
        elif reason == "sides":
            check(0 <= more[0] < len(context.sides), here, "there are no such sides")
            same = all(side.copy(left) is side.copy(right) for side in context.sides[more[0]])
            check(same, here, "the two terms are not equal on all sides")
        elif reason == "cases":
            self._same(context, chain, left, right, more[0], here)
        elif reason == "choice":
            opened = {self._node(context, each) for each in more[1]}
            condition = self._node(context, more[0])
            fits = condition.bits == 1 and context.choice(left, right, condition, opened)
            check(fits, here, "rule 24 does not fit")
        else:
            check(reason in RULES, here, f"{reason} is no reason")
            rule, holds = RULES[reason]
            check(holds(context, left, right) or holds(context, right, left), here, f"rule {rule} does not fit")
        context.merge(left, right)

    def lines(self) -> Iterator[str]:
        """Lines about what was proven, by what, and what was not."""
        data, asked = self.data, len(self.solver.texts)
        yield (
            f"{data['universe']}, {data['kernel']}, {data['architecture']}: "
            f"{len(self.words)} words hold in {self.cases} cases"
        )
        program = digest(data["ir"].encode())[:16]
        yield f"PTX {data['ptx_sha256'][:16]} of Triton {data['triton']} against tick IR {program}"
        yield "by " + ", ".join(f"{count} {name}" for name, count in sorted(self.used.items()))
        solver = self.solver.bitwuzla
        yield f"{asked} different queries, " + (
            f"asked again of bitwuzla {solver.version()}" if solver else "TAKEN ON TRUST: no solver"
        )
        arrays = [self.package.rows[each[1:]] for each in self.package.arguments if each[1:] in self.package.rows]
        rows = [row for rows in arrays for row in rows if row[2:] not in ((0, ONES), (0, 1), ANY)]
        yield "premises  " + "; ".join(f"{name} in {low:g} .. {high:g}" for name, _, low, high in rows)
        yield from (f"          {each}" for each in PREMISES)
        yield from (f"trusted   {each}" for each in TRUSTED)
        yield f"unproven  {UNPROVEN}"


def beside(folder: Path, kernel: str = "step") -> Path:
    """Where the certificate of a package is, unless it is said."""
    of = "" if kernel == "step" else f".{kernel}"
    return folder.resolve().with_name(f"{folder.resolve().name}{of}.proof.json")


def attested(folder: Path, path: Path | None = None, asks: bool = True, ptx: str | None = None) -> Certificate:
    """The certificate of a package, after it was checked; `ptx` is the text that is executed, where that is at hand.

    Raises:
        RefusedError: it is not one, or something in it is wrong.
    """
    path = path or beside(folder)
    try:
        certificate = Certificate(folder, path, asks)
        if ptx is not None:
            pairs_of = zip(bare(ptx).split("\n"), certificate.data["ptx"].split("\n"), strict=False)
            other = next((f"line {at}" for at, (one, two) in enumerate(pairs_of, 1) if one != two), "its length")
            check(
                bare(ptx) == certificate.data["ptx"],
                f"PTX, {other}",
                "the certificate is of another text, as of another Triton",
            )
        certificate.attest()
    except OSError as error:
        raise RefusedError(f"{error.filename}: {error.strerror}") from None
    except (KeyError, ValueError, TypeError, IndexError, AttributeError, RecursionError, OverflowError) as error:
        raise RefusedError(f"{path.name}: it is no certificate ({type(error).__name__}: {error})") from error
    return certificate


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the certificate of a package.")
    parser.add_argument("package", type=Path)
    parser.add_argument("--certificate", type=Path, help="beside the package by default: NAME.proof.json")
    parser.add_argument("--ptx", type=Path, help="the text that is executed, to be compared with the certificate's")
    parser.add_argument("--trust-queries", action="store_true", help="ask no solver")
    arguments = parser.parse_args()
    try:
        ptx = arguments.ptx.read_text() if arguments.ptx else None
        certificate = attested(arguments.package, arguments.certificate, not arguments.trust_queries, ptx)
    except RefusedError as error:
        print(f"refused: {error}")
        return 1
    print("\n".join(certificate.lines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
