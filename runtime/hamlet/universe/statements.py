"""Statements: what changes meters, a velocity, or where an agent is. Each says which meters it writes, which of them it
leaves unclamped, and which assignments, pushes and relocations it holds; walks over bodies need to know no more."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe.expressions import Expression
from hamlet.universe.span import Span

__all__ = [
    "Assign",
    "AssignOp",
    "Displace",
    "Guarded",
    "Let",
    "Push",
    "Relocation",
    "Statement",
    "Teleport",
    "Together",
]

AssignOp: TypeAlias = Literal["+=", "-=", "="]


class _Plain:
    """A statement, as far as it says nothing else: it writes no meter and no velocity, and the agent stays."""

    __slots__ = ()

    @property
    def writes(self) -> dict[str, Span]:
        """The meters, in the order of first write, and where each is last written."""
        return {}

    @property
    def unclamped(self) -> tuple[str, ...]:
        """The meters that may leave their bounds."""
        return ()

    @property
    def assigns(self) -> tuple[Assign, ...]:
        """The assignments that run, in order."""
        return ()

    @property
    def pushes(self) -> tuple[Push, ...]:
        """The writes to the velocity."""
        return ()

    @property
    def relocations(self) -> tuple[Relocation, ...]:
        """The changes of where the agent is."""
        return ()


@dataclass(frozen=True, slots=True)
class Assign(_Plain):
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
class Let(_Plain):
    """`let name = value`: a local, which has the value from here to the end of the body. A `LocalValue` reads it."""

    name: str
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Push(_Plain):
    """`velocity x += value`, in a space with momentum. The velocity is brought within its limit after it."""

    axis: str
    op: AssignOp
    value: Expression
    span: Span

    @property
    def pushes(self) -> tuple[Push, ...]:
        """The writes to the velocity."""
        return (self,)


@dataclass(frozen=True, slots=True)
class Displace(_Plain):
    """`move (e, e)`: the agent is displaced by this on every axis, with edges and walls; with momentum this is added to
    its velocity. On a grid the compiler has proven whole numbers of less than the size of the axis; elsewhere at most
    that size."""

    by: tuple[Expression, ...]
    span: Span

    @property
    def coordinates(self) -> tuple[Expression, ...]:
        """The displacement, per axis."""
        return self.by

    @property
    def relocations(self) -> tuple[Relocation, ...]:
        """The changes of where the agent is."""
        return (self,)


@dataclass(frozen=True, slots=True)
class Teleport(_Plain):
    """`teleport (e, e)`: the agent is put at this place, unless it is a wall. The compiler has proven that it lies in
    the space, on a grid at whole numbers."""

    to: tuple[Expression, ...]
    span: Span

    @property
    def coordinates(self) -> tuple[Expression, ...]:
        """The place, per axis."""
        return self.to

    @property
    def relocations(self) -> tuple[Relocation, ...]:
        """The changes of where the agent is."""
        return (self,)


Relocation: TypeAlias = Displace | Teleport
"""A change of where an agent is."""


@dataclass(frozen=True, slots=True)
class Together(_Plain):
    """Statements that run one after the other unclamped; then each meter written is clamped once, in order of first
    write. Every `Assign` inside has `clamped=False`."""

    body: tuple[Assign | Let, ...]
    span: Span

    @property
    def writes(self) -> dict[str, Span]:
        """The meters, in the order of first write, and where each is last written."""
        return {assign.meter: assign.span for assign in self.assigns}

    @property
    def assigns(self) -> tuple[Assign, ...]:
        """The assignments that run, in order."""
        return tuple(inner for inner in self.body if isinstance(inner, Assign))


@dataclass(frozen=True, slots=True)
class Guarded(_Plain):
    """Statements that run where a condition held when they were reached, and those that run `otherwise`."""

    condition: Expression
    body: tuple[Statement, ...]
    span: Span
    otherwise: tuple[Statement, ...] = ()

    @property
    def both(self) -> tuple[Statement, ...]:
        """All statements that may run."""
        return (*self.body, *self.otherwise)

    @property
    def writes(self) -> dict[str, Span]:
        """The meters, in the order of first write, and where each is last written."""
        return {meter: span for inner in self.both for meter, span in inner.writes.items()}

    @property
    def unclamped(self) -> tuple[str, ...]:
        """The meters that may leave their bounds."""
        return tuple(dict.fromkeys(meter for inner in self.both for meter in inner.unclamped))

    @property
    def assigns(self) -> tuple[Assign, ...]:
        """The assignments that run, in order."""
        return tuple(assign for inner in self.both for assign in inner.assigns)

    @property
    def pushes(self) -> tuple[Push, ...]:
        """The writes to the velocity."""
        return tuple(push for inner in self.both for push in inner.pushes)

    @property
    def relocations(self) -> tuple[Relocation, ...]:
        """The changes of where the agent is."""
        return tuple(relocation for inner in self.both for relocation in inner.relocations)


Statement: TypeAlias = Assign | Let | Push | Displace | Teleport | Together | Guarded
