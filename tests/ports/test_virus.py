"""Virus on a Network beside its procedures in numpy: NetLogo is no package of Python. Links are those of the port."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from beside import Array, agree, mean

import hamlet
from hamlet.package.module import Module

NODES, TICKS, WORLDS = 150, 100, 100
SUSCEPTIBLE, INFECTED, RESISTANT = range(3)
REACH, SIDE = 4.8, 40
SPREAD, RECOVERY, RESISTANCE = 0.025, 0.05, 0.05


def original(rng: np.random.Generator) -> tuple[float, int, int]:
    """`setup` and `go` of the model: links of a node, and how many are infected and resistant in the end."""
    places = rng.uniform(0, SIDE, (NODES, 2))
    linked = np.hypot(*(places[:, None] - places).transpose(2, 0, 1)) <= REACH
    np.fill_diagonal(linked, val=False)
    health = np.full(NODES, SUSCEPTIBLE)
    health[rng.choice(NODES, 3, replace=False)] = INFECTED
    for _ in range(TICKS):
        for node in np.flatnonzero(health == INFECTED):
            near = np.flatnonzero(linked[node] & (health != RESISTANT))
            health[near[rng.random(len(near)) < SPREAD]] = INFECTED
        for node in np.flatnonzero(health == INFECTED):
            if rng.random() < RECOVERY:
                health[node] = RESISTANT if rng.random() < RESISTANCE else SUSCEPTIBLE
        if not (health == INFECTED).any():
            break
    return float(linked.sum(axis=1).mean()), int((health == INFECTED).sum()), int((health == RESISTANT).sum())


def ported(module: Module) -> tuple[Array, Array, Array]:
    """The same numbers of the port, by worlds."""
    env = hamlet.make(module, worlds=WORLDS, agents=NODES, backend="c", seed=1, quiet=True)
    places = env.state["position"].numpy().reshape(2, WORLDS, NODES)
    apart = np.hypot(*(places[:, :, :, None] - places[:, :, None]))
    links = (apart <= REACH).sum(axis=(1, 2)) / NODES - 1
    counts, over = np.zeros((2, WORLDS), int), np.zeros(WORLDS, bool)
    for _ in range(TICKS):
        before = env.meter("health").numpy().reshape(WORLDS, NODES).copy()
        _, _, terminated, _, _ = env.step(np.zeros((WORLDS, NODES), np.int32))
        health = env.meter("health").numpy().reshape(WORLDS, NODES)
        ended = terminated.numpy().reshape(WORLDS, NODES).all(axis=1)
        assert (health[ended] != RESISTANT).all(), "the next episode has begun"
        # Whoever was the last to recover became resistant with the chance of all, which changes little.
        health = np.where(ended[:, None], np.where(before == INFECTED, SUSCEPTIBLE, before), health)
        for row, which in zip(counts, (INFECTED, RESISTANT), strict=True):
            row[~over] = (health[~over] == which).sum(axis=1)
        over |= ended
    return links, counts[0], counts[1]


def test_virus_spreads_as_netlogos(port: Callable[[str], Module]) -> None:
    rng = np.random.default_rng(1)
    theirs = np.array([original(rng) for _ in range(WORLDS)]).T
    ours = ported(port("virus"))
    for mine, its in zip(ours, theirs, strict=True):
        assert agree(mean(mine), mean(its)), f"{mean(mine)} here, {mean(its)} there"
    assert mean(ours[0]).value > 5.5
    assert mean(ours[1]).value > 10
