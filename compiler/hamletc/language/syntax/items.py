"""What stands inside the braces of declarations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Expr, Name, Quoted, Signed
from hamletc.language.syntax.statements import Stmt

__all__ = ["BlockItem", "CapacityItem", "KeepsItem", "MoveItem", "NeedsItem", "ObserveItem", "Property", "TeleportItem"]


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
class CapacityItem:
    """`capacity 2 to lowest number`, `capacity stock to highest hunger`. What stands behind `lowest` or `highest` is
    `None` where that word does not."""

    places: Expr
    lowest: Name | None
    highest: Expr | None
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
class KeepsItem:
    """`keeps progress`: an agent that the action displaces stays engaged."""

    span: Span


@dataclass(frozen=True, slots=True)
class TeleportItem:
    """`teleport (0, 0)`, `teleport "B"`: a place."""

    cell: tuple[Signed, ...] | Quoted
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveItem:
    """`grid`, `grid of forest`, `window 2`, `position relative`, `meters`, `meters energy mood`, `progress per 10`,
    `here Bed nothing`, `velocity x`, `blank 13`, `constant 0 1`, ...

    `words` and `numbers` hold what follows the kind: names (encoding, meters, params, affordances, axes, a
    region) and numbers.
    """

    kind: Name
    words: tuple[Name, ...]
    numbers: tuple[Signed, ...]
    span: Span
