"""Numbers at which something in a universe may change: what its values are compared with, and bounds."""

from __future__ import annotations

import itertools

import torch
from torch import Tensor

from hamlet.numbers.binary32 import bits32, round32
from hamlet.universe import Binary, Cascade, Expression, Meter, MeterValue, Number, Universe, nodes


def constants(universe: Universe) -> list[float]:
    """All constants of a universe: what numbers may be compared with."""
    return [node.value for node in nodes(universe) if isinstance(node, Number)]


def compared(where: object, kind: type[Expression]) -> list[float]:
    """The constants that expressions of a kind are compared or combined with."""
    found = []
    for node in nodes(where):
        match node:
            case Binary(left=other, right=Number(value=value)) | Binary(left=Number(value=value), right=other):
                if isinstance(other, kind):
                    found.append(value)
            case _:
                continue
    return found


def compared_meter(where: object, meter: Meter) -> list[float]:
    """The constants that a meter is compared or combined with; also plus what the meter loses before that."""
    found = []
    for node in nodes(where):
        match node:
            case Cascade(source=source, threshold=threshold) if source == meter.name:
                found.append(threshold)
            case Binary(left=MeterValue(meter=name), right=Number(value=value)) if name == meter.name:
                found.append(value)
            case Binary(left=Number(value=value), right=MeterValue(meter=name)) if name == meter.name:
                found.append(value)
    costs = [cost.value for cost in (meter.decay, meter.move, meter.interact) if isinstance(cost, Number)]
    lost = [0.0, *costs, *(a + b for a, b in itertools.combinations(costs, 2))]
    return [constant + loss for constant in found for loss in lost]


def neighbours(value: float) -> list[float]:
    """A binary32 number with the next smaller and the next larger one."""
    exact = torch.tensor(round32(value))
    below, above = (torch.nextafter(exact, torch.tensor(limit)) for limit in (-torch.inf, torch.inf))
    return [float(below), float(exact), float(above)]


def boundary_values(constants: list[float], low: float, high: float) -> Tensor:
    """Values within these bounds at which something may change, f32: bounds, constants, +-1 ulp, zeros, subnormals."""
    tiny = 2.0**-149
    near = [value for number in (low, high, *constants) for value in neighbours(number)]
    values = [value for value in (*near, 0.0, -0.0, tiny, -tiny) if round32(low) <= value <= round32(high)]
    return torch.tensor(list({bits32(value): value for value in values}.values()), dtype=torch.float32)
