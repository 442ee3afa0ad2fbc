"""Steps 6 to 9 of a tick: deaths and goals, age, reward."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import torch
from torch import Tensor

from hamlet import schema
from hamlet.interpreter import coverage
from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import Lanes


@dataclass(frozen=True, slots=True)
class Ending:
    """How the tick ended for every lane, [worlds, agents]: f32, bool, bool, i32; reports are f32, in the order of
    `hamlet.schema.report_names`."""

    reward: Tensor
    reports: tuple[Tensor, ...]
    terminated: Tensor
    truncated: Tensor
    cause: Tensor


def end(lanes: Lanes) -> Ending:
    """Who dies and of what, who reaches a goal or the lifespan, and what everyone is paid."""
    universe = lanes.universe
    terminated = torch.zeros_like(lanes.alive)
    cause = torch.full_like(lanes.age, schema.NOWHERE)
    for number, item in enumerate(universe.causes):
        holds = lanes.alive & evaluate(item.condition, lanes)
        lanes.count(coverage.cause(item), holds)
        cause = cause.masked_fill(holds & ~terminated, number)
        terminated = terminated | holds
    lanes.age = lanes.age + lanes.running.to(torch.int32)
    truncated = torch.zeros_like(lanes.alive)
    if universe.lifespan is not None:
        old = lanes.age >= universe.lifespan.ticks
        if universe.lifespan.of_world is not None:
            old = old | evaluate(universe.lifespan.of_world, lanes)
        truncated = lanes.alive & old & ~terminated
        lanes.count(coverage.LIFESPAN, truncated)
        cause = cause.masked_fill(truncated, len(universe.causes))
    nothing = torch.zeros_like(lanes.age, dtype=torch.float32)
    reached = [lanes.alive & (cause == number) for number, item in enumerate(universe.causes) if item.goal is not None]
    paid = lanes.alive & reduce(torch.bitwise_or, reached, ~terminated)
    terms = []
    for term in universe.rewards:
        value = evaluate(term.value, lanes)
        if term.potential is None:
            terms.append(torch.where(paid, value, nothing))
        else:
            after = lanes.constant(term.potential.discount) * torch.where(terminated, nothing, value)
            terms.append(torch.where(lanes.alive, after - evaluate(term.potential.before, lanes), nothing))
    reward = reduce(torch.add, terms) if terms else nothing
    goals = [item.goal for item in universe.causes if item.goal is not None]
    for goal, who in zip(goals, reached, strict=True):
        reward = torch.where(who, reward + evaluate(goal.reward, lanes), reward)
    if universe.lifespan is not None:
        lived = lanes.age >= universe.lifespan.ticks if universe.by_hand else truncated
        reward = torch.where(lived, reward + lanes.constant(universe.lifespan.reward), reward)
    named = [value for term, value in zip(universe.rewards, terms, strict=True) if term.name is not None]
    reports = [torch.where(lanes.running, evaluate(report.value, lanes), nothing) for report in universe.reports]
    return Ending(reward, (*named, *reports), terminated, truncated, cause)
