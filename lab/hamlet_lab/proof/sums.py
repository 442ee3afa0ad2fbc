"""Sums of words as multiples of what they are made of, in whatever order that is added.

Addresses are such sums: a compiler adds to where the last row was, and a specification multiplies.
"""

from __future__ import annotations

from collections import defaultdict

from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena

ADDING = frozenset(("add", "sub", "mul", "shl"))


def same_sums(arena: Arena, left: Term, right: Term) -> bool:
    """Whether two words are sums of the same multiples of the same terms, modulo their width."""
    if left.op not in ADDING or right.op not in ADDING or left.bits != right.bits:
        return False
    return multiples(arena, left) == multiples(arena, right)


def multiples(arena: Arena, root: Term) -> dict[Term | None, int]:
    """How often each term is in a sum, other than not at all; the constants of it together stand at `None`."""
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
            case _:
                result[arena.instead_of(term)] += of
    return {term: left for term, of in result.items() if (left := of % (1 << root.bits))}
