"""Rewards, reports, deaths and lifespans; what is paid and observed stays finite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeGuard

from hamlet import universe
from hamlet.schema.bounds import returns
from hamlet.schema.observed import BFLOAT16_LIMIT
from hamlet.universe import Expression, Span, draws, parts
from hamletc import intervals, messages
from hamletc.checking.draft import Draft
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.ranges import Ranges, State
from hamletc.checking.report import Findings, only
from hamletc.checking.sites import disjuncts, for_role
from hamletc.checking.symbols import is_word
from hamletc.expansion.births import LONGEST_WAIT
from hamletc.intervals import ZERO, Interval
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression

LONGEST_LIFE = 1_000_000_000
"""The most ticks of a lifespan: an I32 still counts twice that number."""


def resolve_lifespan(declaration: syntax.LifespanDecl, names: Names, report: Findings) -> universe.Lifespan | None:
    """`lifespan 500 ticks { reward 1.0 }`; the reward is 0 unless given. There is none with `lifespan forever`."""
    if isinstance(declaration.ticks, syntax.Name):
        return None
    ticks = names.duration(declaration.ticks, LONGEST_LIFE, "a lifespan in")
    reward: float | None = 0.0
    given = only(list(declaration.properties), "`reward`", report)
    if given is not None:
        reward = Expressions(names, report).constant(given.value, "the reward of a lifespan")
        if reward == 0.0:
            report.add(messages.rewards.RewardOfZero(given.span))
    counted, span = declaration.counted, declaration.span
    if ticks is None or reward is None or counted is None:
        return None if ticks is None or reward is None else universe.Lifespan(ticks, reward, span)
    if ticks > LONGEST_WAIT:
        report.add(messages.births.LifespanTooLong(declaration.ticks.span, LONGEST_WAIT))
        return None
    old = universe.Binary(">=", universe.WorldValue(counted.text, span), universe.Number(float(ticks), span), span)
    return universe.Lifespan(ticks, reward, span, old)


def resolve_causes(
    deaths: list[syntax.DiesDecl], goals: list[syntax.EndsDecl], names: Names, report: Findings
) -> list[universe.Cause]:
    """`dies when a or b`, then `ends when c { reward 1 }`: every operand of `or` is a cause of its own, named as it is
    written."""
    causes: dict[str, universe.Cause] = {}
    declarations: list[syntax.DiesDecl | syntax.EndsDecl] = [*deaths, *goals]
    for declaration in declarations:
        of_world = isinstance(declaration, syntax.EndsDecl) and declaration.world
        expressions = Expressions(names, report, scope="ending", whose="world" if of_world else "agent")
        goal = None if isinstance(declaration, syntax.DiesDecl) else _goal(declaration, names, report)
        for disjunct in disjuncts(declaration.condition):
            written = for_role(declaration.who, disjunct)
            condition = expressions.condition(written)
            if condition is None or (goal is None and isinstance(declaration, syntax.EndsDecl)):
                continue
            if of_world:
                _check_drawn(condition, report)
            name = spell_expression(written)
            cause = universe.Cause(name, condition, disjunct.span, goal)
            first = causes.setdefault(name, cause)
            if first is not cause:
                what = "this cause of death" if goal is None else "this end"
                report.add(messages.everywhere.GivenTwice(disjunct.span, what, first.span))
    return list(causes.values())


def _goal(declaration: syntax.EndsDecl, names: Names, report: Findings) -> universe.Goal | None:
    """What is paid where a goal is reached."""
    given = only(list(declaration.properties), "`reward`", report)
    if given is None:
        return universe.Goal(universe.Number(0.0, declaration.span), declaration.span)
    reward = Expressions(names, report, scope="ending").number(given.value)
    if isinstance(reward, universe.Number) and reward.value == 0.0:
        report.add(messages.rewards.RewardOfZero(given.span))
    return None if reward is None else universe.Goal(reward, declaration.span)


def _check_drawn(condition: Expression, report: Findings) -> None:
    """Agents of a world draw apart, and it ends for all of them."""
    for draw in draws(condition):
        report.add(messages.rewards.DrawForWorld(draw.span))


def resolve_rewards(declarations: list[syntax.RewardDecl], names: Names, report: Findings) -> list[universe.Reward]:
    """`reward energy`, `reward homesick: -0.1 * distance to Bed`; those with errors are left out."""
    expressions = Expressions(names, report, scope="ending")
    rewards: list[universe.Reward] = []
    for declaration in declarations:
        if is_word(declaration.value, "nothing"):
            rewards += _no_reward(declaration, declarations, report)
            continue
        name = declaration.name
        if _is_shaping(declaration.value):
            rewards += _shaping(declaration, declaration.value, names, report)
            continue
        written = declaration.value
        if declaration.who is not None:
            written = syntax.WhenExpr(written, declaration.who, written.span)
        value = expressions.number(written)
        if value is None or (name is not None and not names.owns(name)):
            continue
        # Under a name it is reported: with `inert allowed` it keeps the place of a reward that others pay.
        meant = report.inert_allowed and name is not None
        if isinstance(value, universe.Number) and value.value == 0.0 and len(declarations) > 1 and not meant:
            report.add(messages.rewards.NothingAdded(value.span))
        rewards.append(universe.Reward(None if name is None else name.text, value, declaration.span))
    return rewards


def _is_shaping(value: syntax.Expr) -> TypeGuard[syntax.CallExpr]:
    """Whether it is `shaping(...)`."""
    return isinstance(value, syntax.CallExpr) and value.function.text == "shaping" and not value.function.quoted


def _shaping(
    declaration: syntax.RewardDecl, call: syntax.CallExpr, names: Names, report: Findings
) -> Iterator[universe.Reward]:
    """`reward guide: shaping(0.99, -0.1 * distance to Bed)`."""
    if len(call.arguments) != 2:
        report.add(messages.rewards.ShapingArguments(call.span))
        return
    written, potential = call.arguments
    discount = Expressions(names, report).constant(written, "the discount of `shaping`")
    if discount is not None and not 0 < discount <= 1:
        report.add(messages.rewards.DiscountOutsideLimits(written.span))
        discount = None
    if declaration.who is not None:
        potential = syntax.WhenExpr(potential, declaration.who, potential.span)
    value = Expressions(names, report, scope="previous").number(potential)
    if value is None or discount is None or not _lasts(value, report):
        return
    name = declaration.name
    if name is None or names.owns(name):
        before = universe.Potential(discount, universe.Previous(value, call.span), call.span)
        yield universe.Reward(None if name is None else name.text, value, declaration.span, before)


def _lasts(potential: Expression, report: Findings) -> bool:
    """Whether a potential is the same after a tick and before the next one."""
    for node, _ in parts(potential):
        if isinstance(node, universe.Hour | universe.DayTime | universe.Every | universe.After | universe.InputValue):
            report.add(messages.rewards.PotentialChangesBetweenTicks(node.span))
            return False
    return True


def pays_nothing(declarations: list[syntax.RewardDecl]) -> bool:
    """Whether the one declaration is `reward nothing`."""
    return len(declarations) == 1 and is_word(declarations[0].value, "nothing")


def _no_reward(
    declaration: syntax.RewardDecl, declarations: list[syntax.RewardDecl], report: Findings
) -> list[universe.Reward]:
    others = [other for other in declarations if not is_word(other.value, "nothing")]
    if declaration.who is not None:
        report.add(messages.rewards.NoRewardOfRole(declaration.span))
        return []
    if others:
        report.add(messages.rewards.NothingPaid(declaration.span, others[0].span))
    elif declaration is not declarations[0]:
        report.add(messages.everywhere.GivenTwice(declaration.span, "`reward nothing`", declarations[0].span))
    elif declaration.name is not None:
        report.add(messages.rewards.NamedNothing(declaration.name.span))
    return [universe.Reward(None, universe.Number(0.0, declaration.value.span), declaration.span)]


def resolve_report(declaration: syntax.ReportDecl, names: Names, report: Findings) -> universe.Report | None:
    """`report comfort: energy * mood`."""
    value = Expressions(names, report, scope="ending").number(declaration.value)
    return None if value is None else universe.Report(declaration.name.text, value, declaration.span)


SMALLER = "Write a smaller reward."


def check_rewards(draft: Draft, meters: State, ranges: Ranges) -> None:
    """Report a sum of rewards that can overflow, and rewards that can do so when ticks and episodes add up. `meters`
    are where they lie when agents are paid."""
    terms = [ranges.number(reward.value, meters) for reward in draft.rewards]
    goals = [(cause.goal, ranges.number(cause.goal.reward, meters)) for cause in draft.causes if cause.goal is not None]
    values = [reward.value for reward in draft.rewards]
    terms = [_paid(reward, term, ranges) for reward, term in zip(draft.rewards, terms, strict=True)]
    total: Interval | None = ZERO
    for value, term in zip(values, terms, strict=True):
        total = ranges.finite(intervals.add, total, term, value.span, (value,))
    # Terms are 0 where the agent dies.
    paid = None if total is None else intervals.hull(total, ZERO)
    summands: list[tuple[Span, Interval | None, messages.ranges.Cause]] = [
        (value.span, term, (value,)) for value, term in zip(values, terms, strict=True)
    ]
    for goal, term in goals:
        at_once = ranges.finite(intervals.add, total, term, goal.reward.span, goal)
        paid = None if paid is None or at_once is None else intervals.hull(paid, at_once)
        summands.append((goal.reward.span, term, goal))
    if draft.lifespan is not None and draft.lifespan.reward != 0:
        more, span = intervals.single(draft.lifespan.reward), draft.lifespan.span
        at_the_end = ranges.finite(intervals.add, paid, more, span, draft.lifespan)
        paid = None if paid is None or at_the_end is None else intervals.hull(paid, at_the_end)
        summands.append((span, more, draft.lifespan))
    limits = returns(draft.lifespan, draft.by_hand, draft.lifespan is not None or bool(draft.causes))
    if paid is None or _size(paid) <= limits.reward:
        return
    span, term, cause = max(summands, key=lambda part: ZERO.high if part[1] is None else _size(part[1]))
    lifespan = None if draft.lifespan is None else draft.lifespan.span
    ticks = None if draft.lifespan is None or not limits.per_tick else draft.lifespan.ticks
    most = limits.reward / len(summands)
    ranges.report.add(messages.rewards.EndlessReturn(span, term, most, lifespan, ticks, cause))


def _paid(reward: universe.Reward, term: Interval | None, ranges: Ranges) -> Interval | None:
    """Where what is paid lies, of a reward whose value lies there."""
    potential = reward.potential
    if potential is None:
        return term
    before = ranges.number(potential.before, {})
    if term is None or before is None:
        return None
    after = intervals.multiply(intervals.single(potential.discount), intervals.hull(term, ZERO))
    return ranges.finite(intervals.subtract, after, before, potential.span, (reward.value,))


def _size(interval: Interval) -> float:
    """How far from 0 an interval reaches."""
    return max(-interval.low, interval.high)


def check_observed(draft: Draft, names: Names, bounds: Mapping[str, Interval], meters: State, report: Findings) -> None:
    """Report a meter that leaves its bounds and is observed where bfloat16 has no number for it. Where bounds reach
    that far, such observations are refused when an environment is made."""
    for item in draft.values():
        if not isinstance(item.value, universe.MeterValue) or item.value.meter in names.states:
            continue
        name = item.value.meter
        reached = meters.get(name)
        if reached is not None and _size(bounds[name]) < BFLOAT16_LIMIT <= _size(reached):
            declared = names.span("meter", name)
            report.add(messages.rewards.TooLargeToBeObserved(item.span, name, reached, declared))
