"""Checks that values lie within bounds; the error names the first value that does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from hamlet.errors import EnvError
from hamlet.numbers.binary32 import spell32
from hamlet.schema import Bounds, axes
from hamlet.schema.bounds import FINITE, coordinates, meter_bounds, number_bounds
from hamlet.universe import Control, Input, Universe

Per = Literal["agent", "lane", "world"]
FEW = 4096
"""Values that numpy compares sooner than torch has begun to."""


def check_within(
    name: str, values: torch.Tensor, bounds: Bounds, per: Per, except_at: torch.Tensor | None = None
) -> None:
    """Raise `EnvError` unless each value, [] or one per lane, agent or world, lies within bounds (a NaN does not), or
    `except_at` (bool, of the same shape) is true for it."""
    low, high = bounds.low, bounds.high
    least, most = (torch.tensor(bound, dtype=values.dtype, device=values.device) for bound in (low, high))
    good = (values >= least) & (values <= most)
    if except_at is not None:
        good |= except_at
    if bool(good.all()):
        return
    ends = f"{_spelled(low)} .. {_spelled(high)}" if values.is_floating_point() else f"{low} .. {high}"
    rule = "be a number" if bounds == FINITE else f"lie in {ends}"
    where = int((~good).reshape(-1).nonzero()[0])
    value = values.reshape(-1)[where]
    real = values.is_floating_point() and bool(value.isfinite())
    place = f" in {per} {where}" if values.dim() else ""
    raise EnvError(f"{name} must {rule}, not {_spelled(float(value)) if real else value.item()}{place}")


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of numbers, each with the bounds that are declared for it.

    Attributes:
        kind: what a row is, as in "control".
        declared: the declaration of each row.
        least, most: [rows, 1] f32, the bounds, made once: that takes longer than a step of few worlds.
        whole: [rows, 1] bool, which take whole numbers alone; `None` where none does.
    """

    kind: str
    declared: Sequence[Control | Input]
    least: torch.Tensor
    most: torch.Tensor
    whole: torch.Tensor | None

    @classmethod
    def of(cls, kind: str, declared: Sequence[Control | Input], device: torch.device) -> Rows:
        """The bounds of declared values on a device."""
        bounds = number_bounds(declared)
        ends = torch.tensor([(each.low, each.high) for each in bounds], dtype=torch.float32).reshape(-1, 2).to(device)
        whole = torch.tensor([[each.whole] for each in bounds], dtype=torch.bool).reshape(-1, 1).to(device)
        return cls(kind, declared, ends[:, :1], ends[:, 1:], whole if any(each.whole for each in bounds) else None)

    def check(self, values: torch.Tensor) -> None:
        """Raise `EnvError` unless values [rows, lanes] or [ticks, rows, lanes] f32 lie within their bounds (a NaN does
        not), and are whole where they have to be."""
        if values.device.type == "cpu" and values.numel() <= FEW:
            numbers = values.detach().numpy()
            if ((numbers >= self.least.numpy()) & (numbers <= self.most.numpy())).all() and self.whole is None:
                return
        inside = (values >= self.least) & (values <= self.most)
        good = inside if self.whole is None else inside & (~self.whole | (values == values.round()))
        if bool(good.all()):
            return
        *tick, row, lane = (~good).nonzero()[0].tolist()
        value = values[(*tick, row, lane)]
        said = _spelled(float(value)) if bool(value.isfinite()) else value.item()
        ends = f"{_spelled(float(self.least[row]))} .. {_spelled(float(self.most[row]))}"
        place = f"in tick {tick[0]} of lane {lane}" if tick else f"in lane {lane}"
        if bool(inside[(*tick, row, lane)]):
            raise EnvError(f"{self.kind} {self.declared[row].name} takes whole numbers, not {said} {place}")
        raise EnvError(f"{self.kind} {self.declared[row].name} must lie in {ends}, not {said} {place}")


def _spelled(value: float) -> str:
    """A real number as an author would write it."""
    return spell32(value).removesuffix(".0")


def check_positions(
    universe: Universe, name: str, positions: torch.Tensor, per: Per, except_at: torch.Tensor | None = None
) -> None:
    """Raise `EnvError` unless positions [axes, lanes] are in the space; `name` has a `{}` for the axis."""
    for axis, values, (low, high) in zip(axes(universe), positions, coordinates(universe), strict=True):
        check_within(name.format(axis), values, Bounds(low, high), per, except_at)


def check_meters(universe: Universe, values: torch.Tensor, per: Per) -> None:
    """Raise `EnvError` unless meters [meters, lanes] lie within their bounds. A meter that a statement leaves unclamped
    must lie within its reach, or be any finite number if its reach is not known."""
    for meter, bounds, row in zip(universe.meters, meter_bounds(universe), values, strict=True):
        check_within(f"meter {meter.name} of the state", row, bounds, per)
