"""Normal forms: the prover brings terms to them, and the checker holds each step to the rule that it claims.

Each rule has a pair that it is about, and pairs that are nearly so: those differ somewhere, and both refuse them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")

from sampled_terms import SAMPLES, SIGN, Either, Pair, Terms, evaluated, held_to, prover

from hamlet_lab.proof import attest as checker
from hamlet_lab.proof.certificate import RULES
from hamlet_lab.proof.merging import Merger
from hamlet_lab.proof.terms import Arena


def number(c: Terms, value: float) -> Either:
    return c.constant(int(np.float32(value).view(np.uint32)), 32)


def low(c: Terms, x: Either, k: Either) -> Either:
    return c.op("ite", c.op("flt", x, k), k, x)


def high(c: Terms, x: Either, k: Either) -> Either:
    return c.op("ite", c.op("flt", k, x), k, x)


def plus(c: Terms, *terms: Either) -> Either:
    total, *rest = terms
    for each in rest:
        total = c.op("fadd", total, each)
    return total


def clamped(*amounts: str, clamp: Callable[..., Either] = low, k: float = 0.0, inner: float | None = None) -> Callable:
    """Of a sum with a clamp at its end, with one before the amounts as well, and without it."""

    def pair(c: Terms) -> Pair:
        bound, first = number(c, k), number(c, k if inner is None else inner)
        once = plus(c, c.variable("meter"), number(c, -0.004 if clamp is low else 0.3))
        twice = clamp(c, once, first)
        sums = (plus(c, each, *map(c.variable, amounts)) for each in (twice, once))
        twice, once = (clamp(c, each, bound) for each in sums)
        return twice, once

    return pair


def order(name: str) -> Callable:
    def pair(c: Terms) -> Pair:
        x, k = c.variable(name), number(c, 0.25)
        return c.op("fle", x, k), c.no(c.op("flt", k, x))

    return pair


def sign(name: str, bound: int = SIGN) -> Callable:
    def pair(c: Terms) -> Pair:
        x = plus(c, c.variable("meter"), number(c, -0.3)) if name == "sum" else c.variable(name)
        return c.op("ult", c.constant(bound, 32), x), c.op("flt", x, number(c, 0.0))

    return pair


def sign_of_a_sum(than: float) -> Callable:
    def pair(c: Terms) -> Pair:
        total = plus(c, c.variable("lesser"), number(c, 0.02))
        return c.op("flt", total, number(c, than)), c.op("flt", c.variable("lesser"), number(c, -0.02))

    return pair


def extreme(op: str, name: str, k: float) -> Callable:
    def pair(c: Terms) -> Pair:
        x = plus(c, c.variable("meter"), number(c, -0.3)) if name == "sum" else c.variable(name)
        clamp = low if op == "fmax" else high
        return c.op(op, x, number(c, k)), clamp(c, x, number(c, k))

    return pair


def product(by: float) -> Callable:
    def pair(c: Terms) -> Pair:
        x, minus = c.variable("meter"), c.constant(SIGN, 32)
        return c.op("fmul", x, number(c, -0.02)), c.op("xor", c.op("fmul", x, number(c, by)), minus)

    return pair


def compared(op: str, name: str, k: int, holds: int) -> Callable:
    def pair(c: Terms) -> Pair:
        return c.op(op, c.variable(name), c.constant(k, 32)), c.constant(holds, 1)

    return pair


def twice(by: float) -> Callable:
    def pair(c: Terms) -> Pair:
        x = c.variable("any")
        return c.op("fmul", x, number(c, by)), c.op("fadd", x, x)

    return pair


def neutral(op: str, by: float, shift: float = 0.5) -> Callable:
    def pair(c: Terms) -> Pair:
        x = c.op("fadd", c.variable("meter"), number(c, shift)) if shift else c.variable("meter")
        return c.op(op, x, number(c, by)), x

    return pair


def quotient(divisor: float, factor: float) -> Callable:
    def pair(c: Terms) -> Pair:
        x = c.variable("meter")
        return c.op("fdiv", x, number(c, divisor)), c.op("fmul", x, number(c, factor))

    return pair


def conversion(name: str) -> Callable:
    def pair(c: Terms) -> Pair:
        x = c.variable(name)
        return c.make("unsignedtofloat", 32, (x,)), c.make("tofloat", 32, (x,))

    return pair


def factor(by: float) -> Callable:
    def pair(c: Terms) -> Pair:
        x, y, minus = c.variable("any"), c.variable("more"), c.constant(SIGN, 32)
        return c.op("fma", c.op("xor", x, minus), number(c, 0.3), y), c.op("fma", x, number(c, by), y)

    return pair


def whole(op: str, k: float, of_words: str, whole: int, swapped: bool = False, name: str = "near") -> Callable:
    def pair(c: Terms) -> Pair:
        x, order = c.variable(name), -1 if swapped else 1
        compared = c.op(op, *(c.make("tofloat", 32, (x,)), number(c, k))[::order])
        return compared, c.op(of_words, *(x, c.constant(whole, 32))[::order])

    return pair


def inside(words: tuple[int, int]) -> Callable:
    def pair(c: Terms) -> Pair:
        chosen = c.op("ite", c.variable("some"), *[c.constant(each, 32) for each in words])
        return c.make("tofloat", 32, (chosen,)), c.op("ite", c.variable("some"), *[number(c, each) for each in (3, 5)])

    return pair


def outside(k: float, word: int) -> Callable:
    def pair(c: Terms) -> Pair:
        some, age = c.variable("some"), c.variable("age")
        chosen = c.op("ite", some, age, c.op("ite", c.variable("other"), c.constant(word, 32), age))
        side = c.make("tofloat", 32, (age,))
        inner = c.op("ite", c.variable("other"), number(c, k), side)
        return c.op("ite", some, side, inner), c.make("tofloat", 32, (chosen,))

    return pair


def of_words(op: str, name: str, more: float, word: int) -> Callable:
    """Of a word as a number, and another that is one of two, compared or added."""

    def pair(c: Terms) -> Pair:
        x, y = c.variable(name), c.op("ite", c.variable("some"), c.variable(name), c.constant(word, 32))
        numbers = c.make("tofloat", 32, (x,)), number(c, more) if op == "fadd" else c.make("tofloat", 32, (y,))
        made = c.op({"flt": "slt", "feq": "eq", "fadd": "add"}[op], x, c.constant(word, 32) if op == "fadd" else y)
        return c.op(op, *numbers), made if op != "fadd" else c.make("tofloat", 32, (made,))

    return pair


def signs(op: str, other: str, negated: bool = True, name: str = "meter") -> Callable:
    """Of a number with the other sign, times another one, or beside it in a choice."""

    def pair(c: Terms) -> Pair:
        x, y, minus = c.variable(name), c.variable(other), c.constant(SIGN, 32)
        beside = (y,) if op == "fmul" else (c.op("xor", y, minus),)
        first = () if op == "fmul" else (c.variable("some"),)
        left = c.op(op, *first, c.op("xor", x, minus), *beside)
        right = c.op(op, *first, x, y if negated else c.op("xor", y, minus))
        return left, c.op("xor", right, minus) if negated or op == "ite" else c.op(op, x, y)

    return pair


def neutral_to(op: str, k: float, x: Callable[[Terms], Either]) -> Callable:
    def pair(c: Terms) -> Pair:
        return c.op(op, x(c), number(c, k)), x(c)

    return pair


def high_half(amount: int) -> Callable:
    def pair(c: Terms) -> Pair:
        x, k = c.variable("any"), 0xD2511F53
        product = c.op("mul", c.wide(x, 64), c.constant(k, 64))
        high = c.op("mulhi", x, c.constant(k, 32))
        return c.op("lshr", product, c.constant(amount, 64)), c.wide(high, 64)

    return pair


def widened(op: str, other: int, narrow: int) -> Callable:
    def pair(c: Terms) -> Pair:
        x = c.variable("any")
        return c.op(op, c.wide(x, 64), c.constant(other, 64)), c.wide(c.op(op, x, c.constant(narrow, 32)), 64)

    return pair


CASES: dict[str, tuple[str, bool, Callable[[Terms], Pair]]] = {
    "two clamps": ("clamp of a clamp", True, clamped("less")),
    "two amounts": ("clamp of a clamp", True, clamped("less", "lesser")),
    "two clamps above": ("clamp of a clamp", True, clamped("more", clamp=high, k=1.0)),
    "an amount back to the clamp": ("clamp of a clamp", False, clamped("more")),
    "an amount back before another": ("clamp of a clamp", False, clamped("more", "less")),
    "an amount back from above": ("clamp of a clamp", False, clamped("less", clamp=high, k=1.0)),
    "a clamp to -0": ("clamp of a clamp", False, clamped("less", k=-0.0)),
    "a clamp to something else before": ("clamp of a clamp", False, clamped("less", inner=0.1)),
    "not above": ("order", True, order("meter")),
    "not above, of NaNs": ("order", False, order("any")),
    "a word beyond -0": ("sign", True, sign("sum")),
    "a word beyond -0, of NaNs": ("sign", False, sign("any")),
    "a word beyond another": ("sign", False, sign("meter", SIGN - 1)),
    "a sum below 0": ("sign of a sum", True, sign_of_a_sum(0.0)),
    "a sum below something else": ("sign of a sum", False, sign_of_a_sum(0.01)),
    "the greater": ("extreme", True, extreme("fmax", "sum", 0.0)),
    "the less": ("extreme", True, extreme("fmin", "meter", 0.25)),
    "the greater of zeros": ("extreme", False, extreme("fmax", "meter", 0.0)),
    "the less of zeros": ("extreme", False, extreme("fmin", "meter", -0.0)),
    "a product": ("sign of a product", True, product(0.02)),
    "another product": ("sign of a product", False, product(0.03)),
    "words apart": ("bounds", True, compared("ult", "age", 201, 1)),
    "words that may be alike": ("bounds", False, compared("ult", "age", 200, 1)),
    "never equal": ("bounds", True, compared("eq", "age", 300, 0)),
    "equal once": ("bounds", False, compared("eq", "age", 200, 0)),
    "signed words": ("bounds", True, compared("sle", "age", 200, 1)),
    "signed words below 0": ("bounds", False, compared("slt", "great", 300, 0)),
    "twice": ("twice", True, twice(2.0)),
    "not quite twice": ("twice", False, twice(2.0000002)),
    "times one": ("times one", True, neutral("fmul", 1.0, 0.0)),
    "times nearly one": ("times one", False, neutral("fmul", 1.0000001)),
    "nothing added": ("nothing added", True, neutral("fadd", 0.0)),
    "nothing added to a number that may be -0": ("nothing added", False, neutral("fadd", 0.0, 0.0)),
    "a half": ("power of two", True, quotient(2.0, 0.5)),
    "a third": ("power of two", False, quotient(3.0, 1 / 3)),
    "a half by two": ("power of two", False, quotient(2.0, 2.0)),
    "an unsigned word": ("conversion", True, conversion("age")),
    "an unsigned word beyond the signed ones": ("conversion", False, conversion("great")),
    "a factor": ("sign of a factor", True, factor(-0.3)),
    "a factor without its sign": ("sign of a factor", False, factor(0.3)),
    "a whole number": ("whole number", True, whole("feq", 16_777_215.0, "eq", 16_777_215)),
    "one that others are rounded to": ("whole number", False, whole("feq", 16_777_216.0, "eq", 16_777_216)),
    "below a number": ("whole number", True, whole("flt", 1.5, "slt", 2, name="age")),
    "below a whole number": ("whole number", True, whole("flt", 16_777_215.0, "slt", 16_777_215)),
    "above a number": ("whole number", True, whole("flt", 1.5, "slt", 1, swapped=True, name="age")),
    "above one that others are rounded to": (
        "whole number",
        False,
        whole("flt", 16_777_216.0, "slt", 16_777_216, swapped=True),
    ),
    "below another": ("whole number", False, whole("flt", 1.5, "slt", 1, name="age")),
    "one of two": ("inside", True, inside((3, 5))),
    "the other of two": ("inside", False, inside((5, 3))),
    "a whole number or another": ("outside", True, outside(7.0, 7)),
    "a whole number or half": ("outside", False, outside(0.5, 0)),
    "a whole number or -0": ("outside", False, outside(-0.0, 0)),
    "whole numbers alike": ("whole numbers", True, of_words("feq", "age", 0, 7)),
    "whole numbers in order": ("whole numbers", True, of_words("flt", "age", 0, 7)),
    "whole numbers that others are rounded to": ("whole numbers", False, of_words("feq", "near", 0, 2**24 + 1)),
    "a whole number less another": ("whole numbers", True, of_words("fadd", "age", -127.0, 2**32 - 127)),
    "a whole number and a great one": ("whole numbers", False, of_words("fadd", "age", 2.0**25, 2**25 + 1)),
    "a whole number and a half": ("whole numbers", False, of_words("fadd", "age", 0.5, 0)),
    "a product of what has the other sign": ("sign of a product", True, signs("fmul", "more")),
    "a product without the sign": ("sign of a product", False, signs("fmul", "more", negated=False)),
    "a product of NaNs": ("sign of a product", False, signs("fmul", "more", name="any")),
    "both signs": ("sign of both", True, signs("ite", "any")),
    "one sign": ("sign of both", False, signs("ite", "any", negated=False)),
    "a sum that may be a NaN, times one": (
        "times one",
        True,
        neutral_to("fmul", 1.0, lambda c: c.op("fadd", c.variable("any"), c.variable("more"))),
    ),
    "a NaN times one": ("times one", False, neutral_to("fmul", 1.0, lambda c: c.variable("any"))),
    "nothing added to a size": (
        "nothing added",
        True,
        neutral_to("fadd", 0.0, lambda c: c.op("and", c.variable("meter"), c.constant(SIGN - 1, 32))),
    ),
    "the upper half": ("high half", True, high_half(32)),
    "more than the upper half": ("high half", False, high_half(31)),
    "bits of a widened word": ("widened", True, widened("xor", 5, 5)),
    "other bits of a widened word": ("widened", False, widened("xor", 5, 7)),
    "bits beyond the word": ("widened", False, widened("xor", 5 + 2**32, 5)),
}


@pytest.mark.parametrize("case", CASES)
def test_a_form_is_reached_and_held_to_its_rule(case: str) -> None:
    name, fits, pair = CASES[case]
    context = held_to()
    left, right = pair(context)
    assert isinstance(left, checker.Term)
    assert isinstance(right, checker.Term)
    assert context.by_rule(RULES[name], left, right) is fits
    same = all(one == other for one, other in zip(evaluated(left), evaluated(right), strict=True))
    assert same is fits
    arena, merger = prover()
    one, other = pair(arena)
    if name != "sign of a sum":
        assert (one is other) is fits
        assert not fits or merger.reasons[name] >= 1


def test_the_sign_of_a_sum_is_known_where_a_premise_says_it() -> None:
    arena, merger = prover()
    less = arena.op("flt", arena.variable("lesser"), arena.constant(0xBCA3D70A, 32))
    side = arena.under(less, True)
    assert side is not None
    left, _ = sign_of_a_sum(0.0)(side)
    assert left.value == 1
    assert merger.reasons["sign of a sum"] == 1


def test_bits_that_are_chosen_are_joined() -> None:
    """Rules 5 and 30, in all ways that one side may be a constant."""
    for first in range(2):
        for holds, constant in ((True, 0), (True, 1), (False, 0), (False, 1)):
            context, (arena, _) = held_to(), prover()
            made = []
            for c in (context, arena):
                condition, other, k = c.variable("some"), c.variable("other"), c.constant(constant, 1)
                sides = (k, other) if first else (other, k)
                made.append(c.op("ite", condition if holds else c.no(condition), *sides))
            assert made[0].op != "ite"
            assert made[0].op == made[1].op
            for at, value in enumerate(evaluated(made[0])):
                some, other_value = (int(SAMPLES[name][at]) for name in ("some", "other"))
                chosen = (constant, other_value) if first else (other_value, constant)
                assert value == chosen[0 if some == holds else 1]


@pytest.mark.parametrize(
    ("name", "more", "word", "same"),
    [
        ("age", 12582912.0, 12582911, True),
        ("age", 12582912.0, 12582912, False),
        ("near", 1.0, 0, False),
        ("any", 1.0, 0, False),
    ],
)
def test_terms_of_one_word_are_compared_for_each_of_its_values(name: str, more: float, word: int, same: bool) -> None:
    """Rule 49, by the number that rounds, which a compiler adds to the word; a sum that is rounded is another one."""

    def pair(c: Terms) -> tuple[Either, Either, Either]:
        x = c.variable(name)
        less = c.make("tofloat", 32, (c.op("add", x, c.constant(-1, 32)),))
        added = c.op("add", x, c.constant(word, 32))
        return c.op("fadd", less, number(c, more)), c.make("tofloat", 32, (added,)), x

    context, (arena, _) = held_to(), prover()
    left, right, x = pair(context)
    assert context.of_values(left, right, x) is same
    assert not context.of_values(left, right, context.variable("other"))
    merger = Merger(depths=())
    assert merger.equal(arena, *pair(arena)[:2]) is same
    assert merger.reasons["values"] == same


def test_sums_of_two_choices_of_constants_do_not_depend_on_the_order_of_terms() -> None:
    for swapped in (False, True):
        for c in (held_to(), prover()[0]):
            names = ("some", "other")[:: -1 if swapped else 1]
            one, two = (c.op("ite", c.variable(name), number(c, 1.5), number(c, 2.5)) for name in names)
            assert c.op("fadd", one, two).op == "fadd"
            assert c.op("fadd", one, c.variable("meter")).op == "ite"


def test_a_choice_by_what_does_not_hold_is_the_other_one() -> None:
    context, (arena, _) = held_to(), prover()
    for c in (context, arena):
        condition, x, y = c.variable("some"), c.variable("any"), c.variable("age")
        assert c.op("ite", c.no(condition), x, y) is c.op("ite", condition, y, x)
        assert c.op("ite", c.no(condition), x, y) is not c.op("ite", condition, x, y)


def test_premises_say_which_side_of_a_choice_it_is() -> None:
    """Rule 31: what is no constant side is the other; of a choice that is its constant side nothing is known."""
    at = int(np.flatnonzero(SAMPLES["some"] & (SAMPLES["age"] != 5))[0])
    once = int(SAMPLES["age"][at])
    for value, decided in ((once, True), (5, False)):
        context, (arena, _) = held_to(), prover()
        for c in (context, arena):
            some, age, five = c.variable("some"), c.variable("age"), c.constant(5, 32)
            premise = c.op("eq", c.op("ite", some, age, five), c.constant(value, 32))
            if isinstance(c, Arena):
                side = c.under(premise, True)
                assert side is not None
                known = side.variable("age"), side.instead_of(side.variable("some"))
            else:
                c.assume(premise)
                known = c.variable("age"), c.variable("some")
            assert [each.value for each in known] == ([once, 1] if decided else [None, None])


def test_conditions_have_one_bit() -> None:
    context = held_to()
    with pytest.raises(checker.RefusedError, match="a condition: it has 32 bits, not 1"):
        context.assume(context.variable("any"))
