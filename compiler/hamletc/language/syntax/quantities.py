"""What has a value: meters, states, params, inputs, controls, lets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Bounds, Expr, Form, Name
from hamletc.language.syntax.items import Property

__all__ = [
    "ControlDecl",
    "InputDecl",
    "LetDecl",
    "MeterDecl",
    "MeterProperty",
    "ParamDecl",
    "StateSpec",
]


@dataclass(frozen=True, slots=True)
class InputDecl:
    """`input curiosity = 0 in -10 .. 10`."""

    form: ClassVar[Form] = "input $name & = $default in $bounds"
    name: Name
    default: Expr
    bounds: Bounds
    span: Span


@dataclass(frozen=True, slots=True)
class ControlDecl:
    """`control thrust in -1 .. 1`."""

    form: ClassVar[Form] = "control $name & in $bounds"
    name: Name
    bounds: Bounds
    span: Span


@dataclass(frozen=True, slots=True)
class ParamDecl:
    """`param difficulty = 1.0 in 0 .. 4`. `bounds` is required."""

    form: ClassVar[Form] = "param $name & = $default in $bounds"
    name: Name
    default: Expr
    bounds: Bounds
    span: Span


@dataclass(frozen=True, slots=True)
class LetDecl:
    """`let hunger = 1 - satiation`, `let starving = satiation < 0.3`."""

    form: ClassVar[Form] = "let $name & = $value"
    name: Name
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class StateSpec:
    """`int in 0 .. 50`, `real in 0 .. 1`, `bool`, `sunny rainy stormy`: what a state holds; the bounds are those of its
    `MeterDecl`. The kind is empty where none is written. It is an author's, or a quantity of an `item`, or the compiler
    needs it for itself, and nobody else looks at it."""

    kind: Literal["", "int", "real", "bool", "options"]
    options: tuple[Name, ...]
    span: Span
    of: Literal["author", "item", "compiler"] = "author"


@dataclass(frozen=True, slots=True)
class MeterDecl:
    """`meter energy = 1.0 in 0 .. 1 { decay 0.005 move 0.005 interact 0.005 only falls }`; bounds default to 0 .. 1.
    With a `state`: `state cooldown: int in 0 .. 50 = 0`, `state asleep = false`. `kept`, `per_agent` where this stands
    before it."""

    form: ClassVar[Form] = "meter $name & = $start [in $bounds] [{ $properties* }]"
    name: Name
    start: Expr
    bounds: Bounds | None
    properties: tuple[MeterProperty, ...]
    span: Span
    state: StateSpec | None = None
    kept: bool = False
    per_agent: bool = False


MeterProperty: TypeAlias = Property
