"""Simple policies: random actions, waiting, a round of affordances, what is needed most, lines through observations."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.env.act.trajectories import chosen
from hamlet.interpreter import Interpreter
from hamlet.interpreter.interpreter import global_lanes
from hamlet.interpreter.policy import drawn_controls
from hamlet.universe import Affordance, Binary, Expression, MeterValue, NoSpace, Number, Universe
from hamlet_lab.divergence.events import CPU
from hamlet_lab.verify.players import Script

Gains = Mapping[str, Mapping[str, float]]
"""The amounts that each affordance adds to each meter."""
LANES = 48
LINES = 256
"""Lanes of the player whose lanes are policies of their own."""
FULL = 0.05
"""A meter so far from its floor, as a share of its range, is not needed at all less than half as much."""


def worlds_of(name: str, agents: int) -> Shape:
    """The worlds that a player is watched in."""
    return Shape(max(1, (LINES if name == "linear" else LANES) // agents), agents)


class Player:
    """Actions for every lane."""

    def __init__(self, name: str, universe: Universe, lanes: int, gains: Gains, avoided: Tensor | None = None) -> None:
        """A player by its name; `avoided`: an affordance that each lane leaves alone, i64 [lanes]."""
        self.name = name
        self._universe = universe
        self._interpreter = Interpreter(universe, CPU)
        self._script = Script(universe, lanes) if name in ("round", "needy", "saving") else None
        self._needs = _Needs(universe, gains, name == "saving", avoided)
        self._weights: Tensor | None = None
        self._numbers: Tensor | None = None

    def steer(self, buffers: Buffers, now: Stream) -> None:
        """Write the controls of a tick, where there are any."""
        controls = self._universe.controls
        if not controls:
            return
        if self.name == "linear" and buffers.observation is not None and len(buffers.observation):
            scores = self._scores(buffers.observation, now)[-len(controls) :]
            low, high = (torch.tensor([[getattr(each, end)] for each in controls]) for end in ("low", "high"))
            values = low + (high - low) * (0.5 + 0.5 * torch.tanh(scores))
            whole = torch.tensor([[each.whole] for each in controls])
            buffers.state["controls"].copy_(torch.where(whole, values.round(), values))
            return
        if self._numbers is None:
            self._numbers = global_lanes(buffers.shape, CPU)
        buffers.state["controls"].copy_(drawn_controls(self._universe, self._numbers, now))

    def actions(self, buffers: Buffers, now: Stream) -> Tensor:
        """The actions of a tick, i32 [lanes]."""
        if self._script is not None and self.name == "round":
            return self._script.actions(buffers)
        if self._script is not None and self._universe.affordances:
            return self._needed(self._script, buffers)
        if self.name == "linear" and buffers.observation is not None and len(buffers.observation):
            chosen_scores = self._scores(buffers.observation, now)[: len(schema.choices(self._universe))]
            return chosen_scores.argmax(dim=0).to(torch.int32)
        if self.name == "waiting":
            return torch.full((buffers.shape.lanes,), schema.idle_action(self._universe), dtype=torch.int32)
        return chosen(self._interpreter, buffers, RandomPolicy(), now)

    def _scores(self, observation: Tensor, now: Stream) -> Tensor:
        """Sums of weighted observations for each action and then each control; each lane has weights of its own for
        its life, and half of the lanes heed no constant."""
        if self._weights is None:
            generator = torch.Generator().manual_seed(now.seed % (1 << 63))
            count = len(schema.choices(self._universe)) + len(self._universe.controls)
            self._weights = torch.randn(count, len(observation) + 1, observation.shape[1], generator=generator)
            self._weights[:, -1, ::2] = 0
            # Controls saturate, so how strong they are matters too; actions are compared alone.
            self._weights *= 10 ** (2 * torch.rand(observation.shape[1], generator=generator))
        return (self._weights[:, :-1] * observation.unsqueeze(0)).sum(dim=1) + self._weights[:, -1]

    def _needed(self, script: Script, buffers: Buffers) -> Tensor:
        """A step towards the affordance that is needed most, or its use; waiting where none helps."""
        targets, helps = self._needs.targets(buffers)
        if "engaged" in buffers.state:
            engaged = buffers.state["engaged"].long()
            targets, helps = torch.where(engaged >= 0, engaged, targets), helps | (engaged >= 0)
        script.aim(targets)
        actions = interacting(self._universe, buffers.shape.lanes)
        if not isinstance(self._universe.space, NoSpace):
            actions = torch.where(script.arrived(buffers), actions, script.towards(buffers))
        return torch.where(helps, actions, torch.full_like(actions, schema.idle_action(self._universe)))


def interacting(universe: Universe, lanes: int) -> Tensor:
    """The action of using an affordance, i32 [lanes]."""
    return torch.full((lanes,), max(schema.interact_action(universe), 0), dtype=torch.int32)


class _Needs:
    """The affordance that an agent needs most: the one that fills its emptiest meters. One whose price it has not is
    left out; then what pays for it is needed."""

    def __init__(self, universe: Universe, gains: Gains, saving: bool, avoided: Tensor | None) -> None:
        meters, places = universe.meters, universe.affordances
        self._low = torch.tensor([meter.low for meter in meters]).unsqueeze(1)
        self._high = torch.tensor([meter.high for meter in meters]).unsqueeze(1)
        table = [[gains.get(place.name, {}).get(meter.name, 0.0) for meter in meters] for place in places]
        self._gains = torch.tensor(table, dtype=torch.float32).reshape(len(places), len(meters))
        prices = torch.full((len(places), len(meters)), -torch.inf)
        for row, place in enumerate(places):
            for name, least in prices_of(place).items():
                if name in (names := [meter.name for meter in meters]):
                    prices[row, names.index(name)] = least
        self._prices, self._power, self._avoided = prices, 1.0 if saving else 2.0, avoided

    def targets(self, buffers: Buffers) -> tuple[Tensor, Tensor]:
        """The number of an affordance for each lane, i64 [lanes], and whether it helps at all, bool [lanes]."""
        meters, lanes = buffers.state["meters"], buffers.shape.lanes
        if not len(self._gains) or not len(meters):
            nothing = torch.zeros(lanes, dtype=torch.int64)
            return nothing, nothing > 0
        share = (meters - self._low) / (self._high - self._low)
        urgency = (share.clamp(min=0) + FULL) ** -self._power
        after = torch.clamp(meters.unsqueeze(0) + self._gains.unsqueeze(2), self._low, self._high)
        scores = ((after - meters) / (self._high - self._low) * urgency).sum(dim=1)
        affordable = (meters.unsqueeze(0) >= self._prices.unsqueeze(2)).all(dim=1)
        if self._avoided is not None:
            affordable[self._avoided, torch.arange(lanes)] = False
        best = scores.masked_fill(~affordable, -torch.inf).max(dim=0)
        return best.indices, best.values > 0


def prices_of(place: Affordance) -> dict[str, float]:
    """The least values of meters that an affordance needs, as far as they stand there plainly."""
    return {} if place.needs is None else dict(_least(place.needs))


def _least(condition: Expression) -> list[tuple[str, float]]:
    match condition:
        case Binary("and", left, right, _):
            return _least(left) + _least(right)
        case Binary(">=" | ">", MeterValue(meter=meter), Number(value=value), _):
            return [(meter, value)]
        case _:
            return []
