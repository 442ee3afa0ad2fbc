"""Affordances that move: `position x += 1` in a rule of theirs, `follows`, `wanders`. Where they are is kept by meters
of the world, one per axis, which rules of the world write; so it is where they begin elsewhere in other levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import prod
from typing import Any, Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe import CellMetric, Continuous, Grid, NoSpace, Space, Span
from hamlet.universe.space import Edges, Graph, axis_names, is_hexagonal, sides
from hamlet.universe.terrain import Map
from hamletc import messages
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.places import Places
from hamletc.expansion.trees import (
    Field,
    assign,
    binary,
    call,
    constant,
    free,
    named,
    number,
    outside_expressions,
    rebuilt,
    whole,
)
from hamletc.language import syntax
from hamletc.language.declared import in_braces
from hamletc.language.words import AMONG

MOST_CELLS = 65_536
"""The most cells of a grid on which affordances move."""
LONGEST_PERIOD = 1_000_000
LONGEST_CHAIN = 64
"""The most values among which one is chosen by asking for one number after the other; of more, halves are asked for."""
Parts: TypeAlias = "list[syntax.MeterDecl | syntax.RuleDecl]"
SpaceOf: TypeAlias = Callable[[tuple[syntax.Decl, ...], Places], tuple[Space | None, tuple[Diagnostic, ...]]]
"""Resolves the space that is declared; `None` where there is none, or where it has errors, which then follow."""


def moving_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places, space_of: SpaceOf
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations with rules that move what moves, and what is wrong."""
    problems = list(_elsewhere(declarations, places))
    heads = [item for item in declarations if isinstance(item, syntax.AffordanceDecl) and _moves(item)]
    if problems or not heads:
        return declarations, tuple(problems)
    space, wrong = space_of(declarations, places)
    if wrong:
        return declarations, wrong
    room = None if space is None or isinstance(space, NoSpace) else Room.of(space)
    problems = [each for head in heads for each in _problems(head, room, places)]
    if problems or room is None:
        return declarations, tuple(problems)
    moved = {id(head): _moving(head, room) for head in heads}
    return tuple(moved.get(id(item), item) for item in declarations), ()


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of the space, with the least and the greatest of its coordinates."""

    name: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Room:
    """The space as what moves in it sees it.

    Attributes:
        whole: whether coordinates are whole numbers.
        leads: of a graph, whose one axis has the numbers of its nodes, those to which each leads; `None` elsewhere.
        drawn: the map of a grid.
    """

    axes: tuple[Axis, ...]
    whole: bool
    edges: Edges
    metric: CellMetric
    leads: Mapping[str, tuple[int, ...]] | None = None
    drawn: Map | None = None

    @classmethod
    def of(cls, space: Grid | Continuous) -> Room:
        """What moves in a space sees of it. What wanders on squares takes a step along an axis, whatever the metric."""
        match space:
            case Grid(graph=Graph(nodes=nodes)):
                numbers = {node.name: number for number, node in enumerate(nodes)}
                leads = {node.name: tuple(sorted(numbers[other] for other in node.leads)) for node in nodes}
                return cls((Axis("x", 0, len(nodes) - 1),), True, space.edges, "manhattan", leads)
            case Grid(sizes=sizes):
                axes = tuple(Axis(name, 0, size - 1) for name, size in zip(axis_names(len(sizes)), sizes, strict=True))
                metric: CellMetric = "hexagonal" if is_hexagonal(space) else "manhattan"
                return cls(axes, True, space.edges, metric, drawn=space.map)
            case Continuous():
                ends = zip(axis_names(len(space.axes)), space.axes, strict=True)
                return cls(
                    tuple(Axis(name, axis.low, axis.high) for name, axis in ends), False, space.edges, "manhattan"
                )

    @property
    def ways(self) -> tuple[tuple[int, ...], ...]:
        """What leads to the cells beside one, a number per axis."""
        return sides(len(self.axes), self.metric)

    def coordinates(self, spot: syntax.Spot) -> tuple[float, ...] | None:
        """Those of a place; `None` where there is none such. Of what begins elsewhere in other levels, one of these."""
        spot = spot.place if isinstance(spot, syntax.StartsAt) else spot
        if isinstance(spot, syntax.Name):
            known = () if self.leads is None else tuple(self.leads)
            return (float(known.index(spot.text)),) if spot.text in known else None
        if self.leads is not None:
            return None
        if isinstance(spot, syntax.Quoted):
            rows = () if self.drawn is None else self.drawn.rows
            cells = [(x, y) for y, row in enumerate(rows) for x, each in enumerate(row) if each == spot.text]
            return (float(cells[0][0]), float(cells[0][1])) if len(cells) == 1 else None
        found = tuple(x for each in spot if (x := constant(each)) is not None)
        inside = all(axis.low <= x <= axis.high for axis, x in zip(self.axes, found, strict=False))
        fits = len(found) == len(spot) == len(self.axes) and (not self.whole or all(x == int(x) for x in found))
        return found if inside and fits else None


def _moves(head: syntax.AffordanceDecl) -> bool:
    return isinstance(head.place, syntax.StartsAt) or any(_is_moved(item) for item in head.items)


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
    taken = frozenset(item.name.text for item in head.items if isinstance(item, syntax.MeterDecl | syntax.RuleDecl))
    moving, span, kept = _Moving(room, taken), head.name.span, list[syntax.AffordanceItem]()
    for item in head.items:
        match item:
            case syntax.FollowsItem():
                kept += moving.route(item)
                head = replace(head, place=item.stops[0], place_span=item.span)
            case syntax.WandersItem():
                kept += moving.wandering(item)
            case syntax.RuleDecl():
                kept.append(moving.tree(item))
            case _:
                kept.append(item)
    begins: tuple[syntax.Expr | None, ...] = (None,) * len(room.axes)
    if isinstance(head.place, syntax.StartsAt):
        begins, head = head.place.coordinates, replace(head, place=head.place.place, elsewhere=True)
    meters = tuple(moving.coordinate(axis, start, span) for axis, start in zip(room.axes, begins, strict=True))
    names = tuple(in_braces(replace(meter.name, span=span), head.name.text) for meter in meters)
    return replace(head, items=(*meters, *kept), moving=names)


@dataclass(frozen=True, slots=True)
class _Moving:
    """Writes out how an affordance moves in a space. `taken` are the names of what its author declares in its braces:
    what is written out beside that has others."""

    room: Room
    taken: frozenset[str]

    def _own(self, name: str, span: Span) -> syntax.Bound:
        """The name of a meter that the affordance gets."""
        return syntax.Bound(free(name, self.taken), span, True, "own")

    def _counted(self, name: str, most: int, span: Span) -> syntax.MeterDecl:
        """A meter that counts from 0 to `most`."""
        return whole(free(name, self.taken), 0, most, number(0, span), span)

    def _rule(self, name: str, body: list[syntax.Stmt], span: Span) -> syntax.RuleDecl:
        return syntax.RuleDecl(syntax.Name(free(name, self.taken), span), None, tuple(body), span, True)

    def _position(self, axis: Axis, span: Span) -> syntax.Bound:
        return self._own(f"position {axis.name}", span)

    def coordinate(self, axis: Axis, start: syntax.Expr | None, span: Span) -> syntax.MeterDecl:
        """The meter that says where the affordance is along an axis; it begins where the layout puts it, or with a
        start value."""
        low, high, name = number(axis.low, span), number(axis.high, span), self._position(axis, span).text
        state = syntax.StateSpec("int" if self.room.whole else "real", (), span, "compiler")
        return syntax.MeterDecl(named(name, span), start or low, (low, high), (), span, state)

    def _waits(self, period: int, span: Span) -> tuple[Parts, list[syntax.Stmt], syntax.Expr | None]:
        """What counts ticks, and the condition under which it is time to move; nothing where that is in every tick."""
        if period == 1:
            return [], [], None
        ticks = self._own("ticks", span)
        following = binary("+", ticks, number(1, span), span)
        counts = assign(ticks, "=", call("mod", following, number(period, span), span=span), span)
        return [self._counted("ticks", period - 1, span)], [counts], binary("==", ticks, number(0, span), span)

    def route(self, item: syntax.FollowsItem) -> Parts:
        """From each stop to the next, and from the last to the first."""
        span, count = item.span, len(item.stops)
        parts, body, time = self._waits(_period(item.period), span)
        parts.append(self._counted("stop", count - 1, span))
        stop, one = self._own("stop", span), number(1, span)
        following = binary("+", stop, one if time is None else syntax.WhenExpr(one, time, span), span)
        body.append(assign(stop, "=", call("mod", following, number(count, span), span=span), span))
        spots = [self._coordinates(stop, span) for stop in item.stops]
        for axis, where in zip(self.room.axes, zip(*spots, strict=True), strict=True):
            there = _chosen(stop, list(where), span)
            body.append(assign(self._position(axis, span), "=", there, span))
        return [*parts, self._rule("route", body, span)]

    def _coordinates(self, stop: syntax.Spot, span: Span) -> tuple[syntax.Expr, ...]:
        """Where a stop is."""
        if isinstance(stop, syntax.StartsAt):
            return stop.coordinates
        return tuple(number(x, span) for x in self.room.coordinates(stop) or ())

    def wandering(self, item: syntax.WandersItem) -> Parts:
        """A step to one of the cells beside, or along one of the edges, each as likely."""
        span, room = item.span, self.room
        parts, body, time = self._waits(_period(item.period), span)
        if room.leads is not None:
            here = self._position(room.axes[0], span)
            there = _chosen(here, [_one_of(n, leads, span) for n, leads in enumerate(room.leads.values())], span)
            body.append(assign(here, "=", there if time is None else syntax.IfExpr(time, there, here, span), span))
        else:
            ways = len(room.ways)
            parts.append(self._counted("way", ways - 1, span))
            drawn = call("integer", number(0, span), number(ways - 1, span), span=span)
            body.append(assign(self._own("way", span), "=", drawn, span))
            for which, axis in enumerate(room.axes):
                by = self._along(which, span)
                by = by if time is None else syntax.IfExpr(time, by, number(0, span), span)
                body.append(self._step(axis, "+=", by, span))
        return [*parts, self._rule("wandering", body, span)]

    def _along(self, axis: int, span: Span) -> syntax.Expr:
        """How far a way leads along an axis: those on minus those back."""
        ways = self.room.ways
        on, *more = (self._if_way(way, span) for way, step in enumerate(ways) if step[axis] > 0)
        for each in more:
            on = binary("+", on, each, span)
        for way in (way for way, step in enumerate(ways) if step[axis] < 0):
            on = binary("-", on, self._if_way(way, span), span)
        return on

    def _if_way(self, way: int, span: Span) -> syntax.Expr:
        return syntax.WhenExpr(number(1, span), binary("==", self._own("way", span), number(way, span), span), span)

    def _step(self, axis: Axis, op: Literal["+=", "-=", "="], value: syntax.Expr, span: Span) -> syntax.AssignStmt:
        """A statement that writes a position, with the edges of the space."""
        position, low, high = self._position(axis, span), number(axis.low, span), number(axis.high, span)
        edges = self.room.edges
        if op == "=" or edges == "clamp":
            return assign(position, op, value, span)
        there = binary("+" if op == "+=" else "-", position, value, span)
        if edges == "sticky":
            inside = binary("and", binary(">=", there, low, span), binary("<=", there, high, span), span)
            return assign(position, "=", syntax.IfExpr(inside, there, position, span), span)
        past = there if axis.low == 0 else binary("-", there, low, span)
        length = number(axis.high - axis.low, span)
        if edges == "wrap":
            past = call("mod", past, number(axis.high - axis.low + self.room.whole, span), span=span)
        else:
            left = binary("-", length, call("abs", past, span=span), span)
            past = binary("-", length, call("abs", left, span=span), span)
        return assign(position, "=", past if axis.low == 0 else binary("+", low, past, span), span)

    def tree(self, node: Any, _: Field | None = None) -> Any:
        """A node of a rule of the affordance, in which its positions are those meters."""
        axes = {axis.name: axis for axis in self.room.axes}
        match node:
            case syntax.PushStmt(axis=axis, op=op, value=value, what="position") if axis.text in axes:
                return self._step(axes[axis.text], op, self.tree(value), node.span)
            case syntax.AxisExpr(quantity="position", axis=axis) if axis.text in axes:
                return self._position(axes[axis.text], node.span)
            case syntax.CallExpr(function=function) if function.text in AMONG:
                return node  # there a position is an agent's
            case _:
                return rebuilt(node, self.tree)


def _chosen(meter: syntax.Name, values: list[syntax.Expr], span: Span) -> syntax.Expr:
    """The value whose number the meter has."""

    def among(first: int, last: int) -> syntax.Expr:
        if last - first > LONGEST_CHAIN:
            middle = (first + last) // 2
            below = binary("<", meter, number(middle, span), span)
            return syntax.IfExpr(below, among(first, middle), among(middle, last), span)
        found = values[last - 1]
        for which in reversed(range(first, last - 1)):
            is_it = binary("==", meter, number(which, span), span)
            found = syntax.IfExpr(is_it, values[which], found, span)
        return found

    return among(0, len(values))


def _one_of(node: int, leads: tuple[int, ...], span: Span) -> syntax.Expr:
    """One of the nodes to which this one leads; itself where it leads to none."""
    if len(leads) > 1:
        return call("choice", *(number(other, span) for other in leads), span=span)
    return number(leads[0] if leads else node, span)


def _period(period: syntax.Signed | None) -> int:
    return 1 if period is None else int(constant(period) or 1)


# --- what can be wrong -----------------------------------------------------------------------------------------------


def _elsewhere(declarations: tuple[syntax.Decl, ...], places: Places) -> Iterator[Diagnostic]:
    """Positions that something else than a rule of an affordance would write."""
    heads = (item for item in declarations if isinstance(item, syntax.AffordanceDecl))
    rules = (item for head in heads for item in head.items if isinstance(item, syntax.RuleDecl))
    own = {id(step) for rule in rules for step in _steps(rule)}
    for step in _steps(declarations):
        if id(step) not in own:
            yield places.told(messages.moving.PositionWritten(step.span, step.axis.text))


def _problems(head: syntax.AffordanceDecl, room: Room | None, places: Places) -> Iterator[Diagnostic]:
    name = head.name.text
    if room is None:
        yield places.told(messages.moving.MovesWithoutSpace(head.name.span, name))
        return
    cells = prod(int(axis.high) + 1 for axis in room.axes) if room.whole else 1
    if cells > MOST_CELLS:
        yield places.told(messages.moving.MovesOnTooManyCells(head.name.span, cells, MOST_CELLS))
    short = [axis.name for axis in room.axes if axis.low == axis.high]
    if short and isinstance(head.place, syntax.StartsAt):
        yield places.told(messages.levels.LevelsOfOneRow(head.name.span, name, short[0]))
    elif short:
        yield places.told(messages.moving.MovesOnOneCell(head.name.span, name, short[0]))
    ways = [item for item in head.items if isinstance(item, syntax.FollowsItem | syntax.WandersItem)]
    for item in ways[1:]:
        yield places.told(messages.moving.TwoWays(item.span, name))
    for item in ways[:1]:
        yield from _wrong_way(head, item, room, places)
    for step in _steps(tuple(item for item in head.items if isinstance(item, syntax.RuleDecl))):
        if room.leads is not None:
            yield places.told(messages.moving.PositionOnGraph(step.span))
        elif step.axis.text not in {axis.name for axis in room.axes}:
            axes = tuple(axis.name for axis in room.axes)
            yield places.told(messages.names.NoAxis(step.axis.span, step.axis.text, axes, None))


def _wrong_way(
    head: syntax.AffordanceDecl, item: syntax.FollowsItem | syntax.WandersItem, room: Room, places: Places
) -> Iterator[Diagnostic]:
    name, period = head.name.text, 1.0 if item.period is None else constant(item.period)
    if item.period is not None and (period is None or period != int(period) or not 1 <= period <= LONGEST_PERIOD):
        yield places.told(messages.moving.PeriodOutsideLimits(item.period.span, name, LONGEST_PERIOD))
    if isinstance(item, syntax.WandersItem):
        has_walls = room.drawn is not None and room.drawn.walls != ""
        if not room.whole or has_walls:
            where: Literal["between walls", "in a continuous space"]
            where = "between walls" if has_walls else "in a continuous space"
            yield places.told(messages.moving.CannotWander(item.span, name, where))
        return
    if head.place_span is not None:
        yield places.told(messages.moving.PlaceBesideRoute(head.place_span, name))
    if len(item.stops) < 2:
        yield places.told(messages.moving.OneStop(item.span, name))
    for which, stop in enumerate(item.stops):
        if room.coordinates(stop) is None:
            yield places.told(messages.moving.StopOutsideSpace(item.span, name, which + 1))
