"""The committed packages are what the compiler writes, byte for byte, whatever the hash seed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MAIN = "from hamletc.cli.main import main; main()"
SOURCES = sorted((ROOT / "universes").glob("*.hamlet"))


def contents(package: Path) -> dict[str, bytes]:
    return {
        path.relative_to(package).as_posix(): path.read_bytes()
        for path in sorted(package.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_every_universe_has_a_package() -> None:
    """What somebody compiled beside them is theirs: it is not committed."""
    sources = {source.stem for source in SOURCES}
    assert sources
    assert sources <= {path.parent.name for path in (ROOT / "generated").glob("*/__init__.py")}
    listed = subprocess.run(["git", "ls-files", "generated/*/__init__.py"], cwd=ROOT, capture_output=True, text=True)
    committed = {Path(line).parent.name for line in listed.stdout.splitlines()}
    assert committed == (sources if (ROOT / ".git").exists() else set())


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_compiling_again_gives_the_same_bytes(source: Path, tmp_path: Path) -> None:
    """... with another order of sets for each universe; tests/unit/cli/test_cli_compile.py has several of one."""
    hash_seed = str(4242 + SOURCES.index(source))
    package = tmp_path / "elsewhere" / source.stem
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "compile", str(source), "-o", str(package)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    committed = contents(ROOT / "generated" / source.stem)
    again = contents(package)
    assert set(again) == set(committed)
    for name, text in committed.items():
        assert again[name] == text, f"{name} differs from the committed one: hamletc compile {source.name} again"
