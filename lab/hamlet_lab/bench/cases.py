"""What is measured: a backend, a number of worlds, what is observed, and how ticks are launched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.schema.observed import encodes, fits_bfloat16
from hamlet.universe import Universe

Launch: TypeAlias = Literal["step", "rollout"]
Observed: TypeAlias = Literal["none", "uint8", "bfloat16", "float32"]

INTERPRETER_MOST = 4096
"""The interpreter is timed up to so many lanes: its rate hardly changes beyond, and it is slow."""


@dataclass(frozen=True, slots=True)
class Case:
    """`step` is a launch per tick, `rollout` one for `ticks` ticks; both write what is `observed` every tick."""

    backend: str
    worlds: int
    agents: int
    launch: Launch
    ticks: int
    observed: Observed

    @property
    def lanes(self) -> int:
        return self.worlds * self.agents


def observable(universe: Universe) -> tuple[Observed, ...]:
    """What can be observed of a universe: not all observations fit into bytes."""
    fits: dict[Observed, bool] = {"uint8": encodes(universe), "bfloat16": fits_bfloat16(universe)}
    return ("none", *(observed for observed, fit in fits.items() if fit), "float32")


def cases(
    backends: Sequence[str], worlds: Sequence[int], agents: int, observed: Sequence[Observed], ticks: int
) -> tuple[Case, ...]:
    """All combinations, by backend, launch, what is observed, and size."""
    return tuple(
        Case(backend, count, agents, launch, ticks if launch == "rollout" else 1, seen)
        for backend in backends
        for launch in ("rollout", "step")
        for seen in observed
        for count in worlds
        if backend != "interpreter" or count * agents <= INTERPRETER_MOST
    )
