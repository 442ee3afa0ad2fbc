"""Equality of two terms, asked of an SMT solver (bitwuzla) about a few levels of operations.

What lies below is cut off: a word of its own, of which nothing but its bounds is known. So a query says more than
what is to be proven, and what it refutes may still be equal. Products are cut off first, and sums in binary32: equal
ones of equal terms are the same term already.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import bitwuzla
from bitwuzla import Kind

from hamlet_lab.proof.bounds import Bounds, positive_zero
from hamlet_lab.proof.meanings import CONSTANT, SIGN, VARIABLE
from hamlet_lab.proof.refuting import refuted
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena

PLAIN = {
    "add": Kind.BV_ADD, "sub": Kind.BV_SUB, "mul": Kind.BV_MUL, "and": Kind.BV_AND,
    "or": Kind.BV_OR, "xor": Kind.BV_XOR,
    "shl": Kind.BV_SHL, "lshr": Kind.BV_SHR, "ashr": Kind.BV_ASHR, "udiv": Kind.BV_UDIV, "urem": Kind.BV_UREM,
}  # fmt: skip
COMPARED = {"ult": Kind.BV_ULT, "ule": Kind.BV_ULE, "slt": Kind.BV_SLT, "sle": Kind.BV_SLE}
ORDERED = {"flt": Kind.FP_LT, "fle": Kind.FP_LEQ, "feq": Kind.FP_EQUAL}
NAN = 0x7FFFFFFF
SMALL = 256
"""Products by constants below are said in all queries."""


@dataclass(frozen=True, slots=True)
class Depth:
    """How much of terms a query says: so many levels, products by constants or none, sums in binary32 or none."""

    levels: int
    products: bool = False
    floats: bool = False
    milliseconds: int = 10_000


DEPTHS = (
    Depth(3),
    Depth(8),
    Depth(5, products=True),
    Depth(14),
    Depth(7, products=True),
    Depth(5, floats=True, milliseconds=20_000),
    Depth(24),
)
DEEP = 20
"""Queries of more levels are asked of words of 8 and 32 bits alone that are no numbers."""


class Query:
    """One query about terms of an arena.

    Attributes:
        cut: why terms were cut off: for their `levels`, as `products`, as `floats`.
    """

    def __init__(self, arena: Arena, bounds: Bounds, depth: Depth) -> None:
        self._arena, self._bounds, self._depth = arena, bounds, depth
        self.cut: set[str] = set()
        self._levels: dict[int, int] = {}
        self._opened: dict[int, Term] = {}
        self._cuts: dict[int, Term] = {}
        self._words: dict[int, bitwuzla.Term] = {}

    @property
    def said(self) -> list[Term]:
        """The terms whose operations it says."""
        return list(self._opened.values())

    def equal(self, left: Term, right: Term) -> bool:
        """Whether they are equal in all states of the context, as far as the query sees."""
        for each in (left, right, *self._arena.premises):
            self._open(each, self._depth.levels)
        if refuted(self._arena, self._bounds, left, right, self._opened, self._cuts):
            return False
        self._begin()
        for each in (*self._cuts.values(), *sorted(self._opened.values(), key=lambda each: each.number)):
            self._say(each)
        make, one = self._manager.mk_term, self._word(1, 1)
        for premise in self._arena.premises:
            self._assert(make(Kind.EQUAL, [self._said(premise), one]))
        self._assert(make(Kind.DISTINCT, [self._said(left), self._said(right)]))
        return bool(self._solver.check_sat() == bitwuzla.Result.UNSAT)

    def _open(self, term: Term, levels: int) -> None:
        """Open a term so many levels down. One that was cut off before is opened, and keeps its bounds."""
        if self._levels.get(term.number, -1) >= levels or term.op == CONSTANT:
            return
        if term.op == VARIABLE or not self._opens(term):
            self._cuts[term.number] = term
        elif levels == 0:
            self.cut.add("levels")
            self._cuts[term.number] = term
        else:
            for each in term.operands:
                self._open(each, levels - 1)
            self._opened[term.number] = term
        self._levels[term.number] = levels

    def _begin(self) -> None:
        """Have a solver."""
        self._manager = bitwuzla.TermManager()
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.TIME_LIMIT_PER, self._depth.milliseconds)
        self._solver = bitwuzla.Bitwuzla(self._manager, options)
        self._widths = {bits: self._manager.mk_bv_sort(bits) for bits in (1, 8, 16, 32, 64)}
        self._rounding = self._manager.mk_rm_value(bitwuzla.RoundingMode.RNE)

    def _assert(self, formula: bitwuzla.Term) -> None:
        self._solver.assert_formula(formula)

    def _word(self, value: int, bits: int) -> bitwuzla.Term:
        return self._manager.mk_bv_value(self._widths[bits], value)

    def _said(self, term: Term) -> bitwuzla.Term:
        """A term as the solver has it."""
        return self._words[term.number] if term.value is None else self._word(term.value, term.bits)

    def _say(self, term: Term) -> None:
        """Give the solver a term: one that is cut off as any word within its bounds."""
        before = self._words.get(term.number)
        if term.number in self._cuts and before is None:
            self._words[term.number] = self._cut(term)
            return
        result = self._words[term.number] = self._operation(term, [self._said(each) for each in term.operands])
        if before is not None:
            self._assert(self._manager.mk_term(Kind.EQUAL, [result, before]))

    def _opens(self, term: Term) -> bool:
        match term.op:
            case "mul" | "mulhi" | "udiv" | "urem":
                constant = term.operands[1].value
                if constant is None:
                    return False
                if not self._depth.products and constant >= SMALL:
                    self.cut.add("products")
                    return False
                return True
            case "fadd":
                if not self._depth.floats:
                    self.cut.add("floats")
                return self._depth.floats
            case "fmul" | "fdiv" | "fma" | "fsqrt" | "tofloat" | "unsignedtofloat" | "cell":
                return False
            case "fmin" | "fmax":
                # Zeros of both signs would need what PTX says of them.
                return all(self._bounds.numbers(each) is not None for each in term.operands)
            case _:
                return True

    def _cut(self, term: Term) -> bitwuzla.Term:
        make = self._manager.mk_term
        cut = self._manager.mk_const(self._widths[term.bits], f"t{term.number}")
        low, high = self._bounds.words(term)
        if low > 0:
            self._assert(make(Kind.BV_UGE, [cut, self._word(low, term.bits)]))
        if high < (1 << term.bits) - 1:
            self._assert(make(Kind.BV_ULE, [cut, self._word(high, term.bits)]))
        if positive_zero(term):
            self._assert(make(Kind.DISTINCT, [cut, self._word(SIGN, 32)]))
        numbers = self._bounds.numbers(term) if term.bits == 32 else None
        if numbers is not None:
            for kind, end in ((Kind.FP_GEQ, numbers.low), (Kind.FP_LEQ, numbers.high)):
                (word,) = struct.unpack("<I", struct.pack("<f", end))
                self._assert(make(kind, [self._number(cut), self._number(self._word(word, 32))]))
        return cut

    def _number(self, word: bitwuzla.Term) -> bitwuzla.Term:
        return self._manager.mk_term(Kind.FP_TO_FP_FROM_BV, [word], [8, 24])

    def _truth(self, word: bitwuzla.Term) -> bitwuzla.Term:
        return self._manager.mk_term(Kind.EQUAL, [word, self._word(1, 1)])

    def _bit(self, truth: bitwuzla.Term) -> bitwuzla.Term:
        return self._manager.mk_term(Kind.ITE, [truth, self._word(1, 1), self._word(0, 1)])

    def _operation(self, term: Term, operands: list[bitwuzla.Term]) -> bitwuzla.Term:
        make = self._manager.mk_term
        match term.op:
            case op if op in PLAIN:
                return make(PLAIN[op], operands)
            case "eq":
                return self._bit(make(Kind.EQUAL, operands))
            case op if op in COMPARED:
                return self._bit(make(COMPARED[op], operands))
            case op if op in ORDERED:
                return self._bit(make(ORDERED[op], [self._number(each) for each in operands]))
            case "ite":
                return make(Kind.ITE, [self._truth(operands[0]), *operands[1:]])
            case "zext" | "sext":
                kind = Kind.BV_ZERO_EXTEND if term.op == "zext" else Kind.BV_SIGN_EXTEND
                return make(kind, operands, [term.bits - term.operands[0].bits])
            case "low":
                return make(Kind.BV_EXTRACT, operands, [term.bits - 1, 0])
            case "mulhi":
                wide = [make(Kind.BV_ZERO_EXTEND, [each], [32]) for each in operands]
                return make(Kind.BV_EXTRACT, [make(Kind.BV_MUL, wide)], [63, 32])
            case "table":
                assert isinstance(term.attribute, tuple)
                result = self._word(term.attribute[-1], 32)
                for row, value in reversed(list(enumerate(term.attribute[:-1]))):
                    here = make(Kind.EQUAL, [operands[0], self._word(row, 32)])
                    result = make(Kind.ITE, [here, self._word(value, 32), result])
                return result
            case "fmin" | "fmax":
                return self._extreme(term.op, operands)
            case "fadd":
                total = make(Kind.FP_ADD, [self._rounding, *[self._number(each) for each in operands]])
                return self._word_of(total)
            case _:
                raise ValueError(f"{term.op} is not known to queries")

    def _extreme(self, op: str, operands: list[bitwuzla.Term]) -> bitwuzla.Term:
        """PTX's minimum and maximum of two numbers, of which none is a NaN."""
        make = self._manager.mk_term
        left, right = operands
        numbers = [self._number(each) for each in operands]
        less = make(Kind.FP_LT, numbers if op == "fmin" else numbers[::-1])
        both = make(Kind.BV_OR if op == "fmin" else Kind.BV_AND, operands)
        return make(Kind.ITE, [less, left, make(Kind.ITE, [make(Kind.FP_EQUAL, numbers), both, right])])

    def _word_of(self, number: bitwuzla.Term) -> bitwuzla.Term:
        """The bits of a number, and of a NaN the canonical ones."""
        make = self._manager.mk_term
        word = self._manager.mk_const(self._widths[32])
        self._assert(make(Kind.EQUAL, [self._number(word), number]))
        nan = make(Kind.FP_IS_NAN, [number])
        self._assert(make(Kind.IMPLIES, [nan, make(Kind.EQUAL, [word, self._word(NAN, 32)])]))
        return word
