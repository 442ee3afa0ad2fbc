"""A term, and a variable that terms are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hamlet_lab.proof.meanings import CONSTANT, Words


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """An operation on terms.

    Attributes:
        number: terms of an arena are numbered as they are made.
        attribute: the value of a constant, the name of a variable, the rows of a table.
        samples: its values.
    """

    number: int
    op: str
    bits: int
    operands: tuple[Term, ...]
    attribute: object
    samples: Words

    @property
    def value(self) -> int | None:
        """The value of a constant."""
        return self.attribute if self.op == CONSTANT and isinstance(self.attribute, int) else None


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable: its name, its sampled values, the least and the greatest it may be, as an unsigned word or, where
    `floating`, as a number in binary32."""

    name: str
    samples: Words
    low: float
    high: float
    floating: bool = False

    @property
    def bits(self) -> int:
        """Bits of its values."""
        return 1 if self.samples.dtype == np.bool_ else 8 * self.samples.dtype.itemsize
