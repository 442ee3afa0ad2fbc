"""What stands inside the braces of declarations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Cell, Duration, Expr, Form, Name, Signed, Spot
from hamletc.language.syntax.statements import Stmt

__all__ = [
    "AbleItem",
    "ActionItem",
    "AgainItem",
    "BlockItem",
    "CapacityItem",
    "CraftItem",
    "FollowsItem",
    "KeepsItem",
    "MomentItem",
    "MoveItem",
    "NeedsItem",
    "ObserveItem",
    "ObserveValue",
    "OpenItem",
    "Property",
    "ShareItem",
    "SpreadItem",
    "TeleportItem",
    "UntilItem",
    "UseItem",
    "WandersItem",
    "WordProperty",
]


@dataclass(frozen=True, slots=True)
class Property:
    """`reward 1.0`, `decay 0.1 * difficulty`: a keyword and an expression."""

    key: Name
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class WordProperty(Property):
    """`edges clamp`, `distance manhattan`, `starts home`, `only falls`: a keyword and a word, or a place."""

    value: Name


@dataclass(frozen=True, slots=True)
class NeedsItem:
    """`needs money >= 0.05`."""

    form: ClassVar[Form] = "needs $condition"
    condition: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class OpenItem:
    """`open when stock >= 1`, `appears when stock >= 1`."""

    form: ClassVar[Form] = (
        "open when $condition",
        "$appears when $condition",
    )
    condition: Expr
    span: Span
    appears: bool = False


@dataclass(frozen=True, slots=True)
class FollowsItem:
    """`follows (0, 3), (4, 3) every 2 ticks`: the places at which an affordance stands, each for a `period`."""

    form: ClassVar[Form] = "follows $stops, [every $period]"
    stops: tuple[Spot, ...]
    period: Duration | None
    span: Span


@dataclass(frozen=True, slots=True)
class WandersItem:
    """`wanders every 3 ticks`: an affordance takes a step at random, each `period`."""

    form: ClassVar[Form] = "wanders [every $period]"
    period: Duration | None
    span: Span


@dataclass(frozen=True, slots=True)
class CraftItem:
    """`craft from 4 wood, 1 stone { energy -= 0.1 }`: how many of which things one is made of."""

    form: ClassVar[Form] = "craft from $shares, [{ $items* }]"
    shares: tuple[ShareItem, ...]
    items: tuple[ActionItem, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ShareItem:
    """`4 wood`."""

    form: ClassVar[Form] = "$number $name"
    number: Signed
    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class UseItem:
    """`use { energy += 0.2 }`."""

    form: ClassVar[Form] = "use { $items* }"
    items: tuple[ActionItem, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class AbleItem:
    """`can pick drop to highest energy`: what agents do with a thing; `lowest` and `highest` as of a capacity."""

    form: ClassVar[Form] = (
        "can $verbs<pick|drop|give>+",
        "can $verbs<pick|drop|give>+ to lowest $lowest",
        "can $verbs<pick|drop|give>+ to highest $highest",
    )
    verbs: tuple[Name, ...]
    lowest: Name | None
    highest: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class MomentItem:
    """`on start { ... }`, `each tick { ... }`, `on end { ... }` of an effect."""

    form: ClassVar[Form] = "$kind { $body* }"
    kind: Literal["on start", "each tick", "on end"]
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class AgainItem:
    """`again renew`, `again ignore`, `again add up to 30 ticks`, `again stack up to 3`: what happens to an effect that
    begins while it lasts. `most` is the number behind `up to`."""

    form: ClassVar[Form] = (
        "again $how<renew|ignore>",
        "again $how<add> up to $most<Duration>",
        "again $how<stack> up to $most",
    )
    how: Literal["renew", "ignore", "add", "stack"]
    most: Signed | None
    span: Span


@dataclass(frozen=True, slots=True)
class UntilItem:
    """`until health > 0.9`."""

    form: ClassVar[Form] = "until $condition"
    condition: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class CapacityItem:
    """`capacity 2 to lowest number`, `capacity stock to highest hunger`. What stands behind `lowest` or `highest` is
    `None` where that word does not."""

    form: ClassVar[Form] = (
        "capacity $places",
        "capacity $places to lowest $lowest",
        "capacity $places to highest $highest",
    )
    places: Expr
    lowest: Name | None
    highest: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class BlockItem:
    """`instantly { ... }`, `each tick { ... }`, `on completion { ... }`."""

    form: ClassVar[Form] = "$kind { $body* }"
    kind: Literal["instantly", "each tick", "on completion"]
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class MoveItem:
    """`move (1, 0)`: a displacement."""

    form: ClassVar[Form] = "move $delta"
    delta: Cell
    span: Span


@dataclass(frozen=True, slots=True)
class KeepsItem:
    """`keeps progress`: an agent that the action displaces stays engaged."""

    form: ClassVar[Form] = "keeps progress"
    span: Span


@dataclass(frozen=True, slots=True)
class TeleportItem:
    """`teleport (0, 0)`, `teleport "B"`, `teleport home`: a place."""

    form: ClassVar[Form] = "teleport $cell"
    cell: Spot
    span: Span


@dataclass(frozen=True, slots=True)
class SpreadItem:
    """`in forest`, `apart 3`, `near Job within 2`: where an affordance at random may stand."""

    form: ClassVar[Form] = (
        "$kind<in> $name",
        "$kind<apart> $number",
        "$kind<near> $name within $number",
    )
    kind: Name
    name: Name | None
    number: Signed | None
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveItem:
    """`grid`, `grid of forest`, `window 2`, `position relative`, `meters`, `meters energy mood`, `progress per 10`,
    `here Bed nothing`, `velocity x`, `blank 13`, `constant 0 1`, ...

    `words` and `numbers` hold what follows the kind: names (encoding, meters, params, affordances, axes, a
    region) and numbers. `sight` is where `in sight` stands behind a window.
    """

    kind: Name
    words: tuple[Name, ...]
    numbers: tuple[Signed, ...]
    span: Span
    sight: Span | None = None


@dataclass(frozen=True, slots=True)
class ObserveValue:
    """`lack: 1 - min(energy, food)` in `observe`."""

    form: ClassVar[Form] = "$name<Label>: $value"
    name: Name
    value: Expr
    span: Span


ActionItem: TypeAlias = NeedsItem | MoveItem | TeleportItem | KeepsItem | Stmt
"""What an action does."""
