/* A step of Adam on all parameters, whose gradient was scaled down to a norm. */

#ifndef HAMLET_TRAIN_DESCENT_H
#define HAMLET_TRAIN_DESCENT_H

#include "elementary.h"

/* `hamlet_train.exact.kernels.CHAINS`. */
#define CHAINS 256

/* The sum of the squares of numbers, each multiplied by `share`, in CHAINS chains: chain c has the numbers c, c + CHAINS,
... in ascending order. Then the second half of the chains is added to the first one, until one is left. */
HAMLET_EXPORT double hamlet_train_squares(const f32 *numbers, ix count, double share) {
    double chains[CHAINS] = {0.0};
    for (ix begin = 0; begin < count; begin += CHAINS) {
        ix some = min_ix(count - begin, CHAINS);
        for (ix chain = 0; chain < some; chain++) {
            double number = (double)numbers[begin + chain] * share;
            chains[chain] += number * number;
        }
    }
    for (ix half = CHAINS / 2; half > 0; half /= 2)
        for (ix chain = 0; chain < half; chain++) chains[chain] += chains[chain + half];
    return chains[0];
}

/* Adam's numbers, alike for all parameters. */
typedef struct {
    vf32 factor, rate, first_decay, first_rest, second_decay, second_rest, first_bias, second_bias, least;
} adam;

/* A step of WIDE parameters. */
HAMLET_INLINE void descend_some(
    const adam *by, f32 *parameters, const f32 *gradient, f32 *first_moment, f32 *second_moment) {
    vf32 g = multiply_vf32(fetch_vf32(gradient, 0), by->factor), step;
    vf32 m = multiply_vf32(by->first_decay, fetch_vf32(first_moment, 0));
    vf32 v = multiply_vf32(by->second_decay, fetch_vf32(second_moment, 0));
    m = add_vf32(m, multiply_vf32(by->first_rest, g));
    v = add_vf32(v, multiply_vf32(by->second_rest, multiply_vf32(g, g)));
    store_vf32(first_moment, 0, m);
    store_vf32(second_moment, 0, v);
    step = add_vf32(square_root_vf32(divide_vf32(v, by->second_bias)), by->least);
    step = multiply_vf32(by->rate, divide_vf32(divide_vf32(m, by->first_bias), step));
    store_vf32(parameters, 0, subtract_vf32(fetch_vf32(parameters, 0), step));
}

HAMLET_EXPORT void hamlet_train_descend(
    f32 *parameters, const f32 *gradient, f32 *first_moment, f32 *second_moment, ix count, f32 factor, f32 rate,
    f32 first_decay, f32 second_decay, f32 first_bias, f32 second_bias, f32 least) {
    const adam by = {alike_vf32(factor), alike_vf32(rate), alike_vf32(first_decay), alike_vf32(1.0f - first_decay),
                     alike_vf32(second_decay), alike_vf32(1.0f - second_decay), alike_vf32(first_bias),
                     alike_vf32(second_bias), alike_vf32(least)};
    f32 *all[4] = {parameters, (f32 *)gradient, first_moment, second_moment}, rest[4][WIDE];
    ix whole = count / WIDE * WIDE;
    for (ix index = 0; index < whole; index += WIDE)
        descend_some(&by, parameters + index, gradient + index, first_moment + index, second_moment + index);
    if (whole == count) return;
    /* What is no whole vector has zeros behind it. */
    memset(rest, 0, sizeof rest);
    for (int each = 0; each < 4; each++) memcpy(rest[each], all[each] + whole, sizeof(f32) * (size_t)(count - whole));
    descend_some(&by, rest[0], rest[1], rest[2], rest[3]);
    for (int each = 0; each < 4; each++)
        if (each != 1) memcpy(all[each] + whole, rest[each], sizeof(f32) * (size_t)(count - whole));
}

#endif
