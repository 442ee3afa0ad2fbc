"""Diagnostics for people, in the manner of rustc.

error[H020]: no meter or param is called `satiaton`
  --> town.hamlet:7:9
   |
 7 | reward satiaton * health
   |        ^^^^^^^^
   |
   = help: Did you mean `satiation`?
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise

from hamlet.frozen import dataclass
from hamlet.terminal import picture, visible
from hamletc.diagnostics.diagnostic import Diagnostic, Label

TAB = 4
"""The columns from one tab stop to the next."""

WIDEST = 140
"""The characters shown of a longer line, around the primary label."""

_BOLD, _RED, _YELLOW, _BLUE = "1", "1;31", "1;33", "1;34"


def render(diagnostics: Sequence[Diagnostic], source: str, file: str, *, colour: bool = False) -> str:
    """The diagnostics as text, each ending in a newline, a blank line between two.

    `source` is the text that the spans refer to, empty where there is none to show. `colour` adds ANSI colours.
    """
    lines = source.split("\n")
    return "\n".join(_render(diagnostic, lines, file, colour) for diagnostic in diagnostics)


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """How many errors and warnings there are: `2 errors, 1 warning`."""
    counts = [(sum(d.severity == kind for d in diagnostics), kind) for kind in ("error", "warning")]
    return ", ".join(f"{n} {kind}{'s' if n > 1 else ''}" for n, kind in counts if n) or "no errors"


@dataclass(frozen=True, slots=True)
class _Mark:
    """A label on the line being shown: screen columns from 0, end exclusive."""

    start: int
    end: int
    text: str
    primary: bool


def _render(diagnostic: Diagnostic, lines: list[str], file: str, colour: bool) -> str:
    def paint(text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if colour and text else text

    severity = _RED if diagnostic.severity == "error" else _YELLOW
    primary = diagnostic.primary.span
    shown = _shown_lines(diagnostic, len(lines) if any(lines) else 0)
    gutter = " " * len(str(shown[-1] if shown else primary.line))
    bar = paint(f"{gutter} |", _BLUE)
    head = paint(f"{diagnostic.severity}[{diagnostic.code}]", severity)
    out = [f"{head}{paint(': ' + visible(diagnostic.message), _BOLD)}"]
    out.append(f"{paint(gutter + '-->', _BLUE)} {visible(file)}:{primary.line}:{primary.column}")
    if shown:
        out.append(bar)
    previous = None
    for number in shown:
        if previous is not None and number > previous + 1:
            out.append(paint("...", _BLUE))
        previous = number
        line = lines[number - 1].removesuffix("\r")
        text, marks = _layout(line, number, diagnostic)
        out.append(f"{paint(f'{number:>{len(gutter)}} |', _BLUE)} {text}".rstrip())
        out.extend(f"{bar} {row}" for row in _rows(marks, lambda s, main: paint(s, severity if main else _BLUE)))
    out.extend([bar] if shown else [])
    out.append(f"{paint(gutter + ' =', _BLUE)} {paint('help', _BOLD)}: {visible(diagnostic.hint)}")
    return "\n".join(out) + "\n"


def _labels(diagnostic: Diagnostic) -> list[tuple[Label, bool]]:
    """All labels, each with whether it is the primary one."""
    return [(diagnostic.primary, True), *((label, False) for label in diagnostic.secondary)]


def _shown_lines(diagnostic: Diagnostic, count: int) -> list[int]:
    """The numbers of the lines with labels, and of a single line between two of them."""
    labelled = sorted({label.span.line for label, _ in _labels(diagnostic) if label.span.line <= count})
    between = {b - 1 for a, b in pairwise(labelled) if b == a + 2}
    return sorted({*labelled, *between})


def _layout(line: str, number: int, diagnostic: Diagnostic) -> tuple[str, list[_Mark]]:
    """A line as it appears on the screen, and the marks below it."""
    labels = [(label, primary) for label, primary in _labels(diagnostic) if label.span.line == number]
    first, last = 0, len(line)
    if len(line) > WIDEST:
        centre = labels[0][0].span.column if labels else 1
        first = max(0, min(centre - WIDEST // 2, len(line) - WIDEST))
        last = first + WIDEST
    columns = [0]  # columns[i] is where character first + i stands
    text = ""
    for character in line[first:last]:
        shown = " " * (TAB - columns[-1] % TAB) if character == "\t" else picture(character)
        text += shown
        columns.append(columns[-1] + sum(map(_width, shown)))

    def at(column: int) -> int:
        return columns[max(0, min(column - 1 - first, len(columns) - 1))]

    marks = []
    for label, primary in labels:
        span = label.span
        start, end = at(span.column), at(span.end_column if span.end_line == number else len(line) + 1)
        marks.append(_Mark(start, max(end, start + 1), visible(label.text), primary))
    return text, sorted(marks, key=lambda mark: (mark.start, mark.primary))


def _width(character: str) -> int:
    """The columns that a character takes on a screen."""
    if unicodedata.combining(character) or unicodedata.category(character) == "Mn":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _rows(marks: list[_Mark], paint: Callable[[str, bool], str]) -> list[str]:
    """The rows below a line: carets with the rightmost text beside them, then the other texts, from right to left."""
    if not marks:
        return []
    width = max(mark.end for mark in marks)
    cells: list[_Mark | None] = [None] * width
    for mark in sorted(marks, key=lambda mark: mark.primary):
        cells[mark.start : mark.end] = [mark] * (mark.end - mark.start)
    carets = "".join(" " if m is None else paint("^" if m.primary else "-", m.primary) for m in cells)
    waiting = [mark for mark in marks if mark.text]
    beside = waiting.pop() if waiting and waiting[-1].end == width else None
    rows = [carets if beside is None else f"{carets} {paint(beside.text, beside.primary)}"]
    if waiting:
        rows.append(_hanging(waiting, None, paint))
    while waiting:
        mark = waiting.pop()
        rows.append(_hanging([m for m in waiting if m.start < mark.start], mark, paint))
    return rows


def _hanging(bars: list[_Mark], last: _Mark | None, paint: Callable[[str, bool], str]) -> str:
    """A row with a bar below each mark, then the text of the last one."""
    row, column = "", 0
    for mark in bars:
        if mark.start >= column:
            row += " " * (mark.start - column) + paint("|", mark.primary)
            column = mark.start + 1
    if last is not None:
        row += " " * (last.start - column) + paint(last.text, last.primary)
    return row
