"""affordances.yaml and global_actions.yaml."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet.universe import Span
from hamlet_townlet.pack.spanned import Spanned


@dataclass(frozen=True, slots=True)
class Change:
    """An amount of a meter: of a cost, what is taken; of an effect, what is given."""

    meter: Spanned[str]
    amount: Spanned[float]
    span: Span


@dataclass(frozen=True, slots=True)
class Position:
    """Configured coordinates, as many as the space has axes."""

    coordinates: tuple[int, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Affordance:
    """A place to interact with. `opens` is 0 .. 23, `closes` 1 .. 28; `position` is `None` unless it is used."""

    id: Spanned[str]
    name: Spanned[str]
    interaction_type: Spanned[str] | None
    duration_ticks: Spanned[int] | None
    opens: Spanned[int]
    closes: Spanned[int]
    costs: tuple[Change, ...]
    costs_per_tick: tuple[Change, ...]
    on_start: tuple[Change, ...]
    per_tick: tuple[Change, ...]
    on_completion: tuple[Change, ...]
    position: Position | None
    span: Span


@dataclass(frozen=True, slots=True)
class CustomAction:
    """An action beside those of the substrate. A `teleport_to` overwrites what a `delta` did."""

    name: Spanned[str]
    costs: tuple[Change, ...]
    effects: tuple[Change, ...]
    delta: tuple[Spanned[float], ...] | None
    teleport_to: tuple[Spanned[int], ...] | None
    span: Span
