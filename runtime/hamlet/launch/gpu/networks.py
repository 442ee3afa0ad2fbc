"""The Triton kernel of networks: what they decide, by the order of operations of docs/semantics.md ("Policies").

A block takes some lanes after the other, and goes through the layers of their network: outputs [BLOCK, outputs] in
registers, inputs and weights from memory. What a hidden layer passes on goes through memory of the block's own, which
its next loop over inputs reads. Import this module where Triton is used.
"""

# mypy: ignore-errors
# What Triton compiles has no types of Python's.

from typing import Any

import triton
import triton.language as tl

from hamlet.numbers import elementary as e
from hamlet.numbers.counters import POLICY, POLICY_BLOCK
from hamlet.numbers.random import PHILOX_KEY_STEPS, PHILOX_MULTIPLIERS, PHILOX_ROUNDS


def _constants(*values: float) -> tuple[Any, ...]:
    """As kernels see them."""
    return tuple(tl.constexpr(value) for value in values)


LEAST, MOST, LOG2_E, ROUND, ROUND_BITS = _constants(e.EXP_LEAST, e.EXP_MOST, e.LOG2_E_HIGH, e.ROUND, e.ROUND_BITS)
LN2_HIGH, LN2_LOW, TANH_MOST, TANH_SMALL = _constants(e.LN2_HIGH, e.LN2_LOW, e.TANH_MOST, e.TANH_SMALL)
SQRT2_BIAS, STREAM, STREAM_BLOCK, ROUNDS = _constants(e.SQRT2_BIAS, POLICY, POLICY_BLOCK, PHILOX_ROUNDS)
MULTIPLIER_0, MULTIPLIER_1, STEP_0, STEP_1 = _constants(*PHILOX_MULTIPLIERS, *PHILOX_KEY_STEPS)
EXP_0, EXP_1, EXP_2, EXP_3, EXP_4, EXP_5 = _constants(*e.EXP)
TANH_0, TANH_1, TANH_2, TANH_3, TANH_4, TANH_5 = _constants(*e.TANH)
LOG_0, LOG_1, LOG_2, LOG_3, LOG_4, LOG_5, LOG_6, LOG_7, LOG_8 = _constants(*e.LOG)


@triton.jit
def _scaled(x, exponent):
    """x * 2^exponent."""
    return x * ((exponent + 127) << 23).to(tl.float32, bitcast=True)


@triton.jit
def exp(x):
    """e^x = 2^n * e^r."""
    x = tl.where(x < LEAST, LEAST, x)
    x = tl.where(x > MOST, MOST, x)
    shifted = tl.fma(x, LOG2_E, ROUND)
    n = shifted - ROUND
    exponent = shifted.to(tl.int32, bitcast=True) - ROUND_BITS
    r = tl.fma(-n, LN2_HIGH, x)
    r = tl.fma(-n, LN2_LOW, r)
    p = tl.fma(r, EXP_0, EXP_1)
    p = tl.fma(p, r, EXP_2)
    p = tl.fma(p, r, EXP_3)
    p = tl.fma(p, r, EXP_4)
    p = tl.fma(p, r, EXP_5)
    half = exponent >> 1
    return _scaled(_scaled(tl.fma(p * r, r, r) + 1.0, half), exponent - half)


@triton.jit
def log_from_1(x):
    """n log(2) + log(1 + v) of numbers from 1 on, of which none is subnormal."""
    word = x.to(tl.int32, bitcast=True)
    biased = ((word + SQRT2_BIAS) >> 23) & 0x1FF
    v = (word - ((biased - 127) << 23)).to(tl.float32, bitcast=True) - 1.0
    n = biased.to(tl.float32) - 127.0
    square = v * v
    p = tl.fma(v, LOG_0, LOG_1)
    p = tl.fma(p, v, LOG_2)
    p = tl.fma(p, v, LOG_3)
    p = tl.fma(p, v, LOG_4)
    p = tl.fma(p, v, LOG_5)
    p = tl.fma(p, v, LOG_6)
    p = tl.fma(p, v, LOG_7)
    p = tl.fma(p, v, LOG_8)
    tail = tl.fma(square * v, p, square * -0.5)
    rest = tl.fma(n, LN2_LOW, tail)
    largest = tl.fma(n, LN2_HIGH, v)
    lost = tl.fma(n, LN2_HIGH, -largest) + v
    return largest + (rest + lost)


@triton.jit
def tanh(x):
    """A polynomial near 0, else 1 - 2 / (e^(2 abs(x)) + 1), with the sign of x."""
    size = tl.abs(x)
    square = size * size
    p = tl.fma(square, TANH_0, TANH_1)
    p = tl.fma(p, square, TANH_2)
    p = tl.fma(p, square, TANH_3)
    p = tl.fma(p, square, TANH_4)
    p = tl.fma(p, square, TANH_5)
    small = tl.fma(p * square, size, size)
    limited = tl.where(size > TANH_MOST, TANH_MOST, size)
    divisor = exp(limited + limited) + 1.0
    large = 1.0 - tl.div_rn(tl.full(divisor.shape, 2.0, tl.float32), divisor)
    result = tl.where(size < TANH_SMALL, small, large)
    return tl.where(x < 0.0, -result, result)


@triton.jit
def philox(c0, c1, c2, c3, key0, key1):
    """The four words of counters and keys, u32 of one shape (Salmon et al. 2011)."""
    first = tl.full(c0.shape, MULTIPLIER_0, tl.uint32)
    second = tl.full(c0.shape, MULTIPLIER_1, tl.uint32)
    for _ in tl.static_range(ROUNDS):
        high0 = tl.umulhi(c0, first)
        high1 = tl.umulhi(c2, second)
        low0 = c0 * first
        low1 = c2 * second
        c0 = high1 ^ c1 ^ key0
        c2 = high0 ^ c3 ^ key1
        c1 = low1
        c3 = low0
        key0 += STEP_0
        key1 += STEP_1
    return c0, c1, c2, c3


@triton.jit
def _share(lane, tick, low, high):
    """The share of 1 that the policy's word of a tick stands for, of global lanes (u32)."""
    none = tl.zeros_like(lane)
    block, stream = tl.full(lane.shape, STREAM_BLOCK, tl.uint32), tl.full(lane.shape, STREAM, tl.uint32)
    c0, c1, c2, c3 = philox(lane, none + (tick >> 2), block, stream, none + low, none + high)
    last = tick & 3
    word = tl.where(last == 0, c0, tl.where(last == 1, c1, tl.where(last == 2, c2, c3)))
    return (word >> 8).to(tl.int32, bitcast=True).to(tl.float32) * 5.9604644775390625e-08


@triton.jit
def _layer(x_ptr, x_pitch, place, weights_ptr, own, inputs, OUTPUTS: tl.constexpr, SHARED: tl.constexpr):
    """A layer of a block's lanes, without activation: [BLOCK, OUTPUTS].

    `place` are the lanes' places in the rows of x. The weights begin at `weights_ptr`; without SHARED each lane's are
    `own` numbers further on."""
    BLOCK: tl.constexpr = place.shape[0]
    output = tl.arange(0, OUTPUTS)
    behind = output[None, :] if SHARED else own[:, None] + output[None, :]
    total = tl.broadcast_to(tl.load(weights_ptr + behind), [BLOCK, OUTPUTS])
    for _ in range(inputs):
        weights_ptr += OUTPUTS
        value = tl.broadcast_to(tl.load(x_ptr + place)[:, None], [BLOCK, OUTPUTS])
        total = tl.fma(tl.broadcast_to(tl.load(weights_ptr + behind), [BLOCK, OUTPUTS]), value, total)
        x_ptr += x_pitch
    return total


@triton.jit
def _pass_on(total, y_ptr, here, TANH: tl.constexpr):
    """Write what a hidden layer passes on into rows of BLOCK numbers."""
    BLOCK: tl.constexpr = total.shape[0]
    OUTPUTS: tl.constexpr = total.shape[1]
    if TANH:
        result = tanh(total)
    else:
        result = tl.where(total > 0.0, total, 0.0)
    # Whoever reads what was here before is done.
    tl.debug_barrier()
    tl.store(y_ptr + tl.arange(0, OUTPUTS)[None, :] * BLOCK + here[:, None], result)
    tl.debug_barrier()


@triton.jit
def _allowed(mask_ptr, valid, some):
    """Whether an action is allowed: where none is, all are."""
    return (tl.load(mask_ptr, mask=valid, other=1).to(tl.int32) | (1 - some)) != 0


@triton.jit
def _weight(heads_ptr, mask_ptr, valid, some, best):
    """The weight of an action, in proportion to its probability."""
    allowed = _allowed(mask_ptr, valid, some)
    logit = tl.load(heads_ptr, mask=valid, other=0.0)
    return tl.where(allowed, exp(tl.where(allowed, logit - best, 0.0)), 0.0)


@triton.jit
def _choose(heads_ptr, mask_ptr, lanes, valid, share, ACTIONS: tl.constexpr, SAMPLE: tl.constexpr):
    """The actions of a block's lanes, and the logarithms of their probabilities; addresses of their first rows."""
    some = tl.zeros_like(share).to(tl.int32)
    at = mask_ptr
    for number in range(ACTIONS):
        some |= tl.load(at, mask=valid, other=1).to(tl.int32)
        at += lanes
    best = tl.full(share.shape, float("-inf"), tl.float32)
    chosen = tl.zeros_like(some)
    at = mask_ptr
    head = heads_ptr
    for number in range(ACTIONS):
        logit = tl.load(head, mask=valid, other=0.0)
        better = _allowed(at, valid, some) & (logit > best)
        best = tl.where(better, logit, best)
        chosen = tl.where(better, number, chosen)
        at += lanes
        head += lanes
    total = tl.zeros_like(best)
    at = mask_ptr
    head = heads_ptr
    for number in range(ACTIONS):
        total = total + _weight(head, at, valid, some, best)
        at += lanes
        head += lanes
    if SAMPLE:
        chosen = tl.zeros_like(some)
        running = tl.zeros_like(best)
        at = mask_ptr
        head = heads_ptr
        for number in range(ACTIONS):
            running = running + _weight(head, at, valid, some, best)
            chosen += (running <= share * total).to(tl.int32)
            at += lanes
            head += lanes
    logit = tl.load(heads_ptr + chosen.to(tl.int64) * lanes, mask=valid, other=0.0)
    return chosen, (logit - best) - log_from_1(total)


@triton.jit
def _conclude(
    total,
    outputs,
    mask_ptr,
    lane,
    lanes,
    valid,
    number,
    tick,
    low,
    high,
    ROWS: tl.constexpr,
    ACTIONS: tl.constexpr,
    SAMPLE: tl.constexpr,
):
    """Write the heads of a block's lanes, `total` [BLOCK, rows and more], their actions and the logarithms of their
    probabilities into `outputs`. `number` are the lanes' numbers among those of all worlds (u32)."""
    heads_ptr, action_ptr, log_prob_ptr = outputs
    row = tl.arange(0, total.shape[1])
    written = valid[:, None] & (row < ROWS)[None, :]
    tl.store(heads_ptr + row.to(tl.int64)[None, :] * lanes + lane[:, None], total, mask=written)
    tl.debug_barrier()
    share = tl.zeros([total.shape[0]], tl.float32)
    if SAMPLE:
        share = _share(number, tick.to(tl.uint32), low.to(tl.uint32), high.to(tl.uint32))
    chosen, log_prob = _choose(heads_ptr + lane, mask_ptr + lane, lanes, valid, share, ACTIONS, SAMPLE)
    tl.store(action_ptr + lane, chosen, mask=valid)
    tl.store(log_prob_ptr + lane, log_prob, mask=valid)


@triton.jit(do_not_specialize=["lanes", "first_lane", "low", "high", "tick", "inputs", "of_member", "size"])
def decide(
    observation_ptr,
    mask_ptr,
    weights_ptr,
    room_ptr,
    heads_ptr,
    action_ptr,
    log_prob_ptr,
    lanes: tl.int32,
    first_lane: tl.uint32,
    low: tl.uint32,
    high: tl.uint32,
    tick: tl.uint32,
    inputs: tl.int32,
    of_member: tl.int32,
    size: tl.int32,
    elapsed_ptr,
    asking_ptr,
    numbers_ptr,
    HIDDEN: tl.constexpr,
    MORE: tl.constexpr,
    ACTIONS: tl.constexpr,
    ROWS: tl.constexpr,
    OUTPUTS: tl.constexpr,
    MORE_OUTPUTS: tl.constexpr,
    HEADS: tl.constexpr,
    SHARED: tl.constexpr,
    TANH: tl.constexpr,
    SAMPLE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The heads [rows, lanes] of all lanes, their actions and the logarithms of their probabilities.

    `room_ptr` has [OUTPUTS + MORE_OUTPUTS, BLOCK] for each block. `of_member` lanes share a member of `size` weights
    (`hamlet.launch.gpu.deciding.packed`); with SHARED all lanes of a block do. HIDDEN and MORE are the outputs of
    the hidden layers (MORE is 0 where there is one, HIDDEN too where there is none), ROWS those of the heads;
    OUTPUTS, MORE_OUTPUTS and HEADS are the next powers of two. The tick is as many later as `elapsed_ptr` [1] i32
    says, if it is given. A block in which no lane is among `asking_ptr` [lanes] bool, if it is given, has no
    decision. Lanes draw as `first_lane` and those behind it do, or as those whose numbers behind it `numbers_ptr`
    [lanes] i32 has."""
    now = tick.to(tl.uint32)
    if elapsed_ptr is not None:
        now += tl.load(elapsed_ptr).to(tl.uint32, bitcast=True)
    here = tl.arange(0, BLOCK)
    own_ptr = room_ptr + tl.program_id(0) * ((OUTPUTS + MORE_OUTPUTS) * BLOCK)
    blocks = tl.cdiv(lanes, BLOCK)
    for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
        lane = block * BLOCK + here
        valid = lane < lanes
        asked = 1
        if asking_ptr is not None:
            asked = tl.sum(tl.load(asking_ptr + lane, mask=valid, other=0).to(tl.int32), axis=0)
        if asked != 0:
            # Lanes that there are not do what the last one does, and write nothing.
            seen = tl.minimum(lane, lanes - 1)
            first_member = block * BLOCK // of_member
            weights = weights_ptr + first_member * size
            own = (seen // of_member - first_member) * size
            if HIDDEN == 0:
                total = _layer(observation_ptr, lanes, seen, weights, own, inputs, HEADS, SHARED)
            else:
                total = _layer(observation_ptr, lanes, seen, weights, own, inputs, OUTPUTS, SHARED)
                _pass_on(total, own_ptr, here, TANH)
                weights += (inputs + 1) * OUTPUTS
                if MORE > 0:
                    total = _layer(own_ptr, BLOCK, here, weights, own, HIDDEN, MORE_OUTPUTS, SHARED)
                    _pass_on(total, own_ptr + OUTPUTS * BLOCK, here, TANH)
                    weights += (HIDDEN + 1) * MORE_OUTPUTS
                    total = _layer(own_ptr + OUTPUTS * BLOCK, BLOCK, here, weights, own, MORE, HEADS, SHARED)
                else:
                    total = _layer(own_ptr, BLOCK, here, weights, own, HIDDEN, HEADS, SHARED)
            place = lane
            if numbers_ptr is not None:
                place = tl.load(numbers_ptr + lane, mask=valid, other=0)
            number = first_lane.to(tl.uint32) + place.to(tl.uint32)
            outputs = heads_ptr, action_ptr, log_prob_ptr
            _conclude(total, outputs, mask_ptr, lane, lanes, valid, number, now, low, high, ROWS, ACTIONS, SAMPLE)
