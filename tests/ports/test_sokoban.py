"""Sokoban beside the rules of Griddly's file, read by hand: the package has no build for today's Pythons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from beside import Array, State, Step, drawn, side_by_side
from shipped import PORTS

from hamlet.package.module import Module

STEPS = ((0, 0), (-1, 0), (0, -1), (1, 0), (0, 1))
"""Griddly's actions: nothing, left, up, right, down."""
LEVEL = [line.strip()[1:-1] for line in (PORTS / "sokoban.hamlet").read_text().split("map {")[1].split("\n")[1:9]]
WALLS, HOLES, CRATES = (
    {(x, y) for y, row in enumerate(LEVEL) for x, letter in enumerate(row) if letter == one} for one in "whb"
)
(START,) = ((x, y) for y, row in enumerate(LEVEL) for x, letter in enumerate(row) if letter == "A")
FREE = sorted({(x, y) for y in range(8) for x in range(9)} - WALLS - HOLES - {START})
BESIDE = [(x + dx, y + dy) for x, y in sorted(HOLES) for dx, dy in STEPS[1:] if (x + dx, y + dy) in FREE]


class Griddly:
    """One world. The first episode begins as the level does, others with two boxes, or one beside a hole."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._episodes = 0

    def reset(self) -> Array:
        pool, many = (BESIDE, 1) if self._rng.random() < 0.7 else (FREE, 2)
        anywhere = {pool[number] for number in self._rng.choice(len(pool), many, replace=False)}
        self.boxes = set(CRATES) if self._episodes == 0 else anywhere
        self.agent, self._age, self._episodes = START, 0, self._episodes + 1
        return self._seen()

    def state(self) -> State:
        return {"box": self._grid(), "left": len(self.boxes)}

    def step(self, actions: Array) -> Step:
        reward, (x, y), (right, down) = 0, self.agent, STEPS[int(actions[0])]
        ahead, behind = (x + right, y + down), (x + 2 * right, y + 2 * down)
        if ahead in self.boxes:
            # The box moves first ("cascade"): where it cannot, neither does the avatar.
            if behind in HOLES and behind not in self.boxes:
                self.boxes.remove(ahead)
                reward = 1
            elif behind not in WALLS | self.boxes:
                self.boxes.remove(ahead)
                self.boxes.add(behind)
        if ahead not in WALLS | self.boxes:
            self.agent = ahead
        self._age += 1
        won = np.array([not self.boxes])
        return Step(self._seen(), np.array([reward]), won, ~won & (self._age >= 200))

    def _grid(self) -> Array:
        return np.array([(x, y) in self.boxes for y in range(8) for x in range(9)], np.float32)

    def _seen(self) -> Array:
        return np.array([[*self._grid(), *self.agent]], np.float32)


def test_sokoban_has_the_rules_of_griddlys(port: Callable[[str], Module]) -> None:
    comparison = side_by_side(port("sokoban"), [Griddly(seed) for seed in range(40)], drawn(5), 620)
    assert comparison.sufficient(terminated=20, truncated=40).differences == 0
