"""Observations as adapters hand them out: a row of numbers, or the groups that the author of a universe names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
        ranges: for each group the numbers that its first byte stands for as 0 and as 255.
    """

    values: int
    groups: tuple[Group, ...] = ()
    ranges: tuple[tuple[float, float], ...] = ()

    @property
    def alone(self) -> Group | None:
        """An image or a discrete number that is the whole observation, which then needs no dictionary."""
        only = self.groups[0] if len(self.groups) == 1 else None
        return None if only is None or only.kind == "values" else only

    def arrays(self, rows: Array) -> Any:
        """Observations [..., values] as they are handed out: views, but discrete numbers, which are i64, of a single
        observation numbers of Python."""
        if not self.groups:
            return rows[..., : self.values] if rows.shape[-1] > self.values else rows
        return self._parts(rows, _whole_array)

    def tensors(self, rows: Tensor) -> Any:
        """The same of tensors."""
        return self._parts(rows, _whole_tensor) if self.groups else rows

    def _parts(self, rows: Rows, whole: Callable[[Rows, tuple[float, float]], Any]) -> Any:
        parts = {
            group.name: whole(group.of(rows), ends) if group.kind == "discrete" else group.of(rows)
            for group, ends in zip(self.groups, self.ranges, strict=True)
        }
        return parts if self.alone is None else parts[self.alone.name]


def handout(env: Env, way: Any, role: RoleInfo | None = None) -> Handout:
    """How observations are handed out, of all agents alike or of those of a role.

    Raises:
        EnvError: `way` is none of `WAYS`, or the type of observations has not every number that a discrete one can be.
    """
    if way not in WAYS:
        raise EnvError(f'observations are handed out as "groups" or "flat", not {shown(way)}')
    shown_to = env if role is None else role
    own, count = tuple(shown_to.observation_groups.values()), len(shown_to.observation_names)
    if way == "flat" or env.observation is None:
        return Handout(count)
    dtype, low, high = env.observation.dtype, env.observation_low.tolist(), env.observation_high.tolist()
    ranges = tuple((low[group.offset], high[group.offset]) for group in own)
    for group, (first, last) in zip(own, ranges, strict=True):
        size = last - first if dtype is torch.uint8 else max(-group.low, group.high)
        if group.kind == "discrete" and size > EXACT[dtype]:
            kind = str(dtype).removeprefix("torch.")
            raise EnvError(
                f"obs_dtype {kind} has not every number of `{group.name}`, {group.low:.0f} .. {group.high:.0f}: "
                'take "float32", or observations="flat"'
            )
    return Handout(count, own, ranges)


def _whole_array(values: Array, ends: tuple[float, float]) -> Any:
    numbers = values
    if values.dtype == np.uint8:
        low, high = ends
        numbers = np.rint(values.astype(np.float64) * ((high - low) / 255) + low)
    return int(numbers) if numbers.ndim == 0 else numbers.astype(np.int64)


def _whole_tensor(values: Tensor, ends: tuple[float, float]) -> Tensor:
    if values.dtype is not torch.uint8:
        return values.long()
    low, high = ends
    return (values.double() * ((high - low) / 255) + low).round().long()
