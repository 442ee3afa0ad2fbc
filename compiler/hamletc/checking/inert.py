"""Nothing is inert: what a universe declares and nobody reads, or what cannot have an effect."""

from __future__ import annotations

from hamlet.universe import (
    DayTime,
    Distance,
    Expression,
    Grid,
    Hour,
    InputValue,
    LastUse,
    MeterValue,
    ObserveMeters,
    ObserveParams,
    ObserveTime,
    ParamValue,
    Streak,
    Visited,
)
from hamletc.checking import trees
from hamletc.checking.axes import axes_of
from hamletc.checking.draft import Draft
from hamletc.checking.names import Names
from hamletc.checking.reach import Changes
from hamletc.checking.report import Report
from hamletc.diagnostics import Label
from hamletc.language import syntax


def check_inert(universe: syntax.Name, draft: Draft, changes: Changes, names: Names, report: Report) -> None:
    """Report what has no effect in a draft that is complete."""
    reads = [node for expression in trees.expressions(draft) for node, _ in trees.nodes(expression)]
    _check_params(draft, reads, names, report)
    _check_inputs(draft, reads, names, report)
    _check_meters(draft, changes, names, report)
    _check_time(draft, reads, report)
    _check_start(draft, report)
    _check_tracking(draft, reads, report)
    _check_ends(draft, universe, names, report)


def _meters_in(expression: Expression | str | None) -> set[str]:
    match expression:
        case None:
            return set()
        case str():
            return {expression}
        case _:
            return {node.meter for node, _ in trees.nodes(expression) if isinstance(node, MeterValue)}


def _meters_that_show(draft: Draft) -> set[str]:
    """The meters that are observed or decide an outcome, and those that others of these depend on."""
    shown = {name for item in draft.observations if isinstance(item, ObserveMeters) for name in item.meters}
    for expression in trees.outcomes(draft):
        shown |= _meters_in(expression)
    sources: dict[str, set[str]] = {meter.name: set() for meter in draft.meters}
    for name, drain in trees.drains(draft):
        sources[name] |= _meters_in(drain)
    for guard, body in trees.bodies(draft):
        for assign in trees.assigns(body):
            sources[assign.meter] |= _meters_in(guard) | _meters_in(assign.value)
    pending = list(shown)
    while pending:
        new = sources[pending.pop()] - shown
        shown |= new
        pending += new
    return shown


def _check_params(draft: Draft, reads: list[Expression], names: Names, report: Report) -> None:
    read = {node.param for node in reads if isinstance(node, ParamValue)}
    read |= {name for item in draft.observations if isinstance(item, ObserveParams) for name in item.params}
    for param in draft.params:
        if param.name not in read:
            report.add(
                "H060",
                f"nobody reads the param `{param.name}`",
                names.span("param", param.name),
                hint="Use it in an expression, or delete it.",
            )


def _check_inputs(draft: Draft, reads: list[Expression], names: Names, report: Report) -> None:
    read = {node.input for node in reads if isinstance(node, InputValue)}
    for item in draft.inputs:
        if item.name not in read:
            report.add(
                "H060",
                f"nobody reads the input `{item.name}`",
                names.span("input", item.name),
                hint="Use it in an expression, or delete it.",
            )


def _check_meters(draft: Draft, changes: Changes, names: Names, report: Report) -> None:
    shown = _meters_that_show(draft)
    for meter in draft.meters:
        span = names.span("meter", meter.name)
        if meter.name not in shown:
            report.add(
                "H060",
                f"nobody reads the meter `{meter.name}`",
                span,
                "it has no influence on anything that shows",
                hint="Use it in a rule, in `reward`, `dies when` or `observe`, or delete it.",
            )
        elif meter.name not in changes.raised | changes.lowered:
            report.add(
                "H073", f"the meter `{meter.name}` never changes", span, hint="Give it a decay, or make it a param."
            )
        elif meter.name not in changes.raised:
            report.add(
                "H071",
                f"nothing can restore the meter `{meter.name}`",
                span,
                "it only ever falls",
                hint="Let an affordance, an action or a rule raise it.",
            )
        elif meter.name not in changes.lowered:
            report.add(
                "H072",
                f"nothing can deplete the meter `{meter.name}`",
                span,
                "it only ever rises",
                hint="Give it a decay, or let something lower it.",
            )


def _check_time(draft: Draft, reads: list[Expression], report: Report) -> None:
    if draft.clock is not None and not (
        any(isinstance(node, Hour | DayTime) for node in reads)
        or any(affordance.hours is not None for affordance in draft.affordances)
        or any(isinstance(item, ObserveTime) for item in draft.observations)
    ):
        report.add(
            "H060",
            "nobody reads the clock",
            draft.clock.span,
            hint="Use `hour` or `open`, observe `time`, or delete the clock.",
        )
    if (
        draft.metric is not None
        and isinstance(draft.space, Grid)
        and not any(isinstance(node, Distance) for node in reads)
    ):
        report.add(
            "H075",
            "nobody uses the metric of the space",
            draft.metric,
            hint="Use `distance to`, or leave `distance` out.",
        )


def _check_start(draft: Draft, report: Report) -> None:
    start = draft.start
    if start is None or draft.space is None:
        return
    fast = trees.reads_speed(draft)
    if start.speed is not None and not fast:
        hint = "Observe `speed`, or leave it out."
        report.add("H060", "nobody reads the speed that episodes begin with", start.span, hint=hint)
    read = trees.velocities_read(draft)
    moving = [axis for axis, part in zip(axes_of(draft.space), start.velocity, strict=True) if part]
    if moving and not read.intersection(moving) and not (fast and start.speed is None):
        hint = "Observe `velocity`, or leave it out."
        report.add("H060", "nobody reads the velocity that episodes begin with", start.span, hint=hint)


def _check_tracking(draft: Draft, reads: list[Expression], report: Report) -> None:
    if draft.tracking is None or any(isinstance(node, LastUse | Streak | Visited) for node in reads):
        return
    if draft.by_hand:
        return  # the program that takes agents through their episodes can see them
    if any(action.keeps_progress for action in draft.actions):
        return  # who was displaced and uses the affordance again starts anew, where uses are tracked
    report.add(
        "H060",
        "nobody reads the uses that are tracked",
        draft.tracking.span,
        hint="Use `last`, `streak of` or `visited`, or delete it.",
    )


def _check_ends(draft: Draft, universe: syntax.Name, names: Names, report: Report) -> None:
    if draft.lifespan is None and not draft.causes:
        report.add(
            "H074",
            f"an episode of `{universe.text}` never ends",
            universe.span,
            hint="Add `dies when` with a condition, or `lifespan` with a number of ticks.",
        )
    for affordance in draft.affordances:
        lifespan, duration = draft.lifespan, affordance.duration
        if lifespan is None or duration is None or draft.by_hand or not affordance.on_completion:
            continue
        if duration >= lifespan.ticks:
            report.add(
                "H064",
                f"nobody lives to complete `{affordance.name}`",
                names.span("affordance", affordance.name),
                f"it takes {duration} ticks and one to get there",
                secondary=(Label(lifespan.span, f"a life has {lifespan.ticks}"),),
                hint="Shorten it, lengthen the lifespan, or delete `on completion`.",
            )
