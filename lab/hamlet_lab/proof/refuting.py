"""Values of what a query cuts off that tell two terms apart: a query that has them needs no solver to be refused.

What is refused is only not proven, so that nothing is believed of these values.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hamlet_lab.proof import meanings
from hamlet_lab.proof.bounds import Bounds
from hamlet_lab.proof.meanings import Words
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena

TRIES = 512
"""Assignments of values that are tried at once."""


def refuted(
    arena: Arena, bounds: Bounds, left: Term, right: Term, opened: Mapping[int, Term], cuts: Mapping[int, Term]
) -> bool:
    """Whether two terms have other values somewhere where premises hold, if terms have those of their operations where
    they are opened, and any within bounds where they are cut off. Those that are both are within bounds, too."""
    values = {each.number: _any(arena, each, bounds) for each in cuts.values() if each.number not in opened}

    def value(term: Term) -> Words:
        return term.samples if term.op == meanings.CONSTANT else values[term.number]

    for number in sorted(opened):
        term = opened[number]
        values[number] = meanings.meaning(term.op, tuple(map(value, term.operands)), term.bits, term.attribute)
    differs = np.broadcast_to(value(left) != value(right), TRIES)
    for premise in arena.premises:
        differs = differs & value(premise)
    for each in cuts.values():
        if each.number in opened:
            differs = differs & _within(values[each.number], each, bounds)
    return bool(differs.any())


def _any(arena: Arena, term: Term, bounds: Bounds) -> Words:
    """Values that a term has in some states, of all terms the same, or in others, and the ends of its bounds."""
    before = bounds.tried.get(term.number)
    if before is None:
        before = bounds.tried[term.number] = _values(arena, term, bounds)
    return before


def _values(arena: Arena, term: Term, bounds: Bounds) -> Words:
    random, size = np.random.default_rng(term.number), len(term.samples)
    words, numbers = bounds.words(term), bounds.numbers(term) if term.bits == 32 else None
    state = np.random.default_rng(arena.size).integers(0, size, TRIES)
    at = np.where(random.random(TRIES) < 0.5, state, random.integers(0, size, TRIES))
    result = term.samples[at]
    if numbers is None:
        ends = np.array(words, np.uint64).astype(result.dtype)
    else:
        # No bound is -0, which some numbers never are.
        ends = (np.array([numbers.low, numbers.high], np.float32) + np.float32(0)).view(np.uint32)
    some = random.random(TRIES) < 0.2
    result[some] = ends[random.integers(0, 2, int(some.sum()))]
    return np.asarray(result)


def _within(values: Words, term: Term, bounds: Bounds) -> Words:
    low, high = bounds.words(term)
    holds = (values >= low) & (values <= high)
    numbers = bounds.numbers(term) if term.bits == 32 else None
    if numbers is not None:
        of = values.view(np.float32)
        holds &= (of >= np.float32(numbers.low)) & (of <= np.float32(numbers.high))
    return np.asarray(holds)
