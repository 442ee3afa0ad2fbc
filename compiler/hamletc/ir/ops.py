"""The operations of the tick IR, declared in one place.

An operation refers to its operands by the number of the node that computes them. Result types and typing rules are
given by `hamletc.ir.typing.result_type`; the verifier checks them. Floats are binary32, round to nearest even,
subnormals kept, never contracted. Integers wrap modulo 2**32. Everything a lane does in a tick is made of these, so
each must mean the same bits on every target; `docs/exactness.md` says how that is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import TypeAlias

from hamletc.ir.types import Type

Value: TypeAlias = int
"""The number of a node in its function."""


@dataclass(frozen=True, slots=True)
class Const:
    """A literal. F32: a float that is exact in binary32 and finite; BOOL: a bool; else an int in the type's range."""

    type: Type
    value: float | int | bool

    def __eq__(self, other: object) -> bool:
        # 0.0 == -0.0 and 1 == True in Python; constants are equal when they print the same.
        return isinstance(other, Const) and self.type is other.type and repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash((self.type, repr(self.value)))


@dataclass(frozen=True, slots=True)
class Input:
    """A value the kernel supplies: a state field of the lane, a launch scalar, an action; named in `lowering`."""

    type: Type
    name: str


@dataclass(frozen=True, slots=True)
class Element:
    """The index 0 .. count - 1 (I32) of the element of a repeated output that is being computed."""

    output: str


@dataclass(frozen=True, slots=True)
class Lookup:
    """`table[index]`; the index is I32 and provably in range."""

    table: str
    index: Value


@dataclass(frozen=True, slots=True)
class Add:
    """F32, I32 or U32."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Sub:
    """F32, I32 or U32."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Mul:
    """F32, I32 or U32 (low 32 bits)."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class MulHigh:
    """U32: the high 32 bits of the 64-bit product."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Div:
    """F32: correctly rounded quotient. U32: quotient rounded down; the divisor is a non-zero constant."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Fma:
    """F32: left * right + addend, rounded once. The only contraction there is: where it is asked for."""

    left: Value
    right: Value
    addend: Value


@dataclass(frozen=True, slots=True)
class Rem:
    """U32: remainder; the divisor is a non-zero constant."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Neg:
    """F32 (flips the sign bit) or I32."""

    operand: Value


@dataclass(frozen=True, slots=True)
class Abs:
    """F32 (clears the sign bit) or I32 (not of -2**31)."""

    operand: Value


@dataclass(frozen=True, slots=True)
class Sqrt:
    """F32: correctly rounded square root; the operand is not negative."""

    operand: Value


@dataclass(frozen=True, slots=True)
class Less:
    """F32 (false with a NaN), I32 or U32 operands; BOOL result. `a > b` is `Less(b, a)`."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class LessEqual:
    """Like `Less`; `a >= b` is `LessEqual(b, a)`."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Equal:
    """F32 (-0 equals +0), I32, U32 or BOOL operands; BOOL result. `a != b` is `Not(Equal(a, b))`."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class And:
    """BOOL, or U32 bitwise."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Or:
    """BOOL, or U32 bitwise."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Xor:
    """U32 bitwise."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Not:
    """BOOL."""

    operand: Value


@dataclass(frozen=True, slots=True)
class ShiftLeft:
    """U32; the amount is U32 and below 32."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class ShiftRight:
    """U32, zeros shifted in; the amount is U32 and below 32."""

    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Select:
    """`then` where the condition (BOOL) holds, else `otherwise`. Minimum of a, b is `Select(Less(a, b), a, b)`; maximum
    is `Select(Less(b, a), a, b)`: with equal operands (also -0 and +0) both give b."""

    condition: Value
    then: Value
    otherwise: Value


@dataclass(frozen=True, slots=True)
class ToF32:
    """I32 to F32, rounded to nearest even (exact below 2**24)."""

    operand: Value


@dataclass(frozen=True, slots=True)
class ToU32:
    """I32 to U32: the same bits."""

    operand: Value


@dataclass(frozen=True, slots=True)
class ToI32:
    """U32 to I32: the same bits."""

    operand: Value


@dataclass(frozen=True, slots=True)
class ToBits:
    """F32 to U32: the same bits. Those of a NaN may be any NaN's."""

    operand: Value


@dataclass(frozen=True, slots=True)
class FromBits:
    """U32 to F32: the same bits."""

    operand: Value


@dataclass(frozen=True, slots=True)
class Fold:
    """F32 or U32: an output of a function after it has run for `row` = 0 .. count - 1, each time on its last outputs.

    Attributes:
        function: of this program. Its inputs are `row` (I32), which all lanes share, and its own outputs (all of one
            type).
        output: one of `names`.
        names: all its outputs, in order.
        tables: those that it reads.
        initial: what `names` are before the first row.
    """

    function: str
    output: str
    count: int
    names: tuple[str, ...]
    tables: tuple[str, ...]
    initial: tuple[Value, ...]

    @property
    def before(self) -> Value:
        """The output before the first row."""
        return self.initial[self.names.index(self.output)]


Unary: TypeAlias = Neg | Abs | Sqrt | Not | ToF32 | ToU32 | ToI32 | ToBits | FromBits
Binary: TypeAlias = (
    Add | Sub | Mul | MulHigh | Div | Rem | Less | LessEqual | Equal | And | Or | Xor | ShiftLeft | ShiftRight
)
Op: TypeAlias = Const | Input | Element | Lookup | Unary | Binary | Fma | Select | Fold

OPS: tuple[type[Op], ...] = (
    Const, Input, Element, Lookup, Add, Sub, Mul, MulHigh, Div, Rem, Fma, Neg, Abs, Sqrt, Less, LessEqual, Equal, And,
    Or, Xor, Not, ShiftLeft, ShiftRight, Select, ToF32, ToU32, ToI32,
    ToBits, FromBits,
    Fold,
)  # fmt: skip


def _getter(names: tuple[str, ...]) -> Callable[[Op], tuple[Value, ...]]:
    """What gives these fields of an operation; programs ask for operands millions of times."""
    match names:
        case ():
            return lambda _: ()
        case (name,):
            one: Callable[[Op], Value] = attrgetter(name)
            return lambda op: (one(op),)
        case _:
            several: Callable[[Op], tuple[Value, ...]] = attrgetter(*names)
            return several


_OPERANDS: dict[type[Op], Callable[[Op], tuple[Value, ...]]] = {
    op: attrgetter("initial") if op is Fold else _getter(tuple(f.name for f in fields(op) if f.type == "Value"))
    for op in OPS
}


def operands(op: Op) -> tuple[Value, ...]:
    """The operands of an operation, in order."""
    return _OPERANDS[type(op)](op)


def with_operands(op: Op, values: tuple[Value, ...]) -> Op:
    """The same operation on other operands."""
    match op:
        case Const() | Input() | Element():
            return op
        case Lookup(table=table):
            return Lookup(table, values[0])
        case Fold():
            return replace(op, initial=values)
        case _:
            return type(op)(*values)
