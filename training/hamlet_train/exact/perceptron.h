/* A multilayer perceptron with tanh between layers, forward and backward in a stated order, as
`hamlet_train.exact.network` says it. */

#ifndef HAMLET_TRAIN_PERCEPTRON_H
#define HAMLET_TRAIN_PERCEPTRON_H

#include "tiles.h"

/* Samples that go through a network together. */
#define BLOCK 64

/* A row of `Network.table`. */
typedef struct {
    ix inputs, rows, outputs, columns, weight, bias, back, held;
} layer;

typedef struct {
    const layer *layers;
    ix count;
} perceptron;

HAMLET_INLINE const layer *last_of(perceptron net) { return net.layers + net.count - 1; }

/* What all layers give for a block of inputs [BLOCK, row], into their places in `scratch`. */
static void forward(perceptron net, const f32 *parameters, const f32 *x, ix row, f32 *scratch) {
    for (ix number = 0; number < net.count; number++) {
        const layer *at = net.layers + number;
        f32 *y = scratch + at->held;
        factors of = {y, at->columns, parameters + at->bias, 0, x, row, 1, parameters + at->weight, at->columns};
        multiply(of, at->inputs, BLOCK, at->columns);
        if (number + 1 < net.count)
            for (ix index = 0; index < BLOCK * at->columns; index += WIDE)
                store_vf32(y, index, tanh_vf32(fetch_vf32(y, index)));
        x = y;
        row = at->columns;
    }
}

/* Add the gradients of a block to `gradient`, in which parameters lie as in `parameters`. `slopes` lies like `scratch` and
has the derivatives by what the last layer gave; those by what the others gave are left in it. */
static void backward(
    perceptron net, const f32 *transposed, const f32 *x, ix row, const f32 *scratch, f32 *slopes, f32 *gradient,
    const f32 *ones, const f32 *zeros) {
    for (ix number = net.count - 1; number >= 0; number--) {
        const layer *at = net.layers + number;
        const f32 *slope = slopes + at->held, *held = number > 0 ? scratch + net.layers[number - 1].held : x;
        f32 *weights = gradient + at->weight, *bias = gradient + at->bias;
        factors of_weights = {
            weights, at->columns, weights, at->columns, held, 1, number > 0 ? at->rows : row, slope, at->columns};
        factors of_bias = {bias, at->columns, bias, at->columns, ones, 0, 1, slope, at->columns};
        multiply(of_weights, BLOCK, at->rows, at->columns);
        multiply(of_bias, BLOCK, 1, at->columns);
        if (number > 0) {
            f32 *before = slopes + net.layers[number - 1].held;
            factors of = {before, at->rows, zeros, 0, slope, at->columns, 1, transposed + at->back, at->rows};
            multiply(of, at->outputs, BLOCK, at->rows);
            for (ix index = 0; index < BLOCK * at->rows; index += WIDE) {
                vf32 h = fetch_vf32(held, index), by = fma_vf32(negate_vf32(h), h, alike_vf32(1.0f));
                store_vf32(before, index, multiply_vf32(fetch_vf32(before, index), by));
            }
        }
    }
}

#endif
