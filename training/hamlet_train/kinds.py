"""Kinds of worlds: the stage of a curriculum in which they are, and the numbers that they drew of params."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hamlet.env.environment import Env
from hamlet.env.write.distributions import Choice
from hamlet.universe import Universe
from hamlet_train.exact.network import Array
from hamlet_train.ranks import Ranks
from hamlet_train.variety import Params

STAGE = "stage"
"""The state in which a world keeps its stage (docs/language.md, "What a world keeps, and stages")."""
PARTS = 3
"""Kinds of worlds by a param of which each draws any number: as many in each."""
NUMBERS = 6
"""Numbers of a choice that are a kind each, at most."""


def stages_of(universe: Universe) -> tuple[str, ...]:
    """The stages of a universe, the first one first; none where it has no curriculum."""
    meters = () if universe.world is None else universe.world.meters
    types = [each.type for each in meters if each.name == STAGE and each.kept and each.type is not None]
    return types[0].options if types else ()


def begin_in(env: Env, stage: str) -> None:
    """Begin the next episode of all worlds in a stage; whatever else worlds keep stays as it is."""
    env.set(STAGE, stage)
    env.reset()


def in_stages(env: Env, ranks: Ranks) -> dict[str, int] | None:
    """How many worlds of all processes are in which stage; `None` in a universe without stages. All processes call
    it."""
    stages = stages_of(env.universe)
    if not stages:
        return None
    now = env.meter(STAGE).long().cpu().numpy()
    counts = np.bincount(now, minlength=len(stages))[None].astype(np.int64)
    every = ranks.gather(counts, [1] * ranks.size).sum(axis=0)
    return dict(zip(stages, every.tolist(), strict=True))


def by_number(env: Env, params: Params) -> dict[str, Array]:
    """The worlds [worlds] bool of each kind by name, for each param of which worlds draw a number: those with the same
    one of a choice of few, else a third each, by size."""
    kinds = dict[str, Array]()
    for name, distribution in params.items():
        if isinstance(distribution, float):
            continue
        drawn = env.params[name].numpy()
        if isinstance(distribution, Choice) and len(set(distribution.values)) <= NUMBERS:
            for number in sorted(set(drawn.tolist())):
                kinds[f"{name} = {number:.4g}"] = drawn == number
            continue
        for part in np.array_split(np.argsort(drawn, kind="stable"), PARTS):
            if len(part):
                worlds = np.zeros(len(drawn), np.bool_)
                worlds[part] = True
                low, high = drawn[part].min(), drawn[part].max()
                kinds[f"{name} {low:.4g} .. {high:.4g}"] = worlds
    return kinds


def told(stages: Mapping[str, int] | None) -> str:
    """Where worlds are, in words: `900 near, 124 far`."""
    return ", ".join(f"{count:,} {stage}" for stage, count in (stages or {}).items() if count)
