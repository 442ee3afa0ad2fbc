"""Files of levels: maps with empty lines between them, as collections of puzzles have them."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from hamletc.language import syntax

REMARK = ";"
"""The first letter of a line that is no row of a level."""


def levels_of(rows: tuple[syntax.Quoted, ...]) -> tuple[syntax.LevelDecl, ...]:
    """The levels of a file with these lines, each with its number from 0 on; none where no line is empty, which is a
    file of one map."""
    if all(row.text.strip() for row in rows):
        return ()
    drawn = [row for row in rows if not row.text.startswith(REMARK)]
    parts = [tuple(part) for filled, part in groupby(drawn, lambda row: bool(row.text.strip())) if filled]
    return tuple(_level(number, part) for number, part in enumerate(parts))


def _level(number: int, rows: tuple[syntax.Quoted, ...]) -> syntax.LevelDecl:
    first, last = rows[0].span, rows[-1].span
    span = replace(first, end_line=last.end_line, end_column=last.end_column)
    return syntax.LevelDecl(syntax.Name(str(number), first), rows, span)
