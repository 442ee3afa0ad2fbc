"""Terms of one word that has few values: all of them are tried.

What rounds a whole number to the nearest is such a term: a compiler adds to the word what is added to the number.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hamlet_lab.proof import meanings
from hamlet_lab.proof.bounds import Bounds
from hamlet_lab.proof.meanings import CONSTANT, VARIABLE, Words
from hamlet_lab.proof.term import Term

MOST_VALUES = 1 << 10
MOST_TERMS = 24
"""Operations of the two terms on the word."""


def word_of_both(bounds: Bounds, left: Term, right: Term) -> Term | None:
    """The word that two terms are made of, and of constants alone, if they are the same for each of its values."""
    if right.value is not None or not any(each.op in meanings.FLOATING for each in (*left.operands, left, right)):
        return None
    for word in _words(bounds, left):
        low, high = bounds.words(word)
        values = np.arange(low, high + 1, dtype=np.uint64).astype(f"u{word.bits // 8}")
        one, other = _of_values(left, word, values), _of_values(right, word, values)
        if one is not None and other is not None and bool((one == other).all()):
            return word
    return None


def _words(bounds: Bounds, root: Term) -> Iterator[Term]:
    """Words with few values that a term is made of, those near its top first."""
    row, seen = [root], {root.number}
    while row and len(seen) < MOST_TERMS:
        for term in row:
            if term is not root and term.bits == 32 and term.value is None and term.op not in meanings.FLOATING:
                low, high = bounds.words(term)
                if high - low < MOST_VALUES:
                    yield term
        below = {each.number: each for term in row for each in term.operands if each.number not in seen}
        row = list(below.values())
        seen |= below.keys()


def _of_values(root: Term, word: Term, values: Words) -> Words | None:
    """The values of a term for those of the word; `None` if it is made of something else, too."""
    done = {word.number: values}
    stack = [root]
    while stack:
        term = stack[-1]
        missing = [each for each in term.operands if each.number not in done]
        if term.number in done:
            stack.pop()
        elif term.op in (VARIABLE, meanings.CELL) or len(done) > MOST_TERMS:
            return None
        elif missing:
            stack += missing
        elif term.op == CONSTANT:
            done[stack.pop().number] = term.samples
        else:
            operands = tuple(done[each.number] for each in term.operands)
            done[stack.pop().number] = meanings.meaning(term.op, operands, term.bits, term.attribute)
    return done[root.number]
