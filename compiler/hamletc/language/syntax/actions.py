"""Actions: custom ones, their list, which of them are allowed, and in which ticks agents act."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Expr, Name, RoleExpr
from hamletc.language.syntax.items import ActionItem
from hamletc.language.syntax.node import Node

__all__ = ["ActionDecl", "ActionsDecl", "ActsDecl", "AllowDecl"]


class ActionDecl(Node, form="action $name { $items* }"):
    """`action REST { energy += 0.002 }`."""

    name: Name
    items: tuple[ActionItem, ...]
    span: Span


class ActionsDecl(Node, form="actions $actions+"):
    """`actions SOUTH NORTH PICKUP`: all actions that there are, in the order of their numbers."""

    actions: tuple[Name, ...]
    span: Span


class AllowDecl(Node, form=("allow all when $condition", "allow $actions+ when $condition")):
    """`allow UP LEFT when position y > 0`, `allow all when energy > 0` (no `actions`). `who` is the role whose agents
    it is for."""

    actions: tuple[Name, ...]
    condition: Expr
    span: Span
    who: RoleExpr | None = None


class ActsDecl(Node, form="acts when $condition"):
    """`acts when agent == turn`: the ticks in which agents act. `who` is the role whose agents it is for."""

    condition: Expr
    span: Span
    who: RoleExpr | None = None
