"""Ranges of words and of numbers in binary32, and sums of terms.

A range of words is from an integer to another; a word is one of these modulo its width, so that sums never wrap. What
is not known is the whole range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hamlet_lab.proof.term import Term

WIDEST = 2.0**126
"""Beyond it nothing is said of numbers, which may overflow."""

Range = tuple[int, int]
Numbers = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sum:
    """Multiples of terms and an integer, modulo a width."""

    times: Mapping[Term, int]
    rest: int = 0

    def plus(self, other: Sum, factor: int = 1) -> Sum:
        """This and a multiple of another."""
        times = dict(self.times)
        for term, count in other.times.items():
            times[term] = times.get(term, 0) + factor * count
        return Sum({term: count for term, count in times.items() if count}, self.rest + factor * other.rest)


def modulo(total: Sum, bits: int) -> Sum:
    """The same sum modulo a width, of numbers near 0."""
    half = 1 << (bits - 1)
    near = {term: (count + half) % (2 * half) - half for term, count in total.times.items()}
    return Sum({term: count for term, count in near.items() if count}, (total.rest + half) % (2 * half) - half)


def full(bits: int) -> Range:
    """All words."""
    return 0, (1 << bits) - 1


def shifted(range_: Range, low: int, bits: int) -> Range | None:
    """The same words as integers from `low` on, over one round of the width; `None` if they do not lie so."""
    start = (range_[0] - low) % (1 << bits) + low
    end = start + range_[1] - range_[0]
    return (start, end) if end < low + (1 << bits) else None


def unsigned(range_: Range, bits: int) -> Range:
    """Words as unsigned integers."""
    return shifted(range_, 0, bits) or full(bits)


def signed(range_: Range, bits: int) -> Range:
    """Words as signed integers."""
    half = 1 << (bits - 1)
    return shifted(range_, -half, bits) or (-half, half - 1)


def of_numbers(op: str, of: list[Numbers]) -> Numbers | None:
    """The range of an operation on numbers: rounding is monotone."""
    if op in ("fmin", "fmax"):
        extreme = min if op == "fmin" else max
        return extreme(of[0][0], of[1][0]), extreme(of[0][1], of[1][1])
    x, y = ([Fraction(each) for each in numbers] for numbers in of[:2])
    match op:
        case "fadd":
            ends = [x[0] + y[0], x[1] + y[1]]
        case "fdiv":
            if y[0] != y[1] or y[0] == 0:
                return None
            ends = [each / y[0] for each in x]
        case _:
            ends = [a * b for a in x for b in y]
            if op == "fma":
                ends = [min(ends) + Fraction(of[2][0]), max(ends) + Fraction(of[2][1])]
    if max(map(abs, ends)) > WIDEST:
        return None
    return rounded(min(ends), -1), rounded(max(ends), 1)


def rounded(exact: Fraction, outwards: int) -> float:
    """The number in binary32 next to another, or where it may have been rounded twice one further outwards."""
    near = float(exact)
    number = np.float32(near)
    return float(number if near == exact else np.nextafter(number, np.float32(outwards * np.inf)))


def overlap(one: Range, other: Range, bits: int) -> bool:
    """Whether two ranges have a word of so many bits in common."""
    return (one[0] - other[0]) % (1 << bits) <= other[1] - other[0] or (other[0] - one[0]) % (1 << bits) <= one[
        1
    ] - one[0]


def without(range_: Range, word: int, bits: int) -> Range:
    """A range without a word, if that is at its end."""
    low, high = range_
    if (low - word) % (1 << bits) == 0:
        return low + 1, high
    return (low, high - 1) if (high - word) % (1 << bits) == 0 else range_
