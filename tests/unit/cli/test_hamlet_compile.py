"""`hamlet.compile`: from a file to a universe that runs, in Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from shipped import UNIVERSES

import hamlet
from hamletc import CompileError
from hamletc.compile import SourceError

MEAL = UNIVERSES / "first_meal.hamlet"


def test_compiles_into_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    module = hamlet.compile(MEAL)
    assert module.path.is_relative_to(tmp_path / "hamletc")
    assert hamlet.compile(str(MEAL)).path == module.path
    changed = tmp_path / "first_meal.hamlet"
    changed.write_text(MEAL.read_text().replace("0.4", "0.5"))
    assert hamlet.compile(changed).path != module.path
    env = module.make(worlds=3, backend="interpreter")
    assert env.rollout(5).ticks == 5


def test_compiles_into_a_folder(tmp_path: Path) -> None:
    module = hamlet.compile(MEAL, tmp_path / "meal")
    assert module.path == tmp_path / "meal"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(CompileError, match="it is not empty and no generated package"):
        hamlet.compile(MEAL, tmp_path / "mine")


def test_errors_show_the_diagnostics(tmp_path: Path) -> None:
    source = tmp_path / "meal.hamlet"
    source.write_text(MEAL.read_text().replace("reward mood", "reward moood"))
    with pytest.raises(SourceError, match=r"(?s)error\[H\d+\].*meal.hamlet:18:8") as caught:
        hamlet.compile(source)
    assert len(caught.value.diagnostics) == 1
    assert isinstance(caught.value, hamlet.HamletError)
    with pytest.raises(CompileError, match="no such file or directory"):
        hamlet.compile(tmp_path / "nothing.hamlet")
