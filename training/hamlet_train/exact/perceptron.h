/* A multilayer perceptron with tanh between layers, forward and backward in a stated order, as
`hamlet_train.exact.network` says it. */

#ifndef HAMLET_TRAIN_PERCEPTRON_H
#define HAMLET_TRAIN_PERCEPTRON_H

#include "tiles.h"

/* Samples that go through a network together. */
#define BLOCK 64

/* A row of `Network.table`. */
typedef struct {
    ix inputs, rows, outputs, columns, weight, bias, back, held, pitch;
} layer;

typedef struct {
    const layer *layers;
    ix count;
} perceptron;

HAMLET_INLINE const layer *last_of(perceptron net) { return net.layers + net.count - 1; }

/* How many numbers lie side by side in rows of a block, of so many columns: those of all rows where nothing lies between
them. Both are whole vectors: rows alone need not be. */
HAMLET_INLINE ix in_a_row(ix columns, ix pitch) { return pitch == columns ? BLOCK * columns : columns; }

/* What a layer gives for a block of inputs [BLOCK, row], before any tanh. */
HAMLET_INLINE void pass(const layer *at, const f32 *parameters, const f32 *x, ix row, f32 *y) {
    factors of = {y, at->pitch, parameters + at->bias, 0, x, row, 1, parameters + at->weight, at->columns};
    multiply(of, at->inputs, BLOCK, at->columns);
}

/* What the layers from `begin` to before `end` give for a block of inputs, into their places in `scratch`. */
static void forward_layers(
    perceptron net, ix begin, ix end, const f32 *parameters, const f32 *x, ix row, f32 *scratch) {
    for (ix number = begin; number < end; number++) {
        const layer *at = net.layers + number;
        f32 *y = scratch + at->held;
        ix side = in_a_row(at->columns, at->pitch), step = at->pitch == at->columns ? side : at->pitch;
        pass(at, parameters, x, row, y);
        if (number + 1 < net.count)
            for (ix begin = 0; begin < BLOCK * at->pitch; begin += step)
                for (ix column = begin; column < begin + side; column += WIDE)
                    store_vf32(y, column, tanh_vf32(fetch_vf32(y, column)));
        x = y;
        row = at->pitch;
    }
}

/* What all layers give. */
static void forward(perceptron net, const f32 *parameters, const f32 *x, ix row, f32 *scratch) {
    forward_layers(net, 0, net.count, parameters, x, row, scratch);
}

/* Add the gradients of a layer, whose inputs were `held` [BLOCK, row], to `gradient`. */
static void add_gradients(
    const layer *at, const f32 *held, ix row, const f32 *slope, f32 *gradient, const f32 *ones) {
    f32 *weights = gradient + at->weight, *bias = gradient + at->bias;
    factors of_weights = {weights, at->columns, weights, at->columns, held, 1, row, slope, at->pitch};
    factors of_bias = {bias, at->columns, bias, at->columns, ones, 0, 1, slope, at->pitch};
    multiply(of_weights, BLOCK, at->rows, at->columns);
    multiply(of_bias, BLOCK, 1, at->columns);
}

/* The derivatives by what a layer was given, into `before` [BLOCK, pitch], from a start on. */
static void pass_back(
    const layer *at, const f32 *transposed, const f32 *slope, const f32 *start, ix start_row, f32 *before, ix pitch) {
    factors of = {before, pitch, start, start_row, slope, at->pitch, 1, transposed + at->back, at->rows};
    multiply(of, at->outputs, BLOCK, at->rows);
}

/* The derivatives by what went into a tanh, of those by `held`, which came out of it. */
HAMLET_INLINE void through_tanh(const f32 *held, f32 *slope, ix columns, ix pitch) {
    ix side = in_a_row(columns, pitch), step = pitch == columns ? side : pitch;
    for (ix begin = 0; begin < BLOCK * pitch; begin += step)
        for (ix column = begin; column < begin + side; column += WIDE) {
            vf32 h = fetch_vf32(held, column), by = fma_vf32(negate_vf32(h), h, alike_vf32(1.0f));
            store_vf32(slope, column, multiply_vf32(fetch_vf32(slope, column), by));
        }
}

/* Add the gradients of a block to `gradient`, in which parameters lie as in `parameters`, down to those of the layer
`begin`, whose inputs are x. `slopes` lies like `scratch` and has the derivatives by what the last layer gave; those by
what the others gave are left in it. */
static void backward_layers(
    perceptron net, ix begin, const f32 *transposed, const f32 *x, ix row, const f32 *scratch, f32 *slopes,
    f32 *gradient, const f32 *ones, const f32 *zeros) {
    for (ix number = net.count - 1; number >= begin; number--) {
        const layer *at = net.layers + number, *under = number > begin ? at - 1 : NULL;
        const f32 *slope = slopes + at->held, *held = under != NULL ? scratch + under->held : x;
        add_gradients(at, held, under != NULL ? under->pitch : row, slope, gradient, ones);
        if (under != NULL) {
            f32 *before = slopes + under->held;
            pass_back(at, transposed, slope, zeros, 0, before, under->pitch);
            through_tanh(held, before, under->columns, under->pitch);
        }
    }
}

/* The same of all layers. */
static void backward(
    perceptron net, const f32 *transposed, const f32 *x, ix row, const f32 *scratch, f32 *slopes, f32 *gradient,
    const f32 *ones, const f32 *zeros) {
    backward_layers(net, 0, transposed, x, row, scratch, slopes, gradient, ones, zeros);
}

#endif
