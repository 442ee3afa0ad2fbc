"""Properties inside braces, and the words that are known in a place."""

from __future__ import annotations

from typing import Protocol, TypeVar

from hamlet.universe import Span
from hamletc.checking.report import Report
from hamletc.diagnostics import Label
from hamletc.foreign import instead
from hamletc.language import syntax
from hamletc.suggest import closest


def by_key(
    properties: tuple[syntax.Property, ...], known: tuple[str, ...], what: str, report: Report
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


def is_known(word: syntax.Name, known: tuple[str, ...], problem: str, report: Report) -> bool:
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


def word(item: syntax.Property, known: tuple[str, ...], problem: str, report: Report) -> str | None:
    """The word a property has as its value, where it is one of those known."""
    if isinstance(item.value, syntax.Name):
        return item.value.text if is_known(item.value, known, problem, report) else None
    choices = ", ".join(f"`{choice}`" for choice in known)
    report.add("H026", f"this is {problem}", item.value.span, hint=f"Known here: {choices}.")
    return None


class Placed(Protocol):
    """Something that stands somewhere in a file."""

    @property
    def span(self) -> Span:
        """Where."""


P = TypeVar("P", bound=Placed)


def only(items: list[P], what: str, report: Report, hint: str | None = None) -> P | None:
    """The first of the items, of which there may be one; the others are reported as `what` given twice."""
    for second in items[1:]:
        given_twice(what, second.span, items[0].span, report, hint)
    return items[0] if items else None


def given_twice(what: str, second: Span, first: Span, report: Report, hint: str | None = None) -> None:
    """Report something that may be said once."""
    report.add(
        "H024",
        f"{what} is given twice",
        second,
        "given again",
        secondary=(Label(first, "first given here"),),
        hint=hint or "Keep one of them.",
    )
