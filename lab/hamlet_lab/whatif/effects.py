"""Effects of a change on lengths and returns: over many worlds, with common random numbers, and how much they help."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import torch

from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.env.act.trajectories import chosen
from hamlet.interpreter import Interpreter
from hamlet.interpreter.interpreter import global_lanes
from hamlet.interpreter.policy import drawn_controls
from hamlet_lab.whatif.alteration import alter_actions, alter_state
from hamlet_lab.whatif.question import Question
from hamletc.ir.evaluate import Array

NORMAL = 1.959964
"""The quantile of the normal distribution for an interval of 95%."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect on one number of an agent.

    Attributes:
        name: which.
        mean, half: of the differences between pairs of worlds; half of the 95% interval.
        paired, independent: the variance of a difference between a world and its altered twin, and of one between
            worlds of other seeds.
    """

    name: str
    mean: float
    half: float
    paired: float
    independent: float

    def __str__(self) -> str:
        line = f"{self.name:<7} {self.mean:+.4g}  ({self.mean - self.half:.4g} .. {self.mean + self.half:.4g})"
        if self.paired == 0:
            return f"{line}  the same in all worlds"
        return f"{line}  variance {self.independent / self.paired:,.1f} times lower than with independent seeds"


def effects(question: Question, shape: Shape) -> tuple[Effect, ...]:
    """The effect of a change on the agent of every world of a shape, until its episode ends, or for so many ticks."""
    others = Shape(shape.worlds, shape.agents, shape.first_world + shape.worlds)
    without, altered, apart = (
        _outcomes(question, where, changed) for where, changed in ((shape, False), (shape, True), (others, True))
    )
    result = []
    for name in without:
        paired, unpaired = altered[name] - without[name], apart[name] - without[name]
        half = NORMAL * float(paired.std(ddof=1)) / sqrt(len(paired)) if len(paired) > 1 else float("nan")
        variances = [float(each.var(ddof=1)) if len(each) > 1 else 0.0 for each in (paired, unpaired)]
        result.append(Effect(name, float(paired.mean()), half, *variances))
    return tuple(result)


def _outcomes(question: Question, shape: Shape, changed: bool) -> dict[str, Array]:
    """The ticks that the agent of each world lives on, and the rewards that it gets in them, f64 [worlds]."""
    side, agent, alteration = question.start.side, question.agent, question.alteration
    buffers, device = question.begun(shape).buffers, side.candidate.device
    interpreter, numbers = Interpreter(side.universe, device), global_lanes(shape, device)
    worlds, lanes = list(range(shape.worlds)), slice(agent, None, shape.agents)
    lives, gained = np.zeros(shape.worlds), np.zeros(shape.worlds)
    running = buffers.state["alive"][lanes].cpu().numpy().copy()
    if changed:
        alter_state(alteration, buffers, agent, worlds)
    for index in range(question.ticks):
        if not running.any():
            break
        now = Stream(question.start.seed, (question.tick + index) % (1 << 32))
        if side.universe.controls:
            buffers.state["controls"].copy_(drawn_controls(side.universe, numbers, now))
        actions: torch.Tensor = chosen(interpreter, buffers, RandomPolicy(), now)
        if index == 0 and changed:
            actions = alter_actions(alteration, actions, shape.agents, agent, worlds)
        side.candidate.backend.step(buffers, actions.contiguous(), now)
        rewards = buffers.outcome["reward"][lanes].cpu().numpy()
        ended = (buffers.outcome["terminated"] | buffers.outcome["truncated"])[lanes].cpu().numpy()
        lives += running
        gained += np.where(running, rewards, 0.0)
        running &= ~ended
    return {"length": lives, "return": gained}
