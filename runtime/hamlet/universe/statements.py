"""Statements: what changes meters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.universe.expressions import Expression
from hamlet.universe.span import Span

AssignOp: TypeAlias = Literal["+=", "-=", "="]


@dataclass(frozen=True, slots=True)
class Assign:
    """`meter += value`. The meter is clamped to its bounds after it, unless `clamped` is false."""

    meter: str
    op: AssignOp
    value: Expression
    clamped: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Together:
    """Statements that run one after the other unclamped; then each meter written is clamped once, in order of first
    write. Every `Assign` inside has `clamped=False`."""

    body: tuple[Assign, ...]
    span: Span


Statement: TypeAlias = Assign | Together
