/* Rollouts of networks that remember: what `networks.h` computes, with a memory behind the first layer, by the order of
operations of docs/semantics.md ("Memory"). */

#ifndef HAMLET_REMEMBERING_H
#define HAMLET_REMEMBERING_H

#include "networks.h"
#include "recall.h"

/* See `hamlet.launch.cpu.player.Recalling`; the latter six are the thread's own, of the lanes of a chunk. */
typedef struct {
    array_f32 hidden, before;
    array_i32 acted, age;
    array_f32 own_hidden, own_before;
    array_i32 own_acted;
    array_f32 known, now, later;
} recalling;

/* The heads of SPAN lanes, and what they remember then: rows of `now`, of the rows of `known` before. `room` has rows of
SPAN for what all layers but the heads give. */
HAMLET_HELPER void evaluate_lanes_that_remember(
    const network *net, ix size, const f32 *x, const f32 *known, f32 *now, f32 *heads, ix pitch, f32 *room) {
    const i64 *sizes = net->sizes.data;
    ix inputs = sizes[0], first = sizes[1], second = sizes[2], rows = sizes[3];
    const f32 *weights = net->weights.data;
    f32 *remembered = room + first * SPAN, *gates = remembered + size * SPAN, *news = gates + size * SPAN;
    f32 *mixed = news + size * SPAN;
    for (ix output = 0; output < first; output += OUTPUTS)
        layer_of_lanes(x, pitch, room + output * SPAN, SPAN, weights + output * (inputs + 1), inputs);
    activate(room, first * SPAN, TANH);
    weights += packed_size(inputs, first, OUTPUTS);
    for (ix output = 0; output < 2 * size; output += OUTPUTS)
        layer_of_lanes(room, SPAN, gates + output * SPAN, SPAN, weights + output * (first + 1), first);
    weights += packed_size(first, 2 * size, OUTPUTS);
    for (ix number = 0; number < size; number++)
        for (ix lane = 0; lane < SPAN; lane += WIDE) {
            ix place = number * SPAN + lane;
            vf32 gate = sigmoid_vf32(fetch_vf32(gates, place)), fresh = tanh_vf32(fetch_vf32(news, place));
            vf32 after = recalled_vf32(gate, fresh, fetch_vf32(known, number * pitch + lane));
            store_vf32(remembered, place, after);
            store_vf32(now, number * pitch + lane, after);
        }
    for (ix output = 0; output < second; output += OUTPUTS)
        layer_of_lanes(room, SPAN, mixed + output * SPAN, SPAN, weights + output * (first + size + 1), first + size);
    activate(mixed, second * SPAN, TANH);
    weights += packed_size(first + size, second, OUTPUTS);
    for (ix output = 0; output < rows; output += OUTPUTS)
        layer_of_lanes(mixed, SPAN, heads + output * pitch, pitch, weights + output * (second + 1), second);
}

/* Complete the inputs of `count` lanes behind the rows of their observation `x`: what has changed, and the last action. In
`known` comes what they remember, which is nothing where an episode begins; `age` is NULL where none does. */
HAMLET_HELPER void sense(const recalling *of, array_f32 x, const i32 *age, ix actions, ix count) {
    f32 *changed = x.data + x.rows * x.columns, *acted = changed + x.rows * x.columns;
    const i32 *last = of->own_acted.data;
    for (ix row = 0; row < x.rows; row++)
        for (ix lane = 0; lane < count; lane++) {
            bool fresh = last[lane] < 0 || (age != NULL && age[lane] == 0);
            f32 difference = *part_f32(x, row, lane) - *part_f32(of->own_before, row, lane);
            changed[row * x.columns + lane] = fresh ? 0.0f : difference * CHANGE;
        }
    for (ix action = 0; action < actions; action++)
        for (ix lane = 0; lane < count; lane++)
            acted[action * x.columns + lane] =
                last[lane] == action && (age == NULL || age[lane] != 0) ? 1.0f : 0.0f;
    for (ix row = 0; row < of->known.rows; row++)
        for (ix lane = 0; lane < count; lane++) {
            bool fresh = last[lane] < 0 || (age != NULL && age[lane] == 0);
            *part_f32(of->known, row, lane) = fresh ? 0.0f : *part_f32(of->own_hidden, row, lane);
        }
}

/* The heads of the lanes of a chunk, and in `now` what they remember then. */
HAMLET_HELPER void evaluate_remembering(
    const network *net, const recalling *of, array_f32 x, const i32 *age, array_f32 heads, array_f32 now, f32 *room,
    ix actions, ix count) {
    sense(of, x, age, actions, count);
    for (ix lane = 0; lane < count; lane += SPAN)
        evaluate_lanes_that_remember(
            net, now.rows, x.data + lane, of->known.data + lane, now.data + lane, heads.data + lane, x.columns, room);
}

#endif
