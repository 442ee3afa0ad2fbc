"""What is declared of operations: the table is whole, and typing follows it."""

from __future__ import annotations

from dataclasses import fields
from itertools import product

import pytest
from hypothesis import given, seed, settings

from hamletc.ir.function import Function
from hamletc.ir.operands import TypingError, operands, result_type, with_operands
from hamletc.ir.ops import (
    BOOL,
    F32,
    I32,
    OPS,
    PLAIN,
    U32,
    Binary,
    Const,
    Element,
    Fetch,
    Fma,
    Fold,
    Input,
    Lookup,
    Op,
    Plain,
    Select,
    Type,
    Unary,
)
from samples.functions import functions


def typed(op: Op, *types: Type) -> Type | None:
    try:
        return result_type(op, types, {"t": U32})
    except TypingError:
        return None


def test_every_plain_operation_has_a_row() -> None:
    assert set(PLAIN) == {*Unary.__subclasses__(), *Binary.__subclasses__(), Fma}
    assert len(OPS) == len(set(OPS))


@pytest.mark.parametrize("kind", PLAIN, ids=lambda kind: kind.__name__)
def test_rows_fit_their_operations(kind: type[Plain]) -> None:
    traits = PLAIN[kind]
    assert traits.results
    assert traits.sign or traits.call
    assert traits.near is None or (traits.near is not kind and traits.near.__bases__ == kind.__bases__)
    assert traits.right is None or (issubclass(kind, Binary) and U32 in traits.results)


def test_random_functions_draw_every_operation() -> None:
    drawn: set[type[Op]] = set()

    @seed(1)
    @settings(max_examples=60, deadline=None, database=None)
    @given(functions())
    def collect(function: Function) -> None:
        drawn.update(type(node.op) for node in function.nodes)

    collect()
    assert drawn == set(OPS) - {Fold, Fetch}


@pytest.mark.parametrize("kind", PLAIN, ids=lambda kind: kind.__name__)
def test_operands_of_one_type(kind: type[Plain]) -> None:
    arity = len(fields(kind))
    op = kind(*range(arity))
    assert operands(op) == tuple(range(arity))
    assert with_operands(op, (7, 8, 9)[:arity]) == kind(*(7, 8, 9)[:arity])
    assert not hasattr(op, "__dict__")
    for types in product(Type, repeat=arity):
        expected = PLAIN[kind].results.get(types[0]) if len(set(types)) == 1 else None
        assert typed(op, *types) is expected, types


def test_operations_on_the_same_operands_are_told_apart() -> None:
    made = [kind(*range(len(fields(kind)))) for kind in PLAIN]
    assert len(set(made)) == len(made)


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
    assert typed(Fetch("cells.moss", 0), I32) is F32
    assert typed(Fetch("cells.moss", 0), F32) is None
    assert with_operands(Fetch("cells.moss", 0), (5,)) == Fetch("cells.moss", 5)
    assert operands(Element("grid")) == ()
