"""A step of Adam (Kingma and Ba 2015), as `descend_some` in exact.c says it, and the order in which samples are taken.
Import this module where Triton is used.
"""

# mypy: ignore-errors
# What Triton compiles has no types of Python's.

import triton
import triton.language as tl

from hamlet.launch.gpu.networks import philox
from hamlet_train.draws import NEVER, ORDER

STREAM, LAST = tl.constexpr(ORDER), tl.constexpr(NEVER)


@triton.jit(do_not_specialize=["index"])
def descend(
    parameters_ptr,
    gradient_ptr,
    first_ptr,
    second_ptr,
    transposed_ptr,
    places_ptr,
    factor_ptr,
    changing_ptr,
    count,
    index,
    first_decay,
    first_rest,
    second_decay,
    second_rest,
    least,
    BLOCK: tl.constexpr,
):
    """A step of all parameters, that of minibatch `index`: `changing_ptr` [minibatches, 4] f32 has for each the weight
    of the entropy, the rate, and what the moments are divided by. `places_ptr` [count] i32 says where each parameter is
    among the transposed weights, through which derivatives go back; -1 where it is not."""
    rate = tl.load(changing_ptr + index * 4 + 1)
    first_bias = tl.load(changing_ptr + index * 4 + 2)
    second_bias = tl.load(changing_ptr + index * 4 + 3)
    number = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = number < count
    g = tl.load(gradient_ptr + number, mask=there, other=0.0) * tl.load(factor_ptr)
    m = first_decay * tl.load(first_ptr + number, mask=there, other=0.0)
    v = second_decay * tl.load(second_ptr + number, mask=there, other=0.0)
    m = m + first_rest * g
    v = v + second_rest * (g * g)
    tl.store(first_ptr + number, m, mask=there)
    tl.store(second_ptr + number, v, mask=there)
    step = tl.sqrt_rn(tl.div_rn(v, tl.full([BLOCK], second_bias, tl.float32))) + least
    step = rate * tl.div_rn(tl.div_rn(m, tl.full([BLOCK], first_bias, tl.float32)), step)
    parameter = tl.load(parameters_ptr + number, mask=there, other=0.0) - step
    tl.store(parameters_ptr + number, parameter, mask=there)
    place = tl.load(places_ptr + number, mask=there, other=-1)
    tl.store(transposed_ptr + place, parameter, mask=place >= 0)


@triton.jit(do_not_specialize=["low", "high", "epoch", "first_group"])
def draw_keys(
    alive_ptr,
    keys_ptr,
    lanes,
    lanes_each,
    ticks,
    most,
    first_group,
    low: tl.uint32,
    high: tl.uint32,
    drawn_ptr,
    epoch,
    BLOCK: tl.constexpr,
):
    """The keys of a group's samples [groups, most] i64, by which they are sorted: the word of each and then its number,
    or behind all others where its agent was not alive. BLOCK / 4 counters of Philox have a word for each of BLOCK
    samples, which a program has. `drawn_ptr` [epochs] i32 has the word of each epoch."""
    blocks = tl.cdiv(most, BLOCK)
    group = tl.program_id(0) // blocks
    block = tl.program_id(0) % blocks * (BLOCK // 4) + tl.arange(0, BLOCK // 4)
    c0 = block.to(tl.uint32)
    none = tl.zeros_like(c0)
    of_group, of_epoch = (
        none + (group + first_group).to(tl.uint32),
        none + tl.load(drawn_ptr + epoch).to(tl.uint32, bitcast=True),
    )
    stream = tl.full(c0.shape, STREAM, tl.uint32)
    keys = none + low.to(tl.uint32), none + high.to(tl.uint32)
    c0, c1, c2, c3 = philox(c0, of_group, of_epoch, stream, keys[0], keys[1])
    for word in tl.static_range(4):
        drawn = c0 if word == 0 else (c1 if word == 1 else (c2 if word == 2 else c3))
        sample = block * 4 + word
        there = sample < most
        lane = group * lanes_each + sample // ticks
        place = (sample % ticks) * lanes + lane
        alive = tl.load(alive_ptr + place, mask=there & (lane < lanes), other=0).to(tl.int32) != 0
        number = sample.to(tl.int64)
        key = tl.where(alive, (drawn.to(tl.int64) << 24) + number, LAST + number)
        tl.store(keys_ptr + group.to(tl.int64) * most + sample, key, mask=there)
