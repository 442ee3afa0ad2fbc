"""Runs of simple policies: who lived how long, what rewarded, what fired, what meters did."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import torch

from hamlet import schema
from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Coverage, Interpreter
from hamlet.interpreter.interpreter import global_lanes
from hamlet.interpreter.policy import drawn_controls
from hamlet.universe import Universe
from hamlet_lab.divergence.events import CPU, Candidate, Runner
from hamlet_lab.divergence.session import Side
from hamlet_lab.lint.players import Camper, Gains, Player
from hamlet_lab.verify.fired import counting
from hamletc.ir.evaluate import Array


@dataclass(slots=True)
class Seen:
    """What was seen of a player.

    Attributes:
        player: its name.
        ticks: lane-ticks.
        longest: the longest life; survived: the agents that lived to the end of an episode or of the run.
        lanes: how many were watched.
        causes: how often each cause ended an episode.
        rose: bool [meters], whether a meter ever rose within an episode.
        floor: bool [meters], whether each agent had a meter at its floor at the end of its first life.
        returns: f64 [lanes], rewards of the first episode of each lane.
    """

    player: str
    lanes: int
    ticks: int = 0
    longest: int = 0
    survived: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    rose: Array = field(default_factory=lambda: np.zeros(0, np.bool_))
    floor: Array = field(default_factory=lambda: np.zeros(0, np.bool_))
    returns: Array = field(default_factory=lambda: np.zeros(0))


def watched(
    side: Side, name: str, shape: Shape, seed: int, ticks: int, gains: Gains, avoided: int | None = None
) -> Seen:
    """A player's first episodes, for so many ticks at most. `avoided`: an affordance by its number, where it waits."""
    universe, backend = side.universe, side.candidate.backend
    runner = Runner(universe, side.candidate, shape)
    buffers = runner.buffers
    backend.reset(buffers, Stream(seed, 0))
    player, numbers = Player(name, universe, shape.lanes, gains, avoided), global_lanes(shape, CPU)
    running, meters = np.ones(shape.lanes, np.bool_), buffers.state["meters"]
    low = np.array([meter.low for meter in universe.meters], np.float32)[:, None]
    seen = Seen(name, shape.lanes, rose=np.zeros(len(low), np.bool_), floor=np.ones(len(low), np.bool_))
    returns, lives = np.zeros(shape.lanes), np.zeros(shape.lanes, np.int64)
    causes = (*(cause.name for cause in universe.causes), "lifespan")
    for tick in range(ticks):
        now, before = Stream(seed, tick), meters.numpy().copy()
        if universe.controls:
            buffers.state["controls"].copy_(drawn_controls(universe, numbers, now))
        backend.step(buffers, player.actions(buffers, now).contiguous(), now)
        ended = (buffers.outcome["terminated"] | buffers.outcome["truncated"]).numpy()
        lives += running
        returns += np.where(running, buffers.outcome["reward"].numpy(), 0.0)
        goes_on = running & ~ended
        seen.rose |= ((meters.numpy() > before) & goes_on).any(axis=1)
        for lane in np.flatnonzero(running & ended):
            number = int(buffers.outcome["cause"][lane])
            seen.causes[causes[number]] += 1
            seen.survived += causes[number] == "lifespan"
        seen.floor &= (before <= low)[:, running & ended].all(axis=1) if (running & ended).any() else True
        seen.ticks += int(running.sum())
        running = goes_on
        if not running.any():
            break
    if running.any():
        seen.floor &= (meters.numpy() <= low)[:, running].all(axis=1)
    seen.longest, seen.returns = int(lives.max()), returns
    seen.survived += int(running.sum())
    return seen


def fired(universe: Universe, agents: int, seed: int, ticks: int, worlds: int, gains: Gains) -> tuple[Coverage, int]:
    """How often everything that can fire did, under all simple policies, and in how many lane-ticks."""
    coverage = counting(universe)
    interpreter = Interpreter(universe, CPU, coverage=coverage)
    side = Side("", universe, Candidate(interpreter, CPU))
    shape, total = Shape(worlds, agents), 0
    for number, name in enumerate(("random", "round", "needy")):
        runner = Runner(universe, side.candidate, shape)
        interpreter.reset(runner.buffers, Stream(seed + number, 0))
        player, numbers = Player(name, universe, shape.lanes, gains), global_lanes(shape, CPU)
        for tick in range(ticks):
            now = Stream(seed + number, tick)
            if universe.controls:
                runner.buffers.state["controls"].copy_(drawn_controls(universe, numbers, now))
            interpreter.step(runner.buffers, player.actions(runner.buffers, now).contiguous(), now)
        total += ticks * shape.lanes
    return coverage, total


def camped(side: Side, place: int, shape: Shape, seed: int, uses: int) -> float | None:
    """How much more an agent gets in a tick in which it uses an affordance once more than in one in which it waits,
    after so many uses in a row; `None` where that is nothing, or a meter is another one after it."""
    universe, backend = side.universe, side.candidate.backend
    runner = Runner(universe, side.candidate, shape)
    buffers, camper = runner.buffers, Camper(universe, shape.lanes, place)
    backend.reset(buffers, Stream(seed, 0))
    begun, count = buffers.state["episode"].clone(), np.zeros(shape.lanes, np.int64)
    last = camper.walk + uses + 1
    for tick in range(last):
        actions = camper.actions(buffers)
        backend.step(buffers, actions, Stream(seed, tick))
        used = (buffers.outcome["used"] == place).numpy()
        count = np.where(used, count + 1, 0)
    first = (buffers.state["episode"] == begun).repeat_interleave(shape.agents).numpy()
    camping = (count >= uses) & first & buffers.state["alive"].numpy()
    if not camping.any():
        return None
    after = []
    for waits in (False, True):
        twin = Runner.resumed(universe, side.candidate, buffers)
        actions = torch.full_like(camper.actions(buffers), schema.idle_action(universe))
        backend.step(twin.buffers, actions if waits else camper.interacting(shape.lanes), Stream(seed, last))
        after.append(twin.buffers)
    more = (after[0].outcome["reward"] - after[1].outcome["reward"]).numpy()
    same = (after[0].state["meters"] == after[1].state["meters"]).all(dim=0).numpy()
    farmed = camping & same & (more > 0)
    return float(more[farmed].mean()) if 2 * farmed.sum() > camping.sum() else None
