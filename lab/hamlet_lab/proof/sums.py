"""Sums of words as multiples of what they are made of, in whatever order that is added.

Addresses are such sums: a compiler adds to where the last row was, and a specification multiplies.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable

from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena

ADDING = frozenset(("add", "sub", "mul", "shl"))


def same_sums(arena: Arena, left: Term, right: Term) -> bool:
    """Whether two words are sums of the same multiples of the same terms, modulo their width."""
    if left.op not in ADDING or right.op not in ADDING or left.bits != right.bits:
        return False
    return multiples(arena, left) == multiples(arena, right)


Words = Callable[[Term], tuple[int, int]]


def multiples(arena: Arena, root: Term, words: Words | None = None) -> dict[Term | None, int]:
    """How often each term is in a sum, other than not at all; the constants of it together stand at `None`. With the
    bounds of `words` an `or` of words without a bit in common is a sum, too."""
    times: defaultdict[Term, int] = defaultdict(int, {root: 1})
    result: defaultdict[Term | None, int] = defaultdict(int)
    # A term has a greater number than its operands: all sums that one is in are taken apart before it.
    while times:
        term = max(times, key=lambda each: each.number)
        of = times.pop(term)
        k = term.operands[1].value if len(term.operands) == 2 else None
        match term.op, term.operands:
            case "constant", ():
                assert term.value is not None
                result[None] += of * term.value
            case "add", (one, other):
                times[one] += of
                times[other] += of
            case "sub", (one, other):
                times[one] += of
                times[other] -= of
            case "mul", (one, _) if k is not None:
                times[one] += of * k
            case "shl", (one, _) if k is not None and k < term.bits:
                times[one] += of << k
            case "or", (one, other) if words and (_apart(arena, words, one, other) or _apart(arena, words, other, one)):
                times[one] += of
                times[other] += of
            case _:
                result[arena.instead_of(term)] += of
    return {term: left for term, of in result.items() if (left := of % (1 << root.bits))}


def _apart(arena: Arena, words: Words, high: Term, low: Term) -> bool:
    """Whether a word is a multiple of a power of two that another one is below."""
    return math.gcd(1 << high.bits, *multiples(arena, high, words).values()) > words(low)[1]


def bounds_of_sum(arena: Arena, words: Words, term: Term) -> tuple[int, int]:
    """The least and the greatest word that a sum may be, which may go round as a whole."""
    most = (1 << term.bits) - 1
    low = high = 0
    for each, of in multiples(arena, term).items():
        times = of - (of >> term.bits - 1 << term.bits)
        ends = (1, 1) if each is None else words(each) if each is not term else (0, most)
        low += min(times * end for end in ends)
        high += max(times * end for end in ends)
    return (low & most, high & most) if low >> term.bits == high >> term.bits else (0, most)
