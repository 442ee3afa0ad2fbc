"""What a source looks like before it is laid out in lines: items, each a piece of text and at most one block."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

from hamlet.universe import Span
from hamletc.language import syntax
from hamletc.language.braces import DECLARATIONS
from hamletc.language.spelling import spell_expression, spell_name, spell_quantity
from hamletc.language.tables import after, terminals


@dataclass(frozen=True, slots=True)
class Item:
    """A declaration, property or statement. `key` is the part that is aligned with those of its neighbours. What is
    `broken` never stands in one line."""

    key: str
    text: str
    block: tuple[Item, ...] | None
    span: Span
    broken: bool = False

    @property
    def head(self) -> str:
        """Everything before the block."""
        return f"{self.key} {self.text}".strip()

    @property
    def flat(self) -> str:
        """The item in one line."""
        if self.block is None:
            return self.head
        return (
            f"{self.head} {{ {'  '.join(item.flat for item in self.block)} }}" if self.block else f"{self.head} {{ }}"
        )

    @property
    def nests(self) -> bool:
        """Whether there are blocks in its block."""
        return any(item.block is not None for item in self.block or ())


_ALL = frozenset(("all",))
_NOTHING: frozenset[str] = frozenset()
_TYPES = frozenset(("int", "real", "bool"))
"""What a first option would be read as."""
_STARTS = frozenset(("starts", "region"))
_RANDOM = frozenset(("random",))


def declaration_item(declaration: syntax.Decl) -> Item:
    """The item of a declaration."""
    span = declaration.span
    match declaration:
        case syntax.SpaceDecl(kind=syntax.Name(text="graph"), properties=properties, paths=paths, items=items):
            inside = (*map(_path, paths), *map(_graph_item, items), *(_properties(properties) or ()))
            return Item("", "space graph", inside, span)
        case syntax.SpaceDecl(properties=properties):
            return Item("", _space_head(declaration), _properties(properties), span)
        case syntax.MapDecl(file=file, rows=rows, items=items):
            if file is not None and not items:
                return Item("", f'map "{file.text}"', None, span)
            pieces = () if file is not None else tuple(Item("", f'"{row.text}"', None, row.span) for row in rows)
            head = "map" if file is None else f'map "{file.text}"'
            return Item("", head, (*pieces, *map(_map_item, items)), span, broken=True)
        case syntax.MovesDecl(moves=moves):
            return Item("", "moves", tuple(_move(move) for move in moves), span)
        case syntax.ClockDecl(hours=hours):
            return Item("", f"clock {spell_quantity(hours.text, 'hour')}", None, span)
        case syntax.LifespanDecl(ticks=ticks, properties=properties):
            length = _lasting(ticks) if isinstance(ticks, syntax.Signed) else ticks.text
            return Item("", f"lifespan {length}", _properties(properties), span)
        case syntax.StartDecl(velocity=velocity, speed=speed):
            parts = [] if velocity is None else [f"velocity {_cell(velocity)}"]
            parts += [] if speed is None else [f"speed {speed.text}"]
            return Item("", f"start {' '.join(parts)}", None, span)
        case syntax.EpisodesDecl():
            return Item("", "episodes by hand", None, span)
        case syntax.TrackDecl(by=by):
            return Item("", "track uses" if by is None else f"track uses by {by.text}", None, span)
        case syntax.InertDecl():
            return Item("", "inert allowed", None, span)
        case syntax.ParamDecl(name=name, default=default, bounds=bounds):
            return Item(f"param {spell_name(name)}", f"= {spell_expression(default)}{_bounds(bounds)}", None, span)
        case syntax.InputDecl(name=name, default=default, bounds=bounds):
            return Item(f"input {spell_name(name)}", f"= {spell_expression(default)}{_bounds(bounds)}", None, span)
        case syntax.ControlDecl(name=name, bounds=bounds):
            return Item(f"control {spell_name(name)}", _bounds(bounds).lstrip(), None, span)
        case syntax.LetDecl(name=name, value=value):
            return Item(f"let {spell_name(name)}", f"= {spell_expression(value)}", None, span)
        case syntax.IncludeDecl(path=path):
            return Item("", f'include "{path}"', None, span)
        case syntax.WithoutDecl(kind=kind, name=name):
            # Behind `without reward` another declaration may follow.
            others = DECLARATIONS if kind.text == "reward" else frozenset()
            return Item("", f"without {kind.text}{'' if name is None else f' {spell_name(name, others)}'}", None, span)
        case syntax.OverrideDecl(declaration=inner):
            item = declaration_item(inner)
            if item.key:
                return replace(item, key=f"override {item.key}", span=span)
            return replace(item, text=f"override {item.text}", span=span)
        case syntax.TemplateDecl(name=name, parameters=parameters, declarations=parts):
            head = f"template {spell_name(name)}({', '.join(map(spell_name, parameters))})"
            return Item("", head, tuple(map(declaration_item, parts)), span, broken=True)
        case syntax.UseDecl(template=name, arguments=arguments):
            return Item("", f"use {spell_name(name)}({', '.join(map(spell_expression, arguments))})", None, span)
        case syntax.MeterDecl(kept=True):
            item = declaration_item(replace(declaration, kept=False))
            return replace(item, key=f"kept {item.key}")
        case syntax.MeterDecl(per_agent=True):
            item = declaration_item(replace(declaration, per_agent=False))
            return replace(item, key=f"per agent {item.key}")
        case syntax.MeterDecl(name=name, start=start, bounds=bounds, state=syntax.StateSpec() as state):
            begins = f"= {spell_expression(start)}"
            if not state.kind:
                return Item(f"state {spell_name(name)}", begins, None, span)
            words = f"{state.kind}{_bounds(bounds)}"
            if state.options:
                first, *rest = state.options
                words = " ".join((spell_name(first, _TYPES), *map(spell_name, rest)))
            return Item(f"state {spell_name(name)}:", f"{words} {begins}", None, span)
        case syntax.MeterDecl(name=name, start=start, bounds=bounds, properties=properties):
            text = f"= {spell_expression(start)}{_bounds(bounds)}"
            return Item(f"meter {spell_name(name)}", text, _properties(properties), span)
        case syntax.RuleDecl(name=name, guard=guard, body=body, braced=braced):
            if guard is None and (braced or len(body) != 1):
                return Item("", f"rule {spell_name(name)}", _statements(body), span)
            before = "" if guard is None else f"{spell_expression(guard)} -> "
            return _body_item(f"rule {spell_name(name)}:", before, body, span, braced=braced)
        case syntax.WorldDecl(items=items):
            return Item("", "world", tuple(map(declaration_item, items)), span, broken=True)
        case syntax.StagesDecl(switches=switches):
            return Item("", "stages", tuple(map(_switch, switches)), span, broken=True)
        case syntax.RoleDecl(items=items, braced=braced):
            block = tuple(map(declaration_item, items)) if braced else None
            return Item("", _role_head(declaration), block, span, broken=braced)
        case syntax.EffectDecl(name=name, duration=lasting, items=items):
            length = _lasting(lasting) if isinstance(lasting, syntax.Signed) else lasting.text
            return Item("", f"effect {spell_name(name)} lasts {length}", tuple(map(_inner_item, items)), span)
        case syntax.SlotsDecl(number=number):
            return Item("", f"slots {number.text}", None, span)
        case syntax.ItemDecl(name=name, items=items, braced=braced):
            block = tuple(map(_thing, items)) if braced else None
            return Item("", f"item {spell_name(name)}", block, span, broken=braced)
        case syntax.CellsDecl(items=items):
            return Item("", "cells", tuple(map(declaration_item, items)), span, broken=True)
        case syntax.CascadeDecl(name=name, guard=guard, body=body, braced=braced):
            before = f"{spell_expression(guard)} -> "
            return _body_item(f"cascade {spell_name(name)}:", before, body, span, braced=braced)
        case syntax.AffordanceDecl(items=items):
            return Item("", _affordance_head(declaration), tuple(_inner_item(item) for item in items), span)
        case syntax.ActionDecl(name=name, items=items):
            return Item("", f"action {spell_name(name)}", tuple(_inner_item(item) for item in items), span)
        case syntax.AllowDecl(actions=actions, condition=condition):
            words = " ".join(spell_name(name, _ALL) for name in actions) or "all"
            return Item("", f"allow {words} when {spell_expression(condition)}", None, span)
        case syntax.DiesDecl(condition=condition):
            return Item("", f"dies when {spell_expression(condition)}", None, span)
        case syntax.EndsDecl(condition=condition, properties=properties, world=world):
            head = f"{'world ' if world else ''}ends when {spell_expression(condition)}"
            return Item("", head, _properties(properties), span)
        case syntax.RewardDecl(name=name, value=value):
            if name is None:
                return Item("", f"reward {spell_expression(value)}", None, span)
            return Item(f"reward {spell_name(name)}:", spell_expression(value), None, span)
        case syntax.ReportDecl(name=name, value=value):
            return Item(f"report {spell_name(name)}:", spell_expression(value), None, span)
        case syntax.ObserveDecl(items=()):
            return Item("", "observe nothing", None, span)
        case syntax.ObserveDecl(items=items):
            return Item("", "observe", tuple(_observation(item) for item in items), span)
    assert_never(declaration)


def _role_head(role: syntax.RoleDecl) -> str:
    if role.others is not None:
        return f"role {spell_name(role.name)}: others"
    if role.agents is None:
        return f"role {spell_name(role.name)}"
    return f"role {spell_name(role.name)}: {role.agents.text} agent{'' if role.agents.text == '1' else 's'}"


def _space_head(space: syntax.SpaceDecl) -> str:
    shape = [size.text for size in space.sizes] or [f"({low.text} .. {high.text})" for low, high in space.bounds]
    if space.kind.text in syntax.GRIDS and not shape:
        shape = ["map"]
    return f"space {space.kind.text} {' x '.join(shape)}".rstrip()


def _path(path: syntax.GraphPath) -> Item:
    words = [spell_name(path.nodes[0], _STARTS)]
    for link, node in zip(path.links, path.nodes[1:], strict=True):
        words += [link, spell_name(node)]
    return Item("", " ".join(words), None, path.span)


def _graph_item(item: syntax.MapLetters | syntax.NodesDecl) -> Item:
    match item:
        case syntax.NodesDecl(name=name, nodes=nodes):
            return Item("", f"region {spell_name(name)} {{ {' '.join(map(spell_name, nodes))} }}", None, item.span)
        case syntax.MapLetters():
            return _map_item(item)


def _map_item(item: syntax.MapLetters | syntax.RegionDecl | syntax.TerrainDecl) -> Item:
    match item:
        case syntax.MapLetters(kind=kind, letters=syntax.Name() as region):
            return Item("", f"{kind.text} in {spell_name(region)}", None, item.span)
        case syntax.MapLetters(kind=kind, letters=letters):
            return Item("", f'{kind.text} "{letters.text}"', None, item.span)
        case syntax.RegionDecl(name=name, letters=letters):
            return Item("", f'region {spell_name(name)} "{letters.text}"', None, item.span)
        case syntax.TerrainDecl(name=name, default=default, numbers=numbers):
            block = tuple(
                Item("", f"{spell_name(each.region)} {spell_expression(each.value)}", None, each.span)
                for each in numbers
            )
            return Item("", f"terrain {spell_name(name)} = {spell_expression(default)}", block or None, item.span)
    assert_never(item)


def _move(move: syntax.MoveDef) -> Item:
    return Item("", f"{spell_name(move.name)} {_cell(move.delta)}", None, move.span)


def _affordance_head(affordance: syntax.AffordanceDecl) -> str:
    words = [f"affordance {spell_name(affordance.name)}"]
    if affordance.copies is not None:
        words = [f"{words[0]}: {affordance.copies.text} {'copy' if affordance.copies.text == '1' else 'copies'}"]
    if affordance.place_span is not None:
        spots = ["random" if affordance.place is None else _spot(affordance.place)]
        spots += map(_spot, affordance.others)
        words.append(f"at {', '.join(spots)}")
    words += map(_spread, affordance.spread)
    if affordance.hours is not None:
        words.append(f"open {affordance.hours[0].text} .. {affordance.hours[1].text}")
    match affordance.duration:
        case syntax.Signed():
            words.append(f"lasts {_lasting(affordance.duration)}")
        case syntax.Name():
            words.append(f"lasts {affordance.duration.text}")
        case None:
            pass
    if affordance.together is not None:
        words.append("together")
    return " ".join(words)


def _spread(item: syntax.SpreadItem) -> str:
    name = "" if item.name is None else f" {spell_name(item.name)}"
    number = "" if item.number is None else f"{' within' if item.name is not None else ''} {item.number.text}"
    return f"{item.kind.text}{name}{number}"


def _thing(item: syntax.Property | syntax.CraftItem | syntax.UseItem | syntax.AbleItem) -> Item:
    """What stands in the braces of an item."""
    match item:
        case syntax.Property(key=key, value=value):
            between = {"appears": " when", "rots": " when", "up": " to"}.get(key.text, "")
            return Item("", f"{key.text}{between} {spell_expression(value)}", None, item.span)
        case syntax.CraftItem(shares=shares, items=items, braced=braced):
            parts = ", ".join(f"{each.number.text} {spell_name(each.name)}" for each in shares)
            return Item("", f"craft from {parts}", tuple(map(_inner_item, items)) if braced else None, item.span)
        case syntax.UseItem(items=items):
            return Item("", "use", tuple(map(_inner_item, items)), item.span)
        case syntax.AbleItem(verbs=verbs):
            words = " ".join(verb.text for verb in verbs)
            return Item("", f"can {words}{_rank(item)}", None, item.span)


def _rank(item: syntax.CapacityItem | syntax.AbleItem) -> str:
    """Who comes first."""
    by = "" if item.lowest is None else f" to lowest {spell_name(item.lowest)}"
    return by + ("" if item.highest is None else f" to highest {spell_expression(item.highest)}")


def _switch(item: syntax.Switch) -> Item:
    names = f"{spell_name(item.source)} -> {spell_name(item.target)}"
    return Item("", f"{names} when {spell_expression(item.condition)}", None, item.span)


def _inner_item(
    item: syntax.NeedsItem
    | syntax.CapacityItem
    | syntax.OpenItem
    | syntax.FollowsItem
    | syntax.WandersItem
    | syntax.MeterDecl
    | syntax.RuleDecl
    | syntax.ActionDecl
    | syntax.MomentItem
    | syntax.AgainItem
    | syntax.UntilItem
    | syntax.BlockItem
    | syntax.MoveItem
    | syntax.TeleportItem
    | syntax.KeepsItem
    | syntax.Stmt,
) -> Item:
    match item:
        case syntax.NeedsItem(condition=condition):
            return Item("", f"needs {spell_expression(condition)}", None, item.span)
        case syntax.CapacityItem(places=places):
            return Item("", f"capacity {spell_expression(places)}{_rank(item)}", None, item.span)
        case syntax.OpenItem(condition=condition, appears=appears):
            word = "appears" if appears else "open"
            return Item("", f"{word} when {spell_expression(condition)}", None, item.span)
        case syntax.FollowsItem(stops=stops, period=period):
            return Item("", f"follows {', '.join(map(_spot, stops))}{_every(period)}", None, item.span)
        case syntax.WandersItem(period=period):
            return Item("", f"wanders{_every(period)}", None, item.span)
        case syntax.MeterDecl() | syntax.RuleDecl() | syntax.ActionDecl():
            return declaration_item(item)
        case syntax.BlockItem(kind=kind, body=body) | syntax.MomentItem(kind=kind, body=body):
            return Item("", kind, _statements(body), item.span)
        case syntax.AgainItem(how=how, most=most):
            return Item("", f"again {how}{_up_to(how, most)}", None, item.span)
        case syntax.UntilItem(condition=condition):
            return Item("", f"until {spell_expression(condition)}", None, item.span)
        case syntax.BeginStmt(word=word, effect=effect):
            return Item("", f"{word} {spell_name(effect)}", None, item.span)
        case syntax.MoveItem(delta=delta):
            return Item("", f"move {_cell(delta)}", None, item.span)
        case syntax.TeleportItem(cell=cell):
            return Item("", f"teleport {_spot(cell)}", None, item.span)
        case syntax.KeepsItem():
            return Item("", "keeps progress", None, item.span)
        case syntax.AssignStmt(meter=meter, op=op, value=value, unclamped=unclamped, owner=owner):
            suffix = "" if unclamped is None else " unclamped"
            # A keyword before `=` is a meter only where the text declares one: what was in backticks stays so. Before
            # `of` it is none.
            keywords = frozenset(terminals()) if owner is not None or (meter.quoted and op == "=") else _NOTHING
            written = spell_name(meter, keywords) + ("" if owner is None else f" of {spell_name(owner)}")
            return Item("", f"{written} {op} {spell_expression(value)}{suffix}", None, item.span)
        case syntax.PushStmt(axis=axis, op=op, value=value, unclamped=unclamped):
            suffix = "" if unclamped is None else " unclamped"
            return Item("", f"{item.what} {spell_name(axis)} {op} {spell_expression(value)}{suffix}", None, item.span)
        case syntax.TogetherStmt(body=body):
            return Item("", "together", _statements(body), item.span)
    assert_never(item)


def _body_item(key: str, before: str, body: tuple[syntax.Stmt, ...], span: Span, *, braced: bool) -> Item:
    """A rule or cascade: a lone statement that is not `braced` stands by itself, others stand in a block."""
    if len(body) == 1 and not braced:
        statement = _inner_item(body[0])
        return Item(key, before + statement.text, statement.block, span)
    return Item(key, before.rstrip(), _statements(body), span)


def _statements(body: tuple[syntax.Stmt, ...]) -> tuple[Item, ...]:
    return tuple(_inner_item(statement) for statement in body)


def _properties(properties: tuple[syntax.Property, ...]) -> tuple[Item, ...] | None:
    words = {"momentum": "momentum up to"}
    items = tuple(
        Item("", f"{words.get(p.key.text, p.key.text)} {spell_expression(p.value)}", None, p.span) for p in properties
    )
    return items or None


def _observation(item: syntax.ObserveItem) -> Item:
    if item.kind.text in ("grid", "window") and item.words:
        number = "".join(f" {number.text}" for number in item.numbers)
        text = f"{item.kind.text}{number} of {spell_name(item.words[0])}"
        return Item("", text if item.sight is None else f"{text} in sight", None, item.span)
    # A name in a list of meters, params or affordances would begin the next item.
    keywords = _NOTHING if item.kind.text == "position" else after("observe", "{")
    words = [item.kind.text, *(spell_name(word, keywords) for word in item.words)]
    if item.numbers and item.kind.text == "progress":
        words.append("per")
    words += [number.text for number in item.numbers]
    words += [] if item.sight is None else ["in sight"]
    return Item("", " ".join(words), None, item.span)


def _bounds(bounds: tuple[syntax.Expr, syntax.Expr] | None) -> str:
    return "" if bounds is None else f" in {spell_expression(bounds[0])} .. {spell_expression(bounds[1])}"


def _cell(cell: tuple[syntax.Signed, ...]) -> str:
    return f"({', '.join(coordinate.text for coordinate in cell)})"


def _spot(place: tuple[syntax.Signed, ...] | syntax.Quoted | syntax.Name) -> str:
    """A place: a cell, a letter of the map, or a node."""
    if isinstance(place, syntax.Name):
        return spell_name(place, _RANDOM)
    return f'"{place.text}"' if isinstance(place, syntax.Quoted) else _cell(place)


def _every(period: syntax.Signed | None) -> str:
    return "" if period is None else f" every {_lasting(period)}"


def _up_to(how: str, most: syntax.Signed | None) -> str:
    if most is None:
        return ""
    return f" up to {_lasting(most) if how == 'add' else most.text}"


def _lasting(duration: syntax.Signed) -> str:
    return spell_quantity(duration.text, duration.unit or "tick")
