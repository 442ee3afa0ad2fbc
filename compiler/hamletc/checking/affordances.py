"""Affordances and custom actions: what an agent can do besides moving and waiting."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from hamlet.universe import Action, Affordance, Expression, Hours, NoSpace, Space, Statement
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.numerals import any_whole_number, whole_number
from hamletc.checking.places import displacement, place
from hamletc.checking.properties import given_twice, is_known, only
from hamletc.checking.report import Report
from hamletc.checking.statements import Statements
from hamletc.diagnostics import Label
from hamletc.language import syntax

T = TypeVar("T")

LONGEST_DURATION = 1_000_000_000


def resolve_affordance(
    declaration: syntax.AffordanceDecl, space: Space | None, hours: int | None, names: Names, report: Report
) -> Affordance:
    """`affordance Bed at random open 0 .. 24 lasts 4 ticks { ... }`. `hours` is the length of the day."""
    where = _place(declaration, space, report)
    opening = None if declaration.hours is None else _opening_hours(declaration.hours, hours, names, report)
    duration = _duration(declaration.duration, report)
    expressions = Expressions(names, report)
    statements = Statements(names, report, expressions)
    needs = _needs(declaration.items, names, report)
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
            given_twice(f"`{item.kind}`", item.span, first.span, report, "Write all of it in one block.")
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
    )


def _place(declaration: syntax.AffordanceDecl, space: Space | None, report: Report) -> tuple[float, ...] | None:
    """The coordinates, where they are fixed."""
    name, span = declaration.name, declaration.place_span
    if isinstance(space, NoSpace):
        if span is not None:
            report.add(
                "H055",
                "a place needs a space",
                span,
                "this universe has none",
                secondary=(Label(space.span, "no space"),),
                hint="Leave `at` out: every affordance is within reach.",
            )
    elif span is None:
        report.add(
            "H025",
            f"the affordance `{name.text}` has no place",
            name.span,
            hint="Add `at random`, or `at` and its coordinates, after its name.",
        )
    elif declaration.place is not None:
        return place(declaration.place, space, span, report)
    return None


def _duration(written: syntax.Signed | syntax.Name | None, report: Report) -> int | None:
    """The ticks that an affordance lasts: 0 for ever, `None` where it is instantaneous."""
    match written:
        case None:
            return None
        case syntax.Name():
            return 0 if is_known(written, ("forever",), "no duration", report) else None
        case syntax.Signed():
            return whole_number(written, 1, LONGEST_DURATION, "a duration in ticks", report)


def _check_blocks(
    declaration: syntax.AffordanceDecl, blocks: dict[str, syntax.BlockItem], names: Names, report: Report
) -> None:
    """Either `instantly`, or `lasts` with `each tick` or `on completion` or both; nothing where uses are tracked."""
    name, lasts = declaration.name, declaration.duration
    if not any(block.body for block in blocks.values()) and names.tracking is None:
        report.add(
            "H049",
            f"the affordance `{name.text}` does nothing",
            name.span,
            hint="Add `instantly { ... }`, or `lasts N ticks` with `each tick { ... }` or `on completion { ... }`.",
        )
    else:
        for block in blocks.values():
            if not block.body:
                report.add("H064", f"`{block.kind}` does nothing", block.span, hint="Leave it out.")
    if isinstance(lasts, syntax.Name) and "on completion" in blocks:
        report.add(
            "H064",
            f"`{name.text}` is never completed",
            blocks["on completion"].span,
            secondary=(Label(lasts.span, "it lasts for ever"),),
            hint="Leave `on completion` out, or write `lasts N ticks`.",
        )
    elif lasts is not None and "instantly" in blocks:
        report.add(
            "H048",
            f"`{name.text}` lasts, so nothing happens `instantly`",
            blocks["instantly"].span,
            secondary=(Label(lasts.span, "it lasts this long"),),
            hint="Write `each tick` or `on completion`, or leave `lasts` out.",
        )
    elif lasts is None and blocks and "instantly" not in blocks:
        block = next(iter(blocks.values()))
        report.add(
            "H048",
            f"`{block.kind}` needs an affordance that lasts",
            block.span,
            secondary=(Label(name.span, "it has no duration"),),
            hint="Add `lasts N ticks` before the brace, or write `instantly`.",
        )
    elif lasts is None and len(blocks) > 1:
        block = next(block for kind, block in blocks.items() if kind != "instantly")
        report.add(
            "H048",
            f"an affordance has `instantly` or `{block.kind}`, not both",
            block.span,
            secondary=(Label(blocks["instantly"].span, "the other one"),),
            hint="Keep `instantly`, or add `lasts N ticks` and leave `instantly` out.",
        )


def _opening_hours(
    written: tuple[syntax.Signed, syntax.Signed], hours: int | None, names: Names, report: Report
) -> Hours | None:
    opens, closes = written
    if names.clock is None:
        report.add(
            "H036",
            "`open` needs a clock",
            opens.span,
            "this universe has none",
            hint="Add `clock 24 hours`.",
        )
        return None
    if hours is None:
        return None
    first, last = _hour(opens, hours - 1, names, report), _hour(closes, hours, names, report)
    if first is None or last is None:
        return None
    if first == last:
        report.add(
            "H047",
            "these opening hours begin where they end",
            closes.span,
            secondary=(Label(opens.span, "the same hour"),),
            hint=f"Write `open 0 .. {hours}`, or leave `open` out, for always open.",
        )
        return None
    return Hours(first, last)


def _hour(numeral: syntax.Signed, last: int, names: Names, report: Report) -> int | None:
    hour = any_whole_number(numeral, "an hour", report)
    if hour is None or 0 <= hour <= last:
        return hour
    report.add(
        "H046",
        "this hour is outside the clock",
        numeral.span,
        f"not in 0 .. {last}",
        secondary=() if names.clock is None else (Label(names.clock, "the clock"),),
        hint=f"Write 0 .. {last}; hours that end before they begin go on past midnight.",
    )
    return None


def resolve_action(declaration: syntax.ActionDecl, space: Space | None, names: Names, report: Report) -> Action:
    """`action REST { energy += 0.002 }`."""
    expressions = Expressions(names, report)
    statements = Statements(names, report, expressions)
    others = syntax.NeedsItem | syntax.MoveItem | syntax.TeleportItem | syntax.KeepsItem
    body = statements.body(tuple(item for item in declaration.items if not isinstance(item, others)))
    move = only(_all(declaration.items, syntax.MoveItem), "`move`", report)
    teleport = only(_all(declaration.items, syntax.TeleportItem), "`teleport`", report)
    keeps = only(_all(declaration.items, syntax.KeepsItem), "`keeps progress`", report)
    needs = _needs(declaration.items, names, report)
    by = None if move is None else displacement(move.delta, space, move.span, report)
    if all(isinstance(item, syntax.NeedsItem | syntax.KeepsItem) for item in declaration.items):
        report.add(
            "H049",
            f"the action `{declaration.name.text}` does nothing",
            declaration.name.span,
            hint="Add a statement, `move` or `teleport`; `WAIT` does nothing in every universe.",
        )
    if move is not None and by is not None and not any(by):
        report.add("H064", "this displacement moves nothing", move.span, hint="Leave `move` out.")
    if move is not None and teleport is not None:
        report.add(
            "H064",
            "`move` has no effect together with `teleport`",
            move.span,
            secondary=(Label(teleport.span, "sets the position afterwards"),),
            hint="Leave `move` out.",
        )
    if keeps is not None and ((move is None and teleport is None) or not names.has_lasting):
        report.add(
            "H064",
            "`keeps progress` has no effect here",
            keeps.span,
            "no affordance lasts" if not names.has_lasting else "this action displaces nobody",
            hint="Leave it out.",
        )
    return Action(
        name=declaration.name.text,
        needs=needs,
        body=body,
        move=by,
        teleport=None if teleport is None else place(teleport.cell, space, teleport.span, report),
        keeps_progress=keeps is not None,
        span=declaration.span,
    )


def _needs(items: Iterable[object], names: Names, report: Report) -> Expression | None:
    """The condition of the one `needs` among the items."""
    needs = only(_all(items, syntax.NeedsItem), "`needs`", report, "Join the conditions by `and`.")
    return None if needs is None else Expressions(names, report, scope="needs").condition(needs.condition)


def _all(items: Iterable[object], kind: type[T]) -> list[T]:
    return [item for item in items if isinstance(item, kind)]
