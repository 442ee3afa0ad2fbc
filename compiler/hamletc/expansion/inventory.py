"""`item`, `slots`: what agents carry becomes a state of theirs per kind of things, what lies on cells a meter of cells,
and what agents do with things actions. Whoever gets something and whoever loses it count the same claims, on what the
tick began with: so no thing is made or lost on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, TypeVar

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.places import Copy, Places
from hamletc.expansion.seen_things import SeenThings, observed_by_all
from hamletc.expansion.things import VERBS, Thing, acts_of, first_of_all, problems_of_things, slots_of, things_of
from hamletc.expansion.trees import (
    Field,
    assign,
    binary,
    call,
    constant,
    every,
    free,
    listed,
    named,
    number,
    rebuilt,
    whole,
    word,
)
from hamletc.language import syntax
from hamletc.language.declared import in_namespace

T = TypeVar("T")

CARRIED: tuple[tuple[str, syntax.BinaryOp], ...] = (("pick", "-"), ("drop", "+"))
"""What agents do to the number that lies on a cell."""
GIFTS = "gifts"
"""The name of the rule by which agents get what they are given."""
BY_THEMSELVES: tuple[tuple[type[syntax.Property], Literal["+=", "-="]], ...] = (
    (syntax.AppearsProperty, "+="),
    (syntax.RotsProperty, "-="),
)
"""What happens to it without them."""


def items_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations without things, and what is wrong with these."""
    things, slots = things_of(declarations), slots_of(declarations)
    problems = tuple(problems_of_things(declarations, things, places))
    if problems or not slots or not things:
        return declarations, problems
    inventory = Inventory(things, slots, places, observed_by_all(declarations))
    made: list[syntax.Decl] = [*inventory.receiving(free(GIFTS, in_namespace("rule", declarations)))]
    for item in declarations:
        match item:
            case syntax.SlotsDecl():
                pass
            case syntax.ItemDecl(name=name):
                made += inventory.declarations(things[name.text])
            case syntax.RoleDecl():
                made.append(inventory.of_role(item))
            case _:
                made.append(inventory.tree(item))
    return tuple(made), ()


@dataclass(frozen=True, slots=True)
class Inventory:
    """Writes things out.

    Attributes:
        slots: how many an agent carries at most, by role.
        seen_by_all: whether all agents observe what they carry.
    """

    things: Mapping[str, Thing]
    slots: Mapping[str, syntax.SlotsDecl]
    places: Places
    seen_by_all: bool
    files: dict[int, int] = field(default_factory=dict)

    def _made(self, span: Span) -> Span:
        """The place of what is written out for something here."""
        if span.file not in self.files:
            copy = Copy(span.file, self._span, "written", "what agents carry", made=True)
            self.files[span.file] = self.places.add(copy)
        return replace(span, file=self.files[span.file])

    @property
    def _span(self) -> Span:
        return next(iter(self.slots.values())).span

    @property
    def _seen(self) -> SeenThings:
        return SeenThings(self.things, self.seen_by_all, self.tree)

    # --- how many ---

    def _room(self, span: Span) -> syntax.Expr:
        """How many things an agent carries at most."""
        found: syntax.Expr = number(self._most(""), span)
        for said in self.slots.values():
            if said.who is not None:
                found = syntax.IfExpr(replace(said.who, span=span), number(_count(said), span), found, span)
        return found

    def _most(self, role: str) -> int:
        """How many an agent of a role carries at most; by the empty name how many of no role with slots of its own."""
        said = self.slots.get(role) or self.slots.get("")
        return 0 if said is None else _count(said)

    def _bound(self, thing: Thing) -> int:
        """How many of these an agent carries at most."""
        return self._most(thing.role) if thing.role else max(_count(said) for said in self.slots.values())

    # --- conditions ---

    def _carried(self, span: Span) -> syntax.Expr:
        """How many things an agent carries."""
        return every("+", [named(name, span) for name in self.things], span)

    def _has_room(self, span: Span) -> syntax.Expr:
        return binary("<", self._carried(span), self._room(span), span)

    def _spare(self, thing: Thing, least: int, span: Span) -> syntax.Expr:
        """Whether an agent has so many that are not worn: what is worn stays with who wore it."""
        held: syntax.Expr = named(thing.name, span)
        if thing.wear:
            worn = binary(">", thing.own("wear", span), number(0, span), span)
            held = binary("-", held, syntax.WhenExpr(number(1, span), worn, span), span)
        return binary(">=", held, number(least, span), span)

    def _gives(self, thing: Thing, span: Span) -> syntax.Expr:
        return binary("and", thing.chosen("GIVE", span), self._spare(thing, 1, span), span)

    def _receives(self, span: Span) -> syntax.Expr:
        return every("and", [*self._whose(self._given[0], span), _waits(span), self._has_room(span)], span)

    def _whose(self, thing: Thing, span: Span) -> list[syntax.Expr]:
        """The condition that an agent is of the role of a thing; none where all are."""
        return [] if thing.who is None else [replace(thing.who, span=span)]

    @property
    def _given(self) -> list[Thing]:
        return [thing for thing in self.things.values() if "give" in thing.verbs]

    # --- declarations ---

    def declarations(self, thing: Thing) -> Iterator[syntax.Decl]:
        """What a kind of things becomes."""
        span = self._made(thing.head.name.span)
        carried = thing.said.get(syntax.CarriedProperty)
        if carried is not None and thing.who is not None:
            carried = syntax.WhenExpr(carried, thing.who, carried.span)
        yield whole(thing.name, 0, self._bound(thing), carried or number(0, span), span, "item")
        if thing.wear:
            yield whole(thing.own("wear", span), 0, thing.wear, number(0, span), span, "item")
        if "pick" in thing.verbs or "drop" in thing.verbs:
            yield whole(thing.own("moved", span), 0, 1, number(0, span), span)
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
        span = thing.head.name.span
        low, most = number(0, span), number(thing.most, span)
        first = thing.said.get(syntax.LyingProperty, low)
        if thing.limit is not None and first is not low:
            first = call("min", first, thing.at_most(span), span=span)
        there = thing.own("lying", span)
        meter = syntax.MeterDecl(there, first, (low, most), (), span)
        body: list[syntax.Stmt] = []
        moved: syntax.Expr = there
        for verb, op in CARRIED:
            if verb in thing.verbs:
                hands = syntax.WhenExpr(thing.own("moved", span), thing.chosen(VERBS[verb], span), span)
                moved = binary(op, moved, call("total", hands, span=span), span)
        if moved is not there:
            body.append(assign(there, "=", moved, span))
        for kind, change in BY_THEMSELVES:
            if kind in thing.said:
                when = thing.said[kind]
                if change == "+=" and thing.limit is not None:
                    fits = binary("<", thing.own("lying", when.span), thing.at_most(when.span), when.span)
                    when = binary("and", when, fits, when.span)
                one = syntax.WhenExpr(number(1, when.span), when, when.span)
                body.append(assign(thing.own("lying", when.span), change, one, when.span))
        rule = syntax.RuleDecl(thing.own("ground", span), None, tuple(body), span, True)
        rules = (rule,) if body else ()
        return syntax.CellsDecl((meter, *rules), span)

    def _pick(self, thing: Thing) -> Iterator[syntax.Decl]:
        """Of those who pick here and have room, as many as there are things."""
        span = self._made(thing.head.name.span)
        there, room = thing.own("lying", span), self._has_room(span)
        room = every("and", [*self._whose(thing, span), room], span)
        masked = binary("and", binary(">=", there, number(1, span), span), room, span)
        yield from self._contended("pick", thing, room, there, masked)

    def _drop(self, thing: Thing) -> Iterator[syntax.Decl]:
        """Of those who drop here and have one, as many as there is room."""
        span = self._made(thing.head.name.span)
        spare = self._spare(thing, 1, span)
        room = binary("-", thing.at_most(span), thing.own("lying", span), span)
        masked = binary("and", spare, binary(">=", room, number(1, span), span), span)
        yield from self._contended("drop", thing, spare, room, masked)

    def _contended(
        self, verb: str, thing: Thing, able: syntax.Expr, places: syntax.Expr, masked: syntax.Expr
    ) -> Iterator[syntax.Decl]:
        """An action of which so many are granted on a cell. What is moved is kept, so that the cell counts the same."""
        span = thing.head.name.span
        name = thing.act(VERBS[verb], self._made(span))
        mine = every("and", [thing.chosen(VERBS[verb], span), _here(span), able], span)
        first = binary("<", call("rank", mine, thing.order(span), span=span), places, span)
        moved = syntax.WhenExpr(number(1, span), binary("and", able, first, span), span)
        body = (
            assign(thing.own("moved", span), "=", moved, span),
            assign(thing.name, "+=" if verb == "pick" else "-=", thing.own("moved", span), span),
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
        has = every("and", [*self._whose(thing, span), self._spare(thing, 1, span)], span)
        yield from _action("GIVE", thing, has, [thing.changed("-=", granted, span)], span)

    def _order(self, span: Span) -> syntax.Expr:
        """Who gives things that are declared first comes first."""
        parts: list[syntax.Expr] = [
            syntax.WhenExpr(number(index, span), each.chosen("GIVE", span), span)
            for index, each in enumerate(self._given)
            if index
        ]
        return syntax.UnaryExpr("-", every("+", parts, span), span) if parts else first_of_all(span)

    def receiving(self, name: str) -> Iterator[syntax.RuleDecl]:
        """The rule of this name by which agents who wait get what they are given; it comes first."""
        given = self._given
        if not given:
            return
        span = self._made(self._span)
        takers = binary("and", self._receives(span), _here(span), span)
        place = call("rank", takers, first_of_all(span), span=span)
        body: list[syntax.Stmt] = []
        for index, thing in enumerate(given):
            upto = [
                call("count", binary("and", self._gives(each, span), _here(span), span), span=span)
                for each in given[: index + 1]
            ]
            fits = binary("<", place, every("+", list(upto), span), span)
            if index:
                fits = binary("and", binary(">=", place, every("+", list(upto[:-1]), span), span), fits, span)
            body.append(thing.changed("+=", fits, span))
        whose = self._whose(given[0], span)
        guard = every("and", [*whose, _waits(span), _before(self._has_room(span), span)], span)
        yield syntax.RuleDecl(named(name, span), guard, tuple(body), span, True)

    def _use(self, thing: Thing, item: syntax.UseItem) -> Iterator[syntax.Decl]:
        span = self._made(item.span)
        has = every(
            "and", [*self._whose(thing, span), binary(">=", named(thing.name, span), number(1, span), span)], span
        )
        body = self._body(item.items)
        body += thing.used_once(span) if thing.wear else [thing.gone(1, span)]
        yield from _action("USE", thing, has, body, span, item.items)

    def _craft(self, thing: Thing, item: syntax.CraftItem) -> Iterator[syntax.Decl]:
        span = self._made(item.span)
        shares = [(self.things[share.name.text], int(constant(share.number) or 1)) for share in item.shares]
        enough = every("and", [*self._whose(thing, span), *(self._spare(part, n, span) for part, n in shares)], span)
        body: list[syntax.Stmt] = [part.gone(count, span) for part, count in shares]
        body += [assign(thing.name, "+=", number(1, span), span), *self._body(item.items)]
        yield from _action("CRAFT", thing, enough, body, span, item.items)

    def _body(self, items: Sequence[Any]) -> list[syntax.Stmt]:
        return list(listed(tuple(item for item in items if not isinstance(item, syntax.NeedsItem)), self.tree))

    # --- statements of authors ---

    def tree(self, node: Any, _: Field | None = None) -> Any:
        """A node, in which statements about things keep to the slots, and things that are observed are what they have
        become; several statements for one that does more."""
        match node:
            case syntax.AssignStmt(meter=meter, op=op) if meter.text in self.things:
                thing, kept = self.things[meter.text], self._kept_to_slots(node)
                return (kept, thing.renewed(self._made(node.span))) if thing.wear and op == "-=" else kept
            case syntax.TogetherStmt(body=body):
                return replace(node, body=tuple(self._kept_to_slots(each) for each in body))
            case syntax.BeginStmt(word="wear", effect=name):
                return tuple(self.things[name.text].used_once(self._made(node.span)))
            case syntax.RuleDecl():
                made = rebuilt(node, self.tree)
                return replace(made, braced=True) if len(made.body) > 1 else made
            case syntax.ObserveGrid(is_plain=False) | syntax.ObserveWindow(is_plain=False):
                return self._seen.shown(rebuilt(node, self.tree))
            case syntax.ObserveItems() | syntax.ObserveGrid() | syntax.ObserveWindow() | syntax.ObserveCell():
                return self._seen.shown(node)
            case syntax.ObserveHotGrid() | syntax.ObserveHotWindow():
                return self._seen.shown(node)
            case syntax.OfExpr(quantity=syntax.Name(text="lying" | "wear" as quantity), owner=syntax.Bound() as owner):
                asked = self.things.get(owner.text)
                if asked is None or not (asked.lies if quantity == "lying" else asked.wear):
                    return node
                return asked.own(quantity, node.span)
            case _:
                return rebuilt(node, self.tree)

    def _kept_to_slots(self, statement: Any) -> Any:
        """`wood += 3` where there may be less room."""
        if not isinstance(statement, syntax.AssignStmt) or statement.meter.text not in self.things:
            return statement
        span, value = self._made(statement.span), statement.value
        if statement.op == "-=":
            return statement
        room = binary("-", self._room(span), self._carried(span), span)
        room = call("max", number(0, span), room, span=span)
        return replace(statement, value=call("min", value, room, span=span))

    def of_role(self, head: syntax.RoleDecl) -> syntax.RoleDecl:
        """A role, which has its things and observes them."""
        role = head.name.text
        own = [thing for thing in self.things.values() if thing.role == role]
        meters = tuple(name for thing in own for name in thing.states(head.span, moved=True))
        actions = tuple(named(name.text, head.span) for thing in own for name in acts_of(thing.head))
        seen = tuple(self._of_role(item, role) for item in head.items)
        return replace(head, items=seen, meters=(*head.meters, *meters), actions=(*head.actions, *actions))

    def _of_role(self, declaration: syntax.RolePart, role: str) -> syntax.RolePart:
        if not isinstance(declaration, syntax.ObserveDecl):
            return declaration
        return replace(declaration, items=tuple(self._seen.shown(item, role) for item in declaration.items))


def _count(slots: syntax.SlotsDecl) -> int:
    return int(constant(slots.number) or 1)


def _waits(span: Span) -> syntax.Expr:
    return binary("==", word("action", span), named("WAIT", span), span)


def _here(span: Span) -> syntax.Expr:
    """Whether an agent stands where the one stands that asks."""
    return binary("==", word("apart", span), number(0, span), span)


def _before(condition: syntax.Expr, span: Span) -> syntax.Expr:
    return call("previous", condition, span=span)


def _action(
    verb: str, thing: Thing, needs: syntax.Expr, body: list[syntax.Stmt], span: Span, items: Sequence[Any] = ()
) -> Iterator[syntax.Decl]:
    """An action with a thing, which is off in the mask where there is none."""
    name = thing.act(verb, span)
    own = [item.condition for item in items if isinstance(item, syntax.NeedsItem)]
    condition = syntax.NeedsItem(every("and", [needs, *own], span), span)
    yield syntax.ActionDecl(name, (condition, *body), span)
    yield syntax.AllowDecl((name,), needs, span)
