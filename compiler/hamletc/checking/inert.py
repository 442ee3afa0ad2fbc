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
    Meter,
    MeterValue,
    Number,
    ObserveMeters,
    ObserveParams,
    ObserveTime,
    ParamValue,
    Span,
    Streak,
    Visited,
)
from hamletc.checking import trees
from hamletc.checking.axes import axes_of
from hamletc.checking.draft import Claim, Draft
from hamletc.checking.intervals import spell
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
    if not draft.observations and not draft.unseen:
        report.add(
            "H078",
            f"nothing is observed in `{universe.text}`",
            universe.span,
            "agents would see nothing",
            hint="Add what they see, as in `observe { meters  here }`, or `observe nothing`.",
        )


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
        elif not _check_claim(meter, draft.claims.get(meter.name), changes, report):
            _check_direction(meter, span, changes, report)


def _check_claim(meter: Meter, claim: Claim | None, changes: Changes, report: Report) -> bool:
    """Whether the author says what the meter only does; it is an error where something else can happen."""
    if claim is None:
        return False
    against: list[tuple[str, list[Span]]] = []
    if claim.word != "rises":
        against.append(("raise", changes.raised.get(meter.name, [])))
    if claim.word != "falls":
        against.append(("lower", changes.lowered.get(meter.name, [])))
    ways = [(way, spans[0]) for way, spans in against if spans]
    if ways:
        is_only = "is only read" if claim.word == "read" else f"only {claim.word}"
        report.add(
            "H069",
            f"it is not so that `{meter.name}` {is_only}",
            claim.span,
            secondary=tuple(Label(where, f"this can {way} it") for way, where in ways),
            hint="Leave it out.",
        )
    elif claim.word != "read" and meter.name not in changes.raised.keys() | changes.lowered.keys():
        hint = "Say `only read`, or let something change it."
        report.add("H069", f"`{meter.name}` never changes at all", claim.span, hint=hint)
    return True


def _check_direction(meter: Meter, span: Span, changes: Changes, report: Report) -> None:
    """Warn of a meter that nothing moves, that runs dry, or that runs full by itself. One that only rises by what
    happens to it is a score or a counter."""
    raised, lowered = changes.raised.get(meter.name, []), changes.lowered.get(meter.name, [])
    drains = {drain.span for drain in (meter.decay, meter.move, meter.interact) if drain is not None}
    if not raised and not lowered:
        report.add(
            "H073",
            f"the meter `{meter.name}` never changes",
            span,
            hint="Give it a decay, or make it a param; say `only read` in its braces where others write it.",
        )
    elif not raised:
        report.add(
            "H071",
            f"nothing can restore the meter `{meter.name}`",
            span,
            "it only ever falls",
            hint="Let an affordance, an action or a rule raise it, or say `only falls` in its braces.",
        )
    elif not lowered and not drains.isdisjoint(raised):
        report.add(
            "H072",
            f"nothing can lower the meter `{meter.name}`",
            span,
            "it only ever rises, by itself",
            hint=f"{_not_lowered(meter)}, or say `only rises` in its braces.",
        )


def _not_lowered(meter: Meter) -> str:
    """What to do about a meter that only ever rises."""
    match meter.decay:
        case Number(value) if value < 0:
            return f"A negative decay restores: write `decay {spell(-value)}` to let it run down"
        case _:
            return "Let an affordance, an action or a rule lower it"


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
    endless = draft.lifespan is None and not draft.causes and not draft.by_hand
    if endless and draft.forever is None:
        report.add(
            "H074",
            f"an episode of `{universe.text}` never ends",
            universe.span,
            hint="Add `dies when` with a condition, `lifespan` with a number of ticks, or `lifespan forever`.",
        )
    elif draft.forever is not None and not endless:
        ends = "the program that runs it ends an episode" if draft.by_hand else "deaths end an episode"
        report.add("H064", f"`lifespan forever` has no effect: {ends}", draft.forever, hint="Leave it out.")
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
