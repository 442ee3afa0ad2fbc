"""How lives end, what they are worth, and the clock they go by."""

from __future__ import annotations

from hamlet.universe import Cause, Clock, Lifespan, Number, Reward, Tracking
from hamlet.universe import Report as Reported
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names, is_word
from hamletc.checking.numerals import whole_number
from hamletc.checking.properties import by_key, given_twice, is_known
from hamletc.checking.report import Report
from hamletc.diagnostics import Label
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression

SHORTEST_DAY, LONGEST_DAY = 2, 1000
LONGEST_LIFE = 1_000_000_000
"""Twice as many ticks can still be counted."""


def resolve_clock(declaration: syntax.ClockDecl, report: Report) -> Clock | None:
    """`clock 24 hours`."""
    hours = whole_number(declaration.hours, SHORTEST_DAY, LONGEST_DAY, "the number of hours", report)
    return None if hours is None else Clock(hours, declaration.span)


def resolve_lifespan(declaration: syntax.LifespanDecl, names: Names, report: Report) -> Lifespan | None:
    """`lifespan 500 ticks { reward 1.0 }`; the reward is 0 unless given. There is none with `lifespan forever`."""
    if isinstance(declaration.ticks, syntax.Name):
        return None
    ticks = whole_number(declaration.ticks, 1, LONGEST_LIFE, "a lifespan in ticks", report)
    reward: float | None = 0.0
    given = by_key(declaration.properties, ("reward",), "a lifespan", report).get("reward")
    if given is not None:
        reward = Expressions(names, report).constant(given.value, "the reward of a lifespan")
        if reward == 0.0:
            report.add("H064", "a reward of 0 has no effect", given.span, hint="Leave it out.")
    return None if ticks is None or reward is None else Lifespan(ticks, reward, declaration.span)


def resolve_causes(declarations: list[syntax.DiesDecl], names: Names, report: Report) -> list[Cause]:
    """`dies when a or b`: every operand of `or` is a cause of its own, named as it is written."""
    expressions = Expressions(names, report)
    causes: dict[str, Cause] = {}
    for declaration in declarations:
        for disjunct in _disjuncts(declaration.condition):
            condition = expressions.condition(disjunct)
            if condition is None:
                continue
            name = spell_expression(disjunct)
            cause = Cause(name, condition, disjunct.span)
            first = causes.setdefault(name, cause)
            if first is not cause:
                given_twice("this cause of death", disjunct.span, first.span, report)
    return list(causes.values())


def _disjuncts(condition: syntax.Expr) -> list[syntax.Expr]:
    if isinstance(condition, syntax.BinaryExpr) and condition.op == "or":
        return [*_disjuncts(condition.left), *_disjuncts(condition.right)]
    return [condition]


def resolve_rewards(declarations: list[syntax.RewardDecl], names: Names, report: Report) -> list[Reward]:
    """`reward energy`, `reward homesick: -0.1 * distance to Bed`; those with errors are left out."""
    expressions = Expressions(names, report)
    rewards: list[Reward] = []
    for declaration in declarations:
        if is_word(declaration.value, "nothing"):
            rewards += _no_reward(declaration, declarations, report)
            continue
        value = expressions.number(declaration.value)
        name = declaration.name
        if value is None or (name is not None and not names.owns(name)):
            continue
        # Under a name it is reported: with `inert allowed` it keeps the place of a reward that others pay.
        meant = report.inert_allowed and name is not None
        if isinstance(value, Number) and value.value == 0.0 and len(declarations) > 1 and not meant:
            report.add("H064", "this adds nothing to the other rewards", value.span, hint="Leave the line out.")
        rewards.append(Reward(None if name is None else name.text, value, declaration.span))
    return rewards


def pays_nothing(declarations: list[syntax.RewardDecl]) -> bool:
    """Whether the one declaration is `reward nothing`."""
    return len(declarations) == 1 and is_word(declarations[0].value, "nothing")


def _no_reward(declaration: syntax.RewardDecl, declarations: list[syntax.RewardDecl], report: Report) -> list[Reward]:
    others = [other for other in declarations if not is_word(other.value, "nothing")]
    if others or declaration is not declarations[0]:
        report.add(
            "H069" if others else "H024",
            "`reward nothing` does not hold" if others else "`reward nothing` is given twice",
            declaration.span,
            secondary=(Label((others or declarations)[0].span, "this is paid" if others else "first given here"),),
            hint="Keep one of them.",
        )
    elif declaration.name is not None:
        hint = "Leave the name out, or delete it."
        report.add("H064", "nothing needs no name", declaration.name.span, hint=hint)
    return [Reward(None, Number(0.0, declaration.value.span), declaration.span)]


def resolve_report(declaration: syntax.ReportDecl, names: Names, report: Report) -> Reported | None:
    """`report comfort: energy * mood`."""
    value = Expressions(names, report).number(declaration.value)
    return None if value is None else Reported(declaration.name.text, value, declaration.span)


def resolve_tracking(declaration: syntax.TrackDecl, report: Report) -> Tracking | None:
    """`track uses`, `track uses by world`."""
    by = declaration.by
    if by is None:
        return Tracking("agent", declaration.span)
    if not is_known(by, ("agent", "world"), "nobody whose uses could be tracked", report):
        return None
    return Tracking("world" if by.text == "world" else "agent", declaration.span)
