/* The policy over the actions of a block of samples, and the loss of PPO with its derivatives, vector after vector.

Rows of these arrays are actions, columns are samples. With max the greatest allowed logit, `share` is
exp(logit - max), 0 where the action is not allowed; their sum goes over ascending actions. The logarithm of a probability
is (logit - max) - log(sum). */

#ifndef HAMLET_TRAIN_LOSS_H
#define HAMLET_TRAIN_LOSS_H

#include "perceptron.h"

enum { POLICY_LOSS, VALUE_LOSS, ENTROPY, CLIPPED, DIVERGENCE, LOSSES };

#define ZERO alike_vf32(0.0f)
#define HALF alike_vf32(0.5f)
#define ONE alike_vf32(1.0f)

/* Those of WIDE samples of a row. */
#define OF(array, row, index) fetch_vf32(array, (row) * BLOCK + (index))

/* The shares [count, BLOCK] of actions, and in `best` and `total` [BLOCK] their greatest logit and their sum. `kept` is 1
where an action is allowed, else 0. */
static void softmax(const f32 *logits, const f32 *kept, f32 *shares, f32 *best, f32 *total, ix count) {
    for (ix index = 0; index < BLOCK; index += WIDE) {
        vf32 greatest = add_vf32(multiply_vf32(OF(logits, 0, index), ZERO), alike_vf32(-3.0e38f)), summed;
        for (ix action = 0; action < count; action++) {
            vf32 logit = OF(logits, action, index);
            vbool allowed = equal_vf32(OF(kept, action, index), ONE);
            greatest = where_vf32(bit_and_vbool(allowed, less_vf32(greatest, logit)), logit, greatest);
        }
        summed = multiply_vf32(greatest, ZERO);
        for (ix action = 0; action < count; action++) {
            vf32 share = exp_vf32(subtract_vf32(OF(logits, action, index), greatest));
            share = where_vf32(equal_vf32(OF(kept, action, index), ONE), share, ZERO);
            store_vf32(shares, action * BLOCK + index, share);
            summed = add_vf32(summed, share);
        }
        store_vf32(best, index, greatest);
        store_vf32(total, index, summed);
    }
}

/* Replace random numbers `point`, 0 .. 1 without 1, by the numbers of actions: the first action up to which the shares
add up to more than point * sum. The logarithms of their probabilities come into `taken`. */
static void draw_actions(
    const f32 *logits, const f32 *shares, const f32 *best, const f32 *total, f32 *point, f32 *taken, ix count) {
    for (ix index = 0; index < BLOCK; index += WIDE) {
        vf32 summed = fetch_vf32(total, index), aim = multiply_vf32(fetch_vf32(point, index), summed);
        vf32 reached = multiply_vf32(summed, ZERO), number = reached, logit = reached;
        for (ix action = 0; action < count; action++) {
            reached = add_vf32(reached, OF(shares, action, index));
            number = add_vf32(number, where_vf32(less_equal_vf32(reached, aim), ONE, ZERO));
        }
        for (ix action = 0; action < count; action++) {
            vbool is_it = equal_vf32(number, alike_vf32((f32)action));
            logit = where_vf32(is_it, OF(logits, action, index), logit);
        }
        store_vf32(point, index, number);
        store_vf32(taken, index, subtract_vf32(subtract_vf32(logit, fetch_vf32(best, index)), log_vf32(summed)));
    }
}

/* The allowed action of a lane with the highest logit; of several the one with the smallest number. */
static ix likeliest(const f32 *logits, const f32 *kept, ix lane, ix count) {
    ix chosen = -1;
    for (ix action = 0; action < count; action++) {
        ix here = action * BLOCK + lane;
        if (kept[here] != 0.0f && (chosen < 0 || logits[here] > logits[chosen * BLOCK + lane])) chosen = action;
    }
    return chosen;
}

/* What `clipped_loss` is given of a block; each but logits and shares is [BLOCK]. `taken` has the actions, `likely` the
logarithms of the densities of controls (0 without controls), in whose place come the derivatives by them, `before` the
logarithm of the chance that both had, `gain` normalised advantages, `aim` what values should be, `live` 1 for samples and
0 for what fills up a block. */
typedef struct {
    f32 *logits;
    const f32 *shares, *best, *total, *taken, *before, *gain, *aim, *live;
    f32 *value, *likely, *noted;
} samples;

/* The range of ratios, and the weights of the entropy and of the value's loss. */
typedef struct {
    f32 clip, entropy, worth;
} weighting;

/* The losses of samples (Schulman et al. 2017), [LOSSES, BLOCK] in `noted`, and in the place of logits and values the
derivatives by them. */
static void clipped_loss(samples of, weighting by, ix count) {
    const vf32 least_ratio = subtract_vf32(ONE, alike_vf32(by.clip)), most_ratio = add_vf32(ONE, alike_vf32(by.clip));
    for (ix index = 0; index < BLOCK; index += WIDE) {
        vf32 greatest = fetch_vf32(of.best, index), summed = fetch_vf32(of.total, index), shrink = log_vf32(summed);
        vf32 action_taken = fetch_vf32(of.taken, index), chance = multiply_vf32(summed, ZERO), chaos = chance;
        vf32 moved, ratio, advantage, least, within, plain, limited, weight, error;
        vbool present = equal_vf32(fetch_vf32(of.live, index), ONE), follows;
        for (ix action = 0; action < count; action++) {
            vf32 share = OF(of.shares, action, index), less;
            vf32 surprise = subtract_vf32(subtract_vf32(OF(of.logits, action, index), greatest), shrink);
            chance = where_vf32(equal_vf32(action_taken, alike_vf32((f32)action)), surprise, chance);
            /* A share of 0 has the entropy 0, whatever the logit. */
            less = fma_vf32(negate_vf32(divide_vf32(share, summed)), surprise, chaos);
            chaos = where_vf32(equal_vf32(share, ZERO), chaos, less);
        }
        moved = subtract_vf32(add_vf32(chance, fetch_vf32(of.likely, index)), fetch_vf32(of.before, index));
        ratio = exp_vf32(moved);
        advantage = fetch_vf32(of.gain, index);
        least = where_vf32(less_vf32(ratio, least_ratio), least_ratio, ratio);
        within = where_vf32(less_vf32(most_ratio, ratio), most_ratio, least);
        plain = multiply_vf32(ratio, advantage);
        limited = multiply_vf32(within, advantage);
        follows = less_equal_vf32(plain, limited);
        weight = where_vf32(follows, negate_vf32(plain), ZERO);
        store_vf32(of.likely, index, where_vf32(present, weight, ZERO));
        for (ix action = 0; action < count; action++) {
            vf32 share = OF(of.shares, action, index), probability = divide_vf32(share, summed), slope, one;
            vf32 surprise = subtract_vf32(subtract_vf32(OF(of.logits, action, index), greatest), shrink);
            one = where_vf32(equal_vf32(action_taken, alike_vf32((f32)action)), ONE, ZERO);
            slope = multiply_vf32(weight, subtract_vf32(one, probability));
            slope = fma_vf32(
                multiply_vf32(alike_vf32(by.entropy), probability), add_vf32(surprise, chaos), slope);
            /* An action that is not allowed has no probability to lose. */
            slope = where_vf32(equal_vf32(share, ZERO), ZERO, slope);
            store_vf32(of.logits, action * BLOCK + index, where_vf32(present, slope, ZERO));
        }
        error = subtract_vf32(fetch_vf32(of.value, index), fetch_vf32(of.aim, index));
        store_vf32(of.value, index, where_vf32(present, multiply_vf32(alike_vf32(by.worth), error), ZERO));
        store_vf32(of.noted, POLICY_LOSS * BLOCK + index, negate_vf32(where_vf32(follows, plain, limited)));
        store_vf32(of.noted, VALUE_LOSS * BLOCK + index, multiply_vf32(HALF, multiply_vf32(error, error)));
        store_vf32(of.noted, ENTROPY * BLOCK + index, chaos);
        store_vf32(of.noted, CLIPPED * BLOCK + index, where_vf32(equal_vf32(within, ratio), ZERO, ONE));
        store_vf32(of.noted, DIVERGENCE * BLOCK + index, subtract_vf32(subtract_vf32(ratio, ONE), moved));
    }
}

#endif
