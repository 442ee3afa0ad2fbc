"""Nothing is inert: what nobody reads, and statements, drains, rewards and observations that are always the same."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Literal, TypeAlias

from hamlet import universe
from hamlet.universe import Expression, LocalValue, Span, assigns, draws, guards, parts, pushes, relocations
from hamlet.universe.space import axes_of
from hamletc import intervals, messages
from hamletc.checking.changes import Changes
from hamletc.checking.draft import Claim, Draft
from hamletc.checking.effects import MOMENTS
from hamletc.checking.knowledge import Known
from hamletc.checking.names import Names
from hamletc.checking.ranges import State
from hamletc.checking.report import Findings
from hamletc.intervals import ZERO, Interval
from hamletc.language import syntax

Drain: TypeAlias = Literal["decay", "move", "interact"]
Showing: TypeAlias = Literal["reward", "report", "observation"]
_READS = universe.MeterValue | universe.WorldValue | universe.CellValue | universe.PairValue
_NAMED = _READS | LocalValue


# --- what nobody reads -----------------------------------------------------------------------------------------------


def check_inert(name: syntax.Name, draft: Draft, changes: Changes, names: Names, report: Findings) -> None:
    """Report what has no effect in a draft that is complete; `name` is the universe's."""
    reads = list(draft.parts())
    params = {node.param for node in reads if isinstance(node, universe.ParamValue)}
    _check_read("param", draft.params, params, names, report)
    inputs = {node.input for node in reads if isinstance(node, universe.InputValue)}
    _check_read("input", draft.inputs, inputs, names, report)
    controls = {node.control for node in reads if isinstance(node, universe.ControlValue)}
    _check_read("control", draft.controls, controls, names, report)
    for table in draft.tables:
        if table.name not in names.tables_read:
            report.add(messages.inert.Unread(names.span("table", table.name), "table", table.name))
    _check_map(draft, reads, names, report)
    _check_effects(names, report)
    _check_meters(draft, changes, names, report)
    _check_time(draft, names, reads, report)
    _check_start(draft, report)
    _check_tracking(draft, reads, report)
    _check_ends(draft, name, names, report)
    if not draft.observed() and not draft.unseen:
        report.add(messages.inert.NothingObserved(name.span, name.text))


def _check_read(
    kind: Literal["param", "input", "control"],
    declared: Iterable[universe.Param | universe.Input | universe.Control],
    read: set[str],
    names: Names,
    report: Findings,
) -> None:
    for item in declared:
        if item.name not in read:
            report.add(messages.inert.Unread(names.span(kind, item.name), kind, item.name, item.span))


def _check_map(draft: Draft, reads: list[Expression], names: Names, report: Findings) -> None:
    if not isinstance(draft.space, universe.Grid) or draft.space.map is None:
        return
    read = {node.terrain for node in reads if isinstance(node, universe.TerrainValue)}
    for terrain in draft.space.map.terrains:
        if terrain.name not in read:
            report.add(messages.inert.Unread(names.span("terrain", terrain.name), "terrain", terrain.name))
    met = {node.region for node in reads if isinstance(node, universe.On)}
    met |= {item.region for item in draft.observed() if isinstance(item, universe.ObserveRegion) and item.region}
    met |= {number.region for terrain in draft.space.map.terrains for number in terrain.numbers} | names.asked
    for region in draft.space.map.regions:
        if region.name not in met:
            report.add(messages.inert.UnaskedRegion(names.span("region", region.name), region.name))


def _meters_in(expression: Expression | str | None) -> set[str]:
    match expression:
        case None:
            return set()
        case str():
            return {expression}
        case _:
            return {
                node.local if isinstance(node, LocalValue) else node.meter
                for node, _ in parts(expression)
                if isinstance(node, _NAMED)
            }


def _meters_that_show(draft: Draft) -> set[str]:
    """The meters that are observed or decide an outcome, and those that others of these depend on; with the world's."""
    shown = {item.meter for item in draft.observed() if isinstance(item, universe.ObserveCells | universe.ObservePairs)}
    shown |= set() if draft.pushing is None else {draft.pushing.state}
    shown |= {meter for affordance in draft.affordances for meter in affordance.moving}
    for expression in draft.outcomes():
        shown |= _meters_in(expression)
    # Start values read those of others.
    sources = {
        meter.name: _meters_in(meter.start) if isinstance(meter.start, Expression) else set()
        for meter in draft.meters_of_all()
    }
    for name, drain in draft.drains():
        sources[name] |= _meters_in(drain)
    for let in draft.lets:
        sources.setdefault(let.name, set()).update(_meters_in(let.value))
    for guard, body in (*draft.bodies(), *draft.bodies_of_world()):
        tested = _meters_in(guard).union(*(_meters_in(guarded.condition) for guarded in guards(body)))
        for assign in assigns(body):
            sources[assign.meter] |= tested | _meters_in(assign.value)
        for push in pushes(body):  # positions follow from velocities
            shown |= tested | _meters_in(push.value)
        for relocation in relocations(body):
            shown |= tested.union(*map(_meters_in, relocation.coordinates))
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
            report.add(messages.inert.NeverBegun(effect.span, name, effect.of_world))
        elif name not in effects.asked and not any(effects.bodies.get((name, moment)) for moment in MOMENTS):
            report.add(messages.inert.EffectDoesNothing(effect.span, name))


def _check_meters(draft: Draft, changes: Changes, names: Names, report: Findings) -> None:
    shown, varying = _meters_that_show(draft), _varying(draft)
    for meter in draft.meters:
        if names.effects.owns(meter.name) or meter.name in draft.past:
            continue
        span = names.span("meter", meter.name)
        claim = draft.claims.get(meter.name)
        if meter.name not in shown:
            report.add(messages.inert.UnreadMeter(span, meter.name, meter.type is not None, "agent"))
        elif meter.type is not None:
            _check_state(meter, "agent", changes, span, report)
        elif claim is not None:
            _check_claim(meter, claim, changes, report)
        else:
            _check_direction(meter, span, changes, meter.name in varying, report)
    positions = {meter for affordance in draft.affordances for meter in affordance.moving}
    for of_world in draft.world_meters:
        if names.effects.owns(of_world.name) or of_world.name in draft.past or of_world.name in positions:
            continue
        span = names.span("world meter", of_world.name)
        if of_world.name not in shown:
            report.add(messages.inert.UnreadMeter(span, of_world.name, of_world.type is not None, "world"))
        elif of_world.type is not None:
            _check_state(of_world, "world", changes, span, report)
        elif of_world.name not in varying and of_world.name not in changes.raised.keys() | changes.lowered.keys():
            report.add(messages.inert.NeverChanges(span, of_world.name, False, "world"))
    _check_cells(draft, shown, varying, changes, names, report)


def _check_cells(
    draft: Draft, shown: set[str], varying: frozenset[str], changes: Changes, names: Names, report: Findings
) -> None:
    for meter in draft.cell_meters:
        if meter.name in draft.past:
            continue
        span = names.span("cell meter", meter.name)
        if meter.name not in shown:
            report.add(messages.inert.UnreadMeter(span, meter.name, meter.type is not None, "cell"))
        elif meter.name not in varying and meter.name not in changes.raised.keys() | changes.lowered.keys():
            report.add(messages.inert.NeverChanges(span, meter.name, meter.type is not None, "cell"))
    for of_pairs in draft.pair_meters:
        if of_pairs.name not in shown:
            span = names.span("pair meter", of_pairs.name)
            report.add(messages.inert.UnreadMeter(span, of_pairs.name, True, "pair"))


def _varying(draft: Draft) -> frozenset[str]:
    """The meters of which episodes, or agents, begin with different values: what the world keeps, where affordances are
    that move, and what draws, or reads the number of the agent or others of these."""
    of_world = draft.world_meters
    found = {meter.name for meter in of_world if meter.kept}
    found.update(*(affordance.moving for affordance in draft.affordances))
    # In this order they read each other.
    declared: tuple[universe.AnyMeter, ...] = (*of_world, *draft.meters, *draft.cell_meters, *draft.pair_meters)
    for meter in declared:
        if isinstance(meter.start, Expression) and (
            any(draws(meter.start))
            or any(isinstance(node, universe.AgentNumber) for node, _ in parts(meter.start))
            or not found.isdisjoint(_meters_in(meter.start))
        ):
            found.add(meter.name)
    return frozenset(found)


def _check_state(
    state: universe.Meter | universe.WorldMeter,
    owner: Literal["agent", "world"],
    changes: Changes,
    span: Span,
    report: Findings,
) -> None:
    """Warn of a state that nothing changes, unless episodes begin with different values of it."""
    same = not isinstance(state.start, Expression)
    if same and state.name not in changes.raised.keys() | changes.lowered.keys():
        report.add(messages.inert.NeverChanges(span, state.name, True, owner))


def _check_claim(meter: universe.Meter, claim: Claim, changes: Changes, report: Findings) -> None:
    """Report what can happen to a meter although the author says that it only falls, rises or is read."""
    raised = changes.raised.get(meter.name, []) if claim.word != "rises" else []
    lowered = changes.lowered.get(meter.name, []) if claim.word != "falls" else []
    if raised or lowered:
        against = [spans[0] if spans else None for spans in (raised, lowered)]
        report.add(messages.inert.ClaimDoesNotHold(claim.span, meter.name, claim.word, *against))
    elif claim.word != "read" and meter.name not in changes.raised.keys() | changes.lowered.keys():
        report.add(messages.inert.ClaimOfNothing(claim.span, meter.name))


def _check_direction(meter: universe.Meter, span: Span, changes: Changes, varies: bool, report: Findings) -> None:
    """Warn of a meter that nothing moves, unless it begins with different values, that runs dry, or that runs full by
    itself. One that only rises by what happens to it is a score or a counter."""
    raised, lowered = changes.raised.get(meter.name, []), changes.lowered.get(meter.name, [])
    drains = {drain.span for drain in (meter.decay, meter.move, meter.interact) if drain is not None}
    if not raised and not lowered and varies:
        return
    if not raised and not lowered:
        report.add(messages.inert.NeverChanges(span, meter.name, False, "agent"))
    elif not raised:
        report.add(messages.inert.OnlyFalls(span, meter.name))
    elif not lowered and not drains.isdisjoint(raised):
        decay = meter.decay if isinstance(meter.decay, universe.Number) and meter.decay.value < 0 else None
        written = (None, span) if decay is None else (decay.value, decay.span)
        report.add(messages.inert.OnlyRises(span, meter.name, *written))


def _check_time(draft: Draft, names: Names, reads: list[Expression], report: Findings) -> None:
    if draft.clock is not None and not (
        names.counts_hours
        or any(isinstance(node, universe.Hour | universe.DayTime) for node in reads)
        or any(affordance.hours is not None for affordance in draft.affordances)
    ):
        report.add(messages.inert.UnreadClock(draft.clock.span))
    measured = not isinstance(draft.space, universe.Grid) or any(
        isinstance(node, universe.Distance | universe.Apart | universe.Nearest) for node in reads
    )
    measured = measured or any(each.spread and (each.spread.apart or each.spread.near) for each in draft.affordances)
    if draft.metric is not None and not measured:
        report.add(messages.inert.UnusedMetric(draft.metric))


def _check_start(draft: Draft, report: Findings) -> None:
    start = draft.start
    if start is None or draft.space is None:
        return
    if draft.momentum() is not None:
        return
    fast = draft.reads_speed()
    if start.speed is not None and not fast:
        report.add(messages.inert.UnreadStart(start.span, "speed"))
    moving = [axis for axis, part in zip(axes_of(draft.space), start.velocity, strict=True) if part]
    if moving and not draft.velocities_read().intersection(moving) and not (fast and start.speed is None):
        report.add(messages.inert.UnreadStart(start.span, "velocity"))


def _check_tracking(draft: Draft, reads: list[Expression], report: Findings) -> None:
    remembering = universe.LastUse | universe.Streak | universe.Visited
    if draft.tracking is None or any(isinstance(node, remembering) for node in reads):
        return
    if draft.by_hand:
        return  # the program that takes agents through their episodes can see the uses
    if any(action.keeps_progress for action in draft.actions):
        return  # where uses are tracked, an agent that was displaced and uses the affordance again starts anew
    report.add(messages.inert.UnreadUses(draft.tracking.span))


def _check_ends(draft: Draft, name: syntax.Name, names: Names, report: Findings) -> None:
    endless = draft.lifespan is None and not draft.causes and not draft.by_hand
    if endless and draft.forever is None:
        report.add(messages.inert.NeverEnds(name.span, name.text))
    elif draft.forever is not None and not endless:
        report.add(messages.inert.ForeverEnds(draft.forever, draft.by_hand))
    for affordance in draft.affordances:
        lifespan, duration = draft.lifespan, affordance.duration
        if lifespan is None or duration is None or draft.by_hand or not affordance.on_completion:
            continue
        if duration >= lifespan.ticks:
            span = names.span("affordance", affordance.name)
            about = affordance.name, duration, lifespan.span, lifespan.ticks
            report.add(messages.inert.LifeTooShort(span, *about))


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
    report.add(messages.inert.DrainTooLarge(drain.span, meter.name, kind, value.low > 0, whole))


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
    if adds_nothing or old is None:
        report.add(messages.inert.AddsNothingHere(assign.span, assign.meter))
    else:
        report.add(messages.inert.IsSoAlready(assign.span, assign.meter, old, wrote))


def check_reward(reward: universe.Reward, value: Interval | None, alone: bool, report: Findings) -> None:
    """Report a reward that is always 0, or the same although it reads meters; a number is paid for living."""
    if value is None or not value.is_single or report.said(reward.span):
        return
    if reward.potential is not None:
        report.add(messages.inert.ConstantPotential(reward.value.span, value))
    elif isinstance(reward.value, universe.Number) and value == ZERO and alone:
        report.add(messages.inert.OnlyRewardOfZero(reward.value.span))
    elif value == ZERO or _meters_in(reward.value):
        _say_constant("reward", value, reward.value, report)


def check_constant(kind: Showing, expression: Expression, value: Interval | None, report: Findings) -> None:
    """Report what shows an expression that is always the same."""
    if value is not None and value.is_single and not report.said(expression.span):
        _say_constant(kind, value, expression, report)


def _say_constant(kind: Showing, value: Interval, expression: Expression, report: Findings) -> None:
    read = [n.meter for n, _ in parts(expression) if isinstance(n, _READS)]
    report.add(messages.inert.AlwaysTheSame(expression.span, kind, value.low, read[0] if read else None))


def check_observed(draft: Draft, end: Known, starts: State, constant: Iterable[str], report: Findings) -> None:
    """Report meters that are the same whenever they are observed, but not those that are `constant` by themselves.
    `starts` says where they are when an episode begins."""
    states = {meter.name for meter in draft.meters if meter.type is not None}
    states |= {meter.name for meter in draft.world_meters if meter.type is not None}
    for span, items in groupby(draft.values(), key=lambda each: each.span):
        names = [each.value.meter for each in items if isinstance(each.value, _READS)]
        found = {name: end.meter(name) for name in names if name not in constant and name not in states}
        same = {name: where for name, where in found.items() if where is not None and where.is_single}
        if not same:
            continue
        begins = all(where == starts[name] for name, where in same.items())
        report.add(messages.inert.ObservedTheSame(span, tuple(same.items()), begins))


def check_used(unused: tuple[syntax.LetDecl | syntax.LetStmt | syntax.TemplateDecl, ...], report: Findings) -> None:
    """Report lets, locals and templates that nobody uses."""
    for item in unused:
        match item:
            case syntax.LetDecl(name=name, parameters=parameters):
                report.add(messages.inert.UnusedLet(name.span, name.text, item.span, bool(parameters)))
            case syntax.LetStmt(name=name):
                report.add(messages.locals.UnusedLocal(name.span, name.text, item.span))
            case syntax.TemplateDecl(name=name):
                report.add(messages.inert.UnusedTemplate(name.span, name.text))
