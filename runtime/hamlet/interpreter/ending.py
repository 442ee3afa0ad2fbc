"""Steps 5 to 8 of a tick: death, age, reward."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from hamlet import schema
from hamlet.interpreter import coverage
from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import Lanes


@dataclass(frozen=True, slots=True)
class Ending:
    """How the tick ended for every lane, [worlds, agents]: f32, bool, bool, i32."""

    reward: Tensor
    terminated: Tensor
    truncated: Tensor
    cause: Tensor


def end(lanes: Lanes) -> Ending:
    """Who dies and of what, who reaches the lifespan, and what everyone is paid."""
    universe = lanes.universe
    terminated = torch.zeros_like(lanes.alive)
    cause = torch.full_like(lanes.age, schema.NOWHERE)
    for number, item in enumerate(universe.causes):
        holds = lanes.alive & evaluate(item.condition, lanes)
        lanes.count(coverage.cause(item.name), holds)
        cause = cause.masked_fill(holds & ~terminated, number)
        terminated = terminated | holds
    lanes.age = lanes.age + lanes.alive.to(torch.int32)
    truncated = torch.zeros_like(lanes.alive)
    if universe.lifespan is not None:
        truncated = lanes.alive & (lanes.age >= universe.lifespan.ticks) & ~terminated
        lanes.count(coverage.LIFESPAN, truncated)
        cause = cause.masked_fill(truncated, len(universe.causes))
    reward = evaluate(universe.reward, lanes)
    if universe.lifespan is not None:
        reward = torch.where(truncated, reward + lanes.constant(universe.lifespan.reward), reward)
    reward = torch.where(lanes.alive & ~terminated, reward, lanes.constant(0.0))
    return Ending(reward, terminated, truncated, cause)
