"""What is found while one file of a pack is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hamlet.universe import Span
from hamlet_townlet.reader.limits import MOST_SUGGESTIONS
from hamletc.diagnostics import Diagnostic, FileDiagnostics, Label, diagnose
from hamletc.suggest import closest


@dataclass(slots=True)
class PackFindings:
    """Collects the diagnostics of the file with the number `file`. Keys without effect become one warning for each kind
    of key."""

    path: Path
    file: int = 0
    text: str = ""
    found: list[Diagnostic] = field(default_factory=list)
    inert: dict[tuple[str, str], list[Span]] = field(default_factory=dict)

    def add(
        self,
        code: str,
        message: str,
        span: Span,
        text: str = "",
        *,
        hint: str,
        secondary: Sequence[Label] = (),
    ) -> None:
        """Note a finding; `hamletc.diagnostics.diagnose` says what the arguments are."""
        self.found.append(diagnose(code, message, span, text, secondary=secondary, hint=hint))

    def ignore(self, what: str, span: Span, why: str = "") -> None:
        """Note that `what` has no effect, here as in HAMLET. `why` is a sentence."""
        self.inert.setdefault((what, why), []).append(span)

    def suggest(self, word: str, candidates: Iterable[str]) -> str | None:
        """The candidate that was probably meant. After many findings nobody is looked for: that takes its time."""
        return closest(word, candidates) if len(self.found) < MOST_SUGGESTIONS else None

    @property
    def failed(self) -> bool:
        """Whether there is an error so far."""
        return any(diagnostic.severity == "error" for diagnostic in self.found)

    def result(self) -> FileDiagnostics:
        """Everything found, in the order of the file."""
        warnings = [_inert(what, why, spans) for (what, why), spans in self.inert.items()]
        order = sorted([*self.found, *warnings], key=lambda d: (d.primary.span.line, d.primary.span.column, d.code))
        return FileDiagnostics(self.path, self.text, tuple(order))


def _inert(what: str, why: str, spans: list[Span]) -> Diagnostic:
    places = f"{len(spans)} places, this is the first" if len(spans) > 1 else ""
    return diagnose(
        "H130",
        f"{what} has no effect in HAMLET either",
        spans[0],
        places,
        hint=why or "It changes nothing: leave it out, or leave it as it is.",
    )
