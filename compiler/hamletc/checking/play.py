"""Where play leads: ticks of the course, from the start values of meters on, until these lie as before."""

from __future__ import annotations

from collections.abc import Callable, Collection

from hamlet import universe
from hamlet.universe import Cascade, Expression, Span, relocations
from hamlet.universe.stages import by_step
from hamletc.checking.conditions import Basis, joined_places
from hamletc.checking.course import Course
from hamletc.checking.draft import Draft
from hamletc.checking.facts import Levels
from hamletc.checking.inert import check_observed
from hamletc.checking.knowledge import Known, Setting
from hamletc.checking.names import Names
from hamletc.checking.proofs import Proofs, Recording
from hamletc.checking.reach import Reach
from hamletc.checking.report import Findings
from hamletc.intervals import Interval

TICKS_BEFORE_WIDENING = 2
TICKS_BEFORE_GIVING_UP = 8
MOST_DYNAMICS = 2000
"""The most rules and cascades of a universe whose ticks are followed before meters that move are widened: a tick takes
time, and an early widening is as safe."""


def check_course(draft: Draft, names: Names, reach: Reach, report: Findings, proofs: Proofs | None = None) -> None:
    """Report what has no effect at its place in a tick, in a draft that is complete and safe to compute. `proofs` take
    where values lie in play."""
    if draft.space is None:
        return
    guards = {each.name: _guard(each, draft.guards[each.name]) for each in draft.dynamics if isinstance(each, Cascade)}
    meters = draft.meters_of_all()
    stays = not any(relocation for _, body in draft.bodies() for relocation in relocations(body))
    values = (*meters, *draft.controls)
    walked = any(affordance.solid for affordance in draft.affordances)
    used = bool(draft.affordances)
    setting = Setting.of(draft.space, values, draft.tables, draft.lets, affordances=used, stays=stays, walked=walked)
    changing = {meter.name for meter in meters} & (reach.changes.raised.keys() | reach.changes.lowered.keys())
    constant = {meter.name for meter in meters} - changing

    asked = draft.parts() if draft.mentions(universe.ActionTaken) else ()
    chosen = {node.action: node for node in asked if isinstance(node, universe.ActionTaken)}
    stages = by_step(draft)
    patience = TICKS_BEFORE_WIDENING if len(draft.dynamics) <= MOST_DYNAMICS else 0

    def course(basis: Basis, report: Findings | None = None) -> Course:
        return Course(draft, stages, names, reach, guards, basis, chosen, report)

    anywhere = _beginning(Known(setting, reach.around, Levels(reach.meters, {}), None))
    end = course("anywhere", report).run(anywhere)
    if report.failed:
        return
    check_observed(draft, end, reach.starts, constant, report)
    starts = {name: where for name, where in reach.starts.items() if name in changing}
    begins = Known(setting, reach.around, Levels({**reach.meters, **starts}, {}), None)
    known = _followed(course, begins, anywhere, changing, report, patience)
    if proofs is not None:
        found = ((meter.name, known.meter(meter.name)) for meter in meters if meter.name in changing)
        proofs.meters |= {name: where for name, where in (*reach.starts.items(), *found) if where is not None}
        noted = Recording(draft, stages, names, reach, guards, "from the start", chosen, Findings(), proofs=proofs)
        noted.run(_beginning(known))


def _followed(
    course: Callable[[Basis, Findings | None], Course],
    known: Known,
    anywhere: Known,
    changing: Collection[str],
    report: Findings,
    patience: int,
) -> Known:
    """What is known when a tick begins in play: ticks are followed from the first one on, until meters lie as before.
    Where that takes too long, or all of it is in play, they are `anywhere` in their bounds."""
    for tick in range(TICKS_BEFORE_GIVING_UP):
        if all(known.meter(name) == anywhere.meter(name) for name in changing):
            return anywhere  # All that holds in play was said of anywhere.
        # Where no meter moves any more the findings count; a walk that finds them takes longer.
        said = report.aside() if tick > patience else None
        after = course("from the start", said).run(_beginning(known)).during(known.around)
        grown = joined_places([known, after])
        if all(grown.meter(name) == known.meter(name) for name in changing):
            if said is not None:
                report.take(said)
            else:
                course("from the start", report).run(_beginning(known))
            return known
        known = grown if tick < patience else _widened(known, grown, anywhere)
    return anywhere


def _beginning(known: Known) -> Known:
    """The beginning of a tick, which `previous` looks at."""
    return Known(known.setting, known.around, known.meters, known)


def _widened(known: Known, grown: Known, most: Known) -> Known:
    """Ends of meters that still move are taken to where they can be at all."""
    meters = dict(grown.meters)
    for name, where in grown.meters.items():
        before, limit = known.meter(name), most.meter(name)
        if where is None or before is None or limit is None:
            continue
        low = limit.low if where.low < before.low else where.low
        meters[name] = Interval(low, limit.high if where.high > before.high else where.high)
    return Known(known.setting, known.around, Levels(meters, {}), None)


def _guard(cascade: Cascade, where: Span) -> Expression:
    return universe.Binary(
        "<", universe.MeterValue(cascade.source, where), universe.Number(cascade.threshold, where), where
    )
