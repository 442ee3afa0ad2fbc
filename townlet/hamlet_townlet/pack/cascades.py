"""cascades.yaml: modulations and cascades."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamlet_townlet.pack.spanned import Spanned


@dataclass(frozen=True, slots=True)
class Modulation:
    """An extra depletion of `target` that grows as `source` falls."""

    name: str
    source: Spanned[str]
    target: Spanned[str]
    base_multiplier: Spanned[float]
    range: Spanned[float]
    baseline_depletion: Spanned[float]
    span: Span


CascadeGroup: TypeAlias = Literal["primary_to_pivotal", "secondary_to_primary", "secondary_to_pivotal_weak"]


@dataclass(frozen=True, slots=True)
class Cascade:
    """A loss of `target` while `source` is below `threshold`."""

    name: str
    group: CascadeGroup
    source: Spanned[str]
    target: Spanned[str]
    threshold: Spanned[float]
    strength: Spanned[float]
    span: Span


@dataclass(frozen=True, slots=True)
class Cascades:
    """cascades.yaml, in file order; cascades of groups that are never run are left out."""

    modulations: tuple[Modulation, ...]
    cascades: tuple[Cascade, ...]
