"""Sides of a context, one of which holds in each state: by what is done, and on which affordance.

Affordances and actions exclude each other, so where it is decided which of them happens, what all others would do is
gone. Words with many different effects are found by what they are compared with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hamlet_lab.proof.queries import Depth
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena

FEWEST, MANY, MOST = 2, 8, 64
"""How many constants a word is compared with, and how many values it has, to be told apart by."""
COVERS = Depth(40, milliseconds=2000)


@dataclass(frozen=True, slots=True)
class Sides:
    """Contexts that are all states of an arena together, which was proven.

    Attributes:
        words: they are told apart by these; what is made of none of them is the same on all sides.
    """

    arenas: tuple[Arena, ...]
    words: tuple[Term, ...]


def compared(arena: Arena, fewest: int = FEWEST) -> list[Term]:
    """The words by which an arena is told apart, those that others are made of first."""
    constants: dict[Term, set[int]] = {}
    for term in arena.terms:
        if term.op == "eq" and term.operands[1].value is not None and term.bits == 1:
            constants.setdefault(term.operands[0], set()).add(term.operands[1].value)
    words = [each for each, values in constants.items() if len(values) >= fewest and each.bits == 32]
    return sorted((each for each in words if len(np.unique(each.samples)) <= MOST), key=lambda each: each.number)


def of_many(arena: Arena) -> bool:
    """Whether so much excludes each other that sides are tried first."""
    return bool(compared(arena, MANY))


def guards(arena: Arena) -> dict[Term, list[Term]]:
    """Conditions that must hold beside a condition, by that."""
    result: dict[Term, list[Term]] = {}
    for term in list(arena.terms):
        guard = term.operands[0] if term.op == "ite" else term
        if guard.op == "and" and guard is not term:
            for one, other in (guard.operands, guard.operands[::-1]):
                compares = other.op in ("flt", "fle") or (other.op == "xor" and other.operands[0].op in ("flt", "fle"))
                if one.op == "eq" and compares and other not in result.setdefault(one, []):
                    result[one].append(other)
    return result


def decided(arena: Arena, leaf: Term, of: list[Term]) -> Iterator[Term]:
    """A condition together with others, each of which holds or not."""
    if not of:
        yield leaf
        return
    condition, *rest = of
    for each in (condition, arena.no(condition)):
        if np.any(leaf.samples & each.samples):
            yield from decided(arena, arena.op("and", leaf, each), rest)


def conditions(arena: Arena, words: list[Term], where: np.ndarray | None = None) -> Iterator[Term]:
    """Conditions that say which values words have, one after the other, as samples have them."""
    where = np.ones(arena.size, np.bool_) if where is None else where
    if not words:
        return
    word, *rest = words
    beside = guards(arena)
    samples = np.broadcast_to(word.samples, arena.size)
    for value in np.unique(samples[where]).tolist():
        equal = arena.op("eq", word, arena.constant(int(value), word.bits))
        here = where & (samples == value)
        inner = [each for each in rest if len(np.unique(np.broadcast_to(each.samples, arena.size)[here])) > 1]
        if not inner:
            yield from decided(arena, equal, beside.get(equal, [])[:3])
        for each in conditions(arena, inner, here):
            yield arena.op("and", equal, each)


def living(arena: Arena, words: list[Term]) -> Iterator[Term]:
    """The conditions of those that live, and that one is dead, where an agent may be."""
    alive = arena.variable("alive[0]") if "alive[0]" in arena.variables else None
    dead = None if alive is None else arena.op("eq", alive, arena.constant(0, alive.bits))
    if dead is None or dead.value is not None:
        yield from conditions(arena, words)
        return
    yield dead
    lives = arena.no(dead)
    for each in conditions(arena, words, np.broadcast_to(lives.samples, arena.size)):
        yield arena.op("and", lives, each)


def any_of(arena: Arena, terms: list[Term]) -> Term:
    """Whether one of conditions holds."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    halves = any_of(arena, terms[:half]), any_of(arena, terms[half:])
    made = arena.raw("or", *halves)
    # What was shown in a context that this one is a side of is 1: what it says is asked for.
    return arena.made("or", 1, halves, None) or made
