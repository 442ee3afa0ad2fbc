"""Diagnostics about several files: each knows the file that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from hamlet.frozen import dataclass
from hamletc.diagnostics.diagnostic import Diagnostic
from hamletc.diagnostics.render import render


@dataclass(frozen=True, slots=True)
class FileDiagnostics:
    """The diagnostics of one file. `text` is the one that the spans refer to, empty where the file cannot be shown."""

    path: Path
    text: str
    diagnostics: tuple[Diagnostic, ...]

    def lines(self) -> list[str]:
        """A line for each diagnostic, which begins with its code."""
        return [diagnostic.line(self.path) for diagnostic in self.diagnostics]


def has_errors(files: Sequence[FileDiagnostics]) -> bool:
    """Whether any file has an error."""
    return any(diagnostic.severity == "error" for file in files for diagnostic in file.diagnostics)


def render_files(files: Sequence[FileDiagnostics], *, colour: bool = False) -> str:
    """The diagnostics of all files as text, in the order given, a blank line between two."""
    shown = [render(file.diagnostics, file.text, str(file.path), colour=colour) for file in files if file.diagnostics]
    return "\n".join(shown)


class SourceText(Protocol):
    """A file and what it says."""

    @property
    def path(self) -> Path: ...

    @property
    def text(self) -> str: ...


def by_file(diagnostics: Iterable[Diagnostic], sources: Sequence[SourceText]) -> tuple[FileDiagnostics, ...]:
    """Diagnostics with the files that they point into, in the order of the files; files without any are left out.

    A label in another file than the primary one becomes part of the hint. Edits of another file are left out, and those
    of a file that is not of the text language, as in packs.
    """
    by_number: dict[int, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        by_number.setdefault(diagnostic.primary.span.file, []).append(_in_one_file(diagnostic, sources))
    return tuple(FileDiagnostics(sources[n].path, sources[n].text, tuple(by_number[n])) for n in sorted(by_number))


def _in_one_file(diagnostic: Diagnostic, sources: Sequence[SourceText]) -> Diagnostic:
    file = diagnostic.primary.span.file
    foreign = sources[file].path.suffix in (".yaml", ".yml")
    if foreign or any(edit.span.file != file for edit in diagnostic.edits):
        diagnostic = replace(diagnostic, edits=())
    elsewhere = [label for label in diagnostic.secondary if label.span.file != file]
    if not elsewhere:
        return diagnostic
    places = [
        f"{sources[a.span.file].path.name}:{a.span.line}:{a.span.column}: {a.text}".rstrip(": ") for a in elsewhere
    ]
    hint = f"{diagnostic.hint} ({'; '.join(places)})"
    own = tuple(label for label in diagnostic.secondary if label.span.file == file)
    return replace(diagnostic, secondary=own, hint=hint)


def merged(first: Sequence[FileDiagnostics], second: Sequence[FileDiagnostics]) -> tuple[FileDiagnostics, ...]:
    """The diagnostics of two rounds, one entry for each file; of a file in the order of its lines."""
    files: dict[Path, FileDiagnostics] = {}
    for file in (*first, *second):
        earlier = files.get(file.path)
        both = file.diagnostics if earlier is None else (*earlier.diagnostics, *file.diagnostics)
        files[file.path] = FileDiagnostics(file.path, file.text, tuple(sorted(both, key=_place)))
    return tuple(files.values())


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    return diagnostic.primary.span.line, diagnostic.primary.span.column
