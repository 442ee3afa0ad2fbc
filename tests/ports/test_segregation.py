"""Segregation beside its procedures in numpy: who is happy where all stand, who goes where, and how alike neighbours
are in the end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from beside import Array, agree, mean

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module

SIZE, AGENTS, WANTED = 25, 590, 0.3
CELLS = SIZE * SIZE
WORLDS, TICKS = 12, 60
AROUND = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
BESIDE = np.stack(
    [(np.arange(CELLS) % SIZE + x) % SIZE + SIZE * ((np.arange(CELLS) // SIZE + y) % SIZE) for x, y in AROUND], axis=1
)
"""The eight cells around each, [cells, 8]."""


def neighbours(cells: Array, groups: Array) -> tuple[Array, Array]:
    """How many of the agents around each are of its group, and how many there are, [agents]."""
    ground = np.full(CELLS, -1)
    ground[cells] = groups
    around = ground[BESIDE[cells]]
    return (around == groups[:, None]).sum(axis=1), (around >= 0).sum(axis=1)


def percent_similar(rng: np.random.Generator) -> float:
    """How alike neighbours are after an episode of the original, of as many ticks at most."""
    cells, groups = rng.permutation(CELLS)[:AGENTS], rng.integers(0, 2, AGENTS)
    for _ in range(TICKS):
        similar, nearby = neighbours(cells, groups)
        happy = similar >= WANTED * nearby
        if happy.all():
            break
        taken = np.isin(np.arange(CELLS), cells)
        for agent in rng.permutation(np.flatnonzero(~happy)):
            taken[cells[agent]], there = False, new_spot(cells[agent], taken, rng)
            taken[there], cells[agent] = True, there
    similar, nearby = neighbours(cells, groups)
    return float(100 * similar.sum() / nearby.sum())


def new_spot(cell: int, taken: Array, rng: np.random.Generator) -> int:
    """`find-new-spot`: a walk by random turns and steps until a patch is free of others."""
    place, heading = np.array([cell % SIZE, cell // SIZE], float), 0.0
    while True:
        heading += rng.uniform(0, 2 * np.pi)
        place = (place + rng.uniform(0, 10) * np.array([np.sin(heading), np.cos(heading)]) + 0.5) % SIZE - 0.5
        x, y = place.round().astype(int) % SIZE
        if not taken[x + SIZE * y]:
            return int(x + SIZE * y)


def values(env: Env, name: str) -> Array:
    """[worlds, agents] of a state."""
    array: Array = env.meter(name).numpy()
    return array.reshape(WORLDS, AGENTS)


def stand(env: Env) -> Array:
    """The numbers of cells on which agents are, [worlds, agents]."""
    x, y = env.state["position"].numpy().reshape(2, WORLDS, AGENTS)
    cells: Array = x + SIZE * y
    return cells


def test_segregation_has_netlogos_rules(port: Callable[[str], Module]) -> None:
    """Who is happy stays, and others go to free cells, each to another; in the end as many neighbours are alike."""
    env = hamlet.make(port("segregation"), worlds=WORLDS, backend="c", quiet=True)
    groups, went, ends = values(env, "group").copy(), 0, np.zeros(WORLDS)
    running = np.ones(WORLDS, bool)
    for tick in range(3 * TICKS):
        before = stand(env).copy()
        _, _, terminated, _, info = env.step(np.zeros((WORLDS, AGENTS), np.int32))
        over = terminated.numpy().reshape(WORLDS, AGENTS)[:, 0] & running
        ends[over] = info["final_observation"].numpy().reshape(WORLDS, AGENTS, -1)[over, 0, 0]
        running &= ~over
        after, happy = stand(env), values(env, "happy") > 0
        for world in np.flatnonzero(running):
            if tick > 0:
                similar, nearby = neighbours(before[world], groups[world])
                assert (values(env, "similar")[world] == similar).all()
                assert (values(env, "nearby")[world] == nearby).all()
                assert (happy[world] == (similar >= np.float32(WANTED) * nearby)).all()
            goes = before[world] != after[world]
            assert not goes[happy[world]].any()
            assert not np.isin(after[world][goes], before[world]).any()
            assert len(np.unique(after[world])) == AGENTS
            went += int(goes.sum())
        ends[running] = env.observation.numpy().reshape(WORLDS, AGENTS, -1)[running, 0, 0]
    rng = np.random.default_rng(0)
    theirs = [percent_similar(rng) for _ in range(WORLDS)]
    assert went > 100 * WORLDS
    assert (~running).sum() > WORLDS / 3
    assert agree(mean(ends), mean(theirs)), f"{mean(ends)} here, {mean(theirs)} there"
