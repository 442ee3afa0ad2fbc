"""What a check finds, and what many declarations can have wrong: things given twice, unknown words, bad numbers."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

from hamlet.universe import Span
from hamletc import messages
from hamletc.codes import CODES, INERT, Severity
from hamletc.diagnostics import Diagnostic, Finding
from hamletc.expansion.places import Places
from hamletc.intervals import SMALLEST
from hamletc.language import syntax

WRITTEN = frozenset(("H062", "H063", "H079"))
"""The errors about what nobody would write, which may well stand in what something else stands for."""


class Findings:
    """Collects findings. An error makes the universe unusable; a warning does not. With `inert_allowed` what has no
    effect is no error. `places` says where places in copied text are; what is found in several copies of one place is
    said once; what has no effect in some rounds of several, or inside of a call of a function, is not said. Findings
    are put in words when they are asked for.

    Attributes:
        past: where something looks back. What it looks at is asked in several places: what has no effect inside is not
            said.
    """

    def __init__(self, places: Places | None = None, *, inert_allowed: bool = False) -> None:
        self._findings: list[Finding] = []
        self._places = places or Places(sys.maxsize)
        self._copied: set[tuple[str, str, Span]] = set()
        self._met: dict[
            tuple[str, Span, tuple[int, ...]], frozenset[int]
        ] = {}  # the rounds in which something was found
        self._begun: dict[tuple[int, int], list[Span]] = {}  # where findings are, by the file and line they begin in
        self.inert_allowed = inert_allowed
        self.past: Collection[Span] = ()

    def add(self, finding: Finding) -> None:
        """Add a finding; its code says how severe it is."""
        span = finding.span
        if self._places.repeats(span) and self.said(span):
            return
        if finding.code in WRITTEN and (self._places.is_made(span) or self._places.is_of_call(span)):
            return
        if finding.code in WRITTEN and any(span != looks and is_inside(span, looks) for looks in self.past):
            return
        if finding.code in WRITTEN and self._is_of_other_rounds(finding, span):
            return
        if self._places.is_copied(span):
            same = (finding.code, finding.told().message, self._places.written(span))
            if same in self._copied:
                return
            self._copied.add(same)
        self._findings.append(finding)
        begins = self._places.shown(span)
        self._begun.setdefault((begins.file, begins.line), []).append(begins)

    def _is_of_other_rounds(self, finding: Finding, span: Span) -> bool:
        """Whether something is done in rounds, and was not found in all of them yet."""
        rounds, others = self._places.rounds(span)
        if rounds == 1:
            return False
        key = finding.told().message, self._places.written(span), others
        self._met[key] = self._met.get(key, frozenset()) | {span.file}
        return len(self._met[key]) < rounds

    def said(self, span: Span) -> bool:
        """Whether something was found at this place, or inside."""
        shown = self._places.shown(span)
        lines = range(shown.line, shown.end_line + 1)
        return any(is_inside(span, shown) for line in lines for span in self._begun.get((shown.file, line), ()))

    def aside(self) -> Findings:
        """These findings, to which others can be added that may not count."""
        aside = Findings(self._places, inert_allowed=self.inert_allowed)
        aside.past = self.past
        aside._findings, aside._copied = [*self._findings], {*self._copied}
        aside._met = {**self._met}
        aside._begun = {place: [*spans] for place, spans in self._begun.items()}
        return aside

    def take(self, aside: Findings) -> None:
        """Let what was added aside count."""
        self._findings, self._copied = aside._findings, aside._copied
        self._met, self._begun = aside._met, aside._begun

    @property
    def empty(self) -> bool:
        """Whether nothing was found so far."""
        return not self._findings

    @property
    def harmless(self) -> bool:
        """Whether every error so far is about something without effect: all can be computed."""
        return all(self._is_warning(finding) or finding.code in INERT for finding in self._findings)

    @property
    def failed(self) -> bool:
        """Whether there is an error among the findings."""
        return not all(self._is_warning(finding) for finding in self._findings)

    def in_source_order(self) -> tuple[Diagnostic, ...]:
        """The findings in words, by the place they point at; of one place, in the order they were made."""
        return in_order(map(self._told, self._findings))

    def _is_warning(self, finding: Finding) -> bool:
        allowed = self.inert_allowed and (finding.inert or finding.code in INERT)
        return allowed or CODES[finding.code].severity == "warning"

    def _told(self, finding: Finding) -> Diagnostic:
        """The finding in words, with the places that are shown for those in copies."""
        severity: Severity = "warning" if self._is_warning(finding) else "error"
        return replace(self._places.told(finding), severity=severity)


def in_order(findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Findings by the place they point at, each once; of one place, in the order they were made."""
    return tuple(sorted(dict.fromkeys(findings), key=_place))


def once(findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The findings, of those that say the same of one place the first: copies of a text have the same mistakes."""
    first: dict[tuple[str, str, Span], Diagnostic] = {}
    for each in findings:
        first.setdefault((each.code, each.message, each.primary.span), each)
    return tuple(first.values())


def is_inside(inner: Span, outer: Span) -> bool:
    """Whether a place is inside of another one, or the same."""
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    ends = (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    return inner.file == outer.file and begins and ends


def between(first: Span, last: Span) -> Span:
    """From the beginning of one span to the end of another; the first where they are in different texts."""
    if first.file != last.file:
        return first
    return Span(first.line, first.column, last.end_line, last.end_column, first.file)


def _place(finding: Diagnostic) -> tuple[int, int, int]:
    span = finding.primary.span
    return span.file, span.line, span.column


Q = TypeVar("Q", bound=syntax.Property | syntax.AgentsProperty)
K = TypeVar("K", bound=syntax.Property | syntax.AgentsProperty)


# --- properties inside braces, and words that are known in a place ---------------------------------------------------


class Properties(Generic[Q]):
    """The properties in some braces, in order, each once: second ones are reported."""

    def __init__(self, properties: Iterable[Q], report: Findings) -> None:
        self._by_kind: dict[type[object], Q] = {}
        for item in properties:
            first = self._by_kind.setdefault(type(item), item)
            if first is not item:
                report.add(messages.everywhere.GivenTwice(item.span, f"`{item.keyword()}`", first.span))

    def __iter__(self) -> Iterator[Q]:
        return iter(self._by_kind.values())

    def of(self, kind: type[K]) -> K | None:
        """The property of this kind."""
        item = self._by_kind.get(kind)
        return item if isinstance(item, kind) else None


def is_known(word: syntax.Name, known: tuple[str, ...], problem: str, report: Findings) -> bool:
    """Whether the word is one of those known here; otherwise it is reported as `problem`."""
    if word.text in known:
        return True
    report.add(messages.everywhere.UnknownWord(word.span, word.text, known, problem))
    return False


def word(
    item: syntax.WordProperty | None, known: tuple[str, ...], problem: str, report: Findings, usual: str | None = None
) -> str | None:
    """The word a property has as its value, where it is one of those known; the `usual` one without the property."""
    if item is None:
        return usual
    return item.value.text if is_known(item.value, known, problem, report) else None


class Placed(Protocol):
    """Something that stands somewhere in a file."""

    @property
    def span(self) -> Span: ...


P = TypeVar("P", bound=Placed)
T = TypeVar("T")


def all_of(items: Iterable[object], kind: type[T]) -> list[T]:
    """The items of a kind."""
    return [item for item in items if isinstance(item, kind)]


def only(items: list[P], what: str, report: Findings, join: messages.everywhere.Join = "choose") -> P | None:
    """The first of the items, of which there may be one; the others are reported as `what` given twice."""
    for second in items[1:]:
        report.add(messages.everywhere.GivenTwice(second.span, what, items[0].span, join))
    return items[0] if items else None


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
    report.add(messages.everywhere.OutsideLimits(numeral.span, what, low, high))
    return None


def any_whole_number(numeral: syntax.Signed | syntax.Numeral, what: str, report: Findings) -> int | None:
    """The number, however large; or an error and `None`."""
    digits = numeral.text.removeprefix("-")
    if numeral.unit or not (digits.isascii() and digits.isdigit()):
        report.add(messages.everywhere.NotWhole(numeral.span, what))
        return None
    if len(digits) > LONGEST:
        report.add(messages.everywhere.TooManyDigits(numeral.span, what))
        return None
    return int(numeral.text)


def any_number(numeral: syntax.Signed, largest: float, what: str, report: Findings) -> float | None:
    """The number in binary64, or an error and `None` where it is beyond `largest` on either side, or too small."""
    value = float(numeral.text)
    if value != 0 and abs(value) <= SMALLEST / 2:
        report.add(messages.everywhere.TooNearToZero(numeral.span, what))
        return None
    if abs(value) <= largest:
        return value
    report.add(messages.everywhere.TooFarFromZero(numeral.span, what, largest))
    return None
