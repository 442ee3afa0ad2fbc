"""Long texts take time in proportion to their lines; CPU time of one process is compared with CPU time of the same."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

from hamlet.universe import Span
from hamletc.checking.report import Findings
from hamletc.language import syntax
from hamletc.language.formatter import format_file, format_source

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
        report.add("H060", "nobody reads it", span, hint="Delete it.")
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
