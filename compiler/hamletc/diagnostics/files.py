"""Diagnostics about several files: each knows the file that it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hamletc.diagnostics.diagnostic import Diagnostic
from hamletc.diagnostics.render import render


@dataclass(frozen=True, slots=True)
class FileDiagnostics:
    """What was found in one file. `text` is what the spans refer to, empty where the file cannot be shown."""

    path: Path
    text: str
    diagnostics: tuple[Diagnostic, ...]


def has_errors(files: Sequence[FileDiagnostics]) -> bool:
    """Whether any file has an error."""
    return any(diagnostic.severity == "error" for file in files for diagnostic in file.diagnostics)


def render_files(files: Sequence[FileDiagnostics], *, colour: bool = False) -> str:
    """The diagnostics of all files as text, in the order given, a blank line between two."""
    shown = [render(file.diagnostics, file.text, str(file.path), colour=colour) for file in files if file.diagnostics]
    return "\n".join(shown)
