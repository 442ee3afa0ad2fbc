"""Long texts take time in proportion to their lines, and no more than so many calls for each: CPU time of one process
is compared with CPU time of the same, and calls are counted, which no other work on the machine changes."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from types import FrameType

import pytest

from hamlet.universe import Span
from hamletc import messages
from hamletc.checking.check import check
from hamletc.checking.report import Findings
from hamletc.language import syntax
from hamletc.language.formatter import format_file, format_source
from hamletc.language.parser import parse

HERE = Span(1, 1, 1, 2)


def _lets(number: int) -> None:
    lets = tuple(syntax.LetDecl(syntax.Name(f"l{n}", HERE), syntax.Numeral("1", HERE), HERE) for n in range(number))
    format_file(syntax.File(syntax.Name("u", HERE), lets, HERE))


def _comments(number: int) -> None:
    """... beside a block, in which each of them could stand."""
    format_source(
        "universe u\nmeter a = 1 { decay 1 }\n" + "action A { a += 1 }\n" * (number // 8) + "# why\n" * number
    )


def _findings(number: int) -> None:
    report = Findings()
    for line in range(1, number + 1):
        span = Span(line, 1, line, 9)
        assert not report.said(span)
        report.add(messages.inert.UnreadClock(span))
        assert report.said(span)


@pytest.mark.parametrize("work", [_lets, _comments, _findings])
def test_work_grows_with_the_lines(work: Callable[[int], None]) -> None:
    work(10)
    enabled = gc.isenabled()
    gc.disable()
    try:
        small, large = (min(_took(work, lines) for _ in range(2)) for lines in (1_000, 8_000))
    finally:
        if enabled:
            gc.enable()
    assert large < 25 * small  # 8 is linear, 64 quadratic


def _took(work: Callable[[int], None], lines: int) -> float:
    begin = time.process_time()
    work(lines)
    return time.process_time() - begin


HEAD = "universe long\nspace grid 8 x 8\nmeter energy = 1.0 { decay 0.001 }\n"
TAIL = """
affordance Bed at random { instantly { energy += 0.5 } }
dies when energy <= 0
reward 0.1
observe { grid  meters }
"""
LINES = {
    "rules": "rule r{n}: energy < 0.{digit} -> energy -= 0.00001\n",
    "meters": "meter m{n} = 1.0 {{ decay 0.001 }}\n",
    "lets and rules": "let l{n} = energy + 0.{digit}\nrule r{n}: l{n} > 1 -> energy -= 0.00001\n",
}


def _checked(text: str) -> None:
    file, problems = parse(text)
    assert file is not None, problems
    universe, findings = check(file, ("long.hamlet",))
    assert universe is not None, findings


@pytest.mark.parametrize(
    ("kind", "work", "most"),
    [
        ("rules", _checked, 970),
        ("meters", _checked, 735),
        ("lets and rules", _checked, 1_750),
        ("rules", format_source, 335),
        ("meters", format_source, 332),
        ("lets and rules", format_source, 522),
    ],
)
def test_a_line_takes_few_calls(kind: str, work: Callable[[str], object], most: int) -> None:
    """Calls of Python functions for each rule, meter, or let with its rule."""
    texts = [
        HEAD + "".join(LINES[kind].format(n=n, digit=n % 9 + 1) for n in range(number)) + TAIL for number in (150, 300)
    ]
    work(texts[0])
    small, large = (_calls(work, text) for text in texts)
    assert 0 < (large - small) / 150 < most


def _calls(work: Callable[[str], object], text: str) -> int:
    calls = 0

    def look(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    watching = sys.getprofile()
    sys.setprofile(look)
    try:
        work(text)
    finally:
        sys.setprofile(watching)
    return calls
