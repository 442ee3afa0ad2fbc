from __future__ import annotations

from itertools import product

import pytest

from hamletc.ir.ops import (
    OPS,
    Const,
    Element,
    Fold,
    Input,
    Lookup,
    Op,
    Select,
    Type,
    TypingError,
    operands,
    result_type,
    with_operands,
)

F32, I32, U32, BOOL = Type.F32, Type.I32, Type.U32, Type.BOOL

ARITHMETIC = {F32: F32, I32: I32, U32: U32}
ORDER = {F32: BOOL, I32: BOOL, U32: BOOL}
SIGNED = {F32: F32, I32: I32}
LOGIC = {BOOL: BOOL, U32: U32}
RESULTS = {
    "Add": ARITHMETIC, "Sub": ARITHMETIC, "Mul": ARITHMETIC, "MulHigh": {U32: U32}, "Div": {F32: F32, U32: U32},
    "Fma": {F32: F32},
    "Rem": {U32: U32}, "Neg": SIGNED, "Abs": SIGNED, "Sqrt": {F32: F32}, "Less": ORDER, "LessEqual": ORDER,
    "Equal": {**ORDER, BOOL: BOOL}, "And": LOGIC, "Or": LOGIC, "Xor": {U32: U32}, "Not": {BOOL: BOOL},
    "ShiftLeft": {U32: U32}, "ShiftRight": {U32: U32}, "ToF32": {I32: F32}, "ToU32": {I32: U32}, "ToI32": {U32: I32},
    "ToBits": {F32: U32}, "FromBits": {U32: F32},
}  # fmt: skip
"""By operation, the type of the operands and the type of the result, as ops.py says it."""

UNIFORM = [op for op in OPS if op not in (Const, Input, Element, Lookup, Select, Fold)]


def typed(op: Op, *types: Type) -> Type | None:
    try:
        return result_type(op, types, {"t": U32})
    except TypingError:
        return None


@pytest.mark.parametrize("kind", UNIFORM, ids=lambda kind: kind.__name__)
def test_operands_of_one_type(kind: type[Op]) -> None:
    arity = len(kind.__dataclass_fields__)
    op = kind(*range(arity))
    assert operands(op) == tuple(range(arity))
    assert with_operands(op, (7, 8, 9)[:arity]) == kind(*(7, 8, 9)[:arity])
    for types in product(Type, repeat=arity):
        expected = RESULTS[kind.__name__].get(types[0]) if len(set(types)) == 1 else None
        assert typed(op, *types) is expected, types


def test_select_takes_a_condition_and_two_of_a_type() -> None:
    for types in product(Type, repeat=3):
        assert typed(Select(0, 1, 2), *types) is (types[1] if types[0] is BOOL and types[1] is types[2] else None)


def test_folds_take_values_of_one_type_and_tables_that_exist() -> None:
    fold = Fold("loop", "a", 3, ("a", "b"), ("t",), (4, 5))
    assert operands(fold) == (4, 5)
    assert with_operands(fold, (7, 8)) == Fold("loop", "a", 3, ("a", "b"), ("t",), (7, 8))
    for types in product(Type, repeat=2):
        assert typed(fold, *types) is (types[0] if types in ((F32, F32), (U32, U32)) else None)
    assert typed(Fold("loop", "a", 3, ("a",), ("absent",), (4,)), F32) is None


def test_leaves_and_lookups() -> None:
    assert typed(Const(F32, 1.0)) is F32
    assert typed(Input(BOOL, "a")) is BOOL
    assert typed(Element("grid")) is I32
    assert typed(Lookup("t", 0), I32) is U32
    assert typed(Lookup("t", 0), U32) is None
    assert typed(Lookup("absent", 0), I32) is None
    assert with_operands(Lookup("t", 0), (5,)) == Lookup("t", 5)
    assert operands(Element("grid")) == ()
