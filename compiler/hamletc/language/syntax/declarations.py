"""Declarations, and the whole file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamletc.language.syntax.actions import ActionDecl, ActionsDecl, ActsDecl, AllowDecl
from hamletc.language.syntax.affordances import AffordanceDecl
from hamletc.language.syntax.drawings import DrawItem
from hamletc.language.syntax.expressions import Expr, Name, Quoted, RoleExpr, Series, SeriesList, Signed
from hamletc.language.syntax.items import (
    AbleItem,
    CraftItem,
    PoolItem,
    UseItem,
)
from hamletc.language.syntax.node import Node
from hamletc.language.syntax.observations import ObserveItem
from hamletc.language.syntax.properties import ThingProperty
from hamletc.language.syntax.quantities import (
    ControlDecl,
    InputDecl,
    LetDecl,
    MeterDecl,
    OnceDecl,
    ParamDecl,
    TableDecl,
    TableRow,
)
from hamletc.language.syntax.rewards import DiesDecl, EndsDecl, ReportDecl, RewardDecl
from hamletc.language.syntax.rules import CascadeDecl, EffectDecl, RuleDecl
from hamletc.language.syntax.space import (
    ClockDecl,
    EpisodesDecl,
    LifespanDecl,
    MapDecl,
    MovesDecl,
    SpaceDecl,
    StartDecl,
)
from hamletc.language.syntax.statements import AssignStmt

__all__ = [
    "SETTINGS",
    "Base",
    "BirthSpec",
    "CellItem",
    "CellsDecl",
    "Decl",
    "DrawDecl",
    "File",
    "IncludeDecl",
    "InertDecl",
    "ItemDecl",
    "ItemPart",
    "LinkPath",
    "LinksDecl",
    "ObserveDecl",
    "OverrideDecl",
    "PairItem",
    "PairsDecl",
    "Part",
    "RoleDecl",
    "RolePart",
    "SlotsDecl",
    "SolidItem",
    "StagesDecl",
    "Switch",
    "TemplateDecl",
    "TrackDecl",
    "UseDecl",
    "WallItem",
    "WithoutDecl",
    "WorldDecl",
    "WorldItem",
]


_NAMED = "meter|state|param|input|control|let|table|effect|rule|cascade|affordance|action|report|role|item"
_UNNAMED = (
    "space|map|moves|actions|start|clock|lifespan|episodes|track|inert|world|cells|stages|slots|observe|draw"
    "|dies|ends|allow|acts|pairs"
)


class TrackDecl(Node, form="track uses [by $by<agent|world>]"):
    """`track uses`, `track uses by agent`, `track uses by world`."""

    by: Name | None
    span: Span


class InertDecl(Node, form="inert allowed"):
    """`inert allowed`: what has no effect is reported as a warning."""

    span: Span


class IncludeDecl(Node, form="include $path"):
    """`include "needs.hamlet"`: the declarations of another file."""

    path: str
    span: Span


class WithoutDecl(
    Node, form=(f"without $kind<{_NAMED}> $name", "without $kind<reward> [$name]", f"without $kind<{_UNNAMED}>")
):
    """`without rule ageing`, `without clock`, `without reward`: what is not taken of the universe that is extended."""

    kind: Name
    name: Name | None
    span: Span


class OverrideDecl(Node):
    """`override rule ageing: ...`: a declaration that must replace one of the universe that is extended."""

    declaration: Decl
    span: Span


class TemplateDecl(Node, form="template $name($parameters,) {{ $declarations<Part>* }}"):
    """`template Shop(name, price) { affordance name at random { ... } }`."""

    name: Name
    parameters: tuple[Name, ...]
    declarations: tuple[Decl, ...]
    span: Span


class UseDecl(Node, form="use $template($arguments<Given>,)"):
    """`use Shop(Bakery, 0.05)`: the declarations of a template. An argument may be the name of a declaration; with a
    series, `use Cell(c1 .. c9)`, or a list, `use Cell((Inn, Mill))`, it is a use for each of it."""

    template: Name
    arguments: tuple[Expr | Series | SeriesList, ...]
    span: Span


class WorldDecl(Node, form="world {{ $items* }}"):
    """`world { meter stock = 20 in 0 .. 100  rule sale: stock -= count(used == Shop) }`."""

    items: tuple[WorldItem, ...]
    span: Span


class SlotsDecl(Node, form="slots $number"):
    """`slots 4`: how many things an agent carries at most. In a role, `role` is its name, and `who` the condition that
    an agent is of it, where not all are."""

    number: Signed
    span: Span
    role: str = ""
    who: RoleExpr | None = None


class Switch(Node, form="$source -> $target when $condition"):
    """`easy -> hard when wins >= 10`."""

    source: Name
    target: Name
    condition: Expr
    span: Span


class StagesDecl(Node, form="stages {{ $switches* }}"):
    """`stages { easy -> hard when wins >= 10 }`."""

    switches: tuple[Switch, ...]
    span: Span


class ItemDecl(Node, form="item $name [{{ $items* }}]"):
    """`item axe { wear 10  craft from 4 wood  can pick drop }`: a kind of things. `role` and `who` are as those of
    `SlotsDecl`."""

    name: Name
    items: tuple[ItemPart, ...]
    span: Span
    role: str = ""
    who: RoleExpr | None = None


class WallItem(Node, form="wall when $condition"):
    """`wall when door == closed`: the cells that nobody enters while this holds for them."""

    condition: Expr
    span: Span


class SolidItem(Node, form="solid when $condition"):
    """`solid when boulders > 0`: the cells that nobody enters while this holds for them, past which everybody sees."""

    condition: Expr
    span: Span


class CellsDecl(Node, form="cells {{ $items* }}"):
    """`cells { meter moss = 0 in 0 .. 1  rule grow: moss += 0.02 * neighbours(moss) }`."""

    items: tuple[CellItem, ...]
    span: Span


class LinkPath(Node):
    """`0 - 1 -> 2`: numbers of agents, and between each two of them a link: one of both, or of the first alone."""

    agents: tuple[Signed, ...]
    ways: tuple[Literal["-", "->"], ...]
    span: Span


class LinksDecl(Node):
    """`links wired { 0 - 1 - 2  3 -> 0 }`; `links wired "wires.csv"`, where `file` is the name and `rows` are what was
    read there."""

    name: Name
    file: Quoted | None
    paths: tuple[LinkPath, ...]
    rows: tuple[TableRow, ...]
    span: Span


class PairsDecl(Node, form="pairs {{ $items* }}"):
    """`pairs { state likes: real in 0 .. 1 = 0  rule warms: apart <= 1 -> likes += 0.01 }`, until it is written out."""

    items: tuple[PairItem, ...]
    span: Span


class RoleDecl(
    Node,
    form=(
        "role $name {{ $items<RoleItem>* }}",
        "role $name: $agents agent|agents [{{ $items<RoleItem>* }}]",
        "role $name: $others [{{ $items<RoleItem>* }}]",
    ),
):
    """`role wolf: 2 agents { meter hunger = 0.5 }`, `role sheep: others { ... }`, where `others` is the place of that
    word; `role wolf { ... }`, which adds to a role that is declared elsewhere, has neither.

    When all is written out, `items` are what it observes, and when its agents are alive; `meters` and `actions` are the
    names of its own, which are then declared outside. `births` says how agents of it are born.
    """

    name: Name
    agents: Signed | None
    others: Span | None
    items: tuple[RolePart, ...]
    span: Span
    meters: tuple[Name, ...] = ()
    actions: tuple[Name, ...] = ()
    births: BirthSpec | None = None

    @property
    def counted(self) -> bool:
        """Whether it says which agents are of the role."""
        return self.agents is not None or self.others is not None


class BirthSpec(Node):
    """How agents of a role are born, when all is written out: the names of states of agents. A mother's says whether
    she has `asked`, and has what is `handed` over, as in `energy = its state`; a child's counts the ticks that it
    `waits`."""

    asked: Name | None
    handed: tuple[AssignStmt, ...]
    waits: Name | None
    span: Span


class ObserveDecl(Node, form=("observe nothing", "observe { $items* }")):
    """`observe { ... }`; `observe nothing` has no items."""

    items: tuple[ObserveItem, ...]
    span: Span


class DrawDecl(Node, form="draw {{ $items* }}"):
    """`draw { agents "@" in gold  affordance Bed "B" in blue }`: what pictures show, and how. Nothing else heeds it."""

    items: tuple[DrawItem, ...]
    span: Span


ItemPart: TypeAlias = ThingProperty | CraftItem | UseItem | AbleItem
WorldItem: TypeAlias = MeterDecl | OnceDecl | EffectDecl | RuleDecl
CellItem: TypeAlias = MeterDecl | RuleDecl | WallItem | SolidItem
PairItem: TypeAlias = MeterDecl | RuleDecl | LinksDecl
Part: TypeAlias = (
    SpaceDecl
    | MapDecl
    | MovesDecl
    | ActionsDecl
    | ClockDecl
    | LifespanDecl
    | StartDecl
    | EpisodesDecl
    | TrackDecl
    | InertDecl
    | ParamDecl
    | InputDecl
    | ControlDecl
    | LetDecl
    | OnceDecl
    | TableDecl
    | UseDecl
    | MeterDecl
    | WorldDecl
    | StagesDecl
    | EffectDecl
    | SlotsDecl
    | ItemDecl
    | CellsDecl
    | PairsDecl
    | RuleDecl
    | CascadeDecl
    | AffordanceDecl
    | ActionDecl
    | AllowDecl
    | ActsDecl
    | DiesDecl
    | EndsDecl
    | RoleDecl
    | RewardDecl
    | ReportDecl
    | ObserveDecl
    | DrawDecl
)
"""What a template can have, and what can override."""

Decl: TypeAlias = Part | IncludeDecl | WithoutDecl | OverrideDecl | TemplateDecl
RolePart: TypeAlias = Decl | PoolItem
"""What a role can have."""

SETTINGS: Mapping[str, type[Decl]] = MappingProxyType(
    {
        "space": SpaceDecl,
        "map": MapDecl,
        "moves": MovesDecl,
        "actions": ActionsDecl,
        "start": StartDecl,
        "clock": ClockDecl,
        "lifespan": LifespanDecl,
        "episodes": EpisodesDecl,
        "track": TrackDecl,
        "inert": InertDecl,
    }
)
"""What a universe says once of itself, before anything that has a name."""


class Base(Node):
    """`extends "town.hamlet"`; `file` is what was read there."""

    path: str
    span: Span
    file: File | None = None


class File(Node):
    """A whole source file: `universe NAME`, perhaps what it extends, then declarations in order."""

    name: Name
    declarations: tuple[Decl, ...]
    span: Span
    base: Base | None = None
