"""The params of variants: what `--param` says of each, and every combination of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hamlet.universe import Universe
from hamletc.cli.params import check_within, declared, named_text
from hamletc.errors import CompileError

FORM = "NAME=FROM:TO:COUNT, NAME=FROM:TO:COUNT:log or NAME=NUMBER,NUMBER,..., as in --param wage=0.05:0.3:16"
MOST_VALUES = 1_000_000

Values: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Axis:
    """A param and the values that it takes, each the shortest decimal of its binary32 number."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """Every combination of the values of axes. The last axis varies fastest."""

    axes: tuple[Axis, ...]

    @property
    def variants(self) -> int:
        """How many combinations there are."""
        return math.prod(len(axis.values) for axis in self.axes)

    @property
    def varied(self) -> tuple[Axis, ...]:
        """The axes with more than one value."""
        return tuple(axis for axis in self.axes if len(axis.values) > 1)

    def values(self, first: int, end: int) -> dict[str, Values]:
        """The value of each param in the variants from `first` to before `end`, f64."""
        number = np.arange(first, end)
        result: dict[str, Values] = {}
        for axis in reversed(self.axes):
            result[axis.name] = np.array(axis.values)[number % len(axis.values)]
            number = number // len(axis.values)
        return {axis.name: result[axis.name] for axis in self.axes}


def grid(texts: Sequence[str], universe: Universe) -> Grid:
    """The grid of some `--param`.

    Raises:
        CompileError: one is malformed, or its param does not exist, is given twice or cannot have such a value.
    """
    if not texts:
        raise CompileError(f"give at least one --param {FORM}")
    axes: dict[str, Axis] = {}
    for text in texts:
        name, rest = named_text(text, FORM)
        param = declared(name, universe)
        if name in axes:
            raise CompileError(f"--param {text}: {name} is given twice")
        numbers = _listed(text, rest) if ":" not in rest else _spaced(text, rest)
        for value in (float(np.min(numbers)), float(np.max(numbers))):
            check_within(param, value)
        values = canonical(numbers)
        if len(set(values)) < len(values):
            raise CompileError(f"--param {text}: two of these values are the same binary32 number")
        axes[name] = Axis(name, values)
    return Grid(tuple(axes.values()))


def canonical(numbers: Any) -> tuple[float, ...]:
    """Numbers as they are once they are rounded to binary32: the shortest decimals."""
    return tuple(np.asarray(numbers, np.float32).astype(str).astype(np.float64).tolist())


def number_of(text: str, written: str, form: str) -> float:
    """A finite number in the text of a `--param`.

    Raises:
        CompileError: it is none; `form` says how the text is written.
    """
    try:
        value = float(written)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise CompileError(f"--param {text}: {written.strip() or 'nothing'} is no number: write {form}")
    return value


def _listed(text: str, rest: str) -> list[float]:
    return [number_of(text, part, FORM) for part in rest.split(",")]


def _spaced(text: str, rest: str) -> Values:
    """The numbers of FROM:TO:COUNT, both ends among them."""
    low, high, *others = rest.split(":")
    begin, end = (number_of(text, part, FORM) for part in (low, high))
    if not others or others[1:] not in ([], ["log"]):
        raise CompileError(f"--param {text}: write {FORM}")
    if not others[0].strip().isdecimal() or not 2 <= int(others[0]) <= MOST_VALUES:
        raise CompileError(f"--param {text}: the count is 2 to {MOST_VALUES:,}, not {others[0].strip() or 'nothing'}")
    if begin >= end:
        raise CompileError(f"--param {text}: begin with the lower number")
    if others[1:] and begin <= 0:
        raise CompileError(f"--param {text}: steps of equal ratio begin above 0")
    count = int(others[0])
    return np.geomspace(begin, end, count) if others[1:] else np.linspace(begin, end, count)
