"""Sums of what happened in a store, and advantages: `survey` and `estimate` of exact.c for Triton.

What an agent lives through is one chain per lane. Sums over samples are one chain per group, by ascending lanes, in
binary64; groups run side by side. Import this module where Triton is used.
"""

# mypy: ignore-errors
# What Triton compiles has no types of Python's.

import triton
import triton.language as tl

from hamlet_train.exact.kernels import (
    DISCOUNTED,
    DISCOUNTED_SQUARES,
    EPISODES,
    RETURNS,
    SAMPLES,
    SQUARES,
    SURVEYED,
    TICKS,
)

SUMS, OF_EPISODES, OF_TICKS, OF_SQUARES, OF_RETURNS, OF_SAMPLES, OF_DISCOUNTED, OF_DISCOUNTED_SQUARES = (
    tl.constexpr(each)
    for each in (SURVEYED, EPISODES, TICKS, SQUARES, RETURNS, SAMPLES, DISCOUNTED, DISCOUNTED_SQUARES)
)


@triton.jit
def survey_lanes(
    reward_ptr,
    alive_ptr,
    terminated_ptr,
    truncated_ptr,
    length_ptr,
    returned_ptr,
    discounted_ptr,
    discount_ptr,
    counts_ptr,
    returns_ptr,
    discounts_ptr,
    lanes,
    ticks,
    BLOCK: tl.constexpr,
):
    """Follow the episodes of lanes. `length_ptr` i64, `returned_ptr` and `discounted_ptr` f64, [lanes], are those of
    episodes that go on; `discount_ptr` has one f64.

    Left are counts [4, lanes] f64 of episodes, their ticks, the squares of those, and samples; and [lanes, ticks] f64
    the returns of episodes where one ended and the discounted returns of samples, 0 elsewhere."""
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = lane < lanes
    length = tl.load(length_ptr + lane, mask=there, other=0)
    returned = tl.load(returned_ptr + lane, mask=there, other=0.0)
    discounted = tl.load(discounted_ptr + lane, mask=there, other=0.0)
    discount = tl.load(discount_ptr)
    nothing = tl.zeros_like(returned)
    episodes = nothing
    lived = nothing
    squares = nothing
    samples = nothing
    for tick in range(ticks):
        place = tick * lanes + lane
        alive = tl.load(alive_ptr + place, mask=there, other=0).to(tl.int32) != 0
        ended = (tl.load(terminated_ptr + place, mask=there, other=0).to(tl.int32) != 0) | (
            tl.load(truncated_ptr + place, mask=there, other=0).to(tl.int32) != 0
        )
        ended = ended & alive
        reward = tl.load(reward_ptr + place, mask=there, other=0.0).to(tl.float64)
        length = tl.where(alive, length + 1, length)
        returned = tl.where(alive, returned + reward, returned)
        discounted = tl.where(alive, discounted * discount + reward, discounted)
        samples = tl.where(alive, samples + 1.0, samples)
        now = length.to(tl.float64)
        episodes = tl.where(ended, episodes + 1.0, episodes)
        lived = tl.where(ended, lived + now, lived)
        squares = tl.where(ended, squares + now * now, squares)
        sample = lane.to(tl.int64) * ticks + tick
        tl.store(returns_ptr + sample, tl.where(ended, returned, nothing), mask=there)
        tl.store(discounts_ptr + sample, tl.where(alive, discounted, nothing), mask=there)
        length = tl.where(ended, 0, length)
        returned = tl.where(ended, nothing, returned)
        discounted = tl.where(ended, nothing, discounted)
    tl.store(length_ptr + lane, length, mask=there)
    tl.store(returned_ptr + lane, returned, mask=there)
    tl.store(discounted_ptr + lane, discounted, mask=there)
    tl.store(counts_ptr + lane, episodes, mask=there)
    tl.store(counts_ptr + lanes + lane, lived, mask=there)
    tl.store(counts_ptr + 2 * lanes + lane, squares, mask=there)
    tl.store(counts_ptr + 3 * lanes + lane, samples, mask=there)


@triton.jit
def survey_groups(
    counts_ptr, returns_ptr, discounts_ptr, sums_ptr, groups, lanes, lanes_each, ticks, BLOCK: tl.constexpr
):
    """The sums of groups, [groups, SURVEYED] f64, of what `survey_lanes` left. Adding 0 where nothing is to be added
    changes no sum, since none is -0; counts are whole numbers, whose sums are exact."""
    group = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = group < groups
    nothing = tl.zeros([BLOCK], tl.float64)
    episodes = nothing
    lived = nothing
    squares = nothing
    samples = nothing
    returns = nothing
    discounts = nothing
    discount_squares = nothing
    for index in range(lanes_each):
        lane = group * lanes_each + index
        seen = there & (lane < lanes)
        episodes += tl.load(counts_ptr + lane, mask=seen, other=0.0)
        lived += tl.load(counts_ptr + lanes + lane, mask=seen, other=0.0)
        squares += tl.load(counts_ptr + 2 * lanes + lane, mask=seen, other=0.0)
        samples += tl.load(counts_ptr + 3 * lanes + lane, mask=seen, other=0.0)
        sample = lane.to(tl.int64) * ticks
        for _ in range(ticks):
            returns += tl.load(returns_ptr + sample, mask=seen, other=0.0)
            discounted = tl.load(discounts_ptr + sample, mask=seen, other=0.0)
            discounts += discounted
            discount_squares += discounted * discounted
            sample += 1
    sums_ptr += group * SUMS
    tl.store(sums_ptr + OF_EPISODES, episodes, mask=there)
    tl.store(sums_ptr + OF_TICKS, lived, mask=there)
    tl.store(sums_ptr + OF_SQUARES, squares, mask=there)
    tl.store(sums_ptr + OF_RETURNS, returns, mask=there)
    tl.store(sums_ptr + OF_SAMPLES, samples, mask=there)
    tl.store(sums_ptr + OF_DISCOUNTED, discounts, mask=there)
    tl.store(sums_ptr + OF_DISCOUNTED_SQUARES, discount_squares, mask=there)


@triton.jit
def estimate_lanes(
    reward_ptr,
    alive_ptr,
    terminated_ptr,
    truncated_ptr,
    value_ptr,
    final_ptr,
    numbers_ptr,
    advantage_ptr,
    lanes,
    ticks,
    discount,
    trace,
    BLOCK: tl.constexpr,
):
    """The advantages of lanes, [ticks, lanes], from the last tick back: 0 where an agent was not alive. Rewards are
    multiplied by the first of the numbers; `trace` is lambda times gamma."""
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = lane < lanes
    scale = tl.load(numbers_ptr)
    behind = tl.zeros([BLOCK], tl.float32)
    for ago in range(ticks):
        place = (ticks - 1 - ago) * lanes + lane
        alive = tl.load(alive_ptr + place, mask=there, other=0).to(tl.int32) != 0
        ended = (tl.load(terminated_ptr + place, mask=there, other=0).to(tl.int32) != 0) | (
            tl.load(truncated_ptr + place, mask=there, other=0).to(tl.int32) != 0
        )
        final = tl.load(final_ptr + place, mask=there, other=0.0)
        following = tl.where(ended, final, tl.load(value_ptr + place + lanes, mask=there, other=0.0))
        carried = tl.where(ended, 0.0, trace * behind)
        reward = tl.load(reward_ptr + place, mask=there, other=0.0)
        value = tl.load(value_ptr + place, mask=there, other=0.0)
        behind = tl.where(alive, ((reward * scale + discount * following) - value) + carried, 0.0)
        tl.store(advantage_ptr + place, behind, mask=there)


@triton.jit
def estimate_groups(advantage_ptr, alive_ptr, sums_ptr, groups, lanes, lanes_each, ticks, BLOCK: tl.constexpr):
    """Of groups the sums of advantages, those of their squares, and how many there are, [groups, 3] f64."""
    group = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = group < groups
    total = tl.zeros([BLOCK], tl.float64)
    squares = tl.zeros([BLOCK], tl.float64)
    count = tl.zeros([BLOCK], tl.float64)
    for index in range(lanes_each):
        lane = group * lanes_each + index
        seen = there & (lane < lanes)
        for ago in range(ticks):
            place = (ticks - 1 - ago) * lanes + lane
            advantage = tl.load(advantage_ptr + place, mask=seen, other=0.0).to(tl.float64)
            alive = tl.load(alive_ptr + place, mask=seen, other=0).to(tl.int32)
            total += advantage
            squares += advantage * advantage
            count += alive.to(tl.float64)
    tl.store(sums_ptr + group * 3, total, mask=there)
    tl.store(sums_ptr + group * 3 + 1, squares, mask=there)
    tl.store(sums_ptr + group * 3 + 2, count, mask=there)
