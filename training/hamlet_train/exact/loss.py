"""The policy over the actions of a block of samples, and the loss of PPO with its derivatives, vector after vector.

Rows of these arrays are actions, columns are samples. With max the greatest allowed logit, `share` is exp(logit - max),
0 where the action is not allowed; their sum goes over ascending actions. The logarithm of a probability is
(logit - max) - log(sum).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamlet.launch.cpu.ops import WIDE, fma, helper, part, where, wide
from hamlet_train.exact.functions import HALF, ONE, ZERO, exp, log
from hamlet_train.exact.network import BLOCK

LOWEST = np.float32(-3.0e38)

POLICY_LOSS, VALUE_LOSS, ENTROPY, CLIPPED, DIVERGENCE = range(5)
LOSSES = 5
"""What `clipped_loss` notes of each sample: the two losses, the entropy, whether the ratio was clipped, and an estimate
of the divergence from the policy that acted (Schulman 2020: (ratio - 1) - log(ratio))."""


@helper
def softmax(logits: Any, kept: Any, shares: Any, best: Any, total: Any, count: Any) -> None:
    """The shares [count, BLOCK] of actions, and in `best` and `total` [BLOCK] their greatest logit and their sum.
    `kept` is 1 where an action is allowed, else 0."""
    for index in range(0, BLOCK, WIDE):
        greatest = part(logits, 0, 0)[wide(index)] * ZERO + LOWEST
        for action in range(count):
            logit = part(logits, 0, action * BLOCK)[wide(index)]
            allowed = part(kept, 0, action * BLOCK)[wide(index)] == ONE
            greatest = where(allowed & (greatest < logit), logit, greatest)
        summed = greatest * ZERO
        for action in range(count):
            logit = part(logits, 0, action * BLOCK)[wide(index)]
            allowed = part(kept, 0, action * BLOCK)[wide(index)] == ONE
            share = where(allowed, exp(logit - greatest), ZERO)
            part(shares, 0, action * BLOCK)[wide(index)] = share
            summed = summed + share
        best[wide(index)] = greatest
        total[wide(index)] = summed


@helper
def draw_actions(logits: Any, shares: Any, best: Any, total: Any, point: Any, taken: Any, count: Any) -> None:
    """Replace random numbers `point`, 0 .. 1 without 1, by the numbers of actions: the first action up to which the
    shares add up to more than point * sum. The logarithms of their probabilities come into `taken`."""
    for index in range(0, BLOCK, WIDE):
        summed = total[wide(index)]
        wanted = point[wide(index)] * summed
        reached = summed * ZERO
        number = summed * ZERO
        for action in range(count):
            reached = reached + part(shares, 0, action * BLOCK)[wide(index)]
            number = number + where(reached <= wanted, ONE, ZERO)
        logit = summed * ZERO
        for action in range(count):
            is_it = number == np.float32(action)
            logit = where(is_it, part(logits, 0, action * BLOCK)[wide(index)], logit)
        point[wide(index)] = number
        taken[wide(index)] = (logit - best[wide(index)]) - log(summed)


@helper
def likeliest(logits: Any, kept: Any, lane: Any, count: Any) -> Any:
    """The allowed action of a lane with the highest logit; of several the one with the smallest number."""
    found = -1
    for action in range(count):
        here = action * BLOCK + lane
        if kept[here] != ZERO and (found < 0 or logits[here] > logits[found * BLOCK + lane]):
            found = action
    return found


@helper
def clipped_loss(
    logits: Any,
    shares: Any,
    best: Any,
    total: Any,
    taken: Any,
    before: Any,
    gain: Any,
    aim: Any,
    live: Any,
    value: Any,
    likely: Any,
    clip: Any,
    entropy: Any,
    worth: Any,
    count: Any,
    noted: Any,
) -> None:
    """The losses of samples (Schulman et al. 2017), and in the place of logits and values the derivatives by them.

    `taken` has the actions, `likely` the logarithms of the densities of controls (0 without controls), in whose place
    come the derivatives by them, `before` the logarithm of the chance that both had, `gain` normalised advantages,
    `aim` what values should be, `live` 1 for samples and 0 for what fills up a block.
    """
    for index in range(0, BLOCK, WIDE):
        greatest, summed = best[wide(index)], total[wide(index)]
        shrink = log(summed)
        action_taken, present = taken[wide(index)], live[wide(index)] == ONE
        chance = summed * ZERO
        chaos = summed * ZERO
        for action in range(count):
            share = part(shares, 0, action * BLOCK)[wide(index)]
            surprise = (part(logits, 0, action * BLOCK)[wide(index)] - greatest) - shrink
            chance = where(action_taken == np.float32(action), surprise, chance)
            # A share of 0 has the entropy 0, whatever the logit.
            chaos = where(share == ZERO, chaos, fma(-(share / summed), surprise, chaos))
        moved = (chance + likely[wide(index)]) - before[wide(index)]
        ratio = exp(moved)
        advantage = gain[wide(index)]
        least = where(ratio < ONE - clip, ONE - clip, ratio)
        within = where(ONE + clip < ratio, ONE + clip, least)
        plain, limited = ratio * advantage, within * advantage
        follows = plain <= limited
        weight = where(follows, -plain, ZERO)
        likely[wide(index)] = where(present, weight, ZERO)
        for action in range(count):
            share = part(shares, 0, action * BLOCK)[wide(index)]
            probability = share / summed
            surprise = (part(logits, 0, action * BLOCK)[wide(index)] - greatest) - shrink
            one = where(action_taken == np.float32(action), ONE, ZERO)
            slope = weight * (one - probability)
            slope = fma(entropy * probability, surprise + chaos, slope)
            # An action that is not allowed has no probability to lose.
            slope = where(share == ZERO, ZERO, slope)
            part(logits, 0, action * BLOCK)[wide(index)] = where(present, slope, ZERO)
        error = value[wide(index)] - aim[wide(index)]
        value[wide(index)] = where(present, worth * error, ZERO)
        part(noted, 0, POLICY_LOSS * BLOCK)[wide(index)] = -where(follows, plain, limited)
        part(noted, 0, VALUE_LOSS * BLOCK)[wide(index)] = HALF * (error * error)
        part(noted, 0, ENTROPY * BLOCK)[wide(index)] = chaos
        part(noted, 0, CLIPPED * BLOCK)[wide(index)] = where(within == ratio, ZERO, ONE)
        part(noted, 0, DIVERGENCE * BLOCK)[wide(index)] = (ratio - ONE) - moved
