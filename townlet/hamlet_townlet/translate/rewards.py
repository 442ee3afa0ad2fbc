"""Rewards: extrinsic and intrinsic, the modifiers of both, and shaping bonuses.

HAMLET compares the affordance of a bonus with *names*: one that is no name of a deployed affordance pays 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from hamlet.universe import Span
from hamlet_townlet.pack import Pack
from hamlet_townlet.rewards import (
    ApproachReward,
    BalanceBonus,
    BarBonus,
    Bonus,
    CompletionBonus,
    ConditionalBonus,
    CrisisAvoidance,
    DiversityBonus,
    EfficiencyBonus,
    Extrinsic,
    Modifier,
    NoBonus,
    StateAchievement,
    StoppingBonus,
    StreakBonus,
    VariableBonus,
)
from hamlet_townlet.spanned import Spanned
from hamlet_townlet.translate.terms import (
    as_binary32,
    binary,
    call,
    constant,
    joined,
    literal,
    minus,
    number,
    plus,
    product,
    quoted,
    times,
    when,
    word,
)
from hamlet_townlet.translate.variables import Variables
from hamletc.language.syntax import NOWHERE, DistanceExpr, Expr, IfExpr, Name, ReportDecl, RewardDecl, StreakExpr

NEAR_ZERO = 1e-6
"""A `hybrid` bonus with a centre nearer to 0 than this has none."""


def rewards(pack: Pack, variables: Variables, intrinsic: str) -> list[RewardDecl | ReportDecl]:
    """The extrinsic, the intrinsic and the shaping reward, and the weight of the intrinsic one."""
    source = pack.rewards
    span = source.intrinsic.span
    raw: Expr = Name(intrinsic, span, quoted=True)
    if as_binary32(source.intrinsic.base_weight.value) != 1:
        raw = times(raw, literal(source.intrinsic.base_weight), span)
    weights = _multipliers(source.intrinsic.modifiers, pack, variables)
    scaled = times(raw, product(weights, span), span) if weights else raw
    first = _scaled(_extrinsic(source.extrinsic, variables), source.extrinsic, pack, variables)
    return [
        RewardDecl(word("extrinsic", source.extrinsic.span), first, source.extrinsic.span),
        RewardDecl(word("intrinsic", span), scaled, span),
        _shaping(pack, variables),
        ReportDecl(word("intrinsic_weights", span), product(weights, span), span),
    ]


def _shaping(pack: Pack, variables: Variables) -> RewardDecl:
    value, span = shaping(pack, variables)
    return RewardDecl(word("shaping", span), value, span)


def _scaled(value: Expr, extrinsic: Extrinsic, pack: Pack, variables: Variables) -> Expr:
    return product([value, *_multipliers(extrinsic.modifiers, pack, variables)], extrinsic.span)


def _extrinsic(source: Extrinsic, variables: Variables) -> Expr:
    """The value of the strategy, term by term from the base on."""
    span, kind = source.span, source.type.value
    bars = [quoted(bar) for bar in source.bars]
    if kind == "multiplicative":
        return _continued(source.base, 1.0, bars, "*", span)
    terms: list[Expr] = []
    match kind:
        case "additive_unweighted":
            terms = [*bars]
        case "aggregation":
            terms = [call("min", bars, span)] if bars else []
        case _:
            terms = [_bar_term(kind, bonus) for bonus in source.bar_bonuses]
    for bonus in source.variable_bonuses:
        terms.append(times(literal(bonus.weight), variables.read(bonus.variable), bonus.span))
    return _continued(source.base, 0.0, terms, "+", span)


def _continued(base: Spanned[float], neutral: float, terms: Sequence[Expr], op: str, span: Span) -> Expr:
    """The base and the terms from left to right; a base that changes nothing is left out."""
    rest = list(terms)
    value: Expr = literal(base)
    if rest and as_binary32(base.value) == neutral:
        value = rest.pop(0)
    for term in rest:
        value = times(value, term, span) if op == "*" else plus(value, term, span)
    return value


def _bar_term(kind: str, bonus: BarBonus) -> Expr:
    span, meter, centre = bonus.span, quoted(bonus.bar), bonus.center.value
    scale, at = literal(bonus.scale), literal(bonus.center)
    match kind:
        case "threshold_based":
            return when(scale, binary(meter, ">=", at, span), span)
        case "polynomial":
            return times(scale, _power(meter, centre, span), span)
        case "weighted_sum":
            return times(scale, meter, span)
        case "hybrid" if abs(centre) < NEAR_ZERO:
            return times(scale, meter, span)
        case _:
            return times(scale, minus(meter, at, span), span)


def _power(meter: Name, exponent: float, span: Span) -> Expr:
    """A power the way torch computes it."""
    if exponent == 0:
        return number(1.0, span)
    if exponent == 1:
        return meter
    if exponent == 0.5:
        return call("sqrt", [meter], span)
    return call("pow", [meter, number(exponent, span)], span)


def _multipliers(names: Sequence[Spanned[str]], pack: Pack, variables: Variables) -> list[Expr]:
    modifiers = {modifier.name.value: modifier for modifier in pack.rewards.modifiers}
    return [_multiplier(modifiers[name.value], variables) for name in names]


def _multiplier(modifier: Modifier, variables: Variables) -> Expr:
    """`if energy < 0.3 then 2 else if energy < 0.7 then 1 else 0.5`.

    The last range holds wherever no other one does: also below 0, where some variables can be.
    """
    ranges = modifier.ranges
    last = literal(ranges[-1].multiplier)
    if modifier.bar is not None:
        source: Expr = quoted(modifier.bar)
    elif modifier.variable is not None:
        source = variables.read(modifier.variable)
    else:
        raise ValueError("a modifier has a bar or a variable")
    value = constant(source)
    if value is not None:
        holds = [r for r in ranges[:-1] if as_binary32(r.low.value) <= value < as_binary32(r.high.value)]
        return literal(holds[0].multiplier) if holds else last
    result: Expr = last
    for each in reversed(ranges[:-1]):
        below = binary(source, "<", literal(each.high), each.high.span)
        result = IfExpr(below, literal(each.multiplier), result, modifier.span)
    if modifier.variable is not None and len(ranges) > 1 and variables.can_be_negative(modifier.variable.value):
        negative = binary(source, "<", number(0.0, modifier.span), modifier.span)
        result = IfExpr(negative, last, result, modifier.span)
    return result


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
        case VariableBonus():
            return times(literal(bonus.weight), variables.read(bonus.variable), span)
        case ApproachReward(affordance=affordance) if affordance.value in deployed:
            return _approach(bonus, quoted(affordance))
        case ApproachReward():
            return None
        case _:
            condition = _condition(bonus, deployed)
            return None if condition is None else when(literal(bonus.weight), condition, span)


def _approach(bonus: ApproachReward, affordance: Name) -> Expr:
    """`clamp(w * (1 - straight distance to Bed / far), 0, w)`."""
    span = bonus.span
    distance = binary(DistanceExpr(affordance, "straight", span), "/", literal(bonus.max_distance), span)
    nearness = minus(number(1.0, span), distance, span)
    return call("clamp", [times(literal(bonus.weight), nearness, span), number(0.0, span), literal(bonus.weight)], span)


def _condition(bonus: ConditionalBonus, deployed: set[str]) -> Expr | None:
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
        case EfficiencyBonus(bar=bar, threshold=level):
            return binary(quoted(bar), ">=", literal(level), span)
        case CrisisAvoidance(bar=bar, threshold=level):
            return binary(quoted(bar), ">", literal(level), span)
        case StateAchievement(conditions=conditions):
            each = [binary(quoted(c.bar), ">=", literal(c.min_value), c.bar.span) for c in conditions]
            return joined(each, "and", span)
        case BalanceBonus(bars=bars, max_imbalance=most):
            meters = [quoted(bar) for bar in bars]
            spread = minus(call("max", meters, span), call("min", meters, span), span)
            return binary(spread, "<=", literal(most), span)
