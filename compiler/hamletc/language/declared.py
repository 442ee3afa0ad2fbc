"""Symbols: what each declaration declares, name by name, which kinds share their names, and what names are made of.

This is the one table of names, made from the syntax alone: what writes a universe out and what checks it read it. No
other module makes a name of names, and none takes one apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc.language import syntax

Kind: TypeAlias = Literal[
    "meter", "world meter", "cell meter", "pair meter", "param", "input", "control", "let", "function", "table",
    "terrain", "effect", "item", "region", "node", "affordance", "action", "move", "rule", "cascade", "reward",
    "report", "role",
]  # fmt: skip
ValueKind: TypeAlias = Literal[
    "meter", "world meter", "cell meter", "pair meter", "param", "input", "control", "terrain"
]  # fmt: skip
Namespace: TypeAlias = Literal["value", "region", "node", "affordance", "action", "move", "rule", "reward"]

VALUES: tuple[ValueKind, ...] = get_args(ValueKind)
"""What has a value in expressions."""
NAMED: tuple[Kind, ...] = (*VALUES, "let", "function", "table", "effect", "role")
"""What can be a name in expressions once things are written out: one namespace."""
NAMESPACES: Mapping[Namespace, tuple[Kind, ...]] = MappingProxyType(
    {
        "value": (*NAMED, "item"),
        "region": ("region",),
        "node": ("node",),
        "affordance": ("affordance",),
        "action": ("action",),
        "move": ("move",),
        "rule": ("rule", "cascade"),
        "reward": ("reward", "report"),
    }
)
"""The kinds that share their names, by what they are looked up as."""
_NAMESPACE_OF: Mapping[Kind, Namespace] = MappingProxyType(
    {kind: namespace for namespace, kinds in NAMESPACES.items() for kind in kinds}
)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name, and what it is declared as; `state` is what a state holds."""

    name: syntax.Name
    kind: Kind
    state: syntax.StateSpec | None = None

    @property
    def called(self) -> str:
        """The kind in messages."""
        return called(self.kind, self.state)

    @property
    def span(self) -> Span:
        """The name where it is declared."""
        return self.name.span

    @property
    def namespace(self) -> Namespace:
        """The namespace that the name is in."""
        return _NAMESPACE_OF[self.kind]


def called(kind: Kind, state: syntax.StateSpec | None) -> str:
    """The kind of a symbol in messages: a meter that holds this is a state, or what a let draws once."""
    if state is not None and state.of == "once":
        return "let"
    return kind if state is None else kind.replace("meter", "state")


def declared(declaration: syntax.RolePart) -> Iterator[Symbol]:
    """The symbols of a declaration, in order. Parts of roles, and meters and rules in the braces of an affordance, are
    declared by themselves; the actions in those braces are everybody's, and belong to the affordance here."""
    match declaration:
        case syntax.ParamDecl(name=name):
            yield Symbol(name, "param")
        case syntax.InputDecl(name=name):
            yield Symbol(name, "input")
        case syntax.ControlDecl(name=name):
            yield Symbol(name, "control")
        case syntax.LetDecl(name=name):
            yield Symbol(name, "function" if declaration.parameters else "let")
        case syntax.OnceDecl(name=name):
            yield Symbol(name, "let")
        case syntax.TableDecl(name=name):
            yield Symbol(name, "table")
        case syntax.MeterDecl():
            yield _meter(declaration, "meter")
        case syntax.ItemDecl(name=name):
            yield Symbol(name, "item")
        case syntax.RoleDecl(name=name):
            yield Symbol(name, "role")
        case syntax.EffectDecl(name=name):
            yield Symbol(name, "effect")
        case syntax.WorldDecl(items=items):
            yield from (_in_block(item, "world meter") for item in items)
        case syntax.CellsDecl(items=items):
            for part in items:
                if not isinstance(part, syntax.WallItem | syntax.SolidItem):
                    yield _in_block(part, "cell meter")
        case syntax.PairsDecl(items=items):
            yield from map(_of_pairs, items)
        case syntax.RuleDecl(name=name):
            yield Symbol(name, "rule")
        case syntax.CascadeDecl(name=name):
            yield Symbol(name, "cascade")
        case syntax.AffordanceDecl(name=name, items=items):
            yield Symbol(name, "affordance")
            yield from (Symbol(item.name, "action") for item in items if isinstance(item, syntax.ActionDecl))
        case syntax.ActionDecl(name=name):
            yield Symbol(name, "action")
        case syntax.MovesDecl(moves=moves):
            yield from (Symbol(move.name, "move") for move in moves)
        case syntax.SpaceDecl(paths=paths, items=items):
            first = {node.text: node for path in reversed(paths) for node in reversed(path.nodes)}
            yield from (Symbol(node, "node") for path in paths for node in path.nodes if first[node.text] is node)
            yield from (Symbol(item.name, "region") for item in items if isinstance(item, syntax.NodesDecl))
        case syntax.MapDecl(items=items):
            for item in items:
                match item:
                    case syntax.RegionDecl(name=name):
                        yield Symbol(name, "region")
                    case syntax.TerrainDecl(name=name):
                        yield Symbol(name, "terrain")
                    case syntax.MapLetters() | syntax.ThinWallsDecl() | syntax.DrawnWallsDecl() | syntax.LevelDecl():
                        pass
        case syntax.RewardDecl(name=syntax.Name() as name):
            yield Symbol(name, "reward")
        case syntax.ReportDecl(name=name):
            yield Symbol(name, "report")
        case syntax.OverrideDecl(declaration=inner):
            yield from declared(inner)
        case _:
            pass


def names_of(declaration: syntax.RolePart) -> tuple[syntax.Name, ...]:
    """The names that a declaration declares."""
    return tuple(symbol.name for symbol in declared(declaration))


def in_role(name: syntax.Name, role: str) -> syntax.OwnName:
    """What is declared in a role by this name, as it is called outside."""
    return syntax.OwnName(f"{role}.{name.text}", name.span, name.quoted, name.text, role)


def parted(name: syntax.Name) -> tuple[str, str]:
    """The role that an author wrote before a name, and the name: `wolf.hunger`; in backticks there is no role."""
    role, _, own = ("", "", name.text) if name.quoted else name.text.rpartition(".")
    return role, own


def in_braces(name: syntax.Name, owner: str) -> syntax.OwnName:
    """What an affordance or a thing has of its own by this name, as it is called outside."""
    return syntax.OwnName(f"{name.text} of {owner}", name.span, True, name.text, owner)


def in_use(name: syntax.Name, argument: str) -> str:
    """What a template declares by this name, in a use for something else; `argument` is the name of that."""
    return f"{argument}_{name.text}" if argument else name.text


def with_thing(verb: str, thing: syntax.Name) -> syntax.Name:
    """The action with a thing: `PICK_axe`, of a thing of a role `smith.PICK_axe`."""
    if isinstance(thing, syntax.OwnName):
        return in_role(syntax.Name(f"{verb}_{thing.own}", thing.span, thing.quoted), thing.owner)
    return replace(thing, text=f"{verb}_{thing.text}")


def copy_of(affordance: str, number: int) -> str:
    """The name of the first, second, ... copy of an affordance."""
    return f"{affordance} {number}"


def in_namespace(namespace: Namespace, declarations: Iterable[syntax.Decl]) -> dict[str, Symbol]:
    """The symbols of a namespace by name; of several with one name the first."""
    found: dict[str, Symbol] = {}
    for declaration in declarations:
        for symbol in declared(declaration):
            if symbol.namespace == namespace:
                found.setdefault(symbol.name.text, symbol)
    return found


def _in_block(item: syntax.WorldItem, kind: Literal["meter", "world meter", "cell meter", "pair meter"]) -> Symbol:
    match item:
        case syntax.MeterDecl():
            return _meter(item, kind)
        case syntax.OnceDecl(name=name):
            return Symbol(name, "let")
        case syntax.EffectDecl(name=name):
            return Symbol(name, "effect")
        case syntax.RuleDecl(name=name):
            return Symbol(name, "rule")


def _of_pairs(item: syntax.PairItem) -> Symbol:
    if isinstance(item, syntax.LinksDecl):
        return Symbol(item.name, "meter", syntax.StateSpec("bool", (), item.name.span))
    return _in_block(item, "pair meter")


def _meter(declaration: syntax.MeterDecl, kind: Kind) -> Symbol:
    """A meter with what it holds; a state without a type holds a condition, but where it begins with a number."""
    spec = declaration.state
    if spec is not None and not spec.kind:
        numbers = isinstance(declaration.start, syntax.Numeral | syntax.UnaryExpr)
        spec = replace(spec, kind="real" if numbers else "bool")
    return Symbol(declaration.name, kind, spec)
