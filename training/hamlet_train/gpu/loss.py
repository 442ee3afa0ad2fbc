"""The policy over the actions and controls of a block of samples, and the loss of PPO with its derivatives: loss.h and
controls.h for Triton.

Vectors are samples of a block; loops go over ascending actions. `heads_ptr` has what the last layer gave, a row of
samples for each output: logits, means of controls, the value. Import this module where Triton is used.
"""

# mypy: ignore-errors
# What Triton compiles has no types of Python's.

import triton
import triton.language as tl

from hamlet.launch.gpu.networks import exp, log_from_1
from hamlet_train.exact.kernels import CLIPPED, DIVERGENCE, ENTROPY, POLICY_LOSS, VALUE_LOSS
from hamlet_train.gpu.controls import CHAOS, density, score_of

POLICY, VALUE, UNSURE = tl.constexpr(POLICY_LOSS), tl.constexpr(VALUE_LOSS), tl.constexpr(ENTROPY)
CUT, APART = tl.constexpr(CLIPPED), tl.constexpr(DIVERGENCE)


@triton.jit
def _allowed(mask_ptr, some):
    """Whether an action is allowed: where none is, all are."""
    return (tl.load(mask_ptr).to(tl.int32) | (1 - some)) != 0


@triton.jit
def clipped_loss(
    heads_ptr,
    mask_ptr,
    lanes,
    taken,
    raw_ptr,
    log_deviations_ptr,
    before,
    gain,
    aim,
    present,
    clip,
    entropy,
    worth,
    slope_ptr,
    noted_ptr,
    noted_row,
    ACTIONS: tl.constexpr,
    CONTROLS: tl.constexpr,
    HEADS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Write the derivatives of samples by logits, means and value side by side from `slope_ptr` on, which are places,
    those by the logarithms of deviations HEADS numbers behind them, and what is noted of samples in rows from
    `noted_ptr` on. `mask_ptr` and `raw_ptr` are places in the rows of masks and of raw controls, `lanes` long.
    """
    clip = tl.full(before.shape, clip, tl.float32)
    some = tl.zeros_like(taken)
    for action in range(ACTIONS):
        some |= tl.load(mask_ptr + action * lanes).to(tl.int32)
    best = tl.full(before.shape, -3.0e38, tl.float32)
    for action in range(ACTIONS):
        logit = tl.load(heads_ptr + action * BLOCK)
        best = tl.where(_allowed(mask_ptr + action * lanes, some) & (best < logit), logit, best)
    total = tl.zeros_like(best)
    for action in range(ACTIONS):
        share = exp(tl.load(heads_ptr + action * BLOCK) - best)
        total = total + tl.where(_allowed(mask_ptr + action * lanes, some), share, 0.0)
    shrink = log_from_1(total)
    chance = tl.zeros_like(best)
    chaos = tl.zeros_like(best)
    for action in range(ACTIONS):
        logit = tl.load(heads_ptr + action * BLOCK)
        share = tl.where(_allowed(mask_ptr + action * lanes, some), exp(logit - best), 0.0)
        surprise = (logit - best) - shrink
        chance = tl.where(taken == action, surprise, chance)
        # A share of 0 has the entropy 0, whatever the logit.
        chaos = tl.where(share == 0.0, chaos, tl.fma(tl.div_rn(share, total) * -1.0, surprise, chaos))
    likely = tl.zeros_like(best)
    for control in range(CONTROLS):
        mean = tl.load(heads_ptr + (ACTIONS + control) * BLOCK)
        raw = tl.load(raw_ptr + control * lanes)
        score, opposite, _ = score_of(raw, mean, tl.load(log_deviations_ptr + control))
        likely = likely + density(score, opposite)
    moved = (chance + likely) - before
    ratio = exp(moved)
    least = tl.where(ratio < 1.0 - clip, 1.0 - clip, ratio)
    within = tl.where(1.0 + clip < ratio, 1.0 + clip, least)
    plain = ratio * gain
    limited = within * gain
    follows = plain <= limited
    weight = tl.where(follows, plain * -1.0, 0.0)
    for action in range(ACTIONS):
        logit = tl.load(heads_ptr + action * BLOCK)
        share = tl.where(_allowed(mask_ptr + action * lanes, some), exp(logit - best), 0.0)
        probability = tl.div_rn(share, total)
        surprise = (logit - best) - shrink
        slope = weight * (tl.where(taken == action, 1.0, 0.0) - probability)
        slope = tl.fma(entropy * probability, surprise + chaos, slope)
        # An action that is not allowed has no probability to lose.
        slope = tl.where(share == 0.0, 0.0, slope)
        tl.store(slope_ptr + action, tl.where(present, slope, 0.0))
    weight = tl.where(present, weight, 0.0)
    for control in range(CONTROLS):
        log_deviation = tl.load(log_deviations_ptr + control)
        mean = tl.load(heads_ptr + (ACTIONS + control) * BLOCK)
        score, _, narrow = score_of(tl.load(raw_ptr + control * lanes), mean, log_deviation)
        tl.store(slope_ptr + ACTIONS + control, (weight * score) * narrow)
        by_deviation = tl.fma(score, score, tl.full(score.shape, -1.0, tl.float32))
        by_deviation = tl.fma(weight, by_deviation, tl.full(score.shape, entropy, tl.float32) * -1.0)
        tl.store(slope_ptr + HEADS + control, tl.where(present, by_deviation, 0.0))
        chaos = chaos + (log_deviation + CHAOS)
    error = tl.load(heads_ptr + (ACTIONS + CONTROLS) * BLOCK) - aim
    tl.store(slope_ptr + ACTIONS + CONTROLS, tl.where(present, worth * error, 0.0))
    tl.store(noted_ptr + POLICY * noted_row, tl.where(follows, plain, limited) * -1.0)
    tl.store(noted_ptr + VALUE * noted_row, 0.5 * (error * error))
    tl.store(noted_ptr + UNSURE * noted_row, chaos)
    tl.store(noted_ptr + CUT * noted_row, tl.where(within == ratio, 0.0, 1.0))
    tl.store(noted_ptr + APART * noted_row, (ratio - 1.0) - moved)
