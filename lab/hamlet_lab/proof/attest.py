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
import operator
import re
import struct
import sys
from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from fractions import Fraction
from functools import cache, cached_property, reduce
from itertools import product, repeat
from pathlib import Path
from typing import Any, NamedTuple

FORMAT = 5
FILES = ("universe.json", "tick.kernel", "triton_kernels.py")
SIGN, NAN, INFINITY, COUNTS, ONES = 1 << 31, 0x7FFFFFFF, 0x7F800000, (1 << 31) - 1, (1 << 32) - 1
EXACT = 2.0**24
LARGEST = float((2 - 2**-23) * 2.0**127)
MOST_EXECUTED, MOST_NEAR, SECONDS, WARP = 100_000, 4096, 60, 32
MOST_SCATTERED = 256
SAID = """premises  {bounds}
          worlds have {agents}, and there are 1 to {worlds}; no observations are made
          all {block} threads of a block run; {together}
          arrays and tables lie apart, are large enough, begin at multiples of 16; tables hold what the package says
trusted   the rules (docs/proof.md says how each was proven), this file, Python
trusted   that the lowered tick IR says what the universe says, and that launchers keep to the premises (both by tests)
unproven  ptxas, the driver and the chip; other kernels, and launches with observations or of other numbers of agents"""
APART = "no thread reads what another one may write"
AT_ONCE = "threads of a warp execute each instruction together, so all load before one of them stores"


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
    size = abs(Fraction(value))
    if not size:
        return zero
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent = max(exponent - (size < Fraction(2) ** exponent), -126)
    mantissa = round(size / Fraction(2) ** (exponent - 23))
    return min(mantissa + (exponent + 126 << 23), INFINITY) | (SIGN if value < 0 else 0)


def single(value: float) -> float:
    return number_of(word_of(value))


def word_of_exact(number: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def exact(word: int) -> Fraction:
    """The number of a word; there is none of an infinity or a NaN."""
    return Fraction(number_of(word))


def signed(value: int, bits: int) -> int:
    return value - ((value >> bits - 1) << bits)


MEANINGS: dict[str, Callable[..., int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "mulhi": lambda a, b: a * b >> 32,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor, "shl": lambda a, b: a << min(b, 64),
    "lshr": operator.rshift, "ashr": operator.rshift, "udiv": lambda a, b: a // b if b else -1,
    "urem": lambda a, b: a % b if b else a, **dict.fromkeys(("zext", "low", "sext"), lambda a: a),
    "eq": operator.eq, "ult": operator.lt, "ule": operator.le, "slt": operator.lt, "sle": operator.le,
    "flt": lambda a, b: number_of(a) < number_of(b), "fle": lambda a, b: number_of(a) <= number_of(b),
    "feq": lambda a, b: number_of(a) == number_of(b),
    "fadd": lambda a, b: word_of(exact(a) + exact(b), a & b & SIGN),
    "fmul": lambda a, b: word_of(exact(a) * exact(b), (a ^ b) & SIGN),
    "fdiv": lambda a, b: word_of(exact(a) / exact(b), (a ^ b) & SIGN),
    "fma": lambda a, b, c: word_of(exact(a) * exact(b) + exact(c), (a ^ b) & c & SIGN),
    "fmin": lambda a, b: a | b if exact(a) == exact(b) else min(a, b, key=exact),
    "fmax": lambda a, b: a & b if exact(a) == exact(b) else max(a, b, key=exact),
    **dict.fromkeys(("tofloat", "unsignedtofloat"), word_of),
}  # fmt: skip
"""Operations on words, as far as they are computed (rule 1); the result wraps. Those in SIGNED have signed operands."""
SIGNED = {"sext", "ashr", "slt", "sle", "tofloat"}
COMMUTATIVE = {"add", "mul", "and", "or", "xor", "eq", "fadd", "fmul", "feq", "mulhi"}
PREDICATES = {"eq", "ult", "ule", "slt", "sle", "flt", "fle", "feq"}
RISING = {"add", "mul", "mulhi", "zext", "low", "sext", "shl", "lshr", "ashr", "udiv"}
SINGLE = {"fsqrt", "tofloat", "unsignedtofloat", "table"}
NUMBERS = {"fadd", "fmul", "fdiv", "fma", "fsqrt", "fmin", "fmax", "tofloat", "unsignedtofloat"}

# --- patterns: terms as they are written, in rules and in operations of PTX and the tick IR ----------------------

Pattern = Any  # a name, a number, or an operation and its operands
INFIX = {"Add": "add", "Sub": "sub", "Mult": "mul", "BitAnd": "and", "BitOr": "or", "BitXor": "xor", "LShift": "shl"}


@cache
def pattern(text: str) -> Pattern:
    """A pattern by its text: `ite(c, x, y + 1)`. A number has the width of what stands beside it."""

    def of(node: ast.AST) -> Pattern:
        match node:
            case ast.Name(id=name):
                return name
            case ast.Constant(value=int(value)):
                return value
            case ast.UnaryOp(op=op, operand=operand):
                return -of(operand) if isinstance(op, ast.USub) else ("xor", (of(operand), -1))
            case ast.BinOp(left=left, op=op, right=right):
                return INFIX[type(op).__name__], (of(left), of(right))
            case ast.Call(func=ast.Name(id=name), args=operands):
                return name, tuple(map(of, operands))
            case _:
                raise ValueError(text)

    return of(ast.parse(text, mode="eval").body)


KINDS: dict[str, Callable[[Context, Term], object]] = {
    "p": lambda _, term: term.bits == 1,
    "k": lambda _, term: term.value is not None,
    "h": lambda _, term: term.value not in (None, SIGN) and magnitude(term) < INFINITY,
    "i": lambda _, term: term.value is not None and 0 < magnitude(term) < INFINITY,
    "f": lambda context, term: context.ends(term),
    "r": lambda context, term: context.finite(term),
    "d": lambda context, term: context.canonical(term) and context.positive(term),
    "q": lambda _, term: not term.chooses_constants(),
    "w": lambda context, term: context.canonical(term),
    "n": lambda context, term: context.words(term)[1] <= COUNTS,
}
KINDS |= {"m": KINDS["k"], "j": KINDS["h"], "g": KINDS["f"], "s": KINDS["r"]}
"""The names that stand for some terms alone: p of one bit; constants k, m, of which h, j are finite numbers other than
-0, and i other than 0, too; numbers f, g, and finite ones r, s; w a number or the NaN that operations make, of which d
is never -0; q no choice of two h; n a word that is not below 0."""
SIMPLE = """
3 ite(1, x, y) = x; 3 ite(0, x, y) = y; 4 ite(c, x, x) = x; 30 ite(~c, x, y) = ite(c, y, x)
5 ite(c, 1, p) = c | p; 5 ite(c, 0, p) = ~c & p; 5 ite(c, p, 1) = ~c | p; 5 ite(c, p, 0) = c & p
6 x & x = x; 6 x | x = x; 7 x & 0 = 0; 7 x | -1 = -1; 8 x & -1 = x; 8 x | 0 = x
9 x + 0 = x; 9 x - 0 = x; 9 x ^ 0 = x; 9 x << 0 = x; 9 lshr(x, 0) = x; 9 ashr(x, 0) = x
10 x ^ x = 0; 11 (x ^ k) ^ m = x ^ (k ^ m); 12 x * 0 = 0; 12 x * 1 = x
13 eq(x, x) = 1; 14 eq(p, 1) = p; 14 eq(p, 0) = ~p; 17 fadd(0x80000000, w) = w
18 fadd(q, ite(c, h, j)) = ite(c, fadd(q, h), fadd(q, j)); 18 fmul(q, ite(c, h, j)) = ite(c, fmul(q, h), fmul(q, j))
"""
"""Rules that are applied to each term as it is made."""
STEPS = """
21 fmul(r, h) = fmul(r, h ^ 0x80000000) ^ 0x80000000; 21 fmul(r ^ 0x80000000, s) = fmul(r, s) ^ 0x80000000
25 fle(f, g) = ~flt(g, f)
26 ult(0x80000000, f) = flt(f, 0)
27 flt(fadd(f, h), 0) = flt(f, h ^ 0x80000000)
28 fmax(f, i) = ite(flt(f, i), i, f); 28 fmax(d, 0) = ite(flt(d, 0), 0, d)
28 fmin(f, i) = ite(flt(i, f), i, f); 28 fmin(d, 0) = ite(flt(0, d), 0, d)
36 fmul(x, 0x40000000) = fadd(x, x)
38 unsignedtofloat(n) = tofloat(n); 39 fma(x ^ 0x80000000, k, y) = fma(x, k ^ 0x80000000, y)
43 tofloat(ite(c, x, y)) = ite(c, tofloat(x), tofloat(y))
44 fmul(w, 0x3f800000) = w; 45 fadd(d, 0) = d
48 ite(c, x ^ 0x80000000, y) = ite(c, x, y ^ 0x80000000) ^ 0x80000000
48 ite(c, x, y ^ 0x80000000) = ite(c, x ^ 0x80000000, y) ^ 0x80000000
"""
"""Rules that steps name."""
CLAMPS = "ite(flt(f, h), h, f)", "ite(flt(h, f), h, f)"


def rules(text: str) -> Iterator[tuple[int, Pattern, Pattern]]:
    """The numbers of rules, and both sides."""
    for number, left, right in re.findall(r"(\d+) ([^;\n]+) = ([^;\n]+)", text):
        yield int(number), pattern(left), pattern(right)


def constants(of: Pattern) -> list[int]:
    """The operands of a pattern, in the order that it has, that must be constants."""
    places = [at for at, each in enumerate(of[1]) if isinstance(each, int) or each in ("k", "m")]
    return places if of[0] not in ("fadd", "fmul") else []


# --- terms ------------------------------------------------------------------------------------------------------------


class Term:
    """An operation on terms; an object of its own in its context."""

    __slots__ = ("attribute", "bits", "number", "op", "operands", "value")

    def __init__(self, number: int, op: str, bits: int, operands: tuple[Term, ...], attribute: Any) -> None:
        self.number, self.op, self.operands, self.attribute = number, op, operands, attribute
        self.bits: int = bits
        self.value: int | None = attribute if op == "constant" else None

    def chooses_constants(self) -> bool:
        """Whether it is one of two finite constants other than -0."""
        finite = (each.value not in (None, SIGN) and magnitude(each) < INFINITY for each in self.operands[1:])
        return self.op == "ite" and all(finite)


Variable = tuple[int, float, float, bool]
Ends = tuple[float, float, float]
"""The least and the greatest number that a term may be, and how near to 0 it comes where it is not 0."""


def magnitude(constant: Term) -> int:
    return (constant.value or 0) & ~SIGN


class Context:
    """Terms under premises. Equal terms are one: by their shape, by rules, by merges. `variables` have bits, the least
    and the greatest value, and whether these are numbers in binary32. What was proven in the context that it is a side
    of, `outer`, holds in it. With `by_bounds` terms that can be one word alone are that word."""

    BY_OP: Mapping[str, list[tuple[list[int], int, Pattern, Pattern]]] = {
        op: [(constants(each[1]), *each) for each in rules(SIMPLE) if each[1][0] == op]
        for op in {each[1][0] for each in rules(SIMPLE)}
    }

    def __init__(
        self,
        variables: Mapping[str, Variable],
        used: Counter[str],
        outer: Context | None = None,
        by_bounds: bool = False,
    ) -> None:
        self.variables, self.used, self.outer, self.by_bounds = dict(variables), used, outer, by_bounds
        self.premises, self.sides, self.nodes = list[Term](), list[list[Context]](), dict[int, Term]()
        self._made, self._results, self._instead = dict[Any, Term](), dict[Any, Term](), dict[Term, Term]()
        self._twins, self._of_twins, self._copied = dict[Term, Term](), dict[Term, Term](), dict[Term, Term]()
        self.facts: dict[Term, list[tuple[str, bool, int]]] = {}
        self._words: dict[Term, tuple[int, int]] = {}
        self._ends: dict[Term, Ends | None] = {}

    def under(self, condition: Term) -> Context:
        """The side of the context on which a condition holds, and each that it joins by `and`."""
        side, stack = Context(self.variables, self.used, self), [condition]
        while stack:
            each = stack.pop()
            if each.op == "and":
                stack += each.operands[::-1]
            else:
                side.assume(side.copy(each, {}))
        return side

    def assume(self, premise: Term) -> None:
        """Take a condition for true, and what follows of it (rule 31)."""
        check(premise.bits == 1, "a condition", f"it has {premise.bits} bits, not 1")
        self.premises.append(premise)
        self.merge(premise, self.constant(1, 1))
        left, right, *_ = (*premise.operands, premise, premise)
        if premise.op == "and":
            self.assume(left)
            self.assume(right)
        elif premise.op == "xor" and right.value == 1:
            self.merge(left, self.constant(0, 1))
        elif premise.op == "eq" and right.value is not None:
            self.merge(left, right)
            if left.op == "ite":  # what is not one side of a choice is the other
                condition, *both = left.operands
                for side, other, which in zip(both, both[::-1], (condition, self.no(condition)), strict=True):
                    if which is premise:
                        self.merge(condition, self.constant(which is condition, 1))
                    elif other.value not in (None, right.value):
                        self.assume(which)
                        self.assume(self.op("eq", side, right))

    def merge(self, left: Term, right: Term) -> None:
        """Take two terms for one from now on, and bounds for those that a comparison says (rule 32)."""
        right = self.one(right)
        if left is not right and left.value is None:
            self._instead[left] = right
            if (left.op, right.value) in (("ule", 1), ("fle", 1), ("flt", 0)):
                for term, limit in (left.operands, left.operands[::-1]):
                    if limit.value is not None:
                        above = (limit is left.operands[1]) == bool(right.value)
                        self.facts.setdefault(term, []).append((left.op[0], above, limit.value))
                        self._words, self._ends = {}, {}

    def one(self, term: Term) -> Term:
        return self._instead.get(term, term)

    def copy(self, root: Term, instead: Mapping[Term, Term] | None = None) -> Term:
        """A term of any context in this one; `instead` has what stands for some."""
        if instead is not None and root in instead:
            return instead[root]
        done: MutableMapping[Term, Term] = self._copied if instead is None else ChainMap({}, instead)  # type: ignore[arg-type]
        for term in below(root, done):
            done[term] = self.make(term.op, term.bits, tuple([done[each] for each in term.operands]), term.attribute)
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

    def say(self, text: str, *operands: Term) -> Term:
        """The term that a pattern of operands a, b, c says; of an operation alone it is that of all."""
        names = dict(zip("abc", operands, strict=False))
        return (
            self.op(text, *operands)
            if text in LOGIC or text in NUMBERS
            else self.said(pattern(text), names, operands[0].bits)
        )

    def said(self, of: Pattern, names: Mapping[str, Term], bits: int) -> Term:
        """The term that a pattern says."""
        if isinstance(of, str):
            return names[of]
        if isinstance(of, int):
            return self.constant(of, bits)
        terms = {at: self.said(each, names, bits) for at, each in enumerate(of[1]) if not isinstance(each, int)}
        width = terms[max(terms)].bits
        operands = (terms[at] if at in terms else self.constant(each, width) for at, each in enumerate(of[1]))
        return self.op(of[0], *operands)

    def fits(self, of: Pattern, term: Term, names: dict[str, Term]) -> bool:
        """Whether a term is as a pattern says; `names` has what stands for its names."""
        if isinstance(of, str):
            return names.setdefault(of, term) is term and (of not in KINDS or bool(KINDS[of](self, term)))
        if isinstance(of, int):
            return term.value is not None and term.value == of % (1 << term.bits)
        return term.op == of[0] and self.fit(of, term.operands, names)

    def fit(self, of: Pattern, operands: tuple[Term, ...], names: dict[str, Term]) -> bool:
        """Whether operands are as those of a pattern, in any order of numbers that are added or multiplied."""
        if of[0] not in ("fadd", "fmul"):
            return all(map(self.fits, of[1], operands, repeat(names)))
        for each in (operands, operands[::-1]):
            trial = dict(names)
            if all(map(self.fits, of[1], each, repeat(trial))):
                names |= trial
                return True
        return False

    def make(self, op: str, bits: int, operands: tuple[Term, ...], attribute: Any = None) -> Term:
        return self.one(self.raw(op, bits, operands, attribute))

    def made(self, op: str, bits: int, operands: tuple[Term, ...], attribute: Any) -> Term:
        """The term that was made of these very operands, before any was merged; or the one that is made now."""
        return self._made.get((op, bits, ordered(op, operands), attribute)) or self.raw(op, bits, operands, attribute)

    def raw(self, op: str, bits: int, operands: tuple[Term, ...], attribute: Any = None) -> Term:
        """The term of an operation, before merges of it."""
        shape = op, bits, ordered(op, tuple([self._instead.get(each, each) for each in operands])), attribute
        if shape not in self._results:
            self._results[shape] = self._result(*shape)
        return self._results[shape]

    def _result(self, op: str, bits: int, operands: tuple[Term, ...], attribute: Any) -> Term:
        if op in MEANINGS and all(each.value is not None for each in operands):
            values = [signed(each.value or 0, each.bits) if op in SIGNED else each.value for each in operands]
            with contextlib.suppress(OverflowError, ValueError, ZeroDivisionError):  # infinities and NaNs stay symbols
                return self.constant(MEANINGS[op](*values), bits)
        if op == "table" and operands[0].value is not None:
            return self.constant(attribute[min(operands[0].value, len(attribute) - 1)], bits)
        fits = self._typed(op, bits, [each.bits for each in operands], attribute)
        check(fits, "a term", f"{op} of {bits} bits is none")
        if op in ("zext", "sext", "low"):  # rules 15 and 16
            (only,) = operands
            if only.bits == bits:
                return only
            if op == "low" and only.op in ("zext", "sext") and only.operands[0].bits >= bits:
                return self.wide(only.operands[0], bits)
        for places, number, left, right in self.BY_OP.get(op, ()):
            names = dict[str, Term]()
            if all(operands[at].value is not None for at in places) and self.fit(left, operands, names):
                self.used[f"rule {number}"] += 1
                return self.said(right, names, bits)
        shape = op, bits, operands, attribute
        term = self._made[shape] = self._results[shape] = Term(len(self._made), op, bits, operands, attribute)
        if self.by_bounds and op != "constant" and self.words(term)[0] == self.words(term)[1]:
            self._instead[term] = self.constant(self.words(term)[0], bits)
        if self.outer is not None:
            self._inherit(term, self.outer)
        return term

    def _inherit(self, term: Term, outer: Context) -> None:
        """Merge a term as that of the same operations in the outer context was, or further out."""
        twins = tuple([self._twins[each] for each in term.operands if each in self._twins])
        if len(twins) == len(term.operands) and outer._has(term.op, term.bits, twins, term.attribute):
            outer.raw(term.op, term.bits, twins, term.attribute)
            twin = outer._made.get((term.op, term.bits, ordered(term.op, twins), term.attribute))
            if twin is not None:
                self._twins[term], self._of_twins[twin] = twin, term
                if twin in outer.facts:
                    self.facts[term] = list(outer.facts[twin])
                if outer.one(twin) is not twin:
                    self.merge(term, self.copy(outer.one(twin), self._of_twins))

    def _has(self, op: str, bits: int, operands: tuple[Term, ...], attribute: Any) -> bool:
        """Whether a term of these operands was made here, or further out."""
        if (op, bits, ordered(op, operands), attribute) in self._made or self.outer is None:
            return (op, bits, ordered(op, operands), attribute) in self._made
        twins = tuple([self._twins[each] for each in operands if each in self._twins])
        return len(twins) == len(operands) and self.outer._has(op, bits, twins, attribute)

    def _typed(self, op: str, bits: int, of: list[int], attribute: Any) -> bool:
        """Whether an operation of so many bits has operands of these bits."""
        if op in ("constant", "variable"):
            ranged = isinstance(attribute, int) and 0 <= attribute < 1 << bits
            return not of and (ranged if op == "constant" else self.variables[attribute][0] == bits)
        if op in ("zext", "sext", "low"):
            return len(of) == 1 and (of[0] >= bits if op == "low" else of[0] <= bits)
        if (
            op == "cell"
        ):  # what cells have is any function of which world it is and of the cell, into a range that is not empty
            low, high = attribute
            finite = all(0 <= each <= ONES and each & ~SIGN < INFINITY for each in attribute)
            return bits == 32 and of == [32, 32] and finite and number_of(low) <= number_of(high)
        if op in NUMBERS or op in ("mulhi", "table"):
            rows = attribute is None or (len(attribute) > 0 and all(0 <= row <= ONES for row in attribute))
            return bits == 32 and rows and of == [32] * (3 if op == "fma" else 1 if op in SINGLE else 2)
        width = 32 if op[0] == "f" else of[-1]
        return of == ([1, bits, bits] if op == "ite" else [width] * 2) and bits == (1 if op in PREDICATES else width)

    # --- bounds (rule 19) ---------------------------------------------------------------------------------------------

    def words(self, root: Term) -> tuple[int, int]:
        """The least and the greatest unsigned word that a term may be."""
        for term in below(root, self._words):
            self._words[term] = self._within(term, "u", *self._word(term, (1 << term.bits) - 1))
        return self._words[root]

    def _within(self, term: Term, kind: str, low: Any, high: Any) -> tuple[Any, Any]:
        """Bounds of a term, as far as comparisons say more of it."""
        for _, above, word in (each for each in self.facts.get(term, ()) if each[0] == kind):
            limit = word if kind == "u" else number_of(word)
            low, high = (low, min(high, limit)) if above else (max(low, limit), high)
        return low, high

    def _word(self, term: Term, most: int) -> tuple[int, int]:
        op, (lows, highs) = term.op, ([self._words[each][end] for each in term.operands] for end in (0, 1))
        k = term.operands[-1].value if term.operands else term.value
        if op in ("constant", "table"):
            return (min(term.attribute), max(term.attribute)) if op == "table" else (term.attribute, term.attribute)
        if op == "variable":
            _, least, greatest, floating = self.variables[term.attribute]
            return (0, most) if floating else (int(least), int(greatest))
        if op == "ite":
            return min(lows[1:]), max(highs[1:])
        if op in ("and", "or", "xor"):
            return 0, min(highs) if op == "and" else (1 << max(highs).bit_length()) - 1
        if op == "urem" and k:
            return 0, min(k - 1, highs[0])
        if op in NUMBERS:
            ends = self.ends(term)  # numbers above 0 are ordered as their words are
            return (word_of_exact(ends[0]), word_of_exact(ends[1])) if ends and ends[0] > 0 else (0, most)
        negative = op in SIGNED and highs[0] >> term.operands[0].bits - 1
        if op in RISING and not negative and (k is not None or op in ("add", "mul", "mulhi") or len(lows) == 1):
            low, high = MEANINGS[op](*lows), MEANINGS[op](*highs)
            if low >= 0 and high <= most:
                return low, high
        return self._of_sum(term, most) if op in ("add", "sub", "mul", "shl") else (0, most)

    def ends(self, root: Term) -> Ends | None:
        """The numbers that a term may be, none of them a NaN or an infinity; `None` where that is not known."""
        for term in below(root, self._ends):
            ends = self._number(term) if term.bits == 32 else None
            self._ends[term] = (*self._within(term, "f", *ends[:2]), ends[2]) if ends else None
        return self._ends[root]

    def _number(self, term: Term) -> Ends | None:
        op, of = term.op, list[Any](self._sides(term) if term.op == "ite" else map(self._ends.get, term.operands))
        k = term.operands[-1].value if term.operands else term.value
        if op == "constant":
            value = number_of(term.attribute)
            return None if math.isnan(value) else (value, value, abs(value))
        if op == "variable":
            _, low, high, floating = self.variables[term.attribute]
            return (low, high, 0.0) if floating else None
        if op == "cell":
            low, high = map(number_of, term.attribute)
            return low, high, 0.0
        if op == "table" and all(not row & ~SIGN or 1 << 23 <= row & ~SIGN < INFINITY for row in term.attribute):
            values = list(map(number_of, term.attribute))
            return min(values), max(values), min((abs(each) for each in values if each), default=math.inf)
        if op in ("tofloat", "unsignedtofloat"):
            least, most = self.words(term.operands[0])
            least, most = (-COUNTS - 1, COUNTS) if op == "tofloat" and most > COUNTS else (least, most)
            return number_of(word_of(least)), number_of(word_of(most)), 1.0
        if of[:1] != [None] and (op, k) in (("xor", SIGN), ("and", SIGN - 1)):
            low, high, grain = of[0]
            return (-high, -low, grain) if op == "xor" else (0.0, max(abs(low), abs(high)), grain)
        if None in of or op not in ("ite", "fmin", "fmax", "fadd", "fmul", "fma", "fdiv"):
            return None
        lows, highs, _ = zip(*of, strict=True)
        if op in ("ite", "fmin", "fmax"):
            grain = min((grain for low, high, grain in of if low or high), default=math.inf)
            return (max if op == "fmax" else min)(lows), (min if op == "fmin" else max)(highs), grain
        if math.inf in map(abs, (*lows, *highs)) or (op == "fdiv" and lows[1] <= 0 <= highs[1]):
            return None
        # Rounding is monotone, so the ends are among the results of ends. Within a factor of 2 of k a sum is a multiple
        # of half a unit in k's last place, else at least k / 2.
        corners = (lows, highs) if op == "fadd" else product(*zip(lows, highs, strict=True))
        results = [number_of(MEANINGS[op](*map(word_of_exact, each))) for each in corners]
        size = abs(number_of(k)) if op == "fadd" and k is not None else 0.0
        grain = 2.0 ** (math.frexp(size)[1] - 25) if size > 2.0**-100 else 0.0
        return (min(results), max(results), grain) if max(map(abs, results)) <= 2.0**126 else None

    def _sides(self, term: Term) -> list[Ends | None]:
        """The numbers of both sides of a choice. Of one by x < y more is known of x, y and y - x on either side."""
        condition, *sides = term.operands
        of = [self._ends[each] for each in sides]
        # No term is made: another context may merge it, which forgets all bounds that are being found.
        made = {each: self._results.get(("flt", 1, each, None)) for each in (tuple(sides), tuple(sides[::-1]))}
        deciding = [each for each, less in made.items() if less is not None and self.one(less) is condition]
        compared = [] if None in of else deciding
        for both in [condition.operands] if condition.op == "flt" else compared[:1]:
            bounds: list[Any] = [self._ends[each] for each in both]
            for at, (less, more) in enumerate((both, both[::-1]) if None not in bounds else ()):
                if (ends := of[at]) is not None:
                    low, high, grain = ends
                    difference = self.fits(pattern("fadd(a ^ 0x80000000, b)"), sides[at], {"a": less, "b": more})
                    most = bounds[1 - at][1] if sides[at] is less else high
                    least = bounds[at][0] if sides[at] is more else 0.0 if difference else low
                    of[at] = min(max(low, least), high), max(min(high, most), low), grain
        return of

    def finite(self, term: Term) -> bool:
        """Whether a term is a number that is no infinity."""
        ends = self.ends(term)
        return ends is not None and math.inf not in map(abs, ends[:2])

    def canonical(self, term: Term) -> bool:
        """Whether a term is no NaN but the one that operations make."""
        if term.op == "ite":
            return all(map(self.canonical, term.operands[1:]))
        return term.op in NUMBERS or self.ends(term) is not None

    def positive(self, term: Term) -> bool:
        """Whether a term is never -0 (rule 34)."""
        if term.op == "fadd":
            ends = (self.ends(each) for each in term.operands)
            apart = any(each is not None and (each[0] > 0 or each[1] < 0) for each in ends)
            return apart or any(map(self.positive, term.operands))
        if term.op == "fmul":
            factors = ((self.ends(each), each) for each in term.operands)
            return all(ends is not None and ends[0] >= 0 and self.positive(each) for ends, each in factors)
        if term.op in ("tofloat", "unsignedtofloat", "and"):
            return term.op != "and" or term.operands[1].value == SIGN - 1
        if term.op == "table":
            return SIGN not in term.attribute
        if term.op == "fmax":
            return any(each.value == 0 for each in term.operands) or all(map(self.positive, term.operands))
        return all(map(self.positive, term.operands[1:])) if term.op == "ite" else term.value not in (None, SIGN)

    # --- steps --------------------------------------------------------------------------------------------------------

    def by_rule(self, number: int, left: Term, right: Term) -> bool:
        """Whether a rule says that one term is the other."""
        if number in OWN:
            return OWN[number](self, left, right)
        names = dict[str, Term]()
        for each, one, other in rules(STEPS):
            names.clear()
            if each == number and self.fits(one, left, names) and self.said(other, names, left.bits) is right:
                return True
        return False

    def decides(self, left: Term, right: Term) -> bool:
        """Rule 23: a comparison is what the bounds of its operands say, where signs do not matter."""
        if right.value is None or left.op not in PREDICATES - {"feq"} or left.operands[0].bits == 1:
            return False
        bounds: list[Any] = [self.ends(each) if left.op[0] == "f" else self.words(each) for each in left.operands]
        if None in bounds or (left.op[0] == "s" and max(each[1] for each in bounds) >> left.operands[0].bits - 1):
            return False
        (a, b, *_), (c, d, *_) = bounds
        if left.op == "eq":
            return right.value == 0 and bool(b < c or d < a)
        less = operator.lt if left.op[1:] == "lt" else operator.le
        return bool(less(b, c) if right.value else not less(a, d))

    def choice(self, left: Term, right: Term, condition: Term, opened: set[Term]) -> bool:
        """Rule 24: two terms are one where a condition holds, and where it does not."""
        check(condition.bits == 1, "a condition", f"it has {condition.bits} bits, not 1")
        yes, no = self.constant(1, 1), self.constant(0, 1)
        for each in (condition, self.no(condition)):
            done = {each: yes, self.no(each): no}
            if self._where(left, each, opened, done) is not self._where(right, each, opened, done):
                return False
        return True

    def _where(self, term: Term, condition: Term, opened: set[Term], done: dict[Term, Term]) -> Term:
        """A term as it is where a condition holds: of those that are opened operands are made anew, and another
        condition is 0 if both cannot hold together, or 1 if it must hold."""
        if term not in done:
            done[term] = self.one(term)
            decides = term.bits == 1 and term.value is None and term.op not in ("flt", "fle", "feq")
            excluded = [self.op("and", condition, each).value == 0 for each in (term, self.no(term)) if decides]
            if any(excluded):
                done[term] = self.constant(excluded.index(True), 1)
            elif term in opened:
                of = list(term.operands)
                of[0] = self._where(of[0], condition, opened, done)
                if term.op == "ite" and of[0].value is not None:
                    done[term] = self._where(of[1 if of[0].value else 2], condition, opened, done)
                else:
                    of[1:] = [self._where(each, condition, opened, done) for each in of[1:]]
                    done[term] = self.make(term.op, term.bits, tuple(of), term.attribute)
        return done[term]

    def divides(self, left: Term, right: Term) -> bool:
        """Rule 20: fma(x, h, x * l) is x / c, where both are rounded to the same number for all x of one binade."""
        names: dict[str, Term] = {}
        sign = 0 if self.fits(pattern("fma(d, k, fmul(d, m))"), left, names) else SIGN
        fits = not sign or self.fits(pattern("fma(d, k, fmul(d, m) ^ 0x80000000)"), left, names)
        if not fits or not self.fits(pattern("fdiv(d, h)"), right, names):
            return False
        h, low, c = (number_of((names[each].value or 0) ^ (sign if each == "m" else 0)) for each in "kmh")
        ends = self.ends(names["d"])
        return ends is not None and same_quotients(h, low, c, ends)

    def clamps(self, left: Term, right: Term) -> bool:
        """Rule 22: a sum that is clamped to h is so without earlier clamps to h, where all amounts after them lead away
        from h or stay: those beyond h are beyond it in the end."""
        for clamp, loose in zip(CLAMPS, ("ite(flt(x, h), h, f)", "ite(flt(h, x), h, f)"), strict=True):
            names = dict[str, Term]()
            if self.fits(pattern(loose), left, names):
                once = self._once(names["f"], names["h"], clamp)
                if once is not None and names["x"] in (names["f"], once):
                    return right is self.said(pattern(clamp), {"f": once, "h": names["h"]}, 32)
        return False

    def _once(self, total: Term, limit: Term, clamp: str) -> Term | None:
        """Of a sum with what was clamped, the sum with what was not, where amounts lead no nearer to the limit."""
        for one, amount in (total.operands, total.operands[::-1]) if total.op == "fadd" else ():
            ends, names = self.ends(amount), {"h": limit}
            if ends is not None and (ends[1] <= 0 if clamp == CLAMPS[0] else ends[0] >= 0):
                rest = names["f"] if self.fits(pattern(clamp), one, names) else self._once(one, limit, clamp)
                if rest is not None:
                    return self.op("fadd", rest, amount)
        return None

    def again(self, left: Term, right: Term) -> bool:
        """Rule 29: the same operation, on what its operands are by now."""
        return right is self.make(left.op, left.bits, left.operands, left.attribute)

    def inverts(self, left: Term, right: Term) -> bool:
        """Rule 37: x / k is x * m, where k * m is 1."""
        names: dict[str, Term] = {}
        if not self.fits(pattern("fdiv(x, h)"), left, names) or not magnitude(names["h"]):
            return False
        inverse = word_of(1 / exact(names["h"].attribute))
        fits = magnitude(self.constant(inverse, 32)) < INFINITY and exact(inverse) * exact(names["h"].attribute) == 1
        return fits and right is self.op("fmul", names["x"], self.constant(inverse, 32))

    def wholes(self, left: Term, right: Term) -> bool:
        """Rule 42: a word as a number is compared with a constant as the word is with the next whole number."""
        for text, said, rounding in (
            ("feq(tofloat(x), k)", "eq(x, k)", math.ceil),
            ("flt(tofloat(x), k)", "slt(x, k)", math.ceil),
            ("flt(k, tofloat(x))", "slt(k, x)", math.floor),
        ):
            names: dict[str, Term] = {}
            if self.fits(pattern(text), left, names) and magnitude(names["k"]) < word_of(EXACT):
                value = number_of(names["k"].attribute)
                whole = rounding(value)
                fits = left.op == "flt" or whole == value
                return fits and right is self.said(pattern(said), names | {"k": self.constant(whole, 32)}, 1)
        return False

    def outside(self, left: Term, right: Term) -> bool:
        """Rule 46: one of two whole numbers is the number of one of two words."""
        word = self._whole(left) if left.op == "ite" else None
        return word is not None and right is self.make("tofloat", 32, (word,))

    def _whole(self, term: Term) -> Term | None:
        """The word of a whole number."""
        if term.op == "ite":
            words = [each for each in map(self._whole, term.operands[1:]) if each]
            return self.op("ite", term.operands[0], *words) if len(words) == 2 else None
        if term.value is None or magnitude(term) > word_of(EXACT) or term.value == SIGN:
            return term.operands[0] if term.op == "tofloat" else None
        whole = number_of(term.value)
        return self.constant(int(whole), 32) if whole.is_integer() else None

    def of_words(self, left: Term, right: Term) -> bool:
        """Rule 47: whole numbers up to 2^24 are compared, and up to 2^10 added, as their words are."""
        words = [self._whole(each) for each in left.operands] if left.op in ("flt", "feq", "fadd") else [None]
        most = 1 << 10 if left.op == "fadd" else EXACT
        if not all(each and self._size(each) <= most for each in words):
            return False
        made = self.op({"flt": "slt", "feq": "eq", "fadd": "add"}[left.op], *[each for each in words if each])
        return right is (self.make("tofloat", 32, (made,)) if left.op == "fadd" else made)

    def of_values(self, left: Term, right: Term, word: Term) -> bool:
        """Rule 49: two terms, made of constants and of a word alone, that are the same for each value of that."""
        low, high = self.words(word)
        if high - low > MOST_NEAR:
            return False
        for value in range(low, high + 1):
            done = {word: value}
            for term in (each for root in (left, right) for each in below(root, done)):
                of = tuple([self.constant(done[each], each.bits) for each in term.operands])
                made = self.raw(term.op, term.bits, of, term.attribute).value
                if made is None:
                    return False
                done[term] = made
            if done[left] != done[right]:
                return False
        return True

    def _size(self, word: Term) -> int:
        """The greatest size of a word; of one that may be below 0, unless it is a constant, that of all."""
        return self.words(word)[1] if word.value is None else abs(signed(word.value, word.bits))

    def high_half(self, left: Term, right: Term) -> bool:
        """Rule 40: the upper half of the product of two words of 32 bits is their `mulhi`, widened."""
        names: dict[str, Term] = {}
        fits = left.bits == 64 and self.fits(pattern("lshr(x * y, 32)"), left, names)
        return fits and right is self._narrow("mulhi", (names["x"], names["y"]), 32)

    def widened(self, left: Term, right: Term) -> bool:
        """Rule 41: bits of widened words are those of the words, widened."""
        fits = left.op in ("and", "or", "xor") and right.op == "zext"
        return fits and right is self._narrow(left.op, left.operands, right.operands[0].bits)

    def _narrow(self, op: str, operands: tuple[Term, ...], bits: int) -> Term | None:
        """An operation on words of so many bits, of which the operands are those widened, widened."""
        narrow = list[Term]()
        for each in operands:
            if each.value is not None and each.value < 1 << bits:
                narrow.append(self.constant(each.value, bits))
            elif each.op == "zext" and each.operands[0].bits == bits:
                narrow.append(each.operands[0])
            else:
                return None
        return self.wide(self.op(op, *narrow), operands[0].bits)

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
                case (("mul" | "shl"), (one, Term(value=int(k)))) if term.op == "mul" or k < term.bits:
                    times[one] += of * k if term.op == "mul" else of << k
                case "or", (one, other) if self._apart(one, other) or self._apart(other, one):
                    times[one] += of
                    times[other] += of
                case _:
                    result[self.one(term)] += of
        return {term: left for term, of in result.items() if (left := of % (1 << root.bits))}

    def _apart(self, high: Term, low: Term) -> bool:
        """Whether a word is a multiple of a power of two that another one is below."""
        return math.gcd(1 << high.bits, *self._multiples(high).values()) > self.words(low)[1]

    def _of_sum(self, term: Term, most: int) -> tuple[int, int]:
        """Bounds of a sum, which may go round as a whole."""
        low = high = 0
        for each, of in self._multiples(term).items():
            ends = (1, 1) if each is None else self._words.get(each, (0, most))
            low += min(signed(of, term.bits) * end for end in ends)
            high += max(signed(of, term.bits) * end for end in ends)
        return (low & most, high & most) if low >> term.bits == high >> term.bits else (0, most)


OWN: dict[int, Callable[[Context, Term, Term], bool]] = {
    20: Context.divides, 22: Context.clamps, 23: Context.decides, 29: Context.again, 35: Context.sums,
    37: Context.inverts, 40: Context.high_half, 41: Context.widened,
    42: Context.wholes, 46: Context.outside, 47: Context.of_words,
}  # fmt: skip


def ordered(op: str, operands: tuple[Term, ...]) -> tuple[Term, ...]:
    """Operands in an order of their own, where an operation has none (rule 2)."""
    if op == "fma":
        return *ordered("fmul", operands[:2]), operands[2]
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


def same_quotients(h: float, low: float, c: float, ends: Ends) -> bool:
    """Whether fma(x, h, x * low) is x / c. What is rounded differs by less than `error` quotients; so the results are
    the same unless a midpoint of two numbers is that near. Those quotients have a small remainder r: each is tried."""
    factors = 1, h, abs(low), 1 / c if c > 0 else 0
    sizes = [factor * size for factor in factors for size in (ends[2], max(map(abs, ends)))]
    if h <= 0 or min(sizes) < 2.0**-120 or max(sizes) > 2.0**120:
        return False
    x_h, x_low, x_c = Fraction(h), Fraction(low), Fraction(c)
    divisor, error = int(math.ldexp(math.frexp(c)[0], 24)), (abs(x_h + x_low - 1 / x_c) + abs(x_low) / 2**24) * x_c
    twos, near = (divisor & -divisor).bit_length() - 1, math.ceil(error * 2**49)
    if near > MOST_NEAR:
        return False
    for shift in (24, 25):  # X * 2^shift = odd * divisor + r, for all X from 2^23 to 2^24, and odd from 2^24 to 2^25
        modulus = 1 << shift - twos
        for r in range(-(near >> twos), (near >> twos) + 1):
            first = -r * pow(divisor >> twos, -1, modulus) % modulus
            if first % 2 == 0:  # all of these are even, and numbers themselves
                continue
            for odd in range(first | 1 << 24 if modulus <= 1 << 24 else first, 1 << 25, modulus):
                x = Fraction(odd * divisor + (r << twos), 1 << shift)
                if x.denominator == 1 and 1 << 23 <= x < 1 << 24:
                    part = exact(word_of(x * x_low))
                    if word_of(x * x_h + part) != word_of(x / x_c):
                        return False
    return True


# --- queries ----------------------------------------------------------------------------------------------------------


def pairs(text: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in text.split())


LOGIC = {
    **{op: f"({name} {{a}} {{b}})" for op, name in pairs(
        "add=bvadd sub=bvsub mul=bvmul and=bvand or=bvor xor=bvxor shl=bvshl lshr=bvlshr ashr=bvashr udiv=bvudiv "
        "urem=bvurem").items()},
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


def number(name: str) -> str:
    return f"((_ to_fp 8 24) {name})"


class Question:
    """In SMT-LIB, whether two terms can differ. Of terms that are not said nothing is asserted but their bounds: a
    query that says less proves more."""

    def __init__(self, context: Context, left: Term, right: Term, said: set[Term]) -> None:
        self.context, self.lines, self.names = context, ["(set-logic QF_BVFP)"], dict[Term, str]()

        def cut(term: Term) -> bool:
            numbers = term.op not in ("fmin", "fmax") or all(context.ends(each) is not None for each in term.operands)
            return not (term in said and term.op in LOGIC and numbers)

        premises = [each for each in context.premises if each in said]
        for root in (left, right, *premises):
            for term in below(root, self.names, cut):
                self.names[term] = (
                    f"(_ bv{term.value} {term.bits})" if term.value is not None else f"t{len(self.names)}"
                )
                if term.value is None:
                    self._declare(term, self.names[term], cut(term))
        self.lines += [f"(assert (= {self.names[each]} #b1))" for each in premises]
        self.lines += [f"(assert (distinct {self.names[left]} {self.names[right]}))", "(check-sat)", ""]
        self.text = "\n".join(self.lines)

    def _declare(self, term: Term, name: str, cut: bool) -> None:
        """Say what a term is, or, where it is cut or more is said of it, its bounds."""
        context, facts = self.context, list[str]()
        if not cut:
            a, b, c = (*(self.names[each] for each in term.operands), "", "", "")[:3]
            more = term.bits - term.operands[0].bits
            text = LOGIC[term.op].format(a=a, b=b, c=c, x=number(a), y=number(b), more=more, top=term.bits - 1)
            if term.op == "table":
                *rows, text = [f"(_ bv{row} 32)" for row in term.attribute]
                for index, row in reversed(list(enumerate(rows))):
                    text = f"(ite (= {a} (_ bv{index} 32)) {row} {text})"
            if term.op == "fadd":
                facts += [f"(= {number(name)} {text})", f"(=> (fp.isNaN {text}) (= {name} (_ bv{NAN} 32)))"]
            else:
                self.lines.append(f"(define-fun {name} () (_ BitVec {term.bits}) {text})")
        if cut or term.op == "fadd":
            self.lines.append(f"(declare-const {name} (_ BitVec {term.bits}))")
        if cut or term in context.facts:
            low, high = context.words(term)
            if (low, high) != (0, (1 << term.bits) - 1):
                facts += [f"(bvule (_ bv{low} {term.bits}) {name})", f"(bvule {name} (_ bv{high} {term.bits}))"]
            if context.positive(term):
                facts.append(f"(distinct {name} (_ bv{SIGN} {term.bits}))")
            if (ends := context.ends(term)) is not None:
                least, most = (number(f"(_ bv{word_of_exact(end)} 32)") for end in ends[:2])
                facts.append(f"(fp.leq {least} {number(name)} {most})")
        self.lines += [f"(assert {each})" for each in facts]


class Solver:
    """Asks each text once, where bitwuzla is installed."""

    def __init__(self, asks: bool) -> None:
        self.texts: dict[str, str] = {}
        self.bitwuzla: Any = None
        if asks:
            with contextlib.suppress(ImportError):
                import bitwuzla

                self.bitwuzla = bitwuzla

    def ask(self, text: str, place: str) -> None:
        """Refuse a query that is not answered by `unsat`; without a solver it is taken on trust."""
        if self.texts.setdefault(text, place) is place and self.bitwuzla is not None:
            options = self.bitwuzla.Options()
            options.set(self.bitwuzla.Option.TIME_LIMIT_PER, 1000 * SECONDS)
            parser = self.bitwuzla.Parser(self.bitwuzla.TermManager(), options)
            parser.parse(text, True, False)
            answer = parser.bitwuzla().check_sat()
            check(answer == self.bitwuzla.Result.UNSAT, place, f"the query is answered by {answer}, not by unsat")


# --- operations of PTX and the tick IR --------------------------------------------------------------------------------

IR = pairs(
    "add.f32=fadd sub.f32=fadd(a,b^0x80000000) mul.f32=fmul div.f32=fdiv fma.f32=fma sqrt.f32=fsqrt less.f32=flt "
    "neg.f32=a^0x80000000 abs.f32=a&0x7fffffff less_equal.f32=fle equal.f32=feq add.i32=add sub.i32=sub mul.i32=mul "
    "neg.i32=0-a abs.i32=ite(slt(a,0),0-a,a) less.i32=slt less_equal.i32=sle equal.i32=eq add.u32=add sub.u32=sub "
    "mul.u32=mul mul_high.u32=mulhi div.u32=udiv rem.u32=urem less.u32=ult less_equal.u32=ule equal.u32=eq and.u32=and "
    "or.u32=or xor.u32=xor shift_left.u32=shl shift_right.u32=lshr and.bool=and or.bool=or not.bool=~a equal.bool=eq "
    "to_f32.i32=tofloat to_u32.i32=a to_i32.u32=a to_bits.f32=a from_bits.u32=a select.bool=ite"
)
PTX = pairs(
    r"add\.rn\.f32=fadd sub\.rn\.f32=fadd(a,b^0x80000000) mul\.rn\.f32=fmul div\.rn\.f32=fdiv fma\.rn\.f32=fma "
    r"sqrt\.rn\.f32=fsqrt (min|max)\.f32=f\1 neg\.f32=a^0x80000000 abs\.f32=a&0x7fffffff setp\.(lt|le|eq)\.f32=f\1 "
    r"setp\.gt\.f32=flt(b,a) setp\.ge\.f32=fle(b,a) setp\.ltu\.f32=~fle(b,a) setp\.leu\.f32=~flt(b,a) "
    r"setp\.gtu\.f32=~fle(a,b) setp\.geu\.f32=~flt(a,b) setp\.neu\.f32=~feq(a,b) (mov|cvta)\..*=a "
    r"setp\.ne\.f32=flt(a,b)|flt(b,a) "
    r"(add|sub|and|or|xor)\.([sub]\d+|pred)=\1 not\..*=~a neg\.s\d+=0-a abs\.s\d+=ite(slt(a,0),0-a,a) "
    r"min\.([su])\d+=ite(\1lt(a,b),a,b) max\.([su])\d+=ite(\1lt(b,a),a,b) (div|rem)\.u\d+=u\1 mul\.lo\.[su]\d+=mul "
    r"mad\.lo\.[su]\d+=a*b+c mul\.hi\.u32=mulhi setp\.eq\.[sub]\d+=eq setp\.ne\.[sub]\d+=~eq(a,b) "
    r"setp\.(lt|le)\.([su])\d+=\2\1 setp\.gt\.([su])\d+=\1lt(b,a) setp\.ge\.([su])\d+=\1le(b,a) setp\.lo\.u\d+=ult "
    r"setp\.ls\.u\d+=ule setp\.hi\.u\d+=ult(b,a) setp\.hs\.u\d+=ule(b,a) selp\..*=ite(c,a,b) "
    r"cvt\.rn\.f32\.s32=tofloat cvt\.rn\.f32\.u32=unsignedtofloat"
)

# --- the tick IR ------------------------------------------------------------------------------------------------------

NAME = r"(?:`[^`]*`|[^`\s\[=,]+)"
NODE = re.compile(r"  %(\d+): (\w+) = (\w+) ((?:`[^`]*`|[^`;])*)  ; .*")
OUTPUT = re.compile(rf"  output ({NAME})(?:\[(\d+)\])? = %(\d+)")
Node = tuple[str, str, list[str], list[int]]


def literal(type_: str, text: str) -> int:
    if type_ == "bool":
        return int(text == "true")
    return word_of(float(text), SIGN if text.startswith("-") else 0) if type_ == "f32" else int(text) & ONES


class Program:
    """The functions and tables of a text of the tick IR: of a function, its nodes and its outputs."""

    def __init__(self, text: str) -> None:
        self.tables: dict[str, tuple[int, ...]] = {}
        self.reductions, self.standing = dict[str, str](), dict[str, str]()
        self.functions: dict[str, tuple[list[Node], list[tuple[str, int, int]]]] = {}
        nodes, outputs = list[Node](), list[tuple[str, int, int]]()
        for number, line in enumerate(text.split("\n"), 1):
            place = f"tick IR, line {number}"
            if match := NODE.fullmatch(line):
                check(int(match[1]) == len(nodes), place, f"this is node {len(nodes)}")
                arguments = [each.strip() for each in re.findall(r"(?:`[^`]*`|[^`,])+", match[4])]
                operands = [int(each.split("%")[1]) for each in arguments if "%" in each]
                nodes.append((match[2], match[3], arguments, operands))
            elif match := OUTPUT.fullmatch(line):
                outputs.append((match[1].strip("`"), int(match[2] or 1), int(match[3])))
            elif match := re.fullmatch(r"function (\S+) \{", line):
                self.functions[match[1]] = nodes, outputs = [], []
            elif match := re.fullmatch(r"table (\S+): (\w+) = (.*)", line):
                self.tables[match[1]] = tuple(literal(match[2], each) for each in match[3].split(", "))
            elif match := re.fullmatch(
                rf"reduction \w+ ({NAME}) = (\w+( of pairs)?( of others)?).*?(?: at (\S+))?", line
            ):
                name = match[1].strip("`")
                self.reductions[name], self.standing[name] = match[2], match[5] or "standing"
            else:
                rest = line in ("", "}") or line.startswith(("universe ", "  row "))
                check(rest, place, "this is not known here")

    def call(self, context: Context, name: str, inputs: Mapping[str, Term]) -> dict[str, list[Term]]:
        """The outputs of a function by name: one term, or one for each element of a repeated output."""
        nodes, outputs = self.functions[name]
        result: dict[str, list[Term]] = {}
        for output, count, root in outputs:
            needed = {root}
            for at in range(root, -1, -1):
                needed |= set(nodes[at][3]) if at in needed else set()
            for element in range(count):
                done: dict[int, Term] = {}
                for at in sorted(needed):
                    done[at] = self._value(
                        context, nodes, at, done, {**inputs, "element": context.constant(element, 32)}
                    )
                result.setdefault(output, []).append(done[root])
        return result

    def _value(
        self, context: Context, nodes: list[Node], at: int, done: Mapping[int, Term], inputs: Mapping[str, Term]
    ) -> Term:
        type_, op, arguments, operands = nodes[at]
        values = [done[each] for each in operands]
        match op:
            case "const":
                return context.constant(literal(type_, arguments[0]), 1 if type_ == "bool" else 32)
            case "input" | "element":
                return inputs[arguments[0].strip("`") if op == "input" else op]
            case "lookup" if type_ != "bool":
                return context.make("table", 32, (values[0],), self.tables[arguments[0]])
            case "fetch":
                return of_cell(context, inputs[arguments[0].strip("`")], values[0])
            case "fold":
                names = [each.split("=")[0].strip("`") for each in arguments if "=" in each]
                state = dict(zip(names, values, strict=True))
                for row in range(int(arguments[2])):
                    outputs = self.call(context, arguments[0], {**state, "row": context.constant(row, 32)})
                    state = {name: value for name, (value,) in outputs.items()}
                return state[arguments[1].strip("`")]
            case _:
                name = f"{op}.{nodes[operands[0]][0]}"
                check(name in IR, "tick IR", f"{name} is not known here")
                return context.say(IR[name], *values)


# --- the package ------------------------------------------------------------------------------------------------------


def spell(table: str) -> str:
    """The name of a table as parameters of kernels spell it."""
    kind, point, rest = table.partition(".")
    apart = re.sub(r"[^A-Za-z0-9_]", lambda odd: f"u{ord(odd[0]):x}_", rest)
    return re.sub(r"[^A-Za-z0-9_]", "_", kind + point + apart)


def nodes_of(tree: Any) -> Iterator[dict[str, Any]]:
    """The nodes of a tree of a universe."""
    for each in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from nodes_of(each)
    if isinstance(tree, dict) and "kind" in tree:
        yield tree


class Cells:
    """The cells of the worlds of a universe: the names of their meters and the bounds of these, as words, and how many
    numbers there are for each cell in memory. `cell` stands for the number of any of them."""

    def __init__(self, universe: Mapping[str, Any]) -> None:
        space, cells = universe["space"], universe["cells"]
        self.sizes, self.metric, self.wraps = space["sizes"], space.get("metric"), space.get("edges") == "wrap"
        self.meters = [each["name"] for each in cells["meters"]]
        self.bounds = [self._words(each) for each in cells["meters"]]
        near = sum(each["kind"] == "Neighbours" for each in nodes_of(cells))
        read = [each["operand"] for each in nodes_of(cells.get("rules")) if each["kind"] == "At"]
        past = {each["meter"] for each in read if each["kind"] == "CellValue"}
        self.rows, self.count = len(self.meters) + near + len(cells.get("sums", ())) + len(past), math.prod(self.sizes)
        check(self.rows * self.count <= COUNTS // 2, "universe.json", "so many cells are not known here")
        world = {each["name"]: each for each in (universe.get("world") or {"meters": ()})["meters"]}
        self.sums = [(each["op"], *self._words(world[each["meter"]])) for each in cells.get("sums", ())]

    def _words(self, meter: Mapping[str, Any]) -> tuple[int, int]:
        """The bounds of a meter."""
        low, high = (word_of(single(end)) if end else 0 for end in meter.get("reach") or (meter["low"], meter["high"]))
        return low, high

    def before(self, c: Context) -> list[Term]:
        """Of each meter what a cell has before the kernel runs."""
        worlds = [c.variable(f"cells.{name}") for name in self.meters]
        ends = zip(worlds, self.bounds, strict=True)
        return [c.make("cell", 32, (world, c.variable("cell")), bounds) for world, bounds in ends]

    def beside(self, c: Context, values: Term) -> Term:
        """The sum of what neighbours have: back and on along each axis, then the rest of a hexagonal grid's."""
        count, total = len(self.sizes), None
        sides = [[by * (axis == each) for each in range(count)] for axis in range(count) for by in (-1, 1)]
        for side in sides + ([[1, -1], [-1, 1]] if self.metric == "hexagonal" else []):
            index, there = c.variable("cell"), c.constant(1, 1)
            for axis, by in enumerate(side):
                step, size = math.prod(self.sizes[:axis]), self.sizes[axis]
                along = c.variable("cell") if step == 1 else c.say(f"udiv(a, {step})", c.variable("cell"))
                along = along if axis + 1 == count else c.say(f"urem(a, {size})", along)
                last = c.say(f"eq(a, {0 if by < 0 else size - 1})", along)
                if by and self.wraps:
                    back, ahead = (c.constant(each, 32) for each in (-by * step * (size - 1), by * step))
                    index = c.op("add", index, c.op("ite", last, back, ahead))
                elif by:
                    there, index = c.op("and", there, c.no(last)), c.op("add", index, c.constant(by * step, 32))
            each = c.op("ite", there, of_cell(c, values, index), c.constant(0, 32))
            total = each if total is None else c.op("fadd", total, each)
        assert total is not None
        return total


def of_cell(c: Context, values: Term, index: Term) -> Term:
    """The number of another cell, by that of any cell."""
    return values if index is c.variable("cell") else c.copy(values, {c.variable("cell"): index})


class Overall(NamedTuple):
    """The number that all cells come to, of what any has in a row: halves of what is left are joined, until one number
    is left. It is a word of its own within the bounds of the meter that keeps it, and one of rows that are one."""

    row: Term
    op: str
    bounds: tuple[int, int]
    number: Term
    times: int = 0

    def joined(self, c: Context, left: Term, right: Term) -> Term:
        """Two numbers as one."""
        texts = {"total": "fadd", "lowest": "ite(flt(a, b), a, b)", "highest": "ite(flt(b, a), a, b)"}
        return c.say(texts[self.op], left, right)


def overall(c: Context, asked: list[Overall], row: Term, of: tuple[str, int, int], name: str, count: int) -> Term:
    """The number that all cells come to, if that and what leads to it is within the bounds of the meter."""
    op, *bounds = of
    for each in asked:
        if c.one(each.row) is c.one(row) and (each.op, *each.bounds) == of:
            return each.number
    ends, (low, high) = c.ends(row), map(number_of, bounds)
    check(ends, "tick.kernel", "what all cells have together is not known to be numbers")
    assert ends is not None
    limits = [*ends[:2], *(all_alike(op, end, count) for end in ends[:2])]
    check(low <= min(limits) and max(limits) <= high, "tick.kernel", "what all cells have together is out of bounds")
    number = c.make("cell", 32, (c.variable(name), c.constant(0, 32)), tuple(bounds))
    asked.append(Overall(row, op, (bounds[0], bounds[1]), number))
    return number


def all_alike(op: str, value: float, count: int) -> float:
    """The number that so many cells come to which all have the same."""
    rows, half, added = [value] * count, 1 << (count - 1).bit_length() >> 1, cache(lambda a, b: single(a + b))
    while half and op == "total":
        rows = [*map(added, rows[: len(rows) - half], rows[half:]), *rows[len(rows) - half : half]]
        half >>= 1
    return rows[0]


OF_LAUNCH = {"ctaid", "worlds", "first_world", "seed_low", "seed_high", "tick", "waits", "cell"}
OF_WORLDS = {"hour", "episode", "layout", "world_meters", "cell_meters", "places", "params", "begins"}
EXCHANGES = "redux", "shfl"


class Place(NamedTuple):
    """A thread as a term, and its world, agent and lane; `valid` says whether there is such a lane."""

    thread: Term
    world: Term
    agent: Term
    lane: Term
    valid: Term


class Package:
    """The files of a package, and what they say of memory: of each array the names of its rows in the tick IR, and the
    bounds of its words. Worlds have the fewest agents that there may be, each a group of threads, as many or more up to
    a power of two. Where agents `meet`, the threads of a world run together, and each agent has words of its own;
    elsewhere one thread stands for all."""

    def __init__(self, files: Mapping[str, str], ir: str, kernel: str, ptx: Kernel) -> None:
        self.universe, self.program = json.loads(files["universe.json"]), Program(ir)
        self.agents = sum(each["agents"] or 1 for each in self.universe.get("roles") or ()) or 1
        self.group = 1 << (self.agents - 1).bit_length()
        self.block = max(WARP, self.group)
        check(ptx.block == self.block, "PTX", f"blocks have {ptx.block} threads, not {self.block}")
        self.meet = self.agents > 1 and any(opcode.startswith(EXCHANGES) for _, _, opcode, _ in ptx.code)
        self.most_worlds = 2**31 - 33 if self.agents == 1 else (2**31 - 1) // self.group
        self.schedule: dict[tuple[str, ...], list[tuple[int, list[str]]]] = {}
        for line in files["tick.kernel"].split("\n"):
            words = [plain or quoted for quoted, plain in re.findall(r"`([^`]*)`|(\S+)", line)]
            if words and line[0] != " ":
                body = self.schedule[tuple(words)] = []
            elif words:
                body.append((len(line) - len(line.lstrip()), words))
        tree = ast.parse(files["triton_kernels.py"]).body
        (function,) = [each for each in tree if isinstance(each, ast.FunctionDef) and each.name == kernel]
        (tables,) = [
            ast.literal_eval(each.value)
            for each in tree
            if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "TABLES"
        ]
        self.tables = {
            f"&table{at}": tuple(literal(type_, repr(row)) for row in rows)
            for at, (_, type_, rows) in enumerate(tables)
        }
        spelled = [spell(each) for each, *_ in tables]
        forms = "{}_ptr", "table_{}", "{}"
        arrays = {form.format(name): f"&table{at}" for at, name in enumerate(spelled) for form in forms}
        names = [each.arg for each in function.args.args if "constexpr" not in ast.unparse(each)]
        absent = "observation_ptr", "final_observation_ptr", "kept_ptr", "elapsed_ptr"
        self.arguments = [arrays.get(each, re.sub(r"(\w+)_ptr", r"&\1", each)) for each in names if each not in absent]
        self.rows = self._rows()
        self.cells = Cells(self.universe) if "&cell_meters" in self.arguments else None
        parted = ptx.parted() if self.meet else None
        check(parted is None, f"PTX, line {parted}", "threads may part, behind it they do something together")
        several = self.meet and (self.group > WARP or self.cells is not None)
        check(not several, "PTX", "agents that meet in several warps, or on cells, are not known here")
        self.variables = self._variables()

    def _rows(self) -> dict[str, list[tuple[str, str, float, float]]]:
        """Of each array its rows: the name in the tick IR, the type, and the bounds."""
        of = self.universe
        loose = set(re.findall(r'"meter": "([^"]+)"[^{}]*"clamped": false', json.dumps(of)))
        rows = {
            name: [(name, type_, low, high)]
            for type_, low, high, names in (
                ("i32", 0, COUNTS, "progress episode age"), ("bool", 0, 1, "alive terminated truncated begins"),
                ("f32", -LARGEST, LARGEST, "episode_return reward"), ("i32", 0, ONES, "layout used cause engaged last"),
                ("i32", 0, of["clock"]["hours"] - 1 if of["clock"] else 0, "hour"),
            ) for name in names.split()
        }  # fmt: skip
        if of["lifespan"] is not None and not of["by_hand"]:
            rows["age"] = [("age", "i32", 0, of["lifespan"]["ticks"])]
        rows |= self._space(of["space"])
        for array, kind in (("streaks", "streak"), ("seen", "seen")):
            type_, most = ("bool", 1) if array == "seen" else ("i32", COUNTS)
            rows[array] = [(f"{kind}.{each['name']}", type_, 0, most) for each in of["affordances"]]
        world = of.get("world") or {"meters": []}
        numbers = {"meters": ("meter", of["meters"]), "world_meters": ("world", world["meters"])}
        numbers |= {f"{each}s": (each, of.get(f"{each}s", ())) for each in ("input", "control", "param")}
        for array, (kind, declared) in numbers.items():
            rows[array] = []
            for each in declared:
                free = (
                    (-LARGEST, LARGEST) if array == "meters" and each["name"] in loose else (each["low"], each["high"])
                )
                low, high = map(single, each.get("reach") or free)
                rows[array].append((f"{kind}.{each['name']}", "f32", low, high))
        reports = [each["name"] for each in (*of["rewards"], *of["reports"]) if each["name"] is not None]
        rows["reports"] = [(f"report.{each}", "f32", -LARGEST, LARGEST) for each in reports]
        return rows

    def _space(self, space: Mapping[str, Any]) -> dict[str, list[tuple[str, str, float, float]]]:
        """The rows of arrays of coordinates, one for each axis: of places one for each affordance and axis."""
        ends: list[tuple[float, float]] = [(0, size - 1) for size in space.get("sizes", ())]
        type_ = "i32"
        for each in space.get("axes", ()):  # rounding may lead just beyond where edges wrap
            low, high, size = (single(each[end]) for end in ("low", "high", "size"))
            ends, type_ = [*ends, (low, max(high, single(low + size)))], "f32"
        names = "xyz" if len(ends) <= 3 else [f"x{each}" for each in range(len(ends))]
        places = dict(zip(names, ends, strict=False))
        most, start = space.get("momentum"), (self.universe.get("start") or {}).get("velocity") or repeat(0.0)
        rest = [max(single(high - low), single(abs(begin))) for (low, high), begin in zip(ends, start, strict=False)]
        fast = [single(most)] * len(ends) if most else rest
        rows = {"position": [(f"position.{name}", type_, *end) for name, end in places.items()]}
        rows["used_at"] = [
            (f"used_at.{name}", type_, min(0, low), max(0, high)) for name, (low, high) in places.items()
        ]
        rows["velocity"] = [(f"velocity.{name}", "f32", -end, end) for name, end in zip(names, fast, strict=False)]
        if type_ == "i32":  # one word has all axes
            places = {"0": (0, math.prod(int(high) + 1 for _, high in ends) - 1)}
        else:
            inner = [(single(each["low"]), single(each["high"])) for each in space["axes"]]
            places = dict(zip(names, inner, strict=False))
        used = [each["name"] for each in self.universe["affordances"] if places.get("0", (0, 0))[1] <= COUNTS - 1]
        rows["places"] = [(f"place.{one}.{name}", type_, *end) for one in used for name, end in places.items()]
        return rows

    def _variables(self) -> dict[str, Variable]:
        actions = sum(count for _, count, _ in self.program.functions["mask"][1])
        thread, most = ("unit", WARP // self.group) if self.meet else ("tid", self.block)
        result: dict[str, Variable] = {
            thread: (32, 0, most - 1, False), "ctaid": (32, 0, 2**31 // self.block - 1, False),
            "worlds": (32, 1, self.most_worlds, False),
            "waits": (32, 0, 1, False), "&scratch": (64, 0, 2**64 - 1, False),
            **dict.fromkeys(("first_world", "seed_low", "seed_high", "tick"), (32, 0, ONES, False)),
            **{f"vote{each}": (32, 0, 1, False) for each in range(1, 99)},
            **{f"{of}[{row}]": (8, 0, 1, False) for of in self.names("mask") for row in range(actions)},
        }  # fmt: skip
        for name in (each for each in self.arguments if each[0] == "&"):
            declared = name[1:] in self.rows or name in self.tables or name in ("&actions", "&mask", "&cell_meters")
            check(declared, "triton_kernels.py", f"the array {name[1:]} is not known here")
            result[name] = 64, 0, 2**64 - 1, False
            for of in self.names(name[1:]):
                for row, (_, type_, low, high) in enumerate(self.rows.get(name[1:], ())):
                    result[f"{of}[{row}]"] = 8 if type_ == "bool" else 32, low, high, type_ == "f32"
                if name == "&actions":
                    result[f"{of}[0]"] = 32, 0, actions - 1, False
        if self.cells is not None:
            result["cell"] = 32, 0, self.cells.count - 1, False
            if self.agents > 1:
                result["turn"] = 32, 0, (self.cells.count - 1) // self.agents, False
            asked = *(f"over{each}" for each in range(1, 65)), *(f"halved{row}" for row in range(self.cells.rows))
            others = *(f"cells.{each}" for each in self.cells.meters), *(asked if self.cells.sums else ())
            others += (*(f"elsewhere{each}" for each in range(1, 65)),)
            result |= dict.fromkeys(others, (32, 0, ONES, False))
        return result

    def names(self, array: str) -> list[str]:
        """The names of the words of an array: where agents meet, each has its own."""
        own = self.meet and array not in OF_WORLDS
        return [f"{array}@{agent}" for agent in range(self.agents)] if own else [array]

    def lane(self, c: Context, agent: int | None = None) -> Place:
        """The lane of a thread; of an agent, where agents meet."""
        shift, spread, worlds = self.group.bit_length() - 1, self.block.bit_length() - 1, c.variable("worlds")
        number = c.constant(agent or 0, 32)
        if agent is None:
            thread = c.variable("tid")
            world = index = c.say(f"(a << {spread}) | b", c.variable("ctaid"), thread)
            if self.agents == 1:
                return Place(thread, index, number, index, c.op("slt", index, worlds))
            world, number = c.say(f"lshr(a, {shift})", index), c.say(f"a & {self.group - 1}", thread)
        else:
            thread = c.say(f"(a << {shift}) | b", c.variable("unit"), number)
            world = c.say(f"(a << {spread - shift}) | b", c.variable("ctaid"), c.variable("unit"))
        valid = c.say(f"slt(a, b) & slt(c, {self.agents})", world, worlds, number)
        return Place(thread, world, number, c.say(f"a * {self.agents} + b", world, number), valid)

    def address(self, c: Context, word: str) -> Term:
        """Where a word is: arrays are [rows, lanes] or [rows, worlds]."""
        (name, row), of_lane = word[:-1].split("["), True
        name, _, agent = name.partition("@")
        lane, worlds = self.lane(c, int(agent or 0) if self.meet else None), c.wide(c.variable("worlds"), 64)
        of_lane = name not in OF_WORLDS
        column, pitch = c.wide(lane.lane if of_lane else lane.world, 64), self.agents if of_lane else 1
        said = f"b + (c * {pitch} * {row} + a) * {self.variables[word][0] // 8}"
        return c.say(said, column, c.variable(f"&{name}"), worlds)


# --- the schedule -----------------------------------------------------------------------------------------------------


SETS = {
    "agents": "agent = own_agent; agents = own_agents",
    "counters": "tick = tick; seed_low = seed_low; seed_high = seed_high; lane = own_lane; world = own_world",
    "gain": "episode_return = fadd(episode_return, reward)",
    "live": "alive = alive & ~(terminated | truncated)",
    "next": "episode = episode + 1",
}
"""Statements that set registers to what is said of registers and of the launch."""


STAYS = "alive | ~eq(waits, 0) & ~eq(cause, -1)"


class Lane:
    """A lane that statements are run for: its registers, and the words of memory that it writes."""

    def __init__(self, context: Context, package: Package, words: dict[str, Term], agent: int | None = None) -> None:
        self.context, self.package, self.words = context, package, words
        self.whose = "" if agent is None else f"@{agent}"
        self.registers, self.of_cells = dict[str, Term](), dict[str, Term]()
        self.cells = package.cells.before(context) if package.cells is not None else []
        self.within = self.always = context.constant(1, 1)
        self.asked, self.over = list[Overall](), 0
        c, lane = context, package.lane(context, agent)
        world, many = c.op("add", c.variable("first_world"), lane.world), c.constant(package.agents, 32)
        self.launch = {name: c.variable(name) for name in ("tick", "seed_low", "seed_high", "waits")}
        self.launch |= {"own_agent": lane.agent, "own_agents": many, "own_world": world}
        self.launch["own_lane"] = c.say("a * b + c", world, many, lane.agent)
        self.first = c.say("eq(a, 0)", lane.agent)

    def statement(self, words: list[str]) -> None:
        c, registers, package = self.context, self.registers, self.package
        match words:
            case ["load" | "take", *arrays]:
                if package.cells is not None and "cell_meters" in arrays:
                    meters = zip(package.cells.meters, self.cells, strict=True)
                    self.of_cells |= {f"cells.{name}": each for name, each in meters}
                for word, register in self._registers_of(arrays or ["begins"]):
                    value = self.words[word]
                    registers[register] = c.say("~eq(a, 0)", value) if value.bits == 8 else value
            case ["store", *arrays]:
                at = arrays.index("where") if "where" in arrays else len(arrays)
                where = registers[arrays[at + 1]] if at < len(arrays) else self.always
                for word, register in self._registers_of(arrays[:at]):
                    of_world = word.split("[")[0] in OF_WORLDS
                    self._write(word, registers[register], c.op("and", where, self.first) if of_world else where)
                if package.cells is not None and "cell_meters" in arrays[:at]:
                    now = (self.of_cells[f"cells.{name}"] for name in package.cells.meters)
                    self.cells = [c.op("ite", where, *both) for both in zip(now, self.cells, strict=True)]
            case ["act"]:
                self.set({"action": self.words[f"actions{self.whose}[0]"]})
            case [word] if word in SETS:
                sets = (each.split(" = ") for each in SETS[word].split("; "))
                self.set({name: c.said(pattern(text), ChainMap(registers, self.launch), 32) for name, text in sets})
            case ["set", register, "to", source, *equals]:
                self.set({register: c.say(f"eq(a, {equals[1]})" if equals else "a", registers[source])})
            case ["copy", *names, "to", prefix]:
                self.set({f"{prefix}.{each}": registers[each] for each in names})
            case ["call", function]:
                outputs = package.program.call(c, function, self._read())
                self.set({name: values[0] for name, values in outputs.items() if len(values) == 1})
            case ["near"] if package.cells is not None:
                for name, values in self._of_any_cell("near").items():
                    self.of_cells[name] = package.cells.beside(c, values)
            case ["call", "cells", function]:
                for name, value in self._of_any_cell(function).items():
                    self.of_cells[name] = c.op("ite", self.within, value, self.of_cells[name])
            case ["on", "cells", _] | ["crowd", *_] if package.agents > 1:
                raise RefusedError("tick.kernel: what agents have together on cells is not known of one alone")
            case ["on", "cells", name]:
                kind, term, nothing = package.program.reductions[name], registers[f"term.{name}"], c.constant(0, 32)
                if kind in ("count", "total"):
                    one = c.constant(word_of(1.0), 32)
                    term = c.op("ite", term, one, nothing) if kind == "count" else c.op("fadd", nothing, term)
                standing = registers[package.program.standing[name]]
                self.of_cells[f"among.{name}"] = self._on_cell(registers["running"], standing, term, nothing)
            case ["crowd", *meters]:
                counts = {name: each for name, (each,) in package.program.call(c, "crowd", self._read()).items()}
                for number, name in enumerate(meters):
                    self._crowd(number, f"cells.{name}", counts)
            case ["over", *meters] if package.cells is not None:
                rows = zip(meters, self._of_any_cell("over").values(), package.cells.sums, strict=True)
                for meter, cells, of in rows:
                    self.over += 1
                    result = overall(c, self.asked, cells, of, f"over{self.over}", package.cells.count)
                    self.set({f"world.{meter}": result})
            case ["fill", *names, "with", value]:
                type_ = "bool" if value in ("true", "false") else "f32" if "." in value else "i32"
                self.set(dict.fromkeys(names, c.constant(literal(type_, value), 1 if type_ == "bool" else 32)))
            case ["allow", *wait]:
                masks = [each for values in package.program.call(c, "mask", self._read()).values() for each in values]
                for row, may in enumerate(masks):
                    idle = c.constant(wait[1:] == [str(row)], 1)
                    value = c.op("ite", registers["alive"], may, idle) if wait else may
                    self._write(f"mask{self.whose}[{row}]", value, self.always)
            case ["if", "counting" | "every_tick" | "last_only" | "shown"] | ["observe", *_]:
                pass  # a step counts nothing, and the launch has no observations
            case _:
                raise RefusedError(f"tick.kernel: `{' '.join(words)}` is not known here")

    def shown(self, whose: str) -> dict[str, Term]:
        """The registers that functions of pairs read of one that asks, or of another one."""
        return {f"{whose}.{name[6:]}": term for name, term in self.registers.items() if name.startswith("shown.")}

    def _read(self) -> Mapping[str, Term]:
        """Inputs of functions of lanes."""
        cells = {name: each for name, each in self.of_cells.items() if name.startswith("cells.")}
        return {**self.registers, **cells, "cells_at": self.context.constant(0, 32)}

    def _of_any_cell(self, function: str) -> dict[str, Term]:
        """The outputs of a function of cells, for any of them."""
        c = self.context
        past = {f"past.{name[6:]}": each for name, each in self.of_cells.items() if name.startswith("cells.")}
        own = {"cell": c.variable("cell"), "cells_at": c.constant(0, 32)}
        outputs = self.package.program.call(c, function, {**self.registers, **past, **self.of_cells, **own})
        return {name: value for name, (value,) in outputs.items()}

    def _on_cell(self, counts: Term, standing: Term, value: Term, nobody: Term) -> Term:
        """The number that a cell has of the lane, which is on it or not."""
        c = self.context
        return c.op("ite", c.op("and", counts, c.op("eq", standing, c.variable("cell"))), value, nobody)

    def _crowd(self, number: int, register: str, counts: Mapping[str, Term]) -> None:
        assert self.package.cells is not None
        c, of, value = self.context, self.package.universe["cells"]["counts"][number], counts[f"crowd.{number}"]
        ends = self.package.cells.bounds[self.package.cells.meters.index(register[6:])]
        match of.get("extreme"):
            case None:
                nobody = c.constant(0, 32)
                value = c.op("fadd", nobody, value)
            case "lowest":
                nobody = c.constant(ends[1], 32)
                value = c.say("ite(flt(a, b), a, b)", nobody, value)
            case _:
                nobody = c.constant(ends[0], 32)
                value = c.say("ite(flt(b, a), a, b)", nobody, value)
        joined = self._on_cell(counts["counted"], counts["standing"], value, nobody)
        self.of_cells[register] = c.op("ite", self.within, joined, self.of_cells[register])

    def _registers_of(self, arrays: list[str]) -> Iterator[tuple[str, str]]:
        for array in (each for each in arrays if each != "cell_meters"):
            name = array if array in OF_WORLDS else f"{array}{self.whose}"
            yield from ((f"{name}[{row}]", register) for row, (register, *_) in enumerate(self.package.rows[array]))

    def set(self, values: Mapping[str, Term]) -> None:
        for name, value in values.items():
            before = self.registers.get(name)
            self.registers[name] = value if before is None else self.context.op("ite", self.within, value, before)

    def _write(self, word: str, value: Term, where: Term) -> None:
        stored = self.context.wide(value, 8) if value.bits == 1 else value
        self.words[word] = self.context.op("ite", where, stored, self.words[word])


class World:
    """The words that a schedule leaves in the memory of a world: what lanes have together, and what each has. A lane is
    alone where worlds have one agent, or agents do not meet."""

    def __init__(self, context: Context, package: Package, words: dict[str, Term]) -> None:
        agents = range(package.agents) if package.meet else [None]
        self.context, self.package, self.words = context, package, words
        self.lanes = [Lane(context, package, words, agent) for agent in agents]
        self.of_pairs = [[dict[str, Term]() for _ in self.lanes] for _ in self.lanes]

    def run(self, body: Sequence[tuple[int, list[str]]]) -> None:
        """Run statements: how far they are indented, and their words."""
        at = 0
        while at < len(body):
            end = next((each for each in range(at + 1, len(body)) if body[each][0] <= body[at][0]), len(body))
            self._statement(body[at][1], body[at + 1 : end])
            at = end

    def _statement(self, words: list[str], body: Sequence[tuple[int, list[str]]]) -> None:
        c, lanes, program = self.context, self.lanes, self.package.program
        met = words[0] not in ("some", "end", "pair", "join") or len(lanes) == self.package.agents
        check(met, "tick.kernel", "what agents have together is not known of one alone")
        match words:
            case ["some", register, "of", condition]:
                held = (c.op("and", each.registers[condition], each.registers["running"]) for each in lanes)
                self._all({register: any_of(c, held)})
            case ["end"]:
                stay = (c.said(pattern(STAYS), ChainMap(each.registers, each.launch), 1) for each in lanes)
                self._all({"begins": c.no(any_of(c, stay))})
            case ["pair", stage]:
                for own, row in zip(lanes, self.of_pairs, strict=True):
                    for other, shown in zip(lanes, row, strict=True):
                        sides = ChainMap(own.shown("own"), other.shown("other"))
                        shown |= {name: value for name, (value,) in program.call(c, f"pair_{stage}", sides).items()}
            case ["join", name]:
                registers, kind = [each.registers for each in lanes], program.reductions[name]
                rows = self.of_pairs if "of pairs" in kind else [registers] * len(lanes)
                values = [joined(c, kind, name, registers, row, own) for own, row in enumerate(rows)]
                for each, value in zip(lanes, values, strict=True):
                    each.set({f"among.{name}": value})
            case ["within", condition]:
                outside = [each.within for each in lanes]
                for each in lanes:
                    each.within = c.op("and", each.within, each.registers[condition])
                self.run(body)
                for each, before in zip(lanes, outside, strict=True):
                    each.within = before
            case ["do", routine]:
                self.run(self.package.schedule["routine", routine])
            case _:
                for each in lanes:
                    each.statement(words)

    def _all(self, values: Mapping[str, Term]) -> None:
        for each in self.lanes:
            each.set(values)


def any_of(c: Context, conditions: Iterable[Term]) -> Term:
    return reduce(lambda one, other: c.op("or", one, other), conditions)


def number_of_those(c: Context, conditions: Sequence[Term]) -> Term:
    """How many conditions hold."""
    numbers = (c.say("ite(a, 1, b)", each, c.constant(0, 32)) for each in conditions)
    return reduce(lambda one, other: c.op("add", one, other), numbers, c.constant(0, 32))


def count_of(c: Context, conditions: Sequence[Term]) -> Term:
    """The same in binary32."""
    if len(conditions) == 1:
        return c.say(f"ite(a, {word_of(1.0)}, b)", conditions[0], c.constant(0, 32))
    return c.op("tofloat", number_of_those(c, conditions))


def joined(
    c: Context,
    kind: str,
    name: str,
    lanes: Sequence[Mapping[str, Term]],
    shown: Sequence[Mapping[str, Term]],
    own: int,
) -> Term:
    """The result of a reduction over the lanes of a world for one of them, as docs/semantics.md says it: of the
    registers of lanes, and of what each of them gives, by itself or to the one that asks."""
    kinds = "term", "away", "value", "key", "asked", "priority", "first", "places"
    of = {each: [row[f"{each}.{name}"] for row in shown] for each in kinds if f"{each}.{name}" in shown[0]}
    terms, runs, nothing = of["term"], [each["running"] for each in lanes], c.constant(0, 32)
    held = [c.op("and", *both) for both in zip(terms, runs, strict=True)] if terms[0].bits == 1 else []
    missing = (1 << (len(runs) - 1).bit_length()) - len(runs)
    match kind.removesuffix(" of pairs").split():
        case ["count"]:
            return count_of(c, held)
        case ["total"]:
            values = [*(c.op("ite", *both, nothing) for both in zip(runs, terms, strict=True)), *[nothing] * missing]
            while len(values) > 1:
                values = [c.op("fadd", *both) for both in zip(values[::2], values[1::2], strict=True)]
            return values[0]
        case ["lowest" | "highest" as which]:
            numbers = [*zip(terms, runs, strict=True), *[(nothing, c.constant(0, 1))] * missing]
            while len(numbers) > 1:
                halves, numbers = zip(numbers[::2], numbers[1::2], strict=True), []
                for (left, has_left), (right, has_right) in halves:
                    better = c.say("flt(a, b)" if which == "lowest" else "flt(b, a)", left, right)
                    of_both = c.op("ite", has_left, c.op("ite", better, left, right), right)
                    numbers.append((c.op("ite", has_right, of_both, left), c.op("or", has_left, has_right)))
            return c.op("ite", numbers[0][1], numbers[0][0], nothing)
        case ["nearest"]:
            away = [c.op("ite", *both, c.constant(INFINITY, 32)) for both in zip(held, of["away"], strict=True)]
            least, value = away[0], of["value"][0]
            for distance, each in zip(away[1:], of["value"][1:], strict=True):
                nearer = c.op("flt", distance, least)
                least, value = c.op("ite", nearer, distance, least), c.op("ite", nearer, each, value)
            return c.op("ite", any_of(c, held), value, lanes[own][f"otherwise.{name}"])
        case ["alike", *others]:
            same = (c.op("eq", of["asked"][own], key) for key in of["key"])
            meets = [c.op("and", *both) for both in zip(held, same, strict=True)]
            return count_of(c, [each for at, each in enumerate(meets) if at != own or not others])
        case ["rank" | "grant" as which]:
            orders = [of[each] for each in ("priority", "first") if each in of and (which, each) != ("rank", "first")]
            before = [c.op("and", first_of(c, orders, at, own), each) for at, each in enumerate(held) if at != own]
            earlier = number_of_those(c, before)
            if which == "rank":
                return c.op("tofloat", earlier)
            return c.op("and", held[own], c.op("slt", earlier, of["places"][0]))
        case _:
            raise RefusedError(f"tick IR: the reduction {name} is not known here")


def first_of(c: Context, orders: Sequence[Sequence[Term]], other: int, own: int) -> Term:
    """Whether another lane comes before one: by what is greater, the last order first, and else by its number."""
    result = c.constant(other < own, 1)
    for order in orders:
        result = c.say("ult(a, b) | eq(a, b) & c", order[own], order[other], result)
    return result


# --- PTX --------------------------------------------------------------------------------------------------------------

HEADER = re.compile(
    r"(\.(version|target|address_size|extern|visible \.entry|maxnreg)\b.*|\)|\.reqntid \d+"
    r"|\.param \.u(?P<bits>32|64) (?:\.ptr \.global \.align \d+ )?(?P<parameter>\w+),?)?"
)
BODY = re.compile(
    r"(\.(pragma|local)\b.*|\.reg \.(pred|[bf](?P<bits>\d+))\s+(?P<registers>%\w+)<(?P<count>\d+)>;|(?P<label>\$\w+):"
    r"|\.reg .*|(@(?P<no>!?)(?P<guard>%\w+)\s+)?(?P<opcode>[a-z][\w.]*)(\s+(?P<operands>[^;]*))?;)?"
)


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


JUMPS = "bra", "bra.uni"


def reached(begin: set[int], following: Mapping[int, set[int]], without: set[int]) -> set[int]:
    """The numbers that are reached from some, without others."""
    done, stack = set[int](), list(begin - without)
    while stack:
        each = stack.pop()
        if each not in done:
            done.add(each)
            stack += following.get(each, set()) - without
    return done


class Kernel:
    """The only kernel of a PTX text."""

    def __init__(self, text: str) -> None:
        self.parameters: list[tuple[str, int]] = []
        self.widths, self.labels = dict[str, int](), dict[str, int]()
        self.code: list[tuple[int, tuple[str, bool] | None, str, list[str]]] = []
        lines = [each.strip() for each in text.rstrip("\n").split("\n")]
        begins = lines.index("{") if "{" in lines else 0
        threads = [each for each in map(re.compile(r"\.reqntid (\d+)").fullmatch, lines[:begins]) if each]
        check(lines[-1] == "}" and len(threads) == 1, "PTX", "no whole kernel of so many threads a block")
        self.block = int(threads[0][1])
        for number, line in enumerate(lines[:-1], 1):
            match = (HEADER if number <= begins else BODY).fullmatch(line)
            check(match or number == begins + 1, f"PTX, line {number}", f"`{line}` is not known here")
            of = match.groupdict() if match else {}
            if name := of.get("parameter"):
                self.parameters.append((name, int(of["bits"])))
            elif name := of.get("registers"):
                self.widths |= {f"{name}{each}": int(of["bits"] or 1) for each in range(int(of["count"]))}
            elif name := of.get("label"):
                self.labels[name] = len(self.code)
            elif name := of.get("opcode"):
                operands = [
                    each.strip("{}[] ") for each in re.findall(r"\{[^}]*\}|\[[^]]*\]|[^,\s]+", of["operands"] or "")
                ]
                self.code.append((number, (of["guard"], bool(of["no"])) if of["guard"] else None, name, operands))

    def writes(self, at: int) -> list[str]:
        """The registers that an instruction writes."""
        _, _, opcode, operands = self.code[at]
        plain = opcode not in JUMPS and not opcode.startswith(("st.", "bar")) and operands
        return re.split(r"\s*,\s*", operands[0]) if plain else []

    def votes_a_bit(self, at: int) -> bool:
        """Whether an instruction reads what each thread that executes it has chosen between 1 and 0 just before."""
        register = self.code[at][3][1]
        targets = {self.labels[operands[0]] for _, _, opcode, operands in self.code if opcode in JUMPS}
        for before in range(at - 1, -1, -1):
            _, guard, opcode, operands = self.code[before]
            if before + 1 in targets or opcode in JUMPS:
                return False
            if register in self.writes(before):
                return guard is None and opcode == "selp.b32" and sorted(operands[1:3]) == ["0", "1"]
        return False

    def parted(self) -> int | None:
        """A branch that threads of a warp may take differently, behind which they do something together."""
        places = {name: 1 << at for at, name in enumerate(("%tid.x", "%laneid", *self.widths))}
        varied, stack, inside = {0: 3}, [0], set(range(len(self.code)))

        def bits(names: Iterable[str]) -> int:
            return reduce(operator.or_, (places.get(each, 0) for each in names), 0)

        of = [(bits((*re.split(r"[\s,+]+", ",".join(operands[1:])), guard[0] if guard else "")),
               bits(self.writes(at))) for at, (_, guard, _, operands) in enumerate(self.code)]  # fmt: skip
        while stack:
            at = stack.pop()
            _, guard, opcode, _ = self.code[at]
            now, (read, written) = varied[at], of[at]
            if not opcode.startswith("redux") and (opcode.startswith(("ld.global", "ld.shared", "shfl")) or read & now):
                now |= written
            elif not guard:
                now &= ~written
            for each in self.following[at] & inside:
                if each not in varied or now & ~varied[each]:
                    varied[each] = varied.get(each, 0) | now
                    stack.append(each)
        together = {at for at, each in enumerate(self.code) if each[2].startswith(EXCHANGES)}
        for at, now in varied.items():
            line, guard, opcode, _ = self.code[at]
            parts = guard and places[guard[0]] & now and opcode in (*JUMPS, "ret")
            if parts and reached(self.following[at], self.following, set()) & together:
                return line
        return None

    @cached_property
    def following(self) -> dict[int, set[int]]:
        """The instructions that may follow each of them."""
        result: dict[int, set[int]] = {}
        for at, (_, guard, opcode, operands) in enumerate(self.code):
            goes_on = {at + 1} if opcode not in (*JUMPS, "ret") or guard else set()
            result[at] = goes_on | ({self.labels[operands[0]]} if opcode in JUMPS else set())
        return result

    def loops(self) -> dict[int, set[int]]:
        """The loops that store something, and have none in them that does: by where they begin, all that is in them."""
        following, before = self.following, dict[int, set[int]]()
        for at, ends in following.items():
            for each in ends:
                before.setdefault(each, set()).add(at)
        result: dict[int, set[int]] = {}
        for head in {self.labels[operands[0]] for _, _, opcode, operands in self.code if opcode in JUMPS}:
            others = reached({0} - {head}, following, {head})
            back = {at for at in before.get(head, ()) if at not in others}
            inside = reached(back, before, {head}) | {head}
            if back and any(self.code[at][2].startswith("st.") for at in inside):
                result[head] = inside
        return {head: inside for head, inside in result.items() if not any(each in inside - {head} for each in result)}


def mentions(root: Term, part: Term) -> bool:
    """Whether a term is made of another."""
    done = dict[Term, bool]()
    for term in below(root, done):
        done[term] = term is part or any(done[each] for each in term.operands)
    return done[root]


class Turn:
    """A turn that is run for any cell: what cells had before, how many turns there are, the rows that it wrote, those
    read of other cells that have a turn."""

    def __init__(self, before: list[Term | None]) -> None:
        self.before, self.count, self.written, self.read = before, 0, set[int](), set[int]()


class Thread:
    """One thread, any of its block, executes a kernel. A `blind` one knows nothing of memory but tables: it finds out
    what holds for all threads, up to its first undecided branch: in which votes none votes, and their rows."""

    def __init__(
        self,
        context: Context,
        kernel: Kernel,
        package: Package,
        words: dict[str, Term],
        blind: Thread | None = None,
        thread: Term | None = None,
    ):
        self.context, self.kernel, self.package, self.words, self.blind = context, kernel, package, words, blind
        self.thread = thread or context.variable("tid")
        self.stored: list[tuple[str, str, Term]] = []
        self.loaded: list[str] = []
        self.agreed: dict[int, list[int] | None] = {}
        self.registers: dict[str, Term] = {}
        self.pairs: dict[str, tuple[Term | None, ...]] = {}
        self.at = self.executed = self.votes = self.elsewhere = self.scattered = 0
        self.place, self.why = "PTX", ""
        self.loops = kernel.loops() if package.cells is not None else {}
        cells = package.cells.before(context) if package.cells is not None else []
        self.cells: list[Term | None] = [*cells, *[None] * (package.cells.rows - len(cells) if package.cells else 0)]
        self.turn: Turn | None = None
        self.ignores = False
        self.taken: Term | None = None
        self.asked, self.halved = list[Overall](), dict[int, Overall]()
        self.barriers, self.met = 0, dict[str, tuple[set[int], set[int]]]()

    def meets(self, what: str, stores: bool) -> None:
        """Note how many barriers the thread has met where it loads or stores what is its world's."""
        self.met.setdefault(what, (set(), set()))[stores].add(self.barriers)

    def sure(self, holds: object, reason: str) -> None:
        check(holds, self.place, reason)

    def begin(self) -> None:
        c, package, kernel = self.context, self.package, self.kernel
        agents = c.constant(package.agents, 32)
        arguments = [agents if each == "agents" else c.variable(each) for each in package.arguments]
        arguments += [c.variable("&scratch")] * (len(kernel.parameters) - len(arguments))
        self.sure(
            [bits for _, bits in kernel.parameters] == [each.bits for each in arguments],
            "its parameters are not the kernel's",
        )
        self.parameters = {name: term for (name, _), term in zip(kernel.parameters, arguments, strict=True)}
        self.tables = {c.variable(name): rows for name, rows in package.tables.items()}
        self.places = {package.address(c, word): word for word in self.words} if self.blind else {}

    def run(self) -> None:
        self.begin()
        at = 0
        while at < len(self.kernel.code):
            after = self._turned(at, self.loops[at]) if at in self.loops else None
            if after is None:
                self.loops.pop(at, None)
            at = self.next(at) if after is None else after

    def next(self, at: int) -> int:
        """Execute an instruction, and find the next one."""
        kernel = self.kernel
        line, _, opcode, operands = kernel.code[at]
        self.place, self.at, self.executed = f"PTX, line {line}", at, self.executed + 1
        self.sure(self.executed <= MOST_EXECUTED, f"more than {MOST_EXECUTED} instructions are executed")
        where = self._where(at)
        if opcode in JUMPS or opcode == "ret":
            if where.value is None:
                raise UndecidedError
            if where.value and opcode in JUMPS and self.ignores and kernel.labels[operands[0]] <= at:
                raise UndecidedError  # a blind thread runs no loop behind a store
            if where.value:
                return kernel.labels[operands[0]] if opcode in JUMPS else len(kernel.code)
        elif opcode.startswith("bar."):
            self.sure(opcode == "bar.sync" and operands == ["0"] and where.value == 1, f"{opcode} is not known here")
            self.barriers += 1
        elif where.value != 0:
            self._instruction(opcode, operands, where)
        return at + 1

    def _where(self, at: int) -> Term:
        """The condition under which an instruction is executed."""
        guard = self.kernel.code[at][1]
        if guard is None:
            return self.context.constant(1, 1)
        return self.context.no(self.registers[guard[0]]) if guard[1] else self.registers[guard[0]]

    # A loop over cells in which each turn writes numbers of its own cell alone, and reads no others that any turn
    # writes, is one turn, for any cell. Several agents take one cell each in a turn, all of a world by one way: each
    # cell is that of one agent and turn, and has what these store, if that is the same for all agents but for the cell.

    def _of_world(self, root: Term) -> bool:
        """Whether a term is the same for all agents of a world: of a thread's number it has the world alone, and that
        there is such a lane, as there is for each agent."""
        c, package = self.context, self.package
        place, worlds, done = package.lane(c), c.variable("worlds"), dict[Term, bool]()
        limits = (place.world, worlds), (place.agent, c.constant(package.agents, 32))
        alike = {place.world, *(c.made("slt", 1, each, None) for each in limits)}
        for term in below(root, done, alike.__contains__):
            name = str(term.attribute)
            common = name in OF_LAUNCH or name.startswith(("&", "cells.")) or name.split("[")[0] in OF_WORLDS
            done[term] = term in alike or (
                common if term.op == "variable" else all(done[each] for each in term.operands)
            )
        return done[root]

    def _turned(self, head: int, inside: set[int]) -> int | None:
        """Run a loop over all cells, and find where the thread goes on; `None` where it is no such loop."""
        before = self.registers, self.pairs, self.cells, self.votes, self.executed, self.barriers, self.elsewhere
        count, halved = len(self.stored), dict(self.halved)
        for halving in (False, True):
            try:
                self.turn = Turn(list(self.cells))
                return self._over_cells(head, inside, self.turn, halving)
            except (RefusedError, KeyError) as error:
                self.registers, self.pairs, self.cells, self.votes, self.executed, *rest = before
                (self.barriers, self.elsewhere), self.why = rest, f"{self.why}; {error}" if halving else str(error)
                self.halved = dict(halved)
                del self.stored[count:]
            finally:
                self.turn = None
        return None

    def _over_cells(self, head: int, inside: set[int], turn: Turn, halving: bool) -> int:
        """Run a turn for any cell. One that joins halves is for the first cells of a row: of two halves that are left
        it writes to the first what each of its cells has, joined with what the cell as far behind the half has."""
        c, kernel, cells = self.context, self.kernel, self.package.cells
        assert cells is not None
        cell, agents, votes, elsewhere = c.variable("cell"), self.package.agents, self.votes, self.elsewhere
        number, self.taken, turn.count = cell, cell, (cells.count - 1) // agents + 1
        if agents > 1:
            self.sure(all(map(self._of_world, c.premises)), "it is run by some agents alone")
            number = c.variable("turn")
            self.taken = c.say(f"a * {agents} + b", number, self.package.lane(c).agent)
        written = Counter(name for at in inside for name in kernel.writes(at))
        steps: dict[str, tuple[Term, Term]] = {}
        for _, guard, opcode, operands in (kernel.code[at] for at in inside):
            adds = opcode in ("add.s32", "add.s64") and guard is None
            if adds and operands[0] == operands[1] and operands[0] in self.registers:
                name, amount = operands[0], operands[2]
                if written[name] == 1 and amount not in written:
                    steps[name] = self.registers[name], self.source(amount, int(opcode[-2:]))
        halved, held, rows_before = (
            {row: [each] for row, each in self.halved.items()},
            list(self.cells),
            list(self.cells),
        )
        if halving:
            counts = [first.value for first, step in steps.values() if step.value == (1 << step.bits) - 1]
            turn.count = next((each for each in counts if each), 0)
            self.sure(agents == 1 and 0 < turn.count <= cells.count, "it is for no part of the cells")
            for row, value in enumerate(held):
                if row not in halved and value is not None:
                    halved[row] = [each for each in self.asked if c.one(each.row) is c.one(value)]
            levels = (cells.count - 1).bit_length()
            for row, those in halved.items():
                those[:] = [each for each in those if 1 << levels - each.times == 2 * turn.count]
                low, high = (sorted((each.bounds[end] for each in those), key=number_of) for end in (0, 1))
                if those:
                    held[row] = c.make("cell", 32, (c.variable(f"halved{row}"), cell), (low[0], high[-1]))
            turn.before = list(held)

        def after(turns: Term) -> dict[str, Term]:
            left = {name: term for name, term in self.registers.items() if name not in written}
            of = ((name, c.wide(turns, step.bits), step, first) for name, (first, step) in steps.items())
            self.pairs = {name: pair for name, pair in self.pairs.items() if name not in written}
            return left | {name: c.say("a * b + c", *each) for name, *each in of}

        here, own, last = after(number), {cell: self.taken}, c.constant(turn.count - 1, 32)
        self.registers = dict(here)
        self.cells = [each and (each if agents == 1 else c.copy(each, own)) for each in held]
        barriers, before, (goes_on, end) = self.barriers, list(turn.before), self._once(head, inside)
        self.sure(barriers == self.barriers, "threads meet barriers in it")
        for name, (_, step) in steps.items():
            self.sure(self.registers[name] is c.op("add", here[name], step), f"{name} does not grow by the same")
        self.sure(votes == self.votes and not turn.written & turn.read, "turns depend on each other")
        self.sure(c.copy(goes_on, {number: last}).value == 0, "it does not end with the last cell")
        self.sure(c.op("or", goes_on, c.no(c.op("ult", number, last))).value == 1, "it may end before the last cell")
        for row in turn.written:
            value = self.cells[row]
            if halving:
                self._joins(row, value, held[row], halved, turn.count)
                before[row] = None
                continue
            self.halved.pop(row, None)
            before[row] = value and (value if agents == 1 else c.copy(value, {self.taken: cell}))
            self.sure(agents == 1 or (value and self._of_world(before[row] or value)), "it depends on the agent")
        if halving:  # of rows that are read by halves nothing is known but the number that is left
            before = [None if row in turn.written else each for row, each in enumerate(rows_before)]
            self.elsewhere = elsewhere
        self.cells, self.registers = before, after(c.say("a + 1", last))
        return end

    def _joins(
        self, row: int, value: Term | None, held: Term | None, halved: Mapping[int, list[Overall]], half: int
    ) -> None:
        """Refuse what is not one half of a row joined with the other."""
        c, cells = self.context, self.package.cells
        self.sure((value is None) == (held is None), "it joins what is not known with what is")
        self.halved.pop(row, None)
        if value is not None and held is not None and cells is not None:
            cell, other = c.variable("cell"), c.say(f"a + {half}", c.variable("cell"))
            inside = c.say(f"ult(a, {half}) & ult(b, {cells.count})", cell, other)
            both = held, of_cell(c, held, other)
            those = [of for of in halved[row] if value is c.op("ite", inside, of.joined(c, *both), held)]
            self.sure(those, "it joins no halves")
            self.halved[row] = those[0]._replace(times=those[0].times + 1)

    def _once(self, head: int, inside: set[int]) -> tuple[Term, int]:
        """Run a turn: under which condition another one follows, and where the thread goes on behind the last one."""
        at = head
        while at in inside:
            _, _, opcode, operands = self.kernel.code[at]
            where = self._where(at) if opcode in JUMPS else self.context.constant(1, 1)
            if where.value is None:
                target = self.kernel.labels[operands[0]]
                self.sure(head in (target, at + 1), "a branch within a turn is not decided")
                end = at + 1 if target == head else target
                self.sure(end not in inside, "a turn goes on at its beginning")
                return where if target == head else self.context.no(where), end
            at = self.next(at)
            self.sure(at != head, "it has no end")
        raise RefusedError(f"{self.place}: it is left within a turn")

    def _cell(self, address: Term, where: Term) -> tuple[int, Term, bool] | None:
        """The row and the cell of a number at an address where a condition holds, if it is in the array of cells; and
        whether it is of the lane's world."""
        c, cells = self.context, self.package.cells
        if cells is None or not mentions(address, array := c.variable("&cell_meters")):
            return None
        held, stack = dict[Term, Term](), [where] if where.value is None else []
        while stack:
            each = stack.pop()
            held |= {c.no(each): c.constant(0, 1), each: c.constant(1, 1)}
            stack += each.operands if each.op == "and" else ()
        address = c.copy(address, held) if held else address
        lane = self.package.lane(c)
        own_base = c.say(f"b + a * {4 * cells.rows * cells.count}", c.wide(lane.world, 64), array)
        has_world = lane.valid.value == 1
        for base, own in ((own_base, True), (array, False)) if has_world else ((array, False),):
            index, numbers = self._behind(address, base)
            for row in range(cells.rows):
                if index is None:
                    break
                cell = c.op("add", index, c.constant(numbers - row * cells.count, 32))
                inside = c.say(f"ult(a, {cells.count})", cell)
                if c.op("and", where, c.no(inside)).value == 0:
                    return row, cell, own
        raise RefusedError(f"{self.place}: in which cell that is, is not known")

    def _behind(self, address: Term, base: Term) -> tuple[Term | None, int]:
        """How many numbers an address is behind another: a word of less than 2^31, or with a sign, with what choices
        add, and so many more, less than 2^30: as cells are few, it is the number of one if it is so modulo 2^32."""
        c, times = self.context, Counter(self.context._multiples(address))
        times.subtract(self.context._multiples(base))
        rest, chosen, index, words = signed(times.pop(None, 0) % (1 << 64), 64), list[Term](), c.constant(0, 32), 0
        most, numbers = abs(rest), rest // 4
        for term, count in ((term, count % (1 << 64)) for term, count in times.items() if term is not None):
            values = (each.value for each in term.operands[1:])
            sides = [signed(count * value % (1 << 64), 64) for value in values if value is not None]
            if term.op == "ite" and len(sides) == 2 and not any(each % 4 for each in sides):
                chosen.append(c.op("ite", term.operands[0], *(c.constant(each // 4, 32) for each in sides)))
                most += max(map(abs, sides))
            elif count:
                words, index = words + 1, term.operands[0] if term.op in ("zext", "sext") else term
                if words > 1 or count != 4 or index.bits != 32 or (term.op != "sext" and c.words(index)[1] > COUNTS):
                    return None, 0
        while index.op == "add" and (more := index.operands[1].value) is not None:
            if c.words(index.operands[0])[1] + more > COUNTS:
                break
            index, numbers = index.operands[0], numbers + more
        if rest % 4 or most > COUNTS or most // 4 + abs(numbers) > COUNTS // 2:
            return None, 0
        for each in chosen:
            index = c.op("add", index, each)
        return index, numbers

    def _is(self, cell: Term, index: Term, where: Term) -> bool:
        """Whether a number is that of a cell where a condition holds."""
        c, cells = self.context, self.package.cells
        asks = index is not cell and cells is not None and cells.sums
        return index is cell or bool(asks and c.op("and", where, c.no(c.op("eq", index, cell))).value == 0)

    def _of_cell(self, row: int, index: Term, own: bool, where: Term) -> Term:
        """The number of a cell in a row; of another world's anything."""
        if not own:
            self.elsewhere += 1
            return self.context.variable(f"elsewhere{self.elsewhere}")
        c, cells, value = self.context, self.package.cells, self.cells[row]
        assert cells is not None
        taken = self.turn is not None and self.taken is not None and self._is(self.taken, index, where)
        if self.turn is not None and self.taken is not None and not taken:
            other = c.say(f"a + {self.turn.count}", self.taken)
            index = other if self._is(other, index, where) else index
            outside = self.package.agents == 1 and c.say(f"ult(a, {self.turn.count}) & b", index, where).value == 0
            self.turn.read |= set() if outside else {row}
            value = self.turn.before[row]
        if (of := self.halved.get(row)) is not None and index.value == 0 and 1 << of.times >= cells.count:
            return of.number
        if value is None and cells.sums:
            return self._of_cell(row, index, False, where)
        if not taken:
            self.meets(f"row {row}", False)
        self.sure(value, f"what row {row} of cells has is not known")
        assert value is not None
        return value if taken else of_cell(self.context, value, index)

    def _instruction(self, opcode: str, operands: list[str], where: Term) -> None:
        c, (target, *sources) = self.context, operands
        values: dict[str, Term | None]
        if match := re.fullmatch(r"(ld|st)\.global\.b(8|16|32|64)", opcode):
            bits, base, *offset = int(match[2]), *re.split(r"\s*\+\s*", operands[match[1] == "ld"]), "0"
            address = c.op("add", self.source(base, 64), c.constant(int(offset[0], 0), 64))
            if match[1] == "st":
                self._store(address, c.wide(self.source(sources[0], max(bits, 16)), bits), where)
                return
            values = {target: c.wide(self._load(address, bits, where), max(bits, 16))}
        elif opcode.endswith("f32x2") or (opcode == "mov.b64" and "," in sources[0]):
            whole = where.value == 1 and self.kernel.widths.get(target) == 64
            self.sure(whole, f"{target} does not take 64 bits, or not always")
            halves = zip(*map(self.pair, sources), strict=True)
            opcode = opcode.replace("f32x2", "f32")
            self.pairs[target] = tuple(None if None in each else self._said(opcode, *each) for each in halves)
            self.registers.pop(target, None)
            return
        elif opcode == "mov.b64" and "," in target:
            values = dict(zip(re.split(r"\s*,\s*", target), self.pair(sources[0]), strict=True))
        else:
            values = {target: self._result(opcode, sources)}
        for name, value in values.items():
            if name != "_":
                self.sure(value and self.kernel.widths.get(name) == value.bits, f"{name} does not take this")
                assert value is not None
                self.registers[name] = value if where.value else c.op("ite", where, value, self.registers[name])
                self.pairs.pop(name, None)

    def pair(self, operand: str) -> tuple[Term | None, ...]:
        """Both halves of a word, the lower one first. One that was made of two stays two words, of which one that was
        not written is `None`: nobody may read it."""
        if operand in self.pairs:
            return self.pairs[operand]
        if "," in operand:
            halves = [each.strip() for each in operand.split(",")]
            written = [each in self.registers or each not in self.kernel.widths for each in halves]
            return tuple(self.source(each, 32) if ready else None for each, ready in zip(halves, written, strict=True))
        word = self.source(operand, 64)
        return self.context.wide(word, 32), self.context.wide(self.context.say("lshr(a, 32)", word), 32)

    def source(self, operand: str, bits: int) -> Term:
        c = self.context
        if operand in ("%tid.x", "%laneid", "%ctaid.x"):
            self.sure(
                operand != "%laneid" or self.package.block == WARP, "the number of a thread in one of several warps"
            )
            return c.variable("ctaid") if operand == "%ctaid.x" else self.thread
        if operand in self.registers:
            term = self.registers[operand]
            self.sure(term.bits >= bits, f"{operand} has {term.bits} bits, not {bits}")
            return c.wide(term, bits)
        if re.fullmatch(r"0f[0-9A-Fa-f]{8}", operand):
            return c.constant(int(operand[2:], 16), 32)
        self.sure(re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|0|[1-9]\d*)U?", operand), f"{operand} is not known here")
        value = int(operand.rstrip("U"), 0)
        return c.constant(value != 0 if bits == 1 else value, bits)

    def _result(self, opcode: str, sources: list[str]) -> Term:
        c, (name, *modifiers) = self.context, opcode.split(".")
        match = re.fullmatch(r"pred|([bsuf])(8|16|32|64)", modifiers[-1])
        self.sure(match, f"{opcode} is not known here")
        assert match is not None
        bits, with_sign, middle = int(match[2] or 1), match[1] == "s", modifiers[:-1]
        if name in ("mul", "mad") and middle == ["wide"]:
            a, b = (c.wide(self.source(each, bits), 2 * bits, with_sign) for each in sources[:2])
            return c.say(
                "a * b + c" if name == "mad" else "mul", a, b, *(self.source(each, 2 * bits) for each in sources[2:])
            )
        if name == "ld" and middle == ["param"]:
            return self.parameters[sources[0]]
        of = [self.source(each, 1 if (name, at) == ("selp", 2) else bits) for at, each in enumerate(sources)]
        if any(re.fullmatch(form, opcode) for form in PTX):
            return self._said(opcode, *of)
        if name in ("redux", "shfl"):
            return self._together(opcode, of)
        if name in ("shl", "shr") and not middle:
            amount = self.source(sources[1], 32)
            if bits != 32 and amount.value is not None:
                amount = c.constant(min(amount.value, bits), bits)
            if amount.bits == bits:
                return c.op("shl" if name == "shl" else "ashr" if with_sign else "lshr", of[0], amount)
        if opcode == "div.s32" and c.words(of[1])[0] > 0 and of[0] is not of[1]:
            (_, most), (_, by) = map(c.words, of)
            self.sure(max(most, by) <= COUNTS, "a number that is divided may be below 0")
            times = c.constant(most // by, bits)
            return times if c.op("eq", of[0], c.op("mul", of[1], times)).value == 1 else c.op("udiv", *of)
        if opcode == "mul.hi.u16":
            return c.wide(c.say("lshr(a * b, 16)", *(c.wide(each, 32) for each in of)), 16)
        if opcode == "mul.hi.s32":
            result = c.op("mulhi", *of)
            for each, other in (of, of[::-1]):
                if c.words(each)[1] > COUNTS:
                    result = c.say("a - b", result, c.say("ite(slt(a, 0), b, 0)", each, other))
            return result
        if opcode == "shf.l.wrap.b32" and 0 < (of[2].value or 0) < 32:
            return c.say(f"(b << {of[2].value}) | lshr(a, {32 - (of[2].value or 0)})", *of[:2])
        if opcode[:4] == "div." and of[0] is of[1] and c.words(of[0])[0] > 0:
            return c.constant(1, bits)
        if re.fullmatch(r"cvt\.rn\.f32\.[su]64", opcode) and of[0].op == "zext" and of[0].operands[0].bits == 32:
            return c.make("unsignedtofloat", 32, of[0].operands)
        if name == "cvt" and len(middle) == 1 and "f" not in middle[0] + opcode[-3:]:
            return c.wide(of[0], int(middle[0][1:]), with_sign)
        first, count = (each.value for each in of[1:3]) if name == "bfe" and bits == 32 else (None, None)
        if first is not None and count is not None and 0 < count <= 32 - first:
            return c.say(f"{'ashr' if with_sign else 'lshr'}(a << {32 - first - count}, {32 - count})", of[0])
        raise RefusedError(f"{self.place}: {opcode} is not known here")

    def _said(self, opcode: str, *operands: Term) -> Term:
        matches = ((re.fullmatch(form, opcode), says) for form, says in PTX.items())
        of = next((match.expand(says) for match, says in matches if match), None)
        self.sure(of, f"{opcode} is not known here")
        return self.context.say(of or "", *operands)

    def _load(self, address: Term, bits: int, where: Term) -> Term:
        if self.blind is not None and (place := self._cell(address, where)) is not None:
            self.sure(bits == 32, f"a load of {bits} bits of a number of a cell")
            return self._of_cell(*place, where)
        c, parts, rows, rest = self.context, [address], None, self.context.constant(0, 64)
        if address in self.places:
            self.loaded.append(self.place)
            shared = (
                self.package.agents > 1 and not self.package.meet and self.places[address].split("[")[0] in OF_WORLDS
            )
            other = shared and any(word == self.places[address] for _, word, _ in self.stored)
            self.sure(not other, "another thread may have stored what is loaded")
            self.meets(self.places[address], False)
            value = self.words[self.places[address]]
            self.sure(value.bits == bits, f"a load of {bits} bits of a word of {value.bits}")
            return value
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
                return c.make("table", 32, (self.thread,), tuple(rows[each // 4] for each in offsets))
            name = f"load {self.executed}"
            c.variables[name] = bits, 0, (1 << bits) - 1, False
            return c.variable(name)
        self.sure(rows is not None and bits == 32, "a load from where no word of the lane is known to be")
        assert rows is not None
        inside = c.say(f"ult(a, {4 * len(rows)}) & eq(a & 3, 0)", rest)
        self.sure(inside.value == 1, "a load that may be beyond a table")
        return c.make("table", 32, (c.wide(c.say("lshr(a, 2)", rest), 32),), rows)

    def _store(self, address: Term, value: Term, where: Term) -> None:
        if self.blind is None:  # what it loads is anything
            self.ignores = True
            return
        if (place := self._cell(address, where)) is not None:
            row, index, own = place
            c, before, cell = self.context, self.cells[row], self.context.variable("cell")
            alone = own and (self.package.agents == 1 or self.turn is not None)
            self.sure(alone and value.bits == 32, "a store to a cell of another world or of some agents, or no number")
            if self.turn is None and before is not None and self.scattered < MOST_SCATTERED:
                self.scattered += 1
                self.cells[row] = c.op("ite", c.op("and", where, c.op("eq", cell, index)), value, before)
                return
            self.sure(self.turn, "a store to a cell of which nothing is known")
            assert self.turn is not None
            assert self.taken is not None
            own = self._is(self.taken, index, where)
            self.sure(own, f"a store to a cell: {self.why or 'it is none of the turn'}")
            self.turn.written.add(row)
            self.meets(f"row {row}", True)
            if before is not None or where.value == 1:
                self.cells[row] = value if before is None else self.context.op("ite", where, value, before)
            return
        self.sure(self.turn is None, "a turn stores elsewhere")
        self.sure(address in self.places, "a store to where no word of the lane is known to be")
        word = self.places[address]
        before = self.words[word]
        self.sure(before.bits == value.bits, f"a store of {value.bits} bits to a word of {before.bits}")
        self.stored.append((self.place, word, where))
        self.meets(word, True)
        self.words[word] = self.context.op("ite", where, value, before)

    def _of_threads(self, term: Term) -> list[int] | None:
        """The values of a term in the 32 threads of a warp, if it is a function of the thread's number."""
        c, own = self.context, self.context.variable("tid")
        values = [c.copy(term, {own: c.constant(each, 32)}).value for each in range(32)]
        return None if None in values else [each or 0 for each in values]

    def _together(self, opcode: str, operands: list[Term]) -> Term:
        c, value, agreed = self.context, operands[0], (self.blind or self).agreed
        self.sure(operands[-1].value == ONES, "not all threads take part")
        if opcode == "shfl.sync.idx.b32" and operands[2].value == 31:
            if operands[1] in (tid := self.thread, c.say("a & 31", tid)):  # what the thread has itself
                return value
            own = self._of_threads(value)
            if self.blind is None:
                agreed[self.executed] = own
            self.sure(own and agreed.get(self.executed) == own, "what another thread has is not known")
            return c.copy(value, {c.variable("tid"): c.say("a & 31", operands[1])})
        self.sure(re.fullmatch(r"redux\.sync\.(max\.[su]32|or\.b32)", opcode), f"{opcode} is not known here")
        if self.blind is None and value.value == 0:
            agreed[self.executed] = None
        if value.value == 1 or (value.value == 0 and self.executed in agreed):
            return value
        bit = c.words(value)[1] <= 1 if self.blind is None else self.kernel.votes_a_bit(self.at)
        self.sure(bit, "a vote on what is not chosen between 1 and 0 just before")
        self.votes += 1
        return c.op("or", value, c.variable(f"vote{self.votes}"))


class Threads(Thread):
    """The threads of one world, whose agents meet. All execute each instruction together, and go one way. A shuffle
    gives what the other thread has; of a vote it is known how the world votes, other worlds of the warp vote as they
    like."""

    def run(self) -> None:
        c, package, code = self.context, self.package, self.kernel.code
        threads = [package.lane(c, agent).thread for agent in range(package.group)]
        self.threads = [Thread(c, self.kernel, package, self.words, self.blind, each) for each in threads]
        for each in self.threads:
            each.begin()
            each.stored, each.loaded = self.stored, self.loaded
        at = 0
        while at < len(code):
            line, guard, opcode, operands = code[at]
            self.place, self.executed, before = f"PTX, line {line}", self.executed + 1, len(self.stored)
            if opcode.startswith(EXCHANGES):
                of = [[each.source(operand, 32) for operand in operands[1:]] for each in self.threads]
                self.sure(guard is None and all(each[-1].value == ONES for each in of), "not all threads take part")
                for thread, value in zip(self.threads, self._exchanged(at, opcode, of), strict=True):
                    self.sure(self.kernel.widths.get(operands[0]) == 32, f"{operands[0]} does not take this")
                    thread.registers[operands[0]] = value
                    thread.pairs.pop(operands[0], None)
                at += 1
                continue
            ways = {each.next(at) for each in self.threads}
            self.sure(len(ways) == 1, "threads of a world go different ways")
            (at,) = ways
            stores = self.stored[before:]
            for number, (_, word, where) in enumerate(stores):
                for _, other, there in stores[:number]:
                    apart = word != other or c.op("and", where, there).value == 0
                    self.sure(apart, f"two threads may store to {word}")

    def _exchanged(self, at: int, opcode: str, of: list[list[Term]]) -> list[Term]:
        """The words that threads get, of operands that each has."""
        c, group, values = self.context, self.package.group, [each[0] for each in of]
        if opcode.startswith("shfl"):
            self.sure(
                all(each[2].value == WARP - 1 for each in of), f"{opcode} of a part of the warp is not known here"
            )
            return [self._shuffled(opcode, values, each[1], own) for own, each in enumerate(of)]
        self.sure(re.fullmatch(r"redux\.sync\.(max\.[su]32|or\.b32)", opcode), f"{opcode} is not known here")
        agreed = self.blind is not None and self.executed in self.blind.agreed
        if all(each.value == 0 for each in values) and agreed:
            return values
        self.sure(self.kernel.votes_a_bit(at), "a vote on what is not chosen between 1 and 0 just before")
        vote = reduce(lambda one, other: c.op("or", one, other), values)
        if vote.value != 1 and group < WARP:
            self.votes += 1
            vote = c.op("or", vote, c.variable(f"vote{self.votes}"))
        return [vote] * group

    def _rows(self, values: list[Term]) -> list[int | None]:
        """The words of each thread of the warp, as far as it is known of any world of the block."""
        c, unit = self.context, self.context.variable("unit")
        return [c.copy(each, {unit: c.constant(at, 32)}).value for at in range(WARP // len(values)) for each in values]

    def _shuffled(self, opcode: str, values: list[Term], other: Term, own: int) -> Term:
        """The word of another thread, which must be one of the same world."""
        c, group = self.context, self.package.group
        if opcode == "shfl.sync.bfly.b32" and other.value is not None and other.value < group:
            return values[own ^ other.value]
        self.sure(opcode == "shfl.sync.idx.b32", f"{opcode} is not known here")
        rows = self.blind.agreed.get(self.executed) if self.blind is not None else None
        if rows is not None and rows == self._rows(values):
            return c.make("table", 32, (c.say("a & 31", other),), tuple(rows))
        low, unit = c.say(f"a & {group - 1}", other), c.say(f"lshr(a & 31, {group.bit_length() - 1})", other)
        same = group == WARP or c.op("eq", unit, c.variable("unit")).value == 1
        self.sure(same, "what the thread of another world has is not known")
        result = values[-1]
        for number in range(group - 2, -1, -1):
            result = c.op("ite", c.say(f"eq(a, {number})", low), values[number], result)
        return result


# --- certificates -----------------------------------------------------------------------------------------------------


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def packed(data: Any) -> bytes:
    return json.dumps(data, sort_keys=True, separators=(",", ":")).encode()


class Certificate:
    """A certificate of the package in a folder, and what was checked of it."""

    def __init__(self, folder: Path, path: Path, asks: bool = True) -> None:
        self.data: dict[str, Any] = json.loads(path.read_text())
        self.solver, self.used, self.nodes = Solver(asks), Counter[str](), self.data["nodes"]
        self.words, self.barriers, self.met = list[str](), list[int](), dict[str, tuple[set[int], set[int]]]()
        self.executed = self.cases = 0
        check(self.data["format"] == FORMAT, path.name, f"its format is {self.data['format']}, not {FORMAT}")
        rest = {key: value for key, value in self.data.items() if key != "sha256"}
        check(self.data["sha256"] == digest(packed(rest)), path.name, "it was changed after it was written")
        files = {name: (folder / name).read_bytes() for name in FILES}
        for name, content in files.items():
            same = self.data["files"][name] == digest(content)
            check(same, f"{folder.name}/{name}", "the certificate is of another one")
        texts = {name: content.decode() for name, content in files.items()}
        self.kernel = Kernel(self.data["ptx"])
        self.package = Package(texts, self.data["ir"], self.data["kernel"], self.kernel)
        for name, bounds in self.package.variables.items():
            claimed = self.data["premises"].get(name, list(bounds) if name.startswith("vote") else None)
            check(claimed == list(bounds), f"premise {name}", f"{claimed} is not {list(bounds)}")
        for at, (_, _, operands, *_) in enumerate(self.nodes):
            earlier = all(0 <= each < at for each in operands)
            check(earlier, f"node {at}", "a cycle: it is made of a node that comes later")

    def attest(self) -> None:
        """Check all cases.

        Raises:
            RefusedError: something is not as the certificate says.
        """
        variables = self.package.variables
        any_thread = {"tid": (32, 0, self.package.block - 1, False)}
        alone = Context({**variables, **any_thread}, self.used, by_bounds=True)
        self.blind = Thread(alone, self.kernel, self.package, {})
        with contextlib.suppress(UndecidedError, RefusedError):  # it finds out as much as it can
            self.blind.run()
        self._case(Context(variables, self.used), self.data["cases"], "case")
        if self.package.group > WARP:  # barriers keep apart what warps load and store
            check(len(set(self.barriers)) == 1, "PTX", "threads of a block meet different numbers of barriers")
            for what, (loads, stores) in self.met.items():
                of_world = what.startswith("row ") or what.split("[")[0] in OF_WORLDS
                late = loads and stores and not what.startswith("row ") and max(loads) > min(stores)
                check(not of_world or not (late or loads & stores), "PTX", f"no barrier keeps {what} apart")

    def _node(self, context: Context, root: int) -> Term:
        """The term of a node in a context: the one that was made of its operands' terms, or would be now."""
        stack = [root]
        while stack:
            op, bits, operands, *attribute = self.nodes[stack[-1]]
            missing = [each for each in operands if each not in context.nodes]
            stack += missing
            if not missing:
                attached = tuple(attribute[0]) if op in ("table", "cell") else attribute[0] if attribute else None
                of = tuple([context.nodes[each] for each in operands])
                context.nodes[stack.pop()] = context.made(op, bits, of, attached)
        return context.nodes[root]

    def _case(self, context: Context, tree: Any, place: str) -> None:
        """Check what is so in a context: on each of its sides, or to the end."""
        for entry in tree["steps"]:
            self._replay(context, entry, place)
        if "sides" in tree:
            check(len(tree["sides"]) == len(context.sides[-1]), place, "a case is missing")
            for number, (side, inner) in enumerate(zip(context.sides[-1], tree["sides"], strict=True), 1):
                self._case(side, inner, f"{place} {number}")
            return
        self.cases += 1
        words = {name: context.variable(name) for name in self.package.variables if name[-1] == "]"}
        outer: Context | None = context if self.package.cells is not None else None
        while outer is not None:  # what is said of any cell is put another cell in
            for name in (each for each in ("cell", "turn") if each in outer.variables):
                some = any(mentions(each, outer.variable(name)) for each in outer.premises)
                check(not some, place, "it is of some cells alone")
            outer = outer.outer
        package, kind = self.package, Threads if self.package.meet else Thread
        world = World(context, package, dict(words))
        here = package.lane(context, 0 if package.meet else None)
        thread = kind(context, self.kernel, package, dict(words), self.blind, here.thread)
        inside = here.valid
        check(inside.value is not None, place, "whether the lane is one of the launch is not decided")
        if inside.value:
            world.run(package.schedule["kernel", self.data["kernel"]])
            thread.asked = world.lanes[0].asked
        try:
            thread.run()
        except UndecidedError:
            raise RefusedError(f"{place}, {thread.place}: a branch is not decided") from None
        self.executed = max(self.executed, thread.executed)
        self.barriers.append(thread.barriers)
        for what, sets in thread.met.items():
            for all_cases, at in zip(self.met.setdefault(what, (set(), set())), sets, strict=True):
                all_cases |= at
        if inside.value == 0:
            check(not thread.loaded, f"{place}, {thread.loaded}", "a load of a thread without a lane")
            for line, word, where in thread.stored:
                check(where.value == 0, f"{place}, {line}", f"a store to {word} of a thread without a lane")
                self.words.append(word)
            return
        said = {word: (world.words[word], thread.words[word]) for word in words}
        for row, term in enumerate(world.lanes[0].cells):
            check(now := thread.cells[row], place, f"what row {row} of cells has is not known")
            assert now is not None
            said[f"cell_meters[{row}]"] = term, now
        for word, both in said.items():
            steps, split = tree["words"].get(word, ((), None))
            for entry in steps:
                self._replay(context, entry, f"{place}, word {word}")
            same = self._same(context, *both, split)
            check(same, f"{place}, word {word}", "the two terms are not equal in the end")
            self.words.append(word)

    def _same(self, context: Context, left: Term, right: Term, split: Any) -> bool:
        """Whether two terms are one, or are so on sides of a context, of which a split says the number."""
        if split is None:
            return context.one(left) is context.one(right)
        sides = context.sides[split[0]]
        inner = zip(sides, split[1:] or [None] * len(sides), strict=True)
        return all(self._same(side, side.copy(left), side.copy(right), each) for side, each in inner)

    def _replay(self, context: Context, entry: Any, place: str) -> None:
        if isinstance(entry, list):
            at, side, inner = entry
            self._replay(context.sides[at][side], inner, f"{place}, side {side}")
        else:
            self._step(context, entry, place)

    def _tell_apart(self, context: Context, cover: int, conditions: list[int], place: str) -> None:
        """Have sides of a context, one of which holds in each state: where a condition holds, and where not, or where
        one of several does."""
        terms = [self._node(context, each) for each in conditions]
        if len(terms) == 1:
            terms.append(context.no(terms[0]))
        else:
            check(
                context.one(self._node(context, cover)).value == 1, place, "it is not shown that one of the sides holds"
            )
            stack = [cover]
            while stack:
                each = stack.pop()
                check(each in conditions or self.nodes[each][0] == "or", place, "a side is missing")
                stack += [] if each in conditions else self.nodes[each][2]
        context.sides.append([context.under(each) for each in terms])

    def _step(self, context: Context, number: int, place: str) -> None:
        one, other, reason, *more = self.data["steps"][number]
        left, right, here = self._node(context, one), self._node(context, other), f"{place}, step {number}"
        self.used[reason if isinstance(reason, str) else f"rule {reason}"] += 1
        check(left.bits == right.bits, here, "the two terms have different widths")
        if reason == "cover":
            self._tell_apart(context, one, more[0], here)
            return
        if reason == "query":
            said = {self._node(context, each) for each in more[0]}
            self.solver.ask(Question(context, left, right, said).text, here)
        elif reason == "sides":
            check(0 <= more[0][0] < len(context.sides), here, "there are no such sides")
            check(self._same(context, left, right, more[0]), here, "the two terms are not equal on all sides")
        elif reason == "choice":
            opened = {self._node(context, each) for each in more[1]}
            check(context.choice(left, right, self._node(context, more[0]), opened), here, "rule 24 does not fit")
        elif reason == "values":
            check(context.of_values(left, right, self._node(context, more[0])), here, "rule 49 does not fit")
        else:
            fits = context.by_rule(reason, left, right) or context.by_rule(reason, right, left)
            check(fits, here, f"rule {reason} does not fit")
        context.merge(left, right)

    def lines(self) -> Iterator[str]:
        """Lines about what was proven, by what, and what was not."""
        data, asked, solver = self.data, len(self.solver.texts), self.solver.bitwuzla
        proven = f"{len(self.words)} words hold in {self.cases} cases"
        yield f"{data['universe']}, {data['kernel']}, {data['architecture']}: {proven}"
        program = digest(data["ir"].encode())[:16]
        yield f"PTX {data['ptx_sha256'][:16]} of Triton {data['triton']} against tick IR {program}"
        yield "by " + ", ".join(f"{count} {name}" for name, count in sorted(self.used.items()))
        again = f"asked again of bitwuzla {solver.version()}" if solver else "TAKEN ON TRUST: no solver"
        yield f"{asked} different queries, {again}"
        rows = [row for each in self.package.arguments for row in self.package.rows.get(each[1:], ())]
        if (cells := self.package.cells) is not None:
            for name, (low, high) in zip(cells.meters, cells.bounds, strict=True):
                rows.append((f"cells.{name}", "f32", number_of(low), number_of(high)))
        bounds = [
            f"{name} in {low:g} .. {high:g}" for name, _, low, high in rows if high not in (1, ONES, COUNTS) or low
        ]
        package = self.package
        agents = "one agent" if package.agents == 1 else f"{package.agents} agents"
        together, worlds = APART if package.agents == 1 else AT_ONCE, f"2^31 - {2**31 - package.most_worlds}"
        worlds = worlds if package.agents == 1 else f"{package.most_worlds}"
        said = SAID.format(
            bounds="; ".join(bounds), agents=agents, worlds=worlds, block=package.block, together=together
        )
        yield from said.split("\n")


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
            both = zip(bare(ptx).split("\n"), certificate.data["ptx"].split("\n"), strict=False)
            other = next((f"line {at}" for at, (one, two) in enumerate(both, 1) if one != two), "its length")
            same = bare(ptx) == certificate.data["ptx"]
            check(same, f"PTX, {other}", "the certificate is of another text, as of another Triton")
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
