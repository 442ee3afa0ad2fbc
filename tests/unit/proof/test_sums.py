"""Sums of words in another order: said to be one exactly where all values agree, by the prover and by its checker."""

from __future__ import annotations

import random
from collections import Counter
from typing import Protocol, TypeVar

import numpy as np
import pytest

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")

from hamlet_lab.proof import attest
from hamlet_lab.proof.sums import ADDING, same_sums
from hamlet_lab.proof.term import Term, Variable
from hamlet_lab.proof.terms import Arena

BITS = 8
T = TypeVar("T")


class Makes(Protocol[T]):
    """Who makes terms: the prover's arena, or the checker's context."""

    def constant(self, value: int, bits: int) -> T: ...

    def variable(self, name: str) -> T: ...

    def op(self, op: str, *operands: T) -> T: ...


def arena() -> Arena:
    """Two words of 8 bits, with all their values, of which nothing is merged."""
    values = np.arange(256, dtype=np.uint8)
    pairs = {"x": np.repeat(values, 256), "y": np.tile(values, 256)}
    return Arena({name: Variable(name, each, 0, 255) for name, each in pairs.items()}, lambda *_: False)


def any_sum(pick: random.Random, depth: int, of: Makes[T]) -> T:
    """A term of sums, differences, products and shifts by constants."""
    if depth == 0:
        return of.variable(pick.choice("xy"))
    one, kind = any_sum(pick, depth - 1, of), pick.choice(sorted(ADDING))
    if kind in ("mul", "shl"):
        return of.op(kind, one, of.constant(pick.choice((1, 2, 3, 5, 7)), BITS))
    other = any_sum(pick, pick.randrange(depth), of) if pick.random() < 0.8 else of.constant(pick.randrange(256), BITS)
    return of.op(kind, one, other)


def two_sums(seed: int, of: Makes[T]) -> list[tuple[T, T]]:
    """Pairs of sums: two of any kind, some that are one, and some that are nearly one."""
    pick, y = random.Random(seed), of.variable("y")
    left, right = any_sum(pick, 3, of), any_sum(pick, 3, of)
    k, shift = pick.randrange(1, 256), pick.randrange(1, BITS)
    more, less, power = of.constant(k, BITS), of.constant(-k, BITS), of.constant(1 << shift, BITS)
    twice = of.op("sub", of.op("sub", left, y), of.op("mul", y, of.constant(254, BITS)))
    shifted = of.op("shl", left, of.constant(shift, BITS))
    return [
        (left, right),
        (of.op("add", y, left), twice),
        (of.op("add", left, more), of.op("sub", left, less)),
        (of.op("add", left, more), of.op("add", of.op("sub", left, y), y)),
        (shifted, of.op("mul", left, power)),
        (shifted, of.op("mul", left, more)),
    ]


def test_sums_are_one_exactly_where_all_values_agree() -> None:
    verdicts = Counter[bool]()
    for seed in range(200):
        of, checker = arena(), attest.Context(dict.fromkeys("xy", (BITS, 0, 255, False)), Counter())
        for (left, right), (one, other) in zip(two_sums(seed, of), two_sums(seed, checker), strict=True):
            agree = bool((left.samples == right.samples).all())
            if {left.op, right.op} <= ADDING:
                assert same_sums(of, left, right) is agree
            assert checker.sums(one, other) is agree
            verdicts[agree] += 1
    assert min(verdicts.values()) >= 300


def test_a_row_more_is_no_same_address() -> None:
    names = {name: Variable(name, np.arange(9, dtype=np.uint64), 0, 2**64 - 1) for name in ("base", "worlds")}
    of = Arena(names, lambda *_: False)
    base, worlds, four = of.variable("base"), of.variable("worlds"), of.constant(4, 64)

    def row(number: int) -> Term:
        return of.op("add", base, of.op("mul", of.op("mul", worlds, of.constant(number, 64)), four))

    step = of.op("shl", worlds, of.constant(2, 64))
    assert same_sums(of, of.op("add", row(2), step), row(3))
    assert not same_sums(of, of.op("add", row(2), step), row(4))
    assert not same_sums(of, of.op("add", row(2), of.op("shl", worlds, of.constant(64, 64))), row(3))
