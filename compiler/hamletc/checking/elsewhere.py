"""Values of a cell that one names by its coordinates: `moss at (x, y)`, `wall at (x, y)`, `on forest at (x, y)`; and of
the agents on it: `count(c) at (x, y)`."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import cast

from hamlet import schema, universe
from hamlet.universe import Expression, Span
from hamletc import messages
from hamletc.checking.around import counted_there, steps_to
from hamletc.checking.asking import Asking
from hamletc.checking.standpoint import Resolver, Scope, Standpoint
from hamletc.checking.symbols import is_word
from hamletc.intervals import Interval
from hamletc.language import syntax
from hamletc.language.words import AMONG


class Elsewhere:
    """Resolves what the expressions of one declaration ask of cells by their coordinates."""

    def __init__(self, at: Standpoint, resolver: Resolver) -> None:
        self._at = at
        self._resolver = resolver
        self._asking = Asking(at, resolver)

    def value(self, expr: syntax.AtExpr) -> Expression | None:
        """A number, or a condition; of a state that is none of several options."""
        read, spec = self.held(expr), self._at.names.state(expr.value)
        if read is None or spec is None or spec.kind != "bool":
            return read
        return universe.Binary(">", read, universe.Number(0.0, expr.span), expr.span)

    def held(self, expr: syntax.AtExpr) -> Expression | None:
        """The number that a state of the cell is, or anything else that it has."""
        if not self._can_be_named(expr):
            return None
        call = expr.value
        if is_word(call, "solid") and self._at.names.value_kind(cast(syntax.Name, call)) is None:
            return self._solid(expr)
        if isinstance(call, syntax.CallExpr) and call.function.text in AMONG and not call.function.quoted:
            return self._counted(expr, call)
        operand = self._operand(expr.value)
        place = [self._resolver.number(coordinate) for coordinate in expr.place]
        coordinates = tuple(each for each in place if each is not None)
        if operand is None or len(coordinates) < len(place):
            return None
        read: Expression = universe.At(operand, coordinates, expr.span)
        if isinstance(operand, universe.Wall):
            read = wall_there(coordinates, self._at, expr.span)
        if all(universe.owners(read)):
            self._at.report.add(messages.elsewhere.BetweenAgents(expr.span))
            return None
        return read

    def number_of_cell(self, expr: syntax.CellExpr) -> Expression | None:
        """The number of a cell from 1 on; 0 where there is none with these coordinates, or a wall of a map."""
        space, span = self._at.names.space, expr.span
        if not isinstance(space, universe.Grid) or (expr.place and not self._can_be_named(expr)):
            return None
        own = [universe.Coordinate(axis, span) for axis in schema.axis_names(len(space.sizes))]
        place = [self._resolver.number(coordinate) for coordinate in expr.place] or own
        coordinates = tuple(each for each in place if each is not None)
        if len(coordinates) < len(place):
            return None
        number, stride = _number(1, span), 1
        for size, along in zip(space.sizes, coordinates, strict=True):
            if expr.place and space.edges == "wrap":
                along = universe.Binary("mod", along, _number(size, span), span)
            number = universe.Binary("+", number, universe.Binary("*", _number(stride, span), along, span), span)
            stride *= size
        if not expr.place:
            return number
        nowhere = universe.At(universe.Wall(span), coordinates, span)
        return universe.If(nowhere, _number(0, span), number, span)

    def _solid(self, expr: syntax.AtExpr) -> Expression | None:
        """Whether the cell at these coordinates is solid, on the state that the tick began with up to step 5."""
        names, span = self._at.names, expr.span
        coordinates = [each for each in map(self._resolver.number, expr.place) if each is not None]
        if names.solid is None:
            if not names.says_solid:
                self._at.report.add(messages.elsewhere.NothingSolid(expr.value.span))
            return None
        if len(coordinates) < len(expr.place):
            return None
        place = tuple(coordinates)
        past = self._at.whose in ("cell", "world") and self._at.scope != "previous"
        within = universe.Unary("not", universe.At(universe.Wall(span), place, span), span)
        return universe.Binary("and", within, _there(names.solid, place, past=past), span)

    def _counted(self, expr: syntax.AtExpr, call: syntax.CallExpr) -> Expression | None:
        """How many agents on the cell fulfil a condition, or what a number of theirs adds up to: that of all agents
        whose coordinates are those of the cell."""
        at, space, op = self._at, self._at.names.space, call.function.text
        if op not in ("count", "total"):
            at.report.add(messages.elsewhere.NotCountedAtCell(call.span, op))
            return None
        asked = self._asking.among(call)
        if at.whose == "cell":
            return None if asked is None else self._counted_by_cell(expr, asked)
        place = [self._own(coordinate) for coordinate in expr.place]
        coordinates = [each for each in place if each is not None]
        if not isinstance(asked, universe.Among) or len(coordinates) < len(place):
            return None
        assert isinstance(space, universe.Grid)
        there: list[Expression] = []
        for axis, size, wanted in zip(schema.axis_names(len(space.sizes)), space.sizes, coordinates, strict=True):
            if isinstance(wanted, universe.Number) and space.edges != "wrap" and not 0 <= wanted.value < size:
                where = Interval(wanted.value, wanted.value)
                at.report.add(messages.elsewhere.NeverThere(wanted.span, wanted, where, size - 1))
                return None
            at.names.coordinates.append(wanted)
            if space.edges == "wrap":
                wanted = universe.Binary("mod", wanted, universe.Number(float(size), expr.span), wanted.span)
            if any(universe.owners(wanted)):
                wanted = universe.Own(wanted, wanted.span)
            there.append(universe.Binary("==", universe.Coordinate(axis, wanted.span), wanted, wanted.span))
        on_cell = reduce(lambda one, other: universe.Binary("and", one, other, expr.span), there)
        if op == "total":
            value = universe.If(on_cell, asked.operand, universe.Number(0.0, expr.span), expr.span)
            return universe.Among("total", value, expr.span)
        everybody = isinstance(asked.operand, universe.Truth)
        condition = on_cell if everybody else universe.Binary("and", on_cell, asked.operand, expr.span)
        return universe.Among("count", condition, expr.span)

    def _counted_by_cell(self, expr: syntax.AtExpr, asked: Expression) -> Expression | None:
        """What is asked of the agents on a cell that is always as far from this one."""
        space = self._at.names.space
        place = [self._resolver.number(coordinate) for coordinate in expr.place]
        coordinates = [each for each in place if each is not None]
        if not isinstance(space, universe.Grid) or len(coordinates) < len(place):
            return None
        by = steps_to(coordinates, space)
        if by is None or not isinstance(asked, universe.Upon):
            self._at.report.add(messages.elsewhere.CountedByCells(expr.span))
            return None
        return counted_there(asked, by, space)

    def _own(self, coordinate: syntax.Expr) -> Expression | None:
        """A coordinate of the cell whose agents are counted: that of the agent who asks, or of the world."""
        at = self._at
        if at.whose == "agent":
            scope: Scope = "among" if at.scope == "ending" else "early among"
            return self._resolver.inside(scope, asker="itself").number(coordinate)
        value = self._resolver.number(coordinate)
        if value is not None and any(universe.owners(value)):
            at.report.add(messages.elsewhere.DrawnForEach(value.span))
            return None
        return value

    def _can_be_named(self, expr: syntax.AtExpr | syntax.CellExpr) -> bool:
        """Whether there are cells with as many coordinates, and expressions that stand here may name one."""
        at, space = self._at, self._at.names.space
        if at.of_others:
            at.not_beside("`at`", expr.span)
            return False
        if at.whose in ("places", "opening"):
            at.report.add(messages.elsewhere.NotNamedHere(expr.span))
            return False
        if space is None:
            return False
        if not isinstance(space, universe.Grid):
            at.report.add(messages.elsewhere.NoCells(expr.span, space.span))
            return False
        if len(expr.place) != len(space.sizes):
            at.report.add(messages.elsewhere.OtherAxes(expr.span, len(expr.place), len(space.sizes), space.span))
            return False
        return True

    def _operand(self, value: syntax.Expr) -> Expression | None:
        """The quantity that is read of the cell."""
        names = self._at.names
        match value:
            case syntax.Name() if names.means(value, "cell meter"):
                return universe.CellValue(value.text, value.span)
            case syntax.Name() if names.means(value, "terrain"):
                return universe.TerrainValue(value.text, value.span)
            case syntax.Name() if is_word(value, "wall") and names.value_kind(value) is None:
                return universe.Wall(value.span)
            case syntax.OnExpr(region=region) if names.means(region, "region") or not names.of_kind("node"):
                found = names.find(region, "region")
                return None if found is None else universe.On(found, value.span)
            case syntax.Name() if names.value_kind(value) is None and not names.means(value, "effect"):
                names.refuse(value, "what a cell has", (*names.of_kind("cell meter", "terrain"), "wall", "solid"))
            case _:
                self._at.report.add(messages.elsewhere.NotOfCell(value.span, value))
        return None


def _number(value: int, span: Span) -> Expression:
    return universe.Number(float(value), span)


def wall_there(place: tuple[Expression, ...], at: Standpoint, span: Span) -> Expression:
    """Whether the cell at these coordinates is a wall, on the state that the tick began with up to step 5."""
    of_map: Expression = universe.At(universe.Wall(span), place, span)
    if at.names.wall is None:
        return of_map
    past = at.whose in ("cell", "world") and at.scope != "previous"
    return universe.Binary("or", of_map, _there(at.names.wall, place, past=past), span)


def _there(tree: Expression, place: tuple[Expression, ...], *, past: bool) -> Expression:
    """A condition of the cell at these coordinates; `past`: where what the world has is what the tick began with."""

    def there(part: Expression) -> Expression:
        return _there(part, place, past=past)

    match tree:
        case universe.CellValue() | universe.TerrainValue() | universe.On():
            return universe.At(tree, place, tree.span)
        case universe.WorldValue() if past:
            return universe.Previous(tree, tree.span)
        case universe.Unary(operand=operand):
            return replace(tree, operand=there(operand))
        case universe.Binary(left=left, right=right):
            return replace(tree, left=there(left), right=there(right))
        case universe.Clamp(operand=operand, low=low, high=high):
            return replace(tree, operand=there(operand), low=there(low), high=there(high))
        case universe.If(condition=condition, then=then, otherwise=otherwise):
            return replace(tree, condition=there(condition), then=there(then), otherwise=there(otherwise))
        case _:
            return tree
