"""Virus on a Network beside its procedures in numpy: NetLogo is no package of Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from beside import Array, agree, mean

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module

NODES, LINKS, TICKS, WORLDS = 150, 450, 100, 60
SUSCEPTIBLE, INFECTED, RESISTANT = range(3)
SIDE = 40
SPREAD, RECOVERY, RESISTANCE = 0.025, 0.05, 0.05


def join(linked: Array, apart: Array, node: int) -> None:
    """What a node of `setup-spatially-clustered-network` does: it makes a link to the nearest one without one."""
    free = ~linked[node]
    free[node] = False
    choice = np.where(free, apart[node], np.inf).argmin()
    linked[node, choice] = linked[choice, node] = True


def original(rng: np.random.Generator) -> tuple[int, int, int]:
    """`setup` and `go` of the model: the most links of a node, and how many are infected and resistant in the end."""
    places = rng.uniform(0, SIDE, (NODES, 2))
    apart, linked = np.hypot(*(places[:, None] - places).transpose(2, 0, 1)), np.zeros((NODES, NODES), bool)
    while linked.sum() < 2 * LINKS:
        join(linked, apart, rng.integers(NODES))
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
    return int(linked.sum(axis=1).max()), int((health == INFECTED).sum()), int((health == RESISTANT).sum())


def distances(env: Env) -> Array:
    """How far nodes are from each other, f32 [worlds, nodes, nodes]."""
    places = env.state["position"].numpy().reshape(2, -1, NODES)
    squares = (places[:, :, :, None] - places[:, :, None]) ** 2
    return np.sqrt(squares[0] + squares[1])


def links(env: Env) -> Array:
    """Which nodes have a link, bool [worlds, nodes, nodes]."""
    reach = env.meter("reach").numpy().reshape(-1, NODES)
    return (distances(env) <= np.maximum(reach[:, :, None], reach[:, None])) & ~np.eye(NODES, dtype=bool)


def ported(module: Module) -> tuple[Array, Array, Array]:
    """The same numbers of the port, by worlds."""
    env = hamlet.make(module, worlds=WORLDS, agents=NODES, backend="c", seed=1, quiet=True)
    env.rollout(LINKS)
    most = links(env).sum(axis=2).max(axis=1)
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
    return most, counts[0], counts[1]


def test_links_are_those_that_netlogo_makes(port: Callable[[str], Module]) -> None:
    """With the same nodes picked in the same order: every link."""
    env = hamlet.make(port("virus"), worlds=3, agents=NODES, backend="c", seed=1, quiet=True)
    apart, linked = distances(env), np.zeros((3, NODES, NODES), bool)
    for _ in range(LINKS):
        for world, node in enumerate(env.meter("picked").int().tolist()):
            join(linked[world], apart[world], node)
        env.step(np.zeros((3, NODES), np.int32))
    np.testing.assert_array_equal(links(env), linked)
    assert (linked.sum(axis=(1, 2)) == 2 * LINKS).all()


def test_virus_spreads_as_netlogos(port: Callable[[str], Module]) -> None:
    rng = np.random.default_rng(1)
    theirs = np.array([original(rng) for _ in range(WORLDS)]).T
    ours = ported(port("virus"))
    for mine, its in zip(ours, theirs, strict=True):
        assert agree(mean(mine), mean(its)), f"{mean(mine)} here, {mean(its)} there"
    assert mean(ours[1]).value > 10
