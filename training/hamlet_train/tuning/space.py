"""Settings that a tuning tries: the numbers of each, and which of them every candidate has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeAlias

import numpy as np

from hamlet_train.errors import TrainError
from hamlet_train.remembering import check_memory
from hamlet_train.settings import Settings

Space: TypeAlias = Mapping[str, Sequence[Any]]
"""The numbers that each setting may have, by its name; settings that are not there stay as they are."""

SPACE: Space = {
    "hidden": ((64, 64), (32, 32), (64,)),
    "horizon": (16, 32, 64, 128),
    "epochs": (1, 2, 4),
    "minibatches": (4, 8, 16, 32),
    "rate": (0.0003, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.008),
    "discount": (0.95, 0.98, 0.99, 0.995, 0.998, 0.999),
    "trace": (0.8, 0.9, 0.95, 0.98, 0.99),
    "clip": (0.1, 0.2, 0.3),
    "entropy": (0.0, 0.003, 0.01, 0.02, 0.05, 0.1),
}
"""Few numbers of each rather than an interval: a command line says them whole."""
TRIES = 1_000
"""Draws after which a space has no more candidates."""


def candidates(count: int, seed: int, space: Space, first: Settings) -> list[Settings]:
    """So many settings, all different: `first`, then those that differ from it by what Philox draws of the space. Of a
    space with fewer they are fewer.

    Raises:
        TrainError: there is nothing to compare.
    """
    # Raw words alone: numpy promises these, and no stream of its distributions.
    bits = np.random.Philox(key=seed)
    every = [first]
    for _ in range(TRIES * count):
        if len(every) == count:
            break
        drawn = {name: values[int(bits.random_raw()) % len(values)] for name, values in space.items()}
        settings = replace(first, **drawn)
        if settings not in every and _sound(settings):
            every.append(settings)
    if len(every) == 1:
        raise TrainError("there is one candidate alone: leave out a --set, or write more numbers behind --search")
    return every


def differing(settings: Settings, usual: Settings) -> dict[str, str]:
    """The settings that differ from the usual ones, as `--set` takes them."""
    names = [each.name for each in fields(Settings) if getattr(settings, each.name) != getattr(usual, each.name)]
    return {name: written(getattr(settings, name)) for name in names}


def written(value: Any) -> str:
    """A number of a setting as `--set` takes it."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else repr(value)


def _sound(settings: Settings) -> bool:
    try:
        check_memory(settings)
    except ValueError:
        return False
    return True
