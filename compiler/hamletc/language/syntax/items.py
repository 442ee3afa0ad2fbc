"""What stands inside the braces of declarations."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Duration, Expr, Name, Signed, Spot
from hamletc.language.syntax.node import Node
from hamletc.language.syntax.statements import Stmt

__all__ = [
    "AbleItem",
    "ActionItem",
    "AgainItem",
    "BeginsItem",
    "BlockItem",
    "CapacityItem",
    "CraftItem",
    "FollowsItem",
    "KeepsItem",
    "MomentItem",
    "NeedsItem",
    "OpenItem",
    "PoolItem",
    "RespawnsItem",
    "ShareItem",
    "SpreadItem",
    "UntilItem",
    "UseItem",
    "WandersItem",
]


_VERBS = "$verbs<pick|drop|give>+"


class NeedsItem(Node, form="needs $condition"):
    """`needs money >= 0.05`."""

    condition: Expr
    span: Span


class OpenItem(Node, form=("open when $condition", "$appears when $condition")):
    """`open when stock >= 1`, `appears when stock >= 1`."""

    condition: Expr
    span: Span
    appears: bool = False


class BeginsItem(Node, form="begins with $number"):
    """`begins with 100`: how many agents of a role are alive when an episode begins."""

    number: Expr
    span: Span


class RespawnsItem(Node, form="respawns after $period"):
    """`respawns after 50 ticks`: agents of a role that are not alive wait so long, and begin anew."""

    period: Duration
    span: Span


PoolItem: TypeAlias = BeginsItem | RespawnsItem
"""What says when agents of a role are alive."""


class FollowsItem(Node, form="follows $stops, [every $period]"):
    """`follows (0, 3), (4, 3) every 2 ticks`: the places at which an affordance stands, each for a `period`."""

    stops: tuple[Spot, ...]
    period: Duration | None
    span: Span


class WandersItem(Node, form="wanders [every $period]"):
    """`wanders every 3 ticks`: an affordance takes a step at random, each `period`."""

    period: Duration | None
    span: Span


class CraftItem(Node, form="craft from $shares, [{ $items* }]"):
    """`craft from 4 wood, 1 stone { energy -= 0.1 }`: how many of which things one is made of."""

    shares: tuple[ShareItem, ...]
    items: tuple[ActionItem, ...]
    span: Span


class ShareItem(Node, form="$number $name"):
    """`4 wood`."""

    number: Signed
    name: Name
    span: Span


class UseItem(Node, form="use { $items* }"):
    """`use { energy += 0.2 }`."""

    items: tuple[ActionItem, ...]
    span: Span


class AbleItem(Node, form=(f"can {_VERBS} [to lowest $lowest]", f"can {_VERBS} to highest $highest")):
    """`can pick drop to highest energy`: what agents do with a thing; `lowest` and `highest` as of a capacity."""

    verbs: tuple[Name, ...]
    lowest: Name | None
    highest: Expr | None
    span: Span


class MomentItem(Node, form="$kind { $body* }"):
    """`on start { ... }`, `each tick { ... }`, `on end { ... }` of an effect."""

    kind: Literal["on start", "each tick", "on end"]
    body: tuple[Stmt, ...]
    span: Span


class AgainItem(
    Node, form=("again $how<renew|ignore>", "again $how<add> up to $most<Duration>", "again $how<stack> up to $most")
):
    """`again renew`, `again ignore`, `again add up to 30 ticks`, `again stack up to 3`: what happens to an effect that
    begins while it lasts. `most` is the number behind `up to`."""

    how: Literal["renew", "ignore", "add", "stack"]
    most: Signed | None
    span: Span


class UntilItem(Node, form="until $condition"):
    """`until health > 0.9`."""

    condition: Expr
    span: Span


class CapacityItem(Node, form=("capacity $places [to lowest $lowest]", "capacity $places to highest $highest")):
    """`capacity 2 to lowest number`, `capacity stock to highest hunger`. What stands behind `lowest` or `highest` is
    `None` where that word does not."""

    places: Expr
    lowest: Name | None
    highest: Expr | None
    span: Span


class BlockItem(Node, form="$kind { $body* }"):
    """`instantly { ... }`, `each tick { ... }`, `on completion { ... }`."""

    kind: Literal["instantly", "each tick", "on completion"]
    body: tuple[Stmt, ...]
    span: Span


class KeepsItem(Node, form="keeps progress"):
    """`keeps progress`: an agent that the action displaces stays engaged."""

    span: Span


class SpreadItem(Node, form=("$kind<in> $name", "$kind<apart> $number", "$kind<near> $name within $number")):
    """`in forest`, `apart 3`, `near Job within 2`: where an affordance at random may stand."""

    kind: Name
    name: Name | None
    number: Signed | None
    span: Span


ActionItem: TypeAlias = NeedsItem | KeepsItem | Stmt
"""What an action does."""
