"""Rewards of a pack: what drive_as_code.yaml says, with places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamlet_townlet.spanned import Spanned


@dataclass(frozen=True, slots=True)
class ModifierRange:
    """`multiplier` where the source is in `low` .. `high`, `high` excluded."""

    low: Spanned[float]
    high: Spanned[float]
    multiplier: Spanned[float]


@dataclass(frozen=True, slots=True)
class Modifier:
    """A multiplier that depends on a meter or on a variable: exactly one is not `None`.

    The ranges are sorted by `low` and tile 0 .. 1.
    """

    name: Spanned[str]
    bar: Spanned[str] | None
    variable: Spanned[str] | None
    ranges: tuple[ModifierRange, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class BarBonus:
    """A term of an extrinsic strategy about a meter."""

    bar: Spanned[str]
    center: Spanned[float]
    scale: Spanned[float]
    span: Span


@dataclass(frozen=True, slots=True)
class VariableBonus:
    """A variable times a weight: a term of an extrinsic strategy, or a shaping bonus."""

    variable: Spanned[str]
    weight: Spanned[float]
    span: Span


Strategy: TypeAlias = Literal[
    "multiplicative",
    "constant_base_with_shaped_bonus",
    "additive_unweighted",
    "weighted_sum",
    "polynomial",
    "threshold_based",
    "aggregation",
    "vfs_variable",
    "hybrid",
]


@dataclass(frozen=True, slots=True)
class Extrinsic:
    """The extrinsic reward. Lists that the strategy does not use are empty; `base` is what it starts from."""

    type: Spanned[Strategy]
    base: Spanned[float]
    bars: tuple[Spanned[str], ...]
    bar_bonuses: tuple[BarBonus, ...]
    variable_bonuses: tuple[VariableBonus, ...]
    modifiers: tuple[Spanned[str], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """The weight of the intrinsic reward."""

    base_weight: Spanned[float]
    modifiers: tuple[Spanned[str], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ApproachReward:
    """Nearness to an affordance."""

    weight: Spanned[float]
    affordance: Spanned[str]
    max_distance: Spanned[float]
    span: Span


@dataclass(frozen=True, slots=True)
class CompletionBonus:
    """Paid while the last affordance is this one."""

    weight: Spanned[float]
    affordance: Spanned[str]
    span: Span


@dataclass(frozen=True, slots=True)
class EfficiencyBonus:
    """Paid while a meter is at least `threshold`; an `economic_efficiency`, whose `min_balance` it is, too."""

    weight: Spanned[float]
    bar: Spanned[str]
    threshold: Spanned[float]
    span: Span


@dataclass(frozen=True, slots=True)
class MinimumCondition:
    """A meter is at least `min_value`."""

    bar: Spanned[str]
    min_value: Spanned[float]


@dataclass(frozen=True, slots=True)
class StateAchievement:
    """Paid while all conditions hold."""

    weight: Spanned[float]
    conditions: tuple[MinimumCondition, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class StreakBonus:
    """Paid while the streak of an affordance is at least `min_streak`."""

    weight: Spanned[float]
    affordance: Spanned[str]
    min_streak: Spanned[int]
    span: Span


@dataclass(frozen=True, slots=True)
class DiversityBonus:
    """Paid while at least `min_unique` affordances have been used."""

    weight: Spanned[float]
    min_unique: Spanned[int]
    span: Span


@dataclass(frozen=True, slots=True)
class BalanceBonus:
    """Paid while meters differ by at most `max_imbalance`."""

    weight: Spanned[float]
    bars: tuple[Spanned[str], ...]
    max_imbalance: Spanned[float]
    span: Span


@dataclass(frozen=True, slots=True)
class CrisisAvoidance:
    """Paid while a meter is greater than `threshold`."""

    weight: Spanned[float]
    bar: Spanned[str]
    threshold: Spanned[float]
    span: Span


@dataclass(frozen=True, slots=True)
class StoppingBonus:
    """A bonus of this type with which HAMLET stops in the first step."""

    type: str
    span: Span


@dataclass(frozen=True, slots=True)
class NoBonus:
    """A bonus that is always 0 but is still added: `timing_bonus` without temporal mechanics."""

    span: Span


ConditionalBonus: TypeAlias = (
    CompletionBonus | EfficiencyBonus | StateAchievement | StreakBonus | DiversityBonus | BalanceBonus | CrisisAvoidance
)
"""A bonus that is paid while a condition holds."""


Bonus: TypeAlias = ConditionalBonus | ApproachReward | VariableBonus | StoppingBonus | NoBonus
"""Affordances of bonuses are *ids*; at run time HAMLET compares them with *names*."""


@dataclass(frozen=True, slots=True)
class Rewards:
    """drive_as_code.yaml."""

    modifiers: tuple[Modifier, ...]
    extrinsic: Extrinsic
    intrinsic: Intrinsic
    shaping: tuple[Bonus, ...]
