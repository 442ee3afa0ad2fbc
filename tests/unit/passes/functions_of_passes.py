"""Small functions, and what passes make of them."""

from __future__ import annotations

from collections.abc import Callable

from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import Type, Value
from hamletc.ir.text import print_function
from hamletc.ir.verifier import verify
from hamletc.passes.dead_code import DeadCodeElimination
from hamletc.passes.interval import Interval
from hamletc.passes.pipeline import Pass
from hamletc.passes.ranges import Facts

TABLE_FACTS = {"time.sin": Interval(0.0, 0.5, False, True), "steps": Interval(-1, 2**31 - 1)}
METER = Interval(0.0, 1.0, False, True)
FACTS = Facts({"m": METER, "n": METER, "i": Interval(0, 9), "k": Interval(0, 9)}, TABLE_FACTS)


def function(make: Callable[[Builder], Value]) -> Function:
    builder = Builder()
    return builder.finish("f", (Output("y", make(builder)),))


def shown(each: Pass, made: Function) -> list[str]:
    """The operations that a pass leaves, without types and origins."""
    after = DeadCodeElimination().run(each.run(made))
    verify(after, ())
    lines = print_function(after).splitlines()[1:-2]
    return [line.split("  ; ")[0].strip().split(": ")[1] for line in lines]


def m(builder: Builder) -> Value:
    return builder.input(Type.F32, "m")


def i(builder: Builder) -> Value:
    return builder.input(Type.I32, "i")


def unit_clamp(builder: Builder, value: Value) -> Value:
    return builder.clamp(value, builder.f32(0.0), builder.f32(1.0))
