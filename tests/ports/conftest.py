"""Ports as packages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from shipped import PORTS

if TYPE_CHECKING:
    from hamlet.package.module import Module


@pytest.fixture(scope="session")
def port(compiled: Callable[[str], Module]) -> Callable[[str], Module]:
    """The package of a port by its name."""
    return lambda name: compiled((PORTS / f"{name}.hamlet").read_text(encoding="utf-8"))
