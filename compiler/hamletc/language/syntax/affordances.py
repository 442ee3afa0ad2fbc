"""Affordances: where they stand, and what stands inside their braces."""

from __future__ import annotations

from typing import TypeAlias

from hamlet.universe import Span
from hamletc.language.syntax.actions import ActionDecl
from hamletc.language.syntax.expressions import Lasting, Name, Signed, Spot
from hamletc.language.syntax.items import (
    BlockItem,
    CapacityItem,
    FollowsItem,
    NeedsItem,
    OpenItem,
    SpreadItem,
    WandersItem,
)
from hamletc.language.syntax.node import Node
from hamletc.language.syntax.quantities import MeterDecl
from hamletc.language.syntax.rules import RuleDecl

__all__ = ["AffordanceDecl", "AffordanceItem"]


class AffordanceDecl(Node):
    """`affordance Bed at random open 0 .. 24 lasts 4 ticks together { ... }`, `... lasts forever { ... }`.

    `place` is `None` for `at random`, a letter of the map for `at "B"`, a node for `at home`; `place_span` is `None`
    where no `at` is written. `duration` is a `Name` for `forever`. `together` and `solid` are where those words stand.
    `spread` says where an affordance at random may stand. `copies` is how many there are, `others` are the places of
    those behind the first one. When all is written out each copy is a declaration of its own, with the name of all of
    them in `copy_of`. Then `moving` are the meters of the world that say where it is, if it moves, and `elsewhere`
    that these have start values of their own.
    """

    name: Name
    place: Spot | None
    place_span: Span | None
    hours: tuple[Signed, Signed] | None
    duration: Lasting | None
    together: Span | None
    items: tuple[AffordanceItem, ...]
    span: Span
    spread: tuple[SpreadItem, ...] = ()
    copies: Signed | None = None
    others: tuple[Spot, ...] = ()
    copy_of: Name | None = None
    moving: tuple[Name, ...] = ()
    solid: Span | None = None
    elsewhere: bool = False


AffordanceItem: TypeAlias = (
    NeedsItem | CapacityItem | OpenItem | FollowsItem | WandersItem | BlockItem | MeterDecl | RuleDecl | ActionDecl
)
