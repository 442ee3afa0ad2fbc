"""Ranges hold for every sample: of words, numbers, sums and conditions, wherever conditions are assumed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import numpy as np
import numpy.typing as npt

from hamlet_lab.proof.meanings import SIGN, Words
from hamlet_lab.proof.ranges import Ranges
from hamlet_lab.proof.term import Term, Variable
from hamlet_lab.proof.terms import Arena

SEEDS, SAMPLES = 40, 200
WIDTHS = (8, 16, 32, 64)
WORDS = ((0, 0), (0, 31), (3, 200), (250, 255), (-6, 9), (-(2**31), 2**31 - 1), (2**31 - 5, 2**31 + 5), (0, 2**32 - 1))
NUMBERS = ((-1.0, 1.0), (0.0, 1.0), (0.25, 3.5), (-7.0, -0.5), (0.0, 2.0**100), (1.0, 1.0))
OF_WORDS = ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem")
OF_NUMBERS = ("fadd", "fmul", "fdiv", "fmin", "fmax", "fma")
CONSTANTS = (0, 1, 2, 3, 4, 7, 8, 12, 31, 32, 100, 255, -1, -4)


class Drawn:
    """Random terms of an arena with random variables."""

    def __init__(self, random: Random) -> None:
        self._random = random
        variables = list(self._variables())
        self.arena = Arena({each.name: each for each in variables}, lambda *_: False)
        self.arena.comparing = False
        self.terms = [self.arena.variable(each.name) for each in variables]
        self.conditions = list[Term]()

    def _variables(self) -> Iterator[Variable]:
        values = np.random.default_rng(self._random.randrange(2**32))
        for number, bits in enumerate((32, 32, 32, *self._random.sample(WIDTHS, 2))):
            ends = [each for each in WORDS if -(1 << (bits - 1)) <= each[0] and each[1] < 1 << bits]
            low, high = self._random.choice(ends)
            some = [low, high, *values.integers(low, high + 1, SAMPLES - 2).tolist()]
            yield Variable(f"word{number}", _words(some, bits), low, high)
        for number in range(3):
            lower, upper = self._random.choice(NUMBERS)
            floats = np.clip(values.uniform(lower, upper, SAMPLES).astype(np.float32), lower, upper)
            floats[:3] = (lower, upper, np.float32((lower + upper) / 2))
            yield Variable(f"number{number}", floats.astype(np.float32).view(np.uint32), lower, upper, True)

    def draw(self) -> None:
        """One more term, and often a condition."""
        choose, arena = self._random.choice, self.arena
        term = choose(self.terms[-12:])
        same = [each for each in self.terms if each.bits == term.bits]
        other = choose([choose(same), arena.constant(choose(CONSTANTS), term.bits)])
        wide = choose(WIDTHS)
        numbers = [each for each in self.terms if each.bits == 32]
        table = tuple(self._random.randrange(50) for _ in range(4))
        kinds = (
            lambda: arena.op(choose(OF_WORDS), term, other),
            lambda: arena.op(choose(OF_WORDS), term, other),
            lambda: arena.op(choose(("add", "mul", "shl", "lshr")), term, arena.constant(choose(CONSTANTS), term.bits)),
            lambda: arena.op(
                "or", arena.op("shl", term, arena.constant(choose((1, 4, 5, 8)), term.bits)), choose(same)
            ),
            lambda: arena.wide(term, wide, choose((True, False))),
            lambda: arena.select(choose(self.conditions), term, other) if self.conditions else term,
            lambda: self._number(numbers),
            lambda: self._number(numbers),
            lambda: arena.make("table", 32, (choose(numbers),), table),
        )
        made = choose(kinds)()
        if made.bits > 1:
            self.terms.append(made)
        if self._random.random() < 0.5:
            self.conditions.append(self._condition(choose(self.terms), numbers))

    def _number(self, numbers: list[Term]) -> Term:
        choose, arena = self._random.choice, self.arena
        a, b, c = (choose(numbers) for _ in range(3))
        op = choose((*OF_NUMBERS, "tofloat", "unsignedtofloat", "negative", "absolute", "fdiv by 4", "mulhi"))
        match op:
            case "tofloat" | "unsignedtofloat":
                return arena.make(op, 32, (a,))
            case "negative":
                return arena.negative(a)
            case "absolute":
                return arena.op("and", a, arena.constant(SIGN - 1, 32))
            case "fdiv by 4":
                return arena.op("fdiv", a, arena.constant(int(np.float32(4).view(np.uint32)), 32))
            case "fma":
                return arena.op(op, a, b, c)
            case _:
                return arena.op(op, a, b)

    def _condition(self, term: Term, numbers: list[Term]) -> Term:
        choose, arena = self._random.choice, self.arena
        other = choose([each for each in self.terms if each.bits == term.bits])
        constant = arena.constant(choose(CONSTANTS), term.bits)
        return choose((
            lambda: arena.op(choose(("eq", "ult", "ule", "slt", "sle")), term, choose((other, constant))),
            lambda: arena.op(choose(("eq", "ult", "ule", "slt", "sle")), constant, term),
            lambda: arena.op(choose(("flt", "fle")), choose(numbers), choose(numbers)),
            lambda: arena.wide(term, 1),
            lambda: arena.no(choose(self.conditions)) if self.conditions else arena.wide(term, 1),
            lambda: arena.op(choose(("and", "or", "xor")), choose(self.conditions), choose(self.conditions))
            if self.conditions
            else arena.wide(term, 1),
        ))()  # fmt: skip


def _words(values: list[int], bits: int) -> Words:
    return np.array([each % (1 << bits) for each in values], f"u{bits // 8}")


def _at(term: Term, where: npt.NDArray[np.bool_]) -> list[int]:
    return [int(each) for each in np.broadcast_to(term.samples, SAMPLES)[where]]


def _integers(ranges: Ranges, term: Term, where: npt.NDArray[np.bool_]) -> list[int]:
    """The samples as the integers that they are within the range of a term."""
    low, high = ranges.words(term)
    integers = [(word - low) % (1 << term.bits) + low for word in _at(term, where)]
    assert all(each <= high for each in integers), (term, low, high)
    return integers


def _hold(ranges: Ranges, drawn: Drawn, where: npt.NDArray[np.bool_], seen: Counter[str]) -> None:
    """All that is said of the terms is so in the samples there."""
    if ranges.dead:
        seen["dead"] += 1
        assert not where.any()
        return
    for term in drawn.terms:
        integers = _integers(ranges, term, where)
        seen["words"] += ranges.words(term)[1] - ranges.words(term)[0] < (1 << term.bits) - 1
        total = ranges.sum(term)
        low, high = ranges.bounds(total)
        parts = [(times, _integers(ranges, each, where)) for each, times in total.times.items()]
        for at, integer in enumerate(integers):
            value = total.rest + sum(times * of[at] for times, of in parts)
            assert (value - integer) % (1 << term.bits) == 0
            assert low <= value <= high
        seen["sums"] += len(total.times) > 1
        if (numbers := ranges.numbers(term)) is not None:
            seen["numbers"] += 1
            floats = np.array(_at(term, where), np.uint32).view(np.float32)
            assert all(numbers[0] <= each <= numbers[1] for each in floats.tolist()), (term, numbers)
    for condition in drawn.conditions:
        if (holds := ranges.decide(condition)) is not None:
            seen["decided"] += condition.value is None
            assert all(bool(each) is holds for each in _at(condition, where))


def test_what_is_said_of_terms_is_so_in_all_samples() -> None:
    seen = Counter[str]()
    for seed in range(SEEDS):
        random = Random(seed)
        drawn = Drawn(random)
        for _ in range(30):
            drawn.draw()
        first = Ranges(drawn.arena)
        _hold(first, drawn, np.ones(SAMPLES, np.bool_), seen)
        for _ in range(6):
            ranges, where = first, np.ones(SAMPLES, np.bool_)
            for _ in range(3):
                condition, holds = random.choice(drawn.conditions), random.random() < 0.6
                ranges = ranges.under(condition, holds)
                where = where & (np.broadcast_to(condition.samples, SAMPLES).astype(np.bool_) == holds)
                _hold(ranges, drawn, where, seen)
    assert min(seen[each] for each in ("words", "sums", "numbers", "decided", "dead")) > SEEDS, seen
