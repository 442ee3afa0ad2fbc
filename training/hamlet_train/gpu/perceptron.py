"""The network forward and backward, as `hamlet_train.exact.network` says it: perceptron.h for Triton.

`teach` takes a block of samples of a group through the layers, the loss, and back to the first hidden layer; what it
leaves in the room `add_gradients` adds up, a tile of the weights of a layer for each program, sample after sample. Import
this module where Triton is used.
"""

# mypy: ignore-errors
# What Triton compiles has no types of Python's.

import triton
import triton.language as tl

from hamlet.launch.gpu.networks import tanh
from hamlet_train.gpu.loss import clipped_loss


@triton.jit
def _layer(x_ptr, weights_ptr, bias_ptr, inputs, BIASED: tl.constexpr, COLUMNS: tl.constexpr, OUTPUTS: tl.constexpr):
    """The chains of a layer, [samples, OUTPUTS]: from its biases or from 0 on, `inputs` products in ascending order.

    `x_ptr` are places of the samples' first inputs. Of OUTPUTS, a power of two, the first COLUMNS are there."""
    BLOCK: tl.constexpr = x_ptr.shape[0]
    output = tl.arange(0, OUTPUTS)
    there = output < COLUMNS
    total = tl.zeros([BLOCK, OUTPUTS], tl.float32)
    if BIASED:
        total = tl.broadcast_to(tl.load(bias_ptr + output, mask=there, other=0.0)[None, :], [BLOCK, OUTPUTS])
    for _ in range(inputs):
        value = tl.broadcast_to(tl.load(x_ptr)[:, None], [BLOCK, OUTPUTS])
        weights = tl.load(weights_ptr + output, mask=there, other=0.0)
        total = tl.fma(value, tl.broadcast_to(weights[None, :], [BLOCK, OUTPUTS]), total)
        x_ptr += 1
        weights_ptr += COLUMNS
    return total


@triton.jit
def _write(room_ptr, total, COLUMNS: tl.constexpr, OUTPUTS: tl.constexpr):
    """Write the columns of samples side by side from `room_ptr` on, which are places, for all threads of the block."""
    output = tl.arange(0, OUTPUTS)
    tl.store(room_ptr[:, None] + output[None, :], total, mask=(output < COLUMNS)[None, :])
    tl.debug_barrier()


@triton.jit
def _through_tanh(room_ptr, slope, COLUMNS: tl.constexpr, OUTPUTS: tl.constexpr):
    """The derivatives by what went into a tanh, of those by what came out, which lies from `room_ptr` on."""
    output = tl.arange(0, OUTPUTS)
    held = tl.load(room_ptr[:, None] + output[None, :], mask=(output < COLUMNS)[None, :], other=0.0)
    return slope * tl.fma(held * -1.0, held, 1.0)


@triton.jit(do_not_specialize=["part", "clip", "entropy", "worth"])
def teach(
    inputs_ptr,
    mask_ptr,
    action_ptr,
    chance_ptr,
    value_ptr,
    advantage_ptr,
    numbers_ptr,
    order_ptr,
    counts_ptr,
    parameters_ptr,
    transposed_ptr,
    room_ptr,
    heads_ptr,
    rows_ptr,
    noted_ptr,
    most,
    part,
    parts,
    ticks,
    lanes,
    lanes_each,
    positions,
    clip,
    entropy,
    worth,
    INPUTS: tl.constexpr,
    ROW: tl.constexpr,
    FIRST: tl.constexpr,
    SECOND: tl.constexpr,
    SECOND_INPUTS: tl.constexpr,
    HEAD_INPUTS: tl.constexpr,
    HEADS: tl.constexpr,
    FIRST_OUTPUTS: tl.constexpr,
    SECOND_OUTPUTS: tl.constexpr,
    HEAD_OUTPUTS: tl.constexpr,
    PITCH: tl.constexpr,
    ACTIONS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """A block of a group's samples, through all layers and back.

    Programs are [groups, blocks]; those behind a group's samples do nothing. Position p of the room, a row of PITCH
    numbers, has what hidden layers gave a sample, then the derivatives by that and by the heads. FIRST, SECOND (0
    without a second hidden layer) and HEADS are columns in whole lines, ..._OUTPUTS the next powers of two.

    Args:
        inputs_ptr: [lanes, ticks, ROW]; mask_ptr: [ticks, ACTIONS, lanes]; action_ptr and the next: [ticks, lanes].
        numbers_ptr: f32: the scale of rewards, then the mean and the spread of advantages.
        order_ptr: [groups, most] i32; counts_ptr: [groups] i64.
        rows_ptr: [positions] i32, which lane and tick a position has; noted_ptr: [losses, positions].
    """
    group = tl.program_id(0)
    count = tl.load(counts_ptr + group)
    start = count * part // parts
    stop = count * (part + 1) // parts
    begin = start + tl.program_id(1) * BLOCK
    if begin < stop:
        here = tl.arange(0, BLOCK)
        present = begin + here < stop
        # Where no sample is left the first one stands again, without a loss.
        taken = tl.where(present, begin + here, begin)
        sample = tl.load(order_ptr + group * most + taken)
        tick = sample % ticks
        lane = group * lanes_each + sample // ticks
        position = (group * tl.num_programs(1) + tl.program_id(1)) * BLOCK + here
        tl.store(rows_ptr + position, lane * ticks + tick)
        place = tick * lanes + lane
        room = room_ptr + position.to(tl.int64) * PITCH
        slopes = room + FIRST + SECOND
        weights = parameters_ptr
        x = inputs_ptr + (lane * ticks + tick).to(tl.int64) * ROW
        total = _layer(x, weights, weights + ROW * FIRST, INPUTS, True, FIRST, FIRST_OUTPUTS)
        _write(room, tanh(total), FIRST, FIRST_OUTPUTS)
        weights += (ROW + 1) * FIRST
        x = room
        if SECOND > 0:
            total = _layer(x, weights, weights + FIRST * SECOND, SECOND_INPUTS, True, SECOND, SECOND_OUTPUTS)
            x = room + FIRST
            _write(x, tanh(total), SECOND, SECOND_OUTPUTS)
            weights += (FIRST + 1) * SECOND
        LAST: tl.constexpr = SECOND if SECOND > 0 else FIRST
        total = _layer(x, weights, weights + LAST * HEADS, HEAD_INPUTS, True, HEADS, HEAD_OUTPUTS)
        # Heads lie by output: the loss takes one of all samples after the other.
        heads = heads_ptr + (group * tl.num_programs(1) + tl.program_id(1)) * (HEADS * BLOCK)
        output = tl.arange(0, HEAD_OUTPUTS)
        tl.store(heads + output[None, :] * BLOCK + here[:, None], total, mask=(output < HEADS)[None, :])
        tl.debug_barrier()
        advantage = tl.load(advantage_ptr + place)
        gain = (advantage - tl.load(numbers_ptr + 1)) * tl.load(numbers_ptr + 2)
        aim = advantage + tl.load(value_ptr + place)
        clipped_loss(
            heads + here,
            mask_ptr + tick.to(tl.int64) * (ACTIONS * lanes) + lane,
            lanes,
            tl.load(action_ptr + place),
            tl.load(chance_ptr + place),
            gain,
            aim,
            present,
            clip,
            entropy,
            worth,
            slopes + FIRST + SECOND,
            noted_ptr + position,
            positions,
            ACTIONS,
            BLOCK,
        )
        tl.debug_barrier()
        back = transposed_ptr + ROW * FIRST
        if SECOND > 0:
            heads_back = back + FIRST * SECOND
            total = _layer(slopes + FIRST + SECOND, heads_back, heads_back, ACTIONS + 1, False, SECOND, SECOND_OUTPUTS)
            total = _through_tanh(room + FIRST, total, SECOND, SECOND_OUTPUTS)
            _write(slopes + FIRST, total, SECOND, SECOND_OUTPUTS)
            total = _layer(slopes + FIRST, back, back, HEAD_INPUTS, False, FIRST, FIRST_OUTPUTS)
        else:
            total = _layer(slopes + FIRST, back, back, ACTIONS + 1, False, FIRST, FIRST_OUTPUTS)
        total = _through_tanh(room, total, FIRST, FIRST_OUTPUTS)
        _write(slopes, total, FIRST, FIRST_OUTPUTS)


@triton.jit(do_not_specialize=["part"])
def add_gradients(
    x_ptr,
    rows_ptr,
    slope_ptr,
    counts_ptr,
    gradient_ptr,
    part,
    parts,
    blocks,
    size,
    weight,
    SEEN: tl.constexpr,
    ROW: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    OUTPUTS: tl.constexpr,
    PITCH: tl.constexpr,
    TILE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The gradients of a layer, of TILE of its inputs for each program [groups, tiles], and of its biases.

    `x_ptr` has its inputs: with SEEN those that a lane saw in a tick, ROW numbers, else those in the room. `slope_ptr`
    has the derivatives by its outputs; `weight` is where its weights begin in `size` parameters."""
    group = tl.program_id(0)
    count = tl.load(counts_ptr + group)
    number = (count * (part + 1) // parts - count * part // parts).to(tl.int32)
    first = group * blocks * BLOCK
    k = tl.program_id(1) * TILE + tl.arange(0, TILE)
    output = tl.arange(0, OUTPUTS)
    there = output < COLUMNS
    total = tl.zeros([TILE, OUTPUTS], tl.float32)
    of_bias = tl.zeros([OUTPUTS], tl.float32)
    # Whole blocks: what fills up the last one is added too.
    for index in range(tl.cdiv(number, BLOCK) * BLOCK):
        position = (first + index).to(tl.int64)
        if SEEN:
            x = x_ptr + tl.load(rows_ptr + position).to(tl.int64) * ROW
        else:
            x = x_ptr + position * PITCH
        value = tl.load(x + k, mask=k < ROWS, other=0.0)
        slope = tl.load(slope_ptr + position * PITCH + output, mask=there, other=0.0)
        of_bias = of_bias + slope
        total = tl.fma(
            tl.broadcast_to(value[:, None], [TILE, OUTPUTS]), tl.broadcast_to(slope[None, :], [TILE, OUTPUTS]), total
        )
    gradient_ptr += group.to(tl.int64) * size + weight
    tl.store(
        gradient_ptr + k[:, None] * COLUMNS + output[None, :], total, mask=(k < ROWS)[:, None] & there[None, :]
    )
    if tl.program_id(1) == 0:
        tl.store(gradient_ptr + ROWS * COLUMNS + output, of_bias, mask=there)


@triton.jit(do_not_specialize=["part"])
def add_losses(
    noted_ptr,
    counts_ptr,
    sums_ptr,
    part,
    parts,
    blocks,
    positions,
    LOSSES: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The sums of what a group noted, f64, and behind them how many samples there were. ROWS is the next power of two
    behind LOSSES."""
    group = tl.program_id(0)
    count = tl.load(counts_ptr + group)
    number = count * (part + 1) // parts - count * part // parts
    row = tl.arange(0, ROWS)
    total = tl.zeros([ROWS], tl.float64)
    noted_ptr += group.to(tl.int64) * blocks * BLOCK
    for index in range(number.to(tl.int32)):
        total = total + tl.load(noted_ptr + row * positions + index, mask=row < LOSSES, other=0.0).to(tl.float64)
    total = tl.where(row == LOSSES, number.to(tl.float64), total)
    tl.store(sums_ptr + group * (LOSSES + 1) + row, total, mask=row <= LOSSES)
