"""Which steps the moves of a grid take: a step is an axis and a displacement on it that is not 0."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet.universe import Universe
from hamletc.ir.function import Table
from hamletc.ir.ops import I32

WORD = 32
STEPS_PER_AXIS, MORE_STEPS = 4, 64
"""Up to so many different steps per axis, and so many more, each is tried for itself. Beyond, each move is."""


@dataclass(frozen=True, slots=True)
class StepTables:
    """The different steps, and tables with a row per move that have a bit (of I32) per step: step i is bit i + 1 of the
    words together. Bit 0 is that of moves that go nowhere."""

    steps: tuple[tuple[int, int], ...]
    words: tuple[Table, ...]


def step_tables(universe: Universe) -> StepTables | None:
    """`None` where the steps are too many to try each."""
    taken = [tuple((axis, int(step)) for axis, step in enumerate(move.by) if step) for move in universe.moves]
    steps = tuple(dict.fromkeys(step for each in taken for step in each))
    if len(steps) > STEPS_PER_AXIS * len(universe.moves[0].by) + MORE_STEPS:
        return None
    bits = {step: index for index, step in enumerate(steps, 1)}
    rows = [sum(1 << bits[step] for step in each) if each else 1 for each in taken]
    words = range(len(steps) // WORD + 1)
    return StepTables(steps, tuple(_table(f"mask.steps{word}", [row >> WORD * word for row in rows]) for word in words))


def _table(name: str, rows: list[int]) -> Table:
    """The lowest 32 bits of each row, as a signed number."""
    return Table(name, I32, tuple((row + 2**31) % 2**32 - 2**31 for row in rows))
