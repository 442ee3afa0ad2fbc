"""Variables with samples, as the prover has them and as the checker has them, and terms evaluated in samples."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from hamlet_lab.proof import attest as checker
from hamlet_lab.proof.merging import Merger
from hamlet_lab.proof.term import Term, Variable
from hamlet_lab.proof.terms import Arena

Terms: TypeAlias = "Arena | checker.Context"
Either: TypeAlias = "Term | checker.Term"
Pair: TypeAlias = "tuple[Either, Either]"

SIGN = checker.SIGN
NUMBERS = {"meter": (0.0, 1.0), "less": (-0.02, 0.0), "lesser": (-0.03, 0.0), "more": (0.0, 0.5)}
WORDS = {
    "any": (0, 2**32 - 1),
    "near": (2**24 - 5, 2**24 + 5),
    "age": (0, 200),
    "great": (2**31, 2**31 + 5),
    "some": (0, 1),
    "other": (0, 1),
}


def samples(name: str) -> np.ndarray:
    """Values of a variable, those at the ends of its bounds among them."""
    random = np.random.default_rng(sum(map(ord, name)))
    if name in NUMBERS:
        low, high = NUMBERS[name]
        ends = np.array([low, high, 0.0, -0.0, low * 2**-9, high * 2**-9], np.float32)
        inner = random.uniform(low, high, 300).astype(np.float32)
        return random.permutation(np.concatenate([np.tile(ends, 50), inner])).view(np.uint32)
    low_word, high_word = WORDS[name]
    words = random.integers(low_word, high_word + 1, 600, np.uint64)
    return words.astype(np.bool_ if high_word == 1 else np.uint32)


def prover() -> tuple[Arena, Merger]:
    merger = Merger(by_sides=True)
    variables = [Variable(name, samples(name), *ends, True) for name, ends in NUMBERS.items()]
    variables += [Variable(name, samples(name), *ends) for name, ends in WORDS.items()]
    arena = Arena({each.name: each for each in variables}, lambda *_: False, merger.simpler)
    return arena, merger


def held_to() -> checker.Context:
    variables = {name: (32, *ends, True) for name, ends in NUMBERS.items()}
    variables |= {name: (1 if ends[1] == 1 else 32, *ends, False) for name, ends in WORDS.items()}
    return checker.Context(variables, Counter())


def evaluated(term: checker.Term, samples: int = 600) -> Iterator[int]:
    """The values of a term in samples, said by the checker's own meanings."""
    for at in range(samples):
        done: dict[checker.Term, int] = {}
        for each in checker.below(term, done):
            done[each] = value_of(each, [done[of] for of in each.operands], at)
        yield done[term]


def value_of(term: checker.Term, of: list[int], at: int) -> int:
    match term.op:
        case "constant" | "variable":
            return int(term.value if term.value is not None else SAMPLES[term.attribute][at])
        case "ite":
            return of[1] if of[0] else of[2]
        case "table":
            return int(term.attribute[min(of[0], len(term.attribute) - 1)])
        case op:
            with contextlib.suppress(ValueError, OverflowError):
                operands = [
                    checker.signed(each, operand.bits) if op in checker.SIGNED else each
                    for each, operand in zip(of, term.operands, strict=True)
                ]
                return int(checker.MEANINGS[op](*operands)) % (1 << term.bits)
            return checker.NAN


SAMPLES = {name: samples(name) for name in (*NUMBERS, *WORDS)}
