"""The machine code that tests share (tests/shared_kernels.py) is that of functions with the same source."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from numba import njit

SOURCE = "def f(array):\n    array[0] += 1\n"


@pytest.fixture(autouse=True)
def _shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("numba.config.CACHE_LOCATOR_CLASSES", "shared_kernels.ByContents")


def call(folder: Path, source: str) -> tuple[int, bool]:
    """What `f` makes of 0, and whether its machine code was there."""
    folder.mkdir()
    (folder / "code.py").write_text(source)
    spec = importlib.util.spec_from_file_location(folder.name, folder / "code.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    compiled, array = njit(cache=True)(module.f), np.zeros(1, np.int32)
    compiled(array)
    return int(array[0]), bool(compiled.stats.cache_hits)


def test_only_the_same_source_has_the_same_machine_code(tmp_path: Path) -> None:
    assert call(tmp_path / "first", SOURCE) == (1, False)
    assert call(tmp_path / "same", SOURCE) == (1, True)
    assert call(tmp_path / "other", SOURCE.replace("1", "2")) == (2, False)
