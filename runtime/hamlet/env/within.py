"""Checks that values lie within bounds; the error names the first value that does not."""

from __future__ import annotations

from typing import Literal

import torch

from hamlet.errors import EnvError
from hamlet.numbers.binary32 import spell32
from hamlet.schema import axes
from hamlet.schema.bounds import coordinates, unclamped_meters
from hamlet.universe import Meter, Universe

Per = Literal["agent", "lane", "world"]


def check_within(
    name: str,
    values: torch.Tensor,
    low: float,
    high: float,
    per: Per,
    except_at: torch.Tensor | None = None,
) -> None:
    """Raise `EnvError` unless each value, [] or one per lane, agent or world, lies within bounds (a NaN does not), or
    `except_at` (bool, of the same shape) is true for it."""
    least, most = (torch.tensor(bound, dtype=values.dtype, device=values.device) for bound in (low, high))
    good = (values >= least) & (values <= most)
    check_all(name, f"lie in {low:.10g} .. {high:.10g}", values, good if except_at is None else good | except_at, per)


def check_all(name: str, rule: str, values: torch.Tensor, good: torch.Tensor, per: Per) -> None:
    """Raise `EnvError` with the first value for which `good` (bool, of the same shape) is false, if there is one."""
    if bool(good.all()):
        return
    where = int((~good).reshape(-1).nonzero()[0])
    value = values.reshape(-1)[where]
    spelled = spell32(float(value)) if values.is_floating_point() and bool(value.isfinite()) else str(value.item())
    place = f" in {per} {where}" if values.dim() else ""
    raise EnvError(f"{name} must {rule}, not {spelled.removesuffix('.0')}{place}")


def check_positions(
    universe: Universe, name: str, positions: torch.Tensor, per: Per, except_at: torch.Tensor | None = None
) -> None:
    """Raise `EnvError` unless positions [axes, lanes] are in the space; `name` has a `{}` for the axis."""
    for axis, values, (low, high) in zip(axes(universe), positions, coordinates(universe), strict=True):
        check_within(name.format(axis), values, low, high, per, except_at)


def check_meters(universe: Universe, values: torch.Tensor, per: Per) -> None:
    """Raise `EnvError` unless meters [meters, lanes] are numbers within their bounds. A meter that a statement leaves
    unclamped must lie within its reach, or be any finite number if its reach is not known."""
    loose = unclamped_meters(universe)
    for meter, row in zip(universe.meters, values, strict=True):
        _check_meter(meter, row, meter.name in loose, per)


def _check_meter(meter: Meter, values: torch.Tensor, loose: bool, per: Per) -> None:
    name = f"meter {meter.name} of the state"
    if meter.reach is not None:
        low, high = meter.reach
        check_all(name, "be a number", values, values.isfinite(), per)
        check_within(name, values, low, high, per)
    elif loose:
        check_all(name, "be a number", values, values.isfinite(), per)
    else:
        check_within(name, values, meter.low, meter.high, per)
