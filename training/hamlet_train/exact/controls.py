"""Controls as normally distributed numbers: their draws, how likely these were, and the derivatives of that.

The network gives the mean of each control, and a parameter the logarithm of its standard deviation, which is the same
in all states (Schulman et al. 2017). Both are in units of half the control's range, around its middle. What is drawn
there, a *raw* control, may lie out of the range: the environment is given the nearest number within, and the policy
learns from the density of what was drawn.

Rows of these arrays are controls, columns are samples.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hamlet.launch.cpu.ops import WIDE, fma, helper, part, where, wide
from hamlet_train.exact.functions import HALF, ONE, ZERO, exp, normal, share
from hamlet_train.exact.loss import ENTROPY
from hamlet_train.exact.network import BLOCK

NORMALISER = np.float32(0.5 * math.log(2.0 * math.pi))
"""With a deviation of 1 the logarithm of a density is -score^2 / 2 - `NORMALISER`, its entropy 1 / 2 + `NORMALISER`."""


@helper
def draw_controls(means: Any, log_deviations: Any, first: Any, second: Any, raw: Any, count: Any) -> None:
    """Raw controls of uniform random numbers, 0 < `first` <= 1 and 0 <= `second` < 1: mean + deviation * normal."""
    for control in range(count):
        deviation = exp(log_deviations[control])
        for index in range(control * BLOCK, (control + 1) * BLOCK, WIDE):
            number = normal(first[wide(index)], second[wide(index)])
            raw[wide(index)] = means[wide(index)] + number * deviation


@helper
def weigh_controls(means: Any, log_deviations: Any, raw: Any, likely: Any, count: Any) -> None:
    """Add the logarithms of the densities of all raw controls of a sample to `likely` [BLOCK], by ascending controls.
    In the place of raw controls come their scores: how many deviations each lies from its mean."""
    for control in range(count):
        log_deviation = log_deviations[control]
        narrow, offset = exp(-log_deviation), -log_deviation - NORMALISER
        for index in range(0, BLOCK, WIDE):
            here = part(raw, 0, control * BLOCK)
            score = (here[wide(index)] - part(means, 0, control * BLOCK)[wide(index)]) * narrow
            likely[wide(index)] = likely[wide(index)] + fma(score * score, -HALF, offset)
            here[wide(index)] = score


@helper
def slope_controls(
    means: Any,
    log_deviations: Any,
    scores: Any,
    weights: Any,
    live: Any,
    entropy: Any,
    gradient: Any,
    noted: Any,
    count: Any,
) -> None:
    """Put the derivatives of the loss by means in their place. Those by `log_deviations` are added to `gradient`
    [count], sample after sample, and the entropies to those noted.

    `weights` are the derivatives by the logarithms of what was likely, `live` is 1 for samples and 0 for what fills up
    a block.
    """
    for control in range(count):
        log_deviation = log_deviations[control]
        narrow, chaos = exp(-log_deviation), log_deviation + (HALF + NORMALISER)
        mean, slope = part(means, 0, control * BLOCK), part(scores, 0, control * BLOCK)
        for index in range(0, BLOCK, WIDE):
            score, weight = slope[wide(index)], weights[wide(index)]
            mean[wide(index)] = weight * score * narrow
            by_deviation = fma(weight, fma(score, score, -ONE), -entropy)
            slope[wide(index)] = where(live[wide(index)] == ONE, by_deviation, ZERO)
            entropies = part(noted, 0, ENTROPY * BLOCK)
            entropies[wide(index)] = entropies[wide(index)] + chaos
        for index in range(BLOCK):
            gradient[control] += slope[index]


@helper
def choose_controls(
    begin: Any,
    number: Any,
    outputs: Any,
    pitch: Any,
    log_deviations: Any,
    words: Any,
    ranges: Any,
    tick: Any,
    raw: Any,
    given: Any,
    rows: Any,
    likely: Any,
) -> None:
    """Draw the raw controls of `number` lanes from `begin` on, or take their means where there are no words, and add
    the logarithms of their densities to `likely`.

    Args:
        outputs: where the mean of the first control of the first lane lies; the next lane's is `pitch` further.
        words: [2 * controls, lanes] u32, two for each control, or [0, lanes].
        ranges: [controls, 4] f32: the middle of each range, half of its width, its ends.
        raw, given: [lanes, ticks, controls] and [controls, lanes] f32, the store and what the environment is given.
        rows: memory, 4 * controls * BLOCK numbers.
    """
    count = ranges.shape[0]
    size = count * BLOCK
    means, here, first, second = part(rows, 0, 0), part(rows, 0, size), part(rows, 0, 2 * size), part(rows, 0, 3 * size)
    for control in range(count):
        for lane in range(number):
            place = control * BLOCK + lane
            means[place] = outputs[lane * pitch + control]
            here[place] = means[place]
            if words.shape[0]:
                first[place] = share(words[2 * control, begin + lane], 1)
                second[place] = share(words[2 * control + 1, begin + lane], 0)
    if words.shape[0]:
        draw_controls(means, log_deviations, first, second, here, count)
    for control in range(count):
        middle, half, low, high = ranges[control, 0], ranges[control, 1], ranges[control, 2], ranges[control, 3]
        for lane in range(number):
            drawn = here[control * BLOCK + lane]
            raw[begin + lane, tick, control] = drawn
            value = middle + drawn * half
            value = low if value < low else value
            given[control, begin + lane] = high if high < value else value
    weigh_controls(means, log_deviations, here, likely, count)
