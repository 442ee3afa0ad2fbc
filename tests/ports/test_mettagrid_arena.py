"""The arena beside MettaGrid's own simulator: where 24 agents go, what they make and see, from its maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from beside import Array

import hamlet
from hamlet.package.module import Module

pytest.importorskip("mettagrid", reason="hamletc[ports] is not installed: mettagrid")

AGENTS, SIZE, BORDER, RADIUS = 24, 25, 6, 6
MACHINES = {"mine": 10, "generator": 5, "altar": 5}
KINDS = ("none", "wall", *MACHINES)
ITEMS = {"ore": "ore_red", "battery": "battery_red", "heart": "heart"}
OFFSETS = np.arange(-RADIUS, RADIUS + 1)
DISK = OFFSETS[:, None] ** 2 + OFFSETS**2 <= RADIUS**2 + 1
"""What the original shows of the square around an agent."""
STEPS = [(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0)]
WORLDS, TICKS = 3, 400


def simulation(seed: int) -> Any:
    """`make_arena` with machines that agents use by walking into them."""
    from mettagrid.builder.envs import make_arena
    from mettagrid.config.handler_config import Handler, actorHas, updateActor
    from mettagrid.config.mettagrid_config import GridObjectConfig
    from mettagrid.simulator import Simulator

    config: Any = make_arena(AGENTS)
    uses = {
        "mine": Handler(mutations=[updateActor({"ore_red": 1})]),
        "generator": Handler(
            filters=[actorHas({"ore_red": 1})], mutations=[updateActor({"ore_red": -1, "battery_red": 1})]
        ),
        "altar": Handler(
            filters=[actorHas({"battery_red": 3})], mutations=[updateActor({"battery_red": -3, "heart": 1})]
        ),
    }
    for name, use in uses.items():
        config.game.objects[name] = GridObjectConfig(name=name, map_name=name, on_use_handler=use)
    config.game.map_builder.instance.objects.update(MACHINES)
    return Simulator().new_simulation(config, seed=seed)


class Original:
    """A world of it."""

    def __init__(self, seed: int) -> None:
        self.sim = simulation(seed)
        self.ground = np.zeros((SIZE, SIZE), int)
        self.tags: dict[int, str] = {}
        for each in self.sim.grid_objects().values():
            self.tags[each["tag"]] = each["type_name"]
            x, y = each["c"] - BORDER, each["r"] - BORDER
            if each["type_name"] in KINDS and 0 <= x < SIZE and 0 <= y < SIZE:
                self.ground[y, x] = KINDS.index(each["type_name"])
        self.look()

    def look(self) -> None:
        """Where agents are, [agents, 2], and what they have, [agents, items]."""
        items = [self.sim.resource_names.index(name) for name in ITEMS.values()]
        self.places, self.items = np.zeros((AGENTS, 2), int), np.zeros((AGENTS, len(items)), int)
        for each in self.sim.grid_objects().values():
            if each["type_name"] == "agent":
                number = each["agent_id"]
                self.places[number] = each["c"] - BORDER, each["r"] - BORDER
                self.items[number] = [each["inventory"].get(item, 0) for item in items]

    def step(self, actions: Array) -> Array:
        """The rewards of a step."""
        for number, action in enumerate(actions):
            self.sim.agent(number).set_action(self.sim.action_names[action])
        self.sim.step()
        self.look()
        return np.array([self.sim.agent(number).step_reward for number in range(AGENTS)])

    def seen(self, number: int) -> Array:
        """The tokens of an agent as channels: walls, machines, agents and what they have, [8, 13, 13]."""
        shown = np.zeros((4 + 1 + len(ITEMS), 2 * RADIUS + 1, 2 * RADIUS + 1))
        items = {f"inv:{name}": 5 + index for index, name in enumerate(ITEMS.values())}
        for token in self.sim.agent(number).observation.tokens:
            if token.is_global:
                continue
            name, at = token.feature.name, (token.row(), token.col())
            if name == "tag":
                kind = self.tags[token.value]
                shown[4 if kind == "agent" else KINDS.index(kind) - 1, *at] += 1
            elif name in items:
                shown[items[name], *at] += token.value
        return shown

    def seek(self, number: int, rng: np.random.Generator) -> int:
        """A step towards the nearest machine that an agent can use, or any."""
        ore, battery, _ = self.items[number]
        kind = KINDS.index("altar" if battery >= 3 else "generator" if ore >= 1 else "mine")
        if rng.random() < 0.3:
            return int(rng.integers(len(STEPS)))
        away = np.argwhere(self.ground == kind)[:, ::-1] - self.places[number]
        dx, dy = away[np.abs(away).sum(axis=1).argmin()]
        return (3 if dx < 0 else 4) if abs(dx) > abs(dy) else (1 if dy < 0 else 2)


def test_the_arena_is_mettagrids(port: Callable[[str], Module]) -> None:
    """Who uses what, and who goes where, but for the order in which agents have their turns."""
    env = hamlet.make(port("mettagrid_arena"), worlds=WORLDS, backend="c", seed=1, quiet=True)
    env.reset()
    originals, rng = [Original(seed) for seed in range(WORLDS)], np.random.default_rng(6)
    env.set("object", np.stack([each.ground.ravel() for each in originals], axis=1))
    counted: Counter[str] = Counter()
    for tick in range(TICKS):
        env.set("position", np.stack([each.places for each in originals]))
        if tick % 20 == 0:
            rows = env.observation.numpy().reshape(WORLDS, AGENTS, 8, 2 * RADIUS + 1, 2 * RADIUS + 1)
            for world, original in enumerate(originals):
                for number in range(AGENTS):
                    assert np.array_equal(rows[world, number] * DISK, original.seen(number))
                    counted["views"] += 1
        actions = np.array([[each.seek(number, rng) for number in range(AGENTS)] for each in originals], np.int32)
        before = [each.places.copy() for each in originals]
        _, reward, terminated, truncated, _ = env.step(actions)
        assert not terminated.any()
        assert not truncated.any()
        places = env.state["position"].numpy().reshape(2, WORLDS, AGENTS).transpose(1, 2, 0)
        for world, original in enumerate(originals):
            paid = original.step(actions[world])
            assert np.array_equal(reward.numpy().reshape(WORLDS, AGENTS)[world], paid)
            counted["hearts"] += int(paid.sum())
            for index, name in enumerate(ITEMS):
                held = env.meter(name).numpy().reshape(WORLDS, AGENTS)[world]
                assert np.array_equal(held, original.items[:, index])
            goals = before[world] + np.array(STEPS)[actions[world]]
            began = {tuple(place) for place in before[world]}
            wanted = Counter(tuple(goal) for goal in goals)
            for number, goal in enumerate(goals):
                follows = tuple(goal) in began and actions[world, number] > 0
                if follows or wanted[tuple(goal)] > 1:
                    counted["in turn"] += 1
                    assert tuple(places[world, number]) in (tuple(before[world][number]), tuple(goal))
                    assert not follows or tuple(places[world, number]) == tuple(before[world][number])
                else:
                    counted["alone"] += 1
                    assert np.array_equal(places[world, number], original.places[number])
    assert counted["hearts"] > 50, counted
    assert min(counted["in turn"], counted["alone"], 10 * counted["views"]) > 10000, counted
