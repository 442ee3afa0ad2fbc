"""Boundary values: numbers at which something may change, from the constants of a universe."""

from __future__ import annotations

import itertools
from collections import defaultdict
from functools import lru_cache

import torch
from torch import Tensor

from hamlet.numbers.binary32 import bits32, from_bits32, round32
from hamlet.universe import Binary, Cascade, Expression, Meter, MeterValue, Number, Universe, nodes


def constants(universe: Universe) -> list[float]:
    """All constants of a universe, each once: what numbers may be compared with."""
    return list({bits32(node.value): node.value for node in nodes(universe) if isinstance(node, Number)}.values())


def compared(where: object, kind: type[Expression]) -> list[float]:
    """The constants that expressions of a kind are compared or combined with."""
    values = []
    for node in nodes(where):
        match node:
            case Binary(left=other, right=Number(value=value)) | Binary(left=Number(value=value), right=other):
                if isinstance(other, kind):
                    values.append(value)
            case _:
                continue
    return values


def compared_meters(where: object) -> dict[str, list[float]]:
    """The constants that meters are compared or combined with, by the name of the meter."""
    constants = defaultdict[str, list[float]](list)
    for node in nodes(where):
        match node:
            case Cascade(source=name, threshold=value):
                constants[name].append(value)
            case Binary(left=MeterValue(meter=name), right=Number(value=value)):
                constants[name].append(value)
            case Binary(left=Number(value=value), right=MeterValue(meter=name)):
                constants[name].append(value)
            case _:
                continue
    return constants


def with_losses(constants: list[float], meter: Meter) -> list[float]:
    """The constants, also plus what the meter loses before it is compared with them."""
    costs = [cost.value for cost in (meter.decay, meter.move, meter.interact) if isinstance(cost, Number)]
    lost = [0.0, *costs, *(a + b for a, b in itertools.combinations(costs, 2))]
    return [constant + loss for constant in constants for loss in lost]


def neighbours(value: float) -> list[float]:
    """A binary32 number with the next smaller and the next larger one."""
    return _neighbours(bits32(value))


@lru_cache(maxsize=1 << 12)
def _neighbours(bits: int) -> list[float]:
    """Neighbours of the number with these bits, and itself: constants of a universe come again for each meter."""
    exact = torch.tensor(from_bits32(bits))
    below, above = (torch.nextafter(exact, torch.tensor(limit)) for limit in (-torch.inf, torch.inf))
    return [float(below), float(exact), float(above)]


def boundary_values(constants: list[float], low: float, high: float) -> Tensor:
    """Values within these bounds at which something may change, f32: bounds, constants, +-1 ulp, zeros, subnormals."""
    tiny, least, most = 2.0**-149, round32(low), round32(high)
    near = [value for number in (low, high, *constants) for value in neighbours(number)]
    values = [value for value in (*near, 0.0, -0.0, tiny, -tiny) if least <= value <= most]
    return torch.tensor(list({bits32(value): value for value in values}.values()), dtype=torch.float32)
