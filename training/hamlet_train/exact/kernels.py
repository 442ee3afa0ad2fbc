"""What runs once per tick or per minibatch, each over a range of lanes or groups, so that threads can share them.

No result depends on these ranges: a lane is computed by itself, and a group by itself, sample after sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamlet.launch.cpu.ops import part
from hamlet_train.exact.compiled import kernel
from hamlet_train.exact.controls import choose_controls, slope_controls, weigh_controls
from hamlet_train.exact.functions import ONE, ZERO, share
from hamlet_train.exact.loss import LOSSES, clipped_loss, draw_actions, likeliest, softmax
from hamlet_train.exact.network import BIAS, BLOCK, COLUMNS, HELD, NUMBERS, OUTPUTS, backward, forward

EPISODES, TICKS, SQUARES, RETURNS, SAMPLES, DISCOUNTED, DISCOUNTED_SQUARES = range(7)
"""What `survey` adds up for each group, f64: finished episodes, their ticks, the squares of those, their returns; and
samples, their discounted returns, the squares of those."""

SURVEYED = 7

NOTED, NOTED_END, CONTROLS = 9 * BLOCK, (9 + LOSSES) * BLOCK, NUMBERS * BLOCK
"""Where the notes of losses begin and end among what a block needs beside its network and actions, and where what it
needs for controls begins."""


@kernel
def act(
    first: Any,
    end: Any,
    table: Any,
    parameters: Any,
    observed: Any,
    mask: Any,
    alive: Any,
    words: Any,
    control_words: Any,
    ranges: Any,
    tick: Any,
    ticks: Any,
    inputs: Any,
    masks: Any,
    valid: Any,
    actions: Any,
    raw: Any,
    chances: Any,
    values: Any,
    chosen: Any,
    given: Any,
    scratch: Any,
) -> None:
    """Write what lanes first .. end - 1 see into the store, and at `tick` < `ticks` choose their actions and controls.

    Args:
        table: of the network.
        observed, mask: [values, lanes] f32, [actions, lanes] bool.
        alive: [lanes] bool.
        words: [lanes] u32, random, of which actions are drawn; [0] for the likeliest actions.
        control_words, ranges, given: see `choose_controls`.
        inputs, masks: the store [lanes, ticks, values padded] f32 and [lanes, ticks, actions] u8.
        valid, actions, chances, values: the store [lanes, ticks] u8, i32, f32 (the logarithm of the probability of the
            action, plus those of the densities of controls), and [lanes, ticks + 1] f32.
        raw: the store [lanes, ticks, controls] f32.
        chosen: [lanes] i32, the actions for the environment.
        scratch: `Network.scratch` numbers of this thread.
    """
    row, count, last = inputs.shape[2], mask.shape[0], table.shape[0] - 1
    size = table[last, HELD] + BLOCK * table[last, COLUMNS]
    x = part(scratch, 0, 0)
    held = part(scratch, 0, BLOCK * row)
    desk = part(held, 0, 2 * size)
    logits, kept, shares = part(desk, 0, 0), part(desk, 0, BLOCK * count), part(desk, 0, 2 * BLOCK * count)
    rest = part(desk, 0, 3 * BLOCK * count)
    taken, best, total, where, likely = (
        part(rest, 0, 0),
        part(rest, 0, BLOCK),
        part(rest, 0, 2 * BLOCK),
        part(rest, 0, 3 * BLOCK),
        part(rest, 0, 4 * BLOCK),
    )
    rows, log_deviations = part(rest, 0, CONTROLS), part(parameters, 0, table[last, BIAS] + table[last, COLUMNS])
    for begin in range(first, end, BLOCK):
        number = min(end - begin, BLOCK)
        for k in range(observed.shape[0]):
            for lane in range(number):
                x[lane * row + k] = observed[k, begin + lane]
        forward(table, parameters, x, row, held)
        output, pitch = part(held, 0, table[last, HELD]), table[last, COLUMNS]
        for lane in range(number):
            values[begin + lane, tick] = output[lane * pitch + table[last, OUTPUTS] - 1]
        if tick == ticks:
            continue
        for lane in range(number):
            any_allowed = False
            for action in range(count):
                any_allowed |= mask[action, begin + lane]
            for action in range(count):
                allowed = mask[action, begin + lane] or not any_allowed
                masks[begin + lane, tick, action] = allowed
                kept[action * BLOCK + lane] = ONE if allowed else ZERO
                logits[action * BLOCK + lane] = output[lane * pitch + action]
            for k in range(observed.shape[0]):
                inputs[begin + lane, tick, k] = x[lane * row + k]
            where[lane] = share(words[begin + lane], 0) if len(words) else ZERO
            likely[lane] = ZERO
            valid[begin + lane, tick] = alive[begin + lane]
        softmax(logits, kept, shares, best, total, count)
        draw_actions(logits, shares, best, total, where, taken, count)
        means = part(output, 0, count)
        choose_controls(
            begin, number, means, pitch, log_deviations, control_words, ranges, tick, raw, given, rows, likely
        )
        for lane in range(number):
            if not len(words):
                where[lane] = np.float32(likeliest(logits, kept, lane, count))
            chosen[begin + lane] = np.int32(where[lane])
            actions[begin + lane, tick] = chosen[begin + lane]
            chances[begin + lane, tick] = taken[lane] + likely[lane]


@kernel
def look(
    first: Any,
    end: Any,
    table: Any,
    parameters: Any,
    observed: Any,
    reward: Any,
    terminated: Any,
    truncated: Any,
    tick: Any,
    rewards: Any,
    ends: Any,
    beyond: Any,
    row: Any,
    scratch: Any,
) -> None:
    """Write the outcome of a tick into the store: rewards f32, `ends` u8 (whether an episode ended) and, where it was
    only cut short, what the critic thinks of its last observation, else 0; all [lanes, ticks]."""
    last = table.shape[0] - 1
    x = part(scratch, 0, 0)
    held = part(scratch, 0, BLOCK * row)
    for begin in range(first, end, BLOCK):
        number = min(end - begin, BLOCK)
        cut = False
        for lane in range(begin, begin + number):
            rewards[lane, tick] = reward[lane]
            ends[lane, tick] = terminated[lane] or truncated[lane]
            beyond[lane, tick] = ZERO
            cut |= truncated[lane]
        if not cut:
            continue
        for k in range(observed.shape[0]):
            for lane in range(number):
                x[lane * row + k] = observed[k, begin + lane]
        forward(table, parameters, x, row, held)
        output, pitch = part(held, 0, table[last, HELD]), table[last, COLUMNS]
        for lane in range(number):
            if truncated[begin + lane]:
                beyond[begin + lane, tick] = output[lane * pitch + table[last, OUTPUTS] - 1]


@kernel
def survey(
    first: Any,
    end: Any,
    bounds: Any,
    rewards: Any,
    ends: Any,
    valid: Any,
    lengths: Any,
    returns: Any,
    discounted: Any,
    discount: Any,
    sums: Any,
) -> None:
    """Add up, for groups first .. end - 1, what happened: `sums` [groups, SURVEYED] f64. `lengths` i64, `returns` and
    `discounted` f64, all [lanes], are those of episodes that go on. Group g has the lanes from bounds[g] to before
    bounds[g + 1]."""
    for group in range(first, end):
        for each in range(SURVEYED):
            sums[group, each] = 0.0
        for lane in range(bounds[group], bounds[group + 1]):
            for tick in range(rewards.shape[1]):
                if valid[lane, tick] == 0:
                    continue
                reward = np.float64(rewards[lane, tick])
                lengths[lane] += 1
                returns[lane] += reward
                discounted[lane] = discounted[lane] * discount + reward
                sums[group, SAMPLES] += 1.0
                sums[group, DISCOUNTED] += discounted[lane]
                sums[group, DISCOUNTED_SQUARES] += discounted[lane] * discounted[lane]
                if ends[lane, tick] != 0:
                    ticks = np.float64(lengths[lane])
                    sums[group, EPISODES] += 1.0
                    sums[group, TICKS] += ticks
                    sums[group, SQUARES] += ticks * ticks
                    sums[group, RETURNS] += returns[lane]
                    lengths[lane] = 0
                    returns[lane] = 0.0
                    discounted[lane] = 0.0


@kernel
def estimate(
    first: Any,
    end: Any,
    bounds: Any,
    rewards: Any,
    ends: Any,
    valid: Any,
    beyond: Any,
    values: Any,
    scale: Any,
    discount: Any,
    trace: Any,
    advantages: Any,
    sums: Any,
) -> None:
    """Generalised advantage estimation (Schulman et al. 2016) of groups first .. end - 1; and the sums of advantages,
    those of their squares and how many there are, `sums` [groups, 3] f64. Rewards are multiplied by `scale`; `trace` is
    lambda times gamma."""
    for group in range(first, end):
        total, squares, count = 0.0, 0.0, 0.0
        for lane in range(bounds[group], bounds[group + 1]):
            behind = ZERO
            for step in range(rewards.shape[1]):
                tick = rewards.shape[1] - 1 - step
                if valid[lane, tick] == 0:
                    advantages[lane, tick] = ZERO
                    behind = ZERO
                    continue
                ended = ends[lane, tick] != 0
                following = beyond[lane, tick] if ended else values[lane, tick + 1]
                carried = ZERO if ended else trace * behind
                reward = rewards[lane, tick] * scale
                behind = ((reward + discount * following) - values[lane, tick]) + carried
                advantages[lane, tick] = behind
                total += np.float64(behind)
                squares += np.float64(behind) * np.float64(behind)
                count += 1.0
        sums[group, 0] = total
        sums[group, 1] = squares
        sums[group, 2] = count


@kernel
def learn(
    first: Any,
    end: Any,
    table: Any,
    parameters: Any,
    transposed: Any,
    bounds: Any,
    order: Any,
    counts: Any,
    share: Any,
    shares: Any,
    inputs: Any,
    masks: Any,
    actions: Any,
    raw: Any,
    chances: Any,
    values: Any,
    advantages: Any,
    mean: Any,
    spread: Any,
    clip: Any,
    entropy: Any,
    worth: Any,
    gradients: Any,
    sums: Any,
    scratch: Any,
) -> None:
    """The gradients of groups first .. end - 1 on share `share` of `shares` of their samples, summed, not averaged.

    Args:
        order: [groups, most samples] i32, the samples of each group in the order in which they are taken, a sample
            being (lane - bounds[group]) * ticks + tick; counts: [groups] i64, how many each has.
        mean, spread: by which advantages are normalised, f32.
        clip, entropy, worth: the range of ratios, and the weights of the entropy and of the value's loss, f32.
        gradients: [groups, parameters] f32. sums: [groups, LOSSES] f64.
    """
    ticks, row, count, last = inputs.shape[1], inputs.shape[2], masks.shape[2], table.shape[0] - 1
    pitch, controls = table[last, COLUMNS], raw.shape[2]
    size = table[last, HELD] + BLOCK * pitch
    x = part(scratch, 0, 0)
    held = part(scratch, 0, BLOCK * row)
    slopes = part(held, 0, size)
    desk = part(slopes, 0, size)
    logits, kept, chance = part(desk, 0, 0), part(desk, 0, BLOCK * count), part(desk, 0, 2 * BLOCK * count)
    rest = part(desk, 0, 3 * BLOCK * count)
    taken, best, total, before = (
        part(rest, 0, 0),
        part(rest, 0, BLOCK),
        part(rest, 0, 2 * BLOCK),
        part(rest, 0, 3 * BLOCK),
    )
    gain, aim = part(rest, 0, 4 * BLOCK), part(rest, 0, 5 * BLOCK)
    live, value, likely = part(rest, 0, 6 * BLOCK), part(rest, 0, 7 * BLOCK), part(rest, 0, 8 * BLOCK)
    noted, ones = part(rest, 0, NOTED), part(rest, 0, NOTED_END)
    means, scores = part(rest, 0, CONTROLS), part(rest, 0, CONTROLS + controls * BLOCK)
    zeros = part(rest, 0, CONTROLS + 4 * controls * BLOCK)
    place = table[last, BIAS] + pitch
    log_deviations = part(parameters, 0, place)
    for index in range(BLOCK):
        ones[index] = ONE
    for group in range(first, end):
        gradient = part(gradients, group, 0)
        for index in range(gradients.shape[1]):
            gradient[index] = ZERO
        for each in range(LOSSES):
            sums[group, each] = 0.0
        start, stop = counts[group] * share // shares, counts[group] * (share + 1) // shares
        for begin in range(start, stop, BLOCK):
            number = min(stop - begin, BLOCK)
            for index in range(BLOCK):
                # Where no sample is left the first one stands again, without a loss.
                sample = order[group, begin + index] if index < number else order[group, begin]
                lane, tick = bounds[group] + sample // ticks, sample % ticks
                for k in range(row):
                    x[index * row + k] = inputs[lane, tick, k]
                for action in range(count):
                    kept[action * BLOCK + index] = np.float32(masks[lane, tick, action])
                taken[index] = np.float32(actions[lane, tick])
                before[index] = chances[lane, tick]
                gain[index] = (advantages[lane, tick] - mean) * spread
                aim[index] = advantages[lane, tick] + values[lane, tick]
                live[index] = ONE if index < number else ZERO
                likely[index] = ZERO
                for control in range(controls):
                    scores[control * BLOCK + index] = raw[lane, tick, control]
            forward(table, parameters, x, row, held)
            output = part(held, 0, table[last, HELD])
            for index in range(BLOCK):
                for action in range(count):
                    logits[action * BLOCK + index] = output[index * pitch + action]
                for control in range(controls):
                    means[control * BLOCK + index] = output[index * pitch + count + control]
                value[index] = output[index * pitch + count + controls]
            softmax(logits, kept, chance, best, total, count)
            weigh_controls(means, log_deviations, scores, likely, controls)
            clipped_loss(logits, chance, best, total, taken, before, gain, aim, live, value, likely,
                         clip, entropy, worth, count, noted)  # fmt: skip
            by_deviations = part(gradients, group, place)
            slope_controls(means, log_deviations, scores, likely, live, entropy, by_deviations, noted, controls)
            slope = part(slopes, 0, table[last, HELD])
            for index in range(BLOCK):
                for action in range(count):
                    slope[index * pitch + action] = logits[action * BLOCK + index]
                for control in range(controls):
                    slope[index * pitch + count + control] = means[control * BLOCK + index]
                slope[index * pitch + count + controls] = value[index]
            backward(table, transposed, x, row, held, slopes, gradient, ones, zeros)
            for each in range(LOSSES):
                for index in range(number):
                    sums[group, each] += np.float64(noted[each * BLOCK + index])


@kernel
def descend(
    parameters: Any,
    gradient: Any,
    first_moment: Any,
    second_moment: Any,
    share: Any,
    most: Any,
    rate: Any,
    first_decay: Any,
    second_decay: Any,
    first_bias: Any,
    second_bias: Any,
    least: Any,
) -> Any:
    """A step of Adam (Kingma and Ba 2015) on all parameters, whose gradient is multiplied by `share` and
    then scaled down to the norm `most`. Returns its norm before that, the root of squares that are added in ascending
    order, f64."""
    squares = 0.0
    for index in range(parameters.shape[0]):
        number = np.float64(gradient[index]) * share
        squares += number * number
    norm = np.sqrt(squares)
    factor = np.float32(share if norm <= most else share * (most / norm))
    for index in range(parameters.shape[0]):
        g = gradient[index] * factor
        m = first_decay * first_moment[index] + (ONE - first_decay) * g
        v = second_decay * second_moment[index] + (ONE - second_decay) * (g * g)
        first_moment[index] = m
        second_moment[index] = v
        parameters[index] -= rate * ((m / first_bias) / (np.sqrt(v / second_bias) + least))
    return norm
