"""Is a strategy right? Its whole state and its summed outcomes are compared with the interpreter's, bit by bit.

Where they differ, both run again tick by tick, which tells the first tick that differs and how far apart values get.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import torch
from contract import Result, Start, Strategy
from torch import Tensor

from hamlet.schema.abi import COUNTS
from hamlet.universe import Universe


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a strategy compares with the interpreter.

    Attributes:
        compared: how many values were compared.
        first_tick: the first tick after which something differed, from 1; `None` where nothing ever did.
        fields: what differed at the end of that tick, or of the run.
        ulp: the largest distance of two meters, in units in the last place, at any tick, among the lanes whose
            integers had been equal up to then.
        lanes: the share of lanes whose state differed at the end.
    """

    compared: int
    first_tick: int | None = None
    fields: tuple[str, ...] = ()
    ulp: int = 0
    lanes: float = 0.0

    @property
    def equal(self) -> bool:
        return self.first_tick is None

    def __str__(self) -> str:
        if self.equal:
            return "every bit"
        where = f"from tick {self.first_tick}, {', '.join(self.fields)}"
        return f"no: {where}; meters up to {self.ulp} ulp apart; {100 * self.lanes:.2f}% of lanes differ at the end"


def arrays(result: Result) -> dict[str, Tensor]:
    """Everything that a run leaves, by name, on the CPU; numbers by their bits."""
    found: dict[str, Any] = {**result.state}
    found |= {name: getattr(result.statistics, name) for name in COUNTS}
    return {
        name: (value.view(torch.int32) if value.dtype == torch.float32 else value).cpu()
        for name, value in found.items()
    }


def different(expected: Result, found: Result) -> tuple[str, ...]:
    """The names of what is not equal in every bit. A field that is missing, or of another type or shape, is not."""
    left, right = arrays(expected), arrays(found)
    names = dict.fromkeys([*left, *right])
    return tuple(
        name
        for name in names
        if name not in left
        or name not in right
        or left[name].dtype != right[name].dtype
        or not torch.equal(left[name], right[name])
    )


def require_coverage(universe: Universe, result: Result) -> None:
    """A comparison in which something never happened proves nothing about it.

    Raises:
        ValueError: an affordance was never used, or no episode ended in one of the ways.
    """
    counts = result.statistics
    for index, uses in enumerate(counts.uses.tolist()):
        if uses == 0:
            raise ValueError(f"the comparison never used {universe.affordances[index].name}: more lanes or ticks")
    for index, ends in enumerate(counts.causes.tolist()):
        if ends == 0:
            name = universe.causes[index].name if index < len(universe.causes) else "the lifespan"
            raise ValueError(f"no episode of the comparison ended by {name}: more lanes or ticks")


def judge(universe: Universe, reference: Strategy, strategy: Strategy, start: Start, actions: Tensor) -> Verdict:
    """Compare a strategy with the reference over these ticks.

    Raises:
        ValueError: too little happened for a comparison.
    """
    reference.prepare(start)
    strategy.prepare(start)
    expected, found = reference.run(actions), strategy.run(actions)
    require_coverage(universe, expected)
    compared = sum(value.numel() for value in arrays(expected).values())
    fields = different(expected, found)
    return retrace(reference, strategy, start, actions, compared) if fields else Verdict(compared)


def retrace(reference: Strategy, strategy: Strategy, start: Start, actions: Tensor, compared: int) -> Verdict:
    """Both runs again, one tick at a time."""
    reference.prepare(start)
    strategy.prepare(start)
    first, ulp = None, 0
    fields: tuple[str, ...] = ("in one go, but not tick by tick",)
    together = torch.ones(start.lanes, dtype=torch.bool)
    differing = torch.zeros(start.lanes, dtype=torch.bool)
    for tick, row in enumerate(actions, start=1):
        expected, found = reference.run(row.unsqueeze(0)), strategy.run(row.unsqueeze(0))
        if first is None and different(expected, found):
            first, fields = tick, different(expected, found)
        left, right = arrays(expected), arrays(found)
        differing = torch.zeros_like(differing)
        for name in expected.state:
            unequal = (left[name] != right[name]).reshape(-1, start.lanes).any(dim=0)
            differing |= unequal
            if expected.state[name].dtype != torch.float32:
                together &= ~unequal
        apart = (ordered(left["meters"]) - ordered(right["meters"])).abs().amax(dim=0)
        ulp = max(ulp, int(torch.where(together, apart, 0).max()))
    return Verdict(compared, first or len(actions), fields, ulp, float(differing.double().mean()))


def ordered(bits: Tensor) -> Tensor:
    """Integers in the order of the numbers whose bits these are, consecutive numbers one apart."""
    wide = bits.long()
    return torch.where(wide < 0, -(wide & 0x7FFFFFFF), wide)


def as_json(verdict: Verdict) -> dict[str, Any]:
    """The verdict in plain values."""
    return {"equal": verdict.equal, "text": str(verdict), **asdict(verdict)}
