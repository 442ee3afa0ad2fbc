"""Rules: of agents, worlds, cells and pairs; cascades; effects."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Expr, Lasting, Name, RoleExpr
from hamletc.language.syntax.items import AgainItem, MomentItem, UntilItem
from hamletc.language.syntax.node import Node
from hamletc.language.syntax.statements import Stmt

__all__ = ["CascadeDecl", "EffectDecl", "RuleDecl"]


class RuleDecl(Node):
    """`rule NAME: statement`, `rule NAME { ... }`, `rule NAME: guard -> statement`, `rule NAME: guard -> { ... }`.

    `braced` where a lone statement stands in braces."""

    name: Name
    guard: Expr | None
    body: tuple[Stmt, ...]
    span: Span
    braced: bool = False


class EffectDecl(Node, form="effect $name lasts $duration { $items* }"):
    """`effect poisoned lasts 10 ticks { each tick { health -= 0.01 } }`; `duration` is a `Name` for `forever`."""

    name: Name
    duration: Lasting
    items: tuple[MomentItem | AgainItem | UntilItem, ...]
    span: Span


class CascadeDecl(Node):
    """`cascade NAME: meter < threshold -> statement` or `-> { ... }`; `braced` as for rules. `who` is the role whose
    agents it is for."""

    name: Name
    guard: Expr
    body: tuple[Stmt, ...]
    span: Span
    braced: bool = False
    who: RoleExpr | None = None
