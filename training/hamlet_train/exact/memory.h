/* Memory behind the first layer of a perceptron, forward and backward in a stated order, as `hamlet_train.exact.network`
says it.

Samples of a block that are ticks of the same lane follow each other, so a number that is remembered is one chain over
ascending samples. The gates depend on nothing that is remembered: their products are those of any other layer. */

#ifndef HAMLET_TRAIN_MEMORY_H
#define HAMLET_TRAIN_MEMORY_H

#include "perceptron.h"
#include "recall.h"

/* The layers of a network with a memory: `layer` 1 is that of its gates. */
enum { FIRST, GATES, SECOND };

/* See `hamlet_train.exact.store.Memory.table`. */
typedef struct {
    ix size, values;
    f32 *hidden, *before;
    i32 *acted;
    f32 *first;
    u8 *begins;
    const i32 *age;
    const f32 *nothing;
} memory;

/* What an action changed before this tick is not known of a lane that has done nothing, and at the beginning of an
episode it is not asked for. */
HAMLET_INLINE bool is_fresh(const memory *of, ix lane, ix place) { return of->acted[lane] < 0 || of->age[place] == 0; }

/* The inputs of a lane behind its observation: what has changed in it, and which action it took. */
static void sense(const memory *of, f32 *x, ix lane, ix actions, bool fresh) {
    const f32 *before = of->before + lane * of->values;
    f32 *changed = x + of->values, *acted = changed + of->values;
    memset(changed, 0, sizeof(f32) * (size_t)(of->values + actions));
    if (fresh) return;
    for (ix value = 0; value < of->values; value++) changed[value] = (x[value] - before[value]) * CHANGE;
    acted[of->acted[lane]] = 1.0f;
}

/* The place in `held` of what a sample of a block remembers: behind what the first layer gives. */
HAMLET_INLINE f32 *remembered_at(perceptron net, f32 *held, ix index) {
    const layer *at = net.layers + FIRST;
    return held + at->held + index * at->pitch + at->outputs;
}

/* What samples remember, from what was remembered before each of them; that of a sample may be that of the one before. */
static void recall(perceptron net, f32 *held, const f32 *const *before, ix size) {
    const layer *at = net.layers + GATES;
    for (ix index = 0; index < BLOCK; index++) {
        f32 *gates = held + at->held + index * at->pitch, *news = gates + size, *now = remembered_at(net, held, index);
        for (ix place = 0; place < size; place += WIDE) {
            vf32 gate = sigmoid_vf32(fetch_vf32(gates, place)), fresh = tanh_vf32(fetch_vf32(news, place));
            store_vf32(gates, place, gate);
            store_vf32(news, place, fresh);
            store_vf32(now, place, recalled_vf32(gate, fresh, fetch_vf32(before[index], place)));
        }
    }
}

/* Put the derivatives by gates and news into `slopes`, last sample first, of those by what is remembered; these go on to
the sample before where that is what was remembered. */
static void recall_back(perceptron net, f32 *held, f32 *slopes, const f32 *const *before, ix size) {
    const layer *at = net.layers + GATES;
    const vf32 one = alike_vf32(1.0f);
    for (ix index = BLOCK - 1; index >= 0; index--) {
        const f32 *gates = held + at->held + index * at->pitch, *news = gates + size;
        f32 *of_gates = slopes + at->held + index * at->pitch, *of_news = of_gates + size;
        const f32 *slope = remembered_at(net, slopes, index);
        bool goes_on = index > 0 && before[index] == remembered_at(net, held, index - 1);
        for (ix place = 0; place < size; place += WIDE) {
            vf32 by = fetch_vf32(slope, place), gate = fetch_vf32(gates, place), fresh = fetch_vf32(news, place);
            vf32 weighed = multiply_vf32(by, subtract_vf32(fresh, fetch_vf32(before[index], place)));
            store_vf32(of_gates, place, multiply_vf32(weighed, fma_vf32(negate_vf32(gate), gate, gate)));
            store_vf32(
                of_news, place, multiply_vf32(multiply_vf32(by, gate), fma_vf32(negate_vf32(fresh), fresh, one)));
            if (goes_on) {
                f32 *earlier = remembered_at(net, slopes, index - 1);
                vf32 kept = fma_vf32(by, subtract_vf32(one, gate), fetch_vf32(earlier, place));
                store_vf32(earlier, place, kept);
            }
        }
    }
}

/* What a lane remembers after a tick, in which it saw the observation x. */
static void remember(const memory *of, ix lane, const f32 *x, i32 action, const f32 *now) {
    memcpy(of->hidden + lane * of->size, now, sizeof(f32) * (size_t)of->size);
    memcpy(of->before + lane * of->values, x, sizeof(f32) * (size_t)of->values);
    of->acted[lane] = action;
}

/* Note for learning what a lane remembered before the first tick of a store, and in which ticks it began anew. */
static void note_start(const memory *of, ix lane, ix tick, ix ticks, const f32 *before, bool fresh) {
    of->begins[lane * ticks + tick] = fresh;
    if (tick == 0) memcpy(of->first + lane * of->size, before, sizeof(f32) * (size_t)of->size);
}

/* What was remembered before a sample of a block, the one at `place` of a store. */
static const f32 *before_sample(perceptron net, f32 *held, const memory *of, ix place, ix ticks, ix index) {
    if (of->begins[place] != 0) return of->nothing;
    if (place % ticks == 0) return of->first + place / ticks * of->size;
    return remembered_at(net, held, index - 1);
}

/* As `forward`, of a network that remembers; `before` has what was remembered before each sample. */
static void forward_remembering(
    perceptron net, const f32 *parameters, const f32 *x, ix row, f32 *held, const f32 *const *before, ix size) {
    const layer *first = net.layers + FIRST, *gates = net.layers + GATES;
    const f32 *y = held + first->held;
    forward_layers(net, FIRST, GATES, parameters, x, row, held);
    pass(gates, parameters, y, first->pitch, held + gates->held);
    recall(net, held, before, size);
    forward_layers(net, SECOND, net.count, parameters, y, first->pitch, held);
}

/* As `backward`. */
static void backward_remembering(
    perceptron net, const f32 *transposed, const f32 *x, ix row, f32 *held, f32 *slopes, f32 *gradient,
    const f32 *ones, const f32 *zeros, const f32 *const *before, ix size) {
    const layer *first = net.layers + FIRST, *gates = net.layers + GATES, *second = net.layers + SECOND;
    const f32 *y = held + first->held;
    f32 *slope = slopes + first->held;
    backward_layers(net, SECOND, transposed, y, first->pitch, held, slopes, gradient, ones, zeros);
    pass_back(second, transposed, slopes + second->held, zeros, 0, slope, first->pitch);
    recall_back(net, held, slopes, before, size);
    add_gradients(gates, y, first->pitch, slopes + gates->held, gradient, ones);
    pass_back(gates, transposed, slopes + gates->held, slope, first->pitch, slope, first->pitch);
    through_tanh(y, slope, first->outputs, first->pitch);
    add_gradients(first, x, row, slope, gradient, ones);
}

#endif
