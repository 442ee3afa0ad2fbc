"""Diagnostics: what is wrong with a source text, where, and what to do about it.

A diagnostic has a code (`H001`, listed in `hamletc.codes`), a message, one primary and any number of secondary labelled
spans, and a hint. `render` (render.py) shows it the way rustc does; `to_json` (machine.py) gives the same facts to
machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc.codes import CODES, Severity
from hamletc.diagnostics.edit import Edit


@dataclass(frozen=True, slots=True)
class Label:
    """A span with a few words beside the carets (possibly none)."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. Every one has a `hint`, which says what to do, in full sentences without the word "hint". Where that
    is precisely what to write, the `edits` write it: all of them together."""

    code: str
    severity: Severity
    message: str
    primary: Label
    hint: str
    secondary: tuple[Label, ...] = ()
    edits: tuple[Edit, ...] = ()

    def line(self, path: Path) -> str:
        """All of it in one line that begins with the code, for Python's warnings."""
        place = self.primary.span
        parts = (f"{self.code} {self.message} ({path}:{place.line}:{place.column})", self.hint or "")
        return " ".join(": ".join(part for part in parts if part).split())


def diagnose(
    code: str,
    message: str,
    span: Span,
    text: str = "",
    *,
    hint: str,
    secondary: Sequence[Label] = (),
    edits: Sequence[Edit] = (),
) -> Diagnostic:
    """A diagnostic with the severity that `hamletc.codes` gives its code; `text` stands beside the carets."""
    return Diagnostic(code, CODES[code].severity, message, Label(span, text), hint, tuple(secondary), tuple(edits))
