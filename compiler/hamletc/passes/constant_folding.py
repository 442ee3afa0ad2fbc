"""Constant folding."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt
from typing import TypeAlias

from hamlet.numbers.binary32 import bits32, from_bits32
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function
from hamletc.ir.ops import (
    Abs,
    Add,
    And,
    Const,
    Div,
    Element,
    Equal,
    Fma,
    Fold,
    FromBits,
    Input,
    Less,
    LessEqual,
    Lookup,
    Mul,
    MulHigh,
    Neg,
    Not,
    Op,
    Or,
    Rem,
    Select,
    ShiftLeft,
    ShiftRight,
    Sqrt,
    Sub,
    ToBits,
    ToF32,
    ToI32,
    ToU32,
    Value,
    Xor,
    operands,
)
from hamletc.ir.types import Type
from hamletc.passes.interval import fused32, to_binary32
from hamletc.passes.rewrite import rewrite

Literal: TypeAlias = float | int | bool


@dataclass(frozen=True, slots=True)
class ConstantFolding:
    """Computes operations on constants, each rounded to binary32. What would be infinite or a NaN is left alone."""

    name: str = "constant_folding"

    def run(self, function: Function) -> Function:
        builder = Builder()

        def rule(op: Op, type_: Type) -> Value | None:
            literals: list[Literal] = []
            for value in operands(op):
                operand = builder.nodes[value].op
                if not isinstance(operand, Const):
                    return None
                literals.append(operand.value)
            folded = fold(op, type_, literals)
            return None if folded is None else builder.node(Const(type_, folded), type_)

        return rewrite(function, builder, rule)


def fold(op: Op, type_: Type, on: list[Literal]) -> Literal | None:
    """The value of an operation on these literals; `None` where it is none that a constant may have."""
    match op:
        case Const() | Input() | Element() | Lookup() | Fold():
            return None
        case Select():
            return on[1] if on[0] else on[2]
        case Less():
            return on[0] < on[1]
        case LessEqual():
            return on[0] <= on[1]
        case Equal():
            return on[0] == on[1]
        case ToF32():
            return to_binary32(float(on[0]))
        case ToBits():
            return bits32(float(on[0]))
        case FromBits():
            number = from_bits32(int(on[0]))
            return number if isfinite(number) else None
        case _:
            pass
    match type_:
        case Type.F32:
            result = _float(op, [float(value) for value in on])
            return result if result is not None and isfinite(result) else None
        case Type.BOOL:
            return _bool(op, [bool(value) for value in on])
        case Type.I32:
            wrapped = _integer(op, [int(value) for value in on]) & 0xFFFFFFFF
            return wrapped - (1 << 32) if wrapped >= 1 << 31 else wrapped
        case Type.U32:
            return _integer(op, [int(value) for value in on]) & 0xFFFFFFFF


def _float(op: Op, on: list[float]) -> float | None:
    match op:
        case Add():
            return to_binary32(on[0] + on[1])
        case Sub():
            return to_binary32(on[0] - on[1])
        case Mul():
            return to_binary32(on[0] * on[1])
        case Div():
            return None if on[1] == 0 else to_binary32(on[0] / on[1])
        case Fma():
            return fused32(on[0], on[1], on[2])
        case Neg():
            return -on[0]
        case Abs():
            return abs(on[0])
        case Sqrt():
            return None if on[0] < 0 else to_binary32(sqrt(on[0]))
        case _:
            raise TypeError(f"not an operation on F32: {op}")


def _bool(op: Op, on: list[bool]) -> bool:
    match op:
        case And():
            return on[0] and on[1]
        case Or():
            return on[0] or on[1]
        case Not():
            return not on[0]
        case _:
            raise TypeError(f"not an operation on BOOL: {op}")


def _integer(op: Op, on: list[int]) -> int:
    match op:
        case Add():
            return on[0] + on[1]
        case Sub():
            return on[0] - on[1]
        case Mul():
            return on[0] * on[1]
        case MulHigh():
            return on[0] * on[1] >> 32
        case Div():
            return on[0] // on[1]
        case Rem():
            return on[0] % on[1]
        case Neg():
            return -on[0]
        case Abs():
            return abs(on[0])
        case And():
            return on[0] & on[1]
        case Or():
            return on[0] | on[1]
        case Xor():
            return on[0] ^ on[1]
        case ShiftLeft():
            return on[0] << on[1]
        case ShiftRight():
            return on[0] >> on[1]
        case ToU32() | ToI32():
            return on[0]
        case _:
            raise TypeError(f"not an operation on integers: {op}")
