"""Files of tables: numbers with commas between them, line by line, as Python's csv reads them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Finding
from hamletc.language import syntax

SUFFIXES = (".csv",)
"""How the names of files end that are tables."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def rows_of(text: str, file: int, named: Span) -> Iterator[syntax.TableRow | Finding]:
    """The rows of a file, all of them with as many numbers as the first one; or the first thing that is wrong.

    Args:
        file: the number of the text among those of a universe.
        named: where the universe names the file.
    """
    lines, first = text.splitlines(), 0
    reader = csv.reader(lines, strict=True)
    while True:
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            break
        except csv.Error as error:
            yield messages.tables.LineUnread(_line(lines, reader.line_num, file), str(error))
            return
        if not any(cells):
            continue
        span = _line(lines, reader.line_num, file)
        other = next((cell for cell in cells if _NUMBER.fullmatch(cell) is None), None)
        if other is not None:
            yield messages.tables.NoNumber(span, other)
            return
        if first and len(cells) != first:
            yield messages.tables.LineOfOtherLength(span, len(cells), first)
            return
        first = len(cells)
        yield syntax.TableRow(" ".join(cells), span)
    if not first:
        yield messages.tables.FileWithoutNumbers(named)


def _line(lines: list[str], number: int, file: int) -> Span:
    """The line of a text with this number, from 1 on."""
    number = max(number, 1)
    length = len(lines[number - 1]) if number <= len(lines) else 0
    return Span(number, 1, number, length + 1, file)
