"""Nothing is inert: what nobody reads, and statements, drains, rewards and observations that are always the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from hamlet import universe
from hamlet.universe import Expression, Span, assigns, draws, guards, parts, pushes
from hamlet.universe.space import axes_of
from hamletc import intervals
from hamletc.checking.draft import Claim, Draft
from hamletc.checking.effects import MOMENTS
from hamletc.checking.knowledge import Known
from hamletc.checking.names import Names
from hamletc.checking.ranges import State
from hamletc.checking.reach import Changes
from hamletc.checking.report import Findings
from hamletc.diagnostics import Label
from hamletc.intervals import ZERO, Interval, spell
from hamletc.language import syntax

Drain: TypeAlias = Literal["decay", "move", "interact"]
_READS = universe.MeterValue | universe.WorldValue | universe.CellValue
TAKEN: Mapping[Drain, str] = {"decay": "one tick", "move": "one move", "interact": "one `INTERACT`"}


# --- what nobody reads -----------------------------------------------------------------------------------------------


def check_inert(name: syntax.Name, draft: Draft, changes: Changes, names: Names, report: Findings) -> None:
    """Report what has no effect in a draft that is complete; `name` is the universe's."""
    reads = list(draft.parts())
    params = {node.param for node in reads if isinstance(node, universe.ParamValue)}
    params |= {name for item in draft.observed() if isinstance(item, universe.ObserveParams) for name in item.params}
    _check_read("param", draft.params, params, names, report)
    inputs = {node.input for node in reads if isinstance(node, universe.InputValue)}
    _check_read("input", draft.inputs, inputs, names, report)
    controls = {node.control for node in reads if isinstance(node, universe.ControlValue)}
    _check_read("control", draft.controls, controls, names, report)
    _check_map(draft, reads, names, report)
    _check_effects(names, report)
    _check_meters(draft, changes, names, report)
    _check_time(draft, names, reads, report)
    _check_start(draft, report)
    _check_tracking(draft, reads, report)
    _check_ends(draft, name, names, report)
    if not draft.observed() and not draft.unseen:
        hint = "Add what they see, as in `observe { meters  here }`, or `observe nothing`."
        report.add("H078", f"nothing is observed in `{name.text}`", name.span, "agents would see nothing", hint=hint)


def _check_read(
    kind: Literal["param", "input", "control"],
    declared: Iterable[universe.Param | universe.Input | universe.Control],
    read: set[str],
    names: Names,
    report: Findings,
) -> None:
    for item in declared:
        if item.name not in read:
            hint = "Use it in an expression, or delete it."
            report.add("H060", f"nobody reads the {kind} `{item.name}`", names.span(kind, item.name), hint=hint)


def _check_map(draft: Draft, reads: list[Expression], names: Names, report: Findings) -> None:
    if not isinstance(draft.space, universe.Grid) or draft.space.map is None:
        return
    read = {node.terrain for node in reads if isinstance(node, universe.TerrainValue)}
    hint = "Use it in an expression, or delete it."
    for terrain in draft.space.map.terrains:
        if terrain.name not in read:
            span = names.span("terrain", terrain.name)
            report.add("H060", f"nobody reads the terrain `{terrain.name}`", span, hint=hint)
    met = {node.region for node in reads if isinstance(node, universe.On)}
    met |= {item.region for item in draft.observed() if isinstance(item, universe.ObserveRegion) and item.region}
    met |= {number.region for terrain in draft.space.map.terrains for number in terrain.numbers} | names.asked
    hint = "Write `on {}`, observe `window 2 of {}`, or delete it."
    for region in draft.space.map.regions:
        if region.name not in met:
            span = names.span("region", region.name)
            report.add(
                "H060", f"nobody asks for the region `{region.name}`", span, hint=hint.replace("{}", region.name)
            )


def _meters_in(expression: Expression | str | None) -> set[str]:
    match expression:
        case None:
            return set()
        case str():
            return {expression}
        case _:
            return {node.meter for node, _ in parts(expression) if isinstance(node, _READS)}


def _meters_that_show(draft: Draft) -> set[str]:
    """The meters that are observed or decide an outcome, and those that others of these depend on; with the world's."""
    observed = universe.ObserveMeters | universe.ObserveWorld | universe.ObserveCell
    shown = {name for item in draft.observed() if isinstance(item, observed) for name in item.meters}
    shown |= {name for item in draft.observed() if isinstance(item, universe.ObserveState) for name in item.states}
    shown |= {item.meter for item in draft.observed() if isinstance(item, universe.ObserveCells)}
    shown |= {meter for affordance in draft.affordances for meter in affordance.moving}
    for expression in draft.outcomes():
        shown |= _meters_in(expression)
    # Start values read what a world keeps.
    sources = {
        meter.name: _meters_in(meter.start) if isinstance(meter.start, Expression) else set()
        for meter in draft.meters_of_all()
    }
    for name, drain in draft.drains():
        sources[name] |= _meters_in(drain)
    for guard, body in (*draft.bodies(), *draft.bodies_of_world()):
        tested = _meters_in(guard).union(*(_meters_in(guarded.condition) for guarded in guards(body)))
        for assign in assigns(body):
            sources[assign.meter] |= tested | _meters_in(assign.value)
        for push in pushes(body):  # positions follow from velocities
            shown |= tested | _meters_in(push.value)
    pending = list(shown)
    while pending:
        new = sources[pending.pop()] - shown
        shown |= new
        pending += new
    return shown


def _check_effects(names: Names, report: Findings) -> None:
    """Report effects that nothing begins, and those that do nothing and nobody asks for."""
    effects = names.effects
    for effect in effects.known.values():
        name = effect.name
        if name not in effects.begun:
            where = "a rule of the world" if effect.of_world else "a rule, an affordance or an action"
            hint = f"Write `begin {name}` in {where}, or delete it."
            report.add("H172", f"nothing begins the effect `{name}`", effect.span, hint=hint)
        elif name not in effects.asked and not any(effects.bodies.get((name, moment)) for moment in MOMENTS):
            hint = (
                f"Add `each tick {{ ... }}`, ask for it in a condition, as in `{name} and energy < 0.5`, or delete it."
            )
            report.add("H173", f"the effect `{name}` does nothing", effect.span, "and nobody asks for it", hint=hint)


def _check_meters(draft: Draft, changes: Changes, names: Names, report: Findings) -> None:
    shown = _meters_that_show(draft)
    for meter in draft.meters:
        if names.effects.owns(meter.name) or meter.name in draft.past:
            continue
        span = names.span("meter", meter.name)
        claim = draft.claims.get(meter.name)
        if meter.name not in shown:
            report.add(
                "H060",
                f"nobody reads the {_noun(meter)} `{meter.name}`",
                span,
                "it has no influence on anything that shows",
                hint="Use it in a rule, in `reward`, `dies when` or `observe`, or delete it.",
            )
        elif meter.type is not None:
            _check_state(meter, changes, span, report)
        elif claim is not None:
            _check_claim(meter, claim, changes, report)
        else:
            _check_direction(meter, span, changes, report)
    positions = {meter for affordance in draft.affordances for meter in affordance.moving}
    for of_world in draft.world_meters:
        if names.effects.owns(of_world.name) or of_world.name in draft.past or of_world.name in positions:
            continue
        span = names.span("world meter", of_world.name)
        if of_world.name not in shown:
            hint = "Use it in an expression, in a capacity or in `observe`, or delete it."
            label = "it has no influence on anything that shows"
            report.add(
                "H060",
                f"nobody reads the {_noun(of_world)} `{of_world.name}` of the world",
                span,
                label,
                hint=hint,
            )
        elif of_world.type is not None:
            _check_state(of_world, changes, span, report)
        elif not _varies(of_world.start) and of_world.name not in changes.raised.keys() | changes.lowered.keys():
            hint = "Let a rule of the world change it, or make it a param."
            report.add("H073", f"the meter `{of_world.name}` of the world never changes", span, hint=hint)
    _check_cells(draft, shown, changes, names, report)


def _check_cells(draft: Draft, shown: set[str], changes: Changes, names: Names, report: Findings) -> None:
    for meter in draft.cell_meters:
        span = names.span("cell meter", meter.name)
        if meter.name not in shown:
            hint = "Use it in an expression, observe it, as in `window 2 of " + meter.name + "`, or delete it."
            label = "it has no influence on anything that shows"
            report.add("H060", f"nobody reads the {_noun(meter)} `{meter.name}` of cells", span, label, hint=hint)
        elif not _varies(meter.start) and meter.name not in changes.raised.keys() | changes.lowered.keys():
            hint = "Let a rule of cells change it; what never changes is a terrain of a map, or a param."
            report.add("H073", f"the {_noun(meter)} `{meter.name}` of cells never changes", span, hint=hint)


def _varies(start: float | Expression) -> bool:
    """Whether episodes, or agents, begin with different values: they are drawn, or read what the world keeps."""
    different = universe.WorldValue | universe.AgentNumber
    return isinstance(start, Expression) and (
        any(draws(start)) or any(isinstance(node, different) for node, _ in parts(start))
    )


def _noun(meter: universe.AnyMeter) -> str:
    """What a meter is called in messages."""
    return "meter" if meter.type is None else "state"


def _check_state(state: universe.Meter | universe.WorldMeter, changes: Changes, span: Span, report: Findings) -> None:
    """Warn of a state that nothing changes, unless episodes begin with different values of it."""
    same = not isinstance(state.start, Expression)
    if same and state.name not in changes.raised.keys() | changes.lowered.keys():
        hint = "Let something write it, or write what it is where it is read."
        report.add("H073", f"the state `{state.name}` never changes", span, hint=hint)


def _check_claim(meter: universe.Meter, claim: Claim, changes: Changes, report: Findings) -> None:
    """Report what can happen to a meter although the author says that it only falls, rises or is read."""
    against: list[tuple[str, list[Span]]] = []
    if claim.word != "rises":
        against.append(("raise", changes.raised.get(meter.name, [])))
    if claim.word != "falls":
        against.append(("lower", changes.lowered.get(meter.name, [])))
    ways = tuple(Label(spans[0], f"this can {way} it") for way, spans in against if spans)
    if ways:
        is_only = "is only read" if claim.word == "read" else f"only {claim.word}"
        message = f"it is not so that `{meter.name}` {is_only}"
        report.add("H069", message, claim.span, secondary=ways, hint="Leave it out.")
    elif claim.word != "read" and meter.name not in changes.raised.keys() | changes.lowered.keys():
        hint = "Say `only read`, or let something change it."
        report.add("H069", f"`{meter.name}` never changes at all", claim.span, hint=hint)


def _check_direction(meter: universe.Meter, span: Span, changes: Changes, report: Findings) -> None:
    """Warn of a meter that nothing moves, that runs dry, or that runs full by itself. One that only rises by what
    happens to it is a score or a counter."""
    raised, lowered = changes.raised.get(meter.name, []), changes.lowered.get(meter.name, [])
    drains = {drain.span for drain in (meter.decay, meter.move, meter.interact) if drain is not None}
    if not raised and not lowered and _varies(meter.start):
        return
    if not raised and not lowered:
        hint = "Give it a decay, or make it a param; say `only read` in its braces where others write it."
        report.add("H073", f"the meter `{meter.name}` never changes", span, hint=hint)
    elif not raised:
        hint = "Let an affordance, an action or a rule raise it, or say `only falls` in its braces."
        report.add("H071", f"nothing can restore the meter `{meter.name}`", span, "it only ever falls", hint=hint)
    elif not lowered and not drains.isdisjoint(raised):
        hint = "Let an affordance, an action or a rule lower it"
        if isinstance(meter.decay, universe.Number) and meter.decay.value < 0:
            hint = f"A negative decay restores: write `decay {spell(-meter.decay.value)}` to let it run down"
        hint += ", or say `only rises` in its braces."
        message = f"nothing can lower the meter `{meter.name}`"
        report.add("H072", message, span, "it only ever rises, by itself", hint=hint)


def _check_time(draft: Draft, names: Names, reads: list[Expression], report: Findings) -> None:
    if draft.clock is not None and not (
        names.counts_hours
        or any(isinstance(node, universe.Hour | universe.DayTime) for node in reads)
        or any(affordance.hours is not None for affordance in draft.affordances)
        or any(isinstance(item, universe.ObserveTime) for item in draft.observed())
    ):
        hint = "Use `hour` or `open`, observe `time`, count `hours` or `days`, or delete the clock."
        report.add("H060", "nobody reads the clock", draft.clock.span, hint=hint)
    measured = not isinstance(draft.space, universe.Grid) or any(
        isinstance(node, universe.Distance | universe.Apart | universe.Nearest) for node in reads
    )
    measured = measured or any(each.spread and (each.spread.apart or each.spread.near) for each in draft.affordances)
    if draft.metric is not None and not measured:
        hint = "Use `distance to`, or leave `distance` out."
        report.add("H075", "nobody uses the metric of the space", draft.metric, hint=hint)


def _check_start(draft: Draft, report: Findings) -> None:
    start = draft.start
    if start is None or draft.space is None:
        return
    if draft.momentum() is not None:
        return
    fast = draft.reads_speed()
    if start.speed is not None and not fast:
        hint = "Observe `speed`, or leave it out."
        report.add("H060", "nobody reads the speed that episodes begin with", start.span, hint=hint)
    moving = [axis for axis, part in zip(axes_of(draft.space), start.velocity, strict=True) if part]
    if moving and not draft.velocities_read().intersection(moving) and not (fast and start.speed is None):
        hint = "Observe `velocity`, or leave it out."
        report.add("H060", "nobody reads the velocity that episodes begin with", start.span, hint=hint)


def _check_tracking(draft: Draft, reads: list[Expression], report: Findings) -> None:
    remembering = universe.LastUse | universe.Streak | universe.Visited
    if draft.tracking is None or any(isinstance(node, remembering) for node in reads):
        return
    if draft.by_hand:
        return  # the program that takes agents through their episodes can see the uses
    if any(action.keeps_progress for action in draft.actions):
        return  # where uses are tracked, an agent that was displaced and uses the affordance again starts anew
    hint = "Use `last`, `streak of` or `visited`, or delete it."
    report.add("H060", "nobody reads the uses that are tracked", draft.tracking.span, hint=hint)


def _check_ends(draft: Draft, name: syntax.Name, names: Names, report: Findings) -> None:
    endless = draft.lifespan is None and not draft.causes and not draft.by_hand
    if endless and draft.forever is None:
        hint = "Add `dies when` with a condition, `lifespan` with a number of ticks, or `lifespan forever`."
        report.add("H074", f"an episode of `{name.text}` never ends", name.span, hint=hint)
    elif draft.forever is not None and not endless:
        ends = "the program that runs it ends an episode" if draft.by_hand else "deaths and goals end an episode"
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


# --- what is always the same, as `hamletc.checking.course` finds ------------------------------------------------------


def check_drain(meter: universe.Meter, kind: Drain, drain: Expression, known: Known, report: Findings) -> None:
    """Report a drain of more than its meter can hold: it is probably not in the unit of the meter."""
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
        hint=f"`{kind} {spell(size if empties else -size)}` {'empties' if empties else 'fills'} it as well,"
        " if that is meant; otherwise write a smaller number.",
    )


def check_statement(
    assign: universe.Assign,
    old: Interval | None,
    value: Interval | None,
    new: Interval | None,
    wrote: Span | None,
    report: Findings,
) -> None:
    """Report a statement that leaves its meter as it is. `old` and `new` are where the meter lies before and after;
    `wrote` is the statement that gave it its value."""
    adds_nothing = assign.op != "=" and value == ZERO and (not assign.clamped or old == new)
    stays = old is not None and old.is_single and old == new
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


def check_reward(reward: universe.Reward, value: Interval | None, alone: bool, report: Findings) -> None:
    """Report a reward that is always 0, or the same although it reads meters; a number is paid for living."""
    if value is None or not value.is_single or report.said(reward.span):
        return
    if reward.potential is not None:
        hint = "Let it read what changes; a constant shapes nothing."
        report.add("H064", "this potential is always the same", reward.value.span, f"it is {value}", hint=hint)
    elif isinstance(reward.value, universe.Number) and value == ZERO and alone:
        hint = "Write `reward nothing` where nothing is paid."
        report.add("H064", "a reward of 0 has no effect", reward.value.span, hint=hint)
    elif value == ZERO or _meters_in(reward.value):
        _say_constant("reward", value, reward.value, report)


def check_report(item: universe.Report, value: Interval | None, report: Findings) -> None:
    """Report a report that is always the same."""
    if value is not None and value.is_single and not report.said(item.value.span):
        _say_constant("report", value, item.value, report)


def _say_constant(what: str, value: Interval, expression: Expression, report: Findings) -> None:
    read = [n.meter for n, _ in parts(expression) if isinstance(n, _READS)]
    because = f"rules run before this is read: `{read[0]}` has its value by then" if read else ""
    hint = "Leave the line out, or let it read what changes."
    report.add("H064", f"this {what} is always {spell(value.low + 0.0)}", expression.span, because, hint=hint)


def check_observed(draft: Draft, end: Known, starts: State, constant: Iterable[str], report: Findings) -> None:
    """Report meters that are the same whenever they are observed, but not those that are `constant` by themselves.
    `starts` says where they are when an episode begins."""
    for item in draft.observed():
        if not isinstance(item, universe.ObserveMeters | universe.ObserveWorld | universe.ObserveCell):
            continue
        found = {name: end.meter(name) for name in item.meters if name not in constant}
        same = {name: where for name, where in found.items() if where is not None and where.is_single}
        if not same:
            continue
        begins = all(where == starts[name] for name, where in same.items())
        report.add(
            "H079",
            f"every observation{'' if begins else ' but the first'} shows the same {', '.join(f'`{n}`' for n in same)}",
            item.span,
            "; ".join(f"`{name}` is {where} when a tick ends" for name, where in same.items()),
            hint="Name the meters that change, as in `meters energy mood`.",
        )
