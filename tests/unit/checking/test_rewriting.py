"""Trees are rewritten in one way: what a step has nothing to say of is taken apart and put together again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hamlet.universe import Span, nodes
from hamletc.expansion.trees import Field, names_in, rebuilt
from hamletc.language import syntax
from hamletc.language.parser import parse

TEXT = """universe u
space grid 4 x 4 { edges wrap }
meter a = 0.5 { decay 0.01 }
rule r: min(a, b) < 0.3 -> { a += b  together { a -= 0.1 } }
"""


def tree() -> syntax.File:
    file, _ = parse(TEXT)
    assert file is not None
    return file


def test_a_tree_in_which_all_stays_is_the_same_tree() -> None:
    file = tree()

    def stays(node: Any, _: Field) -> Any:
        return rebuilt(node, stays)

    assert stays(file, Field("", "tree")) is file
    assert rebuilt(file, stays, lambda span: span) is file


def test_several_statements_stand_in_the_place_of_one() -> None:
    def twice(node: Any, _: Field) -> Any:
        return (node, node) if isinstance(node, syntax.AssignStmt) else rebuilt(node, twice)

    rule = rebuilt(tree(), twice).declarations[-1]
    assert [len(each.body) for each in (rule, rule.body[-1])] == [3, 2]


def test_names_in_expressions_are_told_from_names_of_declarations() -> None:
    read: list[str] = []

    def each(node: Any, field: Field) -> Any:
        if isinstance(node, syntax.Name):
            read.extend([node.text] if field.role == "expression" else [])
            return node
        return rebuilt(node, each)

    rebuilt(tree(), each)
    assert read == ["a", "b", "b"]
    assert sorted({name.text for name in names_in(tree().declarations)}) == [
        "a",
        "b",
        "grid",
        "r",
        "wrap",
    ]


def test_every_place_moves() -> None:
    def moved(span: Span) -> Span:
        return replace(span, file=7)

    def each(node: Any, _: Field) -> Any:
        return rebuilt(node, each, moved)

    made = each(tree(), Field("", "tree"))
    assert {node.span.file for node in nodes(made) if hasattr(node, "span")} == {7}
