"""`hamletc fmt`."""

from __future__ import annotations

from pathlib import Path

import pytest

from hamletc.language import formatter
from processes import Command
from samples import SHIPPED

MEAL = (SHIPPED / "first_meal.hamlet").read_text()


def test_fmt_formats_in_place(hamletc_here: Command, tmp_path: Path) -> None:
    messy, tidy = tmp_path / "messy.hamlet", tmp_path / "tidy.hamlet"
    messy.write_text(MEAL.replace("meter mood      = 0.5 {", "meter   mood=0.5{"))
    messy.chmod(0o640)
    tidy.write_text(MEAL)
    done = hamletc_here("fmt", "--check", "messy.hamlet", "tidy.hamlet")
    assert (done.returncode, done.stdout) == (1, "would reformat messy.hamlet\n")
    assert "meter   mood=0.5{" in messy.read_text()
    done = hamletc_here("fmt", "messy.hamlet", "tidy.hamlet")
    assert (done.returncode, done.stdout) == (0, "reformatted messy.hamlet\n")
    assert messy.read_text() == tidy.read_text() == MEAL
    assert messy.stat().st_mode & 0o777 == 0o640
    assert hamletc_here("fmt", "--check", "messy.hamlet").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["messy.hamlet", "tidy.hamlet"]


def test_fmt_leaves_a_file_with_errors(hamletc_here: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.hamlet").write_text("universe x\nmeter\n")
    done = hamletc_here("fmt", "bad.hamlet")
    assert done.returncode == 1
    assert "error[H" in done.stderr
    assert (tmp_path / "bad.hamlet").read_text() == "universe x\nmeter\n"


def test_fmt_leaves_a_file_of_which_it_would_lose_something(
    hamletc_here: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """... as where somebody taught the reader a construct, and not the formatter."""
    before = MEAL.replace("meter mood ", "meter  mood ")
    (tmp_path / "new.hamlet").write_text(before)
    monkeypatch.setattr(formatter._Writer, "_put", lambda *_: None)
    done = hamletc_here("fmt", "new.hamlet")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "error: new.hamlet: formatting would lose `universe` (line 3, column 1): this is a fault of hamletc; "
        "nothing was changed"
    ]
    assert (tmp_path / "new.hamlet").read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["new.hamlet"]
