"""Affordances that are deployed, as they run with temporal mechanics and without; costs and effects as statements."""

from __future__ import annotations

from hamlet_townlet.pack import Affordance, Aspatial, Change, Pack
from hamlet_townlet.reader.limits import LARGEST_FLOAT
from hamlet_townlet.reader.read_affordances import raises
from hamlet_townlet.translate.terms import as_binary32, binary, literal, number, quoted, shortest, when, word
from hamletc.language.syntax import AffordanceDecl, AssignStmt, BlockItem, Expr, Name, NeedsItem, Signed

HOURS = 24


def affordance(source: Affordance, pack: Pack) -> AffordanceDecl:
    """`affordance Bed at random open 8 .. 18 lasts 4 ticks together { ... }`."""
    span, temporal = source.span, pack.training.temporal.value
    place = source.position
    literal = None if place is None else tuple(Signed(str(coordinate), place.span) for coordinate in place.coordinates)
    where = place.span if place is not None else source.name.span
    spaceless = isinstance(pack.substrate, Aspatial)
    return AffordanceDecl(
        quoted(source.name),
        literal,
        None if spaceless else where,
        _hours(source) if temporal else None,
        _duration(source) if temporal else None,
        source.name.span if temporal else None,
        _lasting(source, pack) if temporal else _instant(source),
        span,
    )


def _hours(source: Affordance) -> tuple[Signed, Signed] | None:
    """From `opens` to before `closes`; `None` where it is always open."""
    opens, closes = source.opens, source.closes
    if (closes.value - opens.value) % HOURS == 0:
        return None
    last = closes.value if closes.value <= HOURS else closes.value % HOURS
    return Signed(str(opens.value), opens.span), Signed(str(last), closes.span)


def _duration(source: Affordance) -> Signed | Name:
    """As many ticks as it takes to complete. HAMLET never completes what takes less than one."""
    ticks = source.duration_ticks
    if ticks is None:
        return Signed("1", source.name.span)
    return Signed(str(ticks.value), ticks.span) if ticks.value > 0 else word("forever", ticks.span)


def _needs(costs: tuple[Change, ...]) -> tuple[NeedsItem, ...]:
    """HAMLET asks for the first cost in money, and for no other."""
    first = next((cost for cost in costs if cost.meter.value == "money"), None)
    if first is None or as_binary32(first.amount.value) == 0:
        return ()
    price = literal(first.amount)
    return (NeedsItem(binary(quoted(first.meter), ">=", price, first.span), first.span),)


def _instant(source: Affordance) -> tuple[NeedsItem | BlockItem, ...]:
    """Effects clamped one by one, then costs that are not clamped."""
    ticks = 1 if source.duration_ticks is None else source.duration_ticks.value
    dual = source.interaction_type is not None and source.interaction_type.value == "dual"
    if dual and not source.on_start:
        effects = [*(gain(effect, ticks=ticks) for effect in source.per_tick), *map(gain, source.on_completion)]
    else:
        effects = [gain(effect) for effect in source.on_start]
    body = (*effects, *(loss(cost, unclamped=True) for cost in source.costs))
    blocks = (BlockItem("instantly", body, source.span),) if body else ()
    return (*_needs(source.costs), *blocks)


def _lasting(source: Affordance, pack: Pack) -> tuple[NeedsItem | BlockItem, ...]:
    """Costs and effects of every tick, and those of the last one."""
    if raises(source, pack.training):
        return _needs(source.costs_per_tick)
    each = [*map(loss, source.costs_per_tick), *map(gain, source.per_tick)]
    last = [gain(effect) for effect in source.on_completion]
    if source.duration_ticks is not None and source.duration_ticks.value <= 0:
        # With a duration of 0 HAMLET completes in the first tick and counts on.
        each += map(gain_at_first, source.on_completion) if source.duration_ticks.value == 0 else ()
        last = []
    blocks = []
    if each:
        blocks.append(BlockItem("each tick", tuple(each), source.span))
    if last:
        blocks.append(BlockItem("on completion", tuple(last), source.span))
    return (*_needs(source.costs_per_tick), *blocks)


def gain(change: Change, *, ticks: int = 1) -> AssignStmt:
    """`energy += 0.5`: what an effect gives in `ticks` ticks, all at once. A negative amount is taken."""
    if ticks == 1:
        return _assign(change, change.amount.value, gives=True, unclamped=False)
    # HAMLET forms this product in binary64 and rounds it once. One that is infinite fills or empties a meter, as the
    # largest number does.
    amount = as_binary32(change.amount.value * ticks)
    amount = min(max(amount, -LARGEST_FLOAT), LARGEST_FLOAT)
    return _assign(change, shortest(amount), gives=True, unclamped=False)


def loss(change: Change, *, unclamped: bool = False) -> AssignStmt:
    """`energy -= 0.5`: what a cost takes. A negative amount is given."""
    return _assign(change, change.amount.value, gives=False, unclamped=unclamped)


def gain_at_first(change: Change) -> AssignStmt:
    """`energy += 0.5 when progress == 1`."""
    span = change.span
    first = binary(word("progress", span), "==", number(1.0, span), span)
    value = when(literal(change.amount), first, span)
    return AssignStmt(quoted(change.meter), "+=", value, None, span)


def _assign(change: Change, amount: float, *, gives: bool, unclamped: bool) -> AssignStmt:
    span = change.span
    gives = gives != (as_binary32(amount) < 0)
    value: Expr = number(abs(amount), change.amount.span)
    return AssignStmt(quoted(change.meter), "+=" if gives else "-=", value, span if unclamped else None, span)
