"""Mending: the sure edits of diagnostics, done again and again until none is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hamletc.diagnostics.diagnostic import Diagnostic
from hamletc.diagnostics.edit import Edit, apart, edited, is_sure

MOST_ROUNDS = 8
"""The most times that a text is checked again: behind an error of syntax the check finds others."""


def sure_edits(diagnostics: Sequence[Diagnostic]) -> tuple[Edit, ...]:
    """The edits of all diagnostics that are sure, no two of which overlap."""
    return tuple(apart(each.edits for each in diagnostics if is_sure(each.edits)))


def mended(text: str, check: Callable[[str], Sequence[Diagnostic]]) -> tuple[str, Sequence[Diagnostic]]:
    """A text after all sure edits, and what is still wrong with it; `check` says what is wrong with a text."""
    diagnostics = check(text)
    for _ in range(MOST_ROUNDS):
        after = edited(text, sure_edits(diagnostics))
        if after == text:
            break
        text, diagnostics = after, check(after)
    return text, diagnostics
