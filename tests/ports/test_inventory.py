"""OR-Gym's InvManagement-v0 beside its procedures in numpy: it asks for a gym that no longer installs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from beside import Array, agree, mean

import hamlet
from hamlet.package.module import Module

PERIODS, DISCOUNT = 30, 0.97
START, CAPACITY, LEADS = np.array([100, 100, 200]), np.array([100, 90, 80]), np.array([3, 5, 10])
PRICE, COST = np.array([2, 1.5, 1.0, 0.75]), np.array([1.5, 1.0, 0.75, 0.5])
PENALTY, HOLDING = np.array([0.10, 0.075, 0.05, 0.025]), np.array([0.15, 0.10, 0.05, 0.0])
CONTROLS = ("order0", "order1", "order2")


class Chain:
    """`_RESET`, `_STEP` and `_update_state` of the environment with its defaults; demand is given."""

    def __init__(self) -> None:
        self.period = 0
        self.stock = START.astype(float)
        self.sent = np.zeros((PERIODS, 3))
        self.asked = np.zeros((PERIODS, 3))
        self.owed = np.zeros(4)

    def observation(self) -> Array:
        """Stocks, then what was asked for 10 to 1 periods ago."""
        row = np.zeros(33)
        row[:3] = self.stock
        ago = self.asked[max(self.period - 10, 0) : self.period].ravel()
        if len(ago):
            row[-len(ago) :] += ago
        return row

    def step(self, orders: Array, demand: int) -> float:
        """The profit of a period."""
        period, stock = self.period, self.stock.copy()
        self.asked[period] = orders
        above = np.append(stock[1:], np.inf)
        wanted = orders + self.owed[1:]
        sent = wanted.copy()
        sent[sent >= CAPACITY] = CAPACITY[sent >= CAPACITY]
        sent[sent >= above] = above[sent >= above]
        self.sent[period] = sent
        for stage, lead in enumerate(LEADS):
            if period - lead >= 0:
                stock[stage] += self.sent[period - lead, stage]
        total = demand + self.owed[0]
        sold = np.append(min(stock[0], total), sent)
        self.stock = stock - sold[:-1]
        self.owed = np.append(total, wanted) - sold
        self.period += 1
        kept, made = np.append(self.stock, 0), np.append(sent, sold[-1])
        profit = PRICE * sold - (COST * made + PENALTY * self.owed + HOLDING * kept)
        return float(DISCOUNT**period * profit.sum())


def orders(rng: np.random.Generator, worlds: int) -> Array:
    """Orders [worlds, stages]: anything that may be asked for, or about what is sold."""
    anything = rng.integers(0, CAPACITY + 1, (worlds, 3))
    return np.where(rng.random((worlds, 1)) < 0.5, anything, rng.integers(15, 25, (worlds, 3)))


def test_inventory_is_or_gyms(port: Callable[[str], Module]) -> None:
    """The same orders and the same demand: whole episodes, every number."""
    worlds, rng = 170, np.random.default_rng(3)
    env = hamlet.make(port("inventory"), worlds=worlds, backend="c", seed=5, quiet=True)
    chains = [Chain() for _ in range(worlds)]
    demands, steps = [], 0
    for period in range(PERIODS):
        observation = env.observation
        assert observation is not None
        np.testing.assert_array_equal(observation.numpy(), np.stack([chain.observation() for chain in chains]))
        given = orders(rng, worlds)
        controls = {name: torch.from_numpy(given[:, stage].copy()) for stage, name in enumerate(CONTROLS)}
        _, reward, terminated, truncated, _ = env.step(torch.zeros(worlds, dtype=torch.int32), controls)
        assert not terminated.any()
        assert truncated.all() == (period == PERIODS - 1)
        demand = env.reports["demanded"].numpy().astype(int)
        profits = [chain.step(row, asked) for chain, row, asked in zip(chains, given, demand, strict=True)]
        np.testing.assert_allclose(reward.numpy(), profits, rtol=4e-6, atol=2e-4)
        demands.append(demand)
        steps += worlds
    assert steps >= 5000
    every = np.concatenate(demands)
    assert abs(every.mean() - 20) < 4 * np.sqrt(20 / len(every))
    assert abs(every.var() - 20) < 5 * np.sqrt((20 + 2 * 400) / len(every))


def test_random_orders_return_as_much(port: Callable[[str], Module]) -> None:
    """With demand of numpy there, and of the language here."""
    worlds, rng = 2000, np.random.default_rng(4)
    env = hamlet.make(port("inventory"), worlds=worlds, backend="c", seed=6, quiet=True)
    ours, theirs = np.zeros(worlds), np.zeros(worlds)
    for _ in range(PERIODS):
        given = rng.integers(0, CAPACITY + 1, (worlds, 3))
        controls = {name: torch.from_numpy(given[:, stage].copy()) for stage, name in enumerate(CONTROLS)}
        _, reward, *_ = env.step(torch.zeros(worlds, dtype=torch.int32), controls)
        ours += reward.numpy()
    for world in range(worlds):
        chain = Chain()
        theirs[world] = sum(chain.step(rng.integers(0, CAPACITY + 1), int(rng.poisson(20))) for _ in range(PERIODS))
    assert agree(mean(ours), mean(theirs)), f"{mean(ours)} here, {mean(theirs)} there"
