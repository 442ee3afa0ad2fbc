"""The tree of code: Python reads of its text the tree that was printed, and what is no code is refused."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hamletc.kernel.code import Code, Function, Remark, While, assign, do, function, give, loop, update, when
from hamletc.kernel.expressions import (
    Call,
    Constant,
    Either,
    Expression,
    Index,
    Infix,
    Member,
    Name,
    Operand,
    Prefix,
    Several,
    call,
    expression,
    names,
    several,
)
from hamletc.kernel.scopes import CodeError, verify
from hamletc.targets.printing import WIDTH
from hamletc.targets.python import PRECEDENCE, PythonPrinter

PRINTER = PythonPrinter({}, (), lambda typed: str(typed.value), lambda each: each.name, lambda each: f"@{each.kind}")
SIGNS = [sign for sign in PRECEDENCE if sign not in ("not", "~")]
OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.And: "and",
    ast.Or: "or",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.Invert: "~",
    ast.USub: "-",
    ast.Not: "not",
}


def parsed(node: ast.expr) -> Expression:
    """The expression that Python reads."""
    match node:
        case ast.Name(id=name):
            return Name(name)
        case ast.Constant(value=bool() | int() | float() | str() | None as value):
            return Constant(value)
        case ast.BinOp(left=left, op=op, right=right):
            return Infix(OPERATORS[type(op)], parsed(left), parsed(right))
        case ast.BoolOp(op=op, values=values):
            # Python makes one node of `a and b and c`.
            result = parsed(values[0])
            for value in values[1:]:
                result = Infix(OPERATORS[type(op)], result, parsed(value))
            return result
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return Infix(OPERATORS[type(op)], parsed(left), parsed(right))
        case ast.UnaryOp(op=op, operand=operand):
            return Prefix(OPERATORS[type(op)], parsed(operand))
        case ast.Subscript(value=value, slice=index):
            return Index(parsed(value), parsed(index))
        case ast.Attribute(value=value, attr=name):
            return Member(parsed(value), name)
        case ast.Call(func=of, args=arguments, keywords=keywords):
            named = tuple((each.arg or "", parsed(each.value)) for each in keywords)
            return Call(parsed(of), tuple(map(parsed, arguments)), named)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return Either(parsed(test), parsed(body), parsed(orelse))
        case ast.Tuple(elts=items):
            return Several(tuple(map(parsed, items)))
        case _:
            raise AssertionError(ast.dump(node))


def larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    """Expressions of smaller ones."""
    called = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Infix, st.sampled_from(SIGNS), inner, inner),
        st.builds(Prefix, st.sampled_from(["-", "~", "not"]), inner),
        st.builds(Index, inner, inner),
        st.builds(Member, inner, st.just("shape")),
        st.builds(Call, inner, called, st.lists(st.tuples(st.just("mask"), inner), max_size=1).map(tuple)),
        st.builds(Either, inner, inner, inner),
        st.lists(inner, min_size=2, max_size=3).map(lambda items: Several(tuple(items))),
    )


LEAVES: st.SearchStrategy[Expression] = st.one_of(
    st.sampled_from(names("a b lanes")),
    st.builds(Constant, st.integers(0, 99) | st.sampled_from([True, 0.5, None, "x"])),
)


@settings(max_examples=examples(400), deadline=None)
@given(st.recursive(LEAVES, larger, max_leaves=12))
def test_python_reads_the_expression_that_was_printed(value: Expression) -> None:
    tree = ast.parse(f"({PRINTER.text(value)})", mode="eval")
    assert parsed(tree.body) == value


def test_operators_of_python_make_expressions() -> None:
    lane, first = names("lane first")
    value = (lane + 1 < first) & ~(2 * lane).equals(call("f", lane, mask=None))
    assert PRINTER.text(value) == "(lane + 1 < first) & ~(2 * lane == f(lane, mask=None))"
    assert PRINTER.text((lane + 1) & 3 | lane << first) == "((lane + 1) & 3) | (lane << first)"


def test_what_is_no_name_is_no_expression() -> None:
    with pytest.raises(ValueError, match="no name: a b"):
        expression("a b")
    assert expression("tl.load") == Name("tl.load")


def test_long_lines_are_broken_at_their_calls() -> None:
    many = [f"argument_of_some_length_{number}" for number in range(9)]
    body: list[Code] = [
        assign("result", call("compute", *many)),
        assign(many, call("compute", *many)),
        assign(many, "state"),
        do("store", *many),
        give(*many),
    ]
    lines = PRINTER.function(function("f", many, "Words " * 40, body, "apart")).split("\n")
    assert max(map(len, lines)) <= WIDTH
    assert [line for line in lines if line.startswith("    ") and not line.startswith("     ")]
    assert ast.parse("\n".join(lines))


def test_a_function_is_printed_with_its_statements() -> None:
    lane, total = names("lane total")
    body = (
        assign(total, 0),
        loop(lane, 0, "count", body=[update(total, "+", Name("values")[lane])]),
        when(total > 9, [give(9)], [when(total < 0, [give(0)], [Remark("It is within."), give(total)])]),
    )
    assert PRINTER.function(function("_sum", ["values", "count"], "A sum.\n\nOf all.", body, "apart")) == (
        "@apart\n"
        "def _sum(values, count):\n"
        '    """A sum.\n\n    Of all.\n    """\n'
        "    total = 0\n"
        "    for lane in range(0, count):\n"
        "        total += values[lane]\n"
        "    if total > 9:\n"
        "        return 9\n"
        "    elif total < 0:\n"
        "        return 0\n"
        "    else:\n"
        "        # It is within.\n"
        "        return total"
    )


def _pair(*body: Code, parameters: tuple[str, ...] = ("a",)) -> list[Function]:
    given = function("_pair", ["a", "b"], "Two values.", [give("a", "b")])
    return [given, function("_user", parameters, "A user.", body)]


BAD: dict[str, Callable[[], list[Function]]] = {
    "_user: nothing sets b": lambda: _pair(give("b")),
    "_user: nothing sets c": lambda: _pair(assign(Name("c")[0], 1)),
    "_user: two parameters have one name": lambda: _pair(parameters=("a", "a")),
    "_user: _pair has 2 parameters, and is passed 1 arguments": lambda: _pair(assign(["x", "y"], call("_pair", "a"))),
    "_user: _pair gives 2, not 3 values": lambda: _pair(assign(["x", "y", "z"], call("_pair", "a", "a"))),
    "_user: 2 names are set to 3 values": lambda: _pair(assign(["x", "y"], several(["a", "a", "a"]))),
    "there are two functions _pair": lambda: [*_pair(), _pair()[0]],
}


@pytest.mark.parametrize("message", BAD)
def test_what_is_no_code_is_refused(message: str) -> None:
    with pytest.raises(CodeError) as refused:
        verify(BAD[message](), ("range",), {})
    assert str(refused.value) == message


UNSET: Operand = "unset"
READING: dict[str, Code] = {
    "a value": assign("c", UNSET),
    "a place": assign(Name("a")[UNSET], 1),
    "an update": update("a", "+", UNSET),
    "an update of itself": update("unset", "+", 1),
    "an argument": do("_pair", "a", UNSET),
    "a range": loop("lane", UNSET, body=[assign("c", "lane")]),
    "a loop": loop("lane", "a", body=[assign("c", UNSET)]),
    "a condition": when(UNSET, [assign("c", 1)]),
    "a loop with a condition": While(expression(UNSET), ()),
    "a guard": when("a", [assign("c", UNSET)]),
    "else": when("a", [assign("c", 1)], [assign("c", UNSET)]),
    "a result": give(UNSET),
}


@pytest.mark.parametrize("what", READING)
def test_whatever_reads_a_name_that_nothing_sets_is_refused(what: str) -> None:
    with pytest.raises(CodeError, match=r"^_user: nothing sets unset$"):
        verify(_pair(READING[what], give("a")), ("range",), {})


def test_a_name_may_be_set_under_a_guard_or_in_a_loop() -> None:
    body = (
        when("a", [assign("b", 1)], [assign("c", "a")]),
        loop("lane", "b", body=[update("c", "+", "lane")]),
        give("lane", "c"),
    )
    verify(_pair(*body), ("range",), {})
    unset: Operand = "d"
    with pytest.raises(CodeError, match="nothing sets d"):
        verify(_pair(when("a", [assign("b", 1)], [assign("c", unset)])), ("range",), {})


def test_a_guard_reads_what_another_one_sets_in_an_earlier_turn_of_the_loop() -> None:
    odd = when(Name("turn") % 2, [give("even")], [assign("even", "turn")])
    verify(_pair(loop("turn", "a", body=[odd])), ("range",), {})
    with pytest.raises(CodeError, match="nothing sets even"):
        verify(_pair(odd), ("range", "turn"), {})
