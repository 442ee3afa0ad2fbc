"""All arrays of a batch of worlds by name, and bit for bit comparison of two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers, Statistics
from hamlet.universe import Universe

Column: TypeAlias = Literal["lane", "world", "none"]
CANONICAL_NAN = {torch.float32: 0x7FC00000, torch.bfloat16: 0x7FC0}
INTEGERS = {torch.float32: torch.int32, torch.bfloat16: torch.int16}


@dataclass(frozen=True, slots=True)
class Array:
    """An array to compare: [rows, columns], a column being a lane or a world; or no columns at all, [rows, 1]."""

    name: str
    column: Column
    rows: tuple[str, ...]
    values: Tensor


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two arrays differ."""

    array: str
    row: str
    column: Column
    index: int
    expected: Tensor
    found: Tensor


def arrays(universe: Universe, buffers: Buffers, statistics: Statistics | None) -> list[Array]:
    """Everything that backends must agree on, causes before consequences: so the first difference tells the most."""
    result = []
    fields = sorted(schema.state_fields(universe), key=lambda field: field.name == "meters")
    for field in (*fields, *schema.outcome_fields(universe)):
        values = (buffers.state | buffers.outcome)[field.name]
        rows = field.rows if field.rows is not None else ("",)
        result.append(Array(field.name, field.per, rows, values.view(len(rows), -1)))
    observed = schema.observation_names(universe)
    if buffers.observation is not None and buffers.final_observation is not None:
        result.append(Array("observation", "lane", observed, buffers.observation))
        result.append(Array("final_observation", "lane", observed, buffers.final_observation))
    result.append(Array("mask", "lane", schema.action_names(universe), buffers.mask))
    if statistics is not None:
        affordances = tuple(affordance.name for affordance in universe.affordances)
        causes = (*(cause.name for cause in universe.causes), "lifespan")
        lengths = tuple(str(length) for length in range(len(statistics.lengths)))
        result.append(Array("uses", "none", affordances, statistics.uses.unsqueeze(1)))
        result.append(Array("causes", "none", causes, statistics.causes.unsqueeze(1)))
        result.append(Array("lengths", "none", lengths, statistics.lengths.unsqueeze(1)))
        result.append(Array("finished_return", "lane", ("",), statistics.finished_return.unsqueeze(0)))
    return result


def bits(values: Tensor) -> Tensor:
    """The bits of numbers as integers; every NaN is the same one."""
    if values.dtype not in INTEGERS:
        return values
    return raw(values).masked_fill(values.isnan(), CANONICAL_NAN[values.dtype])


def raw(values: Tensor) -> Tensor:
    """The bits of numbers as integers."""
    return values.view(INTEGERS[values.dtype]) if values.dtype in INTEGERS else values


def compare(expected: list[Array], found: list[Array]) -> tuple[int, Difference | None]:
    """How many values were compared, and the first difference."""
    compared = 0
    for ours, theirs in zip(expected, found, strict=True):
        compared += ours.values.numel()
        values = theirs.values.to(ours.values.device)
        if torch.equal(raw(ours.values), raw(values)):
            continue
        differs = bits(ours.values) != bits(values)
        if differs.any():
            index = int(differs.any(dim=0).nonzero()[0])
            row = int(differs[:, index].nonzero()[0])
            place = (row, index)
            return compared, Difference(
                ours.name, ours.rows[row], ours.column, index, ours.values[place].clone(), values[place].clone()
            )
    return compared, None
