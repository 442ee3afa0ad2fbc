"""All ports: their size, their heads, no findings of the checker, and their kernels' IR against the interpreter."""

from __future__ import annotations

import re
import statistics
from zlib import crc32

import pytest
import torch
from shipped import NAMES, PORTS, ROOT, head, lines

from hamlet_lab.divergence.executed import Executed
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.compilation import Compilation
from hamletc.compile import check
from hamletc.language.formatter import format_source
from hamletc.language.source import Source
from hamletc.read import parsed

MOST_LINES, MEDIAN_LINES = 80, 40
LARGE = frozenset(
    {
        "acrobot",
        "commons_harvest",
        "fire",
        "inventory",
        "mettagrid_arena",
        "minigrid_four_rooms",
        "segregation",
        "simple_spread",
        "wolf_sheep",
    }
)
"""Ports with thousands of cells, with dozens of agents that look around or functions, or with starts looked for among
hundreds of cells: their IR takes from ten seconds to a minute and a half."""
FEWER = 3
"""Of so many of the others one is run by default: kernels, which are made of their IR, are compared with the original
in a test of each."""
EFFORT = Effort(worlds=5, ticks=2, rounds=1, compact=(torch.uint8,))
"""Little: the kernels are compared with the original, for thousands of steps."""


def text_of(name: str) -> str:
    return (PORTS / f"{name}.hamlet").read_text(encoding="utf-8")


def test_ports_are_short() -> None:
    sizes = [lines(text_of(name)) for name in NAMES]
    assert len(sizes) >= 4
    assert max(sizes) <= MOST_LINES
    assert statistics.median(sizes) <= MEDIAN_LINES


def test_the_page_has_a_row_of_each_with_its_lines() -> None:
    page = (ROOT / "docs" / "ports.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\w+)\]\(\.\./universes/ports/(\w+)\.hamlet\) \| [^|]+ \| (\d+) \|", page, re.MULTILINE)
    assert rows == [(name, name, str(lines(text_of(name)))) for name in NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_a_port_says_what_it_is_and_has_no_findings(name: str) -> None:
    text = text_of(name)
    assert head(text).universe == name
    assert format_source(text)[0] == text
    checked = check(parsed(Source(PORTS / f"{name}.hamlet", text)))
    assert checked.warnings == ()
    assert "inert allowed" not in text


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long) if name in LARGE or crc32(name.encode()) % FEWER else name
        for name in NAMES
    ],
)
def test_its_ir_has_the_bits_of_the_interpreter(name: str) -> None:
    universe = check(parsed(Source(PORTS / f"{name}.hamlet", text_of(name)))).universe
    program = Compilation.begin(universe).run().program
    report = verify(universe, [Candidate(Executed(universe, program, "ir"), torch.device("cpu"))], EFFORT)
    assert report.equal, report.render()
    assert report.compared > 0
