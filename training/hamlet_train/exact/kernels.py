"""Kernels that run once per tick or per minibatch, each over a range of lanes or groups, so that threads can share
them.

No result depends on these ranges: a lane is computed by itself, and a group by itself, sample after sample. All of it
is machine code (exact.c): arrays are of the types that are said here, and lie side by side in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hamlet.launch.cpu.memory import Array
from hamlet_train.exact.compiled import Address, at, function, lying
from hamlet_train.exact.network import INPUTS
from hamlet_train.exact.store import Memory, Store

EPISODES, TICKS, SQUARES, RETURNS, SAMPLES, DISCOUNTED, DISCOUNTED_SQUARES = range(7)
"""Sums of `survey` for each group, f64: finished episodes, their ticks, the squares of those, their returns; and
samples, their discounted returns, the squares of those.
"""

SURVEYED = 7

POLICY_LOSS, VALUE_LOSS, ENTROPY, CLIPPED, DIVERGENCE = range(5)
LOSSES = 5
"""Sums of `learn` over samples: the two losses, the entropy, whether the ratio was clipped, and an estimate of the
divergence from the policy that acted (Schulman 2020: (ratio - 1) - log(ratio)).
"""

CHAINS = 256
"""In which the squares of a gradient are added, as exact.c says."""


def act(
    table: Array,
    parameters: Array,
    observed: Array,
    mask: Array,
    alive: Array,
    ranges: Array,
    store: Store,
    chosen: Array,
    controls: Array,
    places: Array | None = None,
    kinds: Array | None = None,
    age: Array | None = None,
) -> Callable[[int, int, int, Address, Address, Address], None]:
    """A function that writes the observations of lanes first .. end - 1 into the store and, at ticks before the last
    one of its values, chooses their actions and controls. It is prepared once: to say where an array lies takes as long
    as a small kernel.

    Args:
        table: of the network.
        observed, mask: [values, lanes] f32, [actions, lanes] bool.
        alive: [lanes] bool.
        ranges: [controls, 4] f32: the middle of each range, half of its width, its ends.
        chosen: [lanes] i32, the actions for the environment.
        controls: [controls, lanes] f32, the controls for it.
        places: [lanes of the network] i64, their numbers among all lanes; `None` where it acts for all.
        kinds: [actions of the network] i64, their numbers among all actions; `None` where it has all. The first values
            of an observation are those that it reads.
        age: [lanes] i32, that of each agent in its episode, for networks with a memory.

    Returns:
        A function of the first lane of the network, the end, the tick; then of addresses: random words [lanes] u32 of
        which actions are drawn, `None` for the likeliest actions; [2 * controls, lanes] u32, two for each control,
        `None` for their means; `Network.scratch` numbers of this thread.
    """
    memory, by_value, by_lane = lying(observed)
    kernel = function("act", "pi p piii pii p pi ii ppppppp pp pp iii pp p p")
    memory_of, actions = store.memory, mask.shape[0] if kinds is None else len(kinds)
    values = int(table[0][INPUTS]) if memory_of is None else memory_of.before.shape[1]
    recalls = None if memory_of is None else memory_of.table(age)
    written = store.inputs, store.masks, store.valid, store.actions, store.raw, store.chances, store.values
    prepared = partial(
        kernel,
        at(table),
        len(table),
        at(parameters),
        *(memory, values, by_value, by_lane),
        at(mask),
        *(actions, mask.shape[1]),
        at(alive),
        at(ranges),
        len(ranges),
        store.ticks,
        store.inputs.shape[2],
        *map(at, (*written, chosen, controls)),
        *(None if each is None else at(each) for each in (places, kinds)),
    )
    return _behind(prepared, None if recalls is None else at(recalls))


def look(
    table: Array, parameters: Array, values: int, store: Store, places: Array | None = None
) -> Callable[[int, int, int, Address, int, int, Address, Address, Address, Address], None]:
    """A function that writes the outcome of a tick into the store: rewards, whether an episode ended and, where it was
    only cut short, the critic's value of its last observation of `values` values, else 0. It is prepared once. `places`
    are as for `act`.

    Returns:
        A function of the first lane of the network, the end, the tick; the address of the last observations [values,
        lanes] f32, and how far apart values and lanes are there; then of the addresses of rewards [lanes] f32, of what
        terminated and what was truncated [lanes] bool, and of `Network.scratch` numbers of this thread.
    """
    kernel = function("look", "pi p iii ppp p iii pii ppp p pi")
    recalls = None if store.memory is None else store.memory.table(None)
    written = map(at, (store.rewards, store.ends, store.beyond))
    there = None if places is None else at(places)
    prepared = partial(
        kernel, at(table), len(table), at(parameters), values, store.ticks, store.inputs.shape[2], *written, there
    )
    return _behind(prepared, None if recalls is None else at(recalls), store.masks.shape[2])


def _behind(kernel: Callable[..., None], *last: Any) -> Callable[..., None]:
    """A kernel that is given these arguments last."""

    def call(*arguments: Any) -> None:
        kernel(*arguments, *last)

    return call


def survey(
    first: int,
    end: int,
    bounds: Array,
    rewards: Array,
    ends: Array,
    valid: Array,
    lengths: Array,
    returns: Array,
    discounted: Array,
    discount: float,
    sums: Array,
) -> None:
    """Add up, for groups first .. end - 1, what happened: `sums` [groups, SURVEYED] f64. `lengths` i64, `returns` and
    `discounted` f64, all [lanes], are those of episodes that go on. Group g has the lanes from bounds[g] to before
    bounds[g + 1]."""
    ticks, memory = rewards.shape[1], map(at, (rewards, ends, valid, lengths, returns, discounted))
    function("survey", "ii p i pppppp d p")(first, end, at(bounds), ticks, *memory, discount, at(sums))


def estimate(
    first: int,
    end: int,
    bounds: Array,
    rewards: Array,
    ends: Array,
    valid: Array,
    beyond: Array,
    values: Array,
    scale: np.float32,
    discount: np.float32,
    trace: np.float32,
    advantages: Array,
    sums: Array,
) -> None:
    """Generalised advantage estimation (Schulman et al. 2016) of groups first .. end - 1; and the sums of advantages,
    those of their squares and how many there are, `sums` [groups, 3] f64. Rewards are multiplied by `scale`; `trace` is
    lambda times gamma."""
    ticks, memory = rewards.shape[1], map(at, (rewards, ends, valid, beyond, values))
    numbers = scale, discount, trace
    function("estimate", "ii p i ppppp fff pp")(
        first, end, at(bounds), ticks, *memory, *numbers, at(advantages), at(sums)
    )


def learn(
    first: int,
    end: int,
    table: Array,
    parameters: Array,
    transposed: Array,
    bounds: Array,
    order: Array,
    counts: Array,
    share: int,
    shares: int,
    inputs: Array,
    masks: Array,
    actions: Array,
    raw: Array,
    chances: Array,
    values: Array,
    advantages: Array,
    mean: np.float32,
    spread: np.float32,
    clip: np.float32,
    entropy: np.float32,
    worth: np.float32,
    gradients: Array,
    sums: Array,
    scratch: Array,
    valid: Array,
    memory: Memory | None = None,
) -> None:
    """The gradients of groups first .. end - 1 on share `share` of `shares` of their samples, summed, not averaged.

    Args:
        order: [groups, most samples] i32, the samples of each group in the order in which they are taken, a sample
            being (lane - bounds[group]) * ticks + tick, or its lanes where the network has a memory, of which all ticks
            are taken; counts: [groups] i64, how many each has.
        mean, spread: by which advantages are normalised, f32.
        clip, entropy, worth: the range of ratios, and the weights of the entropy and of the value's loss, f32.
        gradients: [groups, parameters] f32. sums: [groups, LOSSES] f64.
        valid: [lanes, ticks] u8, which samples teach something.
    """
    most, size = order.shape[1], gradients.shape[1]
    recalls = None if memory is None else memory.table(None)
    function("learn", "ii pi pp pp i p ii iiii ppppppp fffff pi pi p pp")(
        first,
        end,
        at(table),
        len(table),
        *map(at, (parameters, transposed, bounds, order)),
        most,
        at(counts),
        share,
        shares,
        *inputs.shape[1:],
        masks.shape[2],
        raw.shape[2],
        *map(at, (inputs, masks, actions, raw, chances, values, advantages)),
        *(mean, spread, clip, entropy, worth),
        at(gradients),
        size,
        at(sums),
        sums.shape[1],
        at(scratch),
        None if recalls is None else at(recalls),
        at(valid),
    )


def descend(
    parameters: Array,
    gradient: Array,
    first_moment: Array,
    second_moment: Array,
    share: float,
    most: float,
    rate: np.float32,
    first_decay: np.float32,
    second_decay: np.float32,
    first_bias: np.float32,
    second_bias: np.float32,
    least: np.float32,
) -> float:
    """A step of Adam (Kingma and Ba 2015) on all parameters, whose gradient is multiplied by `share` and
    then scaled down to the norm `most`. Returns its norm before that, the root of squares that are added in `CHAINS`
    chains, f64."""
    count = len(parameters)
    norm = math.sqrt(function("squares", "pid", "d")(at(gradient), count, share))
    factor = share if norm <= most else share * (most / norm)
    moments = map(at, (parameters, gradient, first_moment, second_moment))
    numbers = factor, rate, first_decay, second_decay, first_bias, second_bias, least
    function("descend", "ppppi fffffff")(*moments, count, *numbers)
    return norm
