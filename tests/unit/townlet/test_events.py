"""YAML text to nodes: places, limits, and what is refused."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hamlet.universe import Span
from hamlet_townlet.reader.events import compose
from hamlet_townlet.reader.limits import DEEPEST_NESTING, MOST_NODES
from hamlet_townlet.reader.nodes import ListNode, MapNode, ScalarNode


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in compose(text)[1]]


def test_every_key_and_value_has_its_place() -> None:
    node, found = compose('a: "é😴"\nb:\n  - 10\n  - {c: x}\n')
    assert found == ()
    assert isinstance(node, MapNode)
    first, second = node.entries
    assert first.key.span == Span(1, 1, 1, 2)
    assert first.value == ScalarNode("é😴", False, Span(1, 4, 1, 8))
    assert isinstance(second.value, ListNode)
    ten, inner = second.value.items
    assert ten == ScalarNode("10", True, Span(3, 5, 3, 7))
    assert isinstance(inner, MapNode)
    assert inner.entries[0].value.span == Span(4, 9, 4, 10)
    assert node.span == Span(1, 1, 4, 10)


def test_an_empty_text_has_no_node() -> None:
    assert compose("# nothing\n") == (None, ())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: [1", "H101"),
        ("a: b: c", "H101"),
        ("a: 1\n b: 2", "H101"),
        ('a: "\\q"', "H101"),
        ("a: \x00", "H101"),
        ("a: \x85", "H101"),
        ("a: 1\rb: 2", "H101"),
        ("a: \ufeff1", "H101"),
        ("@", "H101"),
        ("a:\n\t- b", "H102"),
        ("a:\n  b: 1\n\tc: 2", "H102"),
        ("a: &x 1", "H103"),
        ("a: *x", "H103"),
        ("a: !!str 1", "H103"),
        ("a: !x {}", "H103"),
        ("<<: {a: 1}", "H103"),
        ("a: 1\n---\nb: 2", "H103"),
        ("? [a]\n: 1", "H103"),
        ("{{a: 1}: 2}", "H103"),
        ("a: 1\na: 2", "H104"),
        ('a: 1\n"a": 2', "H104"),
        ("[" * (DEEPEST_NESTING + 1) + "]" * (DEEPEST_NESTING + 1), "H105"),
        ("- 1\n" * (MOST_NODES + 1), "H105"),
    ],
)
def test_refuses(text: str, code: str) -> None:
    assert codes(text) == [code]


def test_the_deepest_nesting_is_allowed() -> None:
    assert codes("[" * DEEPEST_NESTING + "]" * DEEPEST_NESTING) == []


def test_a_tab_is_pointed_at() -> None:
    (found,) = compose("a:\n  b: 1\n \tc: 2\n")[1]
    assert found.primary.span == Span(3, 2, 3, 3)


def test_line_ends_of_windows() -> None:
    node, found = compose("a: 1\r\nb: 2\r\n")
    assert found == ()
    assert isinstance(node, MapNode)
    assert node.entries[1].key.span == Span(2, 1, 2, 2)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x]\n" + "".join(f"b{i}: &b{i} [*a, *a, *a]\n" for i in range(1000)),
        "[" * (1 << 20),
        "{" * (1 << 20),
        "- " * (1 << 19),
        "a: " * (1 << 18),
        "? " * (1 << 19),
        "&a" * (1 << 19),
        '"' + "x" * (1 << 20),
        "!" * (1 << 20),
        "a: |\n" + " x\n" * (1 << 18),
    ],
    ids=["aliases", "lists", "mappings", "items", "colons", "keys", "anchors", "quotes", "tags", "block"],
)
def test_hostile_texts_are_answered_soon(text: str) -> None:
    start = time.perf_counter()
    compose(text)
    assert time.perf_counter() - start < 3


@settings(max_examples=examples(300), deadline=None)
@given(st.one_of(st.text(), st.text(alphabet="ab:-[]{}&*!|>'\"#%@,? \t\n\r<=01.~"), st.text(alphabet="a: -\n[]{}")))
def test_no_text_raises(text: str) -> None:
    node, found = compose(text)
    lines = len(text.split("\n"))
    assert all(1 <= diagnostic.primary.span.line <= lines + 1 for diagnostic in found)
    assert node is None or found == () or all(diagnostic.code == "H104" for diagnostic in found)
