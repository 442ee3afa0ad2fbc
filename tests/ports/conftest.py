"""Ports as packages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import pytest
from shipped import PORTS

import hamlet

if TYPE_CHECKING:
    from hamlet.package.module import Module


@pytest.fixture(scope="session")
def port(compiled: Callable[[str], Module], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Module]:
    """The package of a port by its name."""

    def of(name: str) -> Module:
        file = PORTS / f"{name}.hamlet"
        text = file.read_text(encoding="utf-8")
        # A map in a file of its own is found beside the universe alone.
        return hamlet.compile(file, tmp_path_factory.mktemp(name) / name) if 'map "' in text else compiled(text)

    return cache(of)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worlds of ports step in turns with numpy and with originals: threads would only wait, and take the CPUs."""
    monkeypatch.setenv("HAMLET_THREADS", "1")
