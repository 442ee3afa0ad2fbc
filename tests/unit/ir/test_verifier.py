from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given, settings

from examples import examples
from hamletc.ir.function import Function, Node, Origin, Output, Program, Table
from hamletc.ir.ops import Add, Const, Div, Element, Input, Less, Lookup, Op, Rem, ShiftLeft, ShiftRight, Type
from hamletc.ir.verifier import VerificationError, verify, verify_program
from samples.functions import TABLES, functions

F32, I32, U32, BOOL = Type.F32, Type.I32, Type.U32, Type.BOOL
A, B = (Input(F32, "a"), F32), (Input(U32, "b"), U32)


def function(*nodes: tuple[Op, Type], outputs: tuple[Output, ...] = ()) -> Function:
    return Function("tick", tuple(Node(op, type_, Origin("act")) for op, type_ in nodes), outputs)


@settings(max_examples=examples(40), deadline=None)
@given(functions())
def test_random_functions_are_valid(made: Function) -> None:
    verify(made, TABLES)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (function(A, (Add(0, 1), F32)), "%1 = Add.*operand %1 does not come before"),
        (function(A, (Add(0, -1), F32)), "operand %-1 does not come before"),
        (function(A, B, (Add(0, 1), F32)), r"Add does not take \(f32, u32\)"),
        (function(A, (Add(0, 0), U32)), "%1 = .*is f32, not u32"),
        (function(A, (Less(0, 0), F32)), "is bool, not f32"),
        (function(A, A), "%1 = Input.*computed twice"),
        (function(A, (Input(U32, "a"), U32)), "same input with another type"),
        (function((Input(F32, "a`b"), F32)), "not a name"),
        (function((Input(F32, "a\nb"), F32)), "not a name"),
        (function((Input(F32, ""), F32)), "not a name"),
        (function((Const(F32, 0.1), F32)), "not exact in binary32"),
        (function((Const(F32, 1e39), F32)), "not exact in binary32"),
        (function((Const(F32, inf), F32)), "not a finite float"),
        (function((Const(F32, nan), F32)), "not a finite float"),
        (function((Const(F32, 1), F32)), "not a finite float"),
        (function((Const(I32, 2**31), I32)), "out of the range of i32"),
        (function((Const(U32, -1), U32)), "out of the range of u32"),
        (function((Const(I32, True), I32)), "not an int"),
        (function((Const(BOOL, 1), BOOL)), "not a bool"),
        (function(B, (Rem(0, 0), U32)), "divides by no non-zero constant"),
        (function(B, (Const(U32, 0), U32), (Div(0, 1), U32)), "divides by no non-zero constant"),
        (function(B, (Const(U32, 32), U32), (ShiftLeft(0, 1), U32)), "shifts by 32"),
        (function((Const(I32, 0), I32), (Lookup("absent", 0), F32)), "there is no table absent"),
        (function(A, outputs=(Output("x", 1),)), "output x: there is no %1"),
        (function(A, outputs=(Output("x", 0), Output("x", 0))), "output x: given twice"),
        (function(A, outputs=(Output("x`y", 0),)), "output x`y: not a name"),
        (function(A, outputs=(Output("x", 0, 0),)), "output x: it has no elements"),
        (function((Element("x"), I32), outputs=(Output("x", 0),)), "output x: depends on the element of x"),
        (function((Element("y"), I32), outputs=(Output("x", 0, 4),)), "output x: depends on the element of y"),
        (
            function((Element("x"), I32), (Element("y"), I32), (Add(0, 1), I32)),
            "%2 = Add.*elements of x, y",
        ),
    ],
)  # fmt: skip
def test_a_malformed_function_is_refused(made: Function, message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        verify(made, ())


@pytest.mark.parametrize("divisor", [1, 65, 2**31, 2**32 - 1])
@pytest.mark.parametrize("op", [Div(0, 1), Rem(0, 1)])
def test_every_constant_but_zero_divides(op: Op, divisor: int) -> None:
    verify(function(B, (Const(U32, divisor), U32), (op, U32)), ())


@pytest.mark.parametrize("amount", [0, 1, 31])
@pytest.mark.parametrize("op", [ShiftLeft(0, 1), ShiftRight(0, 1)])
def test_a_word_is_shifted_by_less_than_its_length(op: Op, amount: int) -> None:
    verify(function(B, (Const(U32, amount), U32), (op, U32)), ())


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (Program("u", (), (Table("t", F32, (0.1,)),)), "table t: not exact"),
        (Program("u", (), (Table("t", BOOL, (True,)),)), "table t: a table holds numbers"),
        (Program("u", (), (Table("a b", I32, (1,)),)), "table 'a b': not a name"),
        (Program("u", (), (Table("t", I32, (1,)), Table("t", I32, (1,)))), "table t: given twice"),
        (Program("u", (function(A), function(A)), ()), "function tick: given twice"),
        (Program("u", (function(A, (Add(0, 1), F32)),), ()), "tick: %1"),
    ],
)
def test_a_malformed_program_is_refused(program: Program, message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        verify_program(program)


def test_only_functions_of_a_verified_program_are_taken_on_trust() -> None:
    table = Table("t", F32, (1.0,))
    reading = function((Input(I32, "i"), I32), (Lookup("t", 0), F32))
    verified = Program("u", (reading,), (table,))
    verify_program(verified)
    verify_program(Program("u", (reading,), (table, Table("s", F32, (2.0,)))), verified)
    with pytest.raises(VerificationError, match="there is no table t"):
        verify_program(Program("u", (reading,), ()), verified)
    with pytest.raises(VerificationError, match="tick: %1"):
        verify_program(Program("u", (function(A, (Add(0, 1), F32)),), (table,)), verified)
