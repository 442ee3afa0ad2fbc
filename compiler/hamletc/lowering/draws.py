"""Draws: random numbers from the words of their sites (docs/semantics.md, "Randomness")."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hamlet.numbers.binary32 import round32
from hamlet.numbers.counters import (
    BIRTH_DRAWS,
    BLOCK_WORDS,
    CELL_DRAWS,
    CELL_EPISODE_DRAWS,
    CELL_SHIFT,
    EPISODE_DRAWS,
    LANE_DRAWS,
    PAIR_DRAWS,
    PAIR_EPISODE_DRAWS,
    WORLD_DRAWS,
    WORLD_EPISODE_DRAWS,
)
from hamlet.numbers.elementary import TWICE_PI
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct
from hamletc.ir.ops import I32, U32, Type, Value
from hamletc.lowering.functions import call
from hamletc.lowering.lane import Lane

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)

NUMBERS: Mapping[int, tuple[str, str]] = {
    LANE_DRAWS: ("lane", "tick"),
    WORLD_DRAWS: ("world", "tick"),
    EPISODE_DRAWS: ("lane", "episode"),
    BIRTH_DRAWS: ("lane", "tick"),
    CELL_DRAWS: ("world", "tick"),
    CELL_EPISODE_DRAWS: ("world", "episode"),
    WORLD_EPISODE_DRAWS: ("world", "episode"),
    PAIR_DRAWS: ("lane", "tick"),
    PAIR_EPISODE_DRAWS: ("lane", "episode"),
}
"""The inputs that are the first two numbers of a counter, by its stream."""


def philox(builder: Builder, counter: list[Value], keys: list[Value]) -> list[Value]:
    """Four words of a counter of four numbers and a key of two, all U32: Philox4x32-10.

    J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
    """
    for number in range(ROUNDS):
        first, second = (builder.add(key, builder.u32(number * weyl)) for key, weyl in zip(keys, WEYL, strict=True))
        c0, c1, c2, c3 = counter
        m0, m1 = builder.u32(MULTIPLIERS[0]), builder.u32(MULTIPLIERS[1])
        counter = [
            builder.xor(builder.xor(builder.mul_high(c2, m1), c1), first),
            builder.mul(c2, m1),
            builder.xor(builder.xor(builder.mul_high(c0, m0), c3), second),
            builder.mul(c0, m0),
        ]
    return counter


def random_word(lane: Lane, site: int) -> Value:
    """The random word (U32) of a site in the lane's stream of draws."""
    stream, (block, word) = lane.stream, divmod(site, BLOCK_WORDS)
    if (stream, block) not in lane.words:
        builder = lane.builder
        with builder.at(Construct("draws"), None, "draws"):
            part = lane.counter or builder.input
            number, time = (_number(builder, part, name) for name in NUMBERS[stream])
            keys = [part(U32, "seed_low"), part(U32, "seed_high")]
            last = builder.u32(stream)
            drawn_for = lane.other if lane.cell is None else lane.cell
            if drawn_for is not None:
                last = builder.or_(builder.shift_left(builder.to_u32(drawn_for), builder.u32(CELL_SHIFT)), last)
            lane.words[stream, block] = philox(builder, [number, time, builder.u32(block), last], keys)
    return lane.words[stream, block][word]


def _number(builder: Builder, part: Callable[[Type, str], Value], name: str) -> Value:
    """A number (U32) of a counter, of which there is a part of this name."""
    return builder.to_u32(part(I32, name)) if name == "episode" else part(U32, name)


def share(builder: Builder, word: Value, above: int = 0) -> Value:
    """(word >> 8) + above in units of 2**-24 (F32)."""
    units = builder.to_i32(builder.shift_right(word, 8))
    if above:
        units = builder.add(units, builder.i32(above))
    return builder.mul(builder.to_f32(units), builder.f32(2.0**-24))


def uniform(builder: Builder, word: Value, low: Value, high: Value) -> Value:
    """A number (F32) between low and high."""
    return builder.add(low, builder.mul(share(builder, word), builder.sub(high, low)))


def integer(builder: Builder, word: Value, low: int, high: int) -> Value:
    """A whole number (F32) from low to high."""
    index = builder.mul_high(word, builder.u32(high - low + 1))
    return builder.to_f32(builder.add(builder.to_i32(index), builder.i32(low)))


def choice(builder: Builder, word: Value, options: list[Value], thresholds: tuple[int, ...] | None) -> Value:
    """One of the options (F32): the last one whose threshold the word has reached, where there are any."""
    result = options[0]
    if thresholds is not None:
        for threshold, option in zip(thresholds, options[1:], strict=True):
            result = builder.select(builder.less_equal(builder.u32(threshold), word), option, result)
        return result
    index = builder.mul_high(word, builder.u32(len(options)))
    for number, option in enumerate(options[1:], start=1):
        result = builder.select(builder.equal(index, builder.u32(number)), option, result)
    return result


def normal(builder: Builder, first: Value, second: Value, mean: Value, deviation: Value) -> Value:
    """A normally distributed number (F32), by the method of Box and Muller."""
    logarithm = call(builder, "log", share(builder, first, above=1))
    distance = builder.sqrt(builder.mul(logarithm, builder.f32(-2.0)))
    turned = call(builder, "cos", builder.mul(share(builder, second), builder.f32(TWICE_PI)))
    return builder.add(mean, builder.mul(deviation, builder.mul(distance, turned)))


def poisson(builder: Builder, word: Value, mean: Value, most: int) -> Value:
    """How many (F32) of the probabilities P(X <= k), k = 0 .. most - 1, the share of the word has reached."""
    reached, one, zero = share(builder, word), builder.f32(1.0), builder.f32(0.0)
    probability = call(builder, "exp", builder.neg(mean))
    total, result = probability, builder.select(builder.less_equal(probability, reached), one, zero)
    for count in range(1, most):
        probability = builder.mul(builder.mul(probability, mean), builder.f32(round32(1.0 / count)))
        total = builder.add(total, probability)
        result = builder.add(result, builder.select(builder.less_equal(total, reached), one, zero))
    return result


def chance(builder: Builder, word: Value, probability: Value) -> Value:
    """Whether (BOOL) an event of this probability (F32) happens."""
    return builder.less(share(builder, word), probability)
