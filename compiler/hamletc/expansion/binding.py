"""Names before expansion: what a name in an expression names is found where an author wrote it, so that nothing which
is written out later can capture it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, TypeAlias

from hamlet.frozen import dataclass
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.named import Space, Spaces, spaces_of
from hamletc.expansion.places import Places
from hamletc.expansion.trees import Field, holds_expressions, rebuilt
from hamletc.language import syntax
from hamletc.language.declared import NAMESPACES, Namespace, declared, in_role
from hamletc.language.words import CALLS, MEANINGS, PLACES, YIELDING_CALLS

Options: TypeAlias = tuple[str, ...]
State: TypeAlias = tuple[str, str, str]
_OF_STATES = ("previous", "lag", "own")
"""Functions that give of a state with options one of them."""


def names_bound(
    declarations: tuple[syntax.Decl, ...], _places: Places
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations with their names bound, where something in them is written out; else as they are."""
    if not any(map(_is_written_out, declarations)):
        return declarations, ()
    binding = binding_of(declarations)
    return tuple(binding.tree(item) for item in declarations), ()


def binding_of(declarations: tuple[syntax.Decl, ...]) -> Binding:
    """What binds names where these are declared."""
    parts = list(declared_inside(declarations))
    owning = [(role, item.name) for role, item in parts if isinstance(item, syntax.EffectDecl | syntax.ItemDecl)]
    owners = frozenset(each.text for role, name in owning for each in (name, in_role(name, role)))
    heads = [item for _, item in parts if isinstance(item, syntax.AffordanceDecl)]
    meters = frozenset((meter, head.name.text) for head in heads for meter in own_meters(head))
    lets = [(role, item) for role, item in parts if isinstance(item, syntax.LetDecl) and item.parameters]
    functions = {each.text: let for role, let in lets for each in (let.name, in_role(let.name, role))}
    return Binding(_states(parts), owners, meters, spaces_of(functions))


def own_meters(head: syntax.AffordanceDecl) -> frozenset[str]:
    """The names of the meters in the braces of an affordance."""
    return frozenset(item.name.text for item in head.items if isinstance(item, syntax.MeterDecl))


OF_VALUES: tuple[type[syntax.ObserveListed], ...] = (
    *(syntax.ObserveMeters, syntax.ObserveState, syntax.ObserveParams, syntax.ObserveWorld, syntax.ObserveCell),
    *(syntax.ObserveEffects, syntax.ObserveItems),
)
"""What is observed by the names of what has a value."""
REFERRED: Mapping[tuple[type, str], tuple[Namespace, ...]] = MappingProxyType(
    {
        **dict.fromkeys(((syntax.DistanceExpr, "affordance"), (syntax.StreakExpr, "affordance")), ("affordance",)),
        **dict.fromkeys(((syntax.OfExpr, "owner"), (syntax.AssignStmt, "owner")), ("affordance",)),
        **dict.fromkeys(((syntax.AssignStmt, "meter"), (syntax.BeginStmt, "effect")), ("value",)),
        **dict.fromkeys(((syntax.PostStmt, "state"), (syntax.PushProperty, "state")), ("value",)),
        (syntax.IndexExpr, "table"): ("value",),
        (syntax.SpawnStmt, "role"): ("value",),
        **dict.fromkeys(((syntax.ShareItem, "name"), (syntax.TerrainDecl, "name")), ("value",)),
        **dict.fromkeys(((syntax.AffordanceDecl, "place"), (syntax.AffordanceDecl, "others")), ("node",)),
        **dict.fromkeys(((syntax.FollowsItem, "stops"), (syntax.TeleportStmt, "spot")), ("node",)),
        **dict.fromkeys(((syntax.GraphPath, "nodes"), (syntax.NodesDecl, "nodes")), ("node",)),
        **dict.fromkeys(((syntax.RegionDecl, "name"), (syntax.NodesDecl, "name")), ("region",)),
        **dict.fromkeys(((syntax.MapLetters, "letters"), (syntax.RegionNumber, "region")), ("region",)),
        **dict.fromkeys(((syntax.OnExpr, "region"), (syntax.StartsProperty, "value")), ("region", "node")),
        (syntax.SpreadItem, "name"): ("region",),
        **dict.fromkeys(
            ((syntax.ObserveGrid, "layer"), (syntax.ObserveWindow, "layer")), ("region", "value", "affordance")
        ),
        **dict.fromkeys(((syntax.ObserveHotGrid, "layer"), (syntax.ObserveHotWindow, "layer")), ("value",)),
        **dict.fromkeys(((kind, "names") for kind in OF_VALUES), ("value",)),
        (syntax.ObserveHere, "names"): ("affordance",),
        (syntax.AllowDecl, "actions"): ("action", "move"),
        (syntax.ActionsDecl, "actions"): ("action", "move"),
        (syntax.MoveDef, "name"): ("move",),
        (syntax.DrawAffordance, "name"): ("affordance",),
        (syntax.DrawRegion, "name"): ("region",),
        **dict.fromkeys(
            ((syntax.DrawCell, "name"), (syntax.DrawThing, "name"), (syntax.DrawGauges, "names")), ("value",)
        ),
    }
)
"""What the names in fields of nodes refer to; expressions, what is observed, and names of declarations are not here."""


NAMES_OF_WORDS = frozenset(
    (
        *((syntax.ObservePosition, "encoding"), (syntax.ObserveVelocity, "names"), (syntax.ObserveTime, "names")),
        *((syntax.SpaceDecl, "kind"), (syntax.TrackDecl, "by"), (syntax.ControlDecl, "kind")),
        *((syntax.CallExpr, "function"), (syntax.AxisExpr, "axis"), (syntax.LifespanDecl, "ticks")),
        *((syntax.AffordanceDecl, "duration"), (syntax.CapacityItem, "lowest"), (syntax.UseDecl, "template")),
        *((syntax.MapLetters, "kind"), (syntax.SpreadItem, "kind"), (syntax.OfExpr, "quantity")),
        *((syntax.EffectDecl, "duration"), (syntax.AbleItem, "verbs"), (syntax.AbleItem, "lowest")),
        *((kind, field) for kind in (syntax.ObserveWindow, syntax.ObserveHotWindow) for field in ("turned", "within")),
        *((kind, "opened") for kind in (syntax.ObserveGrid, syntax.ObserveWindow)),
        *((syntax.ObserveGroup, "numbers"), (syntax.ObserveImage, "numbers"), (syntax.ObserveImage, "axes")),
        *((syntax.DrawCell, "option"), (syntax.DrawCell, "colour"), (syntax.DrawRegion, "colour")),
        *((kind, "colour") for kind in (syntax.DrawAgents, syntax.DrawWall, syntax.DrawMark, syntax.DrawLine)),
        (syntax.DrawLinks, "colour"),
        *((kind, "colour") for kind in (syntax.DrawRole, syntax.DrawAffordance, syntax.DrawThing)),
    )
)
"""The fields that hold words of the language or of a namespace of their own, which no parameter stands for."""


def namespaces(node: Any, field: str, name: syntax.Name) -> tuple[Namespace, ...]:
    """Where the declaration of a name in a field of a node is looked for; nowhere if it is a word or an option."""
    match node, name:
        case _, syntax.Bound(space="value" | "affordance" as space):
            return (space,)
        case _, syntax.Bound(space="action"):
            return "action", "move"
        case _, syntax.Bound(space="function"):
            return ("value",)
        case _, syntax.Bound(space="region"):
            return "region", "node"
        case _, syntax.Bound():
            return ()
        case syntax.AssignStmt(owner=syntax.Name()), _ if field == "meter":
            return ()
        case ((syntax.UseDecl() | syntax.WithoutDecl()), _):
            return tuple(NAMESPACES)
        case syntax.SpreadItem(kind=syntax.Name(text="near")), _ if field == "name":
            return ("affordance",)
        case _ if (referred := REFERRED.get((type(node), field))) is not None:
            return referred
        case _ if field == "name":
            return tuple({symbol.namespace for symbol in declared(node) if symbol.name is name})
        case _:
            return ("value",) if holds_expressions(node, field) else ()


def _is_written_out(declaration: syntax.Decl) -> bool:
    written = syntax.LetDecl | syntax.RoleDecl | syntax.ItemDecl | syntax.SlotsDecl | syntax.PairsDecl
    if isinstance(declaration, syntax.AffordanceDecl):
        own = syntax.MeterDecl | syntax.RuleDecl | syntax.ActionDecl | syntax.FollowsItem | syntax.WandersItem
        several = declaration.copies is not None or bool(declaration.others)
        return several or any(isinstance(item, own) for item in declaration.items)
    return isinstance(declaration, written)


def declared_inside(declarations: Iterable[Any], role: str = "") -> Iterator[tuple[str, Any]]:
    """The declarations, and those in blocks and roles; with the role that they are in."""
    for item in declarations:
        yield role, item
        match item:
            case syntax.RoleDecl(name=name, items=items):
                yield from declared_inside(items, name.text)
            case syntax.WorldDecl(items=items) | syntax.CellsDecl(items=items) | syntax.PairsDecl(items=items):
                yield from declared_inside(items)
            case syntax.OverrideDecl(declaration=inner):
                yield from declared_inside((inner,))
            case _:
                pass


def _states(parts: Iterable[tuple[str, Any]]) -> Mapping[State, Options]:
    """The options of states, also by their names alone, and as those of roles are called outside."""
    found: dict[State, Options] = {}
    for role, item in parts:
        is_affordance = isinstance(item, syntax.AffordanceDecl)
        for meter in item.items if is_affordance else (item,):
            if isinstance(meter, syntax.MeterDecl) and meter.state is not None and meter.state.options:
                options, name = tuple(option.text for option in meter.state.options), meter.name
                found[role, item.name.text if is_affordance else "", name.text] = options
                found.setdefault(("", "", name.text), options)
                if role:
                    found["", "", in_role(name, role).text] = options
    return found


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where a name stands: in the braces of this role, of this affordance with these meters of its own, in the text of
    a function with these parameters."""

    role: str = ""
    affordance: str = ""
    own: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()


_OUTSIDE = _Scope()


@dataclass(frozen=True, slots=True)
class Binding:
    """Binds names.

    Attributes:
        states: the options of states, by the role and the affordance that they are in, and their name.
        owners: the effects and items `of` which something can be asked.
        meters: those in the braces of affordances, with the affordance.
        functions: those that are declared, with what their parameters name.
    """

    states: Mapping[State, Options]
    owners: frozenset[str]
    meters: frozenset[tuple[str, str]]
    functions: Mapping[str, Spaces]

    def tree(self, node: Any, scope: _Scope = _OUTSIDE) -> Any:
        """The node with everything below it."""
        match node:
            case syntax.AffordanceDecl(name=name):
                scope = replace(scope, affordance=name.text, own=own_meters(node))
            case syntax.RoleDecl(name=name):
                scope = replace(scope, role=name.text)
            case syntax.LetDecl(parameters=parameters) if any(type(each) is syntax.Name for each in parameters):
                scope = replace(scope, parameters=frozenset(each.text for each in parameters))
                node = replace(node, parameters=tuple(_bound(each, "parameter") for each in parameters))
            case syntax.CallExpr(function=function) if self._is_declared(function):
                spaces = self.functions[function.text]
                named = (
                    self._named(each, space)
                    for each, space in zip_longest(node.arguments, spaces[: len(node.arguments)])
                )
                node = replace(node, function=_bound(function, "function"), arguments=tuple(named))
            case syntax.MeterDecl(name=name, start=start) if node.state is not None:
                options = tuple(option.text for option in node.state.options)
                first = self._value(start, scope, options)
                node = node if first is start else replace(node, start=first)
            case syntax.AssignStmt(meter=meter, value=value):
                value = self._value(value, scope, self._options(meter.text, node.owner, scope))
                if node.owner is None and meter.text in scope.own:
                    meter = _bound(meter, "own")
                return node if value is node.value and meter is node.meter else replace(node, meter=meter, value=value)
            case syntax.PostStmt(state=state, place=place, value=value):
                value = self._value(value, scope, self._options(state.text, None, scope))
                return replace(node, place=tuple(self._value(each, scope, ()) for each in place), value=value)
            case syntax.SpawnStmt(role=role, handed=handed):
                return replace(node, handed=tuple(self._handed(each, role.text, scope) for each in handed))
            case syntax.OfExpr(quantity=quantity, owner=owner):
                is_owner = owner.text in self.owners
                is_asked = is_owner and (quantity.text, owner.text) not in self.meters
                return replace(node, owner=_bound(owner, "value")) if is_asked else node
            case syntax.BinaryExpr(op="==" | "!=", left=left, right=right):
                one, other = self._side(left, right, scope), self._side(right, left, scope)
                return node if one is left and other is right else replace(node, left=one, right=other)
            case _:
                pass

        def each(item: Any, field: Field) -> Any:
            if _is_parameter(item, scope) and (type(node), field.name) not in NAMES_OF_WORDS:
                return _bound(item, "parameter")
            if isinstance(item, syntax.Name):
                return self._value(item, scope, ()) if field.role == "expression" else item
            return self.tree(item, scope)

        return rebuilt(node, each)

    def _handed(self, statement: syntax.AssignStmt, role: str, scope: _Scope) -> syntax.AssignStmt:
        """What a child of a role has of its mother: where its state has options, one of these may stand."""
        options = self._options(statement.meter.text, None, replace(scope, role=role, affordance=""))
        return replace(statement, value=self._value(statement.value, scope, options))

    def _value(self, value: syntax.Expr, scope: _Scope, options: Options) -> Any:
        """An expression where one of these options may stand."""
        match value:
            case syntax.Bound():
                return value
            case syntax.Name() if _is_parameter(value, scope):
                return _bound(value, "parameter")
            case syntax.Name(text=text):
                if text in options:
                    return _bound(value, "option")
                if text in MEANINGS and not value.quoted:
                    return _bound(value, "quantity")
                return _bound(value, "own") if text in scope.own else value
            case syntax.IfExpr(condition=condition, then=then, otherwise=otherwise) if options:
                condition = self._value(condition, scope, ())
                then, otherwise = (self._value(each, scope, options) for each in (then, otherwise))
                return replace(value, condition=condition, then=then, otherwise=otherwise)
            case syntax.CallExpr(function=syntax.Name(text="choice"), arguments=arguments) if options:
                return replace(value, arguments=tuple(self._value(each, scope, options) for each in arguments))
            case syntax.WeightedExpr(value=each, weight=weight) if options:
                return replace(value, value=self._value(each, scope, options), weight=self._value(weight, scope, ()))
            case _:
                return self.tree(value, scope)

    def _side(self, side: syntax.Expr, other: syntax.Expr, scope: _Scope) -> syntax.Expr:
        """A side of a comparison: beside `action` a name is that of an action, beside `here` that of an affordance."""
        word = other.text if isinstance(other, syntax.Name) and not other.quoted else ""
        is_place = word in PLACES and word not in self._looked_at(side, scope)
        if (
            is_place
            and type(side) is syntax.Name
            and not _is_parameter(side, scope)
            and (side.quoted or side.text not in MEANINGS)
        ):
            return _bound(side, "action" if word == "action" else "affordance")
        made: syntax.Expr = self._value(side, scope, self._looked_at(other, scope))
        return made

    def _named(self, argument: syntax.Expr, space: Space | None) -> syntax.Expr:
        """What a function is called with for a parameter that names something."""
        if space is None or type(argument) is not syntax.Name:
            return argument
        if space == "owner":
            return _bound(argument, "value" if argument.text in self.owners else "affordance")
        return _bound(argument, space)

    def _is_declared(self, function: syntax.Name) -> bool:
        """Whether a function that is called is one that the universe declares."""
        hides = function.quoted or function.text not in CALLS or function.text in YIELDING_CALLS
        return type(function) is syntax.Name and hides and function.text in self.functions

    def _looked_at(self, side: syntax.Expr, scope: _Scope) -> Options:
        """The options of a state, or of one whose past is read, or that of another agent."""
        while isinstance(side, syntax.CallExpr) and side.arguments and side.function.text in _OF_STATES:
            side = side.arguments[0]
        side = side.value if isinstance(side, syntax.AtExpr) else side
        match side:
            case syntax.OfExpr(quantity=quantity, owner=owner):
                return self._options(quantity.text, owner, scope)
            case syntax.Name(text=text):
                return self._options(text, None, scope)
            case _:
                return ()

    def _options(self, state: str, owner: syntax.Name | None, scope: _Scope) -> Options:
        """The options of what a name stands for here, or of what an affordance has."""
        if owner is not None:
            return self.states.get(("", owner.text, state), ())
        if state in scope.own:
            return self.states.get((scope.role, scope.affordance, state), ())
        return self.states.get((scope.role, "", state)) or self.states.get(("", "", state), ())


def _is_parameter(item: Any, scope: _Scope) -> bool:
    """Whether this is the name of a parameter of the function in whose text it stands."""
    return type(item) is syntax.Name and item.text in scope.parameters


def _bound(name: syntax.Name, space: syntax.BoundTo) -> syntax.Bound:
    return syntax.Bound(name.text, name.span, name.quoted, space)
