"""From grammar rules to declarations: one method per rule, as `hamletc.language.build` says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from hamletc.language import syntax
from hamletc.language.pieces import (
    BRACES,
    NAMES,
    PARENTHESES,
    SPOTS,
    UNITS,
    Leaf,
    Pieces,
    apart,
    every,
    is_braced,
    lasting,
    name_of,
    nodes,
    period,
    span_of,
    statements_of,
)

AFFORDANCE_ITEMS = (
    *(syntax.NeedsItem, syntax.CapacityItem, syntax.OpenItem, syntax.BlockItem),
    *(syntax.FollowsItem, syntax.WandersItem, syntax.MeterDecl, syntax.RuleDecl, syntax.ActionDecl),
)
GRAPH_ITEMS: Any = (syntax.MapLetters, syntax.NodesDecl)
MAP_ITEMS = (syntax.MapLetters, syntax.RegionDecl, syntax.TerrainDecl)


class Declarations:
    """The methods have the names of the rules in grammar.lark."""

    # --- space and time ---

    def space(self, keyword: Leaf, kind: Leaf, *rest: Any) -> syntax.SpaceDecl:
        kinds = (syntax.Signed, syntax.Property, Pieces, syntax.GraphPath, GRAPH_ITEMS)
        sizes, properties, intervals, paths, items = apart(rest, *kinds, fixed=BRACES | {"x", "map"})
        bounds = tuple((interval.items[0], interval.items[1]) for interval in intervals)
        return syntax.SpaceDecl(name_of(kind), sizes, bounds, properties, span_of(keyword, kind, *rest), paths, items)

    def nodes(self, keyword: Leaf, name: Leaf, *pieces: Leaf) -> syntax.NodesDecl:
        (listed,) = apart(pieces, NAMES)
        return syntax.NodesDecl(name_of(name), tuple(map(name_of, listed)), span_of(keyword, *pieces))

    def path(self, *pieces: Leaf) -> syntax.GraphPath:
        links = tuple(cast(Any, piece.text) for piece in pieces[1::2])
        return syntax.GraphPath(tuple(map(name_of, pieces[::2])), links, span_of(*pieces))

    def map(self, keyword: Leaf, *rest: Any) -> syntax.MapDecl:
        rows, items = apart(rest, syntax.Quoted, MAP_ITEMS)
        return syntax.MapDecl(None, rows, items, span_of(keyword, *rest))

    def map_file(self, keyword: Leaf, file: syntax.Quoted, *rest: Any) -> syntax.MapDecl:
        return syntax.MapDecl(file, (), every(MAP_ITEMS, rest), span_of(keyword, file, *rest))

    def letters(self, keyword: Leaf, letters: syntax.Quoted) -> syntax.MapLetters:
        return syntax.MapLetters(name_of(keyword), letters, span_of(keyword, letters))

    def starts_in(self, keyword: Leaf, _in: Leaf, region: syntax.Name) -> syntax.MapLetters:
        return syntax.MapLetters(name_of(keyword), region, span_of(keyword, region))

    def region(self, keyword: Leaf, name: Leaf, letters: syntax.Quoted) -> syntax.RegionDecl:
        return syntax.RegionDecl(name_of(name), letters, span_of(keyword, letters))

    def terrain(self, keyword: Leaf, name: Leaf, _is: Leaf, default: syntax.Expr, *rest: Any) -> syntax.TerrainDecl:
        numbers = every(syntax.RegionNumber, rest)
        return syntax.TerrainDecl(name_of(name), default, numbers, span_of(keyword, default, *rest))

    def region_number(self, region: Leaf, value: syntax.Expr) -> syntax.RegionNumber:
        return syntax.RegionNumber(name_of(region), value, span_of(region, value))

    def quoted(self, text: Leaf) -> syntax.Quoted:
        return syntax.Quoted(text.text[1:-1], text.span)

    def moves(self, keyword: Leaf, *rest: Any) -> syntax.MovesDecl:
        return syntax.MovesDecl(every(syntax.MoveDef, rest), span_of(keyword, *rest))

    def move_def(self, name: Leaf, cell: Pieces) -> syntax.MoveDef:
        return syntax.MoveDef(name_of(name), cell.items, span_of(name, cell))

    def beginning(self, keyword: Leaf, *rest: Any) -> syntax.StartDecl:
        velocity, speed = apart(rest, Pieces, syntax.Signed, fixed=frozenset(("velocity", "speed")))
        cell = velocity[0].items if velocity else None
        return syntax.StartDecl(cell, speed[0] if speed else None, span_of(keyword, *rest))

    def clock(self, keyword: Leaf, hours: syntax.Signed, unit: Leaf) -> syntax.ClockDecl:
        return syntax.ClockDecl(hours, span_of(keyword, unit))

    def lifespan(self, keyword: Leaf, ticks: syntax.Signed, unit: Leaf, *rest: Any) -> syntax.LifespanDecl:
        return syntax.LifespanDecl(lasting(ticks, unit), every(syntax.Property, rest), span_of(keyword, unit, *rest))

    def no_lifespan(self, keyword: Leaf, forever: Leaf) -> syntax.LifespanDecl:
        return syntax.LifespanDecl(name_of(forever), (), span_of(keyword, forever))

    def episodes(self, keyword: Leaf, _by: Leaf, hand: Leaf) -> syntax.EpisodesDecl:
        return syntax.EpisodesDecl(span_of(keyword, hand))

    def track(self, keyword: Leaf, uses: Leaf, _by: Leaf | None, by: Leaf | None) -> syntax.TrackDecl:
        return syntax.TrackDecl(None if by is None else name_of(by), span_of(keyword, uses, by))

    def inert(self, keyword: Leaf, allowed: Leaf) -> syntax.InertDecl:
        return syntax.InertDecl(span_of(keyword, allowed))

    def property(self, key: Leaf, value: syntax.Expr) -> syntax.Property:
        return syntax.Property(name_of(key), value, span_of(key, value))

    def word_property(self, key: Leaf, value: syntax.Name) -> syntax.WordProperty:
        return syntax.WordProperty(name_of(key), value, span_of(key, value))

    def momentum(self, keyword: Leaf, _up: Leaf, _to: Leaf, most: syntax.Expr) -> syntax.Property:
        return self.property(keyword, most)

    # --- quantities ---

    def param(self, keyword: Leaf, name: Leaf, _is: Leaf, default: syntax.Expr, bounds: Pieces) -> syntax.ParamDecl:
        low, high = bounds.items
        return syntax.ParamDecl(name_of(name), default, (low, high), span_of(keyword, bounds))

    def input(self, keyword: Leaf, name: Leaf, _is: Leaf, default: syntax.Expr, bounds: Pieces) -> syntax.InputDecl:
        low, high = bounds.items
        return syntax.InputDecl(name_of(name), default, (low, high), span_of(keyword, bounds))

    def control(self, keyword: Leaf, name: Leaf, bounds: Pieces) -> syntax.ControlDecl:
        low, high = bounds.items
        return syntax.ControlDecl(name_of(name), (low, high), span_of(keyword, bounds))

    def let(self, keyword: Leaf, name: Leaf, _is: Leaf, value: syntax.Expr) -> syntax.LetDecl:
        return syntax.LetDecl(name_of(name), value, span_of(keyword, value))

    def include(self, keyword: Leaf, path: Leaf) -> syntax.IncludeDecl:
        return syntax.IncludeDecl(path.text[1:-1], span_of(keyword, path))

    def without(self, keyword: Leaf, kind: Leaf, name: Leaf | None = None) -> syntax.WithoutDecl:
        return syntax.WithoutDecl(name_of(kind), None if name is None else name_of(name), span_of(keyword, kind, name))

    def override(self, keyword: Leaf, declaration: syntax.Decl) -> syntax.OverrideDecl:
        return syntax.OverrideDecl(declaration, span_of(keyword, declaration))

    def template(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.TemplateDecl:
        names, parts = apart(rest, NAMES, object, fixed=BRACES | PARENTHESES)
        return syntax.TemplateDecl(name_of(name), tuple(map(name_of, names)), parts, span_of(keyword, *rest))

    def use(self, keyword: Leaf, template: Leaf, *rest: Any) -> syntax.UseDecl:
        return syntax.UseDecl(name_of(template), nodes(rest, PARENTHESES), span_of(keyword, *rest))

    def meter(
        self, keyword: Leaf, name: Leaf, _is: Leaf, start: syntax.Expr, bounds: Pieces | None, *rest: Any
    ) -> syntax.MeterDecl:
        limits = None if bounds is None else (bounds.items[0], bounds.items[1])
        properties = every(syntax.Property, rest)
        return syntax.MeterDecl(name_of(name), start, limits, properties, span_of(keyword, start, bounds, *rest))

    def state(
        self, keyword: Leaf, name: Leaf, colon: Leaf | None, written: Pieces | None, _is: Leaf, start: syntax.Expr
    ) -> syntax.MeterDecl:
        kind, bounds = (syntax.StateSpec("", (), name_of(name).span), None) if written is None else written.items
        return syntax.MeterDecl(name_of(name), start, bounds, (), span_of(keyword, colon, start), kind)

    def state_type(self, *pieces: Any) -> Pieces:
        first, span, bounds = pieces[0], span_of(*pieces), None
        if first.terminal == "NAME":
            spec = syntax.StateSpec("options", tuple(name_of(piece) for piece in pieces), span)
        else:
            spec = syntax.StateSpec(cast(Any, first.text), (), span)
            bounds = pieces[1].items if len(pieces) > 1 else None
        return Pieces((spec, bounds), span)

    def bounds(self, keyword: Leaf, low: syntax.Expr, _to: Leaf, high: syntax.Expr) -> Pieces:
        return Pieces((low, high), span_of(keyword, high))

    # --- what happens every tick ---

    def rule(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.RuleDecl:
        body = rest[-1]
        return syntax.RuleDecl(name_of(name), None, statements_of(body), span_of(keyword, *rest), is_braced(body))

    def guarded_rule(
        self, keyword: Leaf, name: Leaf, _colon: Leaf, guard: syntax.Expr, _arrow: Leaf, body: Pieces | syntax.Stmt
    ) -> syntax.RuleDecl:
        return syntax.RuleDecl(name_of(name), guard, statements_of(body), span_of(keyword, body), is_braced(body))

    def world(self, keyword: Leaf, *rest: Any) -> syntax.WorldDecl:
        kinds = (syntax.MeterDecl, syntax.EffectDecl, syntax.RuleDecl)
        return syntax.WorldDecl(every(kinds, rest), span_of(keyword, *rest))

    def kept(self, keyword: Leaf, declaration: syntax.MeterDecl) -> syntax.MeterDecl:
        return replace(declaration, kept=True, span=span_of(keyword, declaration))

    def per_agent(self, keyword: Leaf, _agent: Leaf, declaration: syntax.MeterDecl) -> syntax.MeterDecl:
        return replace(declaration, per_agent=True, span=span_of(keyword, declaration))

    def stages(self, keyword: Leaf, *rest: Any) -> syntax.StagesDecl:
        return syntax.StagesDecl(every(syntax.Switch, rest), span_of(keyword, *rest))

    def stage(self, source: Leaf, _arrow: Leaf, target: Leaf, _when: Leaf, condition: syntax.Expr) -> syntax.Switch:
        return syntax.Switch(name_of(source), name_of(target), condition, span_of(source, condition))

    def effect(
        self, keyword: Leaf, name: Leaf, _lasts: Leaf, ticks: syntax.Signed | Leaf, *rest: Any
    ) -> syntax.EffectDecl:
        units, items = apart(rest, UNITS, (syntax.MomentItem, syntax.AgainItem, syntax.UntilItem))
        duration = name_of(ticks) if isinstance(ticks, Leaf) else lasting(ticks, units[0])
        return syntax.EffectDecl(name_of(name), duration, items, span_of(keyword, ticks, *rest))

    def moment(self, word: Leaf, second: Leaf, block: Pieces) -> syntax.MomentItem:
        return syntax.MomentItem(cast(Any, f"{word.text} {second.text}"), block.items, span_of(word, block))

    def again(self, keyword: Leaf, how: Leaf, *rest: Any) -> syntax.AgainItem:
        numbers, units = apart(rest, syntax.Signed, UNITS, fixed=frozenset(("up", "to")))
        return syntax.AgainItem(cast(Any, how.text), period(numbers, units), span_of(keyword, how, *rest))

    def until(self, keyword: Leaf, condition: syntax.Expr) -> syntax.UntilItem:
        return syntax.UntilItem(condition, span_of(keyword, condition))

    def slots(self, keyword: Leaf, number: syntax.Signed) -> syntax.SlotsDecl:
        return syntax.SlotsDecl(number, span_of(keyword, number))

    def item(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.ItemDecl:
        items: Any = every((syntax.Property, syntax.CraftItem, syntax.UseItem, syntax.AbleItem), rest)
        braced = any(piece is not None for piece in rest)
        return syntax.ItemDecl(name_of(name), items, span_of(keyword, name, *rest), braced)

    def item_property(self, keyword: Leaf, *rest: Any) -> syntax.Property:
        return syntax.Property(name_of(keyword), rest[-1], span_of(keyword, rest[-1]))

    def crafted(self, keyword: Leaf, _from: Leaf, *rest: Any) -> syntax.CraftItem:
        shares, braces, items = apart(rest, syntax.ShareItem, BRACES, object, fixed=frozenset((",",)))
        return syntax.CraftItem(shares, items, span_of(keyword, *rest), bool(braces))

    def share(self, number: syntax.Signed, name: Leaf) -> syntax.ShareItem:
        return syntax.ShareItem(number, name_of(name), span_of(number, name))

    def used(self, keyword: Leaf, *rest: Any) -> syntax.UseItem:
        return syntax.UseItem(nodes(rest), span_of(keyword, *rest))

    def able(self, keyword: Leaf, *rest: Any) -> syntax.AbleItem:
        *verbs, rank = rest
        lowest, highest = (None, None) if rank is None else rank.items
        return syntax.AbleItem(tuple(map(name_of, verbs)), lowest, highest, span_of(keyword, *rest))

    def cells(self, keyword: Leaf, *rest: Any) -> syntax.CellsDecl:
        return syntax.CellsDecl(every((syntax.MeterDecl, syntax.RuleDecl), rest), span_of(keyword, *rest))

    def role(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.RoleDecl:
        return syntax.RoleDecl(name_of(name), None, None, nodes(rest), span_of(keyword, *rest))

    def counted_role(
        self, keyword: Leaf, name: Leaf, _colon: Leaf, size: syntax.Signed | Leaf, *rest: Any
    ) -> syntax.RoleDecl:
        agents, others = (None, size.span) if isinstance(size, Leaf) else (size, None)
        span = span_of(keyword, size, *rest)
        return syntax.RoleDecl(name_of(name), agents, others, nodes(rest), span, braced=bool(rest))

    def role_size(self, size: syntax.Signed | Leaf, _unit: Leaf | None = None) -> syntax.Signed | Leaf:
        return size

    def cascade(
        self, keyword: Leaf, name: Leaf, _colon: Leaf, guard: syntax.Expr, _arrow: Leaf, body: Pieces | syntax.Stmt
    ) -> syntax.CascadeDecl:
        return syntax.CascadeDecl(name_of(name), guard, statements_of(body), span_of(keyword, body), is_braced(body))

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
        spread, places = apart(pieces, syntax.SpreadItem, SPOTS)
        spots = tuple(each.items if isinstance(each, Pieces) else each for each in places)
        return syntax.AffordanceDecl(
            name=name_of(name),
            place=spots[0] if spots else None,
            place_span=None if place is None else place.span,
            hours=None if hours is None else (hours.items[0], hours.items[1]),
            duration=ticks,
            together=together,
            items=every(AFFORDANCE_ITEMS, rest),
            span=span_of(keyword, *rest),
            spread=spread,
            copies=copies,
            others=spots[1:],
        )

    def copies(self, _colon: Leaf, number: syntax.Signed, _unit: Leaf) -> syntax.Signed:
        return number

    def place(self, first: Leaf | Pieces | syntax.Quoted | syntax.Name, *rest: Any) -> Pieces:
        return Pieces(nodes((first, *rest), frozenset(("random", ","))), span_of(first, *rest))

    def spread(self, keyword: Leaf, what: syntax.Name | syntax.Signed, *rest: Any) -> syntax.SpreadItem:
        names, numbers = apart((what, *rest), syntax.Name, syntax.Signed, fixed=frozenset(("within",)))
        name, number = next(iter(names), None), next(iter(numbers), None)
        return syntax.SpreadItem(name_of(keyword), name, number, span_of(keyword, what, *rest))

    def hours(self, keyword: Leaf, opens: syntax.Signed, _to: Leaf, closes: syntax.Signed) -> Pieces:
        return Pieces((opens, closes), span_of(keyword, closes))

    def duration(self, keyword: Leaf, ticks: syntax.Signed | Leaf, *rest: Leaf | None) -> Pieces:
        units, together = apart(rest, UNITS, frozenset(("together",)))
        duration = name_of(ticks) if isinstance(ticks, Leaf) else lasting(ticks, units[0])
        return Pieces((duration, together[0].span if together else None), span_of(keyword, ticks, *rest))

    def opening(self, keyword: Leaf, _when: Leaf, condition: syntax.Expr) -> syntax.OpenItem:
        return syntax.OpenItem(condition, span_of(keyword, condition), appears=keyword.text == "appears")

    def follows(self, keyword: Leaf, *rest: Any) -> syntax.FollowsItem:
        places, *often = apart(rest, SPOTS, syntax.Signed, UNITS, fixed=frozenset((",", "every")))
        stops = tuple(each.items if isinstance(each, Pieces) else each for each in places)
        return syntax.FollowsItem(stops, period(*often), span_of(keyword, *rest))

    def wanders(self, keyword: Leaf, *rest: Any) -> syntax.WandersItem:
        often = apart(rest, syntax.Signed, UNITS, fixed=frozenset(("every",)))
        return syntax.WandersItem(period(*often), span_of(keyword, *rest))

    def timed_block(self, *pieces: Any) -> syntax.BlockItem:
        *words, block = pieces
        kinds: dict[str, Any] = {"instantly": "instantly", "each": "each tick", "on": "on completion"}
        return syntax.BlockItem(kinds[words[0].text], block.items, span_of(words[0], block))

    def action(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.ActionDecl:
        return syntax.ActionDecl(name_of(name), nodes(rest), span_of(keyword, *rest))

    def needs(self, keyword: Leaf, condition: syntax.Expr) -> syntax.NeedsItem:
        return syntax.NeedsItem(condition, span_of(keyword, condition))

    def capacity(self, keyword: Leaf, places: syntax.Expr, rank: Pieces | None) -> syntax.CapacityItem:
        lowest, highest = (None, None) if rank is None else rank.items
        return syntax.CapacityItem(places, lowest, highest, span_of(keyword, places, rank))

    def rank(self, to: Leaf, _order: Leaf, by: Leaf | syntax.Expr) -> Pieces:
        return Pieces((name_of(by), None) if isinstance(by, Leaf) else (None, by), span_of(to, by))

    def move(self, keyword: Leaf, cell: Pieces) -> syntax.MoveItem:
        return syntax.MoveItem(cell.items, span_of(keyword, cell))

    def teleport(self, keyword: Leaf, cell: Pieces | syntax.Quoted | syntax.Name) -> syntax.TeleportItem:
        return syntax.TeleportItem(cell.items if isinstance(cell, Pieces) else cell, span_of(keyword, cell))

    def keeps(self, keyword: Leaf, progress: Leaf) -> syntax.KeepsItem:
        return syntax.KeepsItem(span_of(keyword, progress))

    def allow(self, keyword: Leaf, *rest: Any) -> syntax.AllowDecl:
        *listed, condition = rest
        (names,) = apart(listed, NAMES, fixed=frozenset(("all", "when")))
        return syntax.AllowDecl(tuple(map(name_of, names)), condition, span_of(keyword, condition))

    # --- what is seen and rewarded ---

    def dies(self, keyword: Leaf, _when: Leaf, condition: syntax.Expr) -> syntax.DiesDecl:
        return syntax.DiesDecl(condition, span_of(keyword, condition))

    def ends(self, keyword: Leaf, _when: Leaf, condition: syntax.Expr, *rest: Any) -> syntax.EndsDecl:
        properties = every(syntax.Property, rest)
        return syntax.EndsDecl(condition, properties, False, span_of(keyword, condition, *rest))

    def world_ends(
        self, keyword: Leaf, _ends: Leaf, _when: Leaf, condition: syntax.Expr, *rest: Any
    ) -> syntax.EndsDecl:
        properties = every(syntax.Property, rest)
        return syntax.EndsDecl(condition, properties, True, span_of(keyword, condition, *rest))

    def reward(self, keyword: Leaf, value: syntax.Expr) -> syntax.RewardDecl:
        return syntax.RewardDecl(None, value, span_of(keyword, value))

    def named_reward(self, keyword: Leaf, name: Leaf, _colon: Leaf, value: syntax.Expr) -> syntax.RewardDecl:
        return syntax.RewardDecl(name_of(name), value, span_of(keyword, value))

    def report(self, keyword: Leaf, name: Leaf, _colon: Leaf, value: syntax.Expr) -> syntax.ReportDecl:
        return syntax.ReportDecl(name_of(name), value, span_of(keyword, value))

    def observe(self, keyword: Leaf, *rest: Any) -> syntax.ObserveDecl:
        items = every(syntax.ObserveItem, rest, BRACES | {"nothing"})
        return syntax.ObserveDecl(items, span_of(keyword, *rest))

    def observation(self, kind: Leaf, *rest: Any) -> syntax.ObserveItem:
        names, numbers, within = apart(
            rest, NAMES, syntax.Signed, frozenset(("sight",)), fixed=frozenset(("of", "in", "per"))
        )
        sight = within[0].span if within else None
        return syntax.ObserveItem(name_of(kind), tuple(map(name_of, names)), numbers, span_of(kind, *rest), sight)
