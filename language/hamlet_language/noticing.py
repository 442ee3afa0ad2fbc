"""Notices: diagnostics of the checker where an editor shows them; and a text as `hamletc fmt` writes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hamlet.universe import Span
from hamlet_language.document import Document
from hamlet_language.positions import Lines, Range
from hamletc.codes import Severity
from hamletc.compile import check
from hamletc.diagnostics import Diagnostic, FileDiagnostics, Label, by_file
from hamletc.errors import CompileError, SourceError
from hamletc.frontend import UniverseText
from hamletc.garbage import without_collections
from hamletc.language.formatter import format_source
from hamletc.language.losses import FormattingError


@dataclass(frozen=True, slots=True)
class Related:
    """Another place of a notice, in the same file, and what is there."""

    range: Range
    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A diagnostic at its range in a file. `label` are a few words about that place, perhaps none."""

    path: Path
    range: Range
    code: str
    severity: Severity
    message: str
    label: str
    hint: str
    related: tuple[Related, ...]


def diagnostics(document: Document) -> tuple[Notice, ...]:
    """All that the checker says about a text and those that belong to it, file by file."""
    with without_collections():
        files = _checked(document)
    return tuple(notice for file in files for notice in _notices(file))


def formatting(document: Document) -> str | None:
    """The text as `hamletc fmt` writes it; `None` where it has errors of syntax, or is not to be changed."""
    try:
        with without_collections():
            return format_source(document.text)[0]
    except (FormattingError, RecursionError):
        return None


def _checked(document: Document) -> tuple[FileDiagnostics, ...]:
    if document.problems:
        return by_file(document.problems, (document.source,))
    try:
        file, sources, problems = document.linked
        if problems:
            return by_file(problems, sources)
        # Only what includes it says which names there are.
        if file is None or document.included:
            return ()
        return check(UniverseText(document.path, file, sources)).warnings
    except SourceError as error:
        return error.found
    except CompileError as error:
        return _refused(document, str(error))
    except RecursionError:
        return _refused(document, "the text nests deeper than can be followed")


def _refused(document: Document, message: str) -> tuple[FileDiagnostics, ...]:
    """A diagnostic where there is no place to point at."""
    whole = Diagnostic("", "error", message, Label(Span(1, 1, 1, 1)), "")
    return (FileDiagnostics(document.path, document.text, (whole,)),)


def _notices(file: FileDiagnostics) -> tuple[Notice, ...]:
    lines = Lines(file.text)
    return tuple(
        Notice(
            file.path,
            lines.range(each.primary.span),
            each.code,
            each.severity,
            each.message,
            each.primary.text,
            each.hint,
            tuple(Related(lines.range(label.span), label.text) for label in each.secondary),
        )
        for each in file.diagnostics
    )
