"""The network forward and backward, as `hamlet_train.exact.network` says it: perceptron.h for Triton.

`teach` takes a block of samples of a group through the layers, the loss, and back to the first hidden layer. What it
leaves in the room `add_gradients` adds up sample after sample, a tile of the weights of a layer for each program.
Import this module where Triton is used.
"""

# mypy: ignore-errors
# What Triton compiles has no types of Python's.

import triton
import triton.language as tl

from hamlet.launch.gpu.networks import tanh
from hamlet.launch.gpu.remembering import sigmoid
from hamlet_train.exact.kernels import LOSSES as COUNT
from hamlet_train.gpu.loss import clipped_loss

LIVING = tl.constexpr(COUNT)
"""The row behind the losses of samples: whether they teach something."""


@triton.jit
def _four(x_ptr, OUTPUTS: tl.constexpr):
    """Four numbers in a row of each sample, [samples, OUTPUTS] each: all outputs of a sample take the same ones, which
    a thread loads at once."""
    BLOCK: tl.constexpr = x_ptr.shape[0]
    output = tl.zeros([1, OUTPUTS, 1], tl.int32)
    x = tl.load(x_ptr[:, None, None] + (output + tl.arange(0, 4)[None, None, :]))
    even, odd = tl.split(tl.reshape(x, [BLOCK, OUTPUTS, 2, 2]))
    first, third = tl.split(even)
    second, fourth = tl.split(odd)
    return first, second, third, fourth


@triton.jit
def _weights(weights_ptr, first, COLUMNS: tl.constexpr, BLOCK: tl.constexpr, OUTPUTS: tl.constexpr):
    """The weights of one input for OUTPUTS outputs from `first` on, for all samples."""
    output = first + tl.arange(0, OUTPUTS)
    return tl.broadcast_to(tl.load(weights_ptr + output, mask=output < COLUMNS, other=0.0)[None, :], [BLOCK, OUTPUTS])


@triton.jit
def _begun(y_ptr, first, COLUMNS: tl.constexpr, OUTPUTS: tl.constexpr):
    """Derivatives that are there already, [samples, OUTPUTS]."""
    output = first + tl.arange(0, OUTPUTS)
    return tl.load(y_ptr[:, None] + output[None, :], mask=(output < COLUMNS)[None, :], other=0.0)


@triton.jit
def _leave(total, held_ptr, y_ptr, first, step, KIND: tl.constexpr, COLUMNS: tl.constexpr):
    """Write what a layer gave from `y_ptr` on, which are places, outputs `step` apart: of a hidden layer through tanh;
    of gates through the sigmoid, of what is new, the second half of their layer, through tanh; of derivatives by what
    came out of a tanh, which is at `held_ptr`, those by what went in."""
    OUTPUTS: tl.constexpr = total.shape[1]
    output = first + tl.arange(0, OUTPUTS)
    there = (output < COLUMNS)[None, :]
    if KIND == 3:
        if first < COLUMNS // 2:
            total = sigmoid(total)
        else:
            total = tanh(total)
    if KIND == 1 or KIND == 5:
        held = tl.load(held_ptr[:, None] + output[None, :], mask=there, other=0.0)
        total = total * tl.fma(held * -1.0, held, 1.0)
    if KIND == 0:
        total = tanh(total)
    tl.store(y_ptr[:, None] + output[None, :] * step, total, mask=there)


@triton.jit
def layer(
    x_ptr,
    weights_ptr,
    bias_ptr,
    inputs,
    held_ptr,
    y_ptr,
    step,
    begin,
    KIND: tl.constexpr,
    COLUMNS: tl.constexpr,
    OUTPUTS: tl.constexpr,
):
    """The chains of OUTPUTS of a layer from `begin` on, for all threads of the block: from its biases, or from 0 where
    derivatives go back, on, `inputs` products in ascending order. KIND is 0 for a hidden layer, 1 for derivatives, 2
    for the heads, 3 for the gates of a memory, 4 for derivatives by what came out of no tanh alone, 5 for those that
    begin with what is there.

    `x_ptr` are places of the samples' first inputs. OUTPUTS is a power of two, and the layer has COLUMNS; a thread
    has as many samples of both halves of them as it can, since each of its inputs is loaded for both."""
    BLOCK: tl.constexpr = x_ptr.shape[0]
    HALF: tl.constexpr = OUTPUTS // 2 if OUTPUTS > 32 else OUTPUTS
    low = tl.zeros([BLOCK, HALF], tl.float32)
    high = tl.zeros([BLOCK, HALF], tl.float32)
    if KIND == 0 or KIND == 2 or KIND == 3:
        low = _weights(bias_ptr, begin, COLUMNS, BLOCK, HALF)
        high = _weights(bias_ptr, begin + HALF, COLUMNS, BLOCK, HALF)
    if KIND == 5:
        low = _begun(y_ptr, begin, COLUMNS, HALF)
        high = _begun(y_ptr, begin + HALF, COLUMNS, HALF)
    fours = inputs // 4
    for _ in range(fours):
        values = _four(x_ptr, HALF)
        for each in tl.static_range(4):
            row_ptr = weights_ptr + each * COLUMNS
            low = tl.fma(values[each], _weights(row_ptr, begin, COLUMNS, BLOCK, HALF), low)
            if OUTPUTS > HALF:
                high = tl.fma(values[each], _weights(row_ptr, begin + HALF, COLUMNS, BLOCK, HALF), high)
        x_ptr += 4
        weights_ptr += 4 * COLUMNS
    for _ in range(inputs - 4 * fours):
        value = tl.broadcast_to(tl.load(x_ptr)[:, None], [BLOCK, HALF])
        low = tl.fma(value, _weights(weights_ptr, begin, COLUMNS, BLOCK, HALF), low)
        if OUTPUTS > HALF:
            high = tl.fma(value, _weights(weights_ptr, begin + HALF, COLUMNS, BLOCK, HALF), high)
        x_ptr += 1
        weights_ptr += COLUMNS
    _leave(low, held_ptr, y_ptr, begin, step, KIND, COLUMNS)
    if OUTPUTS > HALF:
        _leave(high, held_ptr, y_ptr, begin + HALF, step, KIND, COLUMNS)
    tl.debug_barrier()


@triton.jit
def sample_of(order_ptr, begin, stop, ticks, first_lane, TOGETHER: tl.constexpr, BLOCK: tl.constexpr):
    """Which samples of a block are there, whose numbers begin at `begin` of an order before `stop`, and their ticks and
    lanes. With fewer than BLOCK TOGETHER numbers are those of lanes, and samples all their ticks. Where no sample is
    left the first one stands again, without a loss."""
    here = tl.arange(0, BLOCK)
    if TOGETHER < BLOCK:
        present = here < tl.minimum(stop - begin, TOGETHER) * ticks
        taken = tl.where(present, here, 0)
        lane = tl.load(order_ptr + begin + taken // ticks)
        tick = taken % ticks
    else:
        present = begin + here < stop
        sample = tl.load(order_ptr + tl.where(present, begin + here, begin))
        lane = sample // ticks
        tick = sample % ticks
    return present, tick, first_lane + lane


@triton.jit(do_not_specialize=["part", "index", "clip", "worth"])
def teach(
    inputs_ptr,
    mask_ptr,
    action_ptr,
    raw_ptr,
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
    changing_ptr,
    alive_ptr,
    most,
    part,
    parts,
    index,
    blocks,
    ticks,
    lanes,
    lanes_each,
    positions,
    clip,
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
    CONTROLS: tl.constexpr,
    DEVIATIONS: tl.constexpr,
    WHOLE: tl.constexpr,
    TOGETHER: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """A block of a group's samples, through all layers and back; without WHOLE `pass_block` takes it through the layers
    before and back behind this, and only the loss is here.

    Each group has so many blocks; programs behind its samples do nothing. Position p of the room, a row of PITCH
    numbers, has what hidden layers gave a sample, then the derivatives by that and by the heads, and those by the
    logarithms of deviations, which begin at DEVIATIONS among the parameters. FIRST, SECOND (0 without a second hidden
    layer; without WHOLE FIRST has all of them) and HEADS are columns in whole lines, ..._OUTPUTS the next powers of
    two. With fewer than BLOCK TOGETHER samples are all ticks of lanes, and those teach in which an agent lived.

    Args:
        inputs_ptr: [lanes, ticks, ROW]; mask_ptr: [ticks, ACTIONS, lanes]; raw_ptr: [ticks, CONTROLS, lanes];
            action_ptr, chance_ptr and the next: [ticks, lanes].
        numbers_ptr: f32: the scale of rewards, then the mean and the spread of advantages.
        order_ptr: [groups, most] i32; counts_ptr: [groups] i64.
        rows_ptr: [positions] i32, which lane and tick a position has; noted_ptr: [losses + 1, positions], of which the
            last row says, of whole lanes, which samples teach. alive_ptr: [ticks, lanes].
        changing_ptr: as of `hamlet_train.gpu.descent.descend`, of which `index` is the row of this minibatch.
    """
    group = tl.program_id(0) // blocks
    count = tl.load(counts_ptr + group)
    start = count * part // parts
    stop = count * (part + 1) // parts
    begin = start + tl.program_id(0) % blocks * TOGETHER
    if begin < stop:
        here = tl.arange(0, BLOCK)
        order_ptr += group * most
        present, tick, lane = sample_of(order_ptr, begin, stop, ticks, group * lanes_each, TOGETHER, BLOCK)
        position = tl.program_id(0) * BLOCK + here
        place = tick * lanes + lane
        if TOGETHER < BLOCK:
            present = present & (tl.load(alive_ptr + place).to(tl.int32) != 0)
            tl.store(noted_ptr + LIVING * positions + position, present.to(tl.float32))
        room = room_ptr + position.to(tl.int64) * PITCH
        slopes = room + FIRST + SECOND
        # Heads lie by output: the loss takes one of all samples after the other.
        heads = heads_ptr + tl.program_id(0) * (HEADS * BLOCK) + here
        if WHOLE:
            tl.store(rows_ptr + position, lane * ticks + tick)
            weights = parameters_ptr
            x = inputs_ptr + (lane * ticks + tick).to(tl.int64) * ROW
            layer(x, weights, weights + ROW * FIRST, INPUTS, x, room, 1, 0, 0, FIRST, FIRST_OUTPUTS)
            weights += (ROW + 1) * FIRST
            x = room
            if SECOND > 0:
                x = room + FIRST
                layer(room, weights, weights + FIRST * SECOND, SECOND_INPUTS, room, x, 1, 0, 0, SECOND, SECOND_OUTPUTS)
                weights += (FIRST + 1) * SECOND
            LAST: tl.constexpr = SECOND if SECOND > 0 else FIRST
            layer(x, weights, weights + LAST * HEADS, HEAD_INPUTS, x, heads, BLOCK, 0, 2, HEADS, HEAD_OUTPUTS)
        advantage = tl.load(advantage_ptr + place)
        gain = (advantage - tl.load(numbers_ptr + 1)) * tl.load(numbers_ptr + 2)
        aim = advantage + tl.load(value_ptr + place)
        entropy = tl.load(changing_ptr + index * 4)
        clipped_loss(
            heads,
            mask_ptr + tick.to(tl.int64) * (ACTIONS * lanes) + lane,
            lanes,
            tl.load(action_ptr + place),
            raw_ptr + tick.to(tl.int64) * (CONTROLS * lanes) + lane,
            parameters_ptr + DEVIATIONS,
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
            CONTROLS,
            HEADS,
            BLOCK,
        )
        if WHOLE:
            tl.debug_barrier()
            back = transposed_ptr + ROW * FIRST
            of_heads = slopes + FIRST + SECOND
            if SECOND > 0:
                y = slopes + FIRST
                held = room + FIRST
                from_heads = back + FIRST * SECOND
                layer(
                    of_heads, from_heads, from_heads, ACTIONS + CONTROLS + 1, held, y, 1, 0, 1, SECOND, SECOND_OUTPUTS
                )
                layer(y, back, back, HEAD_INPUTS, room, slopes, 1, 0, 1, FIRST, FIRST_OUTPUTS)
            else:
                layer(of_heads, back, back, ACTIONS + CONTROLS + 1, room, slopes, 1, 0, 1, FIRST, FIRST_OUTPUTS)


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
    TOGETHER: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The gradients of a layer, of TILE of its inputs and OUTPUTS of its outputs for each program of a group, and of
    its biases.

    `x_ptr` has its inputs: with SEEN those that a lane saw in a tick, ROW numbers, else those in the room. `slope_ptr`
    has the derivatives by its outputs; `weight` is where its weights begin in `size` parameters."""
    tiles: tl.constexpr = (ROWS + TILE - 1) // TILE
    sides: tl.constexpr = (COLUMNS + OUTPUTS - 1) // OUTPUTS
    group = tl.program_id(0) // (tiles * sides)
    tile = tl.program_id(0) % tiles
    begin = 0
    if sides > 1:
        begin = tl.program_id(0) // tiles % sides * OUTPUTS
    count = tl.load(counts_ptr + group)
    number = (count * (part + 1) // parts - count * part // parts).to(tl.int32)
    first = group * blocks * BLOCK
    HALF: tl.constexpr = OUTPUTS // 2 if OUTPUTS > 32 else OUTPUTS
    # Inputs lie by four: a thread loads them at once.
    four = tl.arange(0, 4)[None, None, :]
    k = tile * TILE + tl.arange(0, TILE // 4)[:, None, None] * 4 + tl.zeros([1, HALF, 1], tl.int32) + four
    output = begin + tl.arange(0, HALF)
    low = tl.zeros([TILE // 4, HALF, 4], tl.float32)
    high = tl.zeros([TILE // 4, HALF, 4], tl.float32)
    low_bias = tl.zeros([HALF], tl.float32)
    high_bias = tl.zeros([HALF], tl.float32)
    # Whole blocks: what fills up the last one is added too.
    for index in range(tl.cdiv(number, TOGETHER) * BLOCK):
        position = (first + index).to(tl.int64)
        if SEEN:
            x = x_ptr + tl.load(rows_ptr + position).to(tl.int64) * ROW
        else:
            x = x_ptr + position * PITCH
        value = tl.load(x + k, mask=k < ROWS, other=0.0)
        slope = tl.load(slope_ptr + position * PITCH + output, mask=output < COLUMNS, other=0.0)
        low_bias = low_bias + slope
        low = tl.fma(value, tl.broadcast_to(slope[None, :, None], [TILE // 4, HALF, 4]), low)
        if OUTPUTS > HALF:
            slope = tl.load(slope_ptr + position * PITCH + HALF + output, mask=HALF + output < COLUMNS, other=0.0)
            high_bias = high_bias + slope
            high = tl.fma(value, tl.broadcast_to(slope[None, :, None], [TILE // 4, HALF, 4]), high)
    gradient_ptr += group.to(tl.int64) * size + weight
    column = output[None, :, None]
    place = gradient_ptr + k * COLUMNS + column
    tl.store(place, low, mask=(k < ROWS) & (column < COLUMNS))
    if OUTPUTS > HALF:
        tl.store(place + HALF, high, mask=(k < ROWS) & (HALF + column < COLUMNS))
    if tile == 0:
        bias_ptr = gradient_ptr + ROWS * COLUMNS + output
        tl.store(bias_ptr, low_bias, mask=output < COLUMNS)
        if OUTPUTS > HALF:
            tl.store(bias_ptr + HALF, high_bias, mask=HALF + output < COLUMNS)


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
    TOGETHER: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """The sums of what a group noted, f64, and behind them how many samples there were. ROWS is the next power of two
    behind LOSSES. Of whole lanes only those samples count that teach something."""
    group = tl.program_id(0)
    count = tl.load(counts_ptr + group)
    number = count * (part + 1) // parts - count * part // parts
    row = tl.arange(0, ROWS)
    total = tl.zeros([ROWS], tl.float64)
    noted_ptr += group.to(tl.int64) * blocks * BLOCK
    if TOGETHER < BLOCK:
        for index in range(tl.cdiv(number, TOGETHER).to(tl.int32) * BLOCK):
            noted = tl.load(noted_ptr + row * positions + index, mask=row <= LOSSES, other=0.0)
            lives = tl.load(noted_ptr + LOSSES * positions + index) != 0.0
            total = tl.where(lives, total + noted.to(tl.float64), total)
    else:
        for index in range(number.to(tl.int32)):
            total = total + tl.load(noted_ptr + row * positions + index, mask=row < LOSSES, other=0.0).to(tl.float64)
        total = tl.where(row == LOSSES, number.to(tl.float64), total)
    tl.store(sums_ptr + group * (LOSSES + 1) + row, total, mask=row <= LOSSES)
