"""The changelog is by version, newest first, and each of its entries is one line."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import hamlet

LINES = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
LONGEST = 160
"""Characters of an entry."""

RELEASE = re.compile(r"## \[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d\d-\d\d)")


def test_each_entry_is_one_line() -> None:
    entries = [line for line in LINES if line.startswith("- ")]
    assert len(entries) > 100
    assert [line for line in entries if len(line) > LONGEST] == []
    assert [line for line in LINES if line.startswith(" ")] == []
    assert len(set(entries)) == len(entries)


def test_versions_are_newest_first_and_the_newest_is_that_of_the_package() -> None:
    headings = [line for line in LINES if line.startswith("## ")]
    assert headings[0] == "## [Unreleased]"
    releases = [RELEASE.fullmatch(line) for line in headings[1:]]
    assert None not in releases, headings
    versions = [tuple(map(int, release.groups()[:3])) for release in releases if release]
    dates = [datetime.date.fromisoformat(release[4]) for release in releases if release]
    assert ".".join(map(str, versions[0])) == hamlet.__version__
    assert versions == sorted(set(versions), reverse=True)
    assert dates == sorted(dates, reverse=True)


def test_changes_of_bits_stand_in_their_section() -> None:
    section = ""
    for line in LINES:
        if line.startswith(("## ", "### ")):
            section = line
        elif line.startswith("- "):
            assert line.startswith("- **Bits** ") == (section == "### Bits"), line
