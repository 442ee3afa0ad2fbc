"""The operations of the tick IR, declared in one place.

An operation refers to its operands by the number of the node that computes them. Floats are binary32, round to nearest
even, subnormals kept, never contracted. Integers wrap modulo 2**32. Everything a lane does in a tick is made of these,
so each must mean the same bits on every target; `docs/exactness.md` says how that is shown.

Most operations are plain: all their operands have one type, and they are only computed. `PLAIN` has a row for each;
typing, the verifier, the evaluator, the text form, the formatters of targets, the random functions and the mutants of
tests derive from it: a plain operation is a class and a row. The others have a shape of their own (`Select`, `Lookup`,
`Fetch`, `Fold`), or begin something (`Const`, `Input`, `Element`).

Names, types and spellings are shared. What an operation means is said three times by hands that do not know each other,
because tests compare them: for arrays (`hamletc.ir.evaluate`: numpy), for numbers
(`hamletc.passes.constant_folding`: Python in binary64, rounded once) and for intervals (`hamletc.passes.ranges`). Were
folding made of numpy, a fault in it would be one of the evaluator, too, and `hamletc compile` would have to import
numpy. The last two may lack an operation: it is not folded, and its value may be any of its type.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from hamlet.frozen import dataclass


class Type(Enum):
    """A scalar type; a kernel holds one such value per lane."""

    F32 = "f32"
    I32 = "i32"
    U32 = "u32"
    BOOL = "bool"

    # That of an enum is a call in Python, and programs ask for it millions of times.
    __hash__ = object.__hash__


F32, I32, U32, BOOL = Type.F32, Type.I32, Type.U32, Type.BOOL

Value: TypeAlias = int
"""The number of a node in its function."""


@dataclass(frozen=True, slots=True)
class Const:
    """A literal. F32: a float that is exact in binary32 and finite; BOOL: a bool; else an int in the type's range."""

    type: Type
    value: float | int | bool

    def __eq__(self, other: object) -> bool:
        # 0.0 == -0.0 and 1 == True in Python; constants are equal when they print the same.
        if not isinstance(other, Const) or self.type is not other.type or self.value != other.value:
            return False
        return repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash((self.type, self.value))


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
    """`table[index]`; the index is I32 and provably in range. `along`: in a function of pairs it is 1 more than in the
    lane of the agent before the one that asks, and behind it the table has as many numbers as a vector."""

    table: str
    index: Value
    along: bool = False


@dataclass(frozen=True, slots=True)
class Fetch:
    """F32: a number of the state of cells, `cells.<name>` at an index (I32): that of the cell behind where the cells of
    the lane's world begin, which the input `cells_at` says; or of the state of pairs, `pairs.<name>`, behind where the
    input `pairs_at` says. Nothing writes them while a function runs. `along` is as of `Lookup`."""

    array: str
    index: Value
    along: bool = False


class Order(Enum):
    """The proven order of the operands of a `Select` whose condition is a `Less` or `LessEqual` of the same two."""

    UNKNOWN = ""
    ZEROS = "zeros"
    """Neither is a NaN, but zeros of both signs may meet, of which a machine's minimum gives another one."""
    NUMBERS = "numbers"
    """Neither is a NaN, nor are they zeros of both signs: the select is their minimum or maximum."""
    UNIT = "unit"
    """The same, and one operand is 0 or 1 and the result lies in 0 .. 1."""

    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class Select:
    """`then` where the condition (BOOL) holds, else `otherwise`. Minimum of a, b is `Select(Less(a, b), a, b)`; maximum
    is `Select(Less(b, a), a, b)`: with equal operands (also -0 and +0) both give b. `order` changes nothing of that."""

    condition: Value
    then: Value
    otherwise: Value
    order: Order = Order.UNKNOWN


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


@dataclass(frozen=True, slots=True)
class Unary:
    """A plain operation on one operand."""

    operand: Value


@dataclass(frozen=True, slots=True)
class Binary:
    """A plain operation on two operands."""

    left: Value
    right: Value


class Add(Binary):
    """F32, I32 or U32."""

    __slots__ = ()


class Sub(Binary):
    """F32, I32 or U32."""

    __slots__ = ()


class Mul(Binary):
    """F32, I32 or U32 (low 32 bits)."""

    __slots__ = ()


class MulHigh(Binary):
    """U32: the high 32 bits of the 64-bit product."""

    __slots__ = ()


class Div(Binary):
    """F32: correctly rounded quotient. U32: quotient rounded down; the divisor is a non-zero constant."""

    __slots__ = ()


class Rem(Binary):
    """U32: remainder; the divisor is a non-zero constant."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Fma:
    """F32: left * right + addend, rounded once. The only contraction there is: where it is asked for."""

    left: Value
    right: Value
    addend: Value


class Neg(Unary):
    """F32 (flips the sign bit) or I32."""

    __slots__ = ()


class Abs(Unary):
    """F32 (clears the sign bit) or I32 (not of -2**31)."""

    __slots__ = ()


class Sqrt(Unary):
    """F32: correctly rounded square root; the operand is not negative."""

    __slots__ = ()


class Less(Binary):
    """F32 (false with a NaN), I32 or U32 operands; BOOL result. `a > b` is `Less(b, a)`."""

    __slots__ = ()


class LessEqual(Binary):
    """Like `Less`; `a >= b` is `LessEqual(b, a)`."""

    __slots__ = ()


class Equal(Binary):
    """F32 (-0 equals +0), I32, U32 or BOOL operands; BOOL result. `a != b` is `Not(Equal(a, b))`."""

    __slots__ = ()


class And(Binary):
    """BOOL, or U32 bitwise."""

    __slots__ = ()


class Or(Binary):
    """BOOL, or U32 bitwise."""

    __slots__ = ()


class Xor(Binary):
    """U32 bitwise."""

    __slots__ = ()


class Not(Unary):
    """BOOL."""

    __slots__ = ()


class ShiftLeft(Binary):
    """U32; the amount is U32 and below 32."""

    __slots__ = ()


class ShiftRight(Binary):
    """U32, zeros shifted in; the amount is U32 and below 32."""

    __slots__ = ()


class ToF32(Unary):
    """I32 to F32, rounded to nearest even (exact below 2**24)."""

    __slots__ = ()


class ToU32(Unary):
    """I32 to U32: the same bits."""

    __slots__ = ()


class ToI32(Unary):
    """U32 to I32: the same bits."""

    __slots__ = ()


class ToBits(Unary):
    """F32 to U32: the same bits. Those of a NaN may be any NaN's."""

    __slots__ = ()


class FromBits(Unary):
    """U32 to F32: the same bits."""

    __slots__ = ()


Plain: TypeAlias = Unary | Binary | Fma
Op: TypeAlias = Const | Input | Element | Lookup | Fetch | Select | Fold | Plain


class Right(Enum):
    """The range of the right operand of an operation on U32: of a division a constant, of a shift any value in it."""

    DIVISOR = range(1, 2**32)
    AMOUNT = range(32)


@dataclass(frozen=True, slots=True)
class Traits:
    """Traits of a plain operation.

    Attributes:
        results: by the type of its operands, the type of its result.
        numpy: the function of numpy that gives it; empty where `hamletc.ir.evaluate` has its own.
        call: its name in generated text where it is called; empty where it never is.
        sign: what stands there between its operands, or before its only one; empty where it is only called.
        near: the operation for which a mistake would take it, if there is one that fits its place.
        right: what the right operand may be where it is U32; any value if `None`.
    """

    results: Mapping[Type, Type]
    numpy: str
    call: str
    sign: str = ""
    near: type[Plain] | None = None
    right: Right | None = None


_NUMBERS = {F32: F32, I32: I32, U32: U32}
_SIGNED = {F32: F32, I32: I32}
_ORDERED = {F32: BOOL, I32: BOOL, U32: BOOL}
_LOGIC = {BOOL: BOOL, U32: U32}
_FLOAT, _WORD = {F32: F32}, {U32: U32}

PLAIN: Mapping[type[Plain], Traits] = {
    Add: Traits(_NUMBERS, "add", "add", "+", Sub),
    Sub: Traits(_NUMBERS, "subtract", "subtract", "-", Add),
    Mul: Traits(_NUMBERS, "multiply", "multiply", "*", Add),
    MulHigh: Traits(_WORD, "", "mulhigh", "", Mul),
    Div: Traits({F32: F32, U32: U32}, "", "divide", "/", Mul, Right.DIVISOR),
    Rem: Traits(_WORD, "remainder", "remainder", "%", Div, Right.DIVISOR),
    Fma: Traits(_FLOAT, "", "fma"),
    Neg: Traits(_SIGNED, "negative", "", "-", Abs),
    Abs: Traits(_SIGNED, "absolute", "absolute", "", Neg),
    Sqrt: Traits(_FLOAT, "sqrt", "square_root", "", Abs),
    Less: Traits(_ORDERED, "less", "less", "<", LessEqual),
    LessEqual: Traits(_ORDERED, "less_equal", "less_equal", "<=", Less),
    Equal: Traits({**_ORDERED, BOOL: BOOL}, "equal", "equal", "==", LessEqual),
    And: Traits(_LOGIC, "bitwise_and", "bit_and", "&", Or),
    Or: Traits(_LOGIC, "bitwise_or", "bit_or", "|", And),
    Xor: Traits(_WORD, "bitwise_xor", "bit_xor", "^", Or),
    Not: Traits({BOOL: BOOL}, "logical_not", "", "~"),
    ShiftLeft: Traits(_WORD, "left_shift", "shift_left", "<<", ShiftRight, Right.AMOUNT),
    ShiftRight: Traits(_WORD, "right_shift", "shift_right", ">>", ShiftLeft, Right.AMOUNT),
    ToF32: Traits({I32: F32}, "", "to_f32"),
    ToU32: Traits({I32: U32}, "", "to_u32", "", ToI32),
    ToI32: Traits({U32: I32}, "", "to_i32", "", ToU32),
    ToBits: Traits({F32: U32}, "", "to_bits", "", ToU32),
    FromBits: Traits({U32: F32}, "", "from_bits"),
}
"""The traits of each plain operation."""

OPS: tuple[type[Op], ...] = (Const, Input, Element, Lookup, Fetch, Select, Fold, *PLAIN)
