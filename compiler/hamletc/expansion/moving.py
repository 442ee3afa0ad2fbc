"""Affordances that move: `position x += 1` in a rule of theirs, `follows`, `wanders`. Where they are is kept by meters
of the world, one per axis, which rules of the world write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Literal, TypeAlias

from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.affordances import own_name
from hamletc.expansion.constants import constant
from hamletc.expansion.places import Places
from hamletc.expansion.room import Axis, Room, room_of
from hamletc.expansion.trees import assign, binary, call, named, number, outside_expressions, rebuilt, whole
from hamletc.language import syntax
from hamletc.language.words import AMONG

MOST_CELLS = 65_536
"""The most cells of a grid on which affordances move."""
LONGEST_PERIOD = 1_000_000
LONGEST_CHAIN = 64
"""The most values among which one is chosen by asking for one number after the other; of more, halves are asked for."""
Parts: TypeAlias = "list[syntax.MeterDecl | syntax.RuleDecl]"


def moving_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations with rules that move what moves, and what is wrong."""
    problems = list(_elsewhere(declarations, places))
    heads = [item for item in declarations if isinstance(item, syntax.AffordanceDecl) and _moves(item)]
    if problems or not heads:
        return declarations, tuple(problems)
    room = room_of(declarations)
    problems = [each for head in heads for each in _problems(head, room, places)]
    if problems or room is None:
        return declarations, tuple(problems)
    moved = {id(head): _moving(head, room) for head in heads}
    return tuple(moved.get(id(item), item) for item in declarations), ()


def _moves(head: syntax.AffordanceDecl) -> bool:
    return any(_is_moved(item) for item in head.items)


def _is_moved(item: syntax.AffordanceItem) -> bool:
    moves = isinstance(item, syntax.FollowsItem | syntax.WandersItem)
    return moves or (isinstance(item, syntax.RuleDecl) and any(True for _ in _steps(item)))


def _steps(node: object) -> Iterator[syntax.PushStmt]:
    """The statements in a part that write positions."""
    every = outside_expressions(node)
    return (each for each in every if isinstance(each, syntax.PushStmt) and each.what == "position")


# --- what moves ------------------------------------------------------------------------------------------------------


def _moving(head: syntax.AffordanceDecl, room: Room) -> syntax.AffordanceDecl:
    """An affordance that moves by its rules. The layout says where it begins."""
    span, kept = head.name.span, list[syntax.AffordanceItem]()
    for item in head.items:
        match item:
            case syntax.FollowsItem():
                kept += _route(item, room)
                head = replace(head, place=item.stops[0], place_span=item.span)
            case syntax.WandersItem():
                kept += _wandering(item, room)
            case syntax.RuleDecl():
                kept.append(_Written(room).tree(item))
            case _:
                kept.append(item)
    meters = tuple(_coordinate(axis, room, span) for axis in room.axes)
    names = tuple(named(own_name(meter.name.text, head.name.text), span) for meter in meters)
    return replace(head, items=(*meters, *kept), moving=names)


def _coordinate(axis: Axis, room: Room, span: Span) -> syntax.MeterDecl:
    low = number(axis.low, span)
    if room.whole:
        return whole(_position(axis), axis.low, axis.high, low, span)
    state = syntax.StateSpec("real", (), span, "compiler")
    return syntax.MeterDecl(named(_position(axis), span), low, (low, number(axis.high, span)), (), span, state)


def _position(axis: Axis) -> str:
    return f"position {axis.name}"


def _waits(period: int, span: Span) -> tuple[Parts, list[syntax.Stmt], syntax.Expr | None]:
    """What counts ticks, and the condition under which it is time to move; nothing where that is in every tick."""
    if period == 1:
        return [], [], None
    following = binary("+", named("ticks", span), number(1, span), span)
    counts = assign("ticks", "=", call("mod", following, number(period, span), span=span), span)
    time = binary("==", named("ticks", span), number(0, span), span)
    return [whole("ticks", 0, period - 1, number(0, span), span)], [counts], time


def _route(item: syntax.FollowsItem, room: Room) -> Parts:
    """From each stop to the next, and from the last to the first."""
    span, count = item.span, len(item.stops)
    parts, body, time = _waits(_period(item.period), span)
    parts.append(whole("stop", 0, count - 1, number(0, span), span))
    one: syntax.Expr = number(1, span)
    following = binary("+", named("stop", span), one if time is None else syntax.WhenExpr(one, time, span), span)
    body.append(assign("stop", "=", call("mod", following, number(count, span), span=span), span))
    spots = [room.coordinates(stop) or () for stop in item.stops]
    for axis, where in zip(room.axes, zip(*spots, strict=True), strict=True):
        body.append(assign(_position(axis), "=", _chosen("stop", [number(x, span) for x in where], span), span))
    return [*parts, syntax.RuleDecl(syntax.Name("route", span), None, tuple(body), span, True)]


def _chosen(meter: str, values: list[syntax.Expr], span: Span) -> syntax.Expr:
    """The value whose number the meter has."""

    def among(first: int, last: int) -> syntax.Expr:
        if last - first > LONGEST_CHAIN:
            middle = (first + last) // 2
            below = binary("<", named(meter, span), number(middle, span), span)
            return syntax.IfExpr(below, among(first, middle), among(middle, last), span)
        found = values[last - 1]
        for which in reversed(range(first, last - 1)):
            is_it = binary("==", named(meter, span), number(which, span), span)
            found = syntax.IfExpr(is_it, values[which], found, span)
        return found

    return among(0, len(values))


def _wandering(item: syntax.WandersItem, room: Room) -> Parts:
    """A step to one of the cells beside, or along one of the edges, each as likely."""
    span = item.span
    parts, body, time = _waits(_period(item.period), span)
    if room.leads is not None:
        here = named("position x", span)
        there = _chosen("position x", [_one_of(n, leads, span) for n, leads in enumerate(room.leads.values())], span)
        body.append(assign("position x", "=", there if time is None else syntax.IfExpr(time, there, here, span), span))
    else:
        ways = len(room.ways)
        parts.append(whole("way", 0, ways - 1, number(0, span), span))
        body.append(assign("way", "=", call("integer", number(0, span), number(ways - 1, span), span=span), span))
        for which, axis in enumerate(room.axes):
            by = _along(which, room, span)
            by = by if time is None else syntax.IfExpr(time, by, number(0, span), span)
            body.append(_step(axis, "+=", by, span, room))
    return [*parts, syntax.RuleDecl(syntax.Name("wandering", span), None, tuple(body), span, True)]


def _one_of(node: int, leads: tuple[int, ...], span: Span) -> syntax.Expr:
    """One of the nodes to which this one leads; itself where it leads to none."""
    if len(leads) > 1:
        return call("choice", *(number(other, span) for other in leads), span=span)
    return number(leads[0] if leads else node, span)


def _along(axis: int, room: Room, span: Span) -> syntax.Expr:
    """How far a way leads along an axis: those on minus those back."""
    on, *more = (_if_way(way, span) for way, step in enumerate(room.ways) if step[axis] > 0)
    for each in more:
        on = binary("+", on, each, span)
    for way in (way for way, step in enumerate(room.ways) if step[axis] < 0):
        on = binary("-", on, _if_way(way, span), span)
    return on


def _if_way(way: int, span: Span) -> syntax.Expr:
    return syntax.WhenExpr(number(1, span), binary("==", named("way", span), number(way, span), span), span)


def _step(axis: Axis, op: Literal["+=", "-=", "="], value: syntax.Expr, span: Span, room: Room) -> syntax.AssignStmt:
    """A statement that writes a position, with the edges of the space."""
    name, low, high = _position(axis), number(axis.low, span), number(axis.high, span)
    if op == "=" or room.edges == "clamp":
        return assign(name, op, value, span)
    there = binary("+" if op == "+=" else "-", named(name, span), value, span)
    if room.edges == "sticky":
        inside = binary("and", binary(">=", there, low, span), binary("<=", there, high, span), span)
        return assign(name, "=", syntax.IfExpr(inside, there, named(name, span), span), span)
    past = there if axis.low == 0 else binary("-", there, low, span)
    length = number(axis.high - axis.low, span)
    if room.edges == "wrap":
        past = call("mod", past, number(axis.high - axis.low + room.whole, span), span=span)
    else:
        left = binary("-", length, call("abs", past, span=span), span)
        past = binary("-", length, call("abs", left, span=span), span)
    return assign(name, "=", past if axis.low == 0 else binary("+", low, past, span), span)


def _period(period: syntax.Signed | None) -> int:
    return 1 if period is None else int(constant(period) or 1)


@dataclass(frozen=True, slots=True)
class _Written:
    """Turns positions in a rule of an affordance into meters that say where it is."""

    room: Room

    def tree(self, node: Any) -> Any:
        """The node with everything below it."""
        axes = {axis.name: axis for axis in self.room.axes}
        match node:
            case tuple():
                return tuple(self.tree(item) for item in node)
            case str() | bool() | Span() | syntax.Name() | None:
                return node
            case syntax.PushStmt(axis=axis, op=op, value=value, what="position") if axis.text in axes:
                return _step(axes[axis.text], op, self.tree(value), node.span, self.room)
            case syntax.AxisExpr(quantity="position", axis=axis) if axis.text in axes:
                return named(_position(axes[axis.text]), node.span)
            case syntax.CallExpr(function=function) if function.text in AMONG:
                return node  # there a position is an agent's
            case _:
                return rebuilt(node, lambda _name, _role, old: self.tree(old))


# --- what can be wrong -----------------------------------------------------------------------------------------------


def _elsewhere(declarations: tuple[syntax.Decl, ...], places: Places) -> Iterator[Diagnostic]:
    """Positions that something else than a rule of an affordance would write."""
    heads = (item for item in declarations if isinstance(item, syntax.AffordanceDecl))
    rules = (item for head in heads for item in head.items if isinstance(item, syntax.RuleDecl))
    own = {id(step) for rule in rules for step in _steps(rule)}
    for step in _steps(declarations):
        if id(step) not in own:
            hint = "Agents move by actions, and by `velocity` where there is momentum; an affordance by its own rules."
            message = f"`position {step.axis.text}` cannot be written here"
            yield places.diagnose("H223", message, step.span, hint=hint)


def _problems(head: syntax.AffordanceDecl, room: Room | None, places: Places) -> Iterator[Diagnostic]:
    name = head.name.text
    if room is None:
        hint = "Give the universe a space, as in `space grid 8 x 8`."
        yield places.diagnose("H223", f"`{name}` moves, and there is no space", head.name.span, hint=hint)
        return
    cells = prod(int(axis.high) + 1 for axis in room.axes) if room.whole else 1
    if cells > MOST_CELLS:
        message = f"affordances move on grids of at most {MOST_CELLS:,} cells, this one has {cells:,}"
        yield places.diagnose("H223", message, head.name.span, hint="Use a smaller grid.")
    short = [axis.name for axis in room.axes if axis.low == axis.high]
    if short:
        message = f"`{name}` moves, and the axis `{short[0]}` has one cell"
        hint = "Make the axis longer, or leave it out, as in `space grid 8`."
        yield places.diagnose("H223", message, head.name.span, hint=hint)
    ways = [item for item in head.items if isinstance(item, syntax.FollowsItem | syntax.WandersItem)]
    for item in ways[1:]:
        hint = "Write one of them; a rule can do both: `rule NAME: position x += 1`."
        yield places.diagnose("H224", f"`{name}` is said to move in two ways", item.span, hint=hint)
    for item in ways[:1]:
        yield from _wrong_way(head, item, room, places)
    for step in _steps(tuple(item for item in head.items if isinstance(item, syntax.RuleDecl))):
        if room.leads is not None:
            hint = "Write `follows home, road, office` or `wanders` in its braces."
            yield places.diagnose("H223", "a position on a graph is a node, no number", step.span, hint=hint)
        elif step.axis.text not in {axis.name for axis in room.axes}:
            known = ", ".join(f"`{axis.name}`" for axis in room.axes)
            message = f"the space has no axis `{step.axis.text}`"
            yield places.diagnose("H065", message, step.axis.span, hint=f"Its axes are {known}.")


def _wrong_way(
    head: syntax.AffordanceDecl, item: syntax.FollowsItem | syntax.WandersItem, room: Room, places: Places
) -> Iterator[Diagnostic]:
    name, period = head.name.text, 1.0 if item.period is None else constant(item.period)
    if item.period is not None and (period is None or period != int(period) or not 1 <= period <= LONGEST_PERIOD):
        hint = f"Write a whole number of ticks, 1 .. {LONGEST_PERIOD}."
        yield places.diagnose("H033", f"`{name}` cannot move so often", item.period.span, hint=hint)
    if isinstance(item, syntax.WandersItem):
        if not room.whole or room.walls:
            where = "between walls" if room.walls else "in a continuous space"
            hint = "Move it by a rule, as in `rule NAME: position x += integer(-1, 1)`, or let it follow a route."
            yield places.diagnose("H223", f"`{name}` cannot wander {where}", item.span, hint=hint)
        return
    if head.place_span is not None:
        hint = "Leave `at` out: it begins at the first stop."
        yield places.diagnose("H224", f"the route of `{name}` says where it is", head.place_span, hint=hint)
    if len(item.stops) < 2:
        hint = "Write two stops or more, as in `follows (0, 3), (4, 3)`, or put it `at` this place."
        yield places.diagnose("H223", f"the route of `{name}` has one stop", item.span, hint=hint)
    for which, stop in enumerate(item.stops):
        if room.coordinates(stop) is None:
            message = f"stop {which + 1} of `{name}` is no place of the space"
            hint = "Write coordinates in the space, a letter that the map has once, or on a graph a node."
            yield places.diagnose("H223", message, item.span, hint=hint)
