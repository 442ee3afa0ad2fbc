"""Statements, drains, rewards and observations without effect: what they give is always the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from hamlet.universe import Assign, Expression, Meter, MeterValue, Number, ObserveMeters, Report, Reward, Span
from hamletc.checking import intervals, trees
from hamletc.checking.draft import Draft
from hamletc.checking.intervals import ZERO, Interval
from hamletc.checking.knowledge import Known
from hamletc.checking.report import Report as Findings
from hamletc.diagnostics import Label

Drain: TypeAlias = Literal["decay", "move", "interact"]
TAKEN: dict[Drain, str] = {"decay": "one tick", "move": "one move", "interact": "one `INTERACT`"}


def drain_of(meter: Meter, kind: Drain) -> Expression | None:
    """What a meter loses."""
    match kind:
        case "decay":
            return meter.decay
        case "move":
            return meter.move
        case "interact":
            return meter.interact


def check_drain(meter: Meter, kind: Drain, drain: Expression, known: Known, report: Findings) -> None:
    """A drain of more than there can be in a meter is probably not in its unit."""
    value, inside, bounds = known.number(drain), known.meter(meter.name), known.around.bounds.get(meter.name)
    if value is None or inside is None or bounds is None:
        return
    whole = intervals.hull(inside, bounds)
    size = whole.high - whole.low
    if value.low <= size and value.high >= -size:
        return
    empties = value.low > 0
    report.add(
        "H077",
        f"{TAKEN[kind]} {'takes more from' if empties else 'gives more to'} `{meter.name}` than it can hold",
        drain.span,
        f"`{meter.name}` is in {whole}",
        hint=f"`{kind} {intervals.spell(size if empties else -size)}` {'empties' if empties else 'fills'} it as well,"
        " if that is meant; otherwise write a smaller number.",
    )


def check_statement(
    assign: Assign,
    old: Interval | None,
    value: Interval | None,
    new: Interval | None,
    wrote: Span | None,
    report: Findings,
) -> None:
    """A statement that leaves its meter as it is. `old` and `new` are where that lies before and after; `wrote` is the
    statement that gave it its value."""
    adds_nothing = assign.op != "=" and value == ZERO and (not assign.clamped or old == new)
    stays = old is not None and old.low == old.high and old == new
    if not (adds_nothing or stays) or report.said(assign.span):
        return
    report.add(
        "H063",
        f"this never changes `{assign.meter}`",
        assign.span,
        "it is 0 here" if adds_nothing else f"`{assign.meter}` is {old} already",
        secondary=() if adds_nothing or wrote is None else (Label(wrote, "by then this has happened"),),
        hint="Leave it out, or write a value that is not 0." if adds_nothing else "Leave it out.",
    )


def check_reward(reward: Reward, value: Interval | None, alone: bool, report: Findings) -> None:
    """A reward that is always 0, or the same although it reads meters; a number is paid for living."""
    if value is None or value.low != value.high or report.said(reward.span):
        return
    if isinstance(reward.value, Number) and value == ZERO and alone:
        hint = "Write `reward nothing` where nothing is paid."
        report.add("H064", "a reward of 0 has no effect", reward.value.span, hint=hint)
    elif value == ZERO or any(isinstance(node, MeterValue) for node, _ in trees.nodes(reward.value)):
        _say_constant("reward", value, reward.value, report)


def check_report(item: Report, value: Interval | None, report: Findings) -> None:
    """A report that is always the same."""
    if value is not None and value.low == value.high and not report.said(item.value.span):
        _say_constant("report", value, item.value, report)


def _say_constant(what: str, value: Interval, expression: Expression, report: Findings) -> None:
    read = [node.meter for node, _ in trees.nodes(expression) if isinstance(node, MeterValue)]
    because = f"rules run before this is read: `{read[0]}` has its value by then" if read else ""
    report.add(
        "H064",
        f"this {what} is always {intervals.spell(value.low + 0.0)}",
        expression.span,
        because,
        hint="Leave the line out, or let it read what changes.",
    )


def check_observed(draft: Draft, end: Known, constant: Iterable[str], report: Findings) -> None:
    """Meters that are the same whenever they are observed; not those that are `constant` by themselves."""
    starts = {meter.name: intervals.single(meter.start) for meter in draft.meters}
    for item in draft.observations:
        if not isinstance(item, ObserveMeters):
            continue
        same = [name for name in item.meters if name not in constant and _is_single(end.meter(name))]
        if not same:
            continue
        names, begins = ", ".join(f"`{name}`" for name in same), all(end.meter(name) == starts[name] for name in same)
        report.add(
            "H079",
            f"every observation{'' if begins else ' but the first'} shows the same {names}",
            item.span,
            "; ".join(f"`{name}` is {end.meter(name)} when a tick ends" for name in same),
            hint="Name the meters that change, as in `meters energy mood`.",
        )


def _is_single(value: Interval | None) -> bool:
    return value is not None and value.low == value.high
