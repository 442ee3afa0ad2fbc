"""What has a value: meters, states, params, inputs, controls, lets, tables."""

from __future__ import annotations

from typing import Literal

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Bounds, Expr, Name, Quoted, Signed
from hamletc.language.syntax.node import Node
from hamletc.language.syntax.properties import MeterProperty

__all__ = [
    "ControlDecl",
    "InputDecl",
    "LetDecl",
    "MeterDecl",
    "OnceDecl",
    "ParamDecl",
    "StateSpec",
    "TableDecl",
    "TableRow",
]


class InputDecl(Node, form="input $name & = $default in $bounds"):
    """`input curiosity = 0 in -10 .. 10`."""

    name: Name
    default: Expr
    bounds: Bounds
    span: Span


class ControlDecl(Node, form=("control $name & in $bounds", "control $name: & $kind<int> in $bounds")):
    """`control thrust in -1 .. 1`, `control order: int in 0 .. 100`."""

    name: Name
    kind: Name | None
    bounds: Bounds
    span: Span


class ParamDecl(Node, form="param $name & = $default in $bounds"):
    """`param difficulty = 1.0 in 0 .. 4`. `bounds` is required."""

    name: Name
    default: Expr
    bounds: Bounds
    span: Span


class LetDecl(Node, form="let $name[($parameters,)] & = $value"):
    """`let hunger = 1 - satiation`, `let starving = satiation < 0.3`; with parameters a function:
    `let square(a) = a * a`."""

    name: Name
    value: Expr
    span: Span
    parameters: tuple[Name, ...] = ()


class OnceDecl(Node, form="let $name & = once $value<Drawn>"):
    """`let task = once integer(0, 11)`: drawn when an episode begins, of each agent or of the world."""

    name: Name
    value: Expr
    span: Span


class TableRow(Node):
    """A line of numbers of a table, as they are written, with spaces between them."""

    numbers: str
    span: Span


class TableDecl(Node):
    """`table right { 0 1 1 0 }`, `table adjacency 2 x 2 { 0 1 1 0 }`; without sizes it has one, the number of its
    numbers. `table demand "demand.csv"`, where `file` is the name and `rows` are what was read there; without sizes it
    has those of the rows and columns of the file."""

    name: Name
    sizes: tuple[Signed, ...]
    file: Quoted | None
    rows: tuple[TableRow, ...]
    span: Span


class StateSpec(Node):
    """`int in 0 .. 50`, `real in 0 .. 1`, `bool`, `sunny rainy stormy`: what a state holds; the bounds are those of its
    `MeterDecl`. The kind is empty where none is written. It is an author's, or a quantity of an `item`, or what a `let`
    draws once, or what the `levels` of a map have on cells, or the compiler needs it for itself, and nobody else looks
    at it: for what moves, for `births`, for what `layouts` draw, to say where an agent `posts` in a tick, or what is
    `posted`."""

    kind: Literal["", "int", "real", "bool", "options"]
    options: tuple[Name, ...]
    span: Span
    of: Literal["author", "item", "once", "levels", "compiler", "births", "layouts", "posts", "posted"] = "author"


class MeterDecl(Node, form="meter $name & = $start [in $bounds] [{ $properties* }]"):
    """`meter energy = 1.0 in 0 .. 1 { decay 0.005 move 0.005 interact 0.005 only falls }`; bounds default to 0 .. 1.
    With a `state`: `state cooldown: int in 0 .. 50 = 0`, `state asleep = false`. `kept`, `per_agent` where this stands
    before it."""

    name: Name
    start: Expr
    bounds: Bounds | None
    properties: tuple[MeterProperty, ...]
    span: Span
    state: StateSpec | None = None
    kept: bool = False
    per_agent: bool = False
