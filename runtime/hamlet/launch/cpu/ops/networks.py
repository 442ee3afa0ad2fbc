"""What networks decide for the lanes of a chunk, by the order of operations of docs/semantics.md ("Policies").

A layer computes either `TILE` outputs of `WIDE` lanes at a time, or `WIDE` outputs of one lane: the latter where few
lanes share a network. Each number is computed by the same operations in the same order. Weights are packed for either
way (`hamlet.launch.cpu.packed`). An array of lanes has rows of a pitch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from hamlet.launch.cpu.ops.chunks import part
from hamlet.launch.cpu.ops.elementary import exp, log_from_1, tanh
from hamlet.launch.cpu.ops.functions import helper
from hamlet.launch.cpu.ops.machinery import cgutils, intrinsic, types
from hamlet.launch.cpu.ops.operations import add, equal, fma, where
from hamlet.launch.cpu.ops.random import policy_word, share
from hamlet.launch.cpu.ops.tracing import traced
from hamlet.launch.cpu.ops.vectors import WIDE, alike, ramp, splat, wide
from hamlet.launch.cpu.player import TANH, WIDTH

TILE = 4 if WIDE >= 64 else 2
"""Outputs that are computed at once: with four registers for each, as many as there are registers for."""
LOWEST = np.float32(-np.inf)

f32, i32, u32 = types.float32, types.int32, types.uint32


def _loop(builder: Any, count: Any, body: Any) -> None:
    with cgutils.for_range(builder, count) as loop:
        body(loop.index)


@intrinsic
def _tile(_context: Any, x: Any, _x_pitch: Any, y: Any, _y_pitch: Any, weights: Any, _first: Any, _inputs: Any) -> Any:
    """`TILE` outputs of `WIDE` lanes: rows of y, of as many rows of x as there are inputs. The weights from `first` on
    are the biases, then for each input a weight of each output."""
    number = ir.FloatType()
    vector = ir.VectorType(number, WIDE)

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        x, x_pitch, y, y_pitch, weights, first, inputs = arguments
        fma = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fma.v{WIDE}f32"
        )

        def weight(index: Any, output: int) -> Any:
            place = builder.add(index, ir.IntType(64)(output))
            return splat(builder, builder.load(builder.gep(weights, [place]), align=4))

        def row(array: Any, number: Any, pitch: Any) -> Any:
            return builder.bitcast(builder.gep(array, [builder.mul(number, pitch)]), vector.as_pointer())

        totals = [cgutils.alloca_once(builder, vector) for _ in range(TILE)]
        for output, total in enumerate(totals):
            builder.store(weight(first, output), total)

        def add_input(number: Any) -> None:
            value = builder.load(row(x, number, x_pitch), align=4)
            place = builder.add(first, builder.mul(builder.add(number, ir.IntType(64)(1)), ir.IntType(64)(TILE)))
            for output, total in enumerate(totals):
                builder.store(builder.call(fma, [weight(place, output), value, builder.load(total)]), total)

        _loop(builder, inputs, add_input)
        for output, total in enumerate(totals):
            builder.store(builder.load(total), row(y, ir.IntType(64)(output), y_pitch), align=4)
        return _context.get_dummy_value()

    intp = types.intp
    return types.void(x, intp, y, intp, weights, intp, intp), codegen


@traced
def _relu(x: Any) -> Any:
    return where(f32(0.0) < x, x, f32(0.0))


@helper
def activate(y: Any, pitch: Any, rows: Any, activation: Any) -> None:
    """What a hidden layer passes on of `WIDE` numbers of each row."""
    if activation == TANH:
        for row in range(rows):
            y[wide(row * pitch)] = tanh(y[wide(row * pitch)])
    else:
        for row in range(rows):
            y[wide(row * pitch)] = _relu(y[wide(row * pitch)])


@helper
def layer_of_lanes(
    x: Any, x_pitch: Any, y: Any, y_pitch: Any, weights: Any, first: Any, inputs: Any, outputs: Any
) -> None:
    """A layer of `WIDE` lanes, without activation; y has rows for whole tiles."""
    for output in range(0, outputs, TILE):
        _tile(x, x_pitch, part(y, 0, output * y_pitch), y_pitch, weights, first + output * (inputs + 1), inputs)


@helper
def layer_of_outputs(x: Any, step: Any, y: Any, weights: Any, first: Any, inputs: Any, outputs: Any) -> None:
    """A layer of one lane, without activation: x has an input every `step` numbers, y `WIDE` outputs side by side."""
    for output in range(0, outputs, WIDE):
        place = first + output * (inputs + 1)
        total = weights[wide(place)]
        for number in range(inputs):
            total = _product(x[number * step], weights[wide(place + (number + 1) * WIDE)], total)
        y[wide(output)] = total


@traced
def _product(value: Any, weights: Any, total: Any) -> Any:
    return fma(weights, value, total)


@helper
def evaluate_lanes(
    x: Any, x_pitch: Any, heads: Any, pitch: Any, weights: Any, first: Any, sizes: Any, activation: Any, room: Any
) -> None:
    """The heads of `WIDE` lanes. `sizes` are the inputs and the outputs of each layer."""
    layers = sizes.shape[0] - 1
    for layer in range(layers):
        source = x if layer == 0 else part(room, 0, (layer - 1) * WIDTH * WIDE)
        source_pitch = x_pitch if layer == 0 else WIDE
        target = heads if layer == layers - 1 else part(room, 0, layer * WIDTH * WIDE)
        target_pitch = pitch if layer == layers - 1 else WIDE
        inputs, outputs = sizes[layer], sizes[layer + 1]
        layer_of_lanes(source, source_pitch, target, target_pitch, weights, first, inputs, outputs)
        if layer < layers - 1:
            activate(target, target_pitch, outputs, activation)
        first += (inputs + 1) * ((outputs + TILE - 1) // TILE * TILE)


@helper
def evaluate_lane(
    x: Any, x_pitch: Any, heads: Any, pitch: Any, weights: Any, first: Any, sizes: Any, activation: Any, room: Any
) -> None:
    """The heads of one lane."""
    layers = sizes.shape[0] - 1
    for layer in range(layers):
        source = x if layer == 0 else part(room, 0, (layer - 1) * WIDTH)
        inputs, outputs = sizes[layer], sizes[layer + 1]
        target = part(room, 0, layer * WIDTH)
        layer_of_outputs(source, x_pitch if layer == 0 else 1, target, weights, first, inputs, outputs)
        blocks = (outputs + WIDE - 1) // WIDE
        if layer < layers - 1:
            activate(target, WIDE, blocks, activation)
        else:
            for row in range(outputs):
                heads[row * pitch] = target[row]
        first += (inputs + 1) * blocks * WIDE


@traced
def _best(mask: Any, forced: Any, logit: Any, number: Any, best: Any, chosen: Any) -> Any:
    better = (mask | forced) & (best < logit)
    return where(better, logit, best), where(better, number, chosen)


@traced
def _weight(mask: Any, forced: Any, logit: Any, best: Any) -> Any:
    return where(mask | forced, exp(logit - best), f32(0.0))


@traced
def _passed(total: Any, point: Any, action: Any) -> Any:
    return where(total <= point, add(action, 1), action)


@traced
def _picked(action: Any, number: Any, logit: Any, best: Any, above: Any) -> Any:
    return where(equal(action, number), logit - best, above)


@traced
def _log_prob(above: Any, total: Any) -> Any:
    return above - log_from_1(total)


@traced
def _point(lane: Any, tick: Any, low: Any, high: Any, total: Any) -> Any:
    return share(policy_word(ramp(lane), tick, low, high)) * total


@helper
def choose(
    heads: Any,
    pitch: Any,
    masks: Any,
    mask_pitch: Any,
    actions: Any,
    sample: Any,
    lane: Any,
    tick: Any,
    low: Any,
    high: Any,
    action: Any,
    log_prob: Any,
    weights: Any,
) -> None:
    """The actions of `WIDE` lanes, of which the first has the global number `lane`, and the logarithms of their
    probabilities. `weights` has room for a row of `WIDE` for each action."""
    first = wide(0)
    some = masks[first]
    for number in range(1, actions):
        some = some | masks[wide(number * mask_pitch)]
    forced = not some
    best = alike(f32(LOWEST), heads[first])
    chosen = alike(i32(0), heads[first])
    for number in range(actions):
        best, chosen = _best(
            masks[wide(number * mask_pitch)], forced, heads[wide(number * pitch)], i32(number), best, chosen
        )
    total = alike(f32(0.0), best)
    for number in range(actions):
        weight = _weight(masks[wide(number * mask_pitch)], forced, heads[wide(number * pitch)], best)
        weights[wide(number * WIDE)] = weight
        total = total + weight
    if sample:
        chosen = alike(i32(0), best)
        point = _point(u32(lane), u32(tick), u32(low), u32(high), total)
        running = alike(f32(0.0), best)
        for number in range(actions):
            running = running + weights[wide(number * WIDE)]
            chosen = _passed(running, point, chosen)
    above = alike(f32(0.0), best)
    for number in range(actions):
        above = _picked(chosen, i32(number), heads[wide(number * pitch)], best, above)
    action[first] = chosen
    log_prob[first] = _log_prob(above, total)
