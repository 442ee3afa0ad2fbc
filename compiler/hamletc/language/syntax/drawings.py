"""Drawings: one kind of node for each kind of item in `draw`."""

from __future__ import annotations

from typing import TypeAlias

from hamlet.universe import Span
from hamletc.language.syntax.expressions import Expr, Name, Quoted, Signed
from hamletc.language.syntax.node import Node

__all__ = [
    "DrawAffordance",
    "DrawAgents",
    "DrawAside",
    "DrawCanvas",
    "DrawCell",
    "DrawGauges",
    "DrawItem",
    "DrawLine",
    "DrawLinks",
    "DrawLook",
    "DrawMark",
    "DrawRegion",
    "DrawRole",
    "DrawThing",
    "DrawWall",
]


class DrawCanvas(Node, form="canvas $across<Interval> x $up<Interval>"):
    """`canvas (-2.4 .. 2.4) x (0 .. 1)`: the part of the plane that a picture of a universe without a space shows."""

    across: tuple[Signed, Signed]
    up: tuple[Signed, Signed]
    span: Span


class DrawAgents(Node, form="agents [$letter] [in $colour]"):
    """`agents "@" in gold`: how agents look whose role says nothing else."""

    letter: Quoted | None
    colour: Name | None
    span: Span


class DrawAside(Node, form="agents aside"):
    """`agents aside`: agents are shown beside the board alone."""

    span: Span


class DrawLook(Node):
    """The look of what has a name: a letter, a colour, or both."""

    name: Name
    letter: Quoted | None
    colour: Name | None
    span: Span


class DrawRole(DrawLook, form="role $name [$letter] [in $colour]"):
    """`role wolf "W" in red`."""


class DrawAffordance(DrawLook, form="affordance $name [$letter] [in $colour]"):
    """`affordance Bed "B" in blue`; of copies, all of them."""


class DrawThing(DrawLook, form="item $name [$letter] [in $colour]"):
    """`item wood "w" in brown`: how things look that lie on cells."""


class DrawWall(Node, form="wall in $colour"):
    """`wall in grey`."""

    colour: Name
    span: Span


class DrawRegion(DrawLook, form="region $name [$letter] [in $colour]"):
    """`region stream "~" in blue`."""


class DrawCell(Node, form=("cell $name [$option] in $colour", "cell $name [$option] $letter [in $colour]")):
    """`cell moss in green`, `cell door shut "D" in brown`: the more of a meter a cell has the more of its colour."""

    name: Name
    option: Name | None
    letter: Quoted | None
    colour: Name | None
    span: Span


class DrawMark(Node, form="mark $at<Coordinates> [$letter] [in $colour] [when $condition]"):
    """`mark (hawk_x, hawk_y) "H" in red when alarmed`: a thing at a place that numbers say; on a graph one number."""

    at: tuple[Expr, ...]
    letter: Quoted | None
    colour: Name | None
    condition: Expr | None
    span: Span


class DrawLine(Node, form="line $begin<Coordinates> to $end<Coordinates> [in $colour] [when $condition]"):
    """`line (place, 0) to (place + sin(angle), cos(angle)) in brown`: a pole by its angle."""

    begin: tuple[Expr, ...]
    end: tuple[Expr, ...]
    colour: Name | None
    condition: Expr | None
    span: Span


class DrawLinks(Node, form="links [in $colour] when $condition"):
    """`links in grey when linked`: a line between each two agents that have a link."""

    colour: Name | None
    condition: Expr
    span: Span


class DrawGauges(Node, form="gauges $names+"):
    """`gauges energy mood`: which meters and states stand beside the board, in this order."""

    names: tuple[Name, ...]
    span: Span


DrawItem: TypeAlias = (
    DrawCanvas
    | DrawAgents
    | DrawAside
    | DrawRole
    | DrawAffordance
    | DrawThing
    | DrawWall
    | DrawRegion
    | DrawCell
    | DrawMark
    | DrawLine
    | DrawLinks
    | DrawGauges
)
