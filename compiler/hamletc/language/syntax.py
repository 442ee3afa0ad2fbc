"""The syntax tree: what an author wrote, name by name, before anything is looked up.

Every node has a span. Names, hours and sizes carry spans of their own, so that diagnostics can point at them. The
parser builds it, the formatter prints it, the checker turns it into a Universe.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.universe import Span


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier where it stands."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as it was written (`0.30`, `1e3`, `500`), unsigned."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Signed:
    """A number with an optional minus sign, where only a constant may stand (sizes, bounds, hours, displacements)."""

    text: str
    span: Span


# --- expressions -----------------------------------------------------------------------------------------------------

UnaryOp: TypeAlias = Literal["-", "not"]
BinaryOp: TypeAlias = Literal["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "and", "or"]


@dataclass(frozen=True, slots=True)
class UnaryExpr:
    op: UnaryOp
    operand: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class BinaryExpr:
    op: BinaryOp
    left: Expr
    right: Expr
    op_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class CallExpr:
    """`min(a, b)`, `max(a, b, c)`, `abs(a)`, `clamp(x, low, high)`."""

    function: Name
    arguments: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class IfExpr:
    """`if c then a else b`."""

    condition: Expr
    then: Expr
    otherwise: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class WhenExpr:
    """`a when c`: a where c holds, else 0."""

    value: Expr
    condition: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class DistanceExpr:
    """`distance to Bed`."""

    affordance: Name
    span: Span


Expr: TypeAlias = Name | Numeral | UnaryExpr | BinaryExpr | CallExpr | IfExpr | WhenExpr | DistanceExpr

# --- statements ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AssignStmt:
    """`energy += 0.5`, optionally followed by `unclamped`."""

    meter: Name
    op: Literal["+=", "-=", "="]
    value: Expr
    unclamped: Span | None
    span: Span


@dataclass(frozen=True, slots=True)
class TogetherStmt:
    """`together { ... }`."""

    body: tuple[Stmt, ...]
    span: Span


Stmt: TypeAlias = AssignStmt | TogetherStmt

# --- items inside braces ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Property:
    """`edges clamp`, `distance manhattan`, `reward 1.0`, `decay 0.1 * difficulty`: a keyword and one value.

    `value` is a `Name` for a word, an expression otherwise.
    """

    key: Name
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class NeedsItem:
    """`needs money >= 0.05`."""

    condition: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class BlockItem:
    """`instantly { ... }`, `each tick { ... }`, `on completion { ... }`."""

    kind: Literal["instantly", "each tick", "on completion"]
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class MoveItem:
    """`move (1, 0)`: a displacement."""

    delta: tuple[Signed, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class TeleportItem:
    """`teleport (0, 0)`: a cell."""

    cell: tuple[Signed, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveItem:
    """`grid`, `window 2`, `position relative`, `meters`, `meters energy mood`, `progress per 10`, `params`, ...

    `words` and `number` hold what follows the kind: names (encoding, meters, params) and the number, if any.
    """

    kind: Name
    words: tuple[Name, ...]
    number: Signed | None
    span: Span


# --- declarations ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SpaceDecl:
    """`space grid 8 x 8 { edges clamp  distance manhattan }`."""

    kind: Name
    sizes: tuple[Signed, ...]
    properties: tuple[Property, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ClockDecl:
    """`clock 24 hours`."""

    hours: Signed
    span: Span


@dataclass(frozen=True, slots=True)
class LifespanDecl:
    """`lifespan 500 ticks { reward 1.0 }`."""

    ticks: Signed
    properties: tuple[Property, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ParamDecl:
    """`param difficulty = 1.0 in 0 .. 4`. `bounds` is required."""

    name: Name
    default: Expr
    bounds: tuple[Expr, Expr]
    span: Span


@dataclass(frozen=True, slots=True)
class MeterDecl:
    """`meter energy = 1.0 in 0 .. 1 { decay 0.005 move 0.005 interact 0.005 }`; bounds default to 0 .. 1."""

    name: Name
    start: Expr
    bounds: tuple[Expr, Expr] | None
    properties: tuple[Property, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class RuleDecl:
    """`rule NAME: statement`, `rule NAME { ... }`, `rule NAME: guard -> statement`, `rule NAME: guard -> { ... }`."""

    name: Name
    guard: Expr | None
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class CascadeDecl:
    """`cascade NAME: meter < threshold -> statement` or `-> { ... }`."""

    name: Name
    guard: Expr
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class AffordanceDecl:
    """`affordance Bed at random open 0 .. 24 lasts 4 ticks { ... }`. `place` is `None` for `at random`."""

    name: Name
    place: tuple[Signed, ...] | None
    place_span: Span
    hours: tuple[Signed, Signed] | None
    duration: Signed | None
    items: tuple[NeedsItem | BlockItem, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ActionDecl:
    """`action REST { energy += 0.002 }`."""

    name: Name
    items: tuple[NeedsItem | MoveItem | TeleportItem | Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class DiesDecl:
    """`dies when health <= 0 or energy <= 0`."""

    condition: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class RewardDecl:
    """`reward energy * health + 0.1 when here == Bed`. Several are added in file order."""

    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveDecl:
    """`observe { ... }`."""

    items: tuple[ObserveItem, ...]
    span: Span


Decl: TypeAlias = (
    SpaceDecl
    | ClockDecl
    | LifespanDecl
    | ParamDecl
    | MeterDecl
    | RuleDecl
    | CascadeDecl
    | AffordanceDecl
    | ActionDecl
    | DiesDecl
    | RewardDecl
    | ObserveDecl
)


@dataclass(frozen=True, slots=True)
class File:
    """A whole source file: `universe NAME`, then declarations in order."""

    name: Name
    declarations: tuple[Decl, ...]
    span: Span
