/* Controls as normally distributed numbers: their draws, how likely these were, and the derivatives of that.

The network gives the mean of each control, and a parameter the logarithm of its standard deviation, which is the same in
all states (Schulman et al. 2017). Both are in units of half the control's range, around its middle. What is drawn there, a
*raw* control, may lie out of the range: the environment is given the nearest number within, and the policy learns from the
density of what was drawn.

Rows of these arrays are controls, columns are samples. */

#ifndef HAMLET_TRAIN_CONTROLS_H
#define HAMLET_TRAIN_CONTROLS_H

#include "loss.h"

/* With a deviation of 1 the logarithm of a density is -score**2 / 2 - NORMALISER, its entropy 1 / 2 + NORMALISER:
log(2 * pi) / 2. */
#define NORMALISER 0x1.d67f1cp-1f

/* Raw controls of uniform random numbers, 0 < `first` <= 1 and 0 <= `second` < 1: mean + deviation * normal (Box and
Muller 1958). */
static void draw_controls(
    const f32 *means, const f32 *log_deviations, const f32 *first, const f32 *second, f32 *raw, ix count) {
    for (ix control = 0; control < count; control++) {
        vf32 deviation = exp_vf32(alike_vf32(log_deviations[control]));
        for (ix index = control * BLOCK; index < (control + 1) * BLOCK; index += WIDE) {
            vf32 length = multiply_vf32(log_vf32(fetch_vf32(first, index)), alike_vf32(-2.0f));
            vf32 turn = multiply_vf32(fetch_vf32(second, index), alike_vf32(0x1.921fb6p+2f));
            vf32 number = multiply_vf32(square_root_vf32(length), cos_vf32(turn));
            store_vf32(raw, index, add_vf32(fetch_vf32(means, index), multiply_vf32(number, deviation)));
        }
    }
}

/* Add the logarithms of the densities of all raw controls of a sample to `likely` [BLOCK], by ascending controls. In the
place of raw controls come their scores: how many deviations each lies from its mean. */
static void weigh_controls(const f32 *means, const f32 *log_deviations, f32 *raw, f32 *likely, ix count) {
    for (ix control = 0; control < count; control++) {
        f32 opposite = negate_f32(log_deviations[control]);
        vf32 narrow = exp_vf32(alike_vf32(opposite)), offset = alike_vf32(opposite - NORMALISER);
        for (ix index = 0; index < BLOCK; index += WIDE) {
            vf32 score = multiply_vf32(subtract_vf32(OF(raw, control, index), OF(means, control, index)), narrow);
            vf32 density = fma_vf32(multiply_vf32(score, score), negate_vf32(HALF), offset);
            store_vf32(likely, index, add_vf32(fetch_vf32(likely, index), density));
            store_vf32(raw, control * BLOCK + index, score);
        }
    }
}

/* Put the derivatives of the loss by means in their place. Those by `log_deviations` are added to `gradient` [count],
sample after sample, and the entropies to those noted. `weights` are the derivatives by the logarithms of what was
likely. */
static void slope_controls(
    f32 *means, const f32 *log_deviations, f32 *scores, const f32 *weights, const f32 *live, f32 entropy, f32 *gradient,
    f32 *noted, ix count) {
    for (ix control = 0; control < count; control++) {
        f32 log_deviation = log_deviations[control], sum = gradient[control];
        vf32 narrow = exp_vf32(alike_vf32(negate_f32(log_deviation)));
        vf32 chaos = alike_vf32(log_deviation + (0.5f + NORMALISER));
        for (ix index = 0; index < BLOCK; index += WIDE) {
            vf32 score = OF(scores, control, index), weight = fetch_vf32(weights, index);
            vf32 by_deviation = fma_vf32(score, score, negate_vf32(ONE));
            vbool present = equal_vf32(fetch_vf32(live, index), ONE);
            store_vf32(means, control * BLOCK + index, multiply_vf32(multiply_vf32(weight, score), narrow));
            by_deviation = fma_vf32(weight, by_deviation, alike_vf32(negate_f32(entropy)));
            store_vf32(scores, control * BLOCK + index, where_vf32(present, by_deviation, ZERO));
            store_vf32(noted, ENTROPY * BLOCK + index, add_vf32(OF(noted, ENTROPY, index), chaos));
        }
        for (ix index = 0; index < BLOCK; index++) sum += scores[control * BLOCK + index];
        gradient[control] = sum;
    }
}

#endif
