"""Observations as adapters hand them out: a row of numbers, or the groups that the author of a universe names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import torch
from torch import Tensor

from hamlet.env.environment import Env
from hamlet.env.roles import RoleInfo
from hamlet.errors import EnvError, shown
from hamlet.schema.groups import Group

Array: TypeAlias = np.ndarray[Any, Any]
Way: TypeAlias = Literal["groups", "flat"]
WAYS = ("groups", "flat")

EXACT: dict[torch.dtype, float] = {torch.uint8: 255, torch.bfloat16: 256, torch.float32: 2**24}
"""Up to which size of a discrete number, or how wide a range of bytes, a type has every whole number."""

Rows = TypeVar("Rows", Tensor, Array)


@dataclass(frozen=True, slots=True)
class Handout:
    """How the values of observations are handed out.

    Attributes:
        values: how many an observation has.
        groups: its groups, in the order of the file; empty: it is a row of numbers.
        ranges: for each group the numbers, of its shape, that its bytes stand for as 0 and as 255.
        alone: an image, a text, a discrete number, or a group of whole numbers that is the whole observation, which
            then needs no dictionary.
    """

    values: int
    groups: tuple[Group, ...] = ()
    ranges: tuple[tuple[Tensor, Tensor], ...] = field(default=(), compare=False)
    alone: Group | None = field(init=False, compare=False)

    def __post_init__(self) -> None:
        only = self.groups[0] if len(self.groups) == 1 else None
        needless = only is not None and (only.kind != "values" or only.numbers is not None)
        object.__setattr__(self, "alone", only if needless else None)

    def arrays(self, rows: Array) -> Any:
        """Observations [..., values] as they are handed out: views, but whole numbers, which have the type of their
        group; a single discrete number is one of Python, those of a tuple are each by itself, and so are texts."""
        if not self.groups:
            return rows[..., : self.values] if rows.shape[-1] > self.values else rows
        parts = self._parts(rows, _whole_array)
        if self.alone is not None:
            return _each(parts) if self.alone.numbers == "tuple" else parts
        tuples = [group.name for group in self.groups if group.numbers == "tuple"]
        return parts | {name: _each(parts[name]) for name in tuples} if tuples else parts

    def tensors(self, rows: Tensor) -> Any:
        """The same of tensors, where a tuple is a row of numbers."""
        return self._parts(rows, _whole_tensor) if self.groups else rows

    def _parts(self, rows: Rows, whole: Callable[[Rows, tuple[Tensor, Tensor], Group], Any]) -> Any:
        parts = {
            group.name: group.of(rows) if group.dtype is None else whole(group.of(rows), ends, group)
            for group, ends in zip(self.groups, self.ranges, strict=True)
        }
        return parts if self.alone is None else parts[self.alone.name]


def handout(env: Env, way: Any, role: RoleInfo | None = None, texts: bool = True) -> Handout:
    """How observations are handed out, of all agents alike or of those of a role. Without `texts` the number of a text
    stands for it, and one that is always the same is left out.

    Raises:
        EnvError: `way` is none of `WAYS`, or the type of observations has not every number that a discrete one can be.
    """
    if way not in WAYS:
        raise EnvError(f'observations are handed out as "groups" or "flat", not {shown(way)}')
    shown_to = env if role is None else role
    own, count = tuple(shown_to.observation_groups.values()), len(shown_to.observation_names)
    if not texts:
        numbers = (replace(group, kind="discrete", texts=()) if group.texts else group for group in own)
        own = tuple(group for group in numbers if group.count)
    if way == "flat" or env.observation is None:
        return Handout(count)
    dtype, low, high = env.observation.dtype, env.observation_low.double(), env.observation_high.double()
    ranges = tuple((group.of(low), group.of(high)) for group in own)
    for group, (first, last) in zip(own, ranges, strict=True):
        size = float((last - first).amax()) if dtype is torch.uint8 and group.count else max(-group.low, group.high)
        if group.dtype is not None and size > EXACT[dtype]:
            kind = str(dtype).removeprefix("torch.")
            raise EnvError(
                f"obs_dtype {kind} has not every number of `{group.name}`, {group.low:.0f} .. {group.high:.0f}: "
                'take "float32", or observations="flat"'
            )
    return Handout(count, own, ranges)


def whole_ends(group: Group, ends: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """The least and the greatest number of each value of a group of whole numbers; `ends` are those of observations.
    Those of an image of bytes are 0 and 255, as images of others have them."""
    low, high = (group.of(end) for end in ends)
    if group.kind == "image" and group.dtype == "uint8":
        return torch.zeros_like(low), torch.full_like(high, 255)
    return low, high


def _whole_array(values: Array, ends: tuple[Tensor, Tensor], group: Group) -> Any:
    numbers = values
    if values.dtype == np.uint8:
        low, high = (end.cpu().numpy() for end in ends)
        numbers = np.rint(values.astype(np.float64) * ((high - low) / 255) + low)
    if group.texts:
        return _spelled(numbers if group.count else np.zeros(numbers.shape[:-1]), group)
    return int(numbers) if numbers.ndim == 0 else numbers.astype(group.dtype)


def _spelled(numbers: Array, group: Group) -> Any:
    """The text of a number, or a tuple of those of several."""
    if numbers.ndim:
        return tuple(_spelled(number, group) for number in numbers)
    return group.texts[int(numbers - group.low)]


def _each(numbers: Array) -> tuple[Any, ...]:
    """The numbers [..., values] of a tuple: those of Python of one observation, else arrays of each."""
    return tuple(numbers.tolist()) if numbers.ndim == 1 else tuple(np.moveaxis(numbers, -1, 0))


def _whole_tensor(values: Tensor, ends: tuple[Tensor, Tensor], group: Group) -> Tensor:
    kind: torch.dtype = getattr(torch, group.dtype or "int64")
    if values.dtype is not torch.uint8:
        return values.to(kind)
    low, high = ends
    return (values.double() * ((high - low) / 255) + low).round().to(kind)
