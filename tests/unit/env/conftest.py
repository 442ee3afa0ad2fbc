"""Two small universes: one with everything that an environment has to deal with, one of chance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hamlet.package.module import Module
from samples import text


@pytest.fixture(scope="session")
def luck(compiled: Callable[..., Module]) -> Module:
    """The universe of chance."""
    return compiled(text("luck"), "triton")


@pytest.fixture(scope="session")
def valley(compiled: Callable[..., Module]) -> Module:
    """The universe with everything."""
    return compiled(text("valley"), "triton")


@pytest.fixture
def copy(valley: Module, tmp_path: Path) -> Path:
    """A copy of its package, to be tampered with."""
    folder = tmp_path / "valley"
    folder.mkdir()
    for file in valley.path.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    return folder
