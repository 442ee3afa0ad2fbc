"""Places in source files."""

from __future__ import annotations

from hamlet.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a source file. Lines and columns count from 1; the end column is exclusive. `file` is the number of
    the file in `Universe.sources`."""

    line: int
    column: int
    end_line: int
    end_column: int
    file: int = 0
