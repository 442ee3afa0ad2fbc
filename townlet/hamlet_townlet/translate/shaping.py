"""Shaping bonuses.

HAMLET compares the affordance of a bonus with *names*: one that is no name of a deployed affordance pays 0.
"""

from __future__ import annotations

from functools import reduce

from hamlet.universe import Span
from hamlet_townlet.pack import (
    ApproachReward,
    BalanceBonus,
    Bonus,
    CompletionBonus,
    CrisisAvoidance,
    DiversityBonus,
    EconomicEfficiency,
    EfficiencyBonus,
    NoBonus,
    Pack,
    ShapingVariable,
    Spanned,
    StateAchievement,
    StoppingBonus,
    StreakBonus,
)
from hamlet_townlet.translate.terms import binary, call, joined, minus, number, plus, quoted, times, when, word
from hamlet_townlet.translate.variables import Variables
from hamletc.language.syntax import NOWHERE, DistanceExpr, Expr, Name, StreakExpr


def shaping(pack: Pack, variables: Variables) -> tuple[Expr, Span]:
    """The bonuses from first to last, without those that are always 0, and where they begin."""
    names = {affordance.name.value for affordance in pack.deployed}
    bonuses = [value for bonus in pack.rewards.shaping if (value := _bonus(bonus, names, variables)) is not None]
    if not bonuses:
        return number(0.0, NOWHERE), NOWHERE
    span = pack.rewards.shaping[0].span
    return reduce(lambda a, b: plus(a, b, span), bonuses), span


def _bonus(bonus: Bonus, deployed: set[str], variables: Variables) -> Expr | None:
    span = bonus.span
    match bonus:
        case NoBonus() | StoppingBonus():
            return None
        case ShapingVariable():
            return times(_number(bonus.weight), variables.read(bonus.variable), span)
        case ApproachReward(affordance=affordance) if affordance.value in deployed:
            return _approach(bonus, quoted(affordance))
        case ApproachReward():
            return None
        case _:
            condition = _condition(bonus, deployed)
            return None if condition is None else when(_number(bonus.weight), condition, span)


def _approach(bonus: ApproachReward, affordance: Name) -> Expr:
    """`clamp(w * (1 - straight distance to Bed / far), 0, w)`."""
    span = bonus.span
    distance = binary(DistanceExpr(affordance, True, span), "/", _number(bonus.max_distance), span)
    nearness = minus(number(1.0, span), distance, span)
    return call("clamp", [times(_number(bonus.weight), nearness, span), number(0.0, span), _number(bonus.weight)], span)


def _condition(
    bonus: CompletionBonus
    | EfficiencyBonus
    | StateAchievement
    | StreakBonus
    | DiversityBonus
    | EconomicEfficiency
    | BalanceBonus
    | CrisisAvoidance,
    deployed: set[str],
) -> Expr | None:
    """When a bonus is paid; `None` for never."""
    span = bonus.span
    match bonus:
        case CompletionBonus(affordance=affordance):
            used = binary(word("last", span), "==", quoted(affordance), span)
            return used if affordance.value in deployed else None
        case StreakBonus(affordance=affordance, min_streak=least):
            streak = binary(StreakExpr(quoted(affordance), span), ">=", number(float(least.value), least.span), span)
            return streak if affordance.value in deployed else None
        case DiversityBonus(min_unique=least):
            return binary(word("visited", span), ">=", number(float(least.value), least.span), span)
        case EfficiencyBonus(bar=bar, threshold=level) | EconomicEfficiency(bar=bar, min_balance=level):
            return binary(quoted(bar), ">=", _number(level), span)
        case CrisisAvoidance(bar=bar, threshold=level):
            return binary(quoted(bar), ">", _number(level), span)
        case StateAchievement(conditions=conditions):
            each = [binary(quoted(c.bar), ">=", _number(c.min_value), c.bar.span) for c in conditions]
            return joined(each, "and", span)
        case BalanceBonus(bars=bars, max_imbalance=most):
            meters = [quoted(bar) for bar in bars]
            spread = minus(call("max", meters, span), call("min", meters, span), span)
            return binary(spread, "<=", _number(most), span)


def _number(value: Spanned[float]) -> Expr:
    return number(value.value, value.span)
