"""Kinds of things that agents carry: `item axe { wear 10  craft from 4 wood  can pick drop }`, as far as it is known
before anything is written out, and what can be wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe import Span, nodes
from hamlet.universe.actions import WAIT
from hamletc import messages
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.places import Places
from hamletc.expansion.trees import assign, binary, call, constant, named, number, outside_expressions, word
from hamletc.language import syntax
from hamletc.language.declared import in_braces, with_thing
from hamletc.language.words import AMONG

MOST_SLOTS = 1000
MOST_WEAR = 1_000_000
MOST_LYING = 1_000_000
USUALLY_LYING = 99
"""How many of a kind lie on a cell at most, where that is not said."""
VERBS = {"pick": "PICK", "drop": "DROP", "give": "GIVE"}
Quantity: TypeAlias = Literal["wear", "lying", "moved", "ground"]
"""What there is of a thing beside how many an agent has: uses of one, how many lie on a cell, whether an agent just
picked one up or dropped one, and the rule of what lies."""
ON_GROUND = (syntax.LyingProperty, syntax.MostProperty, syntax.AppearsProperty, syntax.RotsProperty)
"""What is said of things that lie on cells."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A kind of things.

    Attributes:
        number: among the kinds, in file order.
        said: the values of its properties.
        wear: how often one can be used; 0 where it is used up at once.
        verbs: `pick`, `drop`, `give`, as far as agents can.
        priority: who comes first where several pick or drop.
        limit: the param that says how many lie on a cell at most, in each world; `None` where a number does.
        most: how many lie on a cell at most, in any world.
        role: whose agents alone carry them; empty of what all carry. `who` is the condition of that, where not all
            agents are of the role.
    """

    name: str
    number: int
    head: syntax.ItemDecl
    said: Mapping[type[syntax.Property], syntax.Expr]
    wear: int
    verbs: tuple[str, ...]
    priority: syntax.Expr | None
    role: str
    who: syntax.RoleExpr | None
    limit: syntax.Name | None
    most: int

    def act(self, verb: str, span: Span) -> syntax.Name:
        """The name of the action with it that begins with this word."""
        return named(with_thing(verb, self.head.name).text, span)

    def own(self, quantity: Quantity, span: Span) -> syntax.Name:
        """The name of a quantity of it: `wear of axe`."""
        return in_braces(named(quantity, span), self.name)

    def states(self, span: Span, *, moved: bool = False) -> Iterator[syntax.Name]:
        """The states of agents that say how many they carry and how worn one is, and whether they just `moved` one."""
        yield named(self.name, span)
        if self.wear:
            yield self.own("wear", span)
        if moved and ("pick" in self.verbs or "drop" in self.verbs):
            yield self.own("moved", span)

    def chosen(self, verb: str, span: Span) -> syntax.Expr:
        """The condition that an agent chose the action with it that begins with this word."""
        return binary("==", word("action", span), self.act(verb, span), span)

    def at_most(self, span: Span) -> syntax.Expr:
        """How many lie on a cell at most."""
        return number(self.most, span) if self.limit is None else call("floor", self.limit, span=span)

    def order(self, span: Span) -> syntax.Expr:
        """Who comes first where several pick or drop: those with the lowest numbers, if that is not said."""
        return first_of_all(span) if self.priority is None else self.priority

    def changed(self, op: Literal["+=", "-="], granted: syntax.Expr, span: Span) -> syntax.AssignStmt:
        """One more, or one less, where that is granted."""
        return assign(self.name, op, syntax.WhenExpr(number(1, span), granted, span), span)

    def gone(self, count: int, span: Span) -> syntax.AssignStmt:
        """So many less."""
        return assign(self.name, "-=", number(count, span), span)

    def renewed(self, span: Span) -> syntax.AssignStmt:
        """Where nothing is left, nothing is worn."""
        left, worn = binary(">", named(self.name, span), number(0, span), span), self.own("wear", span)
        return assign(worn, "=", syntax.IfExpr(left, worn, number(0, span), span), span)

    def used_once(self, span: Span) -> list[syntax.Stmt]:
        """One more use of it, after the last of which it is gone."""
        has, worn = binary(">", named(self.name, span), number(0, span), span), self.own("wear", span)
        out = binary(">=", worn, number(self.wear, span), span)
        return [
            assign(worn, "+=", syntax.WhenExpr(number(1, span), has, span), span),
            self.changed("-=", out, span),
            assign(worn, "=", syntax.IfExpr(out, number(0, span), worn, span), span),
        ]

    @property
    def lies(self) -> bool:
        """Whether some can lie on cells."""
        return any(kind in self.said for kind in ON_GROUND) or "pick" in self.verbs or "drop" in self.verbs

    @property
    def crafted(self) -> syntax.CraftItem | None:
        """What it is made of."""
        return next((item for item in self.head.items if isinstance(item, syntax.CraftItem)), None)

    @property
    def used(self) -> syntax.UseItem | None:
        """What it is good for."""
        return next((item for item in self.head.items if isinstance(item, syntax.UseItem)), None)


def first_of_all(span: Span) -> syntax.Expr:
    """What is highest for the agent with the lowest number."""
    return syntax.UnaryExpr("-", word("agent", span), span)


def things_of(declarations: tuple[syntax.Decl, ...]) -> dict[str, Thing]:
    """The kinds of things by name."""
    heads = [item for item in declarations if isinstance(item, syntax.ItemDecl)]
    params = {item.name.text: item for item in declarations if isinstance(item, syntax.ParamDecl)}
    return {head.name.text: _thing(head, number, params) for number, head in enumerate(heads)}


def _thing(head: syntax.ItemDecl, number: int, params: Mapping[str, syntax.ParamDecl]) -> Thing:
    said: dict[type[syntax.Property], syntax.Expr] = {
        type(item): item.value for item in head.items if isinstance(item, syntax.Property)
    }
    able = [item for item in head.items if isinstance(item, syntax.AbleItem)]
    verbs = tuple(dict.fromkeys(verb.text for item in able for verb in item.verbs))
    wear = int(constant(said[syntax.WearProperty]) or 0) if syntax.WearProperty in said else 0
    priority = next((item.highest for item in able if item.highest is not None), None)
    limit, most = _limit(said.get(syntax.MostProperty), params)
    return Thing(head.name.text, number, head, said, wear, verbs, priority, head.role, head.who, limit, most)


def _limit(value: syntax.Expr | None, params: Mapping[str, syntax.ParamDecl]) -> tuple[syntax.Name | None, int]:
    """How many lie on a cell at most: a param, and what that is at most; or a number."""
    if isinstance(value, syntax.Name) and value.text in params:
        bounds = params[value.text].bounds
        most = constant(bounds[1])
        return value, 0 if most is None else int(most)
    number = None if value is None else constant(value)
    return None, USUALLY_LYING if number is None else int(number)


def slots_of(declarations: tuple[syntax.Decl, ...]) -> dict[str, syntax.SlotsDecl]:
    """How many things agents carry, by role; of all others by the empty name."""
    found: dict[str, syntax.SlotsDecl] = {}
    for item in declarations:
        if isinstance(item, syntax.SlotsDecl):
            found.setdefault(item.role, item)
    return found


def acts_of(head: syntax.ItemDecl) -> Iterator[syntax.Name]:
    """The names of the actions with a kind of things."""
    for item in head.items:
        match item:
            case syntax.AbleItem(verbs=verbs):
                does = [VERBS[verb.text] for verb in verbs if verb.text in VERBS]
            case syntax.UseItem():
                does = ["USE"]
            case syntax.CraftItem():
                does = ["CRAFT"]
            case syntax.Property():
                does = []
        yield from (with_thing(verb, head.name) for verb in does)


# --- what can be wrong -----------------------------------------------------------------------------------------------


def problems_of_things(
    declarations: tuple[syntax.Decl, ...], things: Mapping[str, Thing], places: Places
) -> Iterator[Diagnostic]:
    """What is wrong with things, and with statements about them."""
    slots = slots_of(declarations)
    for thing in things.values():
        if thing.role not in slots and "" not in slots and (thing.role or not slots):
            yield places.told(messages.things.NobodyCarries(thing.head.name.span, thing.name, thing.role))
        yield from _numbers(thing, places)
        yield from _shares(thing, things, places)
        yield from _space(thing, declarations, places)
        if not _comes(thing, declarations):
            yield places.told(messages.things.NeverAny(thing.head.name.span, thing.name))
    for second in (item for item in declarations if isinstance(item, syntax.SlotsDecl)):
        if second is not slots[second.role]:
            yield places.told(messages.things.SlotsTwice(second.span))
    for role, said in slots.items():
        number = constant(said.number)
        if number is None or number != int(number) or not 1 <= number <= MOST_SLOTS:
            yield places.told(messages.things.TooManySlots(said.number.span, MOST_SLOTS))
        # What stands outside is for the roles that say nothing of their own, too.
        carry = {"", role} | ({thing.role for thing in things.values()} - slots.keys() if not role else set())
        if not any(thing.role in carry for thing in things.values()):
            yield places.told(messages.things.NothingToCarry(said.span))
    yield from _givers(things, places)
    yield from _receivers(declarations, things, places)
    for declaration in declarations:
        for node in outside_expressions(declaration):
            yield from _statement(node, declaration, things, places)
            if isinstance(node, syntax.ObserveItems):
                yield from (_unknown(name, things, places) for name in node.names if name.text not in things)


def _receivers(
    declarations: tuple[syntax.Decl, ...], things: Mapping[str, Thing], places: Places
) -> Iterator[Diagnostic]:
    """Things that nobody gets, since a list of actions has no WAIT."""
    gift = next((thing.head.name for thing in things.values() if "give" in thing.verbs), None)
    for item in declarations:
        if gift is None or not isinstance(item, syntax.ActionsDecl):
            continue
        if all(action.text != WAIT for action in item.actions):
            yield places.told(messages.actions.ActionNotListed(gift.span, WAIT, item.span))


def _givers(things: Mapping[str, Thing], places: Places) -> Iterator[Diagnostic]:
    """Who is given something could be given more than there is room for, if things of several roles were given."""
    given = [thing for thing in things.values() if "give" in thing.verbs]
    other = next((thing for thing in given if thing.role != given[0].role), None)
    if other is not None:
        yield places.told(messages.things.GivenByTwoRoles(other.head.name.span, given[0].name, other.name))


def _numbers(thing: Thing, places: Places) -> Iterator[Diagnostic]:
    limits: tuple[tuple[type[syntax.Property], Literal["uses", "things on a cell"], int], ...]
    limits = (
        (syntax.WearProperty, "uses", MOST_WEAR),
        (syntax.MostProperty, "things on a cell", MOST_LYING),
    )
    for kind, what, most in limits:
        value = thing.said.get(kind)
        number = None if value is None else constant(value)
        if kind is syntax.MostProperty and thing.limit is not None:
            number = float(thing.most)
        if value is not None and (number is None or number != int(number) or not 1 <= number <= most):
            yield places.told(messages.things.NumberOutsideLimits(value.span, thing.name, what, most))


def _shares(thing: Thing, things: Mapping[str, Thing], places: Places) -> Iterator[Diagnostic]:
    for share in () if thing.crafted is None else thing.crafted.shares:
        number, name = constant(share.number), share.name.text
        if name not in things:
            yield _unknown(share.name, things, places)
        elif number is None or number != int(number) or not 1 <= number <= MOST_SLOTS:
            yield places.told(messages.things.MadeOfNothing(share.span, thing.name))
        elif name == thing.name:
            yield places.told(messages.things.MadeOfItself(share.span, thing.name))


def _unknown(name: syntax.Name, things: Mapping[str, Thing], places: Places) -> Diagnostic:
    return places.told(messages.things.UnknownThing(name.span, name.text, tuple(things)))


def _space(thing: Thing, declarations: tuple[syntax.Decl, ...], places: Places) -> Iterator[Diagnostic]:
    space = next((item.kind.text for item in declarations if isinstance(item, syntax.SpaceDecl)), "none")
    if thing.lies and space not in syntax.GRIDS:
        yield places.told(messages.things.LiesWithoutGrid(thing.head.name.span, thing.name))
    if "give" in thing.verbs and space == "continuous":
        yield places.told(messages.things.GivenInContinuousSpace(thing.head.name.span, thing.name))


def _comes(thing: Thing, declarations: tuple[syntax.Decl, ...]) -> bool:
    """Whether one can come into the world."""
    begins = (syntax.CarriedProperty, syntax.LyingProperty, syntax.AppearsProperty)
    if thing.crafted is not None or any(kind in thing.said for kind in begins):
        return True
    return any(
        isinstance(node, syntax.AssignStmt) and node.meter.text == thing.name and node.op == "+="
        for node in nodes(declarations)
    )


def _statement(
    node: object, declaration: syntax.Decl, things: Mapping[str, Thing], places: Places
) -> Iterator[Diagnostic]:
    """A statement of a declaration, or what holds some, that could make things of nothing, or lose some."""
    match node:
        case syntax.AssignStmt(meter=meter, op=op, value=value) if meter.text in things:
            if op == "=":
                yield places.told(messages.things.ThingsSet(node.span, meter.text))
            elif isinstance(declaration, syntax.EffectDecl) and op == "+=":
                yield places.told(messages.things.ThingsOfEffect(node.span))
            elif _trades(value, things):
                yield places.told(messages.things.Trade(node.span, meter.text))
        case syntax.RuleDecl(guard=guard, body=body) if guard is not None and _trades(guard, things):
            written = [each for each in nodes(body) if isinstance(each, syntax.AssignStmt)]
            for each in written:
                if each.meter.text in things and each.op != "=":
                    yield places.told(messages.things.Trade(each.span, each.meter.text))
        case syntax.BeginStmt(word="wear", effect=name):
            if name.text not in things:
                yield places.told(messages.things.WearOfNothing(name.span, name.text))
            elif not things[name.text].wear:
                yield places.told(messages.things.NeverWears(name.span, name.text))
        case _:
            pass


def _trades(value: syntax.Expr, things: Mapping[str, Thing]) -> bool:
    """Whether it depends on the things that other agents have."""
    together = (node for node in nodes(value) if isinstance(node, syntax.CallExpr) and node.function.text in AMONG)
    names = (each for node in together for each in nodes(node) if isinstance(each, syntax.Name))
    return any(name.text in things for name in names)
