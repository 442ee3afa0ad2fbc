"""What scalars mean."""

from __future__ import annotations

import math

import pytest
import yaml

from hamlet.universe import Span
from hamlet_townlet.reader.nodes import Doubtful, ScalarNode, meaning

HERE = Span(1, 1, 1, 2)


def plain(text: str) -> object:
    return meaning(ScalarNode(text, True, HERE))


@pytest.mark.parametrize(
    "text",
    [
        "1", "-3", "+4", "0", "-0", "12_000", "0x1F", "0b101", "0.5", "-1.25", "5.", ".5", "1.5e+3", "2.5E-3",
        "true", "False", "YES", "no", "On", "off", "~", "null", "NULL", "energy", "UP", "1.2.3", "yEs", "e3", ".",
        "0x", "1_0.5", "a b", "<=", "3 apples",
    ],
)  # fmt: skip
def test_reads_as_pyyaml_does(text: str) -> None:
    expected = yaml.safe_load(text)
    found = plain(text)
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(("text", "number"), [("1e3", 1000.0), ("1e-3", 0.001), ("1.5e3", 1500.0), ("-2E2", -200.0)])
def test_exponents_without_signs_are_numbers(text: str, number: float) -> None:
    assert isinstance(yaml.safe_load(text), str)
    assert plain(text) == number


@pytest.mark.parametrize("text", ["010", "-017", "08", "0o17", "1:30", "12:30:45", "190:20:30.15", "00"])
def test_what_people_read_differently_is_doubtful(text: str) -> None:
    assert isinstance(plain(text), Doubtful)


def test_the_hint_for_octal_numbers_keeps_the_digits() -> None:
    found = plain("0o20")
    assert isinstance(found, Doubtful)
    assert "`20`" in found.hint


@pytest.mark.parametrize("text", [".inf", "-.INF", ".nan", "1e999"])
def test_what_is_not_finite_is_infinite(text: str) -> None:
    found = plain(text)
    assert isinstance(found, float)
    assert math.isinf(found)


@pytest.mark.parametrize("text", ["1", "yes", "null", "010", ""])
def test_quoted_scalars_are_text(text: str) -> None:
    assert meaning(ScalarNode(text, False, HERE)) == text


def test_endless_digits_are_text() -> None:
    assert plain("9" * 5000) == "9" * 5000
