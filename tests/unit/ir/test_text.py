"""The text form: what it looks like, and that it is read back exactly."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from examples import examples
from hamlet.numbers.binary32 import round32
from hamlet.universe import Span
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Function, Origin, Output, Program, Table
from hamletc.ir.ops import Fold, Lookup, Type
from hamletc.ir.text import ParseError, parse_function, parse_program, print_function, print_program
from hamletc.ir.verifier import verify_program
from samples.functions import functions, programs

TEXT = """\
universe town
table time.sin: f32 = 0.0, 0.25881904
table case.0: f32 = 0.5, -0.0, 1.0
  row 0  ; interact: affordance `Bed` :36
  row 2  ; act: action `REST` :9@1

function tick {
  %0: f32 = input meter.health  ; state: :0
  %1: f32 = const -0.0  ; rules: cascade `hunger_sickens` :31
  %2: f32 = const 0.1  ; rules: cascade `hunger_sickens` :31
  %3: bool = less %0, %2  ; rules: cascade `hunger_sickens` :31
  %4: f32 = select %3, %1, %0  ; rules: cascade `hunger_sickens` :31
  %5: u32 = const 4294967295  ; rules: cascade `hunger_sickens` :31
  %6: u32 = mul_high %5, %5  ; rules: cascade `hunger_sickens` :31
  %7: i32 = element grid  ; rules: cascade `hunger_sickens` :31
  %8: f32 = lookup time.sin, %7  ; rules: cascade `hunger_sickens` :31
  %9: bool = const true  ; rules: cascade `hunger_sickens` :31
  %10: i32 = const -3  ; rules: cascade `hunger_sickens` :31
  %11: f32 = fetch `cells.red moss`, %10  ; rules: cascade `hunger_sickens` :31
  output meter.health = %4
  output grid[2] = %8
}
"""


def program() -> Program:
    builder = Builder()
    health = builder.input(Type.F32, "meter.health")
    builder.begin("rules")
    with builder.at(Construct("cascade", "hunger_sickens"), Span(31, 1, 31, 2)):
        nothing, threshold = builder.f32(-0.0), builder.f32(round32(0.1))
        low = builder.select(builder.less(health, threshold), nothing, health)
        most = builder.u32(2**32 - 1)
        builder.mul_high(most, most)
        table = Table("time.sin", Type.F32, (0.0, round32(0.25881904)))
        cell = builder.node(Lookup("time.sin", builder.element("grid")), Type.F32)
        builder.boolean(True)
        builder.fetch("cells.red moss", builder.i32(-3))
    tick = builder.finish("tick", (Output("meter.health", low), Output("grid", cell, 2)))
    origins = (
        Origin("interact", Construct("affordance", "Bed"), 36),
        None,
        Origin("act", Construct("action", "REST"), 9, 1),
    )
    chosen = Table("case.0", Type.F32, (0.5, -0.0, 1.0), origins)
    return Program("town", (tick,), (table, chosen))


def test_the_text_of_a_program() -> None:
    assert print_program(program()) == TEXT
    assert parse_program(TEXT) == program()


@settings(max_examples=examples(60), deadline=None)
@given(functions())
def test_random_functions_are_read_back_exactly(function: Function) -> None:
    text = print_function(function)
    assert parse_function(text) == function
    assert print_function(parse_function(text)) == text


@settings(max_examples=examples(20), deadline=None)
@given(programs())
def test_random_programs_are_valid_and_are_read_back_exactly(program: Program) -> None:
    verify_program(program)
    assert parse_program(print_program(program)) == program


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("%3: bool", "%33: bool", "line 11: expected %3: .*%33"),
        ("less %0, %2", "lesser %0, %2", "line 11: not an operation: .*lesser"),
        ("less %0, %2", "less %0", "line 11: not an operation"),
        ("less %0, %2", "less %0, 2", "line 11: not an operation"),
        ("const true", "const maybe", "line 17: not an operation"),
        ("%9: bool", "%9: f64", "line 17: not an operation"),
        ("universe town", "universe", "line 1: unexpected"),
        ("0.25881904", "x", "line 2: not a table"),
        ("row 2", "row 3", "line 5: not a row of the table"),
        ("rules: cascade", "rule: cascade", "line 9: not an origin"),
        ("}\n", "", "line 22: unexpected: $"),
    ],
)
def test_broken_text_is_refused_with_its_line(old: str, new: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse_program(TEXT.replace(old, new))


def test_odd_names_and_other_files_are_read_again() -> None:
    builder = Builder()
    with builder.at(Construct("rule", "a; b :3"), Span(12, 1, 12, 2, 1)):
        food = builder.input(Type.F32, "meter.Fast Food, 2; = [1] %3")
        element = builder.element("observe.b=c")
        eaten = builder.node(Fold("loop", "loop.é d", 2, ("loop.é d",), ("t",), (food,)), Type.F32)
    outputs = (Output("meter.Fast Food", eaten), Output("meter.energy#2", food, 3), Output("observe.b=c", element, 2))
    made = Program("odd", (builder.finish("tick", outputs),), ())
    text = print_program(made)
    assert parse_program(text) == made
    assert "  %0: f32 = input `meter.Fast Food, 2; = [1] %3`  ; state: rule `a; b :3` :12@1\n" in text
    assert "  output meter.energy#2[3] = %0\n" in text
