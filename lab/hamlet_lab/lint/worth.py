"""The worth of one use of an affordance: what it adds to the return, from random states, with the same random numbers.

In each state an agent stands at the affordance. It uses it once, or waits; from then on a simple policy acts that
leaves the affordance alone. So the price of a use and all that it is good for later count, and nothing else makes a
difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
import torch

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape
from hamlet.backend.protocol import Stream
from hamlet.interpreter.places import Places
from hamlet.schema.grid import cell_of
from hamlet.universe import Affordance, Grid, LastUse, NoSpace, Streak, Universe, Visited, nodes
from hamlet_lab.divergence.events import CPU, Runner
from hamlet_lab.divergence.session import Side
from hamlet_lab.lint.fired import scatter_meters
from hamlet_lab.lint.players import Gains, Player, interacting
from hamletc.ir.evaluate import Array

NORMAL = 2.576
"""The quantile of the normal distribution for an interval of 99%."""
PLAYERS = ("needy", "saving", "waiting")
STATES = 64
"""States in which each affordance is tried."""
TICKS = 200
"""Ticks that follow a use."""
PARTS = 5
"""Parts of the range of each meter, in which a use may be worth something."""
FEWEST = 8


@dataclass(frozen=True, slots=True)
class Worth:
    """The worth of an affordance, with one player afterwards.

    Attributes:
        affordance: its number.
        player: who acts then.
        uses: how many there were.
        mean, half: of what a use adds to the return, and half of its interval of 99%.
        better: how many added something.
        part: in words, the part of a meter's range where it adds most, and what it adds there on average.
    """

    affordance: int
    player: str
    uses: int
    mean: float
    half: float
    better: int
    part: tuple[str, float]

    @property
    def never(self) -> bool:
        """Whether it is worth nothing, on the whole and in each part of each meter's range."""
        return self.uses >= 2 * FEWEST and self.mean + self.half < 0 and self.part[1] <= 0


def judged(universe: Universe) -> list[int]:
    """The numbers of the affordances whose worth uses can show: they change meters and nothing that is asked for later
    in another way."""
    if isinstance(universe.space, NoSpace) or not (universe.rewards or universe.lifespan):
        return []
    states = {meter.name for meter in universe.meters if meter.type is not None}
    remembered = any(isinstance(node, LastUse | Streak | Visited) for node in nodes(universe))
    return [
        number
        for number, place in enumerate(universe.affordances)
        if not (remembered or place.solid or _changes_more(place, states))
    ]


def _changes_more(place: Affordance, states: set[str]) -> bool:
    bodies = (*place.instantly, *place.each_tick, *place.on_completion)
    return any(each.relocations or each.pushes or states & set(each.writes) for each in bodies)


def worths(side: Side, agents: int, seed: int, ticks: int, gains: Gains) -> Iterator[Worth]:
    """The worth of each affordance that is judged, with each player, over so many ticks at most."""
    universe, numbers = side.universe, judged(side.universe)
    ticks = min(ticks, TICKS)
    if not numbers:
        return
    places = torch.tensor(numbers).repeat_interleave(STATES)
    shape = Shape(len(places), agents)
    begin = Runner(universe, side.candidate, shape)
    side.candidate.backend.reset(begin.buffers, Stream(seed, 0))
    _scatter(universe, begin.buffers, places, seed)
    meters = begin.buffers.state["meters"][:, ::agents].numpy().copy()
    for name in PLAYERS:
        use, used = _outcome(side, begin.buffers, name, places, seed, ticks, gains, True)
        wait, _ = _outcome(side, begin.buffers, name, places, seed, ticks, gains, False)
        for number in numbers:
            chosen = (places.numpy() == number) & used
            # What others gain by it counts, too.
            alone, together = ((u - w)[chosen] for u, w in zip(use, wait, strict=True))
            gained = alone if agents == 1 or alone.sum() > together.sum() else together
            yield _worth(universe, number, name, gained, meters[:, chosen])


def _worth(universe: Universe, number: int, name: str, gained: Array, meters: Array) -> Worth:
    if len(gained) < 2:
        return Worth(number, name, len(gained), 0.0, float("inf"), 0, ("", 0.0))
    parts = [("", -np.inf)]
    for meter, values in zip(universe.meters, meters, strict=True):
        size = (meter.high - meter.low) / PARTS
        for part in range(PARTS):
            low, high = meter.low + part * size, meter.low + (part + 1) * size
            inside = gained[(values >= low) & (values <= high)]
            if len(inside) >= FEWEST:
                parts.append((f"{meter.name} in {low:.3g} .. {high:.3g}", float(inside.mean())))
    half = NORMAL * float(gained.std(ddof=1)) / sqrt(len(gained))
    best = max(parts, key=lambda part: part[1])
    return Worth(number, name, len(gained), float(gained.mean()), half, int((gained > 0).sum()), best)


def _scatter(universe: Universe, buffers: Buffers, places: torch.Tensor, seed: int) -> None:
    """Put agent 0 of each world at its affordance, at an hour when it is open, with meters anywhere in their ranges."""
    agents, state = buffers.shape.agents, buffers.state
    generator = torch.Generator().manual_seed(seed % (1 << 63))
    scatter_meters(universe, state["meters"][:, ::agents], seed)
    for number, place in enumerate(Places(universe, CPU).of(state).values()):
        there = cell_of(place, universe.space) if isinstance(universe.space, Grid) else place
        for axis, coordinate in enumerate(there):
            own = coordinate.expand(len(places), 1).reshape(-1).to(state["position"].dtype)
            now = state["position"][axis, ::agents]
            state["position"][axis, ::agents] = torch.where(places == number, own, now)
    if universe.clock is not None:
        for number, item in enumerate(universe.affordances):
            if item.hours is not None:
                opens, day = item.hours.opens, universe.clock.hours
                length = (item.hours.closes - opens) % day or day
                at = opens + torch.randint(max(length - (item.duration or 0), 1), (len(places),), generator=generator)
                state["hour"].copy_(torch.where(places == number, (at % day).to(torch.int32), state["hour"]))


def _outcome(
    side: Side, begin: Buffers, name: str, places: torch.Tensor, seed: int, ticks: int, gains: Gains, uses: bool
) -> tuple[tuple[Array, Array], Array]:
    """Returns of agent 0 of each world to the end of its episode and of all agents of it, and whether agent 0 used the
    affordance in the first tick."""
    universe, runner, agents = side.universe, Runner.resumed(side.universe, side.candidate, begin), begin.shape.agents
    buffers, lanes = runner.buffers, runner.buffers.shape.lanes
    player = Player(name, universe, lanes, gains, places.repeat_interleave(agents))
    running = buffers.state["alive"].numpy().copy()
    lasts = torch.tensor([max(place.duration or 1, 1) for place in universe.affordances])[places]
    returns, used = np.zeros(lanes), np.zeros(len(places), np.bool_)
    idle = torch.full((lanes,), schema.idle_action(universe), dtype=torch.int32)
    first = torch.arange(lanes) % agents == 0
    for tick in range(ticks):
        now = Stream(seed, tick)
        player.steer(buffers, now)
        actions = player.actions(buffers, now)
        forced = first & (tick < lasts).repeat_interleave(agents)
        actions = torch.where(forced, interacting(universe, lanes) if uses else idle, actions)
        side.candidate.backend.step(buffers, actions.contiguous(), now)
        if tick == 0:
            used = (buffers.outcome["used"][::agents] == places).numpy()
        returns += np.where(running, buffers.outcome["reward"].numpy(), 0.0)
        running &= ~(buffers.outcome["terminated"] | buffers.outcome["truncated"]).numpy()
        if not running.any():
            break
    by_world = returns.reshape(-1, agents)
    return (by_world[:, 0], by_world.sum(axis=1)), used
