"""From grammar rules to the syntax tree: one method per rule, called by the parser as it reduces.

Arguments are what the rule matched, in order: tokens, nodes, and `None` for an optional part that is absent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, cast

from hamletc.language import syntax
from hamletc.language.declarations import Declarations
from hamletc.language.forms import Parsed, Slot, forms_of, nodes_with_forms
from hamletc.language.pieces import (
    BRACES,
    NAMES,
    PARENTHESES,
    Leaf,
    Pieces,
    apart,
    every,
    is_token,
    lasting,
    name_of,
    nodes,
    span_of,
)
from hamletc.language.spelling import spell_expression

_CALLED = PARENTHESES | {"over", "cells"}
_INDEXED = frozenset("[,]")


class Builder(Declarations):
    """The methods have the names of the rules in grammar.lark."""

    def start(
        self, universe: Leaf, name: Leaf, extends: Leaf | None, path: Leaf | None, *declarations: syntax.Decl
    ) -> syntax.File:
        base = None if path is None else syntax.Base(path.text[1:-1], span_of(extends, path))
        return syntax.File(name_of(name), declarations, span_of(universe, name, path, *declarations), base)

    # --- what forms have in them ---

    def listed(self, *pieces: Any) -> Pieces:
        """Several of a kind, in braces or with commas between them."""
        return Pieces(tuple(_value(p) for p in pieces if not is_token(p, BRACES | PARENTHESES)), span_of(*pieces))

    def phrase(self, *words: Leaf) -> Leaf:
        """Several words that are one."""
        return Leaf("", " ".join(word.text for word in words), span_of(*words))

    def duration(self, ticks: syntax.Signed, unit: Leaf) -> Pieces:
        return Pieces((lasting(ticks, unit),), span_of(ticks, unit))

    def lasting(self, ticks: syntax.Signed | Leaf, unit: Leaf | None = None) -> Pieces:
        lasts = name_of(ticks) if isinstance(ticks, Leaf) else lasting(ticks, unit)
        return Pieces((lasts,), span_of(ticks, unit))

    # --- expressions ---

    def if_expression(
        self, keyword: Leaf, condition: syntax.Expr, _then: Leaf, then: syntax.Expr, _else: Leaf, last: syntax.Expr
    ) -> syntax.IfExpr:
        return syntax.IfExpr(condition, then, last, span_of(keyword, last))

    def when(self, value: syntax.Expr, _when: Leaf, condition: syntax.Expr) -> syntax.WhenExpr:
        return syntax.WhenExpr(value, condition, span_of(value, condition))

    def binary(self, left: syntax.Expr, op: Leaf, right: syntax.Expr) -> syntax.BinaryExpr:
        return syntax.BinaryExpr(cast(Any, op.text), left, right, op.span, span_of(left, right))

    def unary(self, op: Leaf, operand: syntax.Expr) -> syntax.UnaryExpr:
        return syntax.UnaryExpr(cast(Any, op.text), operand, span_of(op, operand))

    def parentheses(self, left: Leaf, inner: syntax.Expr, right: Leaf) -> syntax.Expr:
        """The expression itself, its span widened to the parentheses; a name or number keeps its own."""
        return inner if isinstance(inner, syntax.Name | syntax.Numeral) else replace(inner, span=span_of(left, right))

    def call(self, function: Leaf, *rest: Any) -> syntax.CallExpr:
        return syntax.CallExpr(name_of(function), nodes(rest, _CALLED), span_of(function, *rest))

    def index(self, table: Leaf, *rest: Any) -> syntax.IndexExpr:
        return syntax.IndexExpr(name_of(table), nodes(rest, _INDEXED), span_of(table, *rest))

    def over_cells(self, function: Leaf, *rest: Any) -> syntax.CallExpr:
        return replace(self.call(function, *rest), over_cells=True)

    def over_each(self, function: Leaf, *rest: Any) -> syntax.CallExpr:
        *call, each = rest
        return syntax.CallExpr(name_of(function), nodes(call, _CALLED | {"over"}), span_of(function, each), each=each)

    def each_of_one(self, name: Leaf, _in: Leaf, first: syntax.Signed, to: Leaf, last: syntax.Signed) -> syntax.Each:
        return syntax.Each((name_of(name),), (self.in_step(self.series(first, to, last)),), span_of(name, last))

    def each_of_several(self, *pieces: Any) -> syntax.Each:
        names, lists = apart(pieces, NAMES, syntax.SeriesList, fixed=PARENTHESES | {"in"})
        return syntax.Each(tuple(map(name_of, names)), lists, span_of(*pieces))

    def each_in_step(self, *pieces: Any) -> syntax.Each:
        return self.each_of_several(*pieces)

    def in_step(self, series: syntax.Series | syntax.SeriesList) -> syntax.SeriesList:
        return series if isinstance(series, syntax.SeriesList) else syntax.SeriesList((series,), series.span)

    def series_list(self, *pieces: Any) -> syntax.SeriesList:
        return syntax.SeriesList(every(syntax.Series, pieces, PARENTHESES), span_of(*pieces))

    def given_list(self, *pieces: Any) -> syntax.SeriesList:
        listed = nodes(pieces, PARENTHESES)
        series = (each if isinstance(each, syntax.Series) else _one(each) for each in listed)
        return syntax.SeriesList(tuple(series), span_of(*pieces))

    def series(self, first: syntax.Signed, _to: Leaf | None, last: syntax.Signed | None) -> syntax.Series:
        return syntax.Series(first, last, span_of(first, last))

    def call_within(self, function: Leaf, *rest: Any) -> syntax.CallExpr:
        *arguments, _comma, _within, radius, right = rest
        return replace(self.call(function, *arguments, right), within=radius)

    def weighted(self, value: syntax.Expr, _colon: Leaf, weight: syntax.Expr) -> syntax.WeightedExpr:
        return syntax.WeightedExpr(value, weight, span_of(value, weight))

    def distance(self, way: Leaf | None, keyword: Leaf, _to: Leaf, affordance: syntax.Name) -> syntax.DistanceExpr:
        how = None if way is None else cast(Any, way.text)
        return syntax.DistanceExpr(affordance, how, span_of(way, keyword, affordance))

    def axis(self, quantity: Leaf, axis: syntax.Name) -> syntax.AxisExpr:
        return syntax.AxisExpr(cast(Any, quantity.text), axis, span_of(quantity, axis))

    def on(self, keyword: Leaf, region: syntax.Name) -> syntax.OnExpr:
        return syntax.OnExpr(region, span_of(keyword, region))

    def coordinates(self, *pieces: Any) -> Pieces:
        return Pieces(nodes(pieces, PARENTHESES), span_of(*pieces))

    def toward(self, way: Leaf, cells: Leaf | None) -> syntax.Toward:
        far = None if cells is None else self.numeral(cells)
        return syntax.Toward(cast(Any, way.text), far, span_of(way, cells))

    def at_cell(self, name: Leaf, _at: Leaf, place: Pieces | syntax.Toward) -> syntax.AtExpr:
        return _there(name_of(name), place)

    def on_at_cell(self, keyword: Leaf, region: syntax.Name, _at: Leaf, place: Pieces | syntax.Toward) -> syntax.AtExpr:
        return _there(self.on(keyword, region), place)

    def of_at_cell(
        self, quantity: Leaf, of: Leaf, owner: syntax.Name, _at: Leaf, place: Pieces | syntax.Toward
    ) -> syntax.AtExpr:
        return _there(self.of(quantity, of, owner), place)

    def call_at_cell(self, function: Leaf, *rest: Any) -> syntax.AtExpr:
        *call, _at, place = rest
        return _there(self.call(function, *call), place)

    def streak(self, keyword: Leaf, _of: Leaf, affordance: syntax.Name) -> syntax.StreakExpr:
        return syntax.StreakExpr(affordance, span_of(keyword, affordance))

    def position_of(self, keyword: Leaf, axis: syntax.Name, _of: Leaf, owner: syntax.Name) -> syntax.OfExpr:
        quantity = syntax.Name(f"position {axis.text}", span_of(keyword, axis), quoted=True)
        return syntax.OfExpr(quantity, owner, span_of(keyword, owner))

    def of(self, quantity: Leaf, _of: Leaf, owner: syntax.Name) -> syntax.OfExpr:
        return syntax.OfExpr(name_of(quantity), owner, span_of(quantity, owner))

    def timed(self, keyword: Leaf, number: Leaf, unit: Leaf) -> syntax.TimedExpr:
        ticks = lasting(self.numeral(number), unit)
        return syntax.TimedExpr(cast(Any, keyword.text), ticks, span_of(keyword, unit))

    def at_hour(self, keyword: Leaf, _hour: Leaf, hour: syntax.Signed) -> syntax.AtHourExpr:
        return syntax.AtHourExpr(hour, span_of(keyword, hour))

    def quantity(self, number: Leaf, unit: Leaf) -> syntax.Numeral:
        return syntax.Numeral(number.text, span_of(number, unit), cast(Any, unit.text.removesuffix("s")))

    def numeral(self, number: Leaf) -> syntax.Numeral:
        return syntax.Numeral(number.text, number.span)

    def name(self, name: Leaf) -> syntax.Name:
        return name_of(name)

    def signed(self, minus: Leaf | None, number: Leaf) -> syntax.Signed:
        text, span = number.text if minus is None else f"-{number.text}", span_of(minus, number)
        if number.terminal != "NAME":
            return syntax.Signed(text, span)
        name = name_of(number)
        return syntax.Signed(text, span, name if minus is None else syntax.UnaryExpr("-", name, span))

    def cell(self, *pieces: Any) -> Pieces:
        return Pieces(every(syntax.Signed, pieces, PARENTHESES), span_of(*pieces))

    def interval(self, *pieces: Any) -> Pieces:
        return Pieces(every(syntax.Signed, pieces, PARENTHESES | {".."}), span_of(*pieces))

    def point(self, *pieces: Any) -> Pieces:
        return Pieces(nodes(pieces, PARENTHESES), span_of(*pieces))


def _one(value: syntax.Expr) -> syntax.Series:
    """One thing of a list."""
    return syntax.Series(syntax.Signed(spell_expression(value), value.span, value), None, value.span)


def _there(value: syntax.Expr, place: Pieces | syntax.Toward) -> syntax.AtExpr:
    """What stands before `at`, of the cell behind it."""
    span = span_of(value, place)
    if isinstance(place, syntax.Toward):
        return syntax.AtExpr(value, (), span, place)
    return syntax.AtExpr(value, place.items, span)


def _value(piece: Any) -> Any:
    return name_of(piece) if isinstance(piece, Leaf) else piece.items if isinstance(piece, Pieces) else piece


_BUILDER = Builder()


@cache
def maker(rule: str) -> Callable[..., Any]:
    """What makes one value of those of a rule: a method of `Builder`, or the form of a node. The rule of one of several
    forms has its number behind the name of the node: `start_decl_1`.

    Raises:
        KeyError: there is neither.
    """
    if hasattr(_BUILDER, rule):
        return cast(Callable[..., Any], getattr(_BUILDER, rule))
    name, _, number = rule.rpartition("_")
    name, number = (name, number) if number.isdigit() else (rule, "0")
    return formed(forms_of(nodes_with_forms()[name])[int(number)])


def formed(form: Parsed) -> Callable[..., Any]:
    """What makes a node of the values of the grammar rule of its form."""
    node, absent, length = form.node, form.absent, len(form.flat)
    slots = [(n, slot.field, slot.take) for n, slot in enumerate(form.flat) if isinstance(slot, Slot)]

    def made(*values: Any) -> Any:
        if len(values) != length:
            raise TypeError(f"the syntax tree has no place for {values[length:]}")
        fields = dict(absent)
        for n, field, take in slots:
            if (value := values[n]) is not None:
                fields[field] = take(value)
        return node(**fields, span=span_of(*values))

    return made
