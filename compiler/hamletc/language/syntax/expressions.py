"""Names, numbers and expressions."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamletc.language.syntax.node import Node

__all__ = [
    "AtExpr",
    "AtHourExpr",
    "AxisExpr",
    "BinaryExpr",
    "BinaryOp",
    "Bound",
    "BoundTo",
    "Bounds",
    "CallExpr",
    "Cell",
    "CellExpr",
    "DistanceExpr",
    "Duration",
    "Each",
    "Expr",
    "IfExpr",
    "IndexExpr",
    "Landmark",
    "Lasting",
    "LetterCell",
    "LocalName",
    "Name",
    "Numeral",
    "OfExpr",
    "OnExpr",
    "OwnName",
    "PostedExpr",
    "Quoted",
    "RoleExpr",
    "Series",
    "SeriesList",
    "Signed",
    "Spot",
    "StartsAt",
    "StreakExpr",
    "TimedExpr",
    "Toward",
    "UnaryExpr",
    "UnaryOp",
    "Unit",
    "WeightedExpr",
    "WhenExpr",
]


Unit: TypeAlias = Literal["", "%", "tick", "hour", "day"]
"""What a number counts. An hour is a tick of the clock, a day as many as the clock has hours."""


class Name(Node):
    """An identifier where it stands. A quoted one (`` `Fast Food` ``, `` `if` ``) always stands for a declaration."""

    text: str
    span: Span
    quoted: bool = False


BoundTo: TypeAlias = Literal[
    "quantity", "option", "affordance", "action", "region", "value", "own", "parameter", "function", "local"
]


class Bound(Name):
    """A name in an expression of which it is known what it names, before anything is written out: a word of the
    language (`quantity`), an option of a state, an affordance or an action that is compared with one of those words, a
    region or a node, an effect or an item `of` which something is asked (`value`), a meter of the affordance in whose
    braces it stands (`own`), a parameter of the function in whose text it stands, a function of the universe that is
    called, or a local. What is written out cannot change that."""

    space: BoundTo = "quantity"


class LocalName(Bound):
    """The name of a local, where it is declared and where it is read: the `key` is no other one's in the universe."""

    key: str = ""


class OwnName(Name):
    """The name of what stands in the braces of a role, an affordance or a thing, as it is called outside of them:
    `wolf.hunger`, `stock of Shop`. There it is called `own`, and the `owner` is that of the braces."""

    own: str = ""
    owner: str = ""


class Numeral(Node):
    """A number as it was written (`0.30`, `1e3`, `500`), unsigned, with its unit (`20 %`, `3 hours`)."""

    text: str
    span: Span
    unit: Unit = ""


class Signed(Node):
    """A number with an optional minus sign, where only a constant may stand (sizes, bounds, hours, displacements).

    `value` is what stands there instead of a number, a name with its sign; `text` is then how that is written. A
    duration has a `unit`; without one it is in ticks.
    """

    text: str
    span: Span
    value: Expr | None = None
    unit: Unit = ""


class Quoted(Node):
    """What stands in quotes, without them: a row of a map, letters of it, the name of a file."""

    text: str
    span: Span


UnaryOp: TypeAlias = Literal["-", "not"]
BinaryOp: TypeAlias = Literal["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "and", "or"]


class UnaryExpr(Node):
    op: UnaryOp
    operand: Expr
    span: Span


class BinaryExpr(Node):
    op: BinaryOp
    left: Expr
    right: Expr
    op_span: Span
    span: Span


class Series(Node):
    """`c1 .. c10`, `1 .. 10`; one thing of a list has no `last`."""

    first: Signed
    last: Signed | None
    span: Span


class SeriesList(Node):
    """`(Bakery, c1 .. c10)`: series that one index goes through, one after the other."""

    series: tuple[Series, ...]
    span: Span


class Each(Node):
    """`c in c1 .. c10`, `shop in (Bakery, Mill)`, and in step `(c, n) in (c1 .. c3, (1, 2, 4))`: the names of indices,
    and what each of them goes through."""

    names: tuple[Name, ...]
    lists: tuple[SeriesList, ...]
    span: Span


class CallExpr(Node):
    """`min(a, b)`, `max(a, b, c)`, `abs(a)`, `choice(a: 3, b: 1)`, `exp(a)`, `previous(a)`, ...; with `over_cells`
    `total(a) over cells`; with `each` `total(c) over c in c1 .. c10`, until it is written out. `within` is the radius
    of `neighbours(a, within 2)`."""

    function: Name
    arguments: tuple[Expr, ...]
    span: Span
    over_cells: bool = False
    within: Signed | None = None
    each: Each | None = None


class WeightedExpr(Node):
    """`0.5: 3`: an option of `choice` with its weight; only the argument of a call."""

    value: Expr
    weight: Expr
    span: Span


class IndexExpr(Node):
    """`right[column]`, `adjacency[i, j]`: a number of a table."""

    table: Name
    indices: tuple[Expr, ...]
    span: Span


class IfExpr(Node):
    """`if c then a else b`."""

    condition: Expr
    then: Expr
    otherwise: Expr
    span: Span


class WhenExpr(Node):
    """`a when c`: a where c holds, else 0."""

    value: Expr
    condition: Expr
    span: Span


class DistanceExpr(Node):
    """`distance to Bed`, `straight distance to Bed`, `walking distance to Bed`."""

    affordance: Name
    way: Literal["straight", "walking"] | None
    span: Span


class AxisExpr(Node):
    """`position x`, `velocity x`; `ahead x`, a step in the heading, until it is written out."""

    quantity: Literal["position", "velocity", "ahead"]
    axis: Name
    span: Span


class OnExpr(Node):
    """`on forest`."""

    region: Name
    span: Span


class Toward(Node):
    """`ahead`, `left 2`: so many cells in this direction, as an agent with a heading sees it."""

    way: Literal["ahead", "behind", "left", "right"]
    cells: Numeral | None
    span: Span


class AtExpr(Node):
    """`moss at (x + 1, y)`, `wall at (0, 0)`, `on forest at (x, y)`, `count(c) at (x, y)`: what the cell with these
    coordinates has; `wall at ahead`, where `toward` says which, until it is written out."""

    value: Expr
    place: tuple[Expr, ...]
    span: Span
    toward: Toward | None = None


class CellExpr(Node):
    """The number of the cell with these coordinates, from 1 on, and 0 beyond the edges; without coordinates that of the
    cell on which the agent stands. Nobody writes it; statements that write cells are written out with it."""

    place: tuple[Expr, ...]
    span: Span


class PostedExpr(Node):
    """In a rule of cells, what the agents have together that post on the cell: those whose state `post` is its number
    from 1 on. Nobody writes it either."""

    op: Literal["count", "total", "last"]
    value: Expr
    post: Name
    span: Span


class StreakExpr(Node):
    """`streak of Bed`."""

    affordance: Name
    span: Span


class OfExpr(Node):
    """`stock of Shop`, `left of poisoned`: a meter of an affordance, or what an effect has."""

    quantity: Name
    owner: Name
    span: Span


class TimedExpr(Node):
    """`every 24 ticks`, `after 2 days`."""

    when: Literal["every", "after"]
    ticks: Numeral
    span: Span


class RoleExpr(Node):
    """The name of a role as a condition: `wolf`. Only when all is written out; until then it is a `Name`."""

    role: str
    span: Span


class AtHourExpr(Node):
    """`at hour 8`."""

    hour: Signed
    span: Span


Expr: TypeAlias = (
    Name
    | Numeral
    | UnaryExpr
    | BinaryExpr
    | CallExpr
    | IndexExpr
    | WeightedExpr
    | IfExpr
    | WhenExpr
    | DistanceExpr
    | AxisExpr
    | OnExpr
    | AtExpr
    | CellExpr
    | PostedExpr
    | StreakExpr
    | OfExpr
    | TimedExpr
    | AtHourExpr
    | RoleExpr
)

Bounds: TypeAlias = tuple[Expr, Expr]
"""`0 .. 1`."""

Cell: TypeAlias = tuple[Signed, ...]
"""`(0, 1)`: a place, or a displacement."""


class LetterCell(Quoted):
    """A cell with a letter of the map, where several have it: `cell` are its coordinates. Nobody writes it."""

    cell: Cell = ()


Landmark: TypeAlias = Quoted | Name
"""A place that the space has a name for: a letter of its map, or a node."""


class StartsAt(Node):
    """Where an affordance begins that stands elsewhere in other levels, until it is written out: coordinates, found as
    start values of the world are. It counts as a `place` of the map where nobody knows of levels."""

    coordinates: tuple[Expr, ...]
    place: Cell
    span: Span


Spot: TypeAlias = Cell | Landmark | StartsAt
"""A place: a cell, a letter of the map, a node of a graph."""

Duration: TypeAlias = Signed
"""`3 ticks`."""

Lasting: TypeAlias = Duration | Name
"""`3 ticks`, or `forever`, which is a `Name`."""
