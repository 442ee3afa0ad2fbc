"""Space and time: the kind of space, the map, the moves, what agents begin with, the clock, and the end of a life."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from hamlet.universe import CellMetric, Span
from hamletc.language.syntax.expressions import Cell, Expr, Lasting, Name, Quoted, Signed
from hamletc.language.syntax.node import Node
from hamletc.language.syntax.properties import RewardProperty, SpaceProperty

__all__ = [
    "GRIDS",
    "CellPair",
    "ClockDecl",
    "DrawnWallsDecl",
    "EpisodesDecl",
    "GraphPath",
    "LevelDecl",
    "LifespanDecl",
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
    "ThinWallsDecl",
]

GRIDS: Mapping[str, CellMetric] = MappingProxyType({"grid": "manhattan", "hexagons": "hexagonal"})
"""The kinds of space that are grids, with their metric unless another is written."""


class SpaceDecl(Node):
    """`space grid 8 x 8 { edges clamp  distance manhattan  places stored  starts anywhere }`,
    `space continuous (0 .. 10) x (-1 .. 1) { step 0.5  reach 1  directions 8  speeds 2 }`,
    `space graph { home - road - shop  region town { road shop }  starts in town }`, `space none`.

    `sizes` are those of a grid, none for `space grid map`; `bounds` are those of a continuous space, `paths` those of
    a graph, and `items` its regions and in which of them agents start.
    """

    kind: Name
    sizes: tuple[Signed, ...]
    bounds: tuple[tuple[Signed, Signed], ...]
    properties: tuple[SpaceProperty, ...]
    span: Span
    paths: tuple[GraphPath, ...] = ()
    items: tuple[MapLetters | NodesDecl, ...] = ()


class GraphPath(Node):
    """`home - road -> shop`: nodes, and between each two of them a `link`, which leads both ways or on."""

    nodes: tuple[Name, ...]
    links: tuple[Literal["-", "->"], ...]
    span: Span


class NodesDecl(Node, form="region $name { $nodes* }"):
    """`region town { road shop }`: a name for these nodes of a graph."""

    name: Name
    nodes: tuple[Name, ...]
    span: Span


class MapLetters(Node, form=("$kind<starts> in $letters<Name>", "$kind<wall|starts> $letters<Quoted>")):
    """`wall "#"`, `starts "a"`, `starts in forest`: what these letters mean, or those of a region."""

    kind: Name
    letters: Quoted | Name
    span: Span


class RegionDecl(Node, form="region $name $letters"):
    """`region forest "fF"`: the name of the cells that have these letters."""

    name: Name
    letters: Quoted
    span: Span


class RegionNumber(Node, form="$region $value"):
    """`forest 0.03`: what the cells of a region have."""

    region: Name
    value: Expr
    span: Span


class TerrainDecl(Node, form="terrain $name = $default [{ $numbers* }]"):
    """`terrain cost = 0.01 { forest 0.03  water 0.05 }`: a number per cell."""

    name: Name
    default: Expr
    numbers: tuple[RegionNumber, ...]
    span: Span


class CellPair(Node, form="$first $second"):
    """`(1, 0) (2, 0)`: two cells."""

    first: Cell
    second: Cell
    span: Span


class ThinWallsDecl(Node, form="wall between $pairs,"):
    """`wall between (1, 0) (2, 0), (1, 1) (2, 1)`: walls between the two cells of each pair."""

    pairs: tuple[CellPair, ...]
    span: Span


class DrawnWallsDecl(Node, form="wall between $axis $letters"):
    """`wall between columns "|"`: every second column of the drawing stands between two columns of cells, and these
    letters there are thin walls."""

    axis: Literal["columns", "rows"]
    letters: Quoted
    span: Span


class LevelDecl(Node, form="level $name { $rows* }"):
    """`level first { "####" "#..#" }`: one of the maps between which episodes choose; of a file it has its number."""

    name: Name
    rows: tuple[Quoted, ...]
    span: Span


class MapDecl(Node):
    """`map { "####" "#..#" wall "#" }`, `map "town.txt" { wall "#" }`, where `file` is the name and `rows` are what was
    read there; of a file of levels these are among the `items`."""

    file: Quoted | None
    rows: tuple[Quoted, ...]
    items: tuple[MapLetters | RegionDecl | TerrainDecl | ThinWallsDecl | DrawnWallsDecl | LevelDecl, ...]
    span: Span


class MoveDef(Node, form="$name $delta"):
    """`NE (1, -1)`: a move of the space, with its displacement."""

    name: Name
    delta: Cell
    span: Span


class MovesDecl(Node, form="moves { $moves* }"):
    """`moves { STAY (0, 0)  NE (1, -1) }`: all the moves of the space, instead of the usual ones."""

    moves: tuple[MoveDef, ...]
    span: Span


class StartDecl(Node, form=("start velocity $velocity [speed $speed]", "start speed $speed")):
    """`start velocity (0.5, -1) speed 2`, of which either part may be missing: what is there before the first tick."""

    velocity: Cell | None
    speed: Signed | None
    span: Span


class EpisodesDecl(Node, form="episodes by hand"):
    """`episodes by hand`."""

    span: Span


class ClockDecl(Node, form="clock $hours hour|hours"):
    """`clock 24 hours`."""

    hours: Signed
    span: Span


class LifespanDecl(Node, form=("lifespan $ticks<forever>", "lifespan $ticks<Duration> [{ $properties* }]")):
    """`lifespan 500 ticks { reward 1.0 }`, `lifespan forever`, where `ticks` is a `Name`. Where agents are born,
    `counted` is the name of the state of the world that counts its ticks, when all is written out."""

    ticks: Lasting
    properties: tuple[RewardProperty, ...]
    span: Span
    counted: Name | None = None
