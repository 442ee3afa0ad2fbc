"""`hamlet.compile`: from a file to a universe that runs, in Python."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import pytest

import hamlet
from hamlet.terminal import say_once
from hamletc import CompileError
from hamletc.compile import check_file
from hamletc.errors import SourceError
from hamletc.frontend import Stopwatch
from samples import SHIPPED

MEAL = SHIPPED / "first_meal.hamlet"


def test_compiles_into_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    module = hamlet.compile(MEAL)
    assert module.path.is_relative_to(tmp_path / "hamletc")
    assert hamlet.compile(str(MEAL)).path == module.path
    changed = tmp_path / "first_meal.hamlet"
    changed.write_text(MEAL.read_text().replace("0.4", "0.5"))
    assert hamlet.compile(changed).path != module.path
    env = hamlet.make(module, worlds=3, backend="interpreter")
    assert env.rollout(5).ticks == 5


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a file was cut": lambda folder: (folder / "tick.ir").write_bytes(b"universe"),
    "its list was cut": lambda folder: (folder / "__init__.py").write_bytes(b""),
    "its list is gone": lambda folder: (folder / "__init__.py").unlink(),
    "a file is gone": lambda folder: (folder / "c_kernels.c").unlink(),
    "a file of somebody else": lambda folder: (folder / "notes.txt").write_text("mine"),
    "a folder in the place of a file": lambda folder: [(folder / "tick.ir").unlink(), (folder / "tick.ir").mkdir()],
    "a file in the place of the folder": lambda folder: [rmtree(folder), folder.write_text("mine")],
    "a link to nothing": lambda folder: [rmtree(folder), folder.symlink_to("nowhere")],
}


def test_what_is_damaged_in_the_cache_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    module = hamlet.compile(MEAL)
    for name, damage in DAMAGE.items():
        say_once.cache_clear()
        damage(module.path)
        assert hamlet.compile(MEAL).path == module.path, name
        assert "was damaged, and was written anew" in capsys.readouterr().err, name
        assert hamlet.load(module.path).digest == module.digest, name
        hamlet.compile(MEAL)
        assert capsys.readouterr().err == "", name
        assert list(module.path.parent.iterdir()) == [module.path], name


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


WARNED = """
universe idle
space grid 3 x 3
lifespan 20 ticks
meter joy = 0.5 { decay 0.01 }
meter calm = 0.5 { decay 0.02 }
affordance Bed at random { instantly { joy += 0.1 } }
reward joy + calm
observe { grid  meters }
"""


def test_warnings_are_pythons(tmp_path: Path) -> None:
    """Each in a line that begins with its code, at the line of the caller; and they can be silenced by their codes."""
    source = tmp_path / "idle.hamlet"
    source.write_text(WARNED)
    found = [each for file in check_file(source, Stopwatch()).warnings for each in file.diagnostics]
    assert found
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hamlet.compile(source, tmp_path / "idle")
    assert [each.category for each in caught] == [hamlet.HamletWarning] * len(found)
    assert [str(each.message).split()[0] for each in caught] == [each.code for each in found]
    for each, diagnostic in zip(caught, found, strict=True):
        place = diagnostic.primary.span
        assert f"{diagnostic.message} ({source}:{place.line}:{place.column})" in str(each.message)
        assert diagnostic.hint is None or str(each.message).endswith(diagnostic.hint)
        assert "\n" not in str(each.message)
        assert each.filename == __file__
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", "|".join(each.code for each in found), hamlet.HamletWarning)
        hamlet.compile(source, tmp_path / "idle")
    assert caught == []


def test_a_universe_without_warnings_warns_of_nothing(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hamlet.compile(MEAL, tmp_path / "meal")
