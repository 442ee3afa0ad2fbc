"""The course of a tick: what is known at each of its stages (`hamlet.universe.stages`), and what has no effect there.

`hamletc.checking.reach` bounds meters for every lane, whether it uses them or not, which keeps arithmetic safe. Here
guards narrow and statements overwrite: a reward is read after the rules have run, an affordance is used where its
`needs` holds. A tick begins with every meter anywhere in its bounds, so nothing is concluded from its start value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from hamlet import universe
from hamlet.universe import Assign, Cascade, Expression, Span, Statement
from hamlet.universe.actions import INTERACT
from hamlet.universe.space import has_momentum
from hamlet.universe.stages import MOVES, Stage, StepName, branches
from hamletc import intervals, messages
from hamletc.checking.changes import result_of
from hamletc.checking.conditions import PAID_ALIVE, Basis, Conditions, Given, Place, choosing, inside, joined_places
from hamletc.checking.draft import Draft
from hamletc.checking.facts import Levels
from hamletc.checking.inert import Drain, check_constant, check_drain, check_reward, check_statement
from hamletc.checking.knowledge import Known
from hamletc.checking.names import Names
from hamletc.checking.operations import is_condition
from hamletc.checking.reach import Reach, Stages
from hamletc.checking.report import Findings, is_inside
from hamletc.checking.surroundings import Surroundings

ANYWHERE = Span(1, 1, 1, 1)
LOSSES: Mapping[StepName, Drain] = {"act": "move", "interact": "interact", "decay": "decay"}
"""What meters lose in steps."""


@dataclass(slots=True)
class _Ending:
    """How a tick ends: what is known of the lanes that survive, and of those that are paid, which are those that have
    reached a goal too, `None` where there are none; and what surrounds whoever is paid."""

    survived: Known | None
    paid: Known | None
    around: Surroundings


@dataclass(slots=True)
class Course:
    """A tick, walked through once. Without a `report` it only finds where the tick leads."""

    draft: Draft
    stages: Stages
    names: Names
    reach: Reach
    guards: Mapping[str, Expression]
    """The conditions of cascades."""
    basis: Basis
    chosen: Mapping[str, universe.ActionTaken]
    """The actions that expressions ask for, by name."""
    report: Findings | None = None
    _wrote: dict[str, Span] = field(default_factory=dict)
    """The last statement so far that wrote a meter."""
    _looks: Conditions | None = None

    def run(self, start: Known) -> Known:
        """What is known of all lanes when a tick ends that begins with `start`."""
        known, ending = start, _Ending(start, start, start.around)
        for chosen, steps in groupby(self.stages, key=lambda each: each[0].chosen):
            if chosen:
                known = self._act([stage for _, several in steps for stage in several], known)
                continue
            for step, several in steps:
                known = self._step(step.name, several, known, ending)
        return known

    # --- the steps of a tick -----------------------------------------------------------------------------------------

    def _step(self, step: StepName, stages: Sequence[Stage], known: Known, ending: _Ending) -> Known:
        """What is known after a step that agents do not choose."""
        match step:
            case "pairs":
                pass  # What is known here is about one agent.
            case "deaths":
                ending.survived, ending.paid = self._die(known)
            case "age":
                ending.around = known.around.later()
            case "reward":
                if self.report is not None:
                    self._pay(known, ending, self.report)
            case "mask":
                if self.report is not None:
                    self._allow(known if self.draft.by_hand else ending.survived, self.report)
            case _:
                for stage in stages:
                    known = self._stage(stage, known)
        return known

    def _stage(self, stage: Stage, known: Known) -> Known:
        match stage.construct:
            case universe.Rule():
                return self._rule(stage.construct, known)
            case Cascade():
                return self._cascade(stage.construct, known)
            case universe.Meter():
                return self._loss(stage, known)
            case universe.CellSum(meter=meter) | universe.CellCount(meter=meter):
                return known.write(meter, known.around.bounds.get(meter))
            case _:
                return known

    def _act(self, stages: Iterable[Stage], start: Known) -> Known:
        """What is known after each agent did what it chose."""
        ends = [start]
        for branch in branches(stages):
            self._wrote.clear()
            ends += self._branch(branch, start)
        for branch in branches(stages):
            if any(isinstance(stage.construct, universe.Affordance) and stage.construct.solid for stage in branch):
                self._wrote.clear()
                ends += self._branch(branch, joined_places(ends).bare(), walked=True)
        self._wrote.clear()  # what an agent did is one of many things
        return joined_places(ends)

    def _branch(self, stages: Sequence[Stage], start: Known, *, walked: bool = False) -> list[Known]:
        """What is known after the stages of one choice, or of one that was `walked` into; nothing where that cannot
        be."""
        choice = stages[0].guard.choice or MOVES
        ends = [start]
        if not walked:
            ends = [self._moving(start) if choice == MOVES else choosing(choice, ANYWHERE, start).known]
        for stage in stages:
            match stage.construct:
                case universe.Action(name=name, needs=needs):
                    able = self._test(needs, choosing(name, self.names.span("action", name), start))
                    ends = [] if able is None else [self._body(stage.statements, able).known]
                case universe.Affordance():
                    ends = self._use(stage.construct, ends)
                case _:
                    ends = [self._stage(stage, joined_places(ends))]
        return [end.bare() for end in ends]

    def _moving(self, start: Known) -> Known:
        """What is known where an agent pays for a move: it chose none of the actions that go nowhere."""
        going = {move.name for move in self.draft.moves_taken() if any(move.by)}
        known: Known | None = start
        for name, node in self.chosen.items():
            known = known if known is None or name in going else known.assume(node, False)
        return start if known is None else known

    def _at(self, affordance: universe.Affordance, place: Place) -> Place | None:
        """Where an agent is at an affordance that is open."""
        name = self.names.span("affordance", affordance.name)
        here = place.where(universe.Here(affordance.name, name), True, "an agent at this one")
        if affordance.opening is not None:
            here = self._test(affordance.opening, here)
        if here is None or affordance.hours is None:
            return here
        return here.where(affordance.hours.condition(name), True, "while this is open")

    def _use(self, affordance: universe.Affordance, ends: list[Known]) -> list[Known]:
        """What is known after agents used an affordance, or did not. Where an agent is at one affordance at most, it
        used none before."""
        so_far = ends[0].bare()
        if affordance.solid:
            there: Place | None = Place(so_far, so_far)  # who walks into it chose a move, and is not at it
        else:
            there = self._at(affordance, choosing(INTERACT, self.names.span("affordance", affordance.name), so_far))
        able = self._test(affordance.needs, there)
        used = [so_far, *ends[1:], *([] if able is None else self._used(affordance, able))]
        return used if so_far.setting.together == "one" else [joined_places(used)]

    def _used(self, affordance: universe.Affordance, place: Place) -> list[Known]:
        """After a tick in it, completed or not."""
        if affordance.together:
            ticked = self._unclamped(affordance.each_tick, place)
            done = self._unclamped(affordance.on_completion, ticked)
            both = (*affordance.each_tick, *affordance.on_completion)
            return [ticked.clamped(affordance.each_tick).known.bare(), done.clamped(both).known.bare()]
        ticked = self._body((*affordance.instantly, *affordance.each_tick), place)
        return [ticked.known.bare(), self._body(affordance.on_completion, ticked).known.bare()]

    def _loss(self, stage: Stage, known: Known) -> Known:
        """What is known after a meter lost what it does in a step."""
        for statement in stage.statements:
            if isinstance(stage.construct, universe.Meter) and isinstance(statement, Assign):
                if self.report is not None and self.basis == "anywhere":
                    check_drain(stage.construct, LOSSES[stage.step.name], statement.value, known, self.report)
                known = self._assign(statement, Place(known, known)).known.settled()
        return known

    def _rule(self, rule: universe.Rule, known: Known) -> Known:
        here = Place(known, known)
        if rule.guard is None:
            return self._body(rule.body, here).known.bare().settled()
        own = rule.name in self.draft.effects
        fires = here.where(rule.guard, True) if own else self._test(rule.guard, here)
        spared = known.assume(rule.guard, False)
        fired = None if fires is None else self._body(rule.body, fires).known.bare()
        return joined_places([None if spared is None else spared.bare(), fired])

    def _cascade(self, cascade: Cascade, known: Known) -> Known:
        guard = self.guards[cascade.name]
        if self.report is not None:
            self._check_cascade(cascade, guard, known, self.report)
        fires, spared = Place(known, known).where(guard, True), known.assume(guard, False)
        fired = None
        if fires is not None:
            threshold = intervals.single(cascade.threshold)
            measured = replace(known.around, source=fires.known.meter(cascade.source), threshold=threshold)
            inside = fires.after(fires.known.during(measured))
            fired = self._body(cascade.body, inside).known.during(known.around)
        spared = spared if cascade.who is None else known  # a cascade of a role spares the others
        return joined_places([None if spared is None else spared.bare(), fired])

    def _die(self, known: Known) -> tuple[Known | None, Known | None]:
        """What is known of the lanes that survive, and of those that are paid, which are those that have reached a goal
        too; `None` where there are none."""
        paid: Known | None = known
        prior: Place | None = Place(known, known)
        for cause in self.draft.causes:
            if prior is None:
                break
            if self.report is not None:
                self._check_cause(cause.condition, prior, self.report)
            prior = prior.where(cause.condition, False)
            if cause.goal is None:
                paid = None if prior is None else prior.known
        return None if prior is None else prior.known, paid

    def _pay(self, known: Known, ending: _Ending, report: Findings) -> None:
        """Rewards count where nobody dies, reports everywhere."""
        if ending.paid is not None:
            alive = ending.paid.later(ending.around)
            causes = [each.condition for each in self.draft.causes if each.goal is None]
            died = tuple(Given(each, False, PAID_ALIVE) for each in causes)
            for reward in self.draft.rewards:
                self._conditions(report).in_number(reward.value, Place(alive, known.later(ending.around), died))
                if self.basis == "anywhere" and not self.draft.unpaid:
                    check_reward(reward, alive.number(reward.value), len(self.draft.rewards) == 1, report)
        everywhere = known.during(ending.around)
        for item in self.draft.reports:
            self._conditions(report).in_number(item.value, Place(everywhere, everywhere))
            if self.basis == "anywhere":
                check_constant("report", item.value, everywhere.number(item.value), report)

    def _allow(self, known: Known | None, report: Findings) -> None:
        """Who acts, and masks, between ticks or before the first one; `acts when` and `allow all` decide where others
        matter."""
        if known is None:
            return
        starts = Levels(self.reach.starts, {})
        around = known.around.between()
        between = joined_places([known.during(around), Known(known.setting, around, starts, None)])
        place: Place | None = Place(between, between)
        for condition in (*self.draft.closing(), self.draft.starting):
            if condition is not None:
                self._conditions(report).condition(condition, place)
        for item in self.draft.acting:
            self._conditions(report).condition(item.condition, place)
        for item in self.draft.acting:
            place = place if place is None or item.who is not None else place.where(item.condition, True)
        everyone = [mask for mask in self.draft.masks if not mask.actions]
        for mask in (*everyone, *(mask for mask in self.draft.masks if mask.actions)):
            if place is None or isinstance(mask.allowed, universe.Truth):
                continue
            self._conditions(report).condition(mask.allowed, place)
            place = place if mask.actions or mask.who is not None else place.where(mask.allowed, True)
        for seen in self.draft.unproven():
            self._conditions(report).in_number(seen.value, Place(between, between))
            if self.basis == "anywhere":
                check_constant("observation", seen.value, between.number(seen.value), report)

    # --- statements --------------------------------------------------------------------------------------------------

    def _test(self, condition: Expression | None, place: Place | None) -> Place | None:
        """The place where the condition holds."""
        if condition is None or place is None:
            return place
        if self.report is not None:
            self._conditions(self.report).condition(condition, place)
        return place.where(condition, True)

    def _body(self, body: Iterable[Statement], place: Place) -> Place:
        for statement in body:
            match statement:
                case Assign():
                    place = self._assign(statement, place)
                case universe.Let():
                    place = self._let(statement, place)
                case universe.Push(value=value):
                    if self.report is not None:
                        self._conditions(self.report).in_number(value, place)
                    place = place.after(place.known.pushed())
                case universe.Displace() | universe.Teleport():
                    place = self._go(statement, place)
                case universe.Together(body=together):
                    place = self._unclamped(together, place).clamped(together)
                case universe.Guarded():
                    place = self._guarded(statement, place)
                case _:
                    place = place.after(self._rewritten(statement, place.known))
        return place

    def _let(self, let: universe.Let, place: Place) -> Place:
        """What is known where a local is worked out."""
        holds = is_condition(let.value)
        if self.report is not None:
            looked = self._conditions(self.report)
            if holds:
                looked.condition(let.value, place)
            else:
                looked.in_number(let.value, place)
        where = None if holds else place.known.number(let.value)
        return place.after(place.known.write(let.name, where))

    def _go(self, relocation: universe.Relocation, place: Place) -> Place:
        """What is known where an agent is now; its own place is another one, unless it is only pushed."""
        if self.report is not None:
            for value in relocation.coordinates:
                self._conditions(self.report).in_number(value, place)
        space = self.draft.space
        if isinstance(relocation, universe.Displace) and space is not None and has_momentum(space):
            return place.after(place.known.pushed())
        return place.after(place.known.displaced(meter.name for meter in self.draft.cell_meters))

    def _guarded(self, statement: universe.Guarded, place: Place) -> Place:
        """What is known behind `if`. Of what `begin` and `end` stand for nothing is said: no author wrote it."""
        report, condition = self.report, statement.condition
        if condition.span == statement.span or not is_inside(condition.span, statement.span):
            self.report = None
        sides = (self._test(condition, place), place.where(condition, False))
        ways = zip(sides, (statement.body, statement.otherwise), strict=True)
        ran = [None if side is None else self._body(body, side).known.bare() for side, body in ways]
        self.report = report
        return place.after(joined_places(ran))

    def _rewritten(self, statement: Statement, known: Known) -> Known:
        """What is known after a statement of which no more is known than what it writes."""
        for meter, span in statement.writes.items():
            bounds = None if meter in statement.unclamped else known.around.bounds.get(meter)
            known = known.write(meter, bounds)
            self._wrote[meter] = span
        return known

    def _unclamped(self, body: Iterable[Statement], place: Place) -> Place:
        for statement in body:
            if isinstance(statement, universe.Let):
                place = self._let(statement, place)
            for assign in statement.assigns:
                place = self._assign(assign, place)
        return place

    def _assign(self, assign: Assign, place: Place) -> Place:
        known = place.known
        # What keeps the past repeats an expression behind all rules: what holds there need not hold where it stands.
        report = None if assign.meter in self.draft.past else self.report
        if report is not None:
            self._conditions(report).in_number(assign.value, place)
        value, old = known.number(assign.value), known.meter(assign.meter)
        new = result_of(assign, old, value)
        if assign.clamped:
            new = inside(new, known.around.bounds.get(assign.meter))
        if report is not None and self.basis == "anywhere" and not self.names.effects.owns(assign.meter):
            check_statement(assign, old, value, new, self._wrote.get(assign.meter), report)
        self._wrote[assign.meter] = assign.span
        return place.after(known.write(assign.meter, new))

    # --- findings ----------------------------------------------------------------------------------------------------

    def _conditions(self, report: Findings) -> Conditions:
        if self._looks is None:
            past = () if self.names.history is None else self.names.history.spans
            self._looks = Conditions(report, self.basis, self._wrote, past)
        return self._looks

    def _check_cause(self, condition: Expression, prior: Place, report: Findings) -> None:
        """A cause of death is reported where none before it holds."""
        hidden = prior.known.holds(condition) is False and prior.before.holds(condition) is None
        if not hidden or self.basis == "from the start":
            self._conditions(report).condition(condition, prior)
            return
        earlier = [
            given.condition.span
            for given in prior.given
            if (spared := prior.before.assume(given.condition, False)) is not None and spared.holds(condition) is False
        ]
        report.add(messages.ranges.CauseHidden(condition.span, earlier[0] if earlier else None))

    def _check_cascade(self, cascade: Cascade, guard: Expression, known: Known, report: Findings) -> None:
        fires, source = known.holds(guard), known.meter(cascade.source)
        if fires is None or source is None or report.said(guard.span):
            return
        wrote = self._wrote.get(cascade.source)
        about = guard.span, cascade.name, cascade.source, source, wrote
        if self.basis == "from the start":
            report.add(messages.ranges.FiresAlikeInPlay(*about, fires))
        elif fires:
            report.add(messages.ranges.AlwaysFiresHere(*about))
        else:
            report.add(messages.ranges.NeverFiresHere(*about))
