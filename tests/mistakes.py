"""What tests of the checker's findings ask for: universes with a mistake, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hamlet.universe import Universe
from hamletc.checking.check import check
from hamletc.compile import check as check_text
from hamletc.diagnostics import Diagnostic
from hamletc.errors import SourceError
from hamletc.language.parser import parse
from hamletc.language.source import Source
from hamletc.read import parsed


def checked(text: str) -> tuple[Universe | None, tuple[Diagnostic, ...]]:
    """The result for a text without syntax errors."""
    file, problems = parse(text)
    assert not problems, problems
    assert file is not None
    return check(file, ("small.hamlet",))


def is_said_once(findings: Iterable[Diagnostic], code: str, message: str) -> None:
    """There is one error, of this code, whose message has these words, and its hint is a sentence."""
    errors = [each for each in findings if each.severity == "error"]
    assert [each.code for each in errors] == [code], errors
    assert message in errors[0].message
    assert errors[0].hint.endswith((".", "?"))


def errors_in(text: str) -> list[str]:
    """The codes of the errors in a text, of its syntax too."""
    try:
        found = check_text(parsed(Source(Path("made.hamlet"), text))).warnings
    except SourceError as error:
        found = error.found
    return [each.code for group in found for each in group.diagnostics if each.severity == "error"]
