/* What networks decide for the lanes of a chunk, by the order of operations of docs/semantics.md ("Policies").

The first layer is computed lane by lane: most of what an agent observes is 0, and terms of inputs that are 0 are left out.
Behind it TOGETHER lanes are computed at once, a vector of outputs of each, and those that are left over one by one. Each
number is computed by the same operations in the same order. Inputs and heads have a row of lanes each, layers a row of
outputs for each lane. Weights are packed for that (`hamlet.launch.cpu.packed`). */

#ifndef HAMLET_NETWORKS_H
#define HAMLET_NETWORKS_H

#include "elementary.h"

/* Lanes that are computed at once: as many as there are registers for. */
#if HAMLET_AVX512
#define TOGETHER 16
#else
#define TOGETHER 8
#endif
/* Outputs of a hidden layer, at most; and from those of a lane to those of the next, with room for what is remembered. */
#define WIDTH 64
#define PITCH (2 * WIDTH)
/* Inputs that a word of flags has. */
#define FLAGS 32
/* Lanes that go through a layer before the next one: while a part of its weights is in the first cache. */
#ifndef BATCH
#define BATCH 32
#endif
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

/* Inputs and heads of lanes: those of lane i of a chunk are i numbers behind. Rows are `pitch` apart. */
typedef struct {
    const f32 *x;
    u32 *flags;
    f32 *heads;
    ix pitch;
} seen_lanes;

HAMLET_INLINE seen_lanes from_lane(seen_lanes of, ix lane) {
    return (seen_lanes){of.x + lane, of.flags + lane, of.heads + lane, of.pitch};
}

/* Numbers of the weights and biases of a layer. */
HAMLET_INLINE ix packed_size(ix inputs, ix outputs) { return (inputs + 1) * ((outputs + WIDE - 1) / WIDE * WIDE); }

/* --- the first layer ------------------------------------------------------------------------------------------------*/

/* Set in rows of words, each of which has a bit for FLAGS rows of x, the bits of those that are not `other`, or not 0. */
HAMLET_HELPER void flag_inputs(const f32 *x, const f32 *other, ix rows, ix pitch, ix count, u32 *flags) {
    for (ix first = 0; first < rows; first += FLAGS, flags += pitch) {
        ix end = min_ix(rows, first + FLAGS);
        for (ix lane = 0; lane < count; lane += WIDE) {
            vu32 set = alike_vu32(0);
            for (ix row = first; row < end; row++) {
                vf32 left = fetch_vf32(x, row * pitch + lane), right = alike_vf32(0.0f);
                if (other != NULL) right = fetch_vf32(other, row * pitch + lane);
                vu32 flag = alike_vu32(1u << (row - first));
                set = bit_or_vu32(set, where_vu32(equal_vf32(left, right), alike_vu32(0), flag));
            }
            store_vu32(flags, lane, set);
        }
    }
}

/* Vectors with names: compilers keep those in registers, and arrays of vectors in memory. */
#define SPAN (4 * WIDE)
#define FOR_VECTORS(f) f(0) f(1) f(2) f(3)
#define A_VECTOR(number) vf32 v##number;
#define A_POINTER(number) const f32 *v##number;

/* SPAN outputs of a lane. */
typedef struct {
    FOR_VECTORS(A_VECTOR)
} span;

/* Where the weights of a span are; of outputs that there are not those of the last ones. */
typedef struct {
    FOR_VECTORS(A_POINTER)
} span_weights;

/* The first output of a vector of a span. */
HAMLET_INLINE ix of_vector(ix number, ix output, ix outputs) {
    return min_ix(output + number * WIDE, (outputs - 1) / WIDE * WIDE);
}
HAMLET_INLINE span_weights weights_of(const f32 *weights, ix inputs, ix outputs, ix output) {
    span_weights at;
#define AT(number) at.v##number = weights + of_vector(number, output, outputs) * (inputs + 1);
    FOR_VECTORS(AT)
    return at;
}
HAMLET_INLINE span biases(span_weights at) {
    span totals;
#define BEGIN(number) totals.v##number = fetch_vf32(at.v##number, 0);
    FOR_VECTORS(BEGIN)
    return totals;
}
HAMLET_INLINE span with_input(span totals, span_weights at, ix input, f32 x) {
    vf32 value = alike_vf32(x);
    ix place = (input + 1) * WIDE;
#define ADD(number) totals.v##number = fma_vf32(value, fetch_vf32(at.v##number, place), totals.v##number);
    FOR_VECTORS(ADD)
    return totals;
}
HAMLET_INLINE void store_span(f32 *y, ix outputs, ix output, span totals) {
#define STORE(number) store_vf32(y, of_vector(number, output, outputs), totals.v##number);
    FOR_VECTORS(STORE)
}

/* What a hidden layer passes on of its sums. */
HAMLET_INLINE vf32 passed_vf32(vf32 sum, ix activation) {
    const vf32 zero = alike_vf32(0.0f);
    return activation == TANH ? tanh_vf32(sum) : where_vf32(less_vf32(zero, sum), sum, zero);
}

/* What a hidden layer passes on of a span: while a CPU computes it, it begins with the next lane. Of whole spans as many
vectors take turns as there are registers for: none of them has to wait for itself. */
#define TAKE(number) vf32 x##number = totals.v##number;
#define GIVE(number) store_vf32(y, output + (number) * WIDE, x##number);
#define IN_TURNS(some) some(TAKE) TANH_OF(some) some(GIVE)
#define FIRST_TWO(f) f(0) f(1)
#define LAST_TWO(f) f(2) f(3)
HAMLET_INLINE void pass_span(f32 *y, ix outputs, ix output, span totals, ix activation) {
    if (activation == TANH && output + SPAN <= outputs) {
#if HAMLET_AVX512
        IN_TURNS(FOR_VECTORS)
#else
        IN_TURNS(FIRST_TWO) IN_TURNS(LAST_TWO)
#endif
        return;
    }
#define PASS(number)                         \
    if (output + (number) * WIDE < outputs) \
        store_vf32(y, output + (number) * WIDE, passed_vf32(totals.v##number, activation));
    FOR_VECTORS(PASS)
}

/* The flags of as many inputs from `first` on as two words have: each loop over some is left at a place that no CPU knows
before. */
HAMLET_INLINE u64 two_words(const u32 *flags, ix first, ix inputs, ix pitch) {
    const u32 *word = flags + first / FLAGS * pitch;
    return first + FLAGS < inputs ? *word | (u64)word[pitch] << FLAGS : *word;
}

/* Add the terms of the inputs of a lane that are not 0. */
HAMLET_INLINE span with_inputs(span totals, span_weights at, seen_lanes of, ix inputs) {
    for (ix first = 0; first < inputs; first += 2 * FLAGS)
        for (u64 set = two_words(of.flags, first, inputs, of.pitch); set != 0; set = without_lowest(set)) {
            ix input = first + lowest(set);
            totals = with_input(totals, at, input, of.x[input * of.pitch]);
        }
    return totals;
}

/* The same for two spans. */
typedef struct {
    span first, second;
} two_spans;
HAMLET_INLINE two_spans with_inputs_of_two(
    two_spans totals, span_weights at, span_weights beside, seen_lanes of, ix inputs) {
    for (ix first = 0; first < inputs; first += 2 * FLAGS)
        for (u64 set = two_words(of.flags, first, inputs, of.pitch); set != 0; set = without_lowest(set)) {
            ix input = first + lowest(set);
            f32 x = of.x[input * of.pitch];
            totals.first = with_input(totals.first, at, input, x);
            totals.second = with_input(totals.second, beside, input, x);
        }
    return totals;
}

/* What the first layer passes on of a lane. Where a span is not all of it, two go through the inputs together: half as
many loops are left, and twice as many sums are under way. */
HAMLET_INLINE void first_layer(seen_lanes of, f32 *y, const f32 *weights, ix inputs, ix outputs, ix activation) {
    ix output = 0;
    for (; SPAN < WIDTH && output + SPAN < outputs; output += 2 * SPAN) {
        span_weights at = weights_of(weights, inputs, outputs, output);
        span_weights beside = weights_of(weights, inputs, outputs, output + SPAN);
        two_spans totals = with_inputs_of_two((two_spans){biases(at), biases(beside)}, at, beside, of, inputs);
        pass_span(y, outputs, output, totals.first, activation);
        pass_span(y, outputs, output + SPAN, totals.second, activation);
    }
    for (; output < outputs; output += SPAN) {
        span_weights at = weights_of(weights, inputs, outputs, output);
        pass_span(y, outputs, output, with_inputs(biases(at), at, of, inputs), activation);
    }
}

/* --- the layers behind it -------------------------------------------------------------------------------------------*/

#if TOGETHER == 16
#define FOR_LANES(f) \
    f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
#else
#define FOR_LANES(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#endif
#define BEGIN_LANE(lane) vf32 total##lane = fetch_vf32(weights, 0);
#define ADD_TO_LANE(lane) total##lane = fma_vf32(alike_vf32(x[(lane) * PITCH + input]), weight, total##lane);
#define STORE_LANE(lane) store_vf32(y, (lane) * pitch, total##lane);

/* A vector of outputs of TOGETHER lanes. Weights are the biases, then for each input a weight of each output. */
HAMLET_INLINE void layer_of_lanes(const f32 *x, f32 *y, ix pitch, const f32 *weights, ix inputs) {
    FOR_LANES(BEGIN_LANE)
    for (ix input = 0; input < inputs; input++) {
        vf32 weight = fetch_vf32(weights, (input + 1) * WIDE);
        FOR_LANES(ADD_TO_LANE)
    }
    FOR_LANES(STORE_LANE)
}

/* Two vectors of outputs of four lanes, which load less for as many products where a product takes no number from memory to
all of its places by itself. */
#if !HAMLET_AVX512
#define FOUR_LANES 4
#define FOR_FOUR(f) f(0) f(1) f(2) f(3)
#define BEGIN_TWO(lane) vf32 left##lane = fetch_vf32(weights, 0), right##lane = fetch_vf32(beside, 0);
#define ADD_TO_TWO(lane)                                   \
    const vf32 x##lane = alike_vf32(x[(lane) * PITCH + input]); \
    left##lane = fma_vf32(x##lane, weight, left##lane);     \
    right##lane = fma_vf32(x##lane, other, right##lane);
#define STORE_TWO(lane)                          \
    store_vf32(y, (lane) * PITCH, left##lane);   \
    store_vf32(y, (lane) * PITCH + WIDE, right##lane);
HAMLET_INLINE void two_of_lanes(const f32 *x, f32 *y, const f32 *weights, const f32 *beside, ix inputs) {
    FOR_FOUR(BEGIN_TWO)
    for (ix input = 0; input < inputs; input++) {
        vf32 weight = fetch_vf32(weights, (input + 1) * WIDE), other = fetch_vf32(beside, (input + 1) * WIDE);
        FOR_FOUR(ADD_TO_TWO)
    }
    FOR_FOUR(STORE_TWO)
}
#endif

/* Heads have few rows, and of a vector of which half is empty all would be computed: this is the lower half of a vector
of outputs of TOGETHER lanes, into vectors. */
#if HAMLET_AVX512 && WIDE == 16
#define HALF 8
#define BEGIN_HALF(lane) __m256 total##lane = _mm256_loadu_ps(weights);
#define ADD_TO_HALF(lane) \
    total##lane = _mm256_fmadd_ps(_mm256_set1_ps(x[(lane) * PITCH + input]), weight, total##lane);
#define STORE_HALF(lane) _mm256_storeu_ps(y + (lane) * WIDE, total##lane);
HAMLET_INLINE void half_of_lanes(const f32 *x, f32 *y, const f32 *weights, ix inputs) {
    FOR_LANES(BEGIN_HALF)
    for (ix input = 0; input < inputs; input++) {
        __m256 weight = _mm256_loadu_ps(weights + (input + 1) * WIDE);
        FOR_LANES(ADD_TO_HALF)
    }
    FOR_LANES(STORE_HALF)
}

/* The numbers of TOGETHER lanes, a vector for each, as at most HALF rows of lanes. */
#define FOUR(f) f(0) f(1) f(2) f(3)
#define OF_LANE(lane) _mm256_castps_pd(_mm256_loadu_ps(from + (lane) * WIDE))
#define PAIR(lane) \
    _mm512_castpd_ps(_mm512_insertf64x4(_mm512_castpd256_pd512(OF_LANE(lane)), OF_LANE((lane) + 4), 1))
#define PAIRS(each) __m512 early##each = PAIR(each), late##each = PAIR(8 + each);
#define MIXED(when, half, left, right)                                               \
    const __m512d when##half##left = _mm512_castps_pd(_mm512_unpack##half##_ps(when##left, when##right));
#define PLACED(half, column, by)                                                                          \
    const __m512 early_##column = _mm512_castpd_ps(_mm512_unpack##half##_pd(early##by##0, early##by##2)), \
                 late_##column = _mm512_castpd_ps(_mm512_unpack##half##_pd(late##by##0, late##by##2));
#define LEAVE(column)                                                                                          \
    if (column < rows)                                                                                         \
        _mm512_storeu_ps(to + (column) * pitch, _mm512_shuffle_f32x4(early_##column, late_##column, 0x88));     \
    if (column + 4 < rows)                                                                                     \
        _mm512_storeu_ps(to + (column + 4) * pitch, _mm512_shuffle_f32x4(early_##column, late_##column, 0xDD));
HAMLET_INLINE void turn_half(const f32 *from, f32 *to, ix pitch, ix rows) {
    FOUR(PAIRS)
    MIXED(early, lo, 0, 1) MIXED(early, hi, 0, 1) MIXED(early, lo, 2, 3) MIXED(early, hi, 2, 3)
    MIXED(late, lo, 0, 1) MIXED(late, hi, 0, 1) MIXED(late, lo, 2, 3) MIXED(late, hi, 2, 3)
    PLACED(lo, 0, lo) PLACED(hi, 1, lo) PLACED(lo, 2, hi) PLACED(hi, 3, hi)
    FOUR(LEAVE)
}
#else
#define HALF 0
HAMLET_INLINE void half_of_lanes(const f32 *x, f32 *y, const f32 *weights, ix inputs) {
    layer_of_lanes(x, y, WIDE, weights, inputs);
}
HAMLET_INLINE void turn_half(const f32 *from, f32 *to, ix pitch, ix rows) {
    (void)from, (void)to, (void)pitch, (void)rows;
}
#endif

/* SPAN outputs of one lane. */
HAMLET_INLINE span layer_of_lane(const f32 *x, span_weights at, ix inputs) {
    span totals = biases(at);
    for (ix input = 0; input < inputs; input++) totals = with_input(totals, at, input, x[input]);
    return totals;
}

/* All outputs of so many lanes. */
HAMLET_INLINE void layer_of(const f32 *x, f32 *y, const f32 *weights, ix inputs, ix outputs, ix count) {
    ix whole = count / TOGETHER * TOGETHER, output = 0;
#if !HAMLET_AVX512
    for (; output + WIDE < outputs; output += 2 * WIDE) {
        const f32 *part = weights + output * (inputs + 1), *beside = part + WIDE * (inputs + 1);
        for (ix lane = 0; lane < whole; lane += FOUR_LANES)
            two_of_lanes(x + lane * PITCH, y + lane * PITCH + output, part, beside, inputs);
    }
#endif
    for (; output < outputs; output += WIDE)
        for (ix lane = 0; lane < whole; lane += TOGETHER)
            layer_of_lanes(x + lane * PITCH, y + lane * PITCH + output, PITCH, weights + output * (inputs + 1), inputs);
    for (ix lane = whole; lane < count; lane++)
        for (ix output = 0; output < outputs; output += SPAN) {
            span_weights at = weights_of(weights, inputs, outputs, output);
            store_span(y + lane * PITCH, outputs, output, layer_of_lane(x + lane * PITCH, at, inputs));
        }
}

/* The heads, lane `step` behind lane; `room` has a vector for each. */
HAMLET_INLINE void heads_of(
    const f32 *x, seen_lanes of, ix step, const f32 *weights, ix inputs, ix rows, ix count, f32 *room) {
    ix whole = count / TOGETHER * TOGETHER;
    for (ix row = 0; row < rows; row += WIDE) {
        ix turned = 0;
        const f32 *part = weights + row * (inputs + 1);
        span_weights at = weights_of(part, inputs, 1, 0);
        if (rows - row <= HALF)
            for (ix lane = 0; lane < whole; lane += TOGETHER)
                half_of_lanes(x + lane * PITCH, room + lane * WIDE, part, inputs);
        else
            for (ix lane = 0; lane < whole; lane += TOGETHER)
                layer_of_lanes(x + lane * PITCH, room + lane * WIDE, WIDE, part, inputs);
        for (ix lane = whole; lane < count; lane++)
            store_vf32(room, lane * WIDE, layer_of_lane(x + lane * PITCH, at, inputs).v0);
        if (rows - row <= HALF && step == 1)
            for (; turned < whole; turned += TOGETHER)
                turn_half(room + turned * WIDE, of.heads + row * of.pitch + turned, of.pitch, rows - row);
        for (ix each = 0; each < WIDE && row + each < rows; each++)
            for (ix lane = turned; lane < count; lane++)
                of.heads[(row + each) * of.pitch + lane * step] = room[lane * WIDE + each];
    }
}

/* What a later layer passes on, of so many lanes. */
HAMLET_INLINE void activate(f32 *y, ix outputs, ix count, ix activation) {
    for (ix lane = 0; lane < count; lane++, y += PITCH)
        for (ix output = 0; output < outputs; output += SPAN) {
            span totals;
#define FETCH(number) totals.v##number = fetch_vf32(y, of_vector(number, output, outputs));
            FOR_VECTORS(FETCH)
            pass_span(y, outputs, output, totals, activation);
        }
}

/* The heads of so many lanes, at most BATCH, by the weights of a member. `room` has BATCH rows of outputs for two
hidden layers, and BATCH vectors. */
HAMLET_HELPER void evaluate_batch(
    const network *net, const f32 *weights, seen_lanes of, ix step, ix count, f32 *room) {
    ix last = net->sizes.rows - 1, inputs = net->sizes.data[0], outputs = net->sizes.data[1];
    f32 *x = room, *y = room + BATCH * PITCH, *rest = y + BATCH * PITCH;
    for (ix lane = 0; lane < count; lane++)
        first_layer(from_lane(of, lane * step), x + lane * PITCH, weights, inputs, outputs, net->activation);
    for (ix layer = 1; layer < last; layer++) {
        f32 *before = x;
        if (layer > 1) activate(x, outputs, count, net->activation);
        weights += packed_size(inputs, outputs);
        inputs = outputs, outputs = net->sizes.data[layer + 1];
        if (layer == last - 1) {
            heads_of(x, of, step, weights, inputs, outputs, count, rest);
            return;
        }
        layer_of(x, y, weights, inputs, outputs, count);
        x = y, y = before;
    }
}

/* The heads of `count` lanes that share a member, `step` lanes from each other. Where lanes lie side by side, their flags
are set while they are in the first cache; who has others sets them before. */
HAMLET_HELPER void evaluate_lanes(
    const network *net, const f32 *weights, seen_lanes of, ix step, ix count, f32 *room) {
    for (ix lane = 0; lane < count; lane += BATCH) {
        seen_lanes part = from_lane(of, lane * step);
        ix together = min_ix(BATCH, count - lane);
        if (step == 1) flag_inputs(part.x, NULL, net->sizes.data[0], of.pitch, together, part.flags);
        evaluate_batch(net, weights, part, step, together, room);
    }
}

/* The words of the random policy for a tick and its three neighbours, of which the first has a number that 4 divides, of
WIDE lanes by their numbers. */
HAMLET_INLINE drawn_words policy_words(vu32 lanes, u32 tick, u32 low, u32 high) {
    return philox(lanes, alike_vu32(tick >> 2), alike_vu32(1), alike_vu32(0), low, high);
}

/* The actions of WIDE lanes, drawn by their random words where `sample` is set, and the logarithms of their
probabilities, where `log_prob` is not NULL. `weights` is room for WIDE numbers of each action. */
HAMLET_INLINE void choose(
    const f32 *heads, const bool8 *masks, ix pitch, ix actions, bool sample, vu32 word, i32 *action, f32 *log_prob, f32 *weights) {
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
        vf32 point = multiply_vf32(share_vu32(word, 0), total), running = zero;
        chosen = alike_vi32(0);
        for (ix number = 0; number < actions; number++) {
            running = add_vf32(running, fetch_vf32(weights, number * WIDE));
            chosen = where_vi32(less_equal_vf32(running, point), add_vi32(chosen, alike_vi32(1)), chosen);
        }
    }
    store_vi32(action, 0, chosen);
    if (log_prob == NULL) return;
    for (ix number = 0; number < actions; number++) {
        vbool picked = equal_vi32(chosen, alike_vi32((i32)number));
        above = where_vf32(picked, subtract_vf32(fetch_vf32(heads, number * pitch), best), above);
    }
    store_vf32(log_prob, 0, subtract_vf32(above, log_from_1_vf32(total)));
}

#endif
