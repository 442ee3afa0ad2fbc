"""Agents that block each other, beside the rule of docs/semantics.md in plain Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamletc.language.formatter import format_source
from mistakes import errors_in

CROWD = """
universe crowd

space grid 4 x 3 {{ edges {edges}  starts {starts}  agents block{order} }}
lifespan 40 ticks

state worth: int in 0 .. 2 = integer(0, 2)
state right: int in -1 .. 1 = 0
state down: int in -1 .. 1 = 1
meter energy = uniform(0.2, 1) {{ decay 0.02 }}

action TURN {{ right = -down  down = previous(right) }}
action FORWARD {{ move (right, down) }}
action TIRED {{ needs energy > 0.5  move (2, 0)  energy -= 0.1 }}
action JUMP {{ teleport (0, 0) }}

dies when energy <= 0
reward energy
observe {{ position absolute  state }}
"""
STEPS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
SIZES = (4, 3)
Cell = tuple[int, ...]
Worlds = Callable[..., Env]


@pytest.fixture(scope="module")
def worlds(compiled: Callable[[str], Module]) -> Worlds:
    """Worlds of a crowd."""

    def made(edges: str, starts: str, order: str, backend: str) -> Env:
        module = compiled(CROWD.format(edges=edges, starts=starts, order=order))
        return hamlet.make(module, worlds=12, agents=7, backend=backend, quiet=True, seed=5)

    return made


def along(x: int, by: int, size: int, edges: str) -> int:
    """The coordinate after a displacement and the edges."""
    if edges == "wrap":
        return (x + by) % size
    if edges == "bounce":
        there = abs(x + by)
        return min(max(2 * (size - 1) - there if there >= size else there, 0), size - 1)
    return min(max(x + by, 0), size - 1)


def goals(env: Env, names: list[str], edges: str) -> list[list[Cell]]:
    """By world, the cell to which each agent's move would lead; its own where it does not move."""
    position, count = env.state["position"].numpy(), env.num_agents
    right, down, energy = (env.meter(name).numpy() for name in ("right", "down", "energy"))
    found = []
    for lane, name in enumerate(names):
        by = STEPS.get(name, (0, 0))
        if name == "FORWARD":
            by = int(right[lane]), int(down[lane])
        if name == "TIRED" and energy[lane] > 0.5:
            by = (2, 0)
        found.append(tuple(along(int(position[a, lane]), by[a], SIZES[a], edges) for a in (0, 1)))
    return [found[first : first + count] for first in range(0, len(found), count)]


def settled(here: list[Cell], goal: list[Cell], running: list[bool], order: list[tuple[float, int]]) -> list[Cell]:
    """Where the agents of a world are after their moves: who comes first has the least `order`."""
    after = []
    for a, cell in enumerate(goal):
        others = [b for b in range(len(goal)) if b != a and running[b]]
        stands = any(here[b] == cell for b in others)
        beaten = any(goal[b] == cell and order[b] < order[a] for b in others)
        after.append(here[a] if stands or beaten else cell)
    return after


@pytest.mark.parametrize(
    ("edges", "starts", "order", "backend"),
    [
        ("clamp", "apart", "", "interpreter"),
        ("clamp", "apart", "", "c"),
        ("wrap", "anywhere", " to highest worth", "interpreter"),
        ("wrap", "anywhere", " to highest worth", "c"),
        ("bounce", "apart", " to highest -agent", "c"),
        ("sticky", "anywhere", " to highest worth", "interpreter"),
    ],
)
def test_moves_are_those_of_the_rule(edges: str, starts: str, order: str, backend: str, worlds: Worlds) -> None:
    env = worlds(edges, starts, order, backend)
    if sticky := edges == "sticky":
        edges = "clamp"  # the same for steps of one cell, and TIRED is left out below
    rng, blocked, ties = np.random.default_rng(1), 0, 0
    for _ in range(60):
        count, names = env.num_agents, env.action_names
        numbers = rng.integers(0, len(names), env.num_worlds * count).astype(np.int32)
        chosen = [names[number] for number in numbers]
        if sticky:
            chosen = ["UP" if name == "TIRED" else name for name in chosen]
        numbers = np.array([names.index(name) for name in chosen], np.int32)
        position, alive = env.state["position"].numpy().copy(), env.state["alive"].numpy().copy()
        worth, expected = env.meter("worth").numpy().copy(), goals(env, chosen, edges)
        episodes = env.state["episode"].numpy().copy()
        env.step(numbers)
        for world, goal in enumerate(expected):
            lanes = range(world * count, (world + 1) * count)
            here: list[Cell] = [(int(position[0, lane]), int(position[1, lane])) for lane in lanes]
            running = [bool(alive[lane]) for lane in lanes]
            first = -worth if "worth" in order else 0 * worth
            after = settled(here, goal, running, [(float(first[lane]), a) for a, lane in enumerate(lanes)])
            blocked += sum(a != b for a, b, runs in zip(after, goal, running, strict=True) if runs)
            ties += len(set(goal)) < len(goal)
            if env.state["episode"][world] != episodes[world]:
                continue  # a new one has begun
            for a, lane in enumerate(lanes):
                there = (0, 0) if chosen[lane] == "JUMP" else after[a]
                if running[a]:
                    assert tuple(env.state["position"][:, lane].tolist()) == there
    assert blocked > 300
    assert ties > 300


def test_nobody_shares_a_cell_where_nobody_is_put_there(compiled: Callable[[str], Module]) -> None:
    text = CROWD.format(edges="wrap", starts="apart", order=" to highest uniform(0, 1)")
    for line in ("action JUMP { teleport (0, 0) }\n", "dies when energy <= 0\n"):
        text = text.replace(line, "")
    env = hamlet.make(compiled(text), worlds=16, agents=10, backend="c", quiet=True)
    rng, firsts = np.random.default_rng(2), 0
    for _ in range(60):
        before = env.state["position"].numpy().copy()
        env.step(rng.integers(0, len(env.action_names), 160).astype(np.int32))
        position = env.state["position"].numpy().reshape(2, 16, 10)
        firsts += int((position[:, :, 9] != before.reshape(2, 16, 10)[:, :, 9]).any())
        cells = position[0] + 4 * position[1]
        assert all(len(set(row.tolist())) == 10 for row in cells)
    assert firsts > 10, "a lottery lets the last agent go, too"


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_masks_know_nothing_of_others_and_a_blocked_move_costs(backend: str, compiled: Callable[[str], Module]) -> None:
    text = """
universe row
space grid 4 { agents block }
lifespan 9 ticks
meter energy = 1 { move 0.25 }
reward energy + 0.5 * velocity x
observe { meters }
"""
    env = hamlet.make(compiled(text), worlds=1, agents=2, backend=backend, quiet=True)
    env.set("position", [[[0], [1]]], worlds=[0])
    right = env.action_names.index("RIGHT")
    assert env.action_mask[:, right].tolist() == [True, True]
    _, reward, *_ = env.step([right, env.action_names.index("WAIT")])
    assert env.state["position"].tolist() == [[0, 1]]
    assert env.meter("energy").tolist() == [0.75, 1.0]
    assert reward.tolist() == [0.75, 1.0], "who is blocked has no velocity"


SPACE = "space grid 4 x 3 { edges clamp  starts apart  agents block }"
SQUARE = "space continuous (0 .. 1) x (0 .. 1) { step 1  reach 1  agents block }"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("agents block", "agents block to highest 2"), ["H294"]),
        (("agents block", "agents block  agents block"), ["H024"]),
        (("agents block", "agents block to highest count(worth == 1)"), ["H093"]),
        (("{ move (right, down) }", "{ right = 1 when count(worth == 2) > 1  move (right, 0) }"), ["H295"]),
        (("energy -= 0.1 }", "energy -= 0.01 * count(worth == 2) }"), []),
        ((SPACE, SPACE.replace("agents block", "agents bloc")), ["H009"]),
        ((SPACE, SQUARE), ["H009"]),
    ],
)
def test_what_is_wrong(change: tuple[str, str], expected: list[str]) -> None:
    text = CROWD.format(edges="clamp", starts="apart", order="")
    assert change[0] in text
    codes = errors_in(text.replace(*change))
    assert codes[: len(expected) or None] == expected


def test_the_formatter_keeps_it() -> None:
    text, _ = format_source(CROWD.format(edges="clamp", starts="apart", order=" to highest -worth+agent"))
    assert "space grid 4 x 3 { edges clamp  starts apart  agents block to highest -worth + agent }" in text
