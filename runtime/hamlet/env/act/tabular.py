"""Tabular policies: an action, or probabilities of actions, for each situation (`hamlet.schema.features`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import torch

from hamlet import schema
from hamlet.arguments import dense, whole
from hamlet.backend.protocol import TabularPolicy
from hamlet.errors import EnvError, shown
from hamlet.numbers.binary32 import round32
from hamlet.schema.features import MOST_BINS, Count, Feature, Quantity, features
from hamlet.universe import Universe

Axis: TypeAlias = str | tuple[str, int]
"""The name of a feature, or of a feature with a range together with its number of bins."""

THRESHOLD = 1 << 30
"""Probabilities are in units of 1 / THRESHOLD: `rollout` compares them with random words of 30 bits."""
SUM_TOLERANCE = 1e-3
"""The sum of the probabilities of a situation may differ from 1 by this much; they are divided by the sum."""
MOST_SITUATIONS = 2**31 - 1


def tabular(
    universe: Universe, digest: str, table: torch.Tensor, axes: Sequence[Axis], device: torch.device
) -> TabularPolicy:
    """The policy of a table, for the module of this digest; see `Env.tabular`."""
    indexed = features(universe)
    chosen = _chosen(indexed, axes)
    sizes = tuple(size for _, size in chosen)
    strides, bins, stride = [0] * len(indexed), {}, 1
    for number, size in reversed(chosen):
        strides[number] = stride
        bins[number] = size
        stride *= size
    if stride > MOST_SITUATIONS:
        raise EnvError(f"a table has at most {MOST_SITUATIONS} situations, not {stride}")
    table = dense(table, "a table holds actions (torch.int32) or probabilities (torch.float32)")
    actions = len(schema.action_names(universe))
    fixed = not table.dtype.is_floating_point
    expected = sizes if fixed else (*sizes, actions)
    if tuple(table.shape) != expected:
        what = "actions" if fixed else "probabilities"
        raise EnvError(f"a table of {what} by these features has the shape {list(expected)}, not {list(table.shape)}")
    scales = [_scale(indexed[n], bins[n]) if n in bins else 0.0 for n in _binned(indexed)]
    tops = [bins.get(n, 1) - 1.0 for n in _binned(indexed)]
    return TabularPolicy(
        digest,
        _choices(table, actions).to(device) if fixed else None,
        None if fixed else _thresholds(table, actions).to(device),
        torch.tensor(strides, dtype=torch.int32, device=device),
        torch.tensor([*scales, *tops], dtype=torch.float32, device=device),
    )


def _binned(features: tuple[Feature, ...]) -> list[int]:
    """The numbers of the features that have bins."""
    return [number for number, feature in enumerate(features) if isinstance(feature, Quantity)]


def _chosen(features: tuple[Feature, ...], axes: Sequence[Axis]) -> list[tuple[int, int]]:
    """The number and size of the feature of each axis of a table."""
    numbers = {feature.name: number for number, feature in enumerate(features)}
    result = []
    if not isinstance(axes, (list, tuple)):
        raise EnvError(f'features are a list of names, as in ["here", ("energy", 4)], not {shown(axes)}')
    for axis in axes:
        name, bins = _named(axis)
        if name not in numbers:
            raise EnvError(f"there is no feature {name!r}: there are {', '.join(numbers)}")
        number = numbers.pop(name)
        match features[number]:
            case Count(size=size):
                if bins is not None:
                    raise EnvError(f'feature {name!r} has {size} values and takes no bins: write "{name}"')
            case Quantity():
                size = whole(bins, 1, MOST_BINS, f'feature {name!r} needs bins, 1 to {MOST_BINS}: write ("{name}", 4)')
        result.append((number, size))
    return result


def _named(axis: Any) -> tuple[str, Any]:
    """The name of a feature and its bins."""
    match axis:
        case str(name):
            return name, None
        case (str(name), bins):
            return name, bins
        case _:
            raise EnvError(f'a feature is a name, or a name with bins, as in ("energy", 4), not {shown(axis)}')


def bins_per_unit(feature: Quantity, bins: int) -> float | None:
    """The scale of a feature with this number of bins; `None` if its range is too narrow for them."""
    try:
        return round32(bins / (round32(feature.high) - round32(feature.low)))
    except (OverflowError, ZeroDivisionError):
        return None


def _scale(feature: Feature, bins: int) -> float:
    """Bins per unit."""
    if not isinstance(feature, Quantity):
        raise TypeError(f"{feature} has no bins")
    scale = bins_per_unit(feature, bins)
    if scale is None:
        raise EnvError(f"feature {feature.name!r} lies in {feature.low} .. {feature.high}: too narrow for bins")
    return scale


def _choices(table: torch.Tensor, actions: int) -> torch.Tensor:
    """The action of each situation, i32 [situations]."""
    if table.dtype is torch.bool:
        raise EnvError(f"a table holds actions (torch.int32) or probabilities (torch.float32), not {table.dtype}")
    if not table.numel():
        raise EnvError("a table without entries holds no actions")
    low, high = (int(bound) for bound in torch.aminmax(table))
    if low < 0 or high >= actions:
        raise EnvError(f"action {low if low < 0 else high} does not exist: actions are 0 .. {actions - 1}")
    return table.to(torch.int32).reshape(-1).contiguous()


def _thresholds(table: torch.Tensor, actions: int) -> torch.Tensor:
    """The cumulative probabilities without the last one, in units of 2**-30, rounded: i32 [situations, actions - 1]."""
    sums = table.to("cpu", torch.float64).reshape(-1, actions).cumsum(dim=1)
    total = sums[:, -1:]
    if not (table >= 0).all() or not ((total - 1).abs() <= SUM_TOLERANCE).all():
        raise EnvError("probabilities are 0 or more, and those of a situation add up to 1")
    return (sums[:, :-1] / total * THRESHOLD).round().to(torch.int32).contiguous()
