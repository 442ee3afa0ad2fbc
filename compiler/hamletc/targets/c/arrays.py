"""Arrays that a kernel makes for its thread: on the stack, where they are small, or on the heap."""

from __future__ import annotations

from typing import Literal

from hamlet.frozen import dataclass
from hamletc.kernel.expressions import Call, Expression, Operand, call, expression
from hamletc.targets.c.lanes import LANES


@dataclass(frozen=True, slots=True)
class Array:
    """An array.

    Attributes:
        kind: `local`, on the stack; `rows`, of several rows of LANES elements there; `room`, on the heap, which is
            given back.
        dtype: of its elements.
        size: the elements, or rows of `rows`.
    """

    kind: Literal["local", "rows", "room"]
    dtype: str
    size: Expression

    @property
    def maker(self) -> str:
        """The function that makes it."""
        return f"{self.kind}_{self.dtype}"

    @property
    def make(self) -> Call:
        """What makes it."""
        return call(self.maker, self.size)

    @property
    def unset(self) -> Call:
        """What makes it where each lane is written before it is read: zeros would take a twentieth of a step of few
        lanes."""
        return call(f"unset_{self.dtype}", self.size) if self.kind == "local" else self.make


def stack(dtype: str, size: Operand = LANES) -> Array:
    """An array on the stack."""
    return Array("local", dtype, expression(size))


def stack_rows(dtype: str, rows: int) -> Array:
    """An array of several rows on the stack."""
    return Array("rows", dtype, expression(rows))


def heap(dtype: str, size: Operand) -> Array:
    """An array on the heap."""
    return Array("room", dtype, expression(size))
