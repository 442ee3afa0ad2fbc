"""Controls as normally distributed numbers: controls.h for Triton, each row of which is a control.

Import this module where Triton is used.
"""

# mypy: ignore-errors
# What Triton compiles has no types of Python's.

import triton
import triton.language as tl

from hamlet.launch.gpu.networks import exp, log_from_1, philox
from hamlet.numbers import elementary as e
from hamlet.numbers.counters import CONTROL_DRAWS

NORMALISER = tl.constexpr(float.fromhex("0x1.d67f1cp-1"))
"""log(2 * pi) / 2, see controls.h."""
CHAOS = tl.constexpr(0.5 + NORMALISER.value)
"""The entropy with a deviation of 1."""
STREAM, MOST, ROUND, ROUND_BITS = (tl.constexpr(each) for each in (CONTROL_DRAWS, e.TURNS_MOST, e.ROUND, e.ROUND_BITS))
TWICE_PI, TWO_OVER_PI = tl.constexpr(e.TWICE_PI), tl.constexpr(e.TWO_OVER_PI)
FIRST, MIDDLE, LAST = (tl.constexpr(each) for each in e.HALF_PI)
SIN_0, SIN_1, SIN_2, SIN_3 = (tl.constexpr(each) for each in e.SIN)
COS_0, COS_1, COS_2, COS_3 = (tl.constexpr(each) for each in e.COS)


@triton.jit
def cos(x):
    """The polynomial of sine or cosine at the rest of x by pi / 2, which is a sum of two numbers."""
    x = tl.where(x < -MOST, -MOST, x)
    x = tl.where(x > MOST, MOST, x)
    shifted = tl.fma(x, TWO_OVER_PI, ROUND)
    n = shifted - ROUND
    start = tl.fma(-n, FIRST, x)
    product = n * MIDDLE
    product_lost = tl.fma(n, MIDDLE, -product)
    high = start - product
    taken = high - start
    lost = (start - (high - taken)) - (product + taken)
    low = tl.fma(-n, LAST, lost - product_lost)
    r = high + low
    r_low = (high - r) + low
    square = r * r
    p = tl.fma(square, SIN_0, SIN_1)
    p = tl.fma(p, square, SIN_2)
    p = tl.fma(p, square, SIN_3)
    sine = r + tl.fma(p * square, r, r_low)
    p = tl.fma(square, COS_0, COS_1)
    p = tl.fma(p, square, COS_2)
    p = tl.fma(p, square, COS_3)
    small = tl.fma(square * square, p, -r * r_low)
    half = square * 0.5
    largest = 1.0 - half
    cosine = largest + (((1.0 - largest) - half) + small)
    quadrant = shifted.to(tl.int32, bitcast=True) - ROUND_BITS + 1
    value = tl.where((quadrant & 1) != 0, cosine, sine)
    return tl.where((quadrant & 2) != 0, -value, value)


@triton.jit
def _share(word, above: tl.constexpr):
    """The share of 1 that a word stands for."""
    return ((word >> 8).to(tl.int32, bitcast=True) + above).to(tl.float32) * 5.9604644775390625e-08


@triton.jit
def score_of(raw, mean, log_deviation):
    """How many deviations a raw control lies from its mean; and the opposite of the logarithm of that deviation, and
    its exponential."""
    opposite = tl.full(raw.shape, log_deviation, tl.float32) * -1.0
    narrow = exp(opposite)
    return (raw - mean) * narrow, opposite, narrow


@triton.jit
def density(score, opposite):
    """The logarithm of the density of a raw control."""
    return tl.fma(score * score, tl.full(score.shape, -0.5, tl.float32), opposite - NORMALISER)


@triton.jit(do_not_specialize=["first_lane", "low", "high", "tick"])
def draw_controls(
    means_ptr,
    log_deviations_ptr,
    log_prob_ptr,
    places_ptr,
    ranges_ptr,
    raw_ptr,
    chance_ptr,
    given_ptr,
    count,
    lanes,
    first_lane: tl.uint32,
    low: tl.uint32,
    high: tl.uint32,
    tick: tl.uint32,
    CONTROLS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The controls of `count` lanes of a network around its means, and the logarithms of the chances of actions and
    controls together.

    Args:
        means_ptr, raw_ptr: [controls, count]; log_prob_ptr: [count], of actions; chance_ptr: [count].
        places_ptr: [count] i64, the lanes' numbers in the environment; given_ptr: [controls, lanes], the controls for
            it; ranges_ptr: [controls, 4], see `hamlet_train.collect.ranges`.
    """
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = index < count
    place = tl.load(places_ptr + index, mask=there, other=0)
    lane = (first_lane.to(tl.uint32) + place.to(tl.uint32)).to(tl.uint32)
    none = tl.zeros_like(lane)
    keys = none + low.to(tl.uint32), none + high.to(tl.uint32)
    stream = tl.full(lane.shape, STREAM, tl.uint32)
    likely = tl.zeros([BLOCK], tl.float32)
    for control in range(CONTROLS):
        block = tl.full(lane.shape, control // 2, tl.uint32)
        c0, c1, c2, c3 = philox(lane, none + tick.to(tl.uint32), block, stream, keys[0], keys[1])
        even = control % 2 == 0
        first = _share(tl.where(even, c0, c2), 1)
        second = _share(tl.where(even, c1, c3), 0)
        mean = tl.load(means_ptr + control * count + index, mask=there, other=0.0)
        log_deviation = tl.load(log_deviations_ptr + control)
        deviation = exp(tl.full(mean.shape, log_deviation, tl.float32))
        length = log_from_1(first) * -2.0
        raw = mean + (tl.sqrt_rn(length) * cos(second * TWICE_PI)) * deviation
        score, opposite, _ = score_of(raw, mean, log_deviation)
        likely = likely + density(score, opposite)
        range_ptr = ranges_ptr + 4 * control
        value = tl.load(range_ptr) + raw * tl.load(range_ptr + 1)
        least = tl.load(range_ptr + 2)
        most = tl.load(range_ptr + 3)
        value = tl.where(value < least, least, value)
        tl.store(raw_ptr + control * count + index, raw, mask=there)
        tl.store(given_ptr + control * lanes + place, tl.where(most < value, most, value), mask=there)
    tl.store(chance_ptr + index, tl.load(log_prob_ptr + index, mask=there, other=0.0) + likely, mask=there)


@triton.jit(do_not_specialize=["part"])
def add_deviations(
    score_ptr,
    counts_ptr,
    gradient_ptr,
    part,
    parts,
    blocks,
    size,
    place,
    CONTROLS: tl.constexpr,
    ROWS: tl.constexpr,
    PITCH: tl.constexpr,
    TOGETHER: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The gradients of the logarithms of deviations, which begin at `place` in `size` parameters: a group's derivatives
    from `score_ptr` on, sample after sample. ROWS is the next power of two behind CONTROLS."""
    group = tl.program_id(0)
    count = tl.load(counts_ptr + group)
    number = (count * (part + 1) // parts - count * part // parts).to(tl.int32)
    row = tl.arange(0, ROWS)
    total = tl.zeros([ROWS], tl.float32)
    first = group * blocks * BLOCK
    # Whole blocks: what fills up the last one is added too.
    for index in range(tl.cdiv(number, TOGETHER) * BLOCK):
        position = (first + index).to(tl.int64)
        total = total + tl.load(score_ptr + position * PITCH + row, mask=row < CONTROLS, other=0.0)
    tl.store(gradient_ptr + group.to(tl.int64) * size + place + row, total, mask=row < CONTROLS)
