"""Numbers that all cells of a world come to: of a row, halves of what is left are joined until one number is left.

Such a number is a word of its own, one for each row and operation: of rows that are one term it is one. What is known
of it is that it is within the bounds of the meter that keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from hamlet_lab.proof.meanings import CELL
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena

OVERALL, HALVED = "over", "halved"
"""Names of variables before a number: of which row something is all cells' number, and of rows that are joined."""
MOST = 64


@dataclass(frozen=True, slots=True)
class Sum:
    """An operation on the numbers of all cells, and the least and the greatest word of the meter that keeps it."""

    op: str
    low: int
    high: int

    def join(self, arena: Arena, left: Term, right: Term) -> Term:
        """Two numbers as one."""
        match self.op:
            case "total":
                return arena.op("fadd", left, right)
            case "lowest":
                return arena.select(arena.op("flt", left, right), left, right)
            case _:
                return arena.select(arena.op("flt", right, left), left, right)


def any_of(arena: Arena, name: str, index: Term, sums: Sequence[Sum]) -> Term:
    """A number within the bounds of meters, which is any function of an index."""
    low = min((each.low for each in sums), key=number_of)
    high = max((each.high for each in sums), key=number_of)
    return arena.make(CELL, 32, (arena.variable(name), index), (low, high))


def number_of(word: int) -> float:
    """The number of a word."""
    return float(np.uint32(word).view(np.float32))


def is_abstract(root: Term) -> bool:
    """Whether a term is made of the number of all cells, whose values in samples are none that a launch can have."""
    seen, stack = set[int](), [root]
    while stack:
        term = stack.pop()
        if term.op == "variable" and str(term.attribute).startswith(OVERALL):
            return True
        if term.number not in seen:
            seen.add(term.number)
            stack += term.operands
    return False


@dataclass(frozen=True, slots=True)
class Overall:
    """The number that all cells come to, of a row: what any cell has there."""

    row: Term
    sum: Sum
    number: Term


@dataclass(slots=True)
class Overalls:
    """The numbers of all cells that a schedule asked for."""

    numbers: list[Overall] = field(default_factory=list)
    asked: int = 0

    def of(self, arena: Arena, sum_: Sum, row: Term) -> Term:
        """The number that the cells of a row come to."""
        self.asked += 1
        result = next(self.those(arena, row, sum_), None)
        if result is None:
            number = any_of(arena, f"{OVERALL}{self.asked}", arena.constant(0, 32), [sum_])
            result = Overall(row, sum_, number)
            self.numbers.append(result)
        return result.number

    def those(self, arena: Arena, row: Term, sum_: Sum | None = None) -> Iterator[Overall]:
        """The numbers that are asked for of a row."""
        for each in self.numbers:
            if arena.instead_of(each.row) is arena.instead_of(row) and sum_ in (None, each.sum):
                yield each


@dataclass(frozen=True, slots=True)
class Halved:
    """A row of which halves were joined so many times."""

    overall: Overall
    times: int = 0


@cache
def all_alike(op: str, value: float, count: int) -> float:
    """The number that so many cells come to which all have a number."""
    if op != "total":
        return value
    rows, half = np.full(count, value, np.float32), 1 << (count - 1).bit_length() >> 1
    while half:
        rows = np.concatenate((rows[: len(rows) - half] + rows[half:], rows[len(rows) - half : half]))
        half >>= 1
    return float(rows[0])
