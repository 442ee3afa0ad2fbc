"""Expressions: numbers are binary32, conditions are booleans. What they read is in `hamlet.universe.quantities`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe.functions import FunctionOfOne, FunctionOfTwo
from hamlet.universe.quantities import Quantity
from hamlet.universe.span import Span

__all__ = [
    "Among",
    "At",
    "Binary",
    "BinaryOp",
    "Clamp",
    "Draw",
    "DrawChance",
    "DrawChoice",
    "DrawInteger",
    "DrawNormal",
    "DrawPoisson",
    "DrawUniform",
    "Expression",
    "If",
    "Nearest",
    "Neighbours",
    "OfAll",
    "Own",
    "Previous",
    "Rank",
    "TableValue",
    "Unary",
    "UnaryOp",
    "Upon",
]


@dataclass(frozen=True, slots=True)
class Among:
    """A number that the agents of a world have together: how many of them a condition holds for (`count`), or the sum,
    the least, the greatest or the mean of a number of each. Not nested. Where the operand asks for `Own` or `Apart` it
    is another number for each agent."""

    op: Literal["count", "total", "lowest", "highest", "average"]
    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Rank:
    """How many other agents of the world, for which a condition holds, come before this one: those for which a number
    is higher, of equals those with the lower number of agents. Not nested, neither in `Among`. The condition may ask
    for `Own` and `Apart`."""

    condition: Expression
    priority: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Nearest:
    """A number of the nearest of the other agents of the world for which a condition holds, of equally near ones that
    with the lowest number of agents; where there is none, another number, which is the asking agent's. Condition and
    value may ask for `Own` and `Apart`. Not nested."""

    condition: Expression
    value: Expression
    otherwise: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Own:
    """In what is asked of each agent of a world: the value that the operand has for the agent that asks. Not nested."""

    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class At:
    """A value of the cell with these coordinates: `operand` is a `CellValue`, a `TerrainValue`, `On` or `Wall`, read
    there. In a rule of cells it is as it was before these rules ran.

    Attributes:
        place: a whole number per axis. With edges that wrap they do; else there are no cells beyond the edges, where
            numbers are 0, conditions false, and all is wall.
    """

    operand: Expression
    place: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Neighbours:
    """In a rule of cells: the sum of a number over the cells next to this one, two on each axis, as they were before
    the rules of cells ran. What is beyond the edges, unless these wrap, and walls count 0. Not nested."""

    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Upon:
    """In a rule of cells: what the agents that stand on the cell have together, as `Among` says it of a world, but that
    numbers are added and compared in the order of agents; `last` is the number of the last one. Not nested, neither in
    `Neighbours`.

    Attributes:
        post: of an agent the cell at which it is counted, by its number from 1 on, 0 where at none; `None`: the one on
            which it stands.
    """

    op: Literal["count", "total", "lowest", "highest", "average", "last"]
    operand: Expression
    span: Span
    post: Expression | None = None


@dataclass(frozen=True, slots=True)
class Previous:
    """The operand's value on the state at the beginning of the tick. Not nested."""

    operand: Expression
    span: Span


UnaryOp: TypeAlias = Literal["-", "not", FunctionOfOne]
BinaryOp: TypeAlias = Literal["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "and", "or", FunctionOfTwo]


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x` and functions of a number; `not c` on a condition."""

    op: UnaryOp
    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic, functions and comparisons of two numbers; `and`, `or` on two conditions."""

    op: BinaryOp
    left: Expression
    right: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Clamp:
    """`clamp(x, low, high)`: `low` where x < low, else `high` where high < x, else x."""

    operand: Expression
    low: Expression
    high: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class TableValue:
    """`right[column]`: the number of a table at an index per axis. A compiler proves that each is a whole number, from
    0 to the size minus 1."""

    table: str
    indices: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """`if c then a else b`; `a when c` is `if c then a else 0`. Both branches have the same type."""

    condition: Expression
    then: Expression
    otherwise: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class DrawUniform:
    """`uniform(low, high)`: a random number between them. `site` is the number of the random word that it is drawn
    from, here and below, 0 .. 2**34 - 1: word `site % 4` of block `site // 4`. Each draw of a universe has its own; a
    compiler gives them by kind and name of the construct that the draw stands in, and whoever has the universe takes
    them as they are."""

    low: Expression
    high: Expression
    site: int
    span: Span


@dataclass(frozen=True, slots=True)
class DrawInteger:
    """`integer(low, high)`: a random whole number from `low` to `high`, both included, as a number."""

    low: int
    high: int
    site: int
    span: Span


@dataclass(frozen=True, slots=True)
class DrawChoice:
    """`choice(a, b, ...)`, `choice(a: 3, b: 1, ...)`: one of two or more numbers.

    Attributes:
        thresholds: for each option but the first, the first of the words 0 .. 2**32 - 1 that chooses it, ascending:
            the words from it to the next one do. `None`: all options are equally likely.
    """

    options: tuple[Expression, ...]
    site: int
    span: Span
    thresholds: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class DrawNormal:
    """`normal(mean, deviation)`: a normally distributed random number, drawn from the words `site` and `site + 1`."""

    mean: Expression
    deviation: Expression
    site: int
    span: Span


@dataclass(frozen=True, slots=True)
class DrawPoisson:
    """`poisson(mean)`: how often something happens that happens `mean` times on average, 0 to `most`."""

    mean: Expression
    most: int
    site: int
    span: Span


@dataclass(frozen=True, slots=True)
class DrawChance:
    """Condition: `chance(p)` holds with probability p."""

    probability: Expression
    site: int
    span: Span


OfAll: TypeAlias = Among | Rank | Nearest
"""Reductions that ask all agents of a world."""
Draw: TypeAlias = DrawUniform | DrawInteger | DrawChoice | DrawNormal | DrawPoisson | DrawChance
Expression: TypeAlias = (
    Quantity
    | Among
    | Rank
    | Nearest
    | Own
    | At
    | Neighbours
    | Upon
    | Previous
    | Unary
    | Binary
    | Clamp
    | TableValue
    | If
    | DrawUniform
    | DrawInteger
    | DrawChoice
    | DrawNormal
    | DrawPoisson
    | DrawChance
)
