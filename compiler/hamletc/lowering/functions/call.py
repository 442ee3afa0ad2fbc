"""Which function is which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.functions.exponential import exp, exp2, sigmoid, tanh
from hamletc.lowering.functions.logarithm import log, log2
from hamletc.lowering.functions.power import power
from hamletc.lowering.functions.trigonometric import cos, sin

__all__ = ["Function", "call", "power"]

Function: TypeAlias = Literal["sqrt", "exp", "exp2", "log", "log2", "sin", "cos", "tanh", "sigmoid"]

_SEQUENCES: dict[Function, Callable[[Builder, Value], Value]] = {
    "sqrt": Builder.sqrt,
    "exp": exp,
    "exp2": exp2,
    "log": log,
    "log2": log2,
    "sin": sin,
    "cos": cos,
    "tanh": tanh,
    "sigmoid": sigmoid,
}


def call(builder: Builder, function: Function, operand: Value) -> Value:
    """The value (F32) of a function of one number (F32)."""
    return _SEQUENCES[function](builder, operand)
