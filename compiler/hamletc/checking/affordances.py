"""Affordances, the clock by which they open, and whose uses of them are tracked."""

from __future__ import annotations

from collections.abc import Iterable

from hamlet.universe import Affordance, Capacity, Clock, Expression, Hours, NoSpace, Number, Space, Statement, Tracking
from hamletc import messages
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.places import place
from hamletc.checking.report import Findings, all_of, is_known, only, whole_number
from hamletc.checking.rules import Statements
from hamletc.checking.spreads import resolve_spread
from hamletc.language import syntax

LONGEST_DURATION = 1_000_000_000
SHORTEST_DAY, LONGEST_DAY = 2, 1000


def resolve_affordance(
    declaration: syntax.AffordanceDecl, space: Space | None, hours: int | None, names: Names, report: Findings
) -> Affordance:
    """`affordance Bed at random open 0 .. 24 lasts 4 ticks { ... }`. `hours` is the length of the day."""
    where = _place(declaration, space, names, report)
    opening = None if declaration.hours is None else _opening_hours(declaration.hours, hours, names, report)
    duration = _duration(declaration.duration, names, report)
    expressions = Expressions(names, report, scope="acting")
    statements = Statements(names, report, expressions)
    needs = resolve_needs(declaration.items, names, report)
    capacity = _capacity(declaration.items, names, report)
    opens = _opening(declaration, report)
    around = Expressions(names, report, scope="opening", whose="opening")
    together = declaration.together
    blocks: dict[str, syntax.BlockItem] = {}
    bodies: dict[str, tuple[Statement, ...]] = {}
    for item in declaration.items:
        if not isinstance(item, syntax.BlockItem):
            continue
        first = blocks.setdefault(item.kind, item)
        body = statements.body(item.body) if together is None else statements.together(item.body, together)
        if first is item:
            bodies[item.kind] = body
        else:
            report.add(messages.everywhere.GivenTwice(item.span, f"`{item.kind}`", first.span, "block"))
    _check_blocks(declaration, blocks, names, report)
    return Affordance(
        name=declaration.name.text,
        place=where,
        hours=opening,
        duration=duration,
        together=together is not None,
        needs=needs,
        instantly=bodies.get("instantly", ()),
        each_tick=bodies.get("each tick", ()),
        on_completion=bodies.get("on completion", ()),
        span=declaration.span,
        capacity=capacity,
        opening=None if opens is None else around.condition(opens.condition),
        spread=resolve_spread(declaration, space, names, report),
        copy_of=None if declaration.copy_of is None else declaration.copy_of.text,
        moving=tuple(name.text for name in declaration.moving),
        appears="by opening" if opens is not None and opens.appears else None,
        solid=declaration.solid is not None,
        elsewhere=declaration.elsewhere,
    )


def check_used_at_once(affordances: Iterable[Affordance], space: Space | None, names: Names, report: Findings) -> None:
    """Warn of affordances between which nobody chooses: without a space all are within reach."""
    if not isinstance(space, NoSpace) or report.failed:
        return
    used = (each for each in affordances if each.instantly or each.each_tick or each.on_completion)
    always = [each for each in used if each.hours is None and each.opening is None and each.capacity is None]
    if len(always) > 1:
        first, other = (each.name for each in always[:2])
        declared, at = (names.span("affordance", name) for name in (first, other))
        report.add(messages.affordances.UsedAtOnce(at, first, declared, other))


def _opening(declaration: syntax.AffordanceDecl, report: Findings) -> syntax.OpenItem | None:
    """The condition under which it is open, or there at all."""
    items = all_of(declaration.items, syntax.OpenItem)
    return only(items, "`open when` or `appears when`", report, "and")


def _place(
    declaration: syntax.AffordanceDecl, space: Space | None, names: Names, report: Findings
) -> tuple[float, ...] | None:
    """The coordinates, where they are fixed."""
    name, span = declaration.name, declaration.place_span
    if isinstance(space, NoSpace):
        if span is not None:
            report.add(messages.affordances.PlaceWithoutSpace(span, space.span))
    elif span is None:
        report.add(messages.affordances.NoPlace(name.span, name.text))
    elif declaration.place is not None and not isinstance(declaration.place, syntax.StartsAt):
        return place(declaration.place, space, span, names, report)
    return None


def _duration(written: syntax.Signed | syntax.Name | None, names: Names, report: Findings) -> int | None:
    """The ticks that an affordance lasts: 0 for ever, `None` where it is instantaneous."""
    match written:
        case None:
            return None
        case syntax.Name():
            return 0 if is_known(written, ("forever",), "no duration", report) else None
        case syntax.Signed():
            return names.duration(written, LONGEST_DURATION, "a duration in")


def _check_blocks(
    declaration: syntax.AffordanceDecl, blocks: dict[str, syntax.BlockItem], names: Names, report: Findings
) -> None:
    """Check that there is either `instantly`, or `lasts` with `each tick` or `on completion` or both; where uses are
    tracked, there may be nothing."""
    name, lasts = declaration.name, declaration.duration
    idle = not any(block.body for block in blocks.values()) and names.tracking is None
    idle = idle and not all_of(declaration.items, syntax.ActionDecl)
    if idle and not {("used", name.text), ("here", name.text)} & names.compared:
        report.add(messages.affordances.NothingHappens(name.span, name.text))
    else:
        for block in blocks.values():
            if not block.body:
                report.add(messages.affordances.EmptyBlock(block.span, block.kind))
    if isinstance(lasts, syntax.Name) and "on completion" in blocks:
        report.add(messages.affordances.NeverCompleted(blocks["on completion"].span, name.text, lasts.span))
    elif lasts is not None and "instantly" in blocks:
        report.add(messages.affordances.InstantlyWhereItLasts(blocks["instantly"].span, name.text, lasts.span))
    elif lasts is None and blocks and "instantly" not in blocks:
        block = next(iter(blocks.values()))
        report.add(messages.affordances.BlockWithoutDuration(block.span, block.kind, name.span))
    elif lasts is None and len(blocks) > 1:
        block = next(block for kind, block in blocks.items() if kind != "instantly")
        beside = blocks["instantly"].span
        report.add(messages.affordances.BlockBesideInstantly(block.span, block.kind, beside))


def _opening_hours(
    written: tuple[syntax.Signed, syntax.Signed], hours: int | None, names: Names, report: Findings
) -> Hours | None:
    opens, closes = written
    if not names.has("clock", "`open`", opens.span) or hours is None:
        return None
    first, last = names.hour(opens, hours - 1), names.hour(closes, hours)
    if first is None or last is None:
        return None
    if first == last:
        report.add(messages.affordances.NoOpeningHours(closes.span, opens.span, hours))
        return None
    return Hours(first, last)


def resolve_needs(items: Iterable[object], names: Names, report: Findings) -> Expression | None:
    """The condition of the one `needs` among the items."""
    needs = only(all_of(items, syntax.NeedsItem), "`needs`", report, "and")
    return None if needs is None else Expressions(names, report, scope="needs").condition(needs.condition)


def _capacity(items: Iterable[object], names: Names, report: Findings) -> Capacity | None:
    """`capacity stock to highest hunger`, `capacity 1 to lowest number`."""
    item = only(all_of(items, syntax.CapacityItem), "`capacity`", report)
    if item is None:
        return None
    priority: Expression | None = None
    places = Expressions(names, report, scope="claim", whose="places").number(item.places)
    if item.lowest is not None and (item.lowest.quoted or item.lowest.text != "number"):
        report.add(messages.affordances.LowestOfAnything(item.lowest.span, item.lowest))
        return None
    if item.lowest is None and item.highest is None:
        report.add(messages.affordances.NobodyFirst(item.span, item.places))
        return None
    if isinstance(item.highest, syntax.Name) and item.highest.text == "number" and not names.value_kind(item.highest):
        report.add(messages.affordances.HighestNumberFirst(item.highest.span))
        return None
    if item.highest is not None:
        priority = Expressions(names, report, scope="claim").number(item.highest)
        if priority is None:
            return None
        if isinstance(priority, Number):
            report.add(messages.affordances.SamePriority(priority.span))
    if isinstance(places, Number) and places.value < 1:
        report.add(messages.affordances.NoPlaces(places.span, places.value))
    return None if places is None else Capacity(places, priority, item.span)


def resolve_clock(declaration: syntax.ClockDecl, report: Findings) -> Clock | None:
    """`clock 24 hours`."""
    hours = whole_number(declaration.hours, SHORTEST_DAY, LONGEST_DAY, "the number of hours", report)
    return None if hours is None else Clock(hours, declaration.span)


def resolve_tracking(declaration: syntax.TrackDecl, report: Findings) -> Tracking | None:
    """`track uses`, `track uses by world`."""
    by = declaration.by
    if by is None:
        return Tracking("agent", declaration.span)
    if not is_known(by, ("agent", "world"), "nobody whose uses could be tracked", report):
        return None
    return Tracking("world" if by.text == "world" else "agent", declaration.span)
