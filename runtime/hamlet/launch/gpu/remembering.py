"""The Triton kernel of networks that remember, by the order of operations of docs/semantics.md ("Memory"): what
`hamlet.launch.gpu.networks` computes, with a memory behind the first layer. Import this module where Triton is used."""

# mypy: ignore-errors
# What Triton compiles has no types of Python's.

import triton
import triton.language as tl

from hamlet.backend import recall
from hamlet.launch.gpu.networks import _conclude, _layer, _pass_on, exp, tanh

CHANGE = tl.constexpr(recall.CHANGE)
SOME = tl.constexpr(8)
"""Numbers of a memory that are computed together."""


@triton.jit
def sigmoid(x):
    """1 / (1 + e^-x), without overflow."""
    shrunk = exp(-tl.abs(x))
    return tl.div_rn(tl.where(x < 0.0, shrunk, tl.full(x.shape, 1.0, tl.float32)), shrunk + 1.0)


@triton.jit
def _sensing(
    seen_ptr,
    before_ptr,
    lanes,
    seen,
    fresh,
    acted,
    weights_ptr,
    values,
    ACTIONS: tl.constexpr,
    OUTPUTS: tl.constexpr,
):
    """The first layer of a block's lanes: observations, how they have changed, the last action."""
    BLOCK: tl.constexpr = seen.shape[0]
    output = tl.arange(0, OUTPUTS)[None, :]
    own = tl.zeros_like(seen)
    total = _layer(seen_ptr, lanes, seen, weights_ptr, own, values, OUTPUTS, True)
    weights_ptr += values * OUTPUTS
    for _ in range(values):
        weights_ptr += OUTPUTS
        change = (tl.load(seen_ptr + seen) - tl.load(before_ptr + seen)) * CHANGE
        change = tl.broadcast_to(tl.where(fresh, 0.0, change)[:, None], [BLOCK, OUTPUTS])
        total = tl.fma(tl.broadcast_to(tl.load(weights_ptr + output), [BLOCK, OUTPUTS]), change, total)
        seen_ptr += lanes
        before_ptr += lanes
    for number in range(ACTIONS):
        weights_ptr += OUTPUTS
        did = tl.where((acted == number) & (fresh == 0), 1.0, 0.0)
        did = tl.broadcast_to(did[:, None], [BLOCK, OUTPUTS])
        total = tl.fma(tl.broadcast_to(tl.load(weights_ptr + output), [BLOCK, OUTPUTS]), did, total)
    return total


@triton.jit
def _recall(
    now_ptr,
    news_ptr,
    hidden_ptr,
    next_ptr,
    here,
    seen,
    lane,
    lanes,
    fresh,
    valid,
    REMEMBERS: tl.constexpr,
):
    """Write what lanes remember then over their gates, and into `next_ptr`; some numbers after the other, since
    registers have no room for all, and for where they lie."""
    BLOCK: tl.constexpr = here.shape[0]
    number = tl.arange(0, SOME)[None, :]
    for first in range(0, REMEMBERS, SOME):
        own = (first + number) * BLOCK + here[:, None]
        rows = (first + number).to(tl.int64) * lanes
        held = tl.where(fresh[:, None], 0.0, tl.load(hidden_ptr + rows + seen[:, None]))
        gate = sigmoid(tl.load(now_ptr + own))
        after = tl.fma(gate, tanh(tl.load(news_ptr + own)) - held, held)
        tl.store(next_ptr + rows + lane[:, None], after, mask=tl.broadcast_to(valid[:, None], after.shape))
        tl.store(now_ptr + own, after)


@triton.jit(do_not_specialize=["lanes", "first_lane", "low", "high", "tick", "values"])
def decide_remembering(
    observation_ptr,
    mask_ptr,
    weights_ptr,
    room_ptr,
    heads_ptr,
    action_ptr,
    log_prob_ptr,
    hidden_ptr,
    before_ptr,
    acted_ptr,
    age_ptr,
    next_ptr,
    lanes: tl.int32,
    first_lane: tl.uint32,
    low: tl.uint32,
    high: tl.uint32,
    tick: tl.uint32,
    values: tl.int32,
    asking_ptr,
    numbers_ptr,
    MORE: tl.constexpr,
    ACTIONS: tl.constexpr,
    ROWS: tl.constexpr,
    OUTPUTS: tl.constexpr,
    MORE_OUTPUTS: tl.constexpr,
    HEADS: tl.constexpr,
    REMEMBERS: tl.constexpr,
    AGED: tl.constexpr,
    SAMPLE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The same as `hamlet.launch.gpu.networks.decide`, and what lanes remember then, `next_ptr` [REMEMBERS, lanes].

    `hidden_ptr`, `before_ptr` and `acted_ptr` are what they remember, and `age_ptr` how old they are in their episodes;
    without AGED nobody's begins. `room_ptr` has [OUTPUTS + 2 * REMEMBERS + MORE_OUTPUTS, BLOCK] for each block. OUTPUTS
    and REMEMBERS are powers of two; MORE are the outputs of the second layer. `asking_ptr` and `numbers_ptr` are as
    there."""
    here = tl.arange(0, BLOCK)
    own_ptr = room_ptr + tl.program_id(0) * ((OUTPUTS + 2 * REMEMBERS + MORE_OUTPUTS) * BLOCK)
    news_ptr = own_ptr + (OUTPUTS + REMEMBERS) * BLOCK
    more_ptr = news_ptr + REMEMBERS * BLOCK
    number = tl.arange(0, REMEMBERS)[None, :]
    for block in range(tl.program_id(0), tl.cdiv(lanes, BLOCK), tl.num_programs(0)):
        lane = block * BLOCK + here
        valid = lane < lanes
        asked = 1
        if asking_ptr is not None:
            asked = tl.sum(tl.load(asking_ptr + lane, mask=valid, other=0).to(tl.int32), axis=0)
        if asked != 0:
            # Lanes that there are not do what the last one does, and write nothing.
            seen = tl.minimum(lane, lanes - 1)
            own = tl.zeros_like(seen)
            weights = weights_ptr
            acted = tl.load(acted_ptr + seen)
            fresh = (acted < 0).to(tl.int32)
            if AGED:
                fresh |= (tl.load(age_ptr + seen) == 0).to(tl.int32)
            first = observation_ptr, before_ptr, lanes, seen, fresh != 0, acted, weights, values
            total = _sensing(*first, ACTIONS, OUTPUTS)
            _pass_on(total, own_ptr, here, True)
            weights += (2 * values + ACTIONS + 1) * OUTPUTS
            now_ptr = own_ptr + OUTPUTS * BLOCK
            gate = _layer(own_ptr, BLOCK, here, weights, own, OUTPUTS, REMEMBERS, True)
            tl.store(now_ptr + number * BLOCK + here[:, None], gate)
            weights += (OUTPUTS + 1) * REMEMBERS
            news = _layer(own_ptr, BLOCK, here, weights, own, OUTPUTS, REMEMBERS, True)
            tl.store(news_ptr + number * BLOCK + here[:, None], news)
            weights += (OUTPUTS + 1) * REMEMBERS
            tl.debug_barrier()
            _recall(now_ptr, news_ptr, hidden_ptr, next_ptr, here, seen, lane, lanes, fresh != 0, valid, REMEMBERS)
            tl.debug_barrier()
            total = _layer(own_ptr, BLOCK, here, weights, own, OUTPUTS + REMEMBERS, MORE_OUTPUTS, True)
            _pass_on(total, more_ptr, here, True)
            weights += (OUTPUTS + REMEMBERS + 1) * MORE_OUTPUTS
            total = _layer(more_ptr, BLOCK, here, weights, own, MORE, HEADS, True)
            place = lane
            if numbers_ptr is not None:
                place = tl.load(numbers_ptr + lane, mask=valid, other=0)
            drawn = first_lane.to(tl.uint32) + place.to(tl.uint32)
            outputs = heads_ptr, action_ptr, log_prob_ptr
            _conclude(total, outputs, mask_ptr, lane, lanes, valid, drawn, tick, low, high, ROWS, ACTIONS, SAMPLE)
