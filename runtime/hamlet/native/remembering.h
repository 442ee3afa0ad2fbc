/* Rollouts of networks that remember: what `networks.h` computes, with a memory behind the first layer, by the order of
operations of docs/semantics.md ("Memory"). */

#ifndef HAMLET_REMEMBERING_H
#define HAMLET_REMEMBERING_H

#include "networks.h"
#include "recall.h"

/* See `hamlet.launch.cpu.player.Recalling`; the latter five are the thread's own, of the lanes of a chunk. */
typedef struct {
    array_f32 hidden, before;
    array_i32 acted, age;
    array_f32 own_hidden, own_before;
    array_i32 own_acted;
    array_f32 now;
    array_u32 changed;
} recalling;

/* What a lane had before a tick: its last observation, which inputs have changed, its last action (-1 where it remembers
nothing) and what it remembers. */
typedef struct {
    const f32 *before;
    const u32 *changed;
    ix acted;
    const f32 *hidden;
} remembered;

/* The lane `lane` of a chunk. `age` is NULL where no episode begins. */
HAMLET_INLINE remembered remembered_by(const recalling *of, const i32 *age, ix lane) {
    static const f32 nothing[WIDTH];
    ix acted = of->own_acted.data[lane];
    bool fresh = acted < 0 || (age != NULL && age[lane] == 0);
    return (remembered){
        of->own_before.data + lane, of->changed.data + lane, fresh ? -1 : acted,
        fresh ? nothing : part_f32(of->own_hidden, lane, 0)};
}

/* What the first layer passes on of a lane: its observation, then what has changed in it, then its last action. */
HAMLET_INLINE void first_layer_remembering(
    seen_lanes of, remembered by, f32 *y, const f32 *weights, ix values, ix inputs, ix outputs) {
    for (ix output = 0; output < outputs; output += SPAN) {
        span_weights at = weights_of(weights, inputs, outputs, output);
        span totals = with_inputs(biases(at), at, of, values);
        if (by.acted >= 0) {
            for (ix first = 0; first < values; first += 2 * FLAGS)
                for (u64 set = two_words(by.changed, first, values, of.pitch); set != 0; set = without_lowest(set)) {
                    ix row = first + lowest(set), place = row * of.pitch;
                    totals = with_input(totals, at, values + row, (of.x[place] - by.before[place]) * CHANGE);
                }
            totals = with_input(totals, at, 2 * values + by.acted, 1.0f);
        }
        pass_span(y, outputs, output, totals, TANH);
    }
}

/* Put what a lane remembers now behind what the first layer gives, `at`. */
HAMLET_INLINE void recall(const f32 *gates, const f32 *before, f32 *at, ix size) {
    for (ix number = 0; number < size; number += WIDE) {
        vf32 gate = sigmoid_vf32(fetch_vf32(gates, number)), news = tanh_vf32(fetch_vf32(gates, size + number));
        store_vf32(at, number, recalled_vf32(gate, news, fetch_vf32(before, number)));
    }
}

/* The heads of so many lanes from `lane` on, at most BATCH; `now`, which may be NULL, takes what they remember then. */
HAMLET_HELPER void evaluate_remembering_batch(
    const network *net, const recalling *recalls, seen_lanes of, const i32 *age, ix lane, ix count, f32 *now, f32 *room) {
    const i64 *sizes = net->sizes.data;
    ix inputs = sizes[0], first = sizes[1], second = sizes[2], rows = sizes[3];
    ix values = recalls->own_before.rows, size = recalls->own_hidden.columns;
    const f32 *weights = net->weights.data;
    f32 *x = room, *y = room + BATCH * PITCH, *rest = y + BATCH * PITCH;
    for (ix each = 0; each < count; each++)
        first_layer_remembering(
            from_lane(of, each), remembered_by(recalls, age, lane + each), x + each * PITCH, weights, values, inputs, first);
    weights += packed_size(inputs, first);
    layer_of(x, y, weights, first, 2 * size, count);
    weights += packed_size(first, 2 * size);
    for (ix each = 0; each < count; each++) {
        f32 *at = x + each * PITCH + first;
        recall(y + each * PITCH, remembered_by(recalls, age, lane + each).hidden, at, size);
        if (now != NULL) memcpy(now + each * size, at, sizeof(f32) * (size_t)size);
    }
    layer_of(x, y, weights, first + size, second, count);
    activate(y, second, count, TANH);
    weights += packed_size(first + size, second);
    heads_of(y, of, 1, weights, second, rows, count, rest);
}

/* The heads of the lanes of a chunk. */
HAMLET_HELPER void evaluate_remembering(
    const network *net, const recalling *recalls, seen_lanes of, const i32 *age, ix count, f32 *now, f32 *room) {
    ix size = recalls->own_hidden.columns;
    for (ix lane = 0; lane < count; lane += BATCH) {
        seen_lanes part = from_lane(of, lane);
        ix together = min_ix(BATCH, count - lane), values = recalls->own_before.rows;
        flag_inputs(part.x, NULL, values, of.pitch, together, part.flags);
        flag_inputs(
            part.x, recalls->own_before.data + lane, values, of.pitch, together, recalls->changed.data + lane);
        evaluate_remembering_batch(
            net, recalls, part, age, lane, together, now == NULL ? NULL : now + lane * size, room);
    }
}

#endif
