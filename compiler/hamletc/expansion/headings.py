"""Agents with a heading: `moves turning`, and what is `ahead`. Which way an agent faces is a state `heading` with an
option for each direction; to turn and to go forward are own actions that write it and that go by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe import Span, nodes
from hamletc import messages
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.places import Copy, Places
from hamletc.expansion.trees import Field, assign, binary, every, free, number, rebuilt, word
from hamletc.language import syntax
from hamletc.language.declared import in_namespace

Directions: TypeAlias = Mapping[str, tuple[int, int]]

HEADING, TURNING = "heading", "turning"
LEFT, RIGHT, FORWARD = TURNING_MOVES = ("TURN_LEFT", "TURN_RIGHT", "FORWARD")
"""The actions of `moves turning`, in the order of their numbers."""
DIRECTIONS: Mapping[str, Directions] = MappingProxyType(
    {
        "grid": MappingProxyType({"east": (1, 0), "south": (0, 1), "west": (-1, 0), "north": (0, -1)}),
        "hexagons": MappingProxyType(
            {
                "east": (1, 0),
                "south_east": (0, 1),
                "south_west": (-1, 1),
                "west": (-1, 0),
                "north_west": (0, -1),
                "north_east": (1, -1),
            }
        ),
    }
)
"""By the kind of space, the headings that agents can have and the step that each is, to the right from one to the
next."""
_AXES = ("x", "y")


def headings_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations with what has to do with headings written out, and what is wrong with it."""
    space = next((item for item in declarations if isinstance(item, syntax.SpaceDecl)), None)
    turning = None if space is None else turning_of(space)
    asking = list(_asking(declarations))
    if space is None or (turning is None and not asking):
        return declarations, ()
    problems = list(_problems(space, turning, declarations, asking))
    if problems:
        return declarations, tuple(map(places.told, problems))
    known = in_namespace("value", declarations).get(HEADING)
    origin = known.span if known is not None else space.span if turning is None else turning.span
    headings = _Headings(DIRECTIONS[space.kind.text], origin, places)
    made = tuple(headings.tree(item) for item in declarations)
    return (made if turning is None else headings.turning(made, space, turning)), ()


def turning_of(space: syntax.SpaceDecl) -> syntax.MovesProperty | None:
    """`moves turning` among the properties of a space."""
    properties = (item for item in space.properties if isinstance(item, syntax.MovesProperty))
    return next((item for item in properties if item.value.text == TURNING), None)


def _asking(declarations: tuple[syntax.Decl, ...]) -> Iterator[Span]:
    """Where something asks for what is ahead."""
    for node in nodes(declarations):
        match node:
            case syntax.AxisExpr(quantity="ahead") | syntax.Toward():
                yield node.span
            case _:
                pass


# --- what is wrong ---------------------------------------------------------------------------------------------------


def _problems(
    space: syntax.SpaceDecl,
    turning: syntax.MovesProperty | None,
    declarations: tuple[syntax.Decl, ...],
    asking: list[Span],
) -> Iterator[messages.headings.NoPlane | messages.headings.NoHeading | messages.headings.OtherHeading]:
    where = asking[0] if turning is None else turning.span
    drawn = any(isinstance(item, syntax.MapDecl) for item in declarations)
    if space.kind.text not in DIRECTIONS or (not drawn and len(space.sizes) != 2):
        yield messages.headings.NoPlane(where, space.span)
        return
    directions = tuple(DIRECTIONS[space.kind.text])
    known = in_namespace("value", declarations).get(HEADING)
    if known is None and turning is None:
        yield messages.headings.NoHeading(where, directions)
    if known is None:
        return
    options = () if known.state is None else tuple(option.text for option in known.state.options)
    if known.kind != "meter" or sorted(options) != sorted(directions):
        yield messages.headings.OtherHeading(known.span, directions, where)


# --- what is written out ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Headings:
    """Writes out what is ahead of agents that can face these directions, as is said at the `origin`."""

    directions: Directions
    origin: Span
    places: Places

    def tree(self, node: Any, _: Field | None = None) -> Any:
        """The node with everything below it."""
        match node:
            case syntax.AxisExpr(quantity="ahead", axis=axis, span=span):
                return self._step("ahead", axis, 1, self._made(span)) if axis.text in _AXES else node
            case syntax.AtExpr(toward=syntax.Toward() as toward):
                span = self._made(toward.span)
                there = (self._there(toward, axis, span) for axis in _named_axes(span))
                return replace(node, value=self.tree(node.value), place=tuple(there), toward=None)
            case syntax.PostStmt(toward=syntax.Toward() as toward):
                span = self._made(toward.span)
                there = (self._there(toward, axis, span) for axis in _named_axes(span))
                return replace(node, value=self.tree(node.value), place=tuple(there), toward=None)
            case syntax.MoveStmt(toward=syntax.Toward() as toward):
                span = self._made(toward.span)
                by = (self._step(toward.way, axis, _far(toward), span) for axis in _named_axes(span))
                return replace(node, by=tuple(by), toward=None)
            case _:
                return rebuilt(node, self.tree)

    def _made(self, span: Span) -> Span:
        """The place of what stands for something here, and that nobody wrote."""
        copy = Copy(span.file, self.origin, "written", "which way agents face", made=True)
        return replace(span, file=self.places.add(copy))

    def _there(self, toward: syntax.Toward, axis: syntax.Name, span: Span) -> syntax.Expr:
        """A coordinate of the cell in a direction."""
        own = syntax.AxisExpr("position", axis, span)
        return binary("+", own, self._step(toward.way, axis, _far(toward), span), span)

    def _step(self, way: str, axis: syntax.Name, far: float, span: Span) -> syntax.Expr:
        """How far a step in a direction leads along an axis, by the heading."""
        steps, turned = tuple(self.directions.values()), self._turned(way)
        chosen: syntax.Expr = number(0, span)
        for sign in (-1, 1):
            there = (steps[(place + turned) % len(steps)][_AXES.index(axis.text)] for place in range(len(steps)))
            facing = [
                self._faces(heading, span) for heading, by in zip(self.directions, there, strict=True) if by == sign
            ]
            chosen = syntax.IfExpr(every("or", facing, span), number(sign * far, span), chosen, span)
        return chosen

    def _turned(self, way: str) -> int:
        """How many turns to the right a direction is from what is ahead."""
        return {"ahead": 0, "right": 1, "behind": len(self.directions) // 2, "left": -1}[way]

    def _faces(self, heading: str, span: Span) -> syntax.Expr:
        return binary("==", _heading(span), syntax.Bound(heading, span, False, "option"), span)

    # --- moves ---

    def turning(
        self, declarations: tuple[syntax.Decl, ...], space: syntax.SpaceDecl, turning: syntax.MovesProperty
    ) -> tuple[syntax.Decl, ...]:
        """The declarations with the state and the actions that they lack, and rules for what going forward costs."""
        span = self._made(turning.span)
        made: list[syntax.Decl] = []
        if HEADING not in in_namespace("value", declarations):
            made.append(self._state(span))
        lists = [item for item in declarations if isinstance(item, syntax.ActionsDecl)]
        listed = {each.text for item in lists for each in item.actions} if lists else set(TURNING_MOVES)
        lacking = listed.difference(in_namespace("action", declarations))
        turns: tuple[tuple[str, Literal[-1, 1]], ...] = ((LEFT, -1), (RIGHT, 1))
        made += [self._turn(name, by, span) for name, by in turns if name in lacking]
        if FORWARD in lacking:
            made += self._forward(declarations, space, span)
        kept = declarations
        if FORWARD in listed:
            costs = _Costs(set(in_namespace("rule", declarations)))
            kept = tuple(part for item in declarations for part in costs.parts(item, self._made))
        place = kept.index(space) + 1
        return (*kept[:place], *made, *kept[place:])

    def _state(self, span: Span) -> syntax.MeterDecl:
        options = tuple(syntax.Name(heading, span) for heading in self.directions)
        state = syntax.StateSpec("options", options, span)
        return syntax.MeterDecl(syntax.Name(HEADING, span), options[0], None, (), span, state)

    def _turn(self, name: str, by: Literal[-1, 1], span: Span) -> syntax.ActionDecl:
        """An action that turns to the next heading."""
        headings = tuple(self.directions)
        following = [syntax.Bound(each, span, False, "option") for each in (*headings[by:], *headings[:by])]
        chosen: syntax.Expr = following[-1]
        for heading, then in reversed(list(zip(headings[:-1], following[:-1], strict=True))):
            chosen = syntax.IfExpr(self._faces(heading, span), then, chosen, span)
        return syntax.ActionDecl(syntax.Name(name, span), (assign(_heading(span), "=", chosen, span),), span)

    def _forward(
        self, declarations: tuple[syntax.Decl, ...], space: syntax.SpaceDecl, span: Span
    ) -> Iterator[syntax.ActionDecl | syntax.AllowDecl]:
        """The action that goes ahead, and its mask: off where a wall or an edge is there. With edges that bounce a step
        across one leads somewhere."""
        name = syntax.Name(FORWARD, span)
        by = tuple(self._step("ahead", axis, 1, span) for axis in _named_axes(span))
        yield syntax.ActionDecl(name, (syntax.MoveStmt(by, span),), span)
        masked = (item for item in declarations if isinstance(item, syntax.AllowDecl))
        bounces = any(
            isinstance(item, syntax.EdgesProperty) and item.value.text == "bounce" for item in space.properties
        )
        if bounces or any(each.text == FORWARD for item in masked for each in item.actions):
            return
        ahead = syntax.Toward("ahead", None, span)
        there = tuple(self._there(ahead, axis, span) for axis in _named_axes(span))
        wall = syntax.AtExpr(syntax.Bound("wall", span), there, span)
        is_open: syntax.Expr = syntax.UnaryExpr("not", wall, span)
        blocks = (item for item in declarations if isinstance(item, syntax.CellsDecl))
        if any(isinstance(item, syntax.SolidItem) for block in blocks for item in block.items):
            solid = syntax.AtExpr(syntax.Bound("solid", span), there, span)
            is_open = binary("and", is_open, syntax.UnaryExpr("not", solid, span), span)
        yield syntax.AllowDecl((name,), is_open, span)


@dataclass(frozen=True, slots=True)
class _Costs:
    """Writes out `move 0.01` of meters: a rule that takes it from who goes forward. `taken` are names of rules."""

    taken: set[str]

    def parts(self, item: Any, made: Callable[[Span], Span]) -> Iterator[Any]:
        """What stands for a declaration."""
        match item:
            case syntax.RoleDecl(items=(part,)):  # a part of a role stands for itself
                yield from (replace(item, items=(each,)) for each in self.parts(part, made))
            case syntax.MeterDecl(name=name, properties=properties) if (cost := _cost(item)) is not None:
                span = made(cost.span)
                yield replace(item, properties=tuple(each for each in properties if each is not cost))
                rule = free("FORWARD costs", self.taken)
                self.taken.add(rule)
                chosen = binary("==", word("action", span), syntax.Bound(FORWARD, span, True, "action"), span)
                taking = assign(replace(name, span=span), "-=", cost.value, span)
                yield syntax.RuleDecl(syntax.Name(rule, span, True), chosen, (taking,), span)
            case _:
                yield item


def _cost(meter: syntax.MeterDecl) -> syntax.MoveProperty | None:
    return next((item for item in meter.properties if isinstance(item, syntax.MoveProperty)), None)


def _heading(span: Span) -> syntax.Bound:
    return syntax.Bound(HEADING, span, True, "value")


def _named_axes(span: Span) -> tuple[syntax.Name, ...]:
    return tuple(syntax.Name(axis, span) for axis in _AXES)


def _far(toward: syntax.Toward) -> float:
    """How many cells away something is."""
    return 1.0 if toward.cells is None else float(toward.cells.text)
