"""No message is without a hint: it cannot be left out where messages are made, nor be empty."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import hamlet_townlet
import hamletc
from hamlet_townlet.reader.report import PackFindings
from hamletc.diagnostics import Diagnostic, Told, diagnose

SOURCES = sorted(path for each in (hamletc, hamlet_townlet) for path in Path(each.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("make", [Diagnostic, diagnose, Told, PackFindings.add])
def test_whoever_makes_a_message_gives_a_hint(make: Callable[..., Any]) -> None:
    hint = inspect.signature(make).parameters["hint"]
    assert hint.default is inspect.Parameter.empty
    assert hint.annotation == "str"


def test_messages_are_made_nowhere_else() -> None:
    made = [path.name for path in SOURCES for call in calls(path) if called(call) == "Diagnostic"]
    assert made == ["diagnostic.py"]


def test_no_hint_is_empty() -> None:
    hints = [
        (path.name, keyword.value.lineno, constant)
        for path in SOURCES
        for call in calls(path)
        for keyword in call.keywords
        if keyword.arg == "hint"
        for constant in constants(keyword.value)
    ]
    hints += [
        (path.name, call.lineno, constant)
        for path in SOURCES
        for call in calls(path)
        if called(call) == "Told" and len(call.args) > 1
        for constant in constants(call.args[1])
    ]
    # A hint that is None there becomes one of the refusal's own.
    assigned = [
        (path.name, said.lineno, constant) for path in SOURCES for said in named(path) for constant in constants(said)
    ]
    hints += [hint for hint in assigned if hint[-1] is not None]
    assert len(hints) > 100
    assert [place for *place, constant in hints if not constant] == []


@cache
def calls(path: Path) -> tuple[ast.Call, ...]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.Call))


@cache
def named(path: Path) -> tuple[ast.expr, ...]:
    """What is assigned to the name `hint`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    return tuple(node.value for node in found if any(isinstance(t, ast.Name) and t.id == "hint" for t in node.targets))


def called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def constants(value: ast.expr) -> Iterator[Any]:
    """The constants that an expression may be."""
    match value:
        case ast.Constant():
            yield value.value
        case ast.IfExp():
            yield from constants(value.body)
            yield from constants(value.orelse)
        case ast.BoolOp(op=ast.Or()):
            yield from constants(value.values[-1])
