"""Runs of simple policies: who lived how long, and which meters rose."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import torch

from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import Stream
from hamlet_lab.divergence.arrays import cause_names
from hamlet_lab.divergence.events import Runner
from hamlet_lab.divergence.session import Side
from hamlet_lab.lint.players import Gains, Player
from hamletc.ir.evaluate import Array


@dataclass(slots=True)
class Seen:
    """A player's lives, as they were seen.

    Attributes:
        player: its name.
        lanes: how many were watched.
        ticks: lane-ticks.
        longest: the longest life.
        place: the world and the agent that had it.
        survived: the agents that lived to the end of an episode or of the run.
        causes: how often each cause ended an episode.
        rose: bool [meters], whether a meter ever rose within an episode.
    """

    player: str
    lanes: int
    ticks: int = 0
    longest: int = 0
    place: tuple[int, int] = (0, 0)
    survived: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    rose: Array = field(default_factory=lambda: np.zeros(0, np.bool_))


def watched(side: Side, name: str, shape: Shape, seed: int, ticks: int, gains: Gains) -> Seen:
    """A player's first episodes, for so many ticks at most."""
    universe, backend = side.universe, side.candidate.backend
    runner = Runner(universe, side.candidate, shape, torch.float32 if name == "linear" else None)
    buffers = runner.buffers
    backend.reset(buffers, Stream(seed, 0))
    player = Player(name, universe, shape.lanes, gains)
    running, meters = buffers.state["alive"].numpy().copy(), buffers.state["meters"]
    seen = Seen(name, shape.lanes, rose=np.zeros(len(universe.meters), np.bool_))
    lives = np.zeros(shape.lanes, np.int64)
    causes = cause_names(universe)
    goals = {cause.name for cause in universe.causes if cause.goal is not None} | {"lifespan"}
    for tick in range(ticks):
        now, before = Stream(seed, tick), meters.numpy().copy()
        player.steer(buffers, now)
        backend.step(buffers, player.actions(buffers, now).contiguous(), now)
        ended = (buffers.outcome["terminated"] | buffers.outcome["truncated"]).numpy()
        lives += running
        for number in buffers.outcome["cause"].numpy()[running & ended].tolist():
            seen.causes[causes[number]] += 1
            seen.survived += causes[number] in goals
        seen.ticks += int(running.sum())
        running = running & ~ended
        seen.rose |= ((meters.numpy() > before) & running).any(axis=1)
        if not running.any():
            break
    seen.longest, seen.place = int(lives.max()), divmod(int(lives.argmax()), shape.agents)
    seen.survived += int(running.sum())
    return seen
