"""How far meters reach: a tick on intervals, in the order of `hamlet.universe.stages`.

A meter can have any value within its bounds at any time; `unclamped` and `together` carry it further, until the next
clamp. The tick is repeated until the intervals at its beginning no longer grow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count, groupby
from typing import TypeAlias

from hamlet import universe
from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import round32
from hamlet.universe import Assign, Cascade, Expression, Statement, assigns
from hamlet.universe.stages import Stage, Step, StepName, branches, by_step
from hamletc import intervals, messages
from hamletc.checking.changes import Changes
from hamletc.checking.draft import Draft
from hamletc.checking.names import Names
from hamletc.checking.operations import is_condition
from hamletc.checking.ranges import Ranges, State
from hamletc.checking.relocations import check_inside
from hamletc.checking.report import Findings
from hamletc.checking.rewards import check_observed, check_rewards
from hamletc.checking.surroundings import Surroundings, surroundings
from hamletc.checking.widening import anything, stalled
from hamletc.intervals import ANYTHING, ZERO, Interval

Stages: TypeAlias = tuple[tuple[Step, tuple[Stage, ...]], ...]
"""The steps of a tick, each with its stages."""
TICKS_BEFORE_WIDENING = 3
TICKS_BEFORE_ANYTHING = 6


@dataclass(frozen=True, slots=True)
class Reach:
    """How meters change, where those lie when a tick begins that can be outside their bounds, and where everything else
    lies."""

    changes: Changes
    meters: State
    around: Surroundings
    starts: State
    """Where meters lie when an episode begins."""

    def observed(self, value: universe.Expression) -> Interval:
        """Where an expression lies when agents observe it."""
        ranges = Ranges(self.around.between(), self.meters, Findings(), error=ANYTHING)
        return ranges.number(value, self.meters) or ANYTHING


def check_ranges(draft: Draft, names: Names, report: Findings) -> Reach:
    """Report what ranges prove wrong in a draft, and return how far its meters reach."""
    bounds = {
        meter.name: Interval(round32(meter.low), round32(meter.high))
        for meter in draft.meters_of_all()
        if meter.name not in names.suspects
    }
    around = surroundings(draft, names, bounds)
    start: State = {}
    stages = by_step(draft)
    for tick in count():
        unheard = Findings()
        final = _Tick(draft, stages, names, bounds, Ranges(around, start, unheard, error=ANYTHING))
        end = final.run(start)
        grown = _join([start, end])
        if grown == start:
            break
        if tick >= TICKS_BEFORE_WIDENING:
            widen = stalled if tick < TICKS_BEFORE_ANYTHING else anything
            grown = {
                name: now if now == start.get(name) else widen(start.get(name), now) for name, now in grown.items()
            }
        start = grown
    if end != start or not unheard.empty:
        final = _Tick(draft, stages, names, bounds, Ranges(around, end, report, error=None))
        final.run(end)  # as true as `start`, and narrower where that was widened
    return Reach(final.changes, end, around, _starts(draft, bounds, Ranges(around, {}, report, error=None)))


def _starts(draft: Draft, bounds: Mapping[str, Interval], ranges: Ranges) -> State:
    """Where meters lie when an episode begins; a start value that is always beyond the bounds is reported."""
    found: dict[str, Interval | None] = {}
    for meter in draft.meters_of_all():
        if isinstance(meter.start, float):
            found[meter.name] = intervals.single(meter.start)
            continue
        value, inside = ranges.number(meter.start, {}), bounds.get(meter.name)
        if value is None or inside is None:
            found[meter.name] = inside
        elif value.high < inside.low or value.low > inside.high:
            ranges.report.add(messages.ranges.StartAlwaysOutside(meter.start.span, meter.name, value, inside))
            found[meter.name] = inside
        else:
            found[meter.name] = Interval(max(value.low, inside.low), min(value.high, inside.high))
    for counted in draft.counts:
        found[counted.meter] = bounds.get(counted.meter)
    for each in (handed for pool in draft.pools for handed in pool.handed):
        found[each.meter] = bounds.get(each.meter)  # a child begins with what it is given
    return found


class _Tick:
    """One tick of every lane at once, in the order of `stages`. `bounds` has the meters of which something is known."""

    def __init__(
        self, draft: Draft, stages: Stages, names: Names, bounds: Mapping[str, Interval], ranges: Ranges
    ) -> None:
        self._draft = draft
        self._stages = stages
        self._names = names
        self._bounds = bounds
        self._ranges = ranges
        self._around = ranges.around
        self.changes = Changes()
        for each in (handed for pool in draft.pools for handed in pool.handed):
            self.changes.add(each.meter, each.value.span)
        if draft.pushing is not None:
            self.changes.add(draft.pushing.state, draft.pushing.span)

    def run(self, start: State) -> State:
        """Where the meters lie at the end of a tick that begins with them in `start`."""
        meters = start
        for chosen, steps in groupby(self._stages, key=lambda each: each[0].chosen):
            if chosen:
                meters = self._chosen([stage for _, several in steps for stage in several], meters)
                continue
            for step, several in steps:
                self._ranges = replace(self._ranges, settled=step.together != "began")
                meters = self._step(step.name, several, start, meters)
        return meters

    def _step(self, step: StepName, stages: Sequence[Stage], start: State, meters: State) -> State:
        """Where the meters lie after a step of a tick that began with them in `start`."""
        match step:
            case "pairs":
                self._in_turn(stages, start)
            case "deaths":
                for stage in stages:
                    self._tests(stage, meters)
            case "age":
                self._ranges = replace(self._ranges, around=self._around.later())
            case "reward":
                check_rewards(self._draft, meters, self._ranges)
                for report in self._draft.reports:
                    self._ranges.number(report.value, meters)
            case "observe":
                kept = _join([start, meters])
                check_observed(self._draft, self._names, self._bounds, kept, self._ranges.report)
            case "mask":
                between, kept = replace(self._ranges, around=self._around.between()), _join([start, meters])
                for each in self._draft.acting:
                    between.condition(each.condition, kept)
                for condition in (*self._draft.closing(), self._draft.starting):
                    if condition is not None:
                        between.condition(condition, kept)
                for mask in self._draft.masks:
                    between.condition(mask.allowed, kept)
                for item in self._draft.unproven():
                    between.number(item.value, kept)
                for view in self._draft.observed():
                    if isinstance(view, universe.ObserveView) and view.value is not None:
                        between.number(view.value, kept)
                    if isinstance(view, universe.ObserveView) and view.own is not None:
                        between.number(view.own, kept)
            case _:
                return self._in_turn(stages, meters)
        return meters

    def _chosen(self, stages: Iterable[Stage], start: State) -> State:
        """Where the meters lie after each agent did what it chose."""
        ends = [start]
        for branch in branches(stages):
            ends += self._branch(branch, start)
        for branch in branches(stages):
            if any(isinstance(stage.construct, universe.Affordance) and stage.construct.solid for stage in branch):
                ends += self._branch(branch, _join(ends))  # who walks into it uses it, too
        return _join(ends)

    def _branch(self, branch: Sequence[Stage], start: State) -> list[State]:
        """Where the meters lie after the stages of one choice."""
        ends = [start]
        for uses, run in groupby(branch, key=lambda stage: isinstance(stage.construct, universe.Affordance)):
            several, before = tuple(run), _join(ends)
            ends = self._uses(several, before) if uses else [self._in_turn(several, before)]
        return ends

    def _in_turn(self, stages: Iterable[Stage], meters: State) -> State:
        """Where the meters lie after stages, one after the other."""
        for loses, several in groupby(stages, key=lambda stage: isinstance(stage.construct, universe.Meter)):
            if loses:
                meters = self._body((statement for stage in several for statement in stage.statements), meters)
            else:
                for stage in several:
                    meters = self._stage(stage, meters)
        return meters

    def _stage(self, stage: Stage, meters: State) -> State:
        match stage.construct:
            case Cascade():
                return self._cascade(stage.construct, meters)
            case universe.CellSum(operand=operand):
                self._ranges.number(operand, meters)
                return meters
            case universe.CellCount(operand=operand):
                # They are counted as an episode begins, and behind births, too.
                replace(self._ranges, around=self._around.between()).number(operand, meters)
                return meters
            case universe.Blocking(priority=priority) | universe.Pushing(priority=priority):
                if priority is not None:
                    self._ranges.number(priority, self._ranges.before)
                return meters
            case _:
                self._tests(stage, meters)
                after = self._body(stage.statements, meters)
                return _join([meters, after]) if stage.guard.conditions else after

    def _uses(self, stages: Iterable[Stage], meters: State) -> list[State]:
        """Where the meters lie after affordances. Where places are computed an agent is at one at most; elsewhere it
        can use all of them in a tick, in file order."""
        space = self._draft.space
        alone = isinstance(space, universe.Grid) and space.places == "computed"
        ends = [meters]
        for stage in stages:
            affordance = stage.construct
            assert isinstance(affordance, universe.Affordance), "only affordances are used"
            self._serve(affordance.capacity)
            before = meters if alone else _join(ends)
            self._test(affordance.opening, self._ranges.before)
            self._test(affordance.needs, before)
            ends += self._affordance(affordance, before)
        return ends

    def _serve(self, capacity: universe.Capacity | None) -> None:
        """Claims are ranked, and granted, on what the tick begins with."""
        if capacity is None:
            return
        if capacity.priority is not None:
            self._ranges.number(capacity.priority, self._ranges.before)
        places = self._ranges.number(capacity.places, self._ranges.before)
        if places is not None and places.high < 1 and not isinstance(capacity.places, universe.Number):
            self._ranges.report.add(messages.affordances.NeverPlaces(capacity.places.span, places))

    def _affordance(self, affordance: universe.Affordance, meters: State) -> list[State]:
        """Where the meters lie after a tick in it, completed or not."""
        if affordance.together:
            ticked = self._unclamped(affordance.each_tick, meters)
            done = self._unclamped(affordance.on_completion, ticked)
            parts = ((ticked, affordance.each_tick), (done, (*affordance.each_tick, *affordance.on_completion)))
            return [_clamped(state, body) for state, body in parts]
        ticked = self._body(affordance.each_tick, meters)
        return [self._body(affordance.instantly, meters), ticked, self._body(affordance.on_completion, ticked)]

    def _tests(self, stage: Stage, meters: State) -> None:
        for condition in stage.guard.conditions:
            self._test(condition, meters)

    def _test(self, condition: Expression | None, meters: State) -> None:
        if condition is not None:
            self._ranges.condition(condition, meters)

    def _cascade(self, cascade: Cascade, meters: State) -> State:
        source, threshold = self._ranges.meter(cascade.source, meters), intervals.single(cascade.threshold)
        if source is not None:
            self._check_threshold(cascade, source, threshold.low)
        outer = self._ranges
        self._ranges = replace(outer, around=replace(outer.around, source=source, threshold=threshold))
        fired = self._body(cascade.body, meters)
        self._ranges = outer
        return _join([meters, fired])

    def _check_threshold(self, cascade: Cascade, source: Interval, threshold: float) -> None:
        guard = self._draft.guards[cascade.name]
        declared = self._names.span("meter", cascade.source)
        about = guard, cascade.name, cascade.source, source, threshold, declared
        if source.low >= threshold:
            self._ranges.report.add(messages.ranges.CascadeNeverFires(*about))
        elif source.high < threshold:
            self._ranges.report.add(messages.ranges.CascadeAlwaysFires(*about))

    def _unclamped(self, body: Iterable[Statement], meters: State) -> State:
        """Where the meters lie after statements that leave them unclamped."""
        after, local = dict(meters), list[str]()
        for statement in body:
            if isinstance(statement, universe.Let):
                local.append(self._let(statement, after))
            for assign in statement.assigns:
                self._assign(assign, after)
        return {name: lies for name, lies in after.items() if name not in local} if local else after

    def _body(self, body: Iterable[Statement], meters: State) -> State:
        """Where the meters lie after the statements."""
        after, local = dict(meters), list[str]()
        for statement in body:
            match statement:
                case Assign(clamped=clamped):
                    self._assign(statement, after)
                    if clamped:
                        after.pop(statement.meter, None)
                case universe.Let():
                    local.append(self._let(statement, after))
                case universe.Push():
                    self._push(statement, after)
                case universe.Displace() | universe.Teleport():
                    for axis, value in enumerate(statement.coordinates):
                        lies = self._ranges.number(value, after)
                        check_inside(statement, axis, lies, self._draft.space, self._ranges.report)
                case universe.Together():
                    after = _clamped(self._unclamped(statement.body, after), statement.body)
                case universe.Guarded():
                    self._test(statement.condition, after)
                    ways = [self._body(part, after) for part in (statement.body, statement.otherwise)]
                    after = dict(_join(ways))
                case _:
                    self._rewrite(statement, after)
        return {name: lies for name, lies in after.items() if name not in local} if local else after

    def _let(self, let: universe.Let, meters: dict[str, Interval | None]) -> str:
        """A local, which is known to lie somewhere as meters are: no meter has its name."""
        if is_condition(let.value):
            self._ranges.condition(let.value, meters)
        else:
            meters[let.name] = self._ranges.number(let.value, meters)
        return let.name

    def _push(self, push: universe.Push, meters: State) -> None:
        value, space = self._ranges.number(push.value, meters), self._ranges.around.space
        old = None if space is None else space.velocity[push.axis]
        match push.op:
            case "=":
                return
            case "+=":
                self._ranges.finite(intervals.add, old, value, push.span, (push.value,))
            case "-=":
                self._ranges.finite(intervals.subtract, old, value, push.span, (push.value,))
        if value == ZERO:
            self._ranges.report.add(messages.ranges.ChangesNothing(push.span, f"velocity {push.axis}"))

    def _rewrite(self, statement: Statement, meters: dict[str, Interval | None]) -> None:
        """A statement of which no more is known than what it writes."""
        for meter, span in statement.writes.items():
            self.changes.add(meter, span)
            meters.pop(meter, None)
            if meter in statement.unclamped and meter in self._bounds:
                meters[meter] = ANYTHING

    def _assign(self, statement: Assign, meters: dict[str, Interval | None]) -> None:
        value = self._ranges.number(statement.value, meters)
        old = self._ranges.meter(statement.meter, meters)
        loose = statement.meter in meters or not statement.clamped
        cause = statement.meter if loose else statement
        match statement.op:
            case "=":
                new = value
            case "+=":
                new = self._ranges.finite(intervals.add, old, value, statement.span, cause)
            case "-=":
                new = self._ranges.finite(intervals.subtract, old, value, statement.span, cause)
        self.changes.assign(statement, old, value, within=self._is_within(statement.meter, old))
        if statement.meter not in self._bounds:
            return
        bounds = self._bounds[statement.meter]
        meters[statement.meter] = None if new is None else intervals.hull(new, bounds)
        if self._changes_nothing(statement, old, value):
            self._ranges.report.add(messages.ranges.ChangesNothing(statement.span, statement.meter))

    def _is_within(self, meter: str, lies: Interval | None) -> bool:
        """Whether a meter that lies there is within its bounds, so that clamping does not move it."""
        bounds = self._bounds.get(meter)
        return bounds is not None and lies is not None and intervals.hull(lies, bounds) == bounds

    def _changes_nothing(self, statement: Assign, old: Interval | None, value: Interval | None) -> bool:
        if statement.clamped and not self._is_within(statement.meter, old):
            return False
        if statement.op == "=":
            read = statement.value
            return (
                isinstance(read, universe.MeterValue | universe.WorldValue | universe.CellValue)
                and read.meter == statement.meter
            )
        return value == ZERO


def _clamped(meters: State, written: Iterable[Statement]) -> dict[str, Interval | None]:
    """Where the meters lie when those that were written have been clamped."""
    inside = {assign.meter for assign in assigns(written)}
    return {name: value for name, value in meters.items() if name not in inside}


def _join(states: Iterable[State]) -> State:
    """Where the meters lie after one of several things has happened."""
    joined: dict[str, Interval | None] = {}
    for state in states:
        for meter, value in state.items():
            before = joined.setdefault(meter, value)
            joined[meter] = intervals.hull_of([before, value])
    return joined
