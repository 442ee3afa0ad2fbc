"""Places in a text: the compiler counts lines from 1 and characters, editors lines from 0 and halves of UTF-16."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from hamlet.universe import Span

_BREAK = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place between two characters as editors count: a line from 0, and units of UTF-16 before the place in it."""

    line: int
    character: int


@dataclass(frozen=True, slots=True)
class Range:
    """The text between two places."""

    start: Position
    end: Position

    def holds(self, position: Position) -> bool:
        """Whether a place is in it or at one of its ends."""
        return self.start <= position <= self.end


class Lines:
    """The lines of a text, as the compiler and as an editor counts them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._compiler = (0, *(match.end() for match in re.finditer("\n", text)))
        self._editor = (0, *(match.end() for match in _BREAK.finditer(text)))

    def range(self, span: Span) -> Range:
        """The range of a span."""
        return Range(self.position(span.line, span.column), self.position(span.end_line, span.end_column))

    def position(self, line: int, column: int) -> Position:
        """The position of a line and a column, as the compiler counts; the end of the text where there is none such."""
        if line > len(self._compiler):
            return self._at(len(self._text))
        return self._at(min(self._compiler[line - 1] + column - 1, len(self._text)))

    def _at(self, offset: int) -> Position:
        line = bisect_right(self._editor, offset) - 1
        return Position(line, _units(self._text[self._editor[line] : offset]))

    def offset(self, position: Position) -> int:
        """The characters before a position; a position behind the end of its line is that end."""
        if position.line >= len(self._editor):
            return len(self._text)
        start = self._editor[position.line]
        end = self._editor[position.line + 1] if position.line + 1 < len(self._editor) else len(self._text)
        line = self._text[start:end].rstrip("\r\n")
        units = 0
        for index, character in enumerate(line):
            if units >= position.character:
                return start + index
            units += _units(character)
        return start + len(line)

    def place(self, position: Position) -> tuple[int, int]:
        """The line and the column of a position, as the compiler counts."""
        offset = self.offset(position)
        line = bisect_right(self._compiler, offset)
        return line, offset - self._compiler[line - 1] + 1

    @property
    def whole(self) -> Range:
        """The range of all of the text."""
        return Range(Position(0, 0), self._at(len(self._text)))


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)
