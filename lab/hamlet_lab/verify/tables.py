"""Random tables for policies."""

from __future__ import annotations

import random

import torch

from hamlet import schema
from hamlet.backend.protocol import TabularPolicy
from hamlet.env.tabular import Axis, bins_per_unit, tabular
from hamlet.schema.features import Count, features
from hamlet.universe import Universe

BINS = 3
MOST_VALUES = 1 << 18


def some_table(universe: Universe, drawn: bool, seed: int) -> TabularPolicy:
    """A table by as many features as fit into `MOST_VALUES`, of random actions; or with `drawn` of random
    probabilities, many of them 0. The same seed gives the same table."""
    generator, actions = random.Random(f"{seed} {drawn}"), len(schema.action_names(universe))
    axes: list[Axis] = []
    sizes: list[int] = []
    room = MOST_VALUES // actions
    known = [each for each in features(universe) if isinstance(each, Count) or bins_per_unit(each, BINS) is not None]
    for feature in generator.sample(known, len(known)):
        size = feature.size if isinstance(feature, Count) else BINS
        if size <= room:
            axes.append(feature.name if isinstance(feature, Count) else (feature.name, BINS))
            sizes.append(size)
            room //= size
    numbers = torch.Generator().manual_seed(seed)
    table = torch.randint(actions, sizes, generator=numbers)
    if drawn:
        table = torch.rand((*sizes, actions), generator=numbers)
        table = table.where(table > table.mean(dim=-1, keepdim=True), 0.0)
        table = table / table.sum(dim=-1, keepdim=True)
    return tabular(universe, "", table, axes, torch.device("cpu"))
