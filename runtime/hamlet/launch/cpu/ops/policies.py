"""Actions that a table of a policy gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from hamlet.launch.cpu.ops.chunks import LANES
from hamlet.launch.cpu.ops.functions import helper


@helper
def look_up(action: Any, choices: Any, situation: Any, count: Any) -> None:
    """The action of each lane's situation; 0 beyond the lanes that there are."""
    for lane in range(count):
        action[lane] = choices[np.uint64(situation[lane])]
    for lane in range(count, LANES):
        action[lane] = 0


@helper
def draw(action: Any, thresholds: Any, columns: Any, situation: Any, count: Any) -> None:
    """Replace 30 random bits of each lane by an action: the number of its situation's thresholds that they reach."""
    for lane in range(count):
        row = np.int64(situation[lane]) * columns
        reached = 0
        for column in range(columns):
            reached += thresholds[np.uint64(row + column)] <= action[lane]
        action[lane] = reached
    for lane in range(count, LANES):
        action[lane] = 0
