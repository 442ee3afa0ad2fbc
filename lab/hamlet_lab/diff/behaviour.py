"""Differences of behaviour between two universes: first lives with the same random numbers, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import sqrt

import numpy as np
import torch

from hamlet import schema
from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.env.act.trajectories import chosen
from hamlet.interpreter import Interpreter
from hamlet.interpreter.interpreter import global_lanes
from hamlet.interpreter.policy import drawn_controls
from hamlet.schema.roles import fewest_agents
from hamlet.universe import Universe
from hamlet_lab.diff.parting import Parting, Rows
from hamlet_lab.divergence.arrays import cause_names
from hamlet_lab.divergence.events import CPU, Candidate, Runner
from hamlet_lab.divergence.session import Side
from hamletc.ir.evaluate import Array

NORMAL = 1.959964
"""The quantile of the normal distribution for an interval of 95%."""


@dataclass(frozen=True, slots=True)
class Row:
    """A number of agents on both sides.

    Attributes:
        name: of the number.
        left, right: its means; NaN on a side that has no such thing.
        half: of the 95% interval of the difference, which is of pairs of worlds with the same random numbers.
    """

    name: str
    left: float
    right: float
    half: float

    @property
    def difference(self) -> float:
        """Right less left."""
        return self.right - self.left


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Two universes as they were played.

    Attributes:
        worlds, ticks, seed: how many worlds, for how many ticks at most, and of all randomness.
        agents: in each world of the left universe and of the right one.
        rows: numbers on both sides: lives, returns, uses, ends.
        survival: [sides][ticks]: the share of agents in their first life, after each tick.
        returns: [sides][agents]: of first lives, sorted.
        parting: where the sides part first; `None` where they do not.
    """

    worlds: int
    ticks: int
    seed: int
    agents: tuple[int, int]
    rows: tuple[Row, ...]
    survival: tuple[tuple[float, ...], tuple[float, ...]]
    returns: tuple[tuple[float, ...], tuple[float, ...]]
    parting: Parting | None

    def lines(self) -> Iterator[str]:
        """The behaviour as text."""
        agents = " and ".join(dict.fromkeys(f"{count} agent{'s' if count > 1 else ''}" for count in self.agents))
        yield (
            f"behaviour: first lives in {self.worlds} worlds of {agents}, for {self.ticks} ticks at most, random "
            f"actions, seed {self.seed} on both sides"
        )
        width = max(len(row.name) for row in self.rows)
        yield f"  {'':<{width}}  {'left':>9}  {'right':>9}  difference, 95% interval"
        for row in self.rows:
            shown = [f"{value:>9.4g}" if np.isfinite(value) else f"{'-':>9}" for value in (row.left, row.right)]
            told = "  equal" if row.left == row.right and not row.half else ""
            if np.isfinite(row.difference) and row.half > 0:
                low, high = row.difference - row.half, row.difference + row.half
                told = f"  {row.difference:+.4g}  ({low:.4g} .. {high:.4g})"
            yield f"  {row.name:<{width}}  {shown[0]}  {shown[1]}{told}"
        if self.parting is not None:
            yield from self.parting.lines()
        elif self.agents[0] == self.agents[1]:
            yield f"no state parts in {self.ticks} ticks of these worlds"


@dataclass(slots=True)
class _Lives:
    """One side as it is played: first lives, [lanes]."""

    universe: Universe
    runner: Runner
    interpreter: Interpreter
    numbers: torch.Tensor
    running: Array
    lives: Array
    gained: Array
    uses: Array
    causes: Array
    survival: list[float] = field(default_factory=list)

    @classmethod
    def begun(cls, universe: Universe, worlds: int, agents: int, seed: int) -> _Lives:
        shape, interpreter = Shape(worlds, agents), Interpreter(universe, CPU)
        runner = Runner(universe, Candidate(interpreter, CPU), shape)
        interpreter.reset(runner.buffers, Stream(seed, 0))
        zeros = np.zeros(shape.lanes)
        return cls(
            universe,
            runner,
            interpreter,
            global_lanes(shape, CPU),
            runner.buffers.state["alive"].numpy().copy(),
            zeros.copy(),
            zeros.copy(),
            np.zeros((len(universe.affordances), shape.lanes)),
            np.full(shape.lanes, schema.NOWHERE),
        )

    def step(self, now: Stream) -> None:
        """Play a tick."""
        buffers = self.runner.buffers
        if self.universe.controls:
            buffers.state["controls"].copy_(drawn_controls(self.universe, self.numbers, now))
        actions = chosen(self.interpreter, buffers, RandomPolicy(), now)
        self.interpreter.step(buffers, actions.contiguous(), now)
        outcome = {name: values.numpy() for name, values in buffers.outcome.items()}
        ended = self.running & (outcome["terminated"] | outcome["truncated"])
        self.lives += self.running
        self.gained += np.where(self.running, outcome["reward"], 0.0)
        for number in range(len(self.uses)):
            self.uses[number] += self.running & (outcome["used"] == number)
        self.causes = np.where(ended, outcome["cause"], self.causes)
        self.running &= ~ended
        self.survival.append(float(self.running.mean()))

    def counted(self) -> dict[str, Array]:
        """Numbers of lanes by name, f64 [worlds]: means over the agents of each world."""
        result = {"life in ticks": self.lives, "return": self.gained}
        for place, uses in zip(self.universe.affordances, self.uses, strict=True):
            result[f"uses of {place.name}"] = uses
        for number, name in enumerate(cause_names(self.universe)):
            result[f"ended by {name}"] = (self.causes == number).astype(np.float64)
        result["alive at the end"] = self.running.astype(np.float64)
        agents = self.runner.buffers.shape.agents
        return {name: values.reshape(-1, agents).mean(axis=1) for name, values in result.items()}


def behaviour(left: Side, right: Side, worlds: int, ticks: int, seed: int) -> Behaviour:
    """Play both universes by the interpreter, with the same random numbers."""
    agents = fewest_agents(left.universe), fewest_agents(right.universe)
    sides = [
        _Lives.begun(side.universe, worlds, count, seed) for side, count in zip((left, right), agents, strict=True)
    ]
    ours, theirs = sides
    rows = Rows(left, right) if agents[0] == agents[1] else None
    states = ours.runner.buffers.state, theirs.runner.buffers.state
    apart = None if rows is None else rows.parting(*states, None)
    for tick in range(ticks):
        now = Stream(seed, tick)
        for each in sides:
            each.step(now)
        if rows is not None and apart is None:
            apart = rows.parting(*states, tick)
        if not (ours.running.any() or theirs.running.any()) and (apart is not None or rows is None):
            break
    parting = None if rows is None or apart is None else rows.explained(apart, agents[0], seed)
    numbers = ours.counted(), theirs.counted()
    made = tuple(_row(name, numbers[0].get(name), numbers[1].get(name)) for name in _names(*numbers))
    return Behaviour(
        worlds,
        ticks,
        seed,
        agents,
        made,
        (tuple(ours.survival), tuple(theirs.survival)),
        (tuple(np.sort(ours.gained).tolist()), tuple(np.sort(theirs.gained).tolist())),
        parting,
    )


def _names(ours: dict[str, Array], theirs: dict[str, Array]) -> list[str]:
    """The names of numbers that something was counted of, those that both have first met in order."""
    counted = Counter({name: float(np.abs(values).sum()) for name, values in ours.items()})
    counted.update({name: float(np.abs(values).sum()) for name, values in theirs.items()})
    return [name for name in {**ours, **theirs} if counted[name] > 0]


def _row(name: str, ours: Array | None, theirs: Array | None) -> Row:
    left, right = (float("nan") if values is None else float(values.mean()) for values in (ours, theirs))
    half = float("nan")
    if ours is not None and theirs is not None and len(ours) > 1:
        half = NORMAL * float((theirs - ours).std(ddof=1)) / sqrt(len(ours))
    return Row(name, left, right, half)
