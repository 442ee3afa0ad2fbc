"""Blocks of threads in kernels for GPUs: what is computed of all their values at once."""

from __future__ import annotations

from collections.abc import Iterable

from hamletc.kernel.code import Code, For, assign, constants, loop
from hamletc.kernel.expressions import Call, Constant, Operand, call, expression, names, shape
from hamletc.targets.triton.columns import LANES

GROUP, BLOCK = names("GROUP BLOCK")
"""The lanes of a world, and those of a block: powers of two that are known when a function is compiled."""
SIZES = constants("GROUP BLOCK")
"""The parameters of functions that need them."""
WARPS = (BLOCK // LANES, LANES)
"""The sizes of a block whose rows are warps."""
WORLDS = (BLOCK // GROUP, GROUP)
"""The sizes of a block whose rows are worlds."""
INFINITE, BELOW_ALL = (call("float", Constant(text)) for text in ("inf", "-inf"))
"""Above and below all numbers."""


def where(condition: Operand, then: Operand, otherwise: Operand) -> Call:
    """One of two values in each lane."""
    return call("tl.where", condition, then, otherwise)


def cast(value: Operand, dtype: str) -> Call:
    """Values in another type: `int32`."""
    return expression(value).method("to", f"tl.{dtype}")


def same_bits(value: Operand, dtype: str) -> Call:
    """Values of another type with the same bits."""
    return expression(value).method("to", f"tl.{dtype}", bitcast=True)


def zeros(dtype: str) -> Call:
    """Zero in each lane."""
    return call("tl.zeros", shape(BLOCK), f"tl.{dtype}")


def full(value: Operand, dtype: str) -> Call:
    """A number in each lane."""
    return call("tl.full", shape(BLOCK), value, f"tl.{dtype}")


def numbers(count: Operand = BLOCK) -> Call:
    """0, 1, 2, ..."""
    return call("tl.arange", 0, count)


def gather(value: Operand, index: Operand, axis: int = 0) -> Call:
    """The values at indices along an axis."""
    return call("tl.gather", value, index, axis)


def reshape(value: Operand, *sizes: Operand) -> Call:
    """The values of a block in another shape."""
    return call("tl.reshape", value, shape(*sizes))


def rows_of(value: Operand, *sizes: Operand) -> Call:
    """A block of that shape whose rows are alike: each is the value, which is a row."""
    return call("tl.broadcast_to", call("tl.expand_dims", value, 0), shape(*sizes))


def columns_of(value: Operand, *sizes: Operand) -> Call:
    """A block of that shape whose columns are alike: each is the value, which is a column."""
    return call("tl.broadcast_to", call("tl.expand_dims", value, 1), shape(*sizes))


def widened(value: Operand) -> Call:
    """A value that may be the same for all lanes as one of each lane."""
    return call("tl.broadcast_to", value, shape(BLOCK))


def unrolled(variable: Operand, count: Operand, body: Iterable[Code]) -> For:
    """A loop over so many numbers, each of which is known when the function is compiled."""
    return For(expression(variable), call("tl.static_range", count), tuple(body))


def somewhere(condition: Operand) -> Call:
    """1 where a condition holds in a lane of the block, or else 0; all lanes have the same."""
    return call("tl.max", cast(condition, "int32"), axis=0)


def counted(variable: Operand, count: int, of: Operand, body: Iterable[Code]) -> For:
    """A loop over so many numbers, each a tensor also in Triton's interpreter, that no compiler unrolls; `of`: any
    number of lanes."""
    numbered = assign(variable, call("tl.cast", "index", "tl.int32"))
    return loop("index", count + call("_zero", of), body=(numbered, *body))
