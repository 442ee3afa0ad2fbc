"""`item`, `slots`: what agents carry becomes a state of theirs per kind of things, what lies on cells a meter of cells,
and what agents do with things actions. Whoever gets something and whoever loses it count the same claims, on what the
tick began with: so no thing is made or lost on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.affordances import own_name
from hamletc.expansion.constants import constant
from hamletc.expansion.lets import roles
from hamletc.expansion.places import Copy, Places
from hamletc.expansion.things import Thing, problems_of_things, slots_of, things_of
from hamletc.expansion.trees import assign, binary, call, every, named, number, whole
from hamletc.language import syntax

VERBS = {"pick": "PICK", "drop": "DROP", "give": "GIVE"}
CARRIED: tuple[tuple[str, syntax.BinaryOp], ...] = (("pick", "-"), ("drop", "+"))
"""What agents do to the number that lies on a cell."""
BY_THEMSELVES: tuple[tuple[str, Literal["+=", "-="]], ...] = (("appears", "+="), ("rots", "-="))
"""What happens to it without them."""


def items_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations without things, and what is wrong with these."""
    things, slots = things_of(declarations), slots_of(declarations)
    problems = tuple(problems_of_things(declarations, things, places))
    if problems or slots is None or not things:
        return declarations, problems
    inventory = Inventory(things, int(constant(slots.number) or 1), slots.span, places)
    made: list[syntax.Decl] = [*inventory.receiving()]
    for item in declarations:
        match item:
            case syntax.SlotsDecl():
                pass
            case syntax.ItemDecl(name=name):
                made += inventory.declarations(things[name.text])
            case _:
                made.append(inventory.tree(item))
    return tuple(made), ()


@dataclass(frozen=True, slots=True)
class Inventory:
    """Writes things out. `slots` is how many an agent carries at most."""

    things: Mapping[str, Thing]
    slots: int
    span: Span
    places: Places
    files: dict[int, int] = field(default_factory=dict)

    def _made(self, span: Span) -> Span:
        """The place of what is written out for something here."""
        if span.file not in self.files:
            copy = Copy(span.file, self.span, "written", "what agents carry", made=True)
            self.files[span.file] = self.places.add(copy)
        return replace(span, file=self.files[span.file])

    # --- conditions ---

    def _carried(self, span: Span) -> syntax.Expr:
        """How many things an agent carries."""
        return every("+", [named(name, span) for name in self.things], span)

    def _has_room(self, span: Span) -> syntax.Expr:
        return binary("<", self._carried(span), number(self.slots, span), span)

    def _spare(self, thing: Thing, least: int, span: Span) -> syntax.Expr:
        """Whether an agent has so many that are not worn: what is worn stays with who wore it."""
        held: syntax.Expr = named(thing.name, span)
        if thing.wear:
            worn = binary(">", named(_wear(thing), span), number(0, span), span)
            held = binary("-", held, syntax.WhenExpr(number(1, span), worn, span), span)
        return binary(">=", held, number(least, span), span)

    def _gives(self, thing: Thing, span: Span) -> syntax.Expr:
        return binary("and", _chosen("GIVE", thing, span), self._spare(thing, 1, span), span)

    def _receives(self, span: Span) -> syntax.Expr:
        return binary("and", _waits(span), self._has_room(span), span)

    @property
    def _given(self) -> list[Thing]:
        return [thing for thing in self.things.values() if "give" in thing.verbs]

    # --- declarations ---

    def declarations(self, thing: Thing) -> Iterator[syntax.Decl]:
        """What a kind of things becomes."""
        span = self._made(thing.head.name.span)
        yield whole(thing.name, 0, self.slots, thing.said.get("carried", number(0, span)), span, "item")
        if thing.wear:
            yield whole(_wear(thing), 0, thing.wear, number(0, span), span, "item")
        if "pick" in thing.verbs or "drop" in thing.verbs:
            yield whole(_moved_by(thing), 0, 1, number(0, span), span)
        if thing.lies:
            yield self._ground(thing)
        for verb in thing.verbs:
            match verb:
                case "pick":
                    yield from self._pick(thing)
                case "drop":
                    yield from self._drop(thing)
                case _:
                    yield from self._give(thing)
        if thing.used is not None:
            yield from self._use(thing, thing.used)
        if thing.crafted is not None:
            yield from self._craft(thing, thing.crafted)

    def _ground(self, thing: Thing) -> syntax.CellsDecl:
        """How many lie on each cell."""
        span, name = thing.head.name.span, _lying(thing)
        low, most = number(0, span), number(thing.most, span)
        meter = syntax.MeterDecl(named(name, span), thing.said.get("lying", low), (low, most), (), span)
        body: list[syntax.Stmt] = []
        there = named(name, span)
        moved: syntax.Expr = there
        for verb, op in CARRIED:
            if verb in thing.verbs:
                hands = syntax.WhenExpr(named(_moved_by(thing), span), _chosen(VERBS[verb], thing, span), span)
                moved = binary(op, moved, call("total", hands, span=span), span)
        if moved is not there:
            body.append(assign(name, "=", moved, span))
        for word, change in BY_THEMSELVES:
            if word in thing.said:
                when = thing.said[word]
                body.append(assign(name, change, syntax.WhenExpr(number(1, when.span), when, when.span), when.span))
        rule = syntax.RuleDecl(named(own_name("ground", thing.name), span), None, tuple(body), span, True)
        rules = (rule,) if body else ()
        return syntax.CellsDecl((meter, *rules), span)

    def _pick(self, thing: Thing) -> Iterator[syntax.Decl]:
        """Of those who pick here and have room, as many as there are things."""
        span = self._made(thing.head.name.span)
        there, room = named(_lying(thing), span), self._has_room(span)
        masked = binary("and", binary(">=", there, number(1, span), span), room, span)
        yield from self._contended("pick", thing, room, there, masked)

    def _drop(self, thing: Thing) -> Iterator[syntax.Decl]:
        """Of those who drop here and have one, as many as there is room."""
        span = self._made(thing.head.name.span)
        spare = self._spare(thing, 1, span)
        room = binary("-", number(thing.most, span), named(_lying(thing), span), span)
        masked = binary("and", spare, binary(">=", room, number(1, span), span), span)
        yield from self._contended("drop", thing, spare, room, masked)

    def _contended(
        self, verb: str, thing: Thing, able: syntax.Expr, places: syntax.Expr, masked: syntax.Expr
    ) -> Iterator[syntax.Decl]:
        """An action of which so many are granted on a cell. What is moved is kept, so that the cell counts the same."""
        span, name = thing.head.name.span, named(f"{VERBS[verb]}_{thing.name}", self._made(thing.head.name.span))
        mine = every("and", [_chosen(VERBS[verb], thing, span), _here(span), able], span)
        first = binary("<", call("rank", mine, _priority(thing, span), span=span), places, span)
        moved = syntax.WhenExpr(number(1, span), binary("and", able, first, span), span)
        body = (
            assign(_moved_by(thing), "=", moved, span),
            assign(thing.name, "+=" if verb == "pick" else "-=", named(_moved_by(thing), span), span),
        )
        yield syntax.ActionDecl(name, body, span)
        yield syntax.AllowDecl((name,), masked, span)

    def _give(self, thing: Thing) -> Iterator[syntax.Decl]:
        """The first of those who give here give to the first of those who wait here."""
        span = self._made(thing.head.name.span)
        givers = binary("and", every("or", [self._gives(each, span) for each in self._given], span), _here(span), span)
        takers = binary("and", self._receives(span), _here(span), span)
        place = call("rank", givers, self._order(span), span=span)
        granted = binary("<", place, call("count", takers, span=span), span)
        yield from _action("GIVE", thing, self._spare(thing, 1, span), [_moved(thing, "-=", granted, span)], span)

    def _order(self, span: Span) -> syntax.Expr:
        """Who gives things that are declared first comes first."""
        parts: list[syntax.Expr] = [
            syntax.WhenExpr(number(index, span), _chosen("GIVE", each, span), span)
            for index, each in enumerate(self._given)
            if index
        ]
        return syntax.UnaryExpr("-", every("+", parts, span), span) if parts else _first(span)

    def receiving(self) -> Iterator[syntax.RuleDecl]:
        """The rule by which agents who wait get what they are given; it comes first."""
        given = self._given
        if not given:
            return
        span = self._made(self.span)
        takers = binary("and", self._receives(span), _here(span), span)
        place = call("rank", takers, _first(span), span=span)
        body: list[syntax.Stmt] = []
        for index, thing in enumerate(given):
            upto = [
                call("count", binary("and", self._gives(each, span), _here(span), span), span=span)
                for each in given[: index + 1]
            ]
            fits = binary("<", place, every("+", list(upto), span), span)
            if index:
                fits = binary("and", binary(">=", place, every("+", list(upto[:-1]), span), span), fits, span)
            body.append(_moved(thing, "+=", fits, span))
        guard = binary("and", _waits(span), _before(self._has_room(span), span), span)
        yield syntax.RuleDecl(named("gifts", span), guard, tuple(body), span, True)

    def _use(self, thing: Thing, item: syntax.UseItem) -> Iterator[syntax.Decl]:
        span = self._made(item.span)
        has = binary(">=", named(thing.name, span), number(1, span), span)
        body = self._body(item.items)
        body += self._wears(thing, span) if thing.wear else [_gone(thing, 1, span)]
        yield from _action("USE", thing, has, body, span, item.items)

    def _craft(self, thing: Thing, item: syntax.CraftItem) -> Iterator[syntax.Decl]:
        span = self._made(item.span)
        shares = [(self.things[share.name.text], int(constant(share.number) or 1)) for share in item.shares]
        enough = every("and", [self._spare(part, count, span) for part, count in shares], span)
        body: list[syntax.Stmt] = [_gone(part, count, span) for part, count in shares]
        body += [assign(thing.name, "+=", number(1, span), span), *self._body(item.items)]
        yield from _action("CRAFT", thing, enough, body, span, item.items)

    def _body(self, items: Sequence[Any]) -> list[syntax.Stmt]:
        kept = tuple(item for item in items if not isinstance(item, syntax.NeedsItem))
        return list(self.tree(kept))

    # --- statements of authors ---

    def tree(self, node: Any) -> Any:
        """A node, in which statements about things keep to the slots, and things that are observed are what they have
        become."""
        match node:
            case tuple():
                return tuple(made for item in node for made in self._each(item))
            case str() | bool() | Span() | syntax.Name() | None:
                return node
            case syntax.ObserveItem():
                return self._observed(node)
            case syntax.RuleDecl(body=body, braced=braced):
                made = self.tree(body)
                return replace(node, body=made, braced=braced or len(made) > 1)
            case syntax.OfExpr(quantity=syntax.Name(text="lying" | "wear" as word), owner=owner):
                thing = self.things.get(owner.text)
                known = thing is not None and (thing.lies if word == "lying" else thing.wear > 0)
                return named(own_name(word, owner.text), node.span) if known else node
            case _:
                changes: dict[str, Any] = {}
                for field, role in roles(node):
                    old = getattr(node, field)
                    new = old if role == "span" else self.tree(old)
                    if new is not old:
                        changes[field] = new
                return replace(node, **changes) if changes else node

    def _each(self, item: Any) -> Iterator[Any]:
        """What stands for an item of a list."""
        match item:
            case syntax.AssignStmt(meter=meter) if meter.text in self.things:
                thing = self.things[meter.text]
                yield self._kept_to_slots(item)
                if thing.wear and item.op == "-=":
                    yield _renewed(thing, self._made(item.span))
            case syntax.TogetherStmt(body=body):
                yield replace(item, body=tuple(self._kept_to_slots(each) for each in body))
            case syntax.BeginStmt(word="wear", effect=name):
                yield from self._wears(self.things[name.text], self._made(item.span))
            case _:
                yield self.tree(item)

    def _kept_to_slots(self, statement: Any) -> Any:
        """`wood += 3` where there may be less room."""
        if not isinstance(statement, syntax.AssignStmt) or statement.meter.text not in self.things:
            return statement
        span, value = self._made(statement.span), statement.value
        if statement.op == "-=":
            return statement
        room = binary("-", number(self.slots, span), self._carried(span), span)
        room = call("max", number(0, span), room, span=span)
        return replace(statement, value=call("min", value, room, span=span))

    def _wears(self, thing: Thing, span: Span) -> list[syntax.Stmt]:
        """One more use of a thing, after the last of which it is gone."""
        has = binary(">", named(thing.name, span), number(0, span), span)
        out = binary(">=", named(_wear(thing), span), number(thing.wear, span), span)
        rest = syntax.IfExpr(out, number(0, span), named(_wear(thing), span), span)
        return [
            assign(_wear(thing), "+=", syntax.WhenExpr(number(1, span), has, span), span),
            assign(thing.name, "-=", syntax.WhenExpr(number(1, span), out, span), span),
            assign(_wear(thing), "=", rest, span),
        ]

    def _observed(self, item: syntax.ObserveItem) -> syntax.ObserveItem:
        names = [word.text for word in item.words]
        if item.kind.text == "items":
            shown = [thing for thing in self.things.values() if thing.name in names or not names]
            words = tuple(named(each, item.span) for thing in shown for each in _own(thing))
            return replace(item, kind=replace(item.kind, text="state"), words=words)
        if item.kind.text not in ("grid", "window", "cell"):
            return item
        lying = {thing.name: _lying(thing) for thing in self.things.values() if thing.lies}
        shown_there = (replace(each, text=lying.get(each.text, each.text)) for each in item.words)
        return replace(item, words=tuple(shown_there))


def _own(thing: Thing) -> list[str]:
    return [thing.name, _wear(thing)] if thing.wear else [thing.name]


def _wear(thing: Thing) -> str:
    return own_name("wear", thing.name)


def _lying(thing: Thing) -> str:
    return own_name("lying", thing.name)


def _chosen(verb: str, thing: Thing, span: Span) -> syntax.Expr:
    return binary("==", syntax.Name("action", span), named(f"{verb}_{thing.name}", span), span)


def _waits(span: Span) -> syntax.Expr:
    return binary("==", syntax.Name("action", span), named("WAIT", span), span)


def _here(span: Span) -> syntax.Expr:
    """Whether an agent stands where the one stands that asks."""
    return binary("==", syntax.Name("apart", span), number(0, span), span)


def _before(condition: syntax.Expr, span: Span) -> syntax.Expr:
    return call("previous", condition, span=span)


def _first(span: Span) -> syntax.Expr:
    """Those with the lowest numbers come first."""
    return syntax.UnaryExpr("-", syntax.Name("agent", span), span)


def _priority(thing: Thing, span: Span) -> syntax.Expr:
    return _first(span) if thing.priority is None else thing.priority


def _moved_by(thing: Thing) -> str:
    """The state that keeps whether an agent just picked one up, or dropped one."""
    return own_name("moved", thing.name)


def _moved(thing: Thing, op: Any, granted: syntax.Expr, span: Span) -> syntax.AssignStmt:
    return assign(thing.name, op, syntax.WhenExpr(number(1, span), granted, span), span)


def _gone(thing: Thing, count: int, span: Span) -> syntax.AssignStmt:
    return assign(thing.name, "-=", number(count, span), span)


def _renewed(thing: Thing, span: Span) -> syntax.AssignStmt:
    """Where nothing is left, nothing is worn."""
    left = binary(">", named(thing.name, span), number(0, span), span)
    rest = syntax.IfExpr(left, named(_wear(thing), span), number(0, span), span)
    return assign(_wear(thing), "=", rest, span)


def _action(
    verb: str, thing: Thing, needs: syntax.Expr, body: list[syntax.Stmt], span: Span, items: Sequence[Any] = ()
) -> Iterator[syntax.Decl]:
    """An action with a thing, which is off in the mask where there is none."""
    name = named(f"{verb}_{thing.name}", span)
    own = [item.condition for item in items if isinstance(item, syntax.NeedsItem)]
    condition = syntax.NeedsItem(every("and", [needs, *own], span), span)
    yield syntax.ActionDecl(name, (condition, *body), span)
    yield syntax.AllowDecl((name,), needs, span)
