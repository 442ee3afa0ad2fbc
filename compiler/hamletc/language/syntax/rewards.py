"""Rewards: what is paid, what is reported beside it, and the ends of episodes."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Expr, Name, RoleExpr
from hamletc.language.syntax.node import Node
from hamletc.language.syntax.properties import RewardProperty

__all__ = ["DiesDecl", "EndsDecl", "ReportDecl", "RewardDecl"]


class DiesDecl(Node, form="dies when $condition"):
    """`dies when health <= 0 or energy <= 0`. `role` and `who` are as those of `SlotsDecl`."""

    condition: Expr
    span: Span
    role: str = ""
    who: RoleExpr | None = None


class EndsDecl(Node, form="[$world] ends when $condition [{ $properties* }]"):
    """`ends when money >= 10 { reward 1 }`, `world ends when count(alone) == 0`: an end that is no death, of an agent
    or of all agents of a `world`. `role` and `who` are as those of `SlotsDecl`."""

    condition: Expr
    properties: tuple[RewardProperty, ...]
    world: bool
    span: Span
    role: str = ""
    who: RoleExpr | None = None


class RewardDecl(Node, form=("reward $value", "reward $name: & $value")):
    """`reward energy * health + 0.1 when here == Bed`, `reward homesick: -0.1 * distance to Bed`. Several are added in
    file order. `reward nothing` has that word as its value. `role` and `who` are as those of `SlotsDecl`."""

    name: Name | None
    value: Expr
    span: Span
    role: str = ""
    who: RoleExpr | None = None


class ReportDecl(Node, form="report $name: & $value"):
    """`report comfort: energy * mood`."""

    name: Name
    value: Expr
    span: Span
