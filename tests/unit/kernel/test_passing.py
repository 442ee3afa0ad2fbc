"""Functions take the variables of a kernel that they read, and their calls pass them."""

from __future__ import annotations

import pytest

from hamletc.kernel.code import Code, Do, Function, assign, do, function, give, loop, when
from hamletc.kernel.expressions import Call, Name, call, expression
from hamletc.kernel.passing import passing
from hamletc.kernel.scopes import CodeError


def parameters(*functions: Function) -> dict[str, list[str]]:
    return {each.name: [one.name for one in each.parameters] for each in passing(functions, {"range", "some"}, {})}


def test_a_function_takes_what_it_reads_and_does_not_set() -> None:
    body = (assign("x", "y"), loop("lane", "count", body=[assign(Name("array")[Name("lane")], "x")]), do("some", "z"))
    assert parameters(function("_inner", (), "", body)) == {"_inner": ["y", "count", "array", "z"]}


def test_what_only_one_way_sets_is_taken() -> None:
    """Behind it stands what was passed, where the condition does not hold."""
    set_under_guard = when("condition", [assign("x", 1)])
    both_ways = when("condition", [assign("y", 1)], [assign("y", 2)])
    again = when("condition", [do("some", "x")])
    body: tuple[Code, ...] = (set_under_guard, both_ways, again, give("y"))
    assert parameters(function("_inner", (), "", body))["_inner"] == ["condition", "x"]
    # In a loop a guard reads what another one has set in an earlier turn.
    turns = loop("lane", "count", body=[again, set_under_guard])
    assert parameters(function("_inner", (), "", [turns]))["_inner"] == ["count", "condition"]


def test_calls_pass_variables_by_name_up_to_the_kernel() -> None:
    inner = function("_inner", ["rows"], "", [give(expression("rows") + "now")])
    outer = function("_outer", (), "", [assign("x", call("_inner", 0)), give("x")])
    kernel = function("kernel", ["now"], "", [do("_outer")], "kernel")
    written = passing((inner, outer, kernel), (), {})
    assert [[one.name for one in each.parameters] for each in written] == [["rows", "now"], ["now"], ["now"]]
    assert written[2].body == (Do(Call(Name("_outer"), (Name("now"),))),)


def test_keywords_are_for_functions_that_have_such_a_parameter() -> None:
    inner = function("_inner", (), "", [give("term")])
    outer = function("_outer", (), "", [do("_inner", term=expression("term") + 1, claims=0)])
    assert passing((inner, outer), (), {})[1].body == (Do(Call(Name("_inner"), (expression("term") + 1,))),)


def test_an_argument_for_no_declared_parameter_is_refused() -> None:
    inner = function("_inner", (), "", [give("now")])
    with pytest.raises(CodeError, match="_inner declares 0 parameters, and is passed 1 arguments"):
        parameters(inner, function("_outer", (), "", [do("_inner", "then")]))


def test_names_in_capitals_are_known_when_a_function_is_compiled() -> None:
    (written,) = passing([function("_inner", (), "", [give(expression("BLOCK") + "lane")])], (), {})
    assert [(each.name, each.constant) for each in written.parameters] == [("BLOCK", True), ("lane", False)]
