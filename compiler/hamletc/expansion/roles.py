"""`role`: what stands in a role becomes what stands outside, for agents with the numbers of the role.

What a role declares gets a name with the role before it, `wolf.hunger`, and is `hunger` inside the role, and where no
other role has the same. Rules, drains, ends, rewards and so on get the role as a condition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Diagnostic, Finding
from hamletc.expansion.binding import OF_VALUES, REFERRED, namespaces
from hamletc.expansion.places import Places
from hamletc.expansion.things import acts_of
from hamletc.expansion.trees import Field, binary, rebuilt
from hamletc.language import syntax
from hamletc.language.declared import Namespace, declared, in_role, names_of, parted
from hamletc.language.spelling import in_backticks
from hamletc.language.tokens import LONGEST_NAME
from hamletc.language.words import AMONG

Kind: TypeAlias = Literal["meter", "let", "item", "action", "act", "affordance"]

_REFERRED: tuple[tuple[Kind, type[syntax.Decl]], ...] = (
    ("meter", syntax.MeterDecl),
    ("let", syntax.LetDecl),
    ("item", syntax.ItemDecl),
    ("action", syntax.ActionDecl),
    ("affordance", syntax.AffordanceDecl),
)
"""What is referred to by its name."""
_COUNTED = ("meter", "item")  # Only agents of a role have them.


@dataclass(frozen=True, slots=True)
class _Owned:
    """Something that a role declares."""

    kind: Kind
    name: syntax.OwnName

    @property
    def role(self) -> str:
        """The role that declares it."""
        return self.name.owner

    @property
    def namespace(self) -> Namespace:
        """Where its name is its own."""
        match self.kind:
            case "action" | "act":
                return "action"
            case "affordance":
                return "affordance"
            case _:
                return "value"


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where a name stands.

    Attributes:
        role: the block that it is in.
        proven: the roles of one of which the agent must be; none where nothing is known.
        among: inside of what agents have together, which is about others.
        world: in a rule of the world.
    """

    role: str | None = None
    proven: frozenset[str] = frozenset()
    among: bool = False
    world: bool = False


def roles_written_out(
    declarations: tuple[syntax.Decl, ...], places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations without parts of roles, and what is wrong with these. What is left of a role says which agents
    are of it, its meters and actions, and what they observe."""
    roles = Roles(declarations, places)
    return roles.written_out(), tuple(roles.problems)


class Roles:
    """Writes out the roles of a universe. `problems` is what is wrong with them."""

    def __init__(self, declarations: tuple[syntax.Decl, ...], places: Places) -> None:
        self._places = places
        self._declarations = declarations
        self.problems: list[Diagnostic] = []
        blocks = [item for item in declarations if isinstance(item, syntax.RoleDecl)]
        self._heads: dict[str, syntax.RoleDecl] = {}
        for block in blocks:
            if block.counted:
                self._head(block)
        self._owned: dict[tuple[Namespace, str], _Owned] = {}  # by the names with roles
        self._owners: dict[tuple[Namespace, str], list[syntax.OwnName]] = {}  # names with roles by those without
        outside = (symbol for item in declarations for symbol in declared(item))
        self._outside = {(symbol.namespace, symbol.name.text): symbol.name for symbol in outside}
        for block in blocks:
            self._own(block)
        self._kept_items: dict[str, list[syntax.RolePart]] = {name: [] for name in self._heads}

    def written_out(self) -> tuple[syntax.Decl, ...]:
        """The declarations without parts of roles; as they are where something is wrong."""
        self._check_names()
        if not self._heads or self.problems:
            return self._declarations
        made = [part for item in self._declarations for part in self._declaration(item)]
        return tuple(self._whole(item) if isinstance(item, syntax.RoleDecl) else item for item in made)

    def _whole(self, head: syntax.RoleDecl) -> syntax.RoleDecl:
        """What is left of a role."""
        items = self._kept_items[head.name.text]
        meters = tuple(item.name for item in items if isinstance(item, syntax.MeterDecl))
        actions = tuple(item.name for item in items if isinstance(item, syntax.ActionDecl))
        seen = tuple(item for item in items if isinstance(item, syntax.ObserveDecl | syntax.PoolItem))
        return replace(head, items=seen, meters=meters, actions=actions)

    # --- what roles declare ------------------------------------------------------------------------------------------

    def _head(self, block: syntax.RoleDecl) -> None:
        name = block.name.text
        first = self._heads.setdefault(name, block)
        if first is not block:
            self._say(messages.roles.RoleTwice(block.name.span, name, first.name.span))
        others = next((each for each in self._heads.values() if each.others is not None), None)
        if block.others is not None and others is not None and others is not block and others.others is not None:
            self._say(messages.roles.OthersTwice(block.others, others.others))

    def _own(self, block: syntax.RoleDecl) -> None:
        role = block.name.text
        if role not in self._heads:
            self._say(messages.roles.RoleWithoutNumber(block.name.span, role))
            return
        for item in block.items:
            kind = next((kind for kind, each in _REFERRED if isinstance(item, each)), None)
            for name in names_of(item):
                outside = in_role(name, role)
                if len(outside.text) > LONGEST_NAME:
                    self._say(messages.roles.NameOfRoleTooLong(name.span, outside.text, LONGEST_NAME))
                if kind is None:
                    continue
                owned = self._owns(kind, outside)
                for act in acts_of(item) if isinstance(item, syntax.ItemDecl) else ():
                    self._owns("act", in_role(act, role))  # actions with things of a role are the role's, too
                if (shadowed := self._outside.get((owned.namespace, name.text))) is not None:
                    self._say(messages.roles.NameOfAll(name.span, name.text, role, shadowed.span))

    def _owns(self, kind: Kind, name: syntax.OwnName) -> _Owned:
        owned = _Owned(kind, name)
        self._owned[owned.namespace, name.text] = owned
        self._owners.setdefault((owned.namespace, name.own), []).append(name)
        return owned

    def _check_names(self) -> None:
        """A name with a role before it is declared in that role only."""
        inside = (part for item in self._declarations if isinstance(item, syntax.RoleDecl) for part in item.items)
        for item in (*self._declarations, *inside):
            for name in names_of(item):
                role, own = parted(name)
                if role:
                    self._say(messages.roles.OutsideRole(name.span, role, own))

    def _say(self, finding: Finding) -> None:
        shown = self._places.shown(finding.span)
        if not any(each.code == finding.code and each.primary.span == shown for each in self.problems):
            self.problems.append(self._places.told(finding))

    # --- declarations ------------------------------------------------------------------------------------------------

    def _declaration(self, item: syntax.Decl) -> Iterator[syntax.Decl]:
        """What stands for a declaration."""
        match item:
            case syntax.RoleDecl() if item.counted:
                yield self._tree(item, _Scope())
            case syntax.RoleDecl(items=(part,), name=name):
                yield from self._part(part, name.text)
            case syntax.AllowDecl():
                yield from self._allow(item, _Scope())
            case syntax.ActionsDecl():
                yield replace(item, actions=tuple(self._renamed(name, _Scope(), "action") for name in item.actions))
            case syntax.WorldDecl():
                yield self._tree(item, _Scope(world=True))
            case syntax.RuleDecl(guard=guard):
                yield self._tree(item, _Scope(proven=self._named_in(guard)))
            case syntax.AffordanceDecl(items=items) | syntax.ActionDecl(items=items):
                needs = [each.condition for each in items if isinstance(each, syntax.NeedsItem)]
                yield self._tree(item, _Scope(proven=self._named_in(needs[0] if needs else None)))
            case _:
                yield self._tree(item, _Scope())

    def _named_in(self, condition: syntax.Expr | None) -> frozenset[str]:
        """The roles that a condition names, joined by `and`."""
        match condition:
            case syntax.Name(text=text) if text in self._heads:
                return frozenset((text,))
            case syntax.BinaryExpr(op="and", left=left, right=right):
                return self._named_in(left) | self._named_in(right)
            case _:
                return frozenset()

    def _who(self, role: str, span: Span) -> syntax.RoleExpr | None:
        """The condition that an agent is of the role; `None` where all are."""
        return None if len(self._heads) == 1 else syntax.RoleExpr(role, span)

    def _part(self, item: syntax.RolePart, role: str) -> Iterator[syntax.Decl]:
        """What stands outside for a part of a role."""
        scope, who = _Scope(role, frozenset((role,))), self._who(role, item.span)
        if isinstance(item, syntax.AllowDecl):
            yield from self._allow(item, scope)
            return
        if isinstance(item, syntax.ObserveDecl | syntax.PoolItem):
            self._kept_items[role].append(self._tree(item, scope))
            return
        made = self._tree(item, scope)
        if isinstance(name := getattr(made, "name", None), syntax.Name):
            made = replace(made, name=in_role(name, role))
        match made:
            case syntax.MeterDecl(properties=properties):
                made = replace(made, properties=tuple(_drain(each, who) for each in properties))
                self._kept_items[role].append(made)
            case syntax.RuleDecl(guard=guard):
                made = replace(made, guard=_both(who, guard))
            case syntax.AffordanceDecl(items=items):
                made = replace(made, items=_needing(items, who))  # what one can do there needs the same
            case syntax.ActionDecl(items=items):
                made = replace(made, items=_needing(items, who))
                self._kept_items[role].append(made)
            case syntax.ReportDecl(value=value):
                made = replace(made, value=value if who is None else syntax.WhenExpr(value, who, value.span))
            case syntax.CascadeDecl() | syntax.ActsDecl():
                made = replace(made, who=who)
            case syntax.ItemDecl() | syntax.SlotsDecl() | syntax.DiesDecl() | syntax.EndsDecl() | syntax.RewardDecl():
                made = replace(made, role=role, who=who)
            case _:
                pass
        yield made

    def _allow(self, item: syntax.AllowDecl, scope: _Scope) -> Iterator[syntax.Decl]:
        """`allow` of actions of roles is for their agents; in a role it is for the agents of that."""
        made = self._tree(item, scope)
        of_roles: list[syntax.Name] = []
        others: list[syntax.Name] = []
        for old in item.actions:
            name = self._renamed(old, scope, "action")
            owned = self._owned.get(("action", name.text))
            if owned is None:
                others.append(name)
            elif scope.role not in (None, owned.role):
                about = old.text, scope.role, owned.role, owned.name.span
                self._say(messages.roles.ActionOfOtherRole(old.span, *about))
            else:
                of_roles.append(name)
        for name in of_roles:
            both = _both(self._who(self._owned["action", name.text].role, name.span), made.condition)
            yield replace(made, actions=(name,), condition=both)
        if others or not item.actions:
            who = None if scope.role is None else self._who(scope.role, item.span)
            yield replace(made, actions=tuple(others), who=who)

    # --- names -------------------------------------------------------------------------------------------------------

    def _tree(self, node: Any, scope: _Scope) -> Any:
        """A node with the names that it refers to."""
        match node:
            case syntax.CallExpr(function=function) if function.text in AMONG and not function.quoted:
                scope = replace(scope, among=True)
            case syntax.CallExpr(function=syntax.Bound(space="function") as function):
                arguments = tuple(self._read(each, scope) for each in node.arguments)
                return replace(node, function=self._renamed(function, scope, "value"), arguments=arguments)
            case syntax.WordProperty() | syntax.ObserveHotGrid() | syntax.ObserveHotWindow():
                return node
            case syntax.AssignStmt():
                return self._assign(node, scope)
            case syntax.SpawnStmt(role=role, handed=handed):
                return replace(node, handed=tuple(self._handed(each, role.text, scope) for each in handed))
            case syntax.ObserveHere(names=names):
                return replace(node, names=tuple(self._renamed(name, scope, "affordance") for name in names))
            case syntax.ObserveListed(names=names) if isinstance(node, OF_VALUES):
                return replace(node, names=tuple(self._observed(name, scope) for name in names))
            case syntax.ObserveGrid(value=value, own=own) | syntax.ObserveWindow(value=value, own=own):
                value, own = (None if each is None else self._read(each, scope) for each in (value, own))
                return replace(node, value=value, own=own)
            case syntax.AllowDecl(condition=condition):
                return replace(node, condition=self._read(condition, scope))
            case _:
                pass

        def each(item: Any, field: Field) -> Any:
            if not isinstance(item, syntax.Name):
                return self._tree(item, scope)
            if (type(node), field.name) in REFERRED:
                return self._referred(namespaces(node, field.name, item), item, scope)
            return self._value(item, scope) if field.role == "expression" else item

        return rebuilt(node, each)

    def _read(self, value: Any, scope: _Scope) -> Any:
        """An expression."""
        return self._value(value, scope) if isinstance(value, syntax.Name) else self._tree(value, scope)

    def _value(self, name: syntax.Name, scope: _Scope) -> syntax.Expr:
        """A name in an expression."""
        match name:
            case syntax.Bound(space="affordance" | "action" as space):
                return self._renamed(name, scope, space)
            case syntax.Bound():
                return name
            case syntax.Name(text=text) if text in self._heads:
                return syntax.RoleExpr(text, name.span)
            case _:
                return self._renamed(name, scope, "value")

    def _referred(self, spaces: tuple[Namespace, ...], name: syntax.Name, scope: _Scope) -> syntax.Expr:
        """The name of an affordance, an effect or an item."""
        owned = (each for each in spaces if each in ("value", "affordance"))
        return next((self._renamed(name, replace(scope, among=True), each) for each in owned), name)

    def _observed(self, name: syntax.Name, scope: _Scope) -> syntax.Name:
        """What is observed by its name: of a meter of a role by its agents only."""
        found = self._renamed(name, scope, "value")
        owned = self._owned.get(("value", found.text))
        if owned is not None and owned.kind in _COUNTED and scope.role is None:
            about = name.text, owned.name.own, owned.role, owned.kind == "item", owned.name.span
            self._say(messages.roles.ObservedOutsideRole(name.span, *about))
        return found

    def _renamed(self, name: syntax.Name, scope: _Scope, space: Namespace) -> syntax.Name:
        """The name with its role before it, if it is that of something in a role."""
        found = name
        if (space, name.text) not in self._owned and (owners := self._owners.get((space, name.text))):
            owners = [each for each in owners if each.owner == scope.role] or owners
            if len(owners) > 1:
                texts = tuple(each.text for each in owners[:4])
                self._say(messages.roles.OfSeveralRoles(name.span, name.text, texts))
            found = replace(name, text=owners[0].text, quoted=in_backticks(name))  # causes are named by texts
        owned = self._owned.get((space, found.text))
        if owned is None or owned.kind not in _COUNTED or scope.among or not scope.proven or owned.role in scope.proven:
            return found
        about = name.text, tuple(sorted(scope.proven)), owned.role, owned.kind == "item", owned.name.span
        self._say(messages.roles.MeterOfOtherRole(name.span, *about))
        return found

    def _assign(self, statement: syntax.AssignStmt, scope: _Scope) -> syntax.AssignStmt:
        """A statement; outside of its role a meter of a role is written for agents of the role only."""
        value = self._read(statement.value, scope)
        if statement.owner is not None:
            owner = self._renamed(statement.owner, scope, "affordance")
            return replace(statement, value=value, owner=owner)
        if isinstance(statement.meter, syntax.Bound):
            return replace(statement, value=value)
        meter = self._renamed(statement.meter, scope, "value")
        owned = self._owned.get(("value", meter.text))
        if owned is not None and owned.kind in _COUNTED and owned.role not in scope.proven and not scope.world:
            who = self._who(owned.role, statement.meter.span)
            if who is not None and statement.op == "=":
                value = syntax.IfExpr(who, value, meter, value.span)
            elif who is not None:
                value = syntax.WhenExpr(value, who, value.span)
        return replace(statement, meter=meter, value=value)

    def _handed(self, statement: syntax.AssignStmt, role: str, scope: _Scope) -> syntax.AssignStmt:
        """What a child of a role has of its mother: its own meter, and her values."""
        meter = self._renamed(statement.meter, _Scope(role, frozenset((role,)), among=True), "value")
        return replace(statement, meter=meter, value=self._read(statement.value, scope))


def _both(who: syntax.RoleExpr | None, condition: syntax.Expr | None) -> syntax.Expr | None:
    """A condition for agents of a role."""
    if who is None or condition is None:
        return condition if who is None else who
    return binary("and", who, condition, condition.span)


def _drain(item: syntax.MeterProperty, who: syntax.RoleExpr | None) -> syntax.MeterProperty:
    """`decay 0.01` for agents of a role."""
    if who is None or isinstance(item, syntax.OnlyProperty):
        return item
    return replace(item, value=syntax.WhenExpr(item.value, who, item.value.span))


def _needing(items: tuple[Any, ...], who: syntax.RoleExpr | None) -> tuple[Any, ...]:
    """What stands in an affordance or an action, for agents of a role."""
    if who is None:
        return items
    if not any(isinstance(item, syntax.NeedsItem) for item in items):
        return (syntax.NeedsItem(who, who.span), *items)

    def needing(item: Any) -> Any:
        return replace(item, condition=_both(who, item.condition))

    return tuple(needing(item) if isinstance(item, syntax.NeedsItem) else item for item in items)
