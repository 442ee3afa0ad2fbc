"""From grammar rules to the syntax tree: one method per rule, called by the parser as it reduces.

Arguments are what the rule matched, in order: tokens, nodes, and `None` for an optional part that is absent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from lark import Token, Transformer, v_args

from hamlet.universe import Span
from hamletc.language import syntax

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Part:
    """Several nodes that become fields of the node above: bounds, a duration, a cell, the statements of a block."""

    items: tuple[Any, ...]
    span: Span


def _span(*pieces: Any) -> Span:
    """From the beginning of the first piece to the end of the last; absent ones do not count."""
    present = [piece for piece in pieces if piece is not None]
    first, last = (_token_span(p) if isinstance(p, Token) else p.span for p in (present[0], present[-1]))
    return Span(first.line, first.column, last.end_line, last.end_column)


def _token_span(token: Token) -> Span:
    return Span(cast(int, token.line), cast(int, token.column), cast(int, token.end_line), cast(int, token.end_column))


def _name(token: Token) -> syntax.Name:
    if token.startswith("`"):
        return syntax.Name(token[1:-1], _token_span(token), quoted=True)
    return syntax.Name(str(token), _token_span(token))


def _every(kind: type[T] | tuple[type[T], ...], pieces: tuple[Any, ...]) -> tuple[T, ...]:
    """The pieces of a kind, in order."""
    return tuple(piece for piece in pieces if isinstance(piece, kind))


@v_args(inline=True)
class Builder(Transformer[Token, syntax.File]):
    """The methods have the names of the rules in grammar.lark."""

    def start(self, universe: Token, name: Token, *declarations: syntax.Decl) -> syntax.File:
        return syntax.File(_name(name), declarations, _span(universe, name, *declarations))

    # --- space and time ---

    def space(self, keyword: Token, kind: Token, *rest: Any) -> syntax.SpaceDecl:
        sizes, properties = _every(syntax.Signed, rest), _every(syntax.Property, rest)
        bounds = tuple((interval.items[0], interval.items[1]) for interval in _every(Part, rest))
        return syntax.SpaceDecl(_name(kind), sizes, bounds, properties, _span(keyword, kind, *rest))

    def moves(self, keyword: Token, *rest: Any) -> syntax.MovesDecl:
        return syntax.MovesDecl(_every(syntax.MoveDef, rest), _span(keyword, *rest))

    def move_def(self, name: Token, cell: Part) -> syntax.MoveDef:
        return syntax.MoveDef(_name(name), cell.items, _span(name, cell))

    def beginning(self, keyword: Token, *rest: Any) -> syntax.StartDecl:
        velocity, speed = _every(Part, rest), _every(syntax.Signed, rest)
        cell = velocity[0].items if velocity else None
        return syntax.StartDecl(cell, speed[0] if speed else None, _span(keyword, *rest))

    def clock(self, keyword: Token, hours: syntax.Signed, unit: Token) -> syntax.ClockDecl:
        return syntax.ClockDecl(hours, _span(keyword, unit))

    def lifespan(self, keyword: Token, ticks: syntax.Signed, *rest: Any) -> syntax.LifespanDecl:
        return syntax.LifespanDecl(ticks, _every(syntax.Property, rest), _span(keyword, *rest))

    def no_lifespan(self, keyword: Token, forever: Token) -> syntax.LifespanDecl:
        return syntax.LifespanDecl(_name(forever), (), _span(keyword, forever))

    def episodes(self, keyword: Token, _by: Token, hand: Token) -> syntax.EpisodesDecl:
        return syntax.EpisodesDecl(_span(keyword, hand))

    def track(self, keyword: Token, uses: Token, _by: Token | None, by: Token | None) -> syntax.TrackDecl:
        return syntax.TrackDecl(None if by is None else _name(by), _span(keyword, uses, by))

    def inert(self, keyword: Token, allowed: Token) -> syntax.InertDecl:
        return syntax.InertDecl(_span(keyword, allowed))

    def property(self, key: Token, value: syntax.Expr) -> syntax.Property:
        return syntax.Property(_name(key), value, _span(key, value))

    # --- quantities ---

    def param(self, keyword: Token, name: Token, _is: Token, default: syntax.Expr, bounds: Part) -> syntax.ParamDecl:
        low, high = bounds.items
        return syntax.ParamDecl(_name(name), default, (low, high), _span(keyword, bounds))

    def input(self, keyword: Token, name: Token, _is: Token, default: syntax.Expr, bounds: Part) -> syntax.InputDecl:
        low, high = bounds.items
        return syntax.InputDecl(_name(name), default, (low, high), _span(keyword, bounds))

    def meter(
        self, keyword: Token, name: Token, _is: Token, start: syntax.Expr, bounds: Part | None, *rest: Any
    ) -> syntax.MeterDecl:
        limits = None if bounds is None else (bounds.items[0], bounds.items[1])
        properties = _every(syntax.Property, rest)
        return syntax.MeterDecl(_name(name), start, limits, properties, _span(keyword, start, bounds, *rest))

    def bounds(self, keyword: Token, low: syntax.Expr, _to: Token, high: syntax.Expr) -> Part:
        return Part((low, high), _span(keyword, high))

    # --- what happens every tick ---

    def rule(self, keyword: Token, name: Token, *rest: Any) -> syntax.RuleDecl:
        body = rest[-1]
        return syntax.RuleDecl(_name(name), None, _body(body), _span(keyword, *rest), _is_braced(body))

    def guarded_rule(
        self, keyword: Token, name: Token, _colon: Token, guard: syntax.Expr, _arrow: Token, body: Part | syntax.Stmt
    ) -> syntax.RuleDecl:
        return syntax.RuleDecl(_name(name), guard, _body(body), _span(keyword, body), _is_braced(body))

    def cascade(
        self, keyword: Token, name: Token, _colon: Token, guard: syntax.Expr, _arrow: Token, body: Part | syntax.Stmt
    ) -> syntax.CascadeDecl:
        return syntax.CascadeDecl(_name(name), guard, _body(body), _span(keyword, body), _is_braced(body))

    # --- what an agent can do ---

    def affordance(
        self,
        keyword: Token,
        name: Token,
        _at: Token | None,
        place: Part | None,
        hours: Part | None,
        duration: Part | None,
        *rest: Any,
    ) -> syntax.AffordanceDecl:
        ticks, together = (None, None) if duration is None else duration.items
        return syntax.AffordanceDecl(
            name=_name(name),
            place=None if place is None else place.items or None,
            place_span=None if place is None else place.span,
            hours=None if hours is None else (hours.items[0], hours.items[1]),
            duration=ticks,
            together=together,
            items=_every((syntax.NeedsItem, syntax.BlockItem), rest),
            span=_span(keyword, *rest),
        )

    def place(self, where: Token | Part) -> Part:
        return Part((), _token_span(where)) if isinstance(where, Token) else where

    def hours(self, keyword: Token, opens: syntax.Signed, _to: Token, closes: syntax.Signed) -> Part:
        return Part((opens, closes), _span(keyword, closes))

    def duration(self, keyword: Token, ticks: syntax.Signed | Token, *rest: Token | None) -> Part:
        *_, together = rest
        duration = _name(ticks) if isinstance(ticks, Token) else ticks
        return Part((duration, None if together is None else _token_span(together)), _span(keyword, ticks, *rest))

    def effect(self, *pieces: Any) -> syntax.BlockItem:
        *words, block = pieces
        kinds: dict[str, Any] = {"instantly": "instantly", "each": "each tick", "on": "on completion"}
        return syntax.BlockItem(kinds[str(words[0])], block.items, _span(words[0], block))

    def action(self, keyword: Token, name: Token, *rest: Any) -> syntax.ActionDecl:
        items = tuple(piece for piece in rest if not isinstance(piece, Token))
        return syntax.ActionDecl(_name(name), items, _span(keyword, *rest))

    def needs(self, keyword: Token, condition: syntax.Expr) -> syntax.NeedsItem:
        return syntax.NeedsItem(condition, _span(keyword, condition))

    def move(self, keyword: Token, cell: Part) -> syntax.MoveItem:
        return syntax.MoveItem(cell.items, _span(keyword, cell))

    def teleport(self, keyword: Token, cell: Part) -> syntax.TeleportItem:
        return syntax.TeleportItem(cell.items, _span(keyword, cell))

    def keeps(self, keyword: Token, progress: Token) -> syntax.KeepsItem:
        return syntax.KeepsItem(_span(keyword, progress))

    def allow(self, keyword: Token, *rest: Any) -> syntax.AllowDecl:
        *_, condition = rest
        names = tuple(_name(piece) for piece in _every(Token, rest) if piece.type == "NAME")
        return syntax.AllowDecl(names, condition, _span(keyword, condition))

    # --- what is seen and rewarded ---

    def dies(self, keyword: Token, _when: Token, condition: syntax.Expr) -> syntax.DiesDecl:
        return syntax.DiesDecl(condition, _span(keyword, condition))

    def reward(self, keyword: Token, value: syntax.Expr) -> syntax.RewardDecl:
        return syntax.RewardDecl(None, value, _span(keyword, value))

    def named_reward(self, keyword: Token, name: Token, _colon: Token, value: syntax.Expr) -> syntax.RewardDecl:
        return syntax.RewardDecl(_name(name), value, _span(keyword, value))

    def report(self, keyword: Token, name: Token, _colon: Token, value: syntax.Expr) -> syntax.ReportDecl:
        return syntax.ReportDecl(_name(name), value, _span(keyword, value))

    def observe(self, keyword: Token, *rest: Any) -> syntax.ObserveDecl:
        return syntax.ObserveDecl(_every(syntax.ObserveItem, rest), _span(keyword, *rest))

    def observation(self, kind: Token, *rest: Any) -> syntax.ObserveItem:
        words = tuple(_name(piece) for piece in _every(Token, rest) if piece.type == "NAME")
        return syntax.ObserveItem(_name(kind), words, _every(syntax.Signed, rest), _span(kind, *rest))

    # --- statements ---

    def block(self, *pieces: Any) -> Part:
        return Part(_every((syntax.AssignStmt, syntax.TogetherStmt), pieces), _span(*pieces))

    def assign(self, meter: Token, op: Token, value: syntax.Expr, unclamped: Token | None) -> syntax.AssignStmt:
        spared = None if unclamped is None else _token_span(unclamped)
        return syntax.AssignStmt(_name(meter), cast(Any, str(op)), value, spared, _span(meter, value, unclamped))

    def together(self, keyword: Token, block: Part) -> syntax.TogetherStmt:
        return syntax.TogetherStmt(block.items, _span(keyword, block))

    # --- expressions ---

    def if_expression(
        self, keyword: Token, condition: syntax.Expr, _then: Token, then: syntax.Expr, _else: Token, last: syntax.Expr
    ) -> syntax.IfExpr:
        return syntax.IfExpr(condition, then, last, _span(keyword, last))

    def when(self, value: syntax.Expr, _when: Token, condition: syntax.Expr) -> syntax.WhenExpr:
        return syntax.WhenExpr(value, condition, _span(value, condition))

    def binary(self, left: syntax.Expr, op: Token, right: syntax.Expr) -> syntax.BinaryExpr:
        return syntax.BinaryExpr(cast(Any, str(op)), left, right, _token_span(op), _span(left, right))

    def unary(self, op: Token, operand: syntax.Expr) -> syntax.UnaryExpr:
        return syntax.UnaryExpr(cast(Any, str(op)), operand, _span(op, operand))

    def parentheses(self, left: Token, inner: syntax.Expr, right: Token) -> syntax.Expr:
        """The expression itself, its span widened to the parentheses; a name or number keeps its own."""
        return inner if isinstance(inner, syntax.Name | syntax.Numeral) else replace(inner, span=_span(left, right))

    def call(self, function: Token, *rest: Any) -> syntax.CallExpr:
        arguments = tuple(piece for piece in rest if not isinstance(piece, Token))
        return syntax.CallExpr(_name(function), arguments, _span(function, *rest))

    def distance(
        self, straight: Token | None, keyword: Token, _to: Token, affordance: syntax.Name
    ) -> syntax.DistanceExpr:
        return syntax.DistanceExpr(affordance, straight is not None, _span(straight, keyword, affordance))

    def axis(self, quantity: Token, axis: syntax.Name) -> syntax.AxisExpr:
        return syntax.AxisExpr(cast(Any, str(quantity)), axis, _span(quantity, axis))

    def streak(self, keyword: Token, _of: Token, affordance: syntax.Name) -> syntax.StreakExpr:
        return syntax.StreakExpr(affordance, _span(keyword, affordance))

    def numeral(self, number: Token) -> syntax.Numeral:
        return syntax.Numeral(str(number), _token_span(number))

    def name(self, name: Token) -> syntax.Name:
        return _name(name)

    def signed(self, minus: Token | None, number: Token) -> syntax.Signed:
        return syntax.Signed(f"{minus or ''}{number}", _span(minus, number))

    def cell(self, *pieces: Any) -> Part:
        return Part(_every(syntax.Signed, pieces), _span(*pieces))

    def interval(self, *pieces: Any) -> Part:
        return Part(_every(syntax.Signed, pieces), _span(*pieces))


def _body(body: Part | syntax.Stmt) -> tuple[syntax.Stmt, ...]:
    return body.items if isinstance(body, Part) else (body,)


def _is_braced(body: Part | syntax.Stmt) -> bool:
    """Whether it is a block of one statement."""
    return isinstance(body, Part) and len(body.items) == 1
