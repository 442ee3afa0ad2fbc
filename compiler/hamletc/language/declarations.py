"""From grammar rules to declarations: one method per rule, as `hamletc.language.build` says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from hamletc.language import syntax
from hamletc.language.pieces import (
    BRACES,
    SPOTS,
    Leaf,
    Pieces,
    apart,
    every,
    is_braced,
    name_of,
    nodes,
    span_of,
    statements_of,
)

AFFORDANCE_ITEMS = (
    *(syntax.NeedsItem, syntax.CapacityItem, syntax.OpenItem, syntax.BlockItem),
    *(syntax.FollowsItem, syntax.WandersItem, syntax.MeterDecl, syntax.RuleDecl, syntax.ActionDecl),
)
SPACE_PROPERTIES: Any = (syntax.Property, syntax.BlockProperty, syntax.PushProperty)
GRAPH_ITEMS: Any = (syntax.MapLetters, syntax.NodesDecl)
MAP_ITEMS: Any = (
    *(syntax.MapLetters, syntax.RegionDecl, syntax.TerrainDecl),
    *(syntax.ThinWallsDecl, syntax.DrawnWallsDecl, syntax.LevelDecl),
)


class Declarations:
    """The methods have the names of the rules in grammar.lark."""

    # --- space and time ---

    def space_decl(self, keyword: Leaf, kind: Leaf, *rest: Any) -> syntax.SpaceDecl:
        kinds = (syntax.Signed, SPACE_PROPERTIES, Pieces, syntax.GraphPath, GRAPH_ITEMS)
        sizes, properties, intervals, paths, items = apart(rest, *kinds, fixed=BRACES | {"x", "map"})
        bounds = tuple((interval.items[0], interval.items[1]) for interval in intervals)
        return syntax.SpaceDecl(name_of(kind), sizes, bounds, properties, span_of(keyword, kind, *rest), paths, items)

    def graph_path(self, *pieces: Leaf) -> syntax.GraphPath:
        links = tuple(cast(Any, piece.text) for piece in pieces[1::2])
        return syntax.GraphPath(tuple(map(name_of, pieces[::2])), links, span_of(*pieces))

    def map_decl(self, keyword: Leaf, *rest: Any) -> syntax.MapDecl:
        rows, items = apart(rest, syntax.Quoted, MAP_ITEMS)
        return syntax.MapDecl(None, rows, items, span_of(keyword, *rest))

    def map_file(self, keyword: Leaf, file: syntax.Quoted, *rest: Any) -> syntax.MapDecl:
        return syntax.MapDecl(file, (), every(MAP_ITEMS, rest), span_of(keyword, file, *rest))

    def quoted(self, text: Leaf) -> syntax.Quoted:
        return syntax.Quoted(text.text[1:-1], text.span)

    def override_decl(self, keyword: Leaf, declaration: syntax.Decl) -> syntax.OverrideDecl:
        return syntax.OverrideDecl(declaration, span_of(keyword, declaration))

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
            bounds = pieces[2].items if len(pieces) > 1 else None
        return Pieces((spec, bounds), span)

    def bounds(self, low: syntax.Expr, _to: Leaf, high: syntax.Expr) -> Pieces:
        return Pieces((low, high), span_of(low, high))

    def table_decl(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.TableDecl:
        sizes, numbers = apart(rest, syntax.Signed, Pieces, fixed=BRACES | {"x"})
        lines: dict[int, list[Pieces]] = {}
        for number in numbers:
            lines.setdefault(number.span.line, []).append(number)
        rows = (syntax.TableRow(" ".join(each.items[0] for each in line), span_of(*line)) for line in lines.values())
        return syntax.TableDecl(name_of(name), sizes, None, tuple(rows), span_of(keyword, name, *rest))

    def table_file(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.TableDecl:
        sizes, files = apart(rest, syntax.Signed, syntax.Quoted, fixed=frozenset(("x",)))
        return syntax.TableDecl(name_of(name), sizes, files[0], (), span_of(keyword, name, *rest))

    def table_number(self, minus: Leaf | None, number: Leaf) -> Pieces:
        return Pieces((number.text if minus is None else f"-{number.text}",), span_of(minus, number))

    def links_decl(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.LinksDecl:
        return syntax.LinksDecl(name_of(name), None, every(syntax.LinkPath, rest), (), span_of(keyword, name, *rest))

    def links_file(self, keyword: Leaf, name: Leaf, file: syntax.Quoted) -> syntax.LinksDecl:
        return syntax.LinksDecl(name_of(name), file, (), (), span_of(keyword, file))

    def link_path(self, *pieces: Leaf) -> syntax.LinkPath:
        ways = tuple(cast(Any, piece.text) for piece in pieces[1::2])
        agents = tuple(syntax.Signed(piece.text, piece.span) for piece in pieces[::2])
        return syntax.LinkPath(agents, ways, span_of(*pieces))

    # --- what happens every tick ---

    def rule_decl(self, keyword: Leaf, name: Leaf, *rest: Any) -> syntax.RuleDecl:
        body = rest[-1]
        return syntax.RuleDecl(name_of(name), None, statements_of(body), span_of(keyword, *rest), is_braced(body))

    def guarded_rule(
        self, keyword: Leaf, name: Leaf, _colon: Leaf, guard: syntax.Expr, _arrow: Leaf, body: Pieces | syntax.Stmt
    ) -> syntax.RuleDecl:
        return syntax.RuleDecl(name_of(name), guard, statements_of(body), span_of(keyword, body), is_braced(body))

    def kept(self, keyword: Leaf, declaration: syntax.MeterDecl) -> syntax.MeterDecl:
        return replace(declaration, kept=True, span=span_of(keyword, declaration))

    def per_agent(self, keyword: Leaf, _agent: Leaf, declaration: syntax.MeterDecl) -> syntax.MeterDecl:
        return replace(declaration, per_agent=True, span=span_of(keyword, declaration))

    def cascade_decl(
        self, keyword: Leaf, name: Leaf, _colon: Leaf, guard: syntax.Expr, _arrow: Leaf, body: Pieces | syntax.Stmt
    ) -> syntax.CascadeDecl:
        return syntax.CascadeDecl(name_of(name), guard, statements_of(body), span_of(keyword, body), is_braced(body))

    # --- what an agent can do ---

    def affordance_decl(
        self,
        keyword: Leaf,
        name: Leaf,
        copies: syntax.Signed | None,
        _at: Leaf | None,
        place: Pieces | None,
        solid: Leaf | None,
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
            solid=None if solid is None else solid.span,
        )

    def copies(self, _colon: Leaf, number: syntax.Signed, _unit: Leaf) -> syntax.Signed:
        return number

    def place(self, first: Leaf | Pieces | syntax.Quoted | syntax.Name, *rest: Any) -> Pieces:
        return Pieces(nodes((first, *rest), frozenset(("random", ","))), span_of(first, *rest))

    def hours(self, keyword: Leaf, opens: syntax.Signed, _to: Leaf, closes: syntax.Signed) -> Pieces:
        return Pieces((opens, closes), span_of(keyword, closes))

    def lasts(self, keyword: Leaf, lasting: Pieces, together: Leaf | None) -> Pieces:
        return Pieces(
            (lasting.items[0], None if together is None else together.span), span_of(keyword, lasting, together)
        )
