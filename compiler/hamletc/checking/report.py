"""What a check finds, and what many declarations can have wrong: things given twice, unknown words, bad numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol, TypeVar

from hamlet.universe import Span
from hamletc.checking.intervals import SMALLEST
from hamletc.codes import INERT
from hamletc.diagnostics import Diagnostic, Label, diagnose
from hamletc.expansion.places import Places
from hamletc.foreign import instead
from hamletc.language import syntax
from hamletc.suggest import closest

WRITTEN = frozenset(("H062", "H063", "H079"))
"""The errors about what nobody would write, which may well stand in what something else stands for."""


class Findings:
    """Collects diagnostics. An error makes the universe unusable; a warning does not. With `inert_allowed` what has no
    effect is no error. `places` says where places in copied text are; what is found in several copies of one place is
    said once."""

    def __init__(self, places: Places | None = None, *, inert_allowed: bool = False) -> None:
        self._findings: list[Diagnostic] = []
        self._places = places or Places(sys.maxsize)
        self._copied: set[tuple[str, str, Span]] = set()
        self._begun: dict[tuple[int, int], list[Span]] = {}  # where findings are, by the file and line they begin in
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
        if self._places.repeats(span) and self.said(span):
            return
        if code in WRITTEN and self._places.is_made(span):
            return
        if self._places.is_copied(span):
            same = (code, message, self._places.written(span))
            if same in self._copied:
                return
            self._copied.add(same)
        own = tuple(replace(other, span=self._places.shown(other.span)) for other in secondary)
        others = tuple(dict.fromkeys((*own, *self._places.labels(span))))
        finding = diagnose(code, message, self._places.shown(span), label, secondary=others, hint=hint)
        if self.inert_allowed and (inert or code in INERT):
            finding = replace(finding, severity="warning")
        self._findings.append(finding)
        begins = finding.primary.span
        self._begun.setdefault((begins.file, begins.line), []).append(begins)

    def said(self, span: Span) -> bool:
        """Whether something was found at this place, or inside."""
        shown = self._places.shown(span)
        lines = range(shown.line, shown.end_line + 1)
        return any(_inside(span, shown) for line in lines for span in self._begun.get((shown.file, line), ()))

    def aside(self) -> Findings:
        """These findings, to which others can be added that may not count."""
        aside = Findings(self._places, inert_allowed=self.inert_allowed)
        aside._findings, aside._copied = [*self._findings], {*self._copied}
        aside._begun = {place: [*spans] for place, spans in self._begun.items()}
        return aside

    def take(self, aside: Findings) -> None:
        """Let what was added aside count."""
        self._findings, self._copied, self._begun = aside._findings, aside._copied, aside._begun

    @property
    def empty(self) -> bool:
        """Whether nothing was found so far."""
        return not self._findings

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
        return in_order(self._findings)


def in_order(findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Findings by the place they point at, each once; of one place, in the order they were made."""
    return tuple(sorted(dict.fromkeys(findings), key=_place))


def once(findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The findings, of those that say the same of one place the first: copies of a text have the same mistakes."""
    first: dict[tuple[str, str, Span], Diagnostic] = {}
    for finding in findings:
        first.setdefault((finding.code, finding.message, finding.primary.span), finding)
    return tuple(first.values())


def _inside(inner: Span, outer: Span) -> bool:
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    ends = (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    return inner.file == outer.file and begins and ends


def between(first: Span, last: Span) -> Span:
    """From the beginning of one span to the end of another; the first where they are in different texts."""
    if first.file != last.file:
        return first
    return Span(first.line, first.column, last.end_line, last.end_column, first.file)


def counted(number: int, noun: str) -> str:
    """`1 cell`, `2 cells`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _place(finding: Diagnostic) -> tuple[int, int, int]:
    span = finding.primary.span
    return span.file, span.line, span.column


# --- properties inside braces, and words that are known in a place ---------------------------------------------------


def by_key(
    properties: tuple[syntax.Property, ...], known: tuple[str, ...], what: str, report: Findings
) -> dict[str, syntax.Property]:
    """The properties by their keys; unknown ones and second ones are reported. `what` has them: "a meter"."""
    found: dict[str, syntax.Property] = {}
    for item in properties:
        if not is_known(item.key, known, f"no property of {what}", report):
            continue
        first = found.setdefault(item.key.text, item)
        if first is not item:
            given_twice(f"`{item.key.text}`", item.span, first.span, report)
    return found


def is_known(word: syntax.Name, known: tuple[str, ...], problem: str, report: Findings) -> bool:
    """Whether the word is one of those known here; otherwise it is reported as `problem`."""
    if word.text in known:
        return True
    guess = closest(word.text, known)
    choices = ", ".join(f"`{choice}`" for choice in known)
    hint = instead(word.text, known)
    if hint is None:
        hint = f"Did you mean `{guess}`?" if guess is not None else f"Known here: {choices}."
    report.add("H026", f"`{word.text}` is {problem}", word.span, hint=hint)
    return False


def word(item: syntax.Property, known: tuple[str, ...], problem: str, report: Findings) -> str | None:
    """The word a property has as its value, where it is one of those known."""
    if isinstance(item.value, syntax.Name):
        return item.value.text if is_known(item.value, known, problem, report) else None
    choices = ", ".join(f"`{choice}`" for choice in known)
    report.add("H026", f"this is {problem}", item.value.span, hint=f"Known here: {choices}.")
    return None


class Placed(Protocol):
    """Something that stands somewhere in a file."""

    @property
    def span(self) -> Span: ...


P = TypeVar("P", bound=Placed)
T = TypeVar("T")


def all_of(items: Iterable[object], kind: type[T]) -> list[T]:
    """The items of a kind."""
    return [item for item in items if isinstance(item, kind)]


def only(items: list[P], what: str, report: Findings, hint: str | None = None) -> P | None:
    """The first of the items, of which there may be one; the others are reported as `what` given twice."""
    for second in items[1:]:
        given_twice(what, second.span, items[0].span, report, hint)
    return items[0] if items else None


def given_twice(what: str, second: Span, first: Span, report: Findings, hint: str | None = None) -> None:
    """Report something that may be said once."""
    report.add(
        "H024",
        f"{what} is given twice",
        second,
        "given again",
        secondary=(Label(first, "first given here"),),
        hint=hint or "Keep one of them.",
    )


# --- numbers where no expression may stand: sizes, hours, ticks, coordinates -----------------------------------------

LONGEST = 18
"""The most digits that are read."""


def whole_number(
    numeral: syntax.Signed | syntax.Numeral, low: int, high: int, what: str, report: Findings
) -> int | None:
    """The number, or an error and `None`. `what` names it: "the radius"."""
    value = any_whole_number(numeral, what, report)
    if value is None or low <= value <= high:
        return value
    hint = f"Write a whole number from {low} to {high}." if high > low else f"Write {low}."
    report.add(
        "H033", f"{what} must be {low} .. {high}" if high > low else f"{what} must be {low}", numeral.span, hint=hint
    )
    return None


def any_whole_number(numeral: syntax.Signed | syntax.Numeral, what: str, report: Findings) -> int | None:
    """The number, however large; or an error and `None`."""
    digits = numeral.text.removeprefix("-")
    if numeral.unit or not (digits.isascii() and digits.isdigit()):
        report.add("H032", f"{what} must be a whole number", numeral.span, hint="Write digits only, as in 24.")
        return None
    if len(digits) > LONGEST:
        report.add("H033", f"{what} is far too large", numeral.span, hint="Write a smaller whole number.")
        return None
    return int(numeral.text)


def any_number(numeral: syntax.Signed, largest: float, what: str, report: Findings) -> float | None:
    """The number in binary64, or an error and `None` where it is beyond `largest` on either side, or too small."""
    value = float(numeral.text)
    if value != 0 and abs(value) <= SMALLEST / 2:
        report.add("H035", f"{what} is too small: it would become 0", numeral.span, hint="Write 0, or a larger number.")
        return None
    if abs(value) <= largest:
        return value
    hint = f"Write a number from {-largest:g} to {largest:g}."
    report.add("H033", f"{what} must be {-largest:g} .. {largest:g}", numeral.span, hint=hint)
    return None
