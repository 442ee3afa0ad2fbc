"""Space and time: the kind of space, the map, the moves, what agents begin with, the clock, and the end of a life."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal, TypeAlias

from hamlet.universe import CellMetric, Span
from hamletc.language.syntax.expressions import Cell, Expr, Form, Lasting, Name, Quoted, Signed
from hamletc.language.syntax.items import Property

__all__ = [
    "GRIDS",
    "ClockDecl",
    "EpisodesDecl",
    "GraphPath",
    "LifespanDecl",
    "LifespanProperty",
    "MapDecl",
    "MapLetters",
    "MoveDef",
    "MovesDecl",
    "NodesDecl",
    "RegionDecl",
    "RegionNumber",
    "SpaceDecl",
    "StartDecl",
    "TerrainDecl",
]

GRIDS: Mapping[str, CellMetric] = MappingProxyType({"grid": "manhattan", "hexagons": "hexagonal"})
"""The kinds of space that are grids, with their metric unless another is written."""


@dataclass(frozen=True, slots=True)
class SpaceDecl:
    """`space grid 8 x 8 { edges clamp  distance manhattan  places stored  starts anywhere }`,
    `space continuous (0 .. 10) x (-1 .. 1) { step 0.5  reach 1  directions 8  speeds 2 }`,
    `space graph { home - road - shop  region town { road shop }  starts in town }`, `space none`.

    `sizes` are those of a grid, none for `space grid map`; `bounds` are those of a continuous space, `paths` those of
    a graph, and `items` its regions and in which of them agents start.
    """

    kind: Name
    sizes: tuple[Signed, ...]
    bounds: tuple[tuple[Signed, Signed], ...]
    properties: tuple[Property, ...]
    span: Span
    paths: tuple[GraphPath, ...] = ()
    items: tuple[MapLetters | NodesDecl, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphPath:
    """`home - road -> shop`: nodes, and between each two of them a `link`, which leads both ways or on."""

    nodes: tuple[Name, ...]
    links: tuple[Literal["-", "->"], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class NodesDecl:
    """`region town { road shop }`: a name for these nodes of a graph."""

    form: ClassVar[Form] = "region $name { $nodes* }"
    name: Name
    nodes: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class MapLetters:
    """`wall "#"`, `starts "a"`, `starts in forest`: what these letters mean, or those of a region."""

    form: ClassVar[Form] = (
        "$kind<starts> in $letters<Name>",
        "$kind<wall|starts> $letters<Quoted>",
    )
    kind: Name
    letters: Quoted | Name
    span: Span


@dataclass(frozen=True, slots=True)
class RegionDecl:
    """`region forest "fF"`: the name of the cells that have these letters."""

    form: ClassVar[Form] = "region $name $letters"
    name: Name
    letters: Quoted
    span: Span


@dataclass(frozen=True, slots=True)
class RegionNumber:
    """`forest 0.03`: what the cells of a region have."""

    form: ClassVar[Form] = "$region $value"
    region: Name
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class TerrainDecl:
    """`terrain cost = 0.01 { forest 0.03  water 0.05 }`: a number per cell."""

    form: ClassVar[Form] = "terrain $name = $default [{ $numbers* }]"
    name: Name
    default: Expr
    numbers: tuple[RegionNumber, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class MapDecl:
    """`map { "####" "#..#" wall "#" }`, `map "town.txt" { wall "#" }`, where `file` is the name and `rows` are what was
    read there."""

    file: Quoted | None
    rows: tuple[Quoted, ...]
    items: tuple[MapLetters | RegionDecl | TerrainDecl, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class MoveDef:
    """`NE (1, -1)`: a move of the space, with its displacement."""

    form: ClassVar[Form] = "$name $delta"
    name: Name
    delta: Cell
    span: Span


@dataclass(frozen=True, slots=True)
class MovesDecl:
    """`moves { STAY (0, 0)  NE (1, -1) }`: all the moves of the space, instead of the usual ones."""

    form: ClassVar[Form] = "moves { $moves* }"
    moves: tuple[MoveDef, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class StartDecl:
    """`start velocity (0.5, -1) speed 2`, of which either part may be missing: what is there before the first tick."""

    form: ClassVar[Form] = (
        "start velocity $velocity [speed $speed]",
        "start speed $speed",
    )
    velocity: Cell | None
    speed: Signed | None
    span: Span


@dataclass(frozen=True, slots=True)
class EpisodesDecl:
    """`episodes by hand`."""

    form: ClassVar[Form] = "episodes by hand"
    span: Span


@dataclass(frozen=True, slots=True)
class ClockDecl:
    """`clock 24 hours`."""

    form: ClassVar[Form] = "clock $hours hour|hours"
    hours: Signed
    span: Span


@dataclass(frozen=True, slots=True)
class LifespanDecl:
    """`lifespan 500 ticks { reward 1.0 }`, `lifespan forever`, where `ticks` is a `Name`."""

    form: ClassVar[Form] = (
        "lifespan $ticks<forever>",
        "lifespan $ticks<Duration> [{ $properties* }]",
    )
    ticks: Lasting
    properties: tuple[LifespanProperty, ...]
    span: Span


LifespanProperty: TypeAlias = Property
