"""Notices: diagnostics of the checker where an editor shows them; and a text as `hamletc fmt` writes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hamlet.garbage import without_collections
from hamlet_language.document import Document
from hamlet_language.positions import Lines, Range
from hamletc.codes import Severity
from hamletc.diagnostics import FileDiagnostics, is_sure
from hamletc.language.formatter import format_source
from hamletc.language.losses import FormattingError


@dataclass(frozen=True, slots=True)
class Related:
    """Another place of a notice, in the same file, and what is there."""

    range: Range
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A text that takes the place of a range."""

    range: Range
    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A diagnostic at its range in a file. `label` are a few words about that place, perhaps none. The `changes` do,
    together, what the hint says; where they are not `sure` they are a suggestion."""

    path: Path
    range: Range
    code: str
    severity: Severity
    message: str
    label: str
    hint: str
    related: tuple[Related, ...]
    changes: tuple[Change, ...] = ()
    sure: bool = False


def diagnostics(document: Document) -> tuple[Notice, ...]:
    """All that the checker says about a text and those that belong to it, file by file."""
    return tuple(notice for file in document.checked for notice in _notices(file))


def formatting(document: Document) -> str | None:
    """The text as `hamletc fmt` writes it; `None` where it has errors of syntax, or is not to be changed."""
    try:
        with without_collections():
            return format_source(document.text)[0]
    except (FormattingError, RecursionError):
        return None


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
            tuple(Change(lines.range(edit.span), edit.text) for edit in each.edits),
            is_sure(each.edits),
        )
        for each in file.diagnostics
    )
