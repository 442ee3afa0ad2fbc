"""Rules and cascades that fire: a variant of a universe reports them, so that kernels can count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape
from hamlet.backend.protocol import Stream
from hamlet.universe import Assign, Meter, MeterValue, Number, Report, Universe
from hamlet_lab.divergence.events import Runner
from hamlet_lab.divergence.session import Side
from hamlet_lab.lint.players import Gains, Player
from hamletc.ir.evaluate import Array

FIRING = ("random", "round", "needy", "linear")
"""The players that are watched."""

FLAG = "fires now "
"""The name of a meter that says so, with a number behind it; no author's name has a space."""


@dataclass(frozen=True, slots=True)
class Fired:
    """Which rules fired.

    Attributes:
        rules: bool, of each, in the order of the universe, whether it did.
        ticks: of agents, in which it could.
        scattered: how many agents each fired for in one tick from states with meters anywhere in their ranges.
        states: how many agents were in such states.
        examples: meters of one of these agents for which it fired, by name, of each that fired there.
        low, high: of each meter, in the ticks.
    """

    rules: Array
    ticks: int
    scattered: Array
    states: int
    examples: Mapping[int, Mapping[str, float]]
    low: Array
    high: Array


def reporting(universe: Universe) -> Universe:
    """A variant in which every rule and cascade of agents also sets a meter of its own to 1, which is reported."""
    named = [(f"{FLAG}{number}", each) for number, each in enumerate(universe.dynamics)]
    one = {name: Assign(name, "=", Number(1.0, each.span), True, each.span) for name, each in named}
    meters = (Meter(name, 0.0, 0.0, 1.0, None, None, None, each.span) for name, each in named)
    reports = (Report(name, MeterValue(name, each.span), each.span) for name, each in named)
    return replace(
        universe,
        meters=(*universe.meters, *meters),
        reports=(*universe.reports, *reports),
        dynamics=tuple(replace(each, body=(*each.body, one[name])) for name, each in named),
    )


def fired(side: Side, agents: int, seed: int, ticks: int, most: int, gains: Gains) -> Fired:
    """The rules that fire in so many ticks of agents, `most`, or until each of them did.

    Args:
        side: runs what `reporting` gives.
        ticks: for how long each agent is watched.
    """
    universe, rules = side.universe, len(side.universe.dynamics)
    names = schema.report_names(universe)
    rows = [names.index(f"{FLAG}{number}") for number in range(rules)]
    seen, total = np.zeros(rules, np.bool_), 0
    anywhere = _Anywhere(np.zeros(rules, np.int64))
    low, high = np.full(len(universe.meters), np.inf), np.full(len(universe.meters), -np.inf)
    shape = Shape(max(1, -(-most // (len(FIRING) * ticks * agents))), agents)
    for number, name in enumerate(FIRING):
        observed = torch.float32 if name == "linear" else None
        runner, first = Runner(universe, side.candidate, shape, observed), seed + number
        buffers = runner.buffers
        side.candidate.backend.reset(buffers, Stream(first, 0))
        player = Player(name, universe, buffers.shape.lanes, gains)
        for tick in range(ticks):
            now = Stream(first, tick)
            player.steer(buffers, now)
            actions = player.actions(buffers, now).contiguous()
            if tick == 0:
                anywhere.tick(side, buffers, actions, now, rows)
            low, high = _ends(low, high, buffers)
            side.candidate.backend.step(buffers, actions, now)
            seen |= (buffers.outcome["reports"].numpy()[rows] > 0).any(axis=1)
            total += buffers.shape.lanes
            if seen.all():
                break
        if seen.all():
            break
    return Fired(seen, total, anywhere.fired, anywhere.states, anywhere.examples, low, high)


@dataclass(slots=True)
class _Anywhere:
    """Ticks from states with meters anywhere in their ranges: how many agents each rule fired for, and for which."""

    fired: Array
    states: int = 0
    examples: dict[int, Mapping[str, float]] = field(default_factory=dict)

    def tick(self, side: Side, buffers: Buffers, actions: Tensor, now: Stream, rows: list[int]) -> None:
        """One tick from the same state but for its meters."""
        other = Runner.resumed(side.universe, side.candidate, buffers)
        meters = other.buffers.state["meters"]
        scatter_meters(side.universe, meters, now.seed)
        before = meters.numpy().copy()
        side.candidate.backend.step(other.buffers, actions, now)
        reports: Array = other.buffers.outcome["reports"].numpy()[rows] > 0
        self.fired = self.fired + reports.sum(axis=1)
        self.states += buffers.shape.lanes
        for number in np.flatnonzero(reports.any(axis=1)).tolist():
            lane = int(reports[number].argmax())
            named = zip(side.universe.meters, before[:, lane].tolist(), strict=True)
            plain = {each.name: value for each, value in named if not each.name.startswith(FLAG)}
            self.examples.setdefault(number, plain)


def _ends(low: Array, high: Array, buffers: Buffers) -> tuple[Array, Array]:
    """The least and the most of each meter, with those of the present."""
    meters = buffers.state["meters"].numpy()
    return np.minimum(low, meters.min(axis=1)), np.maximum(high, meters.max(axis=1))


def scatter_meters(universe: Universe, meters: Tensor, seed: int) -> None:
    """Give meters, [meters, lanes], any numbers within their bounds; states stay."""
    generator = torch.Generator().manual_seed(seed % (1 << 63))
    for row, meter in enumerate(universe.meters):
        if meter.type is None and not meter.name.startswith(FLAG):
            share = torch.rand(meters.shape[1], generator=generator)
            meters[row] = meter.low + (meter.high - meter.low) * share
