"""All arrays of a batch of worlds by name, and bit for bit comparison of two of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
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

    def copied(self) -> Array:
        """A copy on the CPU that later events leave alone."""
        return replace(self, values=self.values.to("cpu", copy=True))


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two arrays differ; and how many `more` values do, after it."""

    array: str
    row: str
    column: Column
    index: int
    expected: Tensor
    actual: Tensor
    more: int = 0

    @property
    def name(self) -> str:
        """The array and its row."""
        return f"{self.array} {self.row}".strip()

    @property
    def lane(self) -> int | None:
        """The lane, where the array has lanes."""
        return self.index if self.column == "lane" else None

    def place(self, agents: int) -> tuple[int | None, int | None]:
        """The world and the agent, as far as the array has them; `agents`: in a world."""
        match self.column:
            case "lane":
                return self.index // agents, self.index % agents
            case "world":
                return self.index, None
            case "none":
                return None, None


class Named:
    """Names all arrays of a universe. What it asks of the universe, which is a walk through all of it, it asks once."""

    def __init__(self, universe: Universe) -> None:
        fields = sorted(schema.state_fields(universe), key=lambda field: field.name == "meters")
        self._fields = (*fields, *schema.outcome_fields(universe))
        self._observed = schema.observation_names(universe)
        self._actions = schema.action_names(universe)
        self._affordances = tuple(affordance.name for affordance in universe.affordances)
        self._causes = cause_names(universe)

    def arrays(self, buffers: Buffers, statistics: Statistics | None) -> list[Array]:
        """Everything that backends must agree on, causes before consequences: so the first difference tells the
        most."""
        result = []
        for field in self._fields:
            values = (buffers.state | buffers.outcome)[field.name]
            rows = field.rows if field.rows is not None else ("",)
            if rows:  # meters have none where agents have no meters
                result.append(Array(field.name, field.per, rows, values.view(len(rows), -1)))
        if buffers.observation is not None and buffers.final_observation is not None:
            result.append(Array("observation", "lane", self._observed, buffers.observation))
            result.append(Array("final_observation", "lane", self._observed, buffers.final_observation))
        result.append(Array("mask", "lane", self._actions, buffers.mask))
        if statistics is not None:
            lengths = tuple(str(length) for length in range(len(statistics.lengths)))
            result.append(Array("uses", "none", self._affordances, statistics.uses.unsqueeze(1)))
            result.append(Array("causes", "none", self._causes, statistics.causes.unsqueeze(1)))
            result.append(Array("lengths", "none", lengths, statistics.lengths.unsqueeze(1)))
            result.append(Array("finished_return", "lane", ("",), statistics.finished_return.unsqueeze(0)))
        if statistics is not None and statistics.lanes is not None:
            lanes = statistics.lanes
            numbers = tuple(str(number) for number in range(lanes.kept))
            result.append(Array("lane_uses", "lane", self._affordances, lanes.uses))
            result.append(Array("lane_episodes", "lane", ("",), lanes.episodes.unsqueeze(0)))
            for name in ("lengths", "returns", "causes"):
                result.append(Array(f"lane_{name}", "lane", numbers, getattr(lanes, name)))
        return result


def arrays(universe: Universe, buffers: Buffers, statistics: Statistics | None) -> list[Array]:
    """The arrays of buffers, named once."""
    return Named(universe).arrays(buffers, statistics)


def cause_names(universe: Universe) -> tuple[str, ...]:
    """The causes of the end of an episode by number; the last one is the lifespan."""
    return (*(cause.name for cause in universe.causes), "lifespan")


def bits(values: Tensor) -> Tensor:
    """The bits of numbers as integers; every NaN is the same one."""
    if values.dtype not in INTEGERS:
        return values
    return raw(values).masked_fill(values.isnan(), CANONICAL_NAN[values.dtype])


def raw(values: Tensor) -> Tensor:
    """The bits of numbers as integers."""
    return values.view(INTEGERS[values.dtype]) if values.dtype in INTEGERS else values


def differences(expected: list[Array], actual: list[Array]) -> Iterator[Difference]:
    """The first place in which each pair of arrays differs; `more` counts within the array."""
    for ours, theirs in zip(expected, actual, strict=True):
        values = theirs.values.to(ours.values.device)
        if torch.equal(raw(ours.values), raw(values)):
            continue
        differs = bits(ours.values) != bits(values)
        if differs.any():
            index = int(differs.any(dim=0).nonzero()[0])
            row = int(differs[:, index].nonzero()[0])
            pair = ours.values[row, index].clone(), values[row, index].clone()
            yield Difference(ours.name, ours.rows[row], ours.column, index, *pair, int(differs.sum()) - 1)


def compare(expected: list[Array], actual: list[Array]) -> tuple[int, Difference | None]:
    """The number of values that were compared, and the first difference; its `more` counts in all arrays."""
    each = list(differences(expected, actual))
    more = sum(1 + difference.more for difference in each) - 1
    return sum(array.values.numel() for array in expected), replace(each[0], more=more) if each else None
