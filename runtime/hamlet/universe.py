"""The Universe: everything an author said, resolved, and nothing about how to run it fast.

Both halves of the project meet here: the compiler builds a Universe from text, the interpreter executes it, and the
lowering turns it into kernels. Names are kept as strings and are known to exist; expressions are small trees; every
node knows the place in the source that it came from. Numbers are binary32, spelled as `hamlet.binary32` says.
`docs/semantics.md` states exactly what each construct does in a tick.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a source file. Lines and columns count from 1; the end column is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


# --- expressions: numbers are binary32, conditions are booleans ---------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """A constant. Constant subtrees were folded in binary64 and rounded once to binary32."""

    value: float
    span: Span


@dataclass(frozen=True, slots=True)
class MeterValue:
    """The current value of a meter: a statement sees what earlier statements of the same tick wrote."""

    meter: str
    span: Span


@dataclass(frozen=True, slots=True)
class ParamValue:
    """The value of a param in this lane's world."""

    param: str
    span: Span


@dataclass(frozen=True, slots=True)
class Deficit:
    """In a cascade: `(threshold - source) / threshold`, measured when the cascade was tested."""

    span: Span


@dataclass(frozen=True, slots=True)
class Shortfall:
    """In a cascade: `threshold - source`, measured when the cascade was tested."""

    span: Span


@dataclass(frozen=True, slots=True)
class Hour:
    """The world's hour as a number, 0 .. clock hours - 1."""

    span: Span


@dataclass(frozen=True, slots=True)
class Age:
    """The ticks this agent has lived in this episode, as a number."""

    span: Span


@dataclass(frozen=True, slots=True)
class Here:
    """Condition: the agent stands on this affordance (`None`: on none)."""

    affordance: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Distance:
    """The distance from the agent to an affordance, by the metric of the space."""

    affordance: str
    span: Span


UnaryOp: TypeAlias = Literal["-", "abs", "not"]
BinaryOp: TypeAlias = Literal["+", "-", "*", "/", "min", "max", "<", "<=", ">", ">=", "==", "!=", "and", "or"]


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x`, `abs(x)` on a number; `not c` on a condition."""

    op: UnaryOp
    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic, `min`, `max` and comparisons on two numbers; `and`, `or` on two conditions."""

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
class If:
    """`if c then a else b`; `a when c` is `if c then a else 0`. Both branches have the same type."""

    condition: Expression
    then: Expression
    otherwise: Expression
    span: Span


Expression: TypeAlias = (
    Number | MeterValue | ParamValue | Deficit | Shortfall | Hour | Age | Here | Distance | Unary | Binary | Clamp | If
)

# --- statements ------------------------------------------------------------------------------------------------------

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

# --- declarations ----------------------------------------------------------------------------------------------------

Edges: TypeAlias = Literal["clamp", "wrap", "bounce", "sticky"]
Metric: TypeAlias = Literal["manhattan", "euclidean", "chebyshev"]


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid of 1 to 3 dimensions. Cell (x, y, z) has the index x + width * (y + height * z)."""

    sizes: tuple[int, ...]
    edges: Edges
    metric: Metric
    span: Span


@dataclass(frozen=True, slots=True)
class Clock:
    """A day of so many hours; an hour passes every tick and a world starts at hour 0."""

    hours: int
    span: Span


@dataclass(frozen=True, slots=True)
class Lifespan:
    """An agent that reaches this age is truncated; if it is alive then it gets `reward` on top."""

    ticks: int
    reward: float
    span: Span


@dataclass(frozen=True, slots=True)
class Param:
    """A number per world that can be changed between ticks, within its bounds."""

    name: str
    default: float
    low: float
    high: float
    span: Span


@dataclass(frozen=True, slots=True)
class Meter:
    """A number per agent with bounds and a start value. `decay` is subtracted every tick, `move` in a tick with a move
    action, `interact` in a tick with INTERACT; `None` where the author said nothing."""

    name: str
    start: float
    low: float
    high: float
    decay: Expression | None
    move: Expression | None
    interact: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Rule:
    """Statements that run every tick, or in ticks where the guard holds when the rule is reached."""

    name: str
    guard: Expression | None
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Cascade:
    """Statements that run in ticks where `source < threshold` when the cascade is reached."""

    name: str
    source: str
    threshold: float
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Hours:
    """Open from hour `opens` (inclusive) to hour `closes` (exclusive); wraps past midnight where closes < opens."""

    opens: int
    closes: int


@dataclass(frozen=True, slots=True)
class Affordance:
    """What an agent standing on its cell gets from INTERACT. `cell` is `None` for a random place. `duration` is `None`
    for an instantaneous affordance (`instantly`), else the ticks it lasts (`each_tick`, `on_completion`)."""

    name: str
    cell: tuple[int, ...] | None
    hours: Hours | None
    duration: int | None
    needs: Expression | None
    instantly: tuple[Statement, ...]
    each_tick: tuple[Statement, ...]
    on_completion: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Action:
    """A custom action: where `needs` holds, its statements run, then it moves by `move`, then it teleports."""

    name: str
    needs: Expression | None
    body: tuple[Statement, ...]
    move: tuple[int, ...] | None
    teleport: tuple[int, ...] | None
    span: Span


@dataclass(frozen=True, slots=True)
class Cause:
    """One way to die. `name` is the condition as the author wrote it, in canonical spelling."""

    name: str
    condition: Expression
    span: Span


# --- observations ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ObserveGrid:
    """Every cell by index: 1.0 where an affordance is, plus 1.0 at the agent's own cell."""

    span: Span


@dataclass(frozen=True, slots=True)
class ObserveWindow:
    """The (2 radius + 1)^D cells around the agent, x fastest: 1.0 where an affordance is; 0.0 beyond the edges."""

    radius: int
    span: Span


Encoding: TypeAlias = Literal["relative", "absolute", "scaled"]


@dataclass(frozen=True, slots=True)
class ObservePosition:
    """relative: x / (size - 1) per axis; absolute: x per axis; scaled: relative, then the size of each axis."""

    encoding: Encoding
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveMeters:
    """These meters' values, in this order."""

    meters: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveHere:
    """One 0/1 per affordance in file order: the agent stands on it; then one: it stands on none."""

    span: Span


@dataclass(frozen=True, slots=True)
class ObserveTime:
    """sin and cos of 2 pi hour / hours, computed in binary64 and rounded once."""

    span: Span


@dataclass(frozen=True, slots=True)
class ObserveProgress:
    """The ticks spent on the engaged affordance, divided by `per`, or by its duration where `per` is `None`."""

    per: int | None
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveLifetime:
    """age / lifespan."""

    span: Span


@dataclass(frozen=True, slots=True)
class ObserveParams:
    """These params' values, in this order."""

    params: tuple[str, ...]
    span: Span


Observation: TypeAlias = (
    ObserveGrid
    | ObserveWindow
    | ObservePosition
    | ObserveMeters
    | ObserveHere
    | ObserveTime
    | ObserveProgress
    | ObserveLifetime
    | ObserveParams
)


@dataclass(frozen=True, slots=True)
class Universe:
    """A checked universe. Tuples are in file order, which is execution order.

    `source` is the file's name without its folder; `spans` refer to that file.
    """

    name: str
    source: str
    space: Grid
    clock: Clock | None
    lifespan: Lifespan | None
    params: tuple[Param, ...]
    meters: tuple[Meter, ...]
    dynamics: tuple[Rule | Cascade, ...]
    affordances: tuple[Affordance, ...]
    actions: tuple[Action, ...]
    causes: tuple[Cause, ...]
    reward: Expression
    observations: tuple[Observation, ...]
