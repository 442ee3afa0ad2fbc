"""The findings of one check, collected as they are made."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic, Label, diagnose


class Report:
    """Collects diagnostics. An error makes the universe unusable; a warning does not."""

    def __init__(self) -> None:
        self._findings: list[Diagnostic] = []

    def add(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        *,
        secondary: tuple[Label, ...] = (),
        hint: str | None = None,
    ) -> None:
        """Add a finding; its code says how severe it is."""
        self._findings.append(diagnose(code, message, span, label, secondary=secondary, hint=hint))

    @property
    def failed(self) -> bool:
        """Whether there is an error among the findings."""
        return any(finding.severity == "error" for finding in self._findings)

    def in_source_order(self) -> tuple[Diagnostic, ...]:
        """The findings by the place they point at; of one place, in the order they were made."""
        return tuple(sorted(self._findings, key=lambda f: (f.primary.span.line, f.primary.span.column)))
