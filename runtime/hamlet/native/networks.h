/* What networks decide for the lanes of a chunk, by the order of operations of docs/semantics.md ("Policies").

A layer computes either OUTPUTS outputs of SPAN lanes at a time, or SPAN outputs of one lane: the latter where few lanes
share a network. Each number is computed by the same operations in the same order. Weights are packed for either way
(`hamlet.launch.cpu.packed`). An array of lanes has rows of a pitch. */

#ifndef HAMLET_NETWORKS_H
#define HAMLET_NETWORKS_H

#include "elementary.h"

/* Lanes that are computed at once: four registers. */
#define SPAN (4 * HAMLET_REGISTER)
#define VECTORS (SPAN / WIDE)
/* Outputs that are computed at once: with four registers for each, as many as there are registers for. */
#if HAMLET_AVX512
#define OUTPUTS 4
#else
#define OUTPUTS 2
#endif
/* Outputs of a hidden layer, at most. */
#define WIDTH 64
/* Where fewer lanes share a network, each is computed by itself. */
#define FEW_LANES 16
#define RELU 0
#define TANH 1

/* See `hamlet.launch.cpu.playing.Network`. */
typedef struct {
    array_f32 weights;
    ix size;
    array_i64 sizes;
    ix lanes, activation, sample;
    array_i64 of_agents;
} network;

/* Numbers that a member has for `outputs` outputs, of which `together` are computed at once. */
HAMLET_INLINE ix packed_size(ix inputs, ix outputs, ix together) {
    return (inputs + 1) * ((outputs + together - 1) / together * together);
}

/* SPAN numbers in vectors with names: compilers keep those in registers, and arrays of vectors in memory. */
typedef struct {
    vf32 a, b;
#if VECTORS == 4
    vf32 c, d;
#endif
} span;

#if VECTORS == 4
HAMLET_INLINE span span_of(f32 x) { return (span){alike_vf32(x), alike_vf32(x), alike_vf32(x), alike_vf32(x)}; }
HAMLET_INLINE span fetch_span(const f32 *p) {
    return (span){fetch_vf32(p, 0), fetch_vf32(p, WIDE), fetch_vf32(p, 2 * WIDE), fetch_vf32(p, 3 * WIDE)};
}
HAMLET_INLINE void store_span(f32 *p, span x) {
    store_vf32(p, 0, x.a), store_vf32(p, WIDE, x.b), store_vf32(p, 2 * WIDE, x.c), store_vf32(p, 3 * WIDE, x.d);
}
HAMLET_INLINE span fma_span(f32 factor, span x, span y) {
    vf32 left = alike_vf32(factor);
    return (span){fma_vf32(left, x.a, y.a), fma_vf32(left, x.b, y.b), fma_vf32(left, x.c, y.c), fma_vf32(left, x.d, y.d)};
}
#else
HAMLET_INLINE span span_of(f32 x) { return (span){alike_vf32(x), alike_vf32(x)}; }
HAMLET_INLINE span fetch_span(const f32 *p) { return (span){fetch_vf32(p, 0), fetch_vf32(p, WIDE)}; }
HAMLET_INLINE void store_span(f32 *p, span x) { store_vf32(p, 0, x.a), store_vf32(p, WIDE, x.b); }
HAMLET_INLINE span fma_span(f32 factor, span x, span y) {
    vf32 left = alike_vf32(factor);
    return (span){fma_vf32(left, x.a, y.a), fma_vf32(left, x.b, y.b)};
}
#endif

/* OUTPUTS outputs of SPAN lanes: rows of y, of as many rows of x as there are inputs. Weights are the biases, then for
each input a weight of each output. */
HAMLET_INLINE void layer_of_lanes(const f32 *x, ix x_pitch, f32 *y, ix y_pitch, const f32 *weights, ix inputs) {
    span first = span_of(weights[0]), second = span_of(weights[1]);
#if OUTPUTS == 4
    span third = span_of(weights[2]), fourth = span_of(weights[3]);
#endif
    for (ix input = 0; input < inputs; input++) {
        span values = fetch_span(x);
        weights += OUTPUTS;
        first = fma_span(weights[0], values, first);
        second = fma_span(weights[1], values, second);
#if OUTPUTS == 4
        third = fma_span(weights[2], values, third);
        fourth = fma_span(weights[3], values, fourth);
#endif
        x += x_pitch;
    }
    store_span(y, first);
    store_span(y + y_pitch, second);
#if OUTPUTS == 4
    store_span(y + 2 * y_pitch, third);
    store_span(y + 3 * y_pitch, fourth);
#endif
}

/* SPAN outputs of one lane, of an input every `step` numbers of x. */
HAMLET_INLINE void layer_of_outputs(const f32 *x, ix step, f32 *y, const f32 *weights, ix inputs) {
    span totals = fetch_span(weights);
    for (ix input = 0; input < inputs; input++) {
        weights += SPAN;
        totals = fma_span(x[input * step], fetch_span(weights), totals);
    }
    store_span(y, totals);
}

/* What a hidden layer passes on. `count` is a multiple of SPAN. */
HAMLET_INLINE void activate(f32 *y, ix count, ix activation) {
    const vf32 zero = alike_vf32(0.0f);
    if (activation == TANH) {
        for (ix index = 0; index < count; index += WIDE) store_vf32(y, index, tanh_vf32(fetch_vf32(y, index)));
    } else {
        for (ix index = 0; index < count; index += WIDE) {
            vf32 value = fetch_vf32(y, index);
            store_vf32(y, index, where_vf32(less_vf32(zero, value), value, zero));
        }
    }
}

/* The heads of SPAN lanes, by the weights of a member. `room` has rows of SPAN for the outputs of two hidden layers. */
HAMLET_HELPER void evaluate_lanes(
    const network *net, const f32 *weights, const f32 *x, f32 *heads, ix pitch, f32 *room) {
    ix x_pitch = pitch;
    for (ix layer = 0; layer < net->sizes.rows - 1; layer++) {
        ix inputs = net->sizes.data[layer], outputs = net->sizes.data[layer + 1];
        bool last = layer == net->sizes.rows - 2;
        f32 *y = last ? heads : room + layer * WIDTH * SPAN;
        ix y_pitch = last ? pitch : SPAN;
        for (ix output = 0; output < outputs; output += OUTPUTS)
            layer_of_lanes(x, x_pitch, y + output * y_pitch, y_pitch, weights + output * (inputs + 1), inputs);
        if (!last) activate(y, outputs * SPAN, net->activation);
        weights += packed_size(inputs, outputs, OUTPUTS);
        x = y;
        x_pitch = y_pitch;
    }
}

/* The heads of one lane. `room` has SPAN numbers, or whole spans, for each layer of at most WIDTH outputs; the heads. */
HAMLET_HELPER void evaluate_lane(
    const network *net, const f32 *weights, const f32 *x, f32 *heads, ix pitch, f32 *room) {
    ix step = pitch;
    for (ix layer = 0; layer < net->sizes.rows - 1; layer++) {
        ix inputs = net->sizes.data[layer], outputs = net->sizes.data[layer + 1];
        f32 *y = room + layer * WIDTH;
        for (ix output = 0; output < outputs; output += SPAN)
            layer_of_outputs(x, step, y + output, weights + output * (inputs + 1), inputs);
        weights += packed_size(inputs, outputs, SPAN);
        if (layer < net->sizes.rows - 2) {
            activate(y, (outputs + SPAN - 1) / SPAN * SPAN, net->activation);
        } else {
            for (ix row = 0; row < outputs; row++) heads[row * pitch] = y[row];
        }
        x = y;
        step = 1;
    }
}

/* The word of the random policy for a tick, of WIDE lanes from `lane` on. */
HAMLET_INLINE vu32 policy_word(u32 lane, u32 tick, u32 low, u32 high) {
    drawn_words drawn =
        philox(ramp_vu32(lane), alike_vu32(tick >> 2), alike_vu32(1), alike_vu32(0), low, high);
    switch (tick & 3) {
    case 0: return drawn.word[0];
    case 1: return drawn.word[1];
    case 2: return drawn.word[2];
    default: return drawn.word[3];
    }
}

/* The actions of WIDE lanes, of which the first has the global number `lane`, and the logarithms of their probabilities.
`weights` is room for WIDE numbers of each action. */
HAMLET_INLINE void choose(
    const f32 *heads, const bool8 *masks, ix pitch, ix actions, bool sample, u32 lane, u32 tick, u32 low, u32 high,
    i32 *action, f32 *log_prob, f32 *weights) {
    const vf32 zero = alike_vf32(0.0f);
    vbool some = fetch_vbool(masks, 0), forced;
    vf32 best = alike_vf32(-INFINITY_f32), total = zero, above = zero;
    vi32 chosen = alike_vi32(0);
    for (ix number = 1; number < actions; number++) some = bit_or_vbool(some, fetch_vbool(masks, number * pitch));
    forced = not_vbool(some);
    for (ix number = 0; number < actions; number++) {
        vf32 logit = fetch_vf32(heads, number * pitch);
        vbool better = bit_or_vbool(fetch_vbool(masks, number * pitch), forced);
        better = bit_and_vbool(better, less_vf32(best, logit));
        best = where_vf32(better, logit, best);
        chosen = where_vi32(better, alike_vi32((i32)number), chosen);
    }
    for (ix number = 0; number < actions; number++) {
        vf32 weight = exp_vf32(subtract_vf32(fetch_vf32(heads, number * pitch), best));
        weight = where_vf32(bit_or_vbool(fetch_vbool(masks, number * pitch), forced), weight, zero);
        store_vf32(weights, number * WIDE, weight);
        total = add_vf32(total, weight);
    }
    if (sample) {
        vf32 point = multiply_vf32(share_vu32(policy_word(lane, tick, low, high), 0), total), running = zero;
        chosen = alike_vi32(0);
        for (ix number = 0; number < actions; number++) {
            running = add_vf32(running, fetch_vf32(weights, number * WIDE));
            chosen = where_vi32(less_equal_vf32(running, point), add_vi32(chosen, alike_vi32(1)), chosen);
        }
    }
    for (ix number = 0; number < actions; number++) {
        vbool picked = equal_vi32(chosen, alike_vi32((i32)number));
        above = where_vf32(picked, subtract_vf32(fetch_vf32(heads, number * pitch), best), above);
    }
    store_vi32(action, 0, chosen);
    store_vf32(log_prob, 0, subtract_vf32(above, log_from_1_vf32(total)));
}

#endif
