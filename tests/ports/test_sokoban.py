"""Sokoban beside the rules of Griddly's file, read by hand: the package has no build for today's Pythons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from beside import Array, State, Step, drawn, side_by_side
from shipped import PORTS

from hamlet.package.module import Module

STEPS = ((0, 0), (-1, 0), (0, -1), (1, 0), (0, 1))
"""Griddly's actions: nothing, left, up, right, down."""
LEVELS = [each.splitlines()[-9:] for each in (PORTS / "maps" / "sokoban.txt").read_text().split("\n\n")]
WIDTH, HEIGHT = 13, 9
EVERYWHERE = [(x, y) for y in range(HEIGHT) for x in range(WIDTH)]
Cell = tuple[int, int]


class Griddly:
    """One world of one level. The first episode begins as the level does, others anywhere with two boxes, or with one
    beside a hole and the avatar near it."""

    def __init__(self, level: int, seed: int) -> None:
        self._rng, self._level, self._episodes = np.random.default_rng(seed), level, 0
        self.walls, self.holes, self.crates, (self.start,) = (self._drawn(letter) for letter in "whbA")
        self.free = [cell for cell in EVERYWHERE if cell not in {*self.walls, *self.holes}]
        self.boxes, self.agent, self._age = set(self.crates), self.start, 0

    def _drawn(self, letter: str) -> list[Cell]:
        return [(x, y) for x, y in EVERYWHERE if LEVELS[self._level][y][x] == letter]

    def _beside(self, cells: list[Cell]) -> list[Cell]:
        near = {(x + dx, y + dy) for x, y in cells for dx, dy in STEPS[1:]}
        return [cell for cell in self.free if cell in near]

    def _one_of(self, cells: list[Cell]) -> Cell:
        return cells[self._rng.integers(len(cells))]

    def reset(self) -> Array:
        self.boxes, self.agent, self._age = set(self.crates), self.start, 0
        if self._episodes > 0 and self._rng.random() < 0.7:
            box = self._one_of(self._beside(self.holes))
            self.boxes, self.agent = {box}, self._one_of(self._beside([box]) or [self.start])
        elif self._episodes > 0:
            self.boxes = {self._one_of(self.free), self._one_of(self.free)}
            self.agent = self._one_of([cell for cell in self.free if cell not in self.boxes])
        self._episodes += 1
        return self._seen()

    def state(self) -> State:
        layout = {"walls of levels": self._grid(self.walls), "holes": self._grid(self.holes), "level": self._level}
        return {**layout, "box": self._grid(self.boxes), "left": len(self.boxes), "position": self.agent}

    def step(self, actions: Array) -> Step:
        reward, (x, y), (right, down) = 0, self.agent, STEPS[int(actions[0])]
        ahead, behind = (x + right, y + down), (x + 2 * right, y + 2 * down)
        if ahead in self.boxes:
            # The box moves first ("cascade"): where it cannot, neither does the avatar.
            if behind in self.holes:
                self.boxes.remove(ahead)
                reward = 1
            elif behind not in {*self.walls, *self.boxes}:
                self.boxes.remove(ahead)
                self.boxes.add(behind)
        if ahead not in {*self.walls, *self.boxes}:
            self.agent = ahead
        self._age += 1
        won = np.array([not self.boxes])
        return Step(self._seen(), np.array([reward]), won, ~won & (self._age >= 200))

    def _grid(self, cells: set[Cell] | list[Cell]) -> Array:
        return np.array([cell in cells for cell in EVERYWHERE], np.float32)

    def _seen(self) -> Array:
        return np.array([[*self._grid(self.boxes), *self.agent, self._level]], np.float32)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_sokoban_has_the_rules_of_griddlys(level: int, port: Callable[[str], Module]) -> None:
    originals = [Griddly(level, seed) for seed in range(12)]
    comparison = side_by_side(port("sokoban"), originals, drawn(5), 420)
    assert comparison.sufficient(terminated=3, truncated=10).differences == 0
