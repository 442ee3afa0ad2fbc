"""The rules by which terms are merged without a question, each proven: exhaustively, or by the solver."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")

from hamlet_lab.proof.bounds import Bounds
from hamlet_lab.proof.meanings import MEANINGS, SIGN
from hamlet_lab.proof.merging import Merger
from hamlet_lab.proof.queries import DEPTHS, Depth, Query
from hamlet_lab.proof.term import Term, Variable
from hamlet_lab.proof.terms import Arena

SLOW = Depth(6, floats=True, milliseconds=120_000)


def unmerged(*variables: Variable) -> Arena:
    """An arena that merges by rules alone."""
    return Arena({each.name: each for each in variables}, lambda *_: False)


def number(name: str, low: float, high: float) -> Variable:
    """A variable that is a number between two."""
    values = np.random.default_rng(7).uniform(low, high, 200).astype(np.float32)
    return Variable(name, values.view(np.uint32), low, high, True)


def word(name: str, values: int = 200) -> Variable:
    """A variable that is any word."""
    words = np.random.default_rng(7).integers(0, 2**32, values, np.uint64).astype(np.uint32)
    return Variable(name, words, 0, 2**32 - 1)


def equal(arena: Arena, left: Term, right: Term, depth: Depth = SLOW) -> bool:
    return Query(arena, Bounds(arena), depth).equal(left, right)


@pytest.mark.parametrize(("divisor", "low", "fits"), [(0x3E99999A, 0xB3638E37, True), (0x3E99999A, 0xB3638E00, False)])
def test_a_division_is_held_to_all_numerators(divisor: int, low: int, fits: bool) -> None:
    arena = unmerged(number("meter", 0.0, 1.0))
    x = arena.op("fadd", arena.negative(arena.variable("meter")), arena.constant(0x3E99999A, 32))
    high = int((np.float32(1) / np.uint32(divisor).view(np.float32)).view(np.uint32))
    quotient = arena.op("fdiv", x, arena.constant(divisor, 32))
    product = arena.op("fmul", x, arena.constant(low, 32))
    fused = arena.op("fma", x, arena.constant(high, 32), product)
    assert Merger(depths=()).equal(arena, fused, quotient) is fits


def test_a_division_of_what_may_be_tiny_is_not_proven() -> None:
    arena = unmerged(number("meter", 0.0, 1.0))
    x = arena.variable("meter")
    quotient = arena.op("fdiv", x, arena.constant(0x3E99999A, 32))
    product = arena.op("fmul", x, arena.constant(0xB3638E37, 32))
    assert not Merger(depths=()).equal(arena, arena.op("fma", x, arena.constant(0x40555555, 32), product), quotient)


def test_sums_with_a_constant_are_nothing_or_not_tiny() -> None:
    bits = np.arange(0, 2**32, 977, dtype=np.uint64).astype(np.uint32)
    near = np.arange(0x3E99999A - 70_000, 0x3E99999A + 70_000, dtype=np.uint32)
    arena = unmerged(number("meter", 0.0, 1.0))
    total = arena.op("fadd", arena.negative(arena.variable("meter")), arena.constant(0x3E99999A, 32))
    known = Bounds(arena).numbers(total)
    assert known is not None
    for values in (bits, near):
        with np.errstate(invalid="ignore"):
            sums = MEANINGS["fadd"](values ^ np.uint32(SIGN), np.full(1, 0x3E99999A, np.uint32)).view(np.float32)
        least = np.abs(sums[(sums != 0) & ~np.isnan(sums)]).min()
        assert least >= known.grain > 0


def test_a_difference_that_samples_do_not_show_is_not_accepted() -> None:
    arena = Arena({"word": word("word")}, Merger().equal)
    rare = arena.op("eq", arena.variable("word"), arena.constant(12345, 32))
    assert rare.value is None
    assert (
        arena.op("ult", arena.op("and", arena.variable("word"), arena.constant(3, 32)), arena.constant(4, 32)).value
        == 1
    )


def test_what_is_assumed_holds_in_its_context_alone() -> None:
    arena = Arena({"word": word("word")}, Merger().equal)
    small = arena.op("ult", arena.variable("word"), arena.constant(2**31, 32))
    inside, outside = arena.under(small, True), arena.under(small, False)
    assert inside is not None
    assert outside is not None
    for context, value in ((inside, 0), (outside, 1)):
        assert context.op("lshr", context.variable("word"), context.constant(31, 32)).value == value
    assert arena.op("lshr", arena.variable("word"), arena.constant(31, 32)).value is None


def test_a_clamp_has_bounds_of_its_own_and_decides_comparisons() -> None:
    arena = unmerged(number("meter", 0.0, 1.0), number("more", -0.5, 0.5))
    zero, one = arena.constant(0, 32), arena.constant(0x3F800000, 32)
    total = arena.op("fadd", arena.variable("meter"), arena.variable("more"))
    above = arena.select(arena.op("flt", total, zero), zero, total)
    clamped = arena.select(arena.op("flt", one, above), one, above)
    bounds, merger = Bounds(arena), Merger(depths=())
    numbers = bounds.numbers(clamped)
    assert numbers is not None
    assert (numbers.low, numbers.high) == (0.0, 1.0)
    assert merger.equal(arena, arena.op("flt", clamped, zero), arena.constant(0, 1))
    assert merger.equal(arena, arena.op("fle", clamped, one), arena.constant(1, 1))
    assert not merger.equal(arena, arena.op("flt", total, zero), arena.constant(0, 1))
    assert not merger.equal(arena, arena.op("fle", clamped, zero), arena.constant(0, 1))


def test_a_difference_that_is_chosen_where_it_is_one_is_not_below_0() -> None:
    arena = unmerged(number("meter", 0.0, 1.0))
    bound, zero, meter = arena.constant(0x3E99999A, 32), arena.constant(0, 32), arena.variable("meter")
    difference = arena.op("fadd", arena.negative(meter), bound)
    for condition, least in ((arena.op("flt", meter, bound), 0.0), (arena.op("flt", bound, meter), -0.7)):
        numbers = Bounds(arena).numbers(arena.select(condition, difference, zero))
        assert numbers is not None
        assert numbers.low == pytest.approx(least, abs=1e-6)


def test_additions_that_exclude_each_other_are_one_by_a_choice() -> None:
    """As the pass `merge_exclusive` does it: the second of two guarded clamped additions, where the first is one."""
    key = Variable("key", np.random.default_rng(7).integers(0, 4, 200).astype(np.uint32), 0, 3)
    verdicts = []
    for other in (2, 1):
        arena = Arena({each.name: each for each in (key, number("meter", 0.0, 1.0))}, Merger().equal)
        one, two = (arena.op("eq", arena.variable("key"), arena.constant(each, 32)) for each in (1, other))
        zero, meter, nothing = arena.constant(0, 32), arena.variable("meter"), arena.constant(SIGN, 32)
        more, less = arena.op("fmul", meter, meter), arena.negative(arena.op("fadd", meter, meter))

        def clamped(x: Term, zero: Term = zero, arena: Arena = arena) -> Term:
            return arena.select(arena.op("flt", x, zero), zero, x)

        amount = arena.select(one, more, nothing)
        first = clamped(arena.op("fadd", meter, amount))
        merger = Merger(depths=DEPTHS[:2])
        second = arena.select(two, clamped(arena.op("fadd", first, less)), first)
        both = clamped(arena.op("fadd", meter, arena.select(two, less, amount)))
        verdicts.append(both is second or merger.equal(arena, both, second))
    assert verdicts == [True, False]


def test_what_is_merged_is_merged_on_both_sides_without_a_question() -> None:
    merger = Merger()
    arena = Arena({"word": word("word")}, merger.equal)
    fourth = arena.op("udiv", arena.variable("word"), arena.constant(4, 32))
    assert arena.op("lshr", arena.variable("word"), arena.constant(2, 32)) is fourth
    small = arena.op("ult", arena.variable("word"), arena.constant(2**31, 32))
    asked = merger.reasons["asked"]
    for holds in (True, False):
        side = arena.under(small, holds)
        assert side is not None
        shifted = side.op("lshr", side.variable("word"), side.constant(2, 32))
        assert shifted is side.op("udiv", side.variable("word"), side.constant(4, 32))
    assert merger.reasons["asked"] == asked


def test_nothing_is_added_to_what_is_no_nan_but_the_canonical_one() -> None:
    arena = unmerged(number("meter", 0.0, 1.0), word("any"))
    nothing = arena.constant(SIGN, 32)
    meter, any_word = arena.variable("meter"), arena.variable("any")
    assert arena.op("fadd", meter, nothing) is meter
    total = arena.op("fadd", any_word, any_word)
    assert arena.op("fadd", total, nothing) is total
    assert arena.op("fadd", any_word, nothing) is not any_word
    assert arena.op("fadd", arena.negative(total), nothing).op == "fadd"


@pytest.mark.parametrize("numbers", [0xDB6DB6D5, 0xDB6DB6D4])
def test_a_word_of_8_bits_of_many_levels_is_proven(numbers: int) -> None:
    """As a compiler makes a set of numbers: a bit of a word, instead of comparisons, one inside the other."""
    variable = Variable("word", np.random.default_rng(3).integers(1, 32, 200).astype(np.uint32), 0, 31)
    arena = Arena({"word": variable}, Merger().equal)
    index, one = arena.variable("word"), arena.constant(1, 32)
    among = arena.constant(0, 1)
    for each in (each for each in range(32) if 0xDB6DB6D5 >> each & 1):
        among = arena.op("or", arena.op("eq", index, arena.constant(each, 32)), among)
    bit = arena.op("and", arena.op("lshr", arena.constant(numbers, 32), index), one)
    assert (arena.wide(among, 8) is arena.wide(bit, 8)) is (numbers == 0xDB6DB6D5)
