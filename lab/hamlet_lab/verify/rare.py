"""When something happens that has a small chance: draws are functions of the tick, so it can be looked up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import Stream
from hamlet.interpreter import coverage
from hamlet.numbers.binary32 import round32
from hamlet.numbers.random import DRAWS, WORD, philox, share
from hamlet.universe import DrawChance, Number, Universe, draws

LOOKED_AT = 1 << 24
"""Words that are looked at for each draw: a chance of one in a million is found nearly always."""
AT_ONCE = 1 << 20


def rare_ticks(universe: Universe, never_fired: Sequence[str], shape: Shape, stream: Stream) -> Iterator[int]:
    """For each `chance` of a constant that never held, or never failed: a tick in which it does for some lane."""
    for draw in draws(universe):
        match draw:
            case DrawChance(probability=Number(value=value)):
                for event in ("holds", "fails"):
                    if coverage.draw(draw, event) in never_fired:
                        yield from _first(draw.site, round32(value), event == "holds", shape, stream)
            case _:
                pass


def _first(site: int, probability: float, holds: bool, shape: Shape, stream: Stream) -> Iterator[int]:
    """The first tick, if there is one among those that are looked at."""
    lanes = (torch.arange(shape.lanes) + shape.first_world * shape.agents).unsqueeze(1)
    for begin in range(0, LOOKED_AT // shape.lanes, max(AT_ONCE // shape.lanes, 1)):
        ticks = torch.arange(begin, begin + max(AT_ONCE // shape.lanes, 1))
        block, last = torch.full_like(ticks, site // 4), torch.full_like(ticks, DRAWS)
        words = philox((lanes & WORD, ticks, block, last), (stream.low, stream.high))[site % 4]
        found = ((share(words) < probability) == holds).any(dim=0).nonzero()
        if len(found) > 0:
            yield begin + int(found[0])
            return
