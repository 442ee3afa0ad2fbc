"""Walking over the expressions and statements of a draft."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hamlet.universe import (
    Age,
    Assign,
    Binary,
    Clamp,
    Coordinate,
    DayTime,
    Deficit,
    Distance,
    DrawChance,
    DrawChoice,
    DrawInteger,
    DrawNormal,
    DrawUniform,
    Expression,
    Here,
    Hour,
    If,
    InputValue,
    LastUse,
    MeterValue,
    NoSpace,
    Number,
    ObserveSpeed,
    ObserveVelocity,
    ParamValue,
    Previous,
    Progress,
    Rule,
    Shortfall,
    Speed,
    Start,
    Statement,
    StraightDistance,
    Streak,
    Together,
    Truth,
    Unary,
    Velocity,
    Visited,
)
from hamletc.checking.draft import Draft


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is made of."""
    match expression:
        case Unary(operand=operand) | Previous(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Clamp(operand, low, high, _):
            return (operand, low, high)
        case If(condition, then, otherwise, _):
            return (condition, then, otherwise)
        case DrawUniform(first, second, _, _) | DrawNormal(first, second, _, _):
            return (first, second)
        case DrawChoice(options=options):
            return options
        case DrawChance(probability=probability):
            return (probability,)
        case Number() | Truth() | MeterValue() | ParamValue() | InputValue() | Deficit() | Shortfall() | Hour():
            return ()
        case DayTime() | Age() | Coordinate() | Velocity() | Speed() | Progress() | Here() | LastUse() | Streak():
            return ()
        case Visited() | Distance() | StraightDistance() | DrawInteger():
            return ()


def nodes(expression: Expression) -> Iterator[tuple[Expression, int]]:
    """The expression and everything in it, each with its depth; the expression itself has depth 1."""
    pending = [(expression, 1)]
    while pending:
        node, depth = pending.pop()
        yield node, depth
        pending += [(operand, depth + 1) for operand in operands(node)]


def assigns(body: Iterable[Statement]) -> Iterator[Assign]:
    """The assignments in a body, those in `together` too."""
    for statement in body:
        match statement:
            case Assign():
                yield statement
            case Together(body=inner):
                yield from inner


def bodies(draft: Draft) -> Iterator[tuple[Expression | str | None, tuple[Statement, ...]]]:
    """Every body, with the guard of its rule or the source of its cascade."""
    for dynamic in draft.dynamics:
        yield dynamic.guard if isinstance(dynamic, Rule) else dynamic.source, dynamic.body
    for affordance in draft.affordances:
        for body in (affordance.instantly, affordance.each_tick, affordance.on_completion):
            yield None, body
    for action in draft.actions:
        yield None, action.body


def outcomes(draft: Draft) -> Iterator[Expression]:
    """The expressions whose values show by themselves: rewards, reports, causes of death, masks, and `needs`, which
    decide what an agent uses."""
    yield from (reward.value for reward in draft.rewards)
    yield from (report.value for report in draft.reports)
    yield from (mask.allowed for mask in draft.masks)
    yield from (cause.condition for cause in draft.causes)
    yield from (affordance.needs for affordance in draft.affordances if affordance.needs is not None)
    yield from (action.needs for action in draft.actions if action.needs is not None)


def drains(draft: Draft) -> Iterator[tuple[str, Expression]]:
    """What meters lose by `decay`, `move` and `interact`, each with the name of its meter."""
    for meter in draft.meters:
        for drain in (meter.decay, meter.move, meter.interact):
            if drain is not None:
                yield meter.name, drain


def expressions(draft: Draft) -> Iterator[Expression]:
    """Every expression of a draft."""
    yield from outcomes(draft)
    yield from (drain for _, drain in drains(draft))
    for guard, body in bodies(draft):
        if guard is not None and not isinstance(guard, str):
            yield guard
        yield from (assign.value for assign in assigns(body))


def reads_speed(draft: Draft) -> bool:
    """Whether something observes or mentions the speed."""
    if any(isinstance(item, ObserveSpeed) for item in draft.observations):
        return True
    return any(isinstance(node, Speed) for expression in expressions(draft) for node, _ in nodes(expression))


def velocities_read(draft: Draft) -> frozenset[str]:
    """The axes whose velocity is observed or mentioned, by itself."""
    found = {axis for item in draft.observations if isinstance(item, ObserveVelocity) for axis in item.axes}
    for expression in expressions(draft):
        found |= {node.axis for node, _ in nodes(expression) if isinstance(node, Velocity)}
    return frozenset(found)


def reads_velocity(draft: Draft) -> bool:
    """Whether something needs to know how agents move."""
    return not isinstance(draft.space, NoSpace) and (reads_speed(draft) or bool(velocities_read(draft)))


def start_that_shows(draft: Draft) -> Start | None:
    """What an episode begins with, as far as something reads it."""
    start = draft.start
    if start is None:
        return None
    speed = start.speed if reads_speed(draft) else None
    velocity = start.velocity if reads_velocity(draft) else ()
    return replace(start, velocity=velocity, speed=speed) if speed is not None or any(velocity) else None
