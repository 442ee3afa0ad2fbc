"""Statements: what changes meters. Each says which meters it writes, which of them it leaves unclamped, and which
assignments it holds; walks over bodies need to know no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.universe.expressions import Expression
from hamlet.universe.span import Span

__all__ = ["Assign", "AssignOp", "Statement", "Together"]

AssignOp: TypeAlias = Literal["+=", "-=", "="]


@dataclass(frozen=True, slots=True)
class Assign:
    """`meter += value`. The meter is clamped to its bounds after it, unless `clamped` is false."""

    meter: str
    op: AssignOp
    value: Expression
    clamped: bool
    span: Span

    @property
    def writes(self) -> dict[str, Span]:
        """The meters, in the order of first write, and where each is last written."""
        return {self.meter: self.span}

    @property
    def unclamped(self) -> tuple[str, ...]:
        """The meters that may leave their bounds."""
        return () if self.clamped else (self.meter,)

    @property
    def assigns(self) -> tuple[Assign, ...]:
        """The assignments that run, in order."""
        return (self,)


@dataclass(frozen=True, slots=True)
class Together:
    """Statements that run one after the other unclamped; then each meter written is clamped once, in order of first
    write. Every `Assign` inside has `clamped=False`."""

    body: tuple[Assign, ...]
    span: Span

    @property
    def writes(self) -> dict[str, Span]:
        """The meters, in the order of first write, and where each is last written."""
        return {inner.meter: inner.span for inner in self.body}

    @property
    def unclamped(self) -> tuple[str, ...]:
        """No meter: each is clamped at the end."""
        return ()

    @property
    def assigns(self) -> tuple[Assign, ...]:
        """The assignments that run, in order."""
        return self.body


Statement: TypeAlias = Assign | Together
