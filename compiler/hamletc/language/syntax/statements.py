"""Statements: what changes meters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Expr, Name

__all__ = ["AssignStmt", "Stmt", "TogetherStmt"]


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
