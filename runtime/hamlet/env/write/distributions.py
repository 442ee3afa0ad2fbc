"""Distributions of params: a number for each world, drawn from the environment's seed (docs/semantics.md, "Params")."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from hamlet.errors import EnvError, shown
from hamlet.interpreter import draws, functions
from hamlet.numbers.binary32 import LARGEST
from hamlet.numbers.counters import PARAM_DRAWS
from hamlet.numbers.random import WORD, Words, philox


@dataclass(frozen=True, slots=True)
class Uniform:
    """Numbers between `low` and `high`, all equally likely. Give it in the place of a param's numbers.

    Every world has a number of its own, which depends on the seed, the global number of the world, its episode and the
    name of the param only: not on how many worlds there are, nor on their backend.

    Raises:
        EnvError: `low` and `high` are no numbers, or not in this order.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        _ordered(self, self.low, self.high)
        if float(self.high) - float(self.low) > LARGEST:
            raise EnvError(f"{self} is too wide for binary32")


@dataclass(frozen=True, slots=True)
class LogUniform:
    """Numbers between `low` and `high`, both above 0, whose logarithms are equally likely.

    Raises:
        EnvError: `low` and `high` are no numbers above 0, or not in this order.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        _ordered(self, self.low, self.high)
        if self.low <= 0:
            raise EnvError(f"{self} takes numbers above 0")


@dataclass(frozen=True, slots=True)
class Choice:
    """One of these numbers, all equally likely; a number that is given twice is twice as likely.

    Raises:
        EnvError: there are none, or one is no number.
    """

    values: Sequence[float]

    def __post_init__(self) -> None:
        values: Any = self.values
        flat = values.ndim == 1 if isinstance(values, np.ndarray) else isinstance(values, (list, tuple))
        if not flat or not len(values):
            raise EnvError(f"Choice takes a list of numbers, not {shown(values)}")
        object.__setattr__(self, "values", tuple(_number("Choice", value) for value in values))


@dataclass(frozen=True, slots=True)
class Normal:
    """Numbers of the normal distribution with this mean and standard deviation. One beyond the param's bounds becomes
    the bound.

    Raises:
        EnvError: `mean` is no number, or `deviation` is none that is above 0.
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        _number("Normal", self.mean)
        if _number("Normal", self.deviation) <= 0:
            raise EnvError(f"{self} has no deviation above 0")


Distribution: TypeAlias = Uniform | LogUniform | Choice | Normal


def _number(name: str, value: Any) -> float:
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    try:
        number = float(value) if real else math.nan
    except OverflowError:
        number = math.inf
    if math.isnan(number):
        raise EnvError(f"{name} takes numbers, not {shown(value)}")
    if abs(number) > LARGEST:
        raise EnvError(f"{name} takes numbers that binary32 has, up to {LARGEST:.3g} either way, not {shown(value)}")
    return number


def _ordered(distribution: Uniform | LogUniform, low: Any, high: Any) -> None:
    name = type(distribution).__name__
    if _number(name, low) >= _number(name, high):
        raise EnvError(f"{distribution} begins with the lower number, which is not {shown(low)}")


@dataclass(frozen=True, slots=True)
class Drawing:
    """The key of draws beside the param.

    Attributes:
        seed: 0 .. 2**64 - 1.
        worlds: [worlds] i64, the global numbers of the worlds.
        episodes: [worlds] i64, the number of each one's episode.
    """

    seed: int
    worlds: Tensor
    episodes: Tensor

    def words(self, name: str) -> Words:
        """Four random words for a param of this name in each world."""
        key = int.from_bytes(sha256(name.encode()).digest()[:4], "little")
        block, stream = (torch.full_like(self.worlds, value) for value in (key, PARAM_DRAWS))
        counter = (self.worlds & WORD, self.episodes & WORD, block, stream)
        return philox(counter, (self.seed & WORD, self.seed >> 32))


def support(distribution: Distribution) -> Tensor:
    """Numbers [n] f32 that must lie within the bounds of a param for the distribution to fit it."""
    match distribution:
        case Uniform(low, high) | LogUniform(low, high):
            return torch.tensor([low, high], dtype=torch.float32)
        case Choice(values):
            return torch.tensor(values, dtype=torch.float32)
        case Normal(mean, _):
            return torch.tensor([mean], dtype=torch.float32)


def drawn(distribution: Distribution, name: str, drawing: Drawing, low: float, high: float) -> Tensor:
    """The number of each world, [worlds] f32, for a param of this name with these bounds."""
    first, second, *_ = drawing.words(name)

    def number(value: float) -> Tensor:
        return functions.number(value, first)

    match distribution:
        case Uniform(least, most):
            return draws.uniform(first, number(least), number(most)).clamp(number(least), number(most))
        case LogUniform(least, most):
            begin, end = (functions.call("log", number(value).reshape(1)) for value in (least, most))
            return functions.call("exp", draws.uniform(first, begin, end)).clamp(number(least), number(most))
        case Choice(values):
            table = torch.tensor(values, dtype=torch.float32, device=first.device)
            return table[draws.choice(first, len(values), None)]
        case Normal(mean, deviation):
            return draws.normal(first, second, number(mean), number(deviation)).clamp(number(low), number(high))
