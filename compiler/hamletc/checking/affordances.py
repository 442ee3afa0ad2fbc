"""Affordances and custom actions: what an agent can do besides moving and waiting."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from hamlet.universe import Action, Affordance, Expression, Grid, Hours, Statement
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.numerals import any_whole_number, whole_number
from hamletc.checking.properties import given_twice, only
from hamletc.checking.report import Report
from hamletc.checking.space import cell, displacement
from hamletc.checking.statements import Statements
from hamletc.diagnostics import Label
from hamletc.language import syntax

T = TypeVar("T")

LONGEST_DURATION = 1_000_000


def resolve_affordance(
    declaration: syntax.AffordanceDecl, grid: Grid | None, hours: int | None, names: Names, report: Report
) -> Affordance:
    """`affordance Bed at random open 0 .. 24 lasts 4 ticks { ... }`. `hours` is the length of the day."""
    place = None if declaration.place is None else cell(declaration.place, grid, declaration.place_span, report)
    opening = None if declaration.hours is None else _opening_hours(declaration.hours, hours, names, report)
    lasts = declaration.duration
    duration = None if lasts is None else whole_number(lasts, 1, LONGEST_DURATION, "a duration in ticks", report)
    expressions = Expressions(names, report)
    needs = _needs(declaration.items, expressions, report)
    blocks: dict[str, syntax.BlockItem] = {}
    bodies: dict[str, tuple[Statement, ...]] = {}
    for item in declaration.items:
        if not isinstance(item, syntax.BlockItem):
            continue
        first = blocks.setdefault(item.kind, item)
        body = Statements(names, report, expressions).body(item.body)
        if first is item:
            bodies[item.kind] = body
        else:
            given_twice(f"`{item.kind}`", item.span, first.span, report, "Write all of it in one block.")
    _check_blocks(declaration, blocks, report)
    return Affordance(
        declaration.name.text,
        place,
        opening,
        duration,
        needs,
        bodies.get("instantly", ()),
        bodies.get("each tick", ()),
        bodies.get("on completion", ()),
        declaration.span,
    )


def _check_blocks(declaration: syntax.AffordanceDecl, blocks: dict[str, syntax.BlockItem], report: Report) -> None:
    """Either `instantly`, or `lasts` with `each tick` or `on completion` or both."""
    name, lasts = declaration.name, declaration.duration
    if not blocks:
        report.add(
            "H049",
            f"the affordance `{name.text}` does nothing",
            name.span,
            hint="Add `instantly { ... }`, or `lasts N ticks` with `each tick { ... }` or `on completion { ... }`.",
        )
    elif lasts is not None and "instantly" in blocks:
        report.add(
            "H048",
            f"`{name.text}` lasts, so nothing happens `instantly`",
            blocks["instantly"].span,
            secondary=(Label(lasts.span, "it lasts this long"),),
            hint="Write `each tick` or `on completion`, or leave `lasts` out.",
        )
    elif lasts is None and "instantly" not in blocks:
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


def resolve_action(declaration: syntax.ActionDecl, grid: Grid | None, names: Names, report: Report) -> Action:
    """`action REST { energy += 0.002 }`."""
    expressions = Expressions(names, report)
    statements = Statements(names, report, expressions)
    body = statements.body(
        tuple(item for item in declaration.items if isinstance(item, syntax.AssignStmt | syntax.TogetherStmt))
    )
    move = only(_all(declaration.items, syntax.MoveItem), "`move`", report)
    teleport = only(_all(declaration.items, syntax.TeleportItem), "`teleport`", report)
    needs = _needs(declaration.items, expressions, report)
    if all(isinstance(item, syntax.NeedsItem) for item in declaration.items):
        report.add(
            "H049",
            f"the action `{declaration.name.text}` does nothing",
            declaration.name.span,
            hint="Add a statement, `move` or `teleport`; `WAIT` does nothing in every universe.",
        )
    if move is not None and teleport is not None:
        report.add(
            "H064",
            "`move` has no effect together with `teleport`",
            move.span,
            secondary=(Label(teleport.span, "sets the position afterwards"),),
            hint="Leave `move` out.",
        )
    return Action(
        declaration.name.text,
        needs,
        body,
        None if move is None else displacement(move.delta, grid, move.span, report),
        None if teleport is None else cell(teleport.cell, grid, teleport.span, report),
        declaration.span,
    )


def _needs(items: Iterable[object], expressions: Expressions, report: Report) -> Expression | None:
    """The condition of the one `needs` among the items."""
    needs = only(_all(items, syntax.NeedsItem), "`needs`", report, "Join the conditions by `and`.")
    return None if needs is None else expressions.condition(needs.condition)


def _all(items: Iterable[object], kind: type[T]) -> list[T]:
    return [item for item in items if isinstance(item, kind)]
