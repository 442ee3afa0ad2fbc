"""From grammar rules to the syntax tree: one method per rule, called by the parser as it reduces.

Arguments are what the rule matched, in order: tokens, nodes, and `None` for an optional part that is absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from hamlet.universe import Span
from hamletc.language import syntax

T = TypeVar("T")
N = TypeVar("N", syntax.Signed, syntax.Numeral)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A token where the parser read it, as the terminal that it is there."""

    terminal: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Pieces:
    """Several nodes that become fields of the node above: bounds, a duration, a cell, the statements of a block."""

    items: tuple[Any, ...]
    span: Span


def _span(*pieces: Any) -> Span:
    """From the beginning of the first piece to the end of the last; absent ones do not count."""
    present = [piece for piece in pieces if piece is not None]
    first, last = present[0].span, present[-1].span
    return Span(first.line, first.column, last.end_line, last.end_column)


def _name(token: Leaf) -> syntax.Name:
    quoted = token.text.startswith("`")
    return syntax.Name(token.text[1:-1] if quoted else token.text, token.span, quoted=quoted)


def _every(kind: type[T] | tuple[type[T], ...], pieces: tuple[Any, ...]) -> tuple[T, ...]:
    """The pieces of a kind, in order."""
    return tuple(piece for piece in pieces if isinstance(piece, kind))


_AFFORDANCE_ITEMS = (
    *(syntax.NeedsItem, syntax.CapacityItem, syntax.OpenItem, syntax.BlockItem),
    *(syntax.FollowsItem, syntax.WandersItem, syntax.MeterDecl, syntax.RuleDecl, syntax.ActionDecl),
)
_MAP_ITEMS = (syntax.MapLetters, syntax.RegionDecl, syntax.TerrainDecl)


class Builder:
    """The methods have the names of the rules in grammar.lark."""

    def start(
        self, universe: Leaf, name: Leaf, extends: Leaf | None, path: Leaf | None, *declarations: syntax.Decl
    ) -> syntax.File:
        base = None if path is None else syntax.Base(path.text[1:-1], _span(extends, path))
        return syntax.File(_name(name), declarations, _span(universe, name, path, *declarations), base)

    # --- space and time ---

    def space(self, keyword: Leaf, kind: Leaf, *rest: Any) -> syntax.SpaceDecl:
        sizes, properties = _every(syntax.Signed, rest), _every(syntax.Property, rest)
        bounds = tuple((interval.items[0], interval.items[1]) for interval in _every(Pieces, rest))
        paths = _every(syntax.GraphPath, rest)
        return syntax.SpaceDecl(_name(kind), sizes, bounds, properties, _span(keyword, kind, *rest), paths)

    def path(self, *pieces: Leaf) -> syntax.GraphPath:
        links = tuple(cast(Any, piece.text) for piece in pieces[1::2])
        return syntax.GraphPath(tuple(map(_name, pieces[::2])), links, _span(*pieces))

    def map(self, keyword: Leaf, *rest: Any) -> syntax.MapDecl:
        return syntax.MapDecl(None, _every(syntax.Quoted, rest), _every(_MAP_ITEMS, rest), _span(keyword, *rest))

    def map_file(self, keyword: Leaf, file: syntax.Quoted, *rest: Any) -> syntax.MapDecl:
        return syntax.MapDecl(file, (), _every(_MAP_ITEMS, rest), _span(keyword, file, *rest))

    def letters(self, keyword: Leaf, letters: syntax.Quoted) -> syntax.MapLetters:
        return syntax.MapLetters(_name(keyword), letters, _span(keyword, letters))

    def starts_in(self, keyword: Leaf, _in: Leaf, region: syntax.Name) -> syntax.MapLetters:
        return syntax.MapLetters(_name(keyword), region, _span(keyword, region))

    def region(self, keyword: Leaf, name: Leaf, letters: syntax.Quoted) -> syntax.RegionDecl:
        return syntax.RegionDecl(_name(name), letters, _span(keyword, letters))

    def terrain(self, keyword: Leaf, name: Leaf, _is: Leaf, default: syntax.Expr, *rest: Any) -> syntax.TerrainDecl:
        numbers = _every(syntax.RegionNumber, rest)
        return syntax.TerrainDecl(_name(name), default, numbers, _span(keyword, default, *rest))

    def region_number(self, region: Leaf, value: syntax.Expr) -> syntax.RegionNumber:
        return syntax.RegionNumber(_name(region), value, _span(region, value))

    def quoted(self, text: Leaf) -> syntax.Quoted:
        return syntax.Quoted(text.text[1:-1], text.span)

    def moves(self, keyword: Leaf, *rest: Any) -> syntax.MovesDecl:
        return syntax.MovesDecl(_every(syntax.MoveDef, rest), _span(keyword, *rest))

    def move_def(self, name: Leaf, cell: Pieces) -> syntax.MoveDef:
        return syntax.MoveDef(_name(name), cell.items, _span(name, cell))

    def beginning(self, keyword: Leaf, *rest: Any) -> syntax.StartDecl:
        velocity, speed = _every(Pieces, rest), _every(syntax.Signed, rest)
        cell = velocity[0].items if velocity else None
        return syntax.StartDecl(cell, speed[0] if speed else None, _span(keyword, *rest))

    def clock(self, keyword: Leaf, hours: syntax.Signed, unit: Leaf) -> syntax.ClockDecl:
        return syntax.ClockDecl(hours, _span(keyword, unit))

    def lifespan(self, keyword: Leaf, ticks: syntax.Signed, unit: Leaf, *rest: Any) -> syntax.LifespanDecl:
        return syntax.LifespanDecl(_lasting(ticks, unit), _every(syntax.Property, rest), _span(keyword, unit, *rest))

    def no_lifespan(self, keyword: Leaf, forever: Leaf) -> syntax.LifespanDecl:
        return syntax.LifespanDecl(_name(forever), (), _span(keyword, forever))

    def episodes(self, keyword: Leaf, _by: Leaf, hand: Leaf) -> syntax.EpisodesDecl:
        return syntax.EpisodesDecl(_span(keyword, hand))

    def track(self, keyword: Leaf, uses: Leaf, _by: Leaf | None, by: Leaf | None) -> syntax.TrackDecl:
        return syntax.TrackDecl(None if by is None else _name(by), _span(keyword, uses, by))

    def inert(self, keyword: Leaf, allowed: Leaf) -> syntax.InertDecl:
        return syntax.InertDecl(_span(keyword, allowed))

    def property(self, key: Leaf, value: syntax.Expr) -> syntax.Property:
        return syntax.Property(_name(key), value, _span(key, value))

    def momentum(self, keyword: Leaf, _up: Leaf, _to: Leaf, most: syntax.Expr) -> syntax.Property:
        return self.property(keyword, most)

    # --- quantities ---

    def param(self, keyword: Leaf, name: Leaf, _is: Leaf, default: syntax.Expr, bounds: Pieces) -> syntax.ParamDecl:
        low, high = bounds.items
        return syntax.ParamDecl(_name(name), default, (low, high), _span(keyword, bounds))

    def input(self, keyword: Leaf, name: Leaf, _is: Leaf, default: syntax.Expr, bounds: Pieces) -> syntax.InputDecl:
        low, high = bounds.items
        return syntax.InputDecl(_name(name), default, (low, high), _span(keyword, bounds))

    def control(self, keyword: Leaf, name: Leaf, bounds: Pieces) -> syntax.ControlDecl:
        low, high = bounds.items
        return syntax.ControlDecl(_name(name), (low, high), _span(keyword, bounds))

    def let(self, keyword: Leaf, name: Leaf, _is: Leaf, value: syntax.Expr) -> syntax.LetDecl:
        return syntax.LetDecl(_name(name), value, _span(keyword, value))

    def include(self, keyword: Leaf, path: Leaf) -> syntax.IncludeDecl:
        return syntax.IncludeDecl(path.text[1:-1], _span(keyword, path))

    def without(self, keyword: Leaf, kind: Leaf, name: Leaf | None = None) -> syntax.WithoutDecl:
        return syntax.WithoutDecl(_name(kind), None if name is None else _name(name), _span(keyword, kind, name))

    def override(self, keyword: Leaf, declaration: syntax.Decl) -> syntax.OverrideDecl:
        return syntax.OverrideDecl(declaration, _span(keyword, declaration))

    def template(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.TemplateDecl:
        parameters = tuple(_name(piece) for piece in _every(Leaf, rest) if piece.terminal == "NAME")
        parts = tuple(piece for piece in rest if not isinstance(piece, Leaf))
        return syntax.TemplateDecl(_name(name), parameters, parts, _span(keyword, *rest))

    def use(self, keyword: Leaf, template: Leaf, *rest: Any) -> syntax.UseDecl:
        arguments = tuple(piece for piece in rest if not isinstance(piece, Leaf))
        return syntax.UseDecl(_name(template), arguments, _span(keyword, *rest))

    def meter(
        self, keyword: Leaf, name: Leaf, _is: Leaf, start: syntax.Expr, bounds: Pieces | None, *rest: Any
    ) -> syntax.MeterDecl:
        limits = None if bounds is None else (bounds.items[0], bounds.items[1])
        properties = _every(syntax.Property, rest)
        return syntax.MeterDecl(_name(name), start, limits, properties, _span(keyword, start, bounds, *rest))

    def state(
        self, keyword: Leaf, name: Leaf, colon: Leaf | None, written: Pieces | None, _is: Leaf, start: syntax.Expr
    ) -> syntax.MeterDecl:
        kind, bounds = (syntax.StateSpec("", (), _name(name).span), None) if written is None else written.items
        return syntax.MeterDecl(_name(name), start, bounds, (), _span(keyword, colon, start), kind)

    def state_type(self, *pieces: Any) -> Pieces:
        first, span, bounds = pieces[0], _span(*pieces), None
        if first.terminal == "NAME":
            spec = syntax.StateSpec("options", tuple(_name(piece) for piece in pieces), span)
        else:
            spec = syntax.StateSpec(cast(Any, first.text), (), span)
            bounds = pieces[1].items if len(pieces) > 1 else None
        return Pieces((spec, bounds), span)

    def bounds(self, keyword: Leaf, low: syntax.Expr, _to: Leaf, high: syntax.Expr) -> Pieces:
        return Pieces((low, high), _span(keyword, high))

    # --- what happens every tick ---

    def rule(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.RuleDecl:
        body = rest[-1]
        return syntax.RuleDecl(_name(name), None, _body(body), _span(keyword, *rest), _is_braced(body))

    def guarded_rule(
        self, keyword: Leaf, name: Leaf, _colon: Leaf, guard: syntax.Expr, _arrow: Leaf, body: Pieces | syntax.Stmt
    ) -> syntax.RuleDecl:
        return syntax.RuleDecl(_name(name), guard, _body(body), _span(keyword, body), _is_braced(body))

    def world(self, keyword: Leaf, *rest: Any) -> syntax.WorldDecl:
        kinds = (syntax.MeterDecl, syntax.EffectDecl, syntax.RuleDecl)
        return syntax.WorldDecl(_every(kinds, rest), _span(keyword, *rest))

    def kept(self, keyword: Leaf, declaration: syntax.MeterDecl) -> syntax.MeterDecl:
        return replace(declaration, kept=True, span=_span(keyword, declaration))

    def per_agent(self, keyword: Leaf, _agent: Leaf, declaration: syntax.MeterDecl) -> syntax.MeterDecl:
        return replace(declaration, per_agent=True, span=_span(keyword, declaration))

    def stages(self, keyword: Leaf, *rest: Any) -> syntax.StagesDecl:
        return syntax.StagesDecl(_every(syntax.Switch, rest), _span(keyword, *rest))

    def stage(self, source: Leaf, _arrow: Leaf, target: Leaf, _when: Leaf, condition: syntax.Expr) -> syntax.Switch:
        return syntax.Switch(_name(source), _name(target), condition, _span(source, condition))

    def effect(
        self, keyword: Leaf, name: Leaf, _lasts: Leaf, ticks: syntax.Signed | Leaf, *rest: Any
    ) -> syntax.EffectDecl:
        unit = next((piece for piece in rest if isinstance(piece, Leaf) and piece.terminal != "LBRACE"), None)
        duration = _name(ticks) if isinstance(ticks, Leaf) else _lasting(ticks, unit)
        items: Any = _every((syntax.MomentItem, syntax.AgainItem, syntax.UntilItem), rest)
        return syntax.EffectDecl(_name(name), duration, items, _span(keyword, ticks, *rest))

    def moment(self, word: Leaf, second: Leaf, block: Pieces) -> syntax.MomentItem:
        return syntax.MomentItem(cast(Any, f"{word.text} {second.text}"), block.items, _span(word, block))

    def again(self, keyword: Leaf, how: Leaf, *rest: Any) -> syntax.AgainItem:
        number = next(iter(_every(syntax.Signed, rest)), None)
        most = None if number is None else _lasting(number, rest[-1] if isinstance(rest[-1], Leaf) else None)
        return syntax.AgainItem(cast(Any, how.text), most, _span(keyword, how, *rest))

    def until(self, keyword: Leaf, condition: syntax.Expr) -> syntax.UntilItem:
        return syntax.UntilItem(condition, _span(keyword, condition))

    def slots(self, keyword: Leaf, number: syntax.Signed) -> syntax.SlotsDecl:
        return syntax.SlotsDecl(number, _span(keyword, number))

    def item(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.ItemDecl:
        items: Any = _every((syntax.Property, syntax.CraftItem, syntax.UseItem, syntax.AbleItem), rest)
        braced = any(piece is not None for piece in rest)
        return syntax.ItemDecl(_name(name), items, _span(keyword, name, *rest), braced)

    def item_property(self, keyword: Leaf, *rest: Any) -> syntax.Property:
        return syntax.Property(_name(keyword), rest[-1], _span(keyword, rest[-1]))

    def crafted(self, keyword: Leaf, _from: Leaf, *rest: Any) -> syntax.CraftItem:
        items = tuple(each for each in rest if not isinstance(each, Leaf | syntax.ShareItem | None))
        braced = any(isinstance(each, Leaf) and each.text == "{" for each in rest)
        return syntax.CraftItem(_every(syntax.ShareItem, rest), items, _span(keyword, *rest), braced)

    def share(self, number: syntax.Signed, name: Leaf) -> syntax.ShareItem:
        return syntax.ShareItem(number, _name(name), _span(number, name))

    def used(self, keyword: Leaf, *rest: Any) -> syntax.UseItem:
        items = tuple(each for each in rest if not isinstance(each, Leaf))
        return syntax.UseItem(items, _span(keyword, *rest))

    def able(self, keyword: Leaf, *rest: Any) -> syntax.AbleItem:
        *verbs, rank = rest
        lowest, highest = (None, None) if rank is None else rank.items
        return syntax.AbleItem(tuple(map(_name, verbs)), lowest, highest, _span(keyword, *rest))

    def cells(self, keyword: Leaf, *rest: Any) -> syntax.CellsDecl:
        return syntax.CellsDecl(_every((syntax.MeterDecl, syntax.RuleDecl), rest), _span(keyword, *rest))

    def role(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.RoleDecl:
        items = tuple(piece for piece in rest if not isinstance(piece, Leaf))
        return syntax.RoleDecl(_name(name), None, None, items, _span(keyword, *rest))

    def counted_role(
        self, keyword: Leaf, name: Leaf, _colon: Leaf, size: syntax.Signed | Leaf, *rest: Any
    ) -> syntax.RoleDecl:
        items = tuple(piece for piece in rest if not isinstance(piece, Leaf))
        agents, others = (None, size.span) if isinstance(size, Leaf) else (size, None)
        span = _span(keyword, size, *rest)
        return syntax.RoleDecl(_name(name), agents, others, items, span, braced=bool(rest))

    def role_size(self, size: syntax.Signed | Leaf, *_unit: Leaf) -> syntax.Signed | Leaf:
        return size

    def cascade(
        self, keyword: Leaf, name: Leaf, _colon: Leaf, guard: syntax.Expr, _arrow: Leaf, body: Pieces | syntax.Stmt
    ) -> syntax.CascadeDecl:
        return syntax.CascadeDecl(_name(name), guard, _body(body), _span(keyword, body), _is_braced(body))

    # --- what an agent can do ---

    def affordance(
        self,
        keyword: Leaf,
        name: Leaf,
        copies: syntax.Signed | None,
        _at: Leaf | None,
        place: Pieces | None,
        hours: Pieces | None,
        duration: Pieces | None,
        *rest: Any,
    ) -> syntax.AffordanceDecl:
        ticks, together = (None, None) if duration is None else duration.items
        pieces = () if place is None else place.items
        spread = _every(syntax.SpreadItem, pieces)
        spots = tuple(each.items if isinstance(each, Pieces) else each for each in pieces if each not in spread)
        return syntax.AffordanceDecl(
            name=_name(name),
            place=spots[0] if spots else None,
            place_span=None if place is None else place.span,
            hours=None if hours is None else (hours.items[0], hours.items[1]),
            duration=ticks,
            together=together,
            items=_every(_AFFORDANCE_ITEMS, rest),
            span=_span(keyword, *rest),
            spread=spread,
            copies=copies,
            others=spots[1:],
        )

    def copies(self, _colon: Leaf, number: syntax.Signed, _unit: Leaf) -> syntax.Signed:
        return number

    def place(self, first: Leaf | Pieces | syntax.Quoted | syntax.Name, *rest: Any) -> Pieces:
        found = tuple(piece for piece in (first, *rest) if not isinstance(piece, Leaf))
        return Pieces(found, _span(first, *rest))

    def spread(self, keyword: Leaf, what: syntax.Name | syntax.Signed, *rest: Any) -> syntax.SpreadItem:
        name = what if isinstance(what, syntax.Name) else None
        number = next(iter(_every(syntax.Signed, (what, *rest))), None)
        return syntax.SpreadItem(_name(keyword), name, number, _span(keyword, what, *rest))

    def hours(self, keyword: Leaf, opens: syntax.Signed, _to: Leaf, closes: syntax.Signed) -> Pieces:
        return Pieces((opens, closes), _span(keyword, closes))

    def duration(self, keyword: Leaf, ticks: syntax.Signed | Leaf, *rest: Leaf | None) -> Pieces:
        *units, together = rest
        duration = _name(ticks) if isinstance(ticks, Leaf) else _lasting(ticks, units[0])
        return Pieces((duration, None if together is None else together.span), _span(keyword, ticks, *rest))

    def opening(self, keyword: Leaf, _when: Leaf, condition: syntax.Expr) -> syntax.OpenItem:
        return syntax.OpenItem(condition, _span(keyword, condition), appears=keyword.text == "appears")

    def follows(self, keyword: Leaf, *rest: Any) -> syntax.FollowsItem:
        stops = tuple(each.items if isinstance(each, Pieces) else each for each in rest if isinstance(each, _SPOTS))
        return syntax.FollowsItem(stops, _period(rest), _span(keyword, *rest))

    def wanders(self, keyword: Leaf, *rest: Any) -> syntax.WandersItem:
        return syntax.WandersItem(_period(rest), _span(keyword, *rest))

    def timed_block(self, *pieces: Any) -> syntax.BlockItem:
        *words, block = pieces
        kinds: dict[str, Any] = {"instantly": "instantly", "each": "each tick", "on": "on completion"}
        return syntax.BlockItem(kinds[words[0].text], block.items, _span(words[0], block))

    def action(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.ActionDecl:
        items = tuple(piece for piece in rest if not isinstance(piece, Leaf))
        return syntax.ActionDecl(_name(name), items, _span(keyword, *rest))

    def needs(self, keyword: Leaf, condition: syntax.Expr) -> syntax.NeedsItem:
        return syntax.NeedsItem(condition, _span(keyword, condition))

    def capacity(self, keyword: Leaf, places: syntax.Expr, rank: Pieces | None) -> syntax.CapacityItem:
        lowest, highest = (None, None) if rank is None else rank.items
        return syntax.CapacityItem(places, lowest, highest, _span(keyword, places, rank))

    def rank(self, to: Leaf, _order: Leaf, by: Leaf | syntax.Expr) -> Pieces:
        return Pieces((_name(by), None) if isinstance(by, Leaf) else (None, by), _span(to, by))

    def move(self, keyword: Leaf, cell: Pieces) -> syntax.MoveItem:
        return syntax.MoveItem(cell.items, _span(keyword, cell))

    def teleport(self, keyword: Leaf, cell: Pieces | syntax.Quoted | syntax.Name) -> syntax.TeleportItem:
        return syntax.TeleportItem(cell.items if isinstance(cell, Pieces) else cell, _span(keyword, cell))

    def keeps(self, keyword: Leaf, progress: Leaf) -> syntax.KeepsItem:
        return syntax.KeepsItem(_span(keyword, progress))

    def allow(self, keyword: Leaf, *rest: Any) -> syntax.AllowDecl:
        *_, condition = rest
        names = tuple(_name(piece) for piece in _every(Leaf, rest) if piece.terminal == "NAME")
        return syntax.AllowDecl(names, condition, _span(keyword, condition))

    # --- what is seen and rewarded ---

    def dies(self, keyword: Leaf, _when: Leaf, condition: syntax.Expr) -> syntax.DiesDecl:
        return syntax.DiesDecl(condition, _span(keyword, condition))

    def ends(self, keyword: Leaf, _when: Leaf, condition: syntax.Expr, *rest: Any) -> syntax.EndsDecl:
        properties = _every(syntax.Property, rest)
        return syntax.EndsDecl(condition, properties, False, _span(keyword, condition, *rest))

    def world_ends(
        self, keyword: Leaf, _ends: Leaf, _when: Leaf, condition: syntax.Expr, *rest: Any
    ) -> syntax.EndsDecl:
        properties = _every(syntax.Property, rest)
        return syntax.EndsDecl(condition, properties, True, _span(keyword, condition, *rest))

    def reward(self, keyword: Leaf, value: syntax.Expr) -> syntax.RewardDecl:
        return syntax.RewardDecl(None, value, _span(keyword, value))

    def named_reward(self, keyword: Leaf, name: Leaf, _colon: Leaf, value: syntax.Expr) -> syntax.RewardDecl:
        return syntax.RewardDecl(_name(name), value, _span(keyword, value))

    def report(self, keyword: Leaf, name: Leaf, _colon: Leaf, value: syntax.Expr) -> syntax.ReportDecl:
        return syntax.ReportDecl(_name(name), value, _span(keyword, value))

    def observe(self, keyword: Leaf, *rest: Any) -> syntax.ObserveDecl:
        return syntax.ObserveDecl(_every(syntax.ObserveItem, rest), _span(keyword, *rest))

    def observation(self, kind: Leaf, *rest: Any) -> syntax.ObserveItem:
        words = tuple(_name(piece) for piece in _every(Leaf, rest) if piece.terminal == "NAME")
        within = next((piece for piece in _every(Leaf, rest) if piece.terminal == "SIGHT"), None)
        sight = None if within is None else within.span
        return syntax.ObserveItem(_name(kind), words, _every(syntax.Signed, rest), _span(kind, *rest), sight)

    # --- statements ---

    def block(self, *pieces: Any) -> Pieces:
        kinds = (syntax.AssignStmt, syntax.PushStmt, syntax.TogetherStmt, syntax.BeginStmt)
        return Pieces(_every(kinds, pieces), _span(*pieces))

    def assign(self, meter: Leaf, op: Leaf, value: syntax.Expr, unclamped: Leaf | None) -> syntax.AssignStmt:
        spared = None if unclamped is None else unclamped.span
        return syntax.AssignStmt(_name(meter), cast(Any, op.text), value, spared, _span(meter, value, unclamped))

    def push(
        self, keyword: Leaf, axis: syntax.Name, op: Leaf, value: syntax.Expr, unclamped: Leaf | None
    ) -> syntax.PushStmt:
        spared = None if unclamped is None else unclamped.span
        span, what = _span(keyword, value, unclamped), cast(Any, keyword.text)
        return syntax.PushStmt(axis, cast(Any, op.text), value, spared, span, what)

    def together(self, keyword: Leaf, block: Pieces) -> syntax.TogetherStmt:
        return syntax.TogetherStmt(block.items, _span(keyword, block))

    def begin(self, word: Leaf, effect: Leaf) -> syntax.BeginStmt:
        return syntax.BeginStmt(cast(Any, word.text), _name(effect), _span(word, effect))

    # --- expressions ---

    def if_expression(
        self, keyword: Leaf, condition: syntax.Expr, _then: Leaf, then: syntax.Expr, _else: Leaf, last: syntax.Expr
    ) -> syntax.IfExpr:
        return syntax.IfExpr(condition, then, last, _span(keyword, last))

    def when(self, value: syntax.Expr, _when: Leaf, condition: syntax.Expr) -> syntax.WhenExpr:
        return syntax.WhenExpr(value, condition, _span(value, condition))

    def binary(self, left: syntax.Expr, op: Leaf, right: syntax.Expr) -> syntax.BinaryExpr:
        return syntax.BinaryExpr(cast(Any, op.text), left, right, op.span, _span(left, right))

    def unary(self, op: Leaf, operand: syntax.Expr) -> syntax.UnaryExpr:
        return syntax.UnaryExpr(cast(Any, op.text), operand, _span(op, operand))

    def parentheses(self, left: Leaf, inner: syntax.Expr, right: Leaf) -> syntax.Expr:
        """The expression itself, its span widened to the parentheses; a name or number keeps its own."""
        return inner if isinstance(inner, syntax.Name | syntax.Numeral) else replace(inner, span=_span(left, right))

    def call(self, function: Leaf, *rest: Any) -> syntax.CallExpr:
        arguments = tuple(piece for piece in rest if not isinstance(piece, Leaf))
        return syntax.CallExpr(_name(function), arguments, _span(function, *rest))

    def over_cells(self, function: Leaf, *rest: Any) -> syntax.CallExpr:
        return replace(self.call(function, *rest), over_cells=True)

    def weighted(self, value: syntax.Expr, _colon: Leaf, weight: syntax.Expr) -> syntax.WeightedExpr:
        return syntax.WeightedExpr(value, weight, _span(value, weight))

    def distance(self, way: Leaf | None, keyword: Leaf, _to: Leaf, affordance: syntax.Name) -> syntax.DistanceExpr:
        how = None if way is None else cast(Any, way.text)
        return syntax.DistanceExpr(affordance, how, _span(way, keyword, affordance))

    def axis(self, quantity: Leaf, axis: syntax.Name) -> syntax.AxisExpr:
        return syntax.AxisExpr(cast(Any, quantity.text), axis, _span(quantity, axis))

    def on(self, keyword: Leaf, region: syntax.Name) -> syntax.OnExpr:
        return syntax.OnExpr(region, _span(keyword, region))

    def streak(self, keyword: Leaf, _of: Leaf, affordance: syntax.Name) -> syntax.StreakExpr:
        return syntax.StreakExpr(affordance, _span(keyword, affordance))

    def position_of(self, keyword: Leaf, axis: syntax.Name, _of: Leaf, owner: syntax.Name) -> syntax.OfExpr:
        quantity = syntax.Name(f"position {axis.text}", _span(keyword, axis), quoted=True)
        return syntax.OfExpr(quantity, owner, _span(keyword, owner))

    def of(self, quantity: Leaf, _of: Leaf, owner: syntax.Name) -> syntax.OfExpr:
        return syntax.OfExpr(_name(quantity), owner, _span(quantity, owner))

    def timed(self, keyword: Leaf, number: Leaf, unit: Leaf) -> syntax.TimedExpr:
        ticks = _lasting(self.numeral(number), unit)
        return syntax.TimedExpr(cast(Any, keyword.text), ticks, _span(keyword, unit))

    def at_hour(self, keyword: Leaf, _hour: Leaf, hour: syntax.Signed) -> syntax.AtHourExpr:
        return syntax.AtHourExpr(hour, _span(keyword, hour))

    def quantity(self, number: Leaf, unit: Leaf) -> syntax.Numeral:
        return syntax.Numeral(number.text, _span(number, unit), cast(Any, unit.text.removesuffix("s")))

    def numeral(self, number: Leaf) -> syntax.Numeral:
        return syntax.Numeral(number.text, number.span)

    def name(self, name: Leaf) -> syntax.Name:
        return _name(name)

    def signed(self, minus: Leaf | None, number: Leaf) -> syntax.Signed:
        text, span = number.text if minus is None else f"-{number.text}", _span(minus, number)
        if number.terminal != "NAME":
            return syntax.Signed(text, span)
        name = _name(number)
        return syntax.Signed(text, span, name if minus is None else syntax.UnaryExpr("-", name, span))

    def cell(self, *pieces: Any) -> Pieces:
        return Pieces(_every(syntax.Signed, pieces), _span(*pieces))

    def interval(self, *pieces: Any) -> Pieces:
        return Pieces(_every(syntax.Signed, pieces), _span(*pieces))


_SPOTS = (Pieces, syntax.Quoted, syntax.Name)
"""What a place becomes."""


def _period(pieces: Sequence[Any]) -> syntax.Signed | None:
    """`every 3 ticks`, where it is written."""
    number = next((piece for piece in pieces if isinstance(piece, syntax.Signed)), None)
    return None if number is None else _lasting(number, pieces[-1])


def _lasting(ticks: N, unit: Leaf | None) -> N:
    """A duration with its unit; ticks need none."""
    counted = "" if unit is None else unit.text.removesuffix("s")
    return ticks if counted in ("", "tick") else replace(ticks, unit=cast(Any, counted))


def _body(body: Pieces | syntax.Stmt) -> tuple[syntax.Stmt, ...]:
    return body.items if isinstance(body, Pieces) else (body,)


def _is_braced(body: Pieces | syntax.Stmt) -> bool:
    """Whether it is a block of one statement."""
    return isinstance(body, Pieces) and len(body.items) == 1
