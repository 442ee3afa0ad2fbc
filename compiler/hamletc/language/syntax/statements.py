"""Statements: what changes meters, or a velocity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Expr, Form, Name

__all__ = ["AssignStmt", "BeginStmt", "PushStmt", "Stmt", "TogetherStmt"]


@dataclass(frozen=True, slots=True)
class AssignStmt:
    """`energy += 0.5`, optionally followed by `unclamped`. In `visits of Doctor = 0` an affordance has what is
    written: its `owner`."""

    form: ClassVar[Form] = "$meter [of $owner] $op $value [$unclamped]"
    meter: Name
    op: Literal["+=", "-=", "="]
    value: Expr
    unclamped: Span | None
    span: Span
    owner: Name | None = None


@dataclass(frozen=True, slots=True)
class PushStmt:
    """`velocity x += 0.1`, in a rule of an affordance `position x += 1`; with `unclamped` behind it, it is refused."""

    form: ClassVar[Form] = "$what $axis $op $value [$unclamped]"
    axis: Name
    op: Literal["+=", "-=", "="]
    value: Expr
    unclamped: Span | None
    span: Span
    what: Literal["velocity", "position"] = "velocity"


@dataclass(frozen=True, slots=True)
class TogetherStmt:
    """`together { ... }`."""

    form: ClassVar[Form] = "together { $body* }"
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class BeginStmt:
    """`begin poisoned`, `end poisoned`; `wear axe` of a thing, until it is written out."""

    form: ClassVar[Form] = "$word $effect"
    word: Literal["begin", "end", "wear"]
    effect: Name
    span: Span


Stmt: TypeAlias = AssignStmt | PushStmt | TogetherStmt | BeginStmt
