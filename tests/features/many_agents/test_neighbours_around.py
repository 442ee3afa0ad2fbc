"""Sums over the cells around one: those that touch it, and those within a radius, against a count by hand."""

from __future__ import annotations

import pytest
import torch

from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamletc.checking.check import check
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from samples import universe_of

CPU = torch.device("cpu")
TEXT = """
universe around
space {kind} 5 x 4 {{ edges {edges}{distance} }}
lifespan 9 ticks
meter a = 1 {{ decay 0.1  only falls }}
cells {{
    meter moss = position x + 5 * position y in 0 .. 100
    meter sum = 0 in 0 .. 100000
    rule sums: sum = neighbours(moss + 100 * position x, {which})
}}
reward a
observe {{ cell }}
"""
CASES = [
    ("grid", "manhattan", "diagonal", lambda x, y: max(abs(x), abs(y)) <= 1),
    ("grid", "manhattan", "within 2", lambda x, y: abs(x) + abs(y) <= 2),
    ("grid", "euclidean", "within 2", lambda x, y: x * x + y * y <= 4),
    ("grid", "chebyshev", "within 2", lambda x, y: max(abs(x), abs(y)) <= 2),
    ("grid", "manhattan", "within 5", lambda x, y: abs(x) + abs(y) <= 5),
    ("hexagons", "", "within 2", lambda x, y: max(abs(x), abs(y), abs(x + y)) <= 2),
]


@pytest.mark.parametrize("edges", ["clamp", "wrap"])
@pytest.mark.parametrize(("kind", "distance", "which", "near"), CASES)
def test_sums_are_those_of_the_cells_around(kind: str, distance: str, which: str, near, edges: str) -> None:
    said = f"  distance {distance}" if distance else ""
    universe = universe_of(TEXT.format(kind=kind, edges=edges, distance=said, which=which))
    interpreter, buffers = Interpreter(universe, CPU), allocate(universe, Shape(1, 1), CPU, None)
    interpreter.reset(buffers, Stream(1, 0))
    interpreter.step(buffers, torch.tensor([5], dtype=torch.int32), Stream(1, 0))
    sums = buffers.state["cell_meters"][20:40, 0].tolist()
    for number in range(20):
        expected = 0
        for x in range(-5, 6):
            for y in range(-5, 6):
                right, down = number % 5 + x, number // 5 + y
                if (x, y) == (0, 0) or not near(x, y):
                    continue
                if edges == "wrap":
                    right, down = right % 5, down % 4
                if 0 <= right < 5 and 0 <= down < 4:
                    expected += right + 5 * down + 100 * right
        assert sums[number] == expected, number


@pytest.mark.parametrize(
    ("kind", "which", "code"),
    [
        ("hexagons", "diagonal", "H264"),
        ("grid", "within 6", "H264"),
        ("grid", "within 0", "H033"),
        ("grid", "moss", "H030"),
        ("grid", "within 2", None),
    ],
)
def test_misuse(kind: str, which: str, code: str | None) -> None:
    text = TEXT.format(kind=kind, edges="clamp", distance="", which=which)
    file, problems = parse(text)
    found = problems if file is None or problems else check(file, ("around.hamlet",))[1]
    assert {each.code for each in found if each.severity == "error"} == ({code} if code else set())


def test_formatting_keeps_it_and_a_declaration_called_within_is_a_name() -> None:
    text = TEXT.format(kind="grid", edges="clamp", distance="", which="within  2")
    formatted = format_source(text)[0]
    assert formatted is not None
    assert "neighbours(moss + 100 * position x, within 2)" in formatted
    named = text.replace("meter a = 1", "meter within = 1").replace("reward a", "reward max(0.5, within)")
    assert universe_of(named).meters[0].name == "within"
