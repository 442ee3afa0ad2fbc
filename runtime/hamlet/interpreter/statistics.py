"""Statistics of rollouts."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet.backend.buffers import Buffers, LaneCounts, Statistics
from hamlet.schema import abi
from hamlet.universe import Universe


def add(statistics: Statistics, buffers: Buffers, universe: Universe) -> None:
    """Count a tick that has just run, before worlds start anew.

    `uses` counts every lane with an effective interaction. A lane whose episode ends in this tick, by death or by
    lifespan, counts once in `causes` and in `lengths` (its age; at most the last bin), and its episode_return, with
    this tick's reward, is added to its `finished_return`; other lanes of its world may live on. Its meters, as whole
    numbers, are added to `ended_meters` where these are wanted.
    """
    outcome, state = buffers.outcome, buffers.state
    tally(statistics.uses, outcome["used"][outcome["used"] >= 0])
    ended = outcome["terminated"] | outcome["truncated"]
    tally(statistics.causes, outcome["cause"][ended])
    tally(statistics.lengths, state["age"][ended].clamp(max=len(statistics.lengths) - 1))
    total = statistics.finished_return
    total.copy_(torch.where(ended, total + state["episode_return"], total))
    sums = statistics.ended_meters
    if sums is not None:
        scales = torch.tensor(abi.meter_scales(universe), dtype=torch.float32, device=sums.device)
        sums += (state["meters"][:, ended] * scales.unsqueeze(1)).long().sum(dim=1)
    if statistics.lanes is not None:
        _add_by_lane(statistics.lanes, buffers, ended)


def _add_by_lane(lanes: LaneCounts, buffers: Buffers, ended: Tensor) -> None:
    """Count the tick of each lane; `ended`: [lanes] bool."""
    outcome, state = buffers.outcome, buffers.state
    (using,) = (outcome["used"] >= 0).nonzero(as_tuple=True)
    lanes.uses[outcome["used"][using].long(), using] += 1
    (ending,) = ended.nonzero(as_tuple=True)
    number = lanes.episodes[ending].long()
    lanes.episodes[ending] += 1
    number, ending = number[number < lanes.kept], ending[number < lanes.kept]
    lanes.lengths[number, ending] = state["age"][ending]
    lanes.returns[number, ending] = state["episode_return"][ending]
    lanes.causes[number, ending] = outcome["cause"][ending]


def tally(counts: Tensor, numbers: Tensor) -> None:
    """Count numbers 0 .. len(counts) - 1; counts: i64."""
    # `bincount` would go through all counts: an episode may last millions of ticks, each of which has one.
    counts.index_add_(0, numbers.long(), torch.ones_like(numbers, dtype=counts.dtype))
