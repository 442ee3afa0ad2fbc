"""Skeletons of generated files are compiled once, and kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment

from hamletc.targets.skeleton import KIND, skeleton


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where skeletons are kept: nothing yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "hamletc" / KIND


def compiled(target: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many skeletons Jinja2 compiles for a process that has loaded none."""
    count = 0

    def counting(self: Environment, *arguments: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        return generate(self, *arguments, **options)

    generate = Environment._generate
    with monkeypatch.context() as patch:
        patch.setattr(Environment, "_generate", counting)
        skeleton.__wrapped__(target)
    return count


def test_a_skeleton_is_compiled_once(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled("numba", monkeypatch) == 1
    assert compiled("numba", monkeypatch) == 0
    assert compiled("triton", monkeypatch) == 1
    assert len(list(kept.iterdir())) == 2


def test_a_damaged_one_and_one_of_another_version_are_compiled_anew(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled("numba", monkeypatch)
    (file,) = kept.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    assert compiled("numba", monkeypatch) == 1
    monkeypatch.setattr("sys.version", "another Python")
    assert compiled("numba", monkeypatch) == 1


def test_nothing_is_kept_where_nothing_can_be(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.parent.parent.mkdir()
    kept.parent.write_text("no folder")
    assert compiled("numba", monkeypatch) == 1
