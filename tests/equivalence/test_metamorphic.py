"""Changes that must not change a bit (metamorphic.py), on every backend that runs here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import metamorphic
import pytest
from metamorphic import CHECKS, Ponds

BACKENDS = ("interpreter", "numba")


@pytest.fixture(scope="module")
def ponds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ponds]:
    return {backend: Ponds(tmp_path_factory.mktemp(backend), backend) for backend in BACKENDS}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_holds(ponds: dict[str, Ponds], backend: str, check: Callable[[Ponds], None]) -> None:
    check(ponds[backend])


def test_holds_on_triton(tmp_path: Path) -> None:
    command = [sys.executable, metamorphic.__file__, str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines() == [f"{check.__name__} holds" for check in CHECKS]
