"""What the universes of the gallery about ways teach, held to search and to theory."""

from __future__ import annotations

from collections import deque

import torch
from torch import Tensor
from watch import make, watch

from hamlet.env.environment import Env
from hamlet.universe import Grid

STEPS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}


def rows_of(env: Env) -> tuple[str, ...]:
    """The map of the maze."""
    space = env.universe.space
    assert isinstance(space, Grid)
    assert space.map is not None
    return space.map.rows


def search(rows: tuple[str, ...], goal: tuple[int, int]) -> dict[tuple[int, int], int]:
    """The fewest steps from each cell, breadth first."""
    far, queue = {goal: 0}, deque([goal])
    while queue:
        x, y = queue.popleft()
        for right, down in STEPS.values():
            there = (x + right, y + down)
            if rows[there[1]][there[0]] != "#" and there not in far:
                far[there] = far[x, y] + 1
                queue.append(there)
    return far


def mice(env: Env) -> list[tuple[int, int]]:
    x, y = env.state["position"].tolist()
    return list(zip(x, y, strict=True))


def cheeses(env: Env) -> list[tuple[int, int]]:
    """Where the cheese lies in each world."""
    width = len(rows_of(env)[0])
    cells = env.state["places"][0].tolist()
    return [(cell % width, cell // width) for cell in cells]


def downhill(env: Env, far: list[dict[tuple[int, int], int]]) -> Tensor:
    """For each mouse the move after which this number is least; INTERACT where it is 0."""
    names = []
    for (x, y), numbers in zip(mice(env), far, strict=True):
        around = {name: numbers.get((x + right, y + down), 999) for name, (right, down) in STEPS.items()}
        names.append("INTERACT" if numbers[x, y] == 0 else min(around, key=lambda name: around[name]))
    return torch.tensor([env.action_names.index(name) for name in names], dtype=torch.int32)


def test_whoever_follows_the_shaping_walks_the_shortest_way() -> None:
    env = make("maze", worlds=24)
    env.reset()
    goals, rows = cheeses(env), rows_of(env)
    assert {rows[y][x] for x, y in goals} == {"c"}
    far = [search(rows, goal) for goal in goals]
    begin = [numbers[mouse] for numbers, mouse in zip(far, mice(env), strict=True)]
    seen = watch(env, max(begin) + 1, lambda env, _: downhill(env, far))
    for world, ticks in enumerate(begin):
        used = seen.used[:, world, 0].tolist()
        assert used.index(0) == ticks, "it eats when the shortest way is behind it"
        assert bool((seen["nearer"][:ticks, world] == 1).all())
        assert seen["steps"][:ticks, world].flatten().tolist() == list(range(ticks - 1, -1, -1))
    assert len(set(begin)) > 3


def test_as_the_crow_flies_it_would_end_in_front_of_a_wall() -> None:
    env = make("maze", worlds=24)
    env.reset()
    rows = rows_of(env)
    open_cells = [(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != "#"]
    crow = [{(x, y): abs(x - right) + abs(y - down) for x, y in open_cells} for right, down in cheeses(env)]
    seen = watch(env, 119, lambda env, _: downhill(env, crow))
    assert not bool((seen.used == 0).any())


def test_shaping_adds_up_to_how_much_nearer_the_mouse_is() -> None:
    """A potential: whatever the mouse does, on any way from here to there."""
    env = make("maze", worlds=24)
    env.reset()
    far = [search(rows_of(env), goal) for goal in cheeses(env)]
    begin = torch.tensor([numbers[mouse] for numbers, mouse in zip(far, mice(env), strict=True)])
    torch.manual_seed(3)
    total = torch.zeros(24)
    for _ in range(119):
        actions = torch.randint(0, len(env.action_names), (24,), dtype=torch.int32)
        env.step(actions)
        total += env.reports["nearer"]
    end = torch.tensor([numbers[mouse] for numbers, mouse in zip(far, mice(env), strict=True)])
    assert total.tolist() == (begin - end).tolist()
    assert len(set(end.tolist())) > 3


def test_a_commute_without_a_plan_takes_two_m_r_ticks() -> None:
    """The commute time identity (Chandra, Raghavan, Ruzzo, Smolensky, Tiwari: The electrical resistance of a graph
    captures its commute and cover times; STOC 1989)."""
    env = make("commute", worlds=512)
    space = env.universe.space
    assert isinstance(space, Grid)
    assert space.graph is not None
    nodes = space.graph.nodes
    numbers = {node.name: number for number, node in enumerate(nodes)}
    laplacian = torch.zeros(len(nodes), len(nodes), dtype=torch.float64)
    for node in nodes:
        for other in node.leads:
            laplacian[numbers[node.name], numbers[node.name]] += 1
            laplacian[numbers[node.name], numbers[other]] -= 1
    streets = int(laplacian.trace()) // 2
    inverse = torch.linalg.pinv(laplacian)
    home, office = numbers["home"], numbers["office"]
    resistance = inverse[home, home] + inverse[office, office] - 2 * inverse[home, office]

    _, info = env.reset()
    torch.manual_seed(1)
    took, at = [], torch.zeros(len(nodes), dtype=torch.float64)
    for tick in range(1500):
        streets_open = info["action_mask"][:, : len(nodes)].float()
        *_, info = env.step(torch.multinomial(streets_open, 1).squeeze(1).to(torch.int32))
        took.append(env.meter("took").flatten().clone())
        if tick >= 100:
            at += torch.bincount(env.state["position"][0].long(), minlength=len(nodes))
    trips = torch.cat(took)
    trips = trips[trips > 0]
    assert len(trips) > 10_000
    assert abs(float(trips.mean()) / float(2 * streets * resistance) - 1) < 0.03
    degrees = laplacian.diagonal()
    assert (at / at.sum() - degrees / degrees.sum()).abs().max() < 0.01, "time is spent in proportion to streets"


def test_a_burglar_without_a_map_finds_the_safe_as_often_as_its_level_says() -> None:
    """A walk at random on each level, by powers of its matrix; levels come with their weights."""
    env = make("cellars", worlds=6000, seed=4)
    env.reset()
    level, stone = env.meter("level").long().view(-1), env.meter("walls of levels").T.bool()
    safe, width = env.meter("safe").T.bool(), 11
    counts = torch.bincount(level, minlength=3).double()
    expected = torch.tensor([1.0, 2.0, 3.0]).double() * 1000
    assert float(((counts - expected) ** 2 / expected).sum()) < 2 + 5 * 4**0.5
    torch.manual_seed(5)
    moves = torch.tensor([env.action_names.index(name) for name in STEPS])
    open_ones, finds = torch.ones(6000, dtype=torch.bool), torch.zeros(6000, dtype=torch.bool)
    for _ in range(120):
        *_, ended, over, _ = env.step(moves[torch.randint(0, 4, (6000,))].to(torch.int32))
        finds |= open_ones & ended
        open_ones &= ~(ended | over)
    assert not bool(open_ones.any())
    for number in range(3):
        world = int((level == number).nonzero()[0])
        walls, goal = stone[world], int(safe[world].nonzero())
        walk = torch.zeros(len(walls), len(walls), dtype=torch.float64)
        for cell in (~walls).nonzero().flatten().tolist():
            for right, down in STEPS.values():
                there = cell + right + width * down
                walk[cell, cell if bool(walls[there]) else there] += 0.25
        walk[goal] = 0
        walk[goal, goal] = 1
        share = float(torch.linalg.matrix_power(walk, 120)[width + 1, goal])
        count = int(counts[number])
        told = float(finds[level == number].double().mean())
        assert abs(told - share) < 4 * (share * (1 - share) / count) ** 0.5, number
