"""(f) numba as one writes it by hand: a loop over agents, and for each over the ticks; the config in arrays that the
compiled function reads, so that one compiled function runs every universe like the town. No code is generated.

Runs on the CPU. An agent's meters stay in the cache for the whole run. Layouts are computed here, agent by agent.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numba
import numpy as np
import torch
from contract import NotAvailableError, Result, Start
from episodes import zero_statistics
from torch import Tensor
from town import Config, Effect, town_config

from hamlet.numbers.permutation import GOLDEN, MIX_MULTIPLIERS, ROUND_MULTIPLIERS, ROUNDS, SEED_SALT, domain
from hamlet.numbers.random import WORD, mix
from hamlet.universe import Universe

Array: TypeAlias = np.ndarray[Any, Any]


class Arrays(NamedTuple):
    """The config. Effects of action (affordance) n are those from number first[n] up to first[n + 1]."""

    size: Array
    moves: Array
    start: Array
    low: Array
    high: Array
    decay: Array
    action_first: Array
    action_meter: Array
    action_amount: Array
    needs: Array
    prices: Array
    use_first: Array
    use_meter: Array
    use_amount: Array
    modulation_meters: Array
    modulation_numbers: Array
    cascade_meters: Array
    cascade_numbers: Array
    cause_meter: Array
    cause_bound: Array
    reward: Array
    lifespan: Array
    lifespan_reward: Array
    rectangle: Array


def make_arrays(config: Config) -> Arrays:
    """Read the config once."""
    meters = config["meters"]
    rows = {meter["name"]: row for row, meter in enumerate(meters)}

    def floats(values: Any) -> Array:
        return np.array(values, np.float32)

    def integers(values: Any) -> Array:
        return np.array(values, np.int32)

    def packed(effects: list[list[Effect]]) -> tuple[Array, Array, Array]:
        flat = [item for one in effects for item in one]
        first = np.cumsum([0, *(len(one) for one in effects)])
        amounts = floats([item["amount"] for item in flat])
        return integers(first), integers([rows[item["meter"]] for item in flat]), amounts

    moving: list[Effect] = [{"meter": item["name"], "amount": -item["move"]} for item in meters if item["move"]]
    using: list[Effect] = [{"meter": item["name"], "amount": -item["interact"]} for item in meters if item["interact"]]
    actions = [*([moving] * len(config["moves"])), using, [], *(item["effects"] for item in config["actions"])]
    affordances, modulations, cascades = config["affordances"], config["modulations"], config["cascades"]
    cells = domain(config["width"] * config["height"])
    return Arrays(
        integers([config["width"], config["height"]]),
        integers(config["moves"]),
        floats([meter["start"] for meter in meters]),
        floats([meter["low"] for meter in meters]),
        floats([meter["high"] for meter in meters]),
        floats([meter["decay"] for meter in meters]),
        *packed(actions),
        integers([0 if item["needs"] is None else rows[item["needs"]] for item in affordances]),
        floats([-np.inf if item["needs"] is None else item["price"] for item in affordances]),
        *packed([item["effects"] for item in affordances]),
        integers([[rows[item["source"]], rows[item["target"]]] for item in modulations]),
        floats([[item["scale"], item["base"], item["span"], item["top"]] for item in modulations]),
        integers([[rows[item["source"]], rows[item["target"]]] for item in cascades]),
        floats([[item["threshold"], item["strength"]] for item in cascades]),
        integers([rows[item["meter"]] for item in config["causes"]]),
        floats([item["at_most"] for item in config["causes"]]),
        integers([rows[meter] for meter in config["reward"]]),
        integers([config["lifespan"]]),
        floats([config["lifespan_reward"]]),
        integers([cells.size, cells.low, cells.high]),
    )


@numba.njit
def clamp(value: Any, low: Any, high: Any) -> Any:
    if value < low:
        value = low
    if high < value:
        value = high
    return value


@numba.njit
def mixed(word: Any) -> Any:
    """`hamlet.numbers.random.mix` of a u32."""
    word ^= word >> np.uint32(16)
    word = np.uint32(word * np.uint32(MIX_MULTIPLIERS[0]))
    word ^= word >> np.uint32(15)
    word = np.uint32(word * np.uint32(MIX_MULTIPLIERS[1]))
    return word ^ (word >> np.uint32(16))


@numba.njit
def shift(value: Any, layout: Any, index: Any, side: Any) -> Any:
    """How far a round of the network moves the other half."""
    key = np.uint32(layout + np.uint32(index * np.uint32(GOLDEN)))
    word = np.uint32((value ^ key) * np.uint32(ROUND_MULTIPLIERS[0]))
    word = np.uint32((word ^ (word >> np.uint32(15))) * np.uint32(ROUND_MULTIPLIERS[1]))
    return np.uint32((np.uint64(word) * np.uint64(side)) >> np.uint64(32))


@numba.njit
def permuted(index: Any, layout: Any, size: Any, low: Any, high: Any) -> Any:
    """`hamlet.numbers.random.permute` of one index."""
    while True:
        left, right = np.uint32(index % low), np.uint32(index // low)
        for turn in range(ROUNDS):
            if turn % 2 == 0:
                left = np.uint32((left + shift(right, layout, np.uint32(turn), low)) % low)
            else:
                right = np.uint32((right + shift(left, layout, np.uint32(turn), high)) % high)
        index = right * low + left
        if index < size:
            return index


@numba.njit
def place(board: Array, layout: Any, count: int, rectangle: Array) -> Any:
    """Put the affordances on a board; the cell on which the agent starts."""
    size, low, high = np.uint32(rectangle[0]), np.uint32(rectangle[1]), np.uint32(rectangle[2])
    board[:] = -1
    for number in range(count):
        board[permuted(np.uint32(number), layout, size, low, high)] = number
    return permuted(np.uint32(count), layout, size, low, high)


@numba.njit(parallel=True)
def run_all(
    c: Arrays,
    salt: Any,
    actions: Array,
    meters: Array,
    position: Array,
    age: Array,
    episode_return: Array,
    episode: Array,
    layout: Array,
    uses: Array,
    causes: Array,
    lengths: Array,
    finished_return: Array,
) -> None:
    """All ticks of all lanes. The counts have a row for each of their slices of lanes, [slices, n]."""
    slices, lanes = len(uses), len(age)
    ticks, width, moves, count = len(actions), c.size[0], len(c.moves), len(c.prices)
    for part in numba.prange(slices):
        board = np.empty(c.size[0] * c.size[1], np.int32)
        m = np.empty(len(c.start), np.float32)
        for lane in range(part * lanes // slices, (part + 1) * lanes // slices):
            place(board, np.uint32(layout[lane]), count, c.rectangle)
            m[:] = meters[:, lane]
            x, y, lived, total = position[0, lane], position[1, lane], age[lane], episode_return[lane]
            for tick in range(ticks):
                action = actions[tick, lane]
                if action < moves:
                    x = min(max(x + c.moves[action, 0], 0), c.size[0] - 1)
                    y = min(max(y + c.moves[action, 1], 0), c.size[1] - 1)
                for item in range(c.action_first[action], c.action_first[action + 1]):
                    row = c.action_meter[item]
                    m[row] = clamp(m[row] + c.action_amount[item], c.low[row], c.high[row])
                number = board[x + width * y]
                if action == moves and number >= 0 and m[c.needs[number]] >= c.prices[number]:
                    uses[part, number] += 1
                    for item in range(c.use_first[number], c.use_first[number + 1]):
                        row = c.use_meter[item]
                        m[row] = clamp(m[row] + c.use_amount[item], c.low[row], c.high[row])
                for row in range(len(m)):
                    m[row] = clamp(m[row] - c.decay[row], c.low[row], c.high[row])
                for item in range(len(c.modulation_meters)):
                    row, n = c.modulation_meters[item, 1], c.modulation_numbers[item]
                    lost = n[0] * (n[1] + n[2] * (n[3] - m[c.modulation_meters[item, 0]]))
                    m[row] = clamp(m[row] - lost, c.low[row], c.high[row])
                for item in range(len(c.cascade_meters)):
                    source, row = c.cascade_meters[item, 0], c.cascade_meters[item, 1]
                    threshold, strength = c.cascade_numbers[item, 0], c.cascade_numbers[item, 1]
                    if m[source] < threshold:
                        lost = strength * ((threshold - m[source]) / threshold)
                        m[row] = clamp(m[row] - lost, c.low[row], c.high[row])
                cause = -1
                for item in range(len(c.cause_meter) - 1, -1, -1):
                    if m[c.cause_meter[item]] <= c.cause_bound[item]:
                        cause = item
                lived += 1
                if cause < 0:
                    reward = m[c.reward[0]] * m[c.reward[1]]
                    if lived >= c.lifespan[0]:
                        cause = len(c.cause_meter)
                        reward += c.lifespan_reward[0]
                    total += reward
                if cause >= 0:
                    causes[part, cause] += 1
                    lengths[part, lived] += 1
                    finished_return[lane] += total
                    episode[lane] += 1
                    key = mixed(np.uint32(lane) ^ np.uint32(salt))
                    key = mixed(np.uint32(key + np.uint32(np.uint32(episode[lane]) * np.uint32(GOLDEN))))
                    layout[lane] = np.int32(key)
                    cell = np.int32(place(board, key, count, c.rectangle))
                    x, y, lived, total = cell % width, cell // width, np.int32(0), np.float32(0.0)
                    m[:] = c.start
            meters[:, lane] = m
            position[0, lane], position[1, lane], age[lane], episode_return[lane] = x, y, lived, total


SLICES = 64
"""So many tasks are shared among the threads."""


class NumbaLoops:
    """See the module."""

    def __init__(self, universe: Universe, device: torch.device) -> None:
        if device.type != "cpu":
            raise NotAvailableError("runs on the CPU")
        self.config = town_config(universe)
        self.arrays = make_arrays(self.config)

    def prepare(self, start: Start) -> None:
        low, high = start.halves
        self.salt = mix(mix(high ^ SEED_SALT) ^ low) & WORD
        self.state = {name: value.clone() for name, value in start.state.items()}
        self.statistics = zero_statistics(self.config, start.lanes, torch.device("cpu"))

    def run(self, actions: Tensor) -> Result:
        counted = self.statistics
        totals = [np.zeros((SLICES, len(one)), np.int64) for one in (counted.uses, counted.causes, counted.lengths)]
        names = ("meters", "position", "age", "episode_return", "episode", "layout")
        state = [self.state[name].numpy() for name in names]
        compiled: Any = run_all
        compiled(self.arrays, np.uint32(self.salt), actions.numpy(), *state, *totals, counted.finished_return.numpy())
        for one, total in zip((counted.uses, counted.causes, counted.lengths), totals, strict=True):
            one.add_(torch.from_numpy(total.sum(axis=0)))
        return Result(self.state, counted)
