"""What leaves a tick is finite: the reward with all its parts, returns that add up, and what is observed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from hamlet.schema.bounds import returns
from hamlet.schema.observed import BFLOAT16_LIMIT
from hamlet.universe import ObserveMeters
from hamletc.checking import intervals
from hamletc.checking.draft import Draft
from hamletc.checking.intervals import ZERO, Interval
from hamletc.checking.names import Names
from hamletc.checking.ranges import Ranges, State, narrowing
from hamletc.checking.report import Report
from hamletc.diagnostics import Label

SMALLER = "Write a smaller reward."


def check_rewards(draft: Draft, terms: list[Interval | None], ranges: Ranges) -> None:
    """Report a sum of rewards that can overflow, and rewards that can do so when ticks and episodes add up. `terms` are
    where the values of the rewards lie."""
    values = [reward.value for reward in draft.rewards]
    total: Interval | None = ZERO
    for value, term in zip(values, terms, strict=True):
        total = ranges.finite(intervals.add, total, term, value.span, partial(narrowing, value))
    # Terms are 0 where the agent dies.
    paid = None if total is None else intervals.hull(total, ZERO)
    parts = [(value.span, term, partial(narrowing, value)) for value, term in zip(values, terms, strict=True)]
    if draft.lifespan is not None and draft.lifespan.reward != 0:
        more, span = intervals.single(draft.lifespan.reward), draft.lifespan.span
        at_the_end = ranges.finite(intervals.add, paid, more, span, partial(str, SMALLER))
        paid = None if paid is None or at_the_end is None else intervals.hull(paid, at_the_end)
        parts.append((span, more, partial(str, SMALLER)))
    limits = returns(draft.lifespan, draft.by_hand, draft.lifespan is not None or bool(draft.causes))
    if paid is None or _size(paid) <= limits.reward:
        return
    span, term, cure = max(parts, key=lambda part: ZERO.high if part[1] is None else _size(part[1]))
    most = _round_number(limits.reward / len(parts))
    ranges.report.add(
        "H080",
        "rewards can add up to infinity",
        span,
        f"a reward of {term} in a tick",
        secondary=()
        if draft.lifespan is None
        else (Label(draft.lifespan.span, _summed(draft.lifespan.ticks if limits.per_tick else None)),),
        hint=f"Keep it within -{most} .. {most}. {cure()}",
    )


def _summed(ticks: int | None) -> str:
    return f"returns are summed over {'any number of' if ticks is None else ticks} ticks"


def _round_number(value: float) -> str:
    """The power of ten that is not above a number."""
    return f"1e{len(str(int(value))) - 1}"


def _size(interval: Interval) -> float:
    """How far from 0 an interval reaches."""
    return max(-interval.low, interval.high)


def check_observed(draft: Draft, names: Names, bounds: Mapping[str, Interval], meters: State, report: Report) -> None:
    """Report a meter that leaves its bounds and is observed where bfloat16 has no number for it. Where bounds reach
    that far, such observations are refused when an environment is made."""
    for item in draft.observations:
        if not isinstance(item, ObserveMeters):
            continue
        for name in item.meters:
            reached = meters.get(name)
            if reached is not None and _size(bounds[name]) < BFLOAT16_LIMIT <= _size(reached):
                report.add(
                    "H081",
                    f"`{name}` can be too large to be observed",
                    item.span,
                    f"it reaches {reached}, which rounds to infinity as bfloat16",
                    secondary=(Label(names.span("meter", name), "the meter"),),
                    hint="Leave out `unclamped`, add less to it, or do not observe it.",
                )
