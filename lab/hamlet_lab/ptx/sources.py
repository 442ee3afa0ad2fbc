"""Operands as functions that give their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from hamlet_lab.ptx.syntax import Binary32, Binary64, Guard, Instruction, Integer, Kernel, Name, Operand, PtxError
from hamlet_lab.ptx.threads import Mask, Threads
from hamlet_lab.ptx.types import F32, F64, PRED, SCALARS, Array, Scalar

Source = Callable[[Threads], Array]


@dataclass(frozen=True, slots=True)
class Register:
    """A register's place among all registers, and its type."""

    index: int
    type: Scalar


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of a kernel: its registers, the bits of its parameters, its variables in shared memory, and others."""

    registers: Mapping[str, Register]
    parameters: Mapping[str, int]
    shared: frozenset[str]
    variables: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Site:
    """An instruction among the names of its kernel."""

    instruction: Instruction
    scope: Scope

    def error(self, text: str) -> PtxError:
        """An error at the line of the instruction."""
        return PtxError(self.instruction.line, text)

    def register(self, operand: Operand, *widths: int) -> Register:
        """A register of one of these widths in bits.

        Raises:
            PtxError: the operand is no such register.
        """
        register = self.scope.registers.get(operand.name) if isinstance(operand, Name) else None
        if register is None or register.type.bits not in widths:
            raise self.error(f"{self.instruction.opcode} needs a register of {widths[0]} bits, not {operand}")
        return register

    def at_least(self, operand: Operand, bits: int) -> Register:
        """A register of `bits` bits or more."""
        register = self.scope.registers.get(operand.name) if isinstance(operand, Name) else None
        return self.register(operand, bits if register is None else max(register.type.bits, bits))

    def source(self, operand: Operand, kind: Scalar) -> Source:
        """The values of an operand of this type.

        Raises:
            PtxError: the operand does not fit.
        """
        match operand:
            case Integer(value=value):
                return constant(self._integer(value, kind), kind)
            case Binary32(bits=bits) if kind.bits == 32:
                return constant(bits, kind)
            case Binary64(bits=bits) if kind.bits == 64:
                return constant(bits, kind)
            case Name(name=name) if name in self.scope.shared and kind.bits in (32, 64):
                # A block has one variable in shared memory, at its beginning.
                return constant(0, kind)
            case Name(name=name) if name in self.scope.variables and kind.bits == 64:
                return lambda threads: threads.variables[name]
            case Name() if kind.bits == 8 or self._is_wider(operand, kind):
                return self._lowest(operand, kind)
            case Name():
                register = self.register(operand, kind.bits)
                index, dtype = register.index, kind.dtype
                if dtype == register.type.raw:
                    return lambda threads: threads.registers[index]
                return lambda threads: threads.registers[index].view(dtype)
            case _:
                raise self.error(f"{self.instruction.opcode} does not take {operand}")

    def _integer(self, value: int, kind: Scalar) -> int:
        """The bits of an integer literal."""
        if kind is PRED:
            return int(value != 0)
        if value >> 63 == 1:
            # Literals have 64 bits, of which Triton 3.6 sets all for -1: PTX ISA, "Integer Constants".
            value -= 1 << 64
        if kind in (F32, F64) or not -(1 << kind.bits - 1) <= value < 1 << kind.bits:
            raise self.error(f"{value} is no literal of type {kind.name}")
        return value % (1 << kind.bits)

    def _is_wider(self, operand: Name, kind: Scalar) -> bool:
        """Whether a conversion of integers, or a store, takes the lowest bits of a wider register. PTX ISA, "Operand
        Size Exceeding Instruction-Type Size"."""
        register = self.scope.registers.get(operand.name)
        if register is None or register.type is PRED or not np.issubdtype(kind.dtype, np.integer):
            return False
        return self.instruction.opcode.startswith(("cvt.", "st.")) and register.type.bits > kind.bits

    def _lowest(self, operand: Name, kind: Scalar) -> Source:
        """The lowest bits of a wider register: there are no registers of 8 bits."""
        register = self.scope.registers.get(operand.name)
        if register is None or register.type is PRED:
            raise self.error(f"{self.instruction.opcode} does not take {operand}")
        index, raw, dtype = register.index, kind.raw, kind.dtype
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
        for name in group.names():
            registers[name] = Register(len(registers), SCALARS[group.type])
    parameters = {parameter.name: parameter.bits for parameter in kernel.parameters}
    variables = frozenset(each.name for each in (*kernel.tables, *kernel.locals))
    return Scope(registers, parameters, frozenset(kernel.shared), variables)


def constant(bits: int, scalar: Scalar) -> Source:
    """The same bits in all threads."""
    values = np.array([bits], scalar.raw).view(scalar.dtype)
    return lambda _: values
