"""Changes that must not change a bit (metamorphic.py), on every backend that runs here.

HAMLET_LONG_TESTS=1 checks all of them on Triton's interpreter, a minute.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import metamorphic
import pytest
from metamorphic import CHECKS, Ponds, a_cascade_without_strength, agents_in_another_order, checkpoint, names, records

from processes import Run

BACKENDS = ("interpreter", "c")
LONG = os.environ.get("HAMLET_LONG_TESTS") == "1"
COMPILED_AGAIN = (names, a_cascade_without_strength)
"""Checks of universes that differ in their text, so that there are more kernels to compile."""
ON_TRITON = [check.__name__ for check in CHECKS if LONG or check in (agents_in_another_order, records, checkpoint)]


@pytest.fixture(scope="module")
def ponds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ponds]:
    return {backend: Ponds(tmp_path_factory.mktemp(backend), backend) for backend in BACKENDS}


@pytest.mark.parametrize(
    ("backend", "check"),
    [
        pytest.param(backend, check, marks=[pytest.mark.long] if backend == "c" and check in COMPILED_AGAIN else [])
        for check in CHECKS
        for backend in BACKENDS
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_holds(ponds: dict[str, Ponds], backend: str, check: Callable[[Ponds], None]) -> None:
    check(ponds[backend])


def test_holds_on_triton(tmp_path: Path, run_program: Run) -> None:
    result = run_program(Path(metamorphic.__file__), tmp_path, *ON_TRITON)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines() == [f"{name} holds" for name in ON_TRITON]
