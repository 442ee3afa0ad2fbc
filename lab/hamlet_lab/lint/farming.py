"""Rewards for acting that never run out: who looks after its meters and else repeats one use gets them for ever."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch

from hamlet import schema
from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamlet.universe import ActionTaken, NoSpace, Reward, Universe, Used, nodes
from hamlet_lab.divergence.events import CPU, Candidate, Runner
from hamlet_lab.lint.players import Gains, Player, interacting
from hamlet_lab.verify.players import Script

USES = 40
"""Uses of one episode, after which a reward still is one."""
LANES = 8
ENOUGH = 0.5
"""The share of each meter's range above which an agent has time for other things."""


@dataclass(frozen=True, slots=True)
class Farm:
    """A term of the reward that is paid again and again.

    Attributes:
        reward: the term.
        by: the use or the action, in words.
        times: how often it was paid in an episode, of the agents' the median.
        first, last: what was paid for the first time and for the last.
        ticks: how long that took.
    """

    reward: Reward
    by: str
    times: int
    first: float
    last: float
    ticks: int


def farms(universe: Universe, agents: int, seed: int, ticks: int, gains: Gains) -> Iterator[Farm]:
    """The terms that can be farmed, each once. Where nobody dies, to be paid for acting is all there is."""
    if all(cause.goal is not None for cause in universe.causes):
        return
    for term in universe.rewards:
        if term.potential is not None:
            continue
        for act in dict.fromkeys(_acts(universe, term)):
            farm = _farmed(universe, term, act, agents, seed, ticks, gains)
            if farm is not None:
                yield farm
                break


def _acts(universe: Universe, term: Reward) -> Iterator[tuple[str, int]]:
    """The affordances and actions that a term asks for."""
    names = [place.name for place in universe.affordances]
    for node in nodes(term.value):
        if isinstance(node, Used) and node.affordance in names and not isinstance(universe.space, NoSpace):
            yield "affordance", names.index(node.affordance)
        elif isinstance(node, ActionTaken) and node.action in schema.choices(universe):
            yield "action", schema.choices(universe).index(node.action)


def _farmed(
    universe: Universe, term: Reward, act: tuple[str, int], agents: int, seed: int, ticks: int, gains: Gains
) -> Farm | None:
    # Alone, so that what meters are worth does not count.
    alone, (kind, number) = replace(universe, rewards=(term,)), act
    if alone.lifespan is not None:
        alone = replace(alone, lifespan=replace(alone.lifespan, reward=0.0))
    interpreter = Interpreter(alone, CPU)
    runner = Runner(alone, Candidate(interpreter, CPU), Shape(LANES, agents))
    buffers, lanes = runner.buffers, LANES * agents
    interpreter.reset(buffers, Stream(seed, 0))
    needy, script = Player("needy", alone, lanes, gains), Script(alone, lanes)
    low, high = (torch.tensor([[getattr(meter, end)] for meter in alone.meters]) for end in ("low", "high"))
    plain = torch.tensor([meter.type is None and meter.decay is not None for meter in alone.meters], dtype=torch.bool)
    running, paid = np.ones(lanes, np.bool_), [list[float]() for _ in range(lanes)]
    for tick in range(ticks):
        now = Stream(seed, tick)
        needy.steer(buffers, now)
        share = (buffers.state["meters"] - low) / (high - low)
        free = (share[plain] >= ENOUGH).all(dim=0)
        actions = torch.full((lanes,), number, dtype=torch.int32)
        if kind == "affordance":
            script.aim(torch.full((lanes,), number))
            there = script.arrived(buffers)
            actions = torch.where(there, interacting(alone, lanes), script.towards(buffers))
        if alone.affordances:
            actions = torch.where(free, actions, needy.actions(buffers, now))
        interpreter.step(buffers, actions.contiguous(), now)
        done = buffers.outcome["used"].numpy() == number if kind == "affordance" else (actions == number).numpy()
        rewards = buffers.outcome["reward"].numpy()
        for lane in np.flatnonzero(done & running & (rewards != 0)):
            paid[lane].append(float(rewards[lane]))
        running &= ~(buffers.outcome["terminated"] | buffers.outcome["truncated"]).numpy()
        if not running.any():
            break
    chosen = sorted(paid, key=len)[lanes // 2]
    if len(chosen) < USES or min(chosen[-1], chosen[0]) <= 0 or chosen[-1] < 0.9 * chosen[0]:
        return None
    names = [place.name for place in alone.affordances] if kind == "affordance" else schema.choices(alone)
    return Farm(term, f"{kind} {names[number]}", len(chosen), chosen[0], chosen[-1], tick + 1)
