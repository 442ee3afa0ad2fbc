"""Operands as functions that give their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from hamlet_lab.ptx.syntax import Binary32, Guard, Instruction, Integer, Kernel, Name, Operand, PtxError
from hamlet_lab.ptx.threads import Mask, Threads
from hamlet_lab.ptx.types import F32, PRED, SCALARS, Array, Scalar

Source = Callable[[Threads], Array]


@dataclass(frozen=True, slots=True)
class Register:
    """A register's place among all registers, and its type."""

    index: int
    type: Scalar


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of a kernel: its registers, the bits of its parameters, its variables in shared memory."""

    registers: Mapping[str, Register]
    parameters: Mapping[str, int]
    shared: frozenset[str]


@dataclass(frozen=True, slots=True)
class Site:
    """An instruction among the names of its kernel."""

    instruction: Instruction
    scope: Scope

    def error(self, text: str) -> PtxError:
        """An error at the line of the instruction."""
        return PtxError(self.instruction.line, text)

    def register(self, operand: Operand, bits: int) -> Register:
        """A register of `bits` bits.

        Raises:
            PtxError: the operand is no such register.
        """
        found = self.scope.registers.get(operand.name) if isinstance(operand, Name) else None
        if found is None or found.type.bits != bits:
            raise self.error(f"{self.instruction.opcode} needs a register of {bits} bits, not {operand}")
        return found

    def source(self, operand: Operand, wanted: Scalar) -> Source:
        """The values of an operand of this type.

        Raises:
            PtxError: the operand does not fit.
        """
        match operand:
            case Integer(value=value):
                return constant(self._integer(value, wanted), wanted)
            case Binary32(bits=bits) if wanted.bits == 32:
                return constant(bits, wanted)
            case Name(name=name) if name in self.scope.shared and wanted.bits in (32, 64):
                # A block has one variable in shared memory, at its beginning.
                return constant(0, wanted)
            case Name() if wanted.bits == 8 or self._is_wider(operand, wanted):
                return self._lowest(operand, wanted)
            case Name():
                register = self.register(operand, wanted.bits)
                index, dtype = register.index, wanted.dtype
                if dtype == register.type.raw:
                    return lambda threads: threads.registers[index]
                return lambda threads: threads.registers[index].view(dtype)
            case _:
                raise self.error(f"{self.instruction.opcode} does not take {operand}")

    def _integer(self, value: int, wanted: Scalar) -> int:
        """The bits of an integer literal."""
        if wanted is PRED:
            return int(value != 0)
        if wanted is F32 or not -(1 << wanted.bits - 1) <= value < 1 << wanted.bits:
            raise self.error(f"{value} is no literal of type {wanted.name}")
        return value % (1 << wanted.bits)

    def _is_wider(self, operand: Name, wanted: Scalar) -> bool:
        """Whether a conversion of integers takes the lowest bits of a wider register. PTX ISA, "Operand Size Exceeding
        Instruction-Type Size"."""
        found = self.scope.registers.get(operand.name)
        if found is None or found.type is PRED or not np.issubdtype(wanted.dtype, np.integer):
            return False
        return self.instruction.opcode.startswith("cvt.") and found.type.bits > wanted.bits

    def _lowest(self, operand: Name, wanted: Scalar) -> Source:
        """The lowest bits of a wider register: there are no registers of 8 bits."""
        found = self.scope.registers.get(operand.name)
        if found is None or found.type is PRED:
            raise self.error(f"{self.instruction.opcode} does not take {operand}")
        index, raw, dtype = found.index, wanted.raw, wanted.dtype
        return lambda threads: threads.registers[index].astype(raw).view(dtype)

    def guard(self, guard: Guard) -> Callable[[Threads], Mask]:
        """A function that tells which threads a guard lets through."""
        index = self.register(Name(guard.register), 1).index
        if guard.negated:
            return lambda threads: ~threads.registers[index]
        return lambda threads: threads.registers[index]


def scope(kernel: Kernel) -> Scope:
    """The names of a kernel.

    Raises:
        PtxError: a register has an unknown type.
    """
    registers: dict[str, Register] = {}
    for group in kernel.registers:
        if group.type not in SCALARS:
            raise PtxError(1, f"registers of type {group.type} are not known")
        for number in range(group.count):
            registers[f"{group.prefix}{number}"] = Register(len(registers), SCALARS[group.type])
    parameters = {parameter.name: parameter.bits for parameter in kernel.parameters}
    return Scope(registers, parameters, frozenset(kernel.shared))


def constant(bits: int, scalar: Scalar) -> Source:
    """The same bits in all threads."""
    values = np.array([bits], scalar.raw).view(scalar.dtype)
    return lambda _: values
