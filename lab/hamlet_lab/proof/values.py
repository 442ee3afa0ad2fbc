"""The values that a term may have, where they are few: the number of an affordance, a coordinate, an action."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hamlet_lab.proof.meanings import PREDICATES, meaning, words
from hamlet_lab.proof.terms import Arena, Term

MOST_VALUES = 64
MOST_PAIRS = 4096
"""Values of two operands that are taken together."""
LEVELS = 4
BOUNDED = ("and", "mulhi", "urem", "udiv", "lshr", "low", "zext")
"""Operations whose bounds may be few values, though their operands have many."""

FewValues = frozenset[int]


class Values:
    """The few values of the terms of an arena; `bounds` gives the least and the greatest word."""

    def __init__(self, arena: Arena, bounds: Callable[[Term], tuple[int, int]]) -> None:
        self._arena, self._bounds = arena, bounds
        self._done: dict[int, FewValues | None] = {}

    def of(self, term: Term) -> FewValues | None:
        """The values that a term may have, if they are few."""
        stack = [term]
        while stack:
            each = stack[-1]
            if each.number in self._done:
                stack.pop()
                continue
            missing = [operand for operand in each.operands if operand.number not in self._done]
            if missing and each.bits > 1:
                stack += missing
                continue
            self._done[each.number] = self._few(each)
            stack.pop()
        return self._done[term.number]

    def _few(self, term: Term) -> FewValues | None:
        if term.value is not None:
            return frozenset((term.value,))
        if term.bits == 1:
            return frozenset((0, 1))
        if term.op == "variable":
            variable = self._arena.variables[str(term.attribute)]
            return None if variable.floating else _range(int(variable.low), int(variable.high))
        of = [self._done[each.number] for each in term.operands]
        if term.op == "ite":
            return self._of_choice(term, of[1], of[2])
        if term.op == "table" and of[0] is None:
            rows = term.attribute if isinstance(term.attribute, tuple) else ()
            return frozenset(rows) if 0 < len(set(rows)) <= MOST_VALUES else None
        sets = [each for each in of if each is not None]
        if len(sets) < len(of) or len(of) > 2 or np.prod([len(each) for each in sets]) > MOST_PAIRS:
            return _range(*self._bounds(term)) if term.op in BOUNDED else None
        grids = np.meshgrid(*[np.array(sorted(each), np.uint64) for each in sets], indexing="ij")
        operands = tuple(_typed(grid.ravel(), each) for grid, each in zip(grids, term.operands, strict=True))
        values = np.unique(meaning(term.op, operands, term.bits, term.attribute))
        return frozenset(int(each) for each in values) if len(values) <= MOST_VALUES else None

    def _of_choice(self, term: Term, then: FewValues | None, otherwise: FewValues | None) -> FewValues | None:
        """The values of `x < n ? x : y`: those of x are less than n."""
        condition = term.operands[0]
        if condition.op == "ult" and condition.operands[0] is term.operands[1] and then is None:
            bound = condition.operands[1].value
            then = _range(0, bound - 1) if bound else None
        then, otherwise = (
            self._where(condition, holds, each, values)
            for holds, each, values in ((True, term.operands[1], then), (False, term.operands[2], otherwise))
        )
        if then is None or otherwise is None or len(then | otherwise) > MOST_VALUES:
            return None
        return self._together(term) or then | otherwise

    def _together(self, term: Term) -> FewValues | None:
        """The values of a choice, where few numbers of few values are all that its condition and its sides are of."""
        leaves: dict[int, Term] = {}
        inner: dict[int, Term] = {}
        self._taken_apart(term, LEVELS, leaves, inner)
        sets = [self._done.get(number) for number in leaves]
        size = int(np.prod([len(each) if each else MOST_PAIRS + 1 for each in sets]))
        if size > MOST_PAIRS:
            return None
        grids = np.meshgrid(*[np.array(sorted(each or ()), np.uint64) for each in sets], indexing="ij")
        samples = {n: _typed(grid.ravel(), leaf) for grid, (n, leaf) in zip(grids, leaves.items(), strict=True)}
        for number in sorted(inner):
            each = inner[number]
            operands = tuple(samples[o.number] if o.value is None else words(o.value, o.bits) for o in each.operands)
            samples[number] = meaning(each.op, operands, each.bits, each.attribute)
        values = np.unique(samples[term.number])
        return frozenset(int(each) for each in values) if len(values) <= MOST_VALUES else None

    def _taken_apart(self, term: Term, levels: int, leaves: dict[int, Term], inner: dict[int, Term]) -> None:
        if term.value is not None:
            return
        whole = term.op == "ite" and levels < LEVELS
        if levels == 0 or not term.operands or term.op in BOUNDED or term.op == "table" or whole:
            if term.number not in inner:
                leaves[term.number] = term
            return
        inner[term.number] = term
        for each in term.operands:
            self._taken_apart(each, levels - 1, leaves, inner)

    def _where(self, condition: Term, holds: bool, term: Term, values: FewValues | None) -> FewValues | None:
        """Values of a term with which a comparison with a constant holds, or does not."""
        if values is None or condition.op not in PREDICATES or term not in condition.operands:
            return values
        left, right = condition.operands
        other = right if left is term else left
        if other.value is None:
            return values
        all_ = np.array(sorted(values), np.uint64)
        mine, constant = _typed(all_, term), words(other.value, other.bits)
        truth = meaning(condition.op, (mine, constant) if left is term else (constant, mine), 1, None)
        return frozenset(int(each) for each in all_[np.broadcast_to(truth, all_.shape) == holds])


def _range(low: int, high: int) -> FewValues | None:
    return frozenset(range(low, high + 1)) if high - low < MOST_VALUES else None


def _typed(
    values: np.ndarray[tuple[int, ...], np.dtype[np.uint64]], term: Term
) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    return values.astype(words(0, term.bits).dtype)
