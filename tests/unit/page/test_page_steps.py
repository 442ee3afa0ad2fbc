"""`hamletc page` says what it does while it does it: on standard error, of each universe its steps."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
import rich.console
from click.testing import CliRunner

from hamletc.cli import progress
from hamletc.cli.main import hamletc

TEXT = "universe {name}\nspace none\nmeter joy = 1 {{ decay 0.1 }}\naction REST {{ joy += 0.2 }}\nreward joy\n"


@pytest.fixture
def universes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for name in ("garden", "meadow"):
        Path(f"{name}.hamlet").write_text(TEXT.format(name=name) + "lifespan 40 ticks\nobserve { meters }\n")
    return ["page", "garden.hamlet", "meadow.hamlet"]


def test_each_step_is_told_before_it(universes: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "BETWEEN_STEPS", 0.0)
    done = CliRunner().invoke(hamletc, universes)
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines() == [
        "0%  garden: checking",
        "20%  meadow: checking",
        "60%  garden: compiling",
        "60%  garden: its test run on the interpreter",
        "80%  meadow: compiling",
        "80%  meadow: its test run on the interpreter",
    ]
    assert done.stdout.startswith("wrote site with 2 universes")


def test_the_first_step_is_told_at_once_and_quick_ones_are_not(
    universes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "BETWEEN_STEPS", 1e9)
    done = CliRunner().invoke(hamletc, universes)
    assert done.stderr == "0%  garden: checking\n"


def test_a_terminal_has_a_bar_with_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = StringIO()
    terminal = rich.console.Console(file=shown, force_terminal=True, width=100)
    monkeypatch.setattr(progress, "Console", lambda **_: terminal)
    with progress.steps_of(4) as step:
        step(1, "garden: compiling")
        terminal.print()
    assert "garden: compiling" in shown.getvalue()
    assert " 25%" in shown.getvalue()
