"""Networks that are too wide or too deep for one program: a launch for each layer, a program for some of its outputs.

The chains are those of `hamlet_train.gpu.perceptron`. Import this module where Triton is used.
"""

# mypy: ignore-errors
# What Triton compiles has no types of Python's.

import triton
import triton.language as tl

from hamlet.launch.gpu.networks import tanh
from hamlet_train.gpu.perceptron import layer, sample_of


@triton.jit(do_not_specialize=["part", "inputs"])
def pass_block(
    x_ptr,
    weights_ptr,
    bias_ptr,
    held_ptr,
    y_ptr,
    order_ptr,
    counts_ptr,
    rows_ptr,
    most,
    part,
    parts,
    blocks,
    ticks,
    lanes_each,
    inputs,
    SEEN: tl.constexpr,
    KIND: tl.constexpr,
    ROW: tl.constexpr,
    COLUMNS: tl.constexpr,
    OUTPUTS: tl.constexpr,
    PITCH: tl.constexpr,
    TOGETHER: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """OUTPUTS of a layer, or of the derivatives by its inputs, for a block of a group's samples in each program.

    `x_ptr`, `held_ptr` and `y_ptr` are where the first row of the room has what the layer is given, what came out of a
    tanh, and what the layer gives. With SEEN the inputs are those that a lane saw in a tick, ROW numbers, and it is
    noted in `rows_ptr` which these are. The heads (KIND 2) lie by output. See `hamlet_train.gpu.perceptron.layer`.
    """
    tiles: tl.constexpr = (COLUMNS + OUTPUTS - 1) // OUTPUTS
    block = tl.program_id(0) // tiles
    tile = tl.program_id(0) % tiles
    group = block // blocks
    count = tl.load(counts_ptr + group)
    stop = count * (part + 1) // parts
    first = count * part // parts + block % blocks * TOGETHER
    if first < stop:
        here = tl.arange(0, BLOCK)
        position = block * BLOCK + here
        row = position.to(tl.int64) * PITCH
        x = x_ptr + row
        if SEEN:
            order_ptr += group * most
            _, tick, lane = sample_of(order_ptr, first, stop, ticks, group * lanes_each, TOGETHER, BLOCK)
            seen = lane * ticks + tick
            x = x_ptr + seen.to(tl.int64) * ROW
            if tile == 0:
                tl.store(rows_ptr + position, seen)
        if KIND == 2:
            heads = y_ptr + block * (COLUMNS * BLOCK) + here
            layer(x, weights_ptr, bias_ptr, inputs, x, heads, BLOCK, tile * OUTPUTS, KIND, COLUMNS, OUTPUTS)
        else:
            held = held_ptr + row
            y = y_ptr + row
            layer(x, weights_ptr, bias_ptr, inputs, held, y, 1, tile * OUTPUTS, KIND, COLUMNS, OUTPUTS)


@triton.jit(do_not_specialize=["inputs", "lanes"])
def pass_lanes(
    x_ptr, weights_ptr, bias_ptr, y_ptr, inputs, lanes, columns, ROWS: tl.constexpr, OUTPUTS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """OUTPUTS of a hidden layer for a block of lanes in each program: x [inputs, lanes], weights
    [inputs, columns], y [ROWS, lanes]."""
    tiles: tl.constexpr = (ROWS + OUTPUTS - 1) // OUTPUTS
    lane = tl.program_id(0) // tiles * BLOCK + tl.arange(0, BLOCK)
    # Lanes that there are not do what the last one does, and write nothing.
    x_ptr += tl.minimum(lane, lanes - 1)
    output = tl.program_id(0) % tiles * OUTPUTS + tl.arange(0, OUTPUTS)
    there = output < ROWS
    total = tl.broadcast_to(tl.load(bias_ptr + output, mask=there, other=0.0)[None, :], [BLOCK, OUTPUTS])
    weights_ptr += output
    for _ in range(inputs):
        weights = tl.broadcast_to(tl.load(weights_ptr, mask=there, other=0.0)[None, :], [BLOCK, OUTPUTS])
        total = tl.fma(weights, tl.broadcast_to(tl.load(x_ptr)[:, None], [BLOCK, OUTPUTS]), total)
        x_ptr += lanes
        weights_ptr += columns
    place = output.to(tl.int64)[None, :] * lanes + lane[:, None]
    tl.store(y_ptr + place, tanh(total), mask=there[None, :] & (lane < lanes)[:, None])
