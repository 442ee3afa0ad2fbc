"""Findings are values; the words of a chapter are read where something is wrong with it, and not before."""

from __future__ import annotations

import subprocess
import sys

import pytest
from checking_cases import BASE, checked

from hamlet.universe import Span
from hamletc import messages
from hamletc.checking.report import Findings

CHECK = """
import sys
from checking_cases import BASE, checked
checked(BASE + sys.argv[1])
print(*sorted(name for name in sys.modules if name.startswith("hamletc.messages.")))
"""
SPAN = Span(1, 1, 1, 2)


@pytest.mark.parametrize(("added", "chapters"), [("", ""), ("reward 0", "hamletc.messages.rewards")])
def test_chapters_are_imported_when_something_is_wrong(added: str, chapters: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHECK, added], capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert done.returncode == 0, done.stderr
    imported = done.stdout.split()
    assert (chapters in imported) if chapters else (imported == [])


def test_an_unknown_chapter_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="there is no chapter 'weather' of messages"):
        getattr(messages, "weather")  # noqa: B009


def test_words_are_made_when_they_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(messages.rewards.RewardOfZero, "told", lambda finding: told.append(finding))
    report = Findings()
    report.add(messages.rewards.RewardOfZero(SPAN))
    assert report.failed
    assert told == []


def test_findings_of_equal_fields_are_equal() -> None:
    assert messages.rewards.NothingPaid(SPAN, SPAN) == messages.rewards.NothingPaid(SPAN, SPAN)
    assert messages.rewards.RewardOfZero(SPAN) != messages.rewards.NothingAdded(SPAN)


def test_a_finding_has_the_code_of_its_class() -> None:
    _, diagnostics = checked(f"{BASE}reward 0")
    assert [each.code for each in diagnostics] == [messages.rewards.NothingAdded.code]
