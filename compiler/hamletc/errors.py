"""Why a universe was not compiled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hamlet.errors import HamletError

if TYPE_CHECKING:
    from hamletc.diagnostics import Diagnostic, FileDiagnostics


class CompileError(HamletError):
    """The message is one clear line, or the rendered diagnostics of a source."""


class SourceError(CompileError):
    """A text or a pack has errors. The message shows them the way a terminal does; `found` has them file by file.

    `path` is what was to be compiled.
    """

    def __init__(self, path: Path, found: Sequence[FileDiagnostics]) -> None:
        from hamletc.diagnostics import render_files

        super().__init__(render_files(found))
        self.path = path
        self.found = tuple(found)

    def __str__(self) -> str:
        # Rendered diagnostics are lines, each made visible when it was rendered.
        return str(self.args[0])

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All diagnostics, one by one."""
        return tuple(diagnostic for file in self.found for diagnostic in file.diagnostics)
