"""The syntax of PTX: one kernel, its parameters, registers and instructions; and the error of a line of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from hamlet.errors import HamletError


class PtxError(HamletError):
    """An instruction that is not known, or that does what it must not do. Names the line of the PTX text."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"PTX line {line}: {text}")


@dataclass(frozen=True, slots=True)
class Name:
    """A register, a special register, a parameter, a label or a variable in shared memory."""

    name: str


@dataclass(frozen=True, slots=True)
class Integer:
    """A literal; negative ones are written so."""

    value: int


@dataclass(frozen=True, slots=True)
class Binary32:
    """A literal `0f3F800000`: the bits of a binary32 number."""

    bits: int


@dataclass(frozen=True, slots=True)
class Binary64:
    """A literal `0d3FF0000000000000`: the bits of a binary64 number."""

    bits: int


@dataclass(frozen=True, slots=True)
class Address:
    """`[base + offset]`, in bytes."""

    base: Name
    offset: int


@dataclass(frozen=True, slots=True)
class Vector:
    """`{a, b}`."""

    elements: tuple[Name | Integer | Binary32 | Binary64, ...]


Operand: TypeAlias = Name | Integer | Binary32 | Binary64 | Address | Vector


@dataclass(frozen=True, slots=True)
class Guard:
    """`@register` or `@!register` before an instruction: the threads that execute it."""

    register: str
    negated: bool


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction.

    Attributes:
        line: where it is in the text, from 1.
        opcode: with all its modifiers: `add.rn.f32`.
        targets: the labels right before it.
    """

    line: int
    targets: tuple[str, ...]
    guard: Guard | None
    opcode: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a kernel; `bits` wide."""

    name: str
    bits: int


@dataclass(frozen=True, slots=True)
class Registers:
    """`count` registers of a type, named `prefix` and a number from 0; without a count one, named `prefix`."""

    prefix: str
    type: str
    count: int | None

    def names(self) -> Iterator[str]:
        """The names of the registers."""
        if self.count is None:
            yield self.prefix
            return
        yield from (f"{self.prefix}{number}" for number in range(self.count))


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of so many bytes. Those of the text begin with their contents; what is behind these is 0."""

    name: str
    size: int
    contents: bytes = b""


@dataclass(frozen=True, slots=True)
class Kernel:
    """An entry of a PTX text.

    Attributes:
        target: `sm_90a`.
        shared: the variables in shared memory whose size the launch gives. There is at most one.
        tables: variables of the text, which no thread writes.
        locals: variables that each thread has.
        threads: of a block, where the text requires a number.
    """

    name: str
    target: str
    parameters: tuple[Parameter, ...]
    registers: tuple[Registers, ...]
    shared: tuple[str, ...]
    threads: int | None
    instructions: tuple[Instruction, ...]
    tables: tuple[Variable, ...] = ()
    locals: tuple[Variable, ...] = ()
