"""What signs before values and conversions of known numbers become, in wasmtime."""

from __future__ import annotations

from itertools import product
from typing import Any, cast

import pytest

from hamletc.targets.c.types import BOOL, INDEX, LITERAL, CType, UntypedError
from hamletc.targets.wasm.arithmetic import Arithmetic
from hamletc.targets.wasm.encoding import F32, I32, I64, Function, Module, Signature
from hamletc.targets.wasm.instructions import get, op
from hamletc.targets.wasm.values import Coded, Frame, constant, converted

wasmtime: Any = pytest.importorskip("wasmtime")

NUMBER_I32, NUMBER_U32, NUMBER_F32 = (CType("number", each) for each in ("i32", "u32", "f32"))
NOTHING = cast(Any, None)


def value_of(code: bytes, given: bytes, gives: bytes, argument: float, variables: tuple[bytes, ...] = ()) -> Any:
    """What code makes of an argument."""
    store = wasmtime.Store()
    module = Module([Signature((given,), (gives,))], [Function(0, variables, code)], [("run", 0)], 1)
    run = wasmtime.Instance(store, wasmtime.Module(store.engine, module.encoded), []).exports(store)["run"]
    return run(store, argument)


def test_signs_before_values() -> None:
    arithmetic = Arithmetic(NOTHING, NOTHING, NOTHING)
    index, number = Coded(get(0), INDEX, low=get(0) + op("i32.wrap_i64")), Coded(get(0), NUMBER_I32)
    negative = arithmetic.prefix("-", index)
    for argument in (0, 3, -5, 1 << 40):
        assert value_of(negative.code, I64, I64, argument) == -argument
        assert value_of(arithmetic.prefix("-", number).code, I32, I32, argument % 1000) == -(argument % 1000)
    assert value_of(negative.narrow, I64, I32, 7) == -7
    assert arithmetic.prefix("-", constant(LITERAL, 4)).number == -4
    assert arithmetic.prefix("-", constant(NUMBER_F32, 1.5)).number == -1.5
    for argument in (0, 1):
        assert value_of(arithmetic.prefix("!", Coded(get(0), BOOL)).code, I32, I32, argument) == 1 - argument


def test_known_numbers_of_other_types() -> None:
    assert converted(constant(LITERAL, -1), NUMBER_U32).number == -1
    assert converted(constant(NUMBER_U32, -1), NUMBER_F32).number == float((1 << 32) - 1)
    assert [converted(constant(LITERAL, each), BOOL).number for each in (0, 1, 7)] == [0, 1, 1]
    assert converted(constant(LITERAL, 3), NUMBER_F32).number == 3.0
    # A number with a fraction is no whole one: it is converted when the code runs.
    assert converted(constant(NUMBER_F32, 2.5), NUMBER_I32).number is None
    assert value_of(converted(constant(NUMBER_F32, 2.5), NUMBER_I32).code, I32, I32, 0) == 2
    with pytest.raises(UntypedError):
        converted(Coded(get(0), CType("pointer", "f32")), NUMBER_F32)


def test_numbers_of_other_types() -> None:
    index = Coded(get(0), INDEX, low=get(0) + op("i32.wrap_i64"))
    assert value_of(converted(index, NUMBER_F32).code, I64, F32, -3) == -3.0
    assert [value_of(converted(index, BOOL).code, I64, I32, each) for each in (0, 1 << 32)] == [0, 1]
    assert value_of(converted(index, NUMBER_I32).code, I64, I32, 9) == 9
    signed, unsigned = Coded(get(0), NUMBER_I32), Coded(get(0), NUMBER_U32)
    assert value_of(converted(signed, NUMBER_F32).code, I32, F32, -1) == -1.0
    assert value_of(converted(unsigned, NUMBER_F32).code, I32, F32, -1) == float(1 << 32)
    assert [value_of(converted(signed, BOOL).code, I32, I32, each) for each in (0, 6)] == [0, 1]
    assert value_of(converted(signed, INDEX).code, I32, I64, -1) == -1
    assert value_of(converted(unsigned, INDEX).code, I32, I64, -1) == (1 << 32) - 1


def test_known_integers_are_divided_as_c_does() -> None:
    arithmetic = Arithmetic(NOTHING, NOTHING, NOTHING)
    for left, right in product((7, -7, 6, 0), (3, -3, 1)):
        quotient = int(left / right)
        found = [arithmetic.infix(sign, constant(LITERAL, left), constant(LITERAL, right)).number for sign in "/%"]
        assert found == [quotient, left - quotient * right]


def test_absolute_numbers() -> None:
    absolute = Arithmetic(NOTHING, NOTHING, Frame([], 1)).computed("absolute", [Coded(get(0), NUMBER_I32)])
    for argument in (0, 1, -1, 2**31 - 1, -(2**31) + 1):
        assert value_of(absolute.code, I32, I32, argument, (I32,) * 2) == abs(argument)
