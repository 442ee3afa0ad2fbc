"""The edits of known mistakes: a text has fewer errors after all that are sure, and mended.golden has what they write.

In it a mistake (`>`) stands before the lines that its sure edits leave (`=`), its suggestion (`?`), or `-` where its
hint says nothing that could be written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import ndiff
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from test_mistakes import HERE, HOME, KINDS, Case, cases, diagnosed

from hamletc.diagnostics import Diagnostic, edited
from hamletc.diagnostics.edit import overlapping
from hamletc.diagnostics.mending import MOST_ROUNDS, mended, sure_edits

MISTAKES = [kind for kind in KINDS if kind != "accepted"]
UNMENDED = HERE / "unmended.md"
ROW = re.compile(r"\| (\w+) \| `(.+)` \| (.+) \|")
Golden = Callable[[Path, str], None]


def errors(diagnostics: Sequence[Diagnostic]) -> int:
    return sum(each.severity == "error" for each in diagnostics)


def written(before: str, after: str) -> Iterator[str]:
    """The lines of a text that another one has not, in words of a golden file."""
    lines = [line[2:] for line in ndiff(before.split("\n"), after.split("\n")) if line.startswith("+ ")]
    yield from lines or ["(as it was)"]


@cache
def rounds(text: str) -> tuple[tuple[str, tuple[Diagnostic, ...]], ...]:
    """A text and what is wrong with it; then the same after its sure edits, until there are none."""
    found = diagnosed(text)
    after = edited(text, sure_edits(found))
    return ((text, found), *(() if after == text else rounds(after)))


def outcome(case: Case) -> Iterator[str]:
    """The lines about a case."""
    first, (text, left) = diagnosed(case.text), rounds(case.text)[-1]
    if errors(left) < errors(first) or (not errors(first) and len(left) < len(first)):
        yield from (f"= {line}" for line in written(HOME, text))
        return
    edits = next((each.edits for each in first if each.edits), ())
    if edits:
        yield from (f"? {line}" for line in written(case.text, edited(case.text, edits)))
    else:
        yield "-"


def wrong_line(case: Case) -> str:
    """The line of a case in which its mistake is, or `<` and the one that was left out."""
    if not case.new:
        return f"< {case.old}"
    return case.new[diagnosed(case.text)[0].primary.span.line - case.lines.start]


def test_what_no_sure_edit_mends_is_in_the_table_with_the_reason() -> None:
    """And nothing else is: neither what is mended, nor what is no case any more, nor anything twice."""
    reasons = [match.groups() for match in ROW.finditer(UNMENDED.read_text(encoding="utf-8"))]
    said = [(kind, line) for kind, line, _ in reasons]
    left = [
        (kind, wrong_line(case)) for kind in MISTAKES for case in cases(kind) if not next(outcome(case)).startswith("=")
    ]
    assert sorted(said) == sorted(left)
    assert len(set(said)) == len(said)
    made = sum(len(cases(kind)) for kind in MISTAKES)
    page = (HERE.parents[2] / "docs/diagnostics.md").read_text(encoding="utf-8").replace("\n", " ")
    assert f"Of {made} mistakes that authors make {made - len(said)} are mended so" in page
    assert f"of the other {len(said)} what only their author can say" in page


def test_what_edits_write(golden: Golden) -> None:
    lines = []
    for kind in MISTAKES:
        lines.append(f"# {kind}\n")
        for case in cases(kind):
            after = list(outcome(case))
            lines += [*(f"> {line}" for line in case.new), *after, ""]
    golden(HERE / "mended.golden", "\n".join(lines))


@pytest.mark.parametrize("kind", MISTAKES)
def test_edits_never_overlap_and_never_make_it_worse(kind: str) -> None:
    for case in cases(kind):
        steps = rounds(case.text)
        assert len(steps) < MOST_ROUNDS, case
        for _, found in steps:
            assert not any(overlapping(each.edits) for each in found), case
            assert not overlapping(sure_edits(found)), case
        for (_, before), (_, after) in pairwise(steps):
            codes, left = ([each.code for each in found if each.severity == "error"] for found in (before, after))
            # Behind an error of syntax the check finds others, but not that one.
            assert len(left) < len(codes) or left[:1] != codes[:1], case


def test_mending_is_what_rounds_lead_to() -> None:
    case = cases("chained")[1]
    assert len(rounds(case.text)) == 3
    assert mended(case.text, diagnosed) == rounds(case.text)[-1]
