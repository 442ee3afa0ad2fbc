"""Sums of words in another order: said to be one exactly where all values agree, by the prover and by its checker."""

from __future__ import annotations

import random
from collections import Counter
from typing import Protocol, TypeVar

import numpy as np
import pytest

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")

from hamlet_lab.proof import attest
from hamlet_lab.proof.bounds import Bounds
from hamlet_lab.proof.sums import ADDING, bounds_of_sum, multiples, same_sums
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


def test_bounds_of_a_sum_are_those_of_its_values_where_it_goes_round_as_a_whole() -> None:
    """x from 200 to 205, y up to 4: each sum is within its bounds, which are close where they say anything."""
    said = 0
    for seed in range(200):
        pick, values = random.Random(seed), np.arange(256, dtype=np.uint8)
        x, y = np.repeat(values[200:206], 5), np.tile(values[:5], 6)
        of = Arena({"x": Variable("x", x, 200, 205), "y": Variable("y", y, 0, 4)}, lambda *_: False)
        checker = attest.Context({"x": (BITS, 200, 205, False), "y": (BITS, 0, 4, False)}, Counter())
        one, other = any_sum(random.Random(seed), 3, of), any_sum(pick, 3, checker)
        low, high = bounds_of_sum(of, Bounds(of).words, one)
        assert low <= one.samples.min() <= one.samples.max() <= high
        least, most = checker.words(other)
        assert least <= one.samples.min() <= one.samples.max() <= most
        closest = Bounds(of).words(one)
        assert closest[0] <= one.samples.min() <= one.samples.max() <= closest[1]
        said += (low, high) != (0, 255)
    assert said >= 60


def test_an_or_of_words_without_a_bit_in_common_is_a_sum() -> None:
    for shift, least, apart in ((3, 0, True), (2, 0, False), (3, 1, False), (4, 1, True)):
        of = Arena({"x": Variable("x", np.arange(256, dtype=np.uint8), 0, 255),
                    "y": Variable("y", np.arange(256, dtype=np.uint8) % 8, 0, 7)}, lambda *_: False)  # fmt: skip
        checker = attest.Context({"x": (BITS, 0, 255, False), "y": (BITS, 0, 7, False)}, Counter())

        def both(of: Makes[T], shift: int = shift, least: int = least) -> tuple[T, T]:
            y = of.op("add", of.variable("y"), of.constant(least, BITS))
            high = of.op("shl", of.variable("x"), of.constant(shift, BITS))
            return of.op("or", high, y), of.op("add", high, y)

        (joined, added), (one, other) = both(of), both(checker)
        assert (multiples(of, joined, Bounds(of).words) == multiples(of, added)) is apart
        assert checker.sums(one, other) is apart
        assert bool((joined.samples == added.samples).all()) >= apart
