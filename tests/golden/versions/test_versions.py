"""What compiled with a released version compiles for ever, and means the same.

Each folder is named after a version and has universes as they were written for it. They are never changed.
`digests.txt` has the digest of the Universe that each of them is. A change of it is a change of meaning, or of the
Universe's own form.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from hamlet.universe.codec import to_json
from hamletc.compile import check
from hamletc.frontend import Stopwatch
from hamletc.read import read_universe

VERSIONS = sorted(path for path in Path(__file__).parent.iterdir() if path.is_dir() and path.name[0].isdigit())
FEWEST = 20
"""Universes of a version."""


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
def test_universes_of_a_version_compile_for_ever(version: Path, golden: Callable[[Path, str], None]) -> None:
    lines = []
    for path in sorted(version.glob("*.hamlet")):
        checked = check(read_universe(path, Stopwatch()))
        assert checked.warnings == (), path.name
        lines.append(f"{hashlib.sha256(to_json(checked.universe).encode()).hexdigest()}  {path.name}")
    assert len(lines) >= FEWEST
    golden(version / "digests.txt", "\n".join(lines) + "\n")
