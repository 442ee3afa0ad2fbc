"""Options and fixtures of all tests."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files instead of comparing with them")


def pytest_configure(config: pytest.Config) -> None:
    """The user's cache is a folder of this run: its workers and their processes share machine code, which is known by
    contents, and nothing else is there."""
    if "XDG_CACHE_HOME" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="hamlet-tests-")
        config.add_cleanup(folder.cleanup)
        os.environ["XDG_CACHE_HOME"] = folder.name


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compares a text with a golden file; with `--update-golden` it writes the file."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.exists(), f"{path} is missing: run pytest with --update-golden and read what it wrote"
        assert text == path.read_text(encoding="utf-8")

    return compare
