"""Reading a source file: everything that can go wrong before the first character is looked at."""

from __future__ import annotations

from pathlib import Path

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic, diagnose

LARGEST_SOURCE = 1 << 20
"""The most bytes a source may have."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file and what it says. `name` is how a universe that includes it names it."""

    path: Path
    text: str
    name: str | None = None

    @property
    def title(self) -> str:
        """What messages and generated code call it: without its folder, but for that below a universe's."""
        return self.name or self.path.name


def read_source(path: Path) -> str | Diagnostic:
    """The text of a file (UTF-8, a byte order mark is dropped), or the one diagnostic that says why there is none."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_SOURCE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        hint = "Check the path, and that the file may be read."
        return diagnose("H001", f"cannot read the file: {reason.lower()}", Span(1, 1, 1, 1), hint=hint)
    if len(data) > LARGEST_SOURCE:
        hint = "Check that it is the right file; no universe needs so much text."
        return diagnose("H003", f"the file is larger than {LARGEST_SOURCE >> 20} MiB", Span(1, 1, 1, 1), hint=hint)
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        message = f"the file is not UTF-8: byte 0x{data[error.start]:02x} in line {line}"
        hint = "Save the file in the encoding UTF-8."
        return diagnose("H002", message, Span(line, column, line, column + 1), hint=hint)
