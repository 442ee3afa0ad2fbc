"""Policies: a tabular one looks up the situation of each agent; controls that the caller does not set are drawn."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.protocol import Stream, TabularPolicy
from hamlet.interpreter.draws import Sites, integer, uniform
from hamlet.interpreter.expressions import at
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.space import clamp
from hamlet.numbers.counters import CONTROL_DRAWS
from hamlet.schema.features import AGE, HERE, HOUR, Count, Feature, Quantity, features
from hamlet.universe import Universe

WORD_BITS = 2
"""The bits that random words lose: thresholds are compared with the other 30."""


def look_up(policy: TabularPolicy, lanes: Lanes, words: Tensor) -> Tensor:
    """The actions i32 [lanes], with the random words i64 [lanes] of this tick."""
    rows = situation(policy, lanes).reshape(-1)
    if policy.choices is not None:
        return policy.choices[rows]
    if policy.thresholds is None:
        raise ValueError("a tabular policy has choices or thresholds")
    reached = policy.thresholds[rows] <= (words >> WORD_BITS).unsqueeze(1)
    return reached.sum(dim=1).to(torch.int32)


def drawn_controls(universe: Universe, numbers: Tensor, stream: Stream) -> Tensor:
    """The controls of a tick, f32 [controls, lanes], of these global lanes (i64): each uniformly between its bounds, or
    among the whole numbers there."""
    sites = Sites(numbers, stream.tick, CONTROL_DRAWS, (stream.low, stream.high))

    def number(value: float) -> Tensor:
        return torch.tensor(value, dtype=torch.float32, device=numbers.device)

    rows = []
    for site, control in enumerate(universe.controls):
        if control.whole:
            rows.append(integer(sites.word(site), int(control.low), int(control.high)))
            continue
        low, high = number(control.low), number(control.high)
        value = uniform(sites.word(site), low, high)
        # The difference of the bounds is rounded, so that the sum can be above the upper one.
        rows.append(torch.where(high < value, high, value))
    return torch.stack(rows)


def situation(policy: TabularPolicy, lanes: Lanes) -> Tensor:
    """The row of the table for each agent, i64 [worlds, agents]."""
    total, binned = torch.zeros_like(lanes.age, dtype=torch.int64), 0
    scales, tops = policy.bins.view(2, -1)
    for stride, feature in zip(policy.strides, features(lanes.universe), strict=True):
        value = value_of(feature, lanes)
        match feature:
            case Count(size=size):
                number = value.clamp(max=size - 1)
            case Quantity(low=low):
                steps = (value - lanes.constant(low)) * scales[binned]
                number = clamp(steps, lanes.constant(0.0), tops[binned]).floor()
                binned += 1
        total = total + number.long() * stride
    return total


def value_of(feature: Feature, lanes: Lanes) -> Tensor:
    """The value of a feature, broadcasting to [worlds, agents]."""
    axes = schema.axes(lanes.universe)
    match feature:
        case Count(name=name) if name == HOUR:
            return lanes.hour
        case Count(name=name) if name == AGE:
            return lanes.age
        case Count(name=name) if name == HERE:
            return here(lanes)
        case Count(name=name) | Quantity(name=name) if name in axes:
            return lanes.position[axes.index(name)]
        case _:
            # Meters are the last features, in their own order.
            indexed, meters = features(lanes.universe), lanes.universe.meters
            return lanes.meters[meters[indexed.index(feature) - len(indexed)].name]


def here(lanes: Lanes) -> Tensor:
    """The number of the affordance that each agent is at, plus 1; 0 where there is none."""
    result = torch.zeros_like(lanes.age)
    for number, affordance in enumerate(lanes.universe.affordances):
        result = result.masked_fill(at(lanes, affordance.name), number + 1)
    return result
