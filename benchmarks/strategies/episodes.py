"""What surrounds the tick in every strategy that works with torch: counting, and new episodes.

It is the same code for all of them, so that a comparison shows the ticks only.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from contract import Result, Start
from torch import Tensor
from town import Config

from hamlet.backend.buffers import Statistics
from hamlet.numbers.permutation import domain
from hamlet.numbers.random import layout_of, permute
from hamlet.schema.abi import COUNTS


@dataclass(frozen=True, slots=True)
class Ending:
    """How a tick ended, [lanes]: f32, bool, bool, integer (-1: none), integer (-1: none)."""

    reward: Tensor
    terminated: Tensor
    truncated: Tensor
    used: Tensor
    cause: Tensor


def zero_statistics(config: Config, lanes: int, device: torch.device) -> Statistics:
    """Nothing has happened yet."""

    def zeros(count: int) -> Tensor:
        return torch.zeros(count, dtype=torch.int64, device=device)

    counts = (
        zeros(len(config["affordances"])),
        zeros(len(config["causes"]) + 1),
        zeros(config["lifespan"] + 1),
        torch.zeros(lanes, dtype=torch.float32, device=device),
    )
    return Statistics(dict(zip(COUNTS, counts, strict=True)))


def cells_of(config: Config, layout: Tensor) -> Tensor:
    """The cell of each affordance, then that of the agent, i64 [affordances + 1, lanes]; layout: i64 words [lanes]."""
    index = torch.arange(len(config["affordances"]) + 1, device=layout.device).unsqueeze(1)
    return permute(index.expand(-1, len(layout)), layout, domain(config["width"] * config["height"]))


def new_layout(seed: tuple[int, int], lanes: Tensor, episode: Tensor) -> tuple[Tensor, Tensor]:
    """The layout of an episode of these lanes, as i64 words and as the i32 that the state holds."""
    layout = layout_of(seed, lanes, episode.long())
    return layout, torch.where(layout >= 1 << 31, layout - (1 << 32), layout).to(torch.int32)


class Worlds:
    """State, statistics, and where the affordances are: `places` i64 [affordances, lanes]."""

    def __init__(self, config: Config, start: Start) -> None:
        self.config = config
        self.state = {name: value.clone() for name, value in start.state.items()}
        self.device = self.state["age"].device
        self.statistics = zero_statistics(config, start.lanes, self.device)
        self.places = cells_of(config, self.state["layout"].long() & 0xFFFFFFFF)[:-1].clone()
        self.seed = start.halves

    def result(self) -> Result:
        return Result(self.state, self.statistics)

    def end_tick(self, ending: Ending) -> Tensor:
        """Count, and start the worlds anew whose agent is done. Returns which did, i64 [n]."""
        state, counts = self.state, self.statistics
        state["episode_return"] = state["episode_return"] + ending.reward
        counts.uses.add_(torch.bincount(ending.used + 1, minlength=len(counts.uses) + 1)[1:])
        anew = (ending.terminated | ending.truncated).nonzero().squeeze(1)
        if len(anew) > 0:
            counts.causes.add_(torch.bincount(ending.cause[anew], minlength=len(counts.causes)))
            counts.lengths.add_(torch.bincount(state["age"][anew], minlength=len(counts.lengths)))
            counts.finished_return[anew] += state["episode_return"][anew]
            self._begin(anew)
        return anew

    def _begin(self, anew: Tensor) -> None:
        """Start new episodes in these worlds, i64 [n]."""
        state, width = self.state, self.config["width"]
        state["episode"][anew] += 1
        layout, state["layout"][anew] = new_layout(self.seed, anew, state["episode"][anew])
        cells = cells_of(self.config, layout)
        self.places[:, anew] = cells[:-1]
        state["position"][0, anew] = (cells[-1] % width).to(torch.int32)
        state["position"][1, anew] = (cells[-1] // width).to(torch.int32)
        for row, meter in enumerate(self.config["meters"]):
            state["meters"][row, anew] = meter["start"]
        state["age"][anew] = 0
        state["episode_return"][anew] = 0.0
