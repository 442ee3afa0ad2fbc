"""The findings of one check, collected as they are made."""

from __future__ import annotations

from dataclasses import replace

from hamlet.universe import Span
from hamletc.codes import INERT
from hamletc.diagnostics import Diagnostic, Label, diagnose


class Report:
    """Collects diagnostics. An error makes the universe unusable; a warning does not. With `inert_allowed` what has no
    effect is no error."""

    def __init__(self, *, inert_allowed: bool = False) -> None:
        self._findings: list[Diagnostic] = []
        self.inert_allowed = inert_allowed

    def add(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        *,
        hint: str,
        secondary: tuple[Label, ...] = (),
        inert: bool = False,
    ) -> None:
        """Add a finding; its code says how severe it is. `inert`: it is about something without effect, although others
        with this code are not."""
        finding = diagnose(code, message, span, label, secondary=secondary, hint=hint)
        if self.inert_allowed and (inert or code in INERT):
            finding = replace(finding, severity="warning")
        self._findings.append(finding)

    def said(self, span: Span) -> bool:
        """Whether something was found at this place, or inside."""
        return any(_inside(finding.primary.span, span) for finding in self._findings)

    @property
    def harmless(self) -> bool:
        """Whether every error so far is about something without effect: all can be computed."""
        return all(finding.severity == "warning" or finding.code in INERT for finding in self._findings)

    @property
    def failed(self) -> bool:
        """Whether there is an error among the findings."""
        return any(finding.severity == "error" for finding in self._findings)

    def in_source_order(self) -> tuple[Diagnostic, ...]:
        """The findings by the place they point at; of one place, in the order they were made."""
        return tuple(sorted(self._findings, key=lambda f: _place(f.primary.span)))


def _inside(inner: Span, outer: Span) -> bool:
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    return (
        inner.file == outer.file and begins and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    )


def _place(span: Span) -> tuple[int, int, int]:
    return span.file, span.line, span.column
