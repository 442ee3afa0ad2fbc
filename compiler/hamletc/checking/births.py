"""Births: which agents are alive when an episode begins, and how others are born within it."""

from __future__ import annotations

from hamlet import universe
from hamlet.numbers.binary32 import round32
from hamlet.schema import MOST_AGENTS
from hamlet.universe import Expression, Pool, Role
from hamletc import messages
from hamletc.checking.draft import Draft
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, all_of, only
from hamletc.expansion.births import LONGEST_WAIT
from hamletc.language import syntax


def resolve_pool(declaration: syntax.RoleDecl, role: Role, draft: Draft, names: Names, report: Findings) -> Pool | None:
    """How agents of a role come and go within an episode; `None` where all begin with it."""
    begins = only(all_of(declaration.items, syntax.BeginsItem), "`begins with`", report)
    respawns = only(all_of(declaration.items, syntax.RespawnsItem), "`respawns`", report)
    births = declaration.births
    asked = None if births is None else births.asked
    if begins is None and respawns is None and asked is None:
        return None
    begin = None if begins is None else _begin(begins, role, names, report)
    after = None if respawns is None else names.duration(respawns.period, LONGEST_WAIT, "a wait in")
    span = declaration.name.span
    asks = (
        None
        if asked is None
        else universe.Binary(
            ">", universe.MeterValue(asked.text, asked.span), universe.Number(0.0, asked.span), asked.span
        )
    )
    handed = (
        []
        if births is None
        else [
            universe.Handed(each.meter.text, universe.MeterValue(each.value.text, each.span))
            for each in births.handed
            if isinstance(each.value, syntax.Name)
        ]
    )
    order = [meter.name for meter in draft.meters]
    handed.sort(key=lambda each: order.index(each.meter) if each.meter in order else -1)
    waits = None if births is None or births.waits is None else births.waits.text
    states = [asked, *(each.value for each in (() if births is None else births.handed))]
    draft.past |= {each.text for each in states if isinstance(each, syntax.Name)} | ({waits} if waits else set())
    return Pool(
        role.name,
        role.first,
        role.agents,
        begin,
        asks,
        None if asked is None else asked.text,
        tuple(handed),
        span,
        after,
        waits if after is not None else None,
    )


def _begin(item: syntax.BeginsItem, role: Role, names: Names, report: Findings) -> Expression | None:
    """How many agents of a role an episode begins with."""
    expressions = Expressions(names, report, scope="claim", whose="places")
    value = expressions.number(item.number)
    most = MOST_AGENTS if role.agents is None else role.agents
    if isinstance(value, universe.Number) and not 0 <= round32(value.value) <= most:
        report.add(messages.births.PoolOutsideLimits(item.number.span, role.name, value.value, most))
        return None
    return value


def check_room(draft: Draft, report: Findings) -> None:
    """Report births that never find room: nobody of the role waits at first, and nobody dies."""
    for pool in draft.pools:
        many = pool.begin.value if isinstance(pool.begin, universe.Number) else None
        full = pool.begin is None or (many is not None and pool.agents is not None and many >= pool.agents)
        if full and not draft.causes:
            report.add(messages.births.NoRoom(pool.span, pool.role))
        elif not full and pool.asks is None and pool.after is None:
            report.add(messages.births.NeverBorn(pool.span, pool.role))
