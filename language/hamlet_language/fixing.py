"""Fixes: what hints say to write, as changes of a text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hamlet_language.document import Document
from hamlet_language.noticing import Change, Notice, diagnostics
from hamlet_language.positions import Range
from hamletc.diagnostics import Diagnostic
from hamletc.diagnostics.mending import mended

LONGEST_TITLE = 60
"""The most characters of a text in a title."""


@dataclass(frozen=True, slots=True)
class Fix:
    """Changes of a file, done together, that do what the hint of a notice says; otherwise than a `sure` one a
    suggestion has a number or a name that its author may have to change."""

    title: str
    path: Path
    changes: tuple[Change, ...]
    notice: Notice
    sure: bool


def fixes(document: Document, range_: Range) -> tuple[Fix, ...]:
    """Fixes for what is wrong at a range of a text, sure ones first."""
    own = document.path.resolve()
    notices = (each for each in diagnostics(document) if each.changes and each.path.resolve() == own)
    touched = (each for each in notices if each.range.start <= range_.end and range_.start <= each.range.end)
    made = (Fix(_title(each), each.path, each.changes, each, each.sure) for each in touched)
    return tuple(sorted(made, key=lambda fix: not fix.sure))


def fixed(document: Document) -> str:
    """The text after all fixes that are sure, also those of what is found behind them."""

    def check(text: str) -> tuple[Diagnostic, ...]:
        return Document(document.path, text, document.others).diagnosed

    return mended(document.text, check)[0]


def _title(notice: Notice) -> str:
    """The title of a fix, in some words."""
    texts = [change.text.strip() for change in notice.changes]
    written = [" ".join(text.split()) for text in texts if text]
    if len(texts) == 1 and not written:
        return "Leave it out"
    if len(texts) == 1 and len(written[0]) <= LONGEST_TITLE:
        return f"Write `{written[0]}`"
    return notice.hint.partition(". ")[0].rstrip(".")
