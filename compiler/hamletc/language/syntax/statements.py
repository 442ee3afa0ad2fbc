"""Statements: what changes meters, a velocity, or where an agent is."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Each, Expr, Landmark, Name, Signed, Toward
from hamletc.language.syntax.node import Node

__all__ = [
    "AssignStmt",
    "BeginStmt",
    "IfStmt",
    "LetStmt",
    "MoveStmt",
    "PostStmt",
    "PushStmt",
    "RepeatStmt",
    "SpawnStmt",
    "Stmt",
    "TeleportStmt",
    "TogetherStmt",
]


class AssignStmt(Node, form="$meter [of $owner] $op $value [$unclamped]"):
    """`energy += 0.5`, optionally followed by `unclamped`. In `visits of Doctor = 0` an affordance has what is
    written: its `owner`."""

    meter: Name
    op: Literal["+=", "-=", "="]
    value: Expr
    unclamped: Span | None
    span: Span
    owner: Name | None = None


class PostStmt(Node, form=("$state at $toward $op $value", "$state at $place<Coordinates> $op $value")):
    """`stone at ahead = true`, `moss at (x, y) -= 0.2`: an agent writes a meter or a state of that cell, until it is
    written out."""

    state: Name
    place: tuple[Expr, ...]
    op: Literal["+=", "-=", "="]
    value: Expr
    span: Span
    toward: Toward | None = None


class PushStmt(Node, form="$what $axis $op $value [$unclamped]"):
    """`velocity x += 0.1`, in a rule of an affordance `position x += 1`; with `unclamped` behind it, it is refused."""

    axis: Name
    op: Literal["+=", "-=", "="]
    value: Expr
    unclamped: Span | None
    span: Span
    what: Literal["velocity", "position"] = "velocity"


class TogetherStmt(Node, form="together { $body* }"):
    """`together { ... }`."""

    body: tuple[Stmt, ...]
    span: Span


class LetStmt(Node, form="let $name = $value"):
    """`let hurt = damage * (1 - armour)`: a local, which the statements behind it in its braces read."""

    name: Name
    value: Expr
    span: Span


class IfStmt(
    Node,
    form=("if $condition { $body* } [$other<else> { $otherwise* }]", "if $condition { $body* } $other<else> $next"),
):
    """`if hungry { mood -= 0.1 } else { mood += 0.1 }`: the `body` where the condition holds, elsewhere what stands
    `otherwise`, behind the `other` word. In `else if`, that is the `next` one."""

    condition: Expr
    body: tuple[Stmt, ...]
    other: Span | None
    otherwise: tuple[Stmt, ...]
    span: Span
    next: IfStmt | None = None

    @property
    def others(self) -> tuple[Stmt, ...]:
        """The statements that run where the condition does not hold."""
        return self.otherwise if self.next is None else (self.next,)


class RepeatStmt(Node, form=("repeat $rounds { $body* }", "repeat $each { $body* }")):
    """`repeat 10 { ... }`, `repeat c in c1 .. c10 { ... }`, until it is written out."""

    rounds: Signed | None
    body: tuple[Stmt, ...]
    span: Span
    each: Each | None = None


class BeginStmt(Node, form="$word $effect"):
    """`begin poisoned`, `end poisoned`; `wear axe` of a thing, until it is written out."""

    word: Literal["begin", "end", "wear"]
    effect: Name
    span: Span


class MoveStmt(Node, form=("move $toward", "move ($by,)")):
    """`move (1, 0)`: a displacement; `move ahead`, where `toward` says which, until it is written out."""

    by: tuple[Expr, ...]
    span: Span
    toward: Toward | None = None


class TeleportStmt(Node, form=("teleport $spot", "teleport ($place,)")):
    """`teleport (0, 0)`, `teleport "B"`, `teleport home`: coordinates, or a `spot` that has a letter or a name."""

    place: tuple[Expr, ...]
    spot: Landmark | None
    span: Span


class SpawnStmt(Node, form="spawn $role [{ $handed<AssignStmt>* }]"):
    """`spawn sheep { energy = 0.5 * energy }`: a child, and what it has of its mother, until it is written out."""

    role: Name
    handed: tuple[AssignStmt, ...]
    span: Span


Stmt: TypeAlias = (
    AssignStmt
    | PostStmt
    | PushStmt
    | LetStmt
    | TogetherStmt
    | IfStmt
    | RepeatStmt
    | BeginStmt
    | MoveStmt
    | TeleportStmt
    | SpawnStmt
)
