"""The magic of notebooks, in a shell that keeps what it is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rich_click as click
import yaml

from hamlet_language.notebook import USAGE, load_ipython_extension
from hamletc.cli.main import hamletc

ROOT = Path(__file__).parents[3]
CELL = """\
universe garden
space none
meter joy = 1 { decay 0.1 }
action REST { joy += 0.2 }
dies when joy <= 0
reward joy
observe { meters }
"""


class Shell:
    """As much of IPython as the magic uses."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.magics: dict[str, Callable[[str, str], None]] = {}
        self.next: list[tuple[str, bool]] = []

    def register_magic_function(self, func: Callable[[str, str], None], kind: str, name: str) -> None:
        assert kind == "cell"
        self.magics[name] = func

    def set_next_input(self, s: str, replace: bool = False) -> None:
        self.next.append((s, replace))


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    load_ipython_extension(made)
    return made


def test_a_cell_becomes_a_universe(
    shell: Shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    shell.magics["hamlet"]("", CELL)
    shell.magics["hamlet"]("mine", CELL)
    assert capsys.readouterr().out == ""
    assert list(shell.user_ns) == ["garden", "mine"]
    assert shell.user_ns["mine"].universe.name == "garden"


def test_what_is_wrong_is_said_and_mended_by_request(
    shell: Shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    broken = CELL.replace("decay 0.1", "decay = .1")
    shell.magics["hamlet"]("", broken)
    assert "error[H018]" in capsys.readouterr().out
    assert (shell.user_ns, shell.next) == ({}, [])
    shell.magics["hamlet"]("--fix town", broken)
    assert shell.next == [(f"%%hamlet town\n{CELL}", True)]
    assert list(shell.user_ns) == ["town"]


@pytest.mark.parametrize("line", ["a b", "2", "--help"])
def test_another_line_is_told_how_it_is_used(shell: Shell, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    shell.magics["hamlet"](line, CELL)
    assert capsys.readouterr().out == f"usage: {USAGE}\n"
    assert shell.user_ns == {}


def test_hooks_are_commands_that_there_are() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["hamletc-fmt", "hamletc-check"]
    for hook in hooks:
        program, verb = hook["entry"].split()
        assert program == "hamletc"
        assert hamletc.get_command(click.Context(hamletc), verb) is not None
        assert hook["files"] == r"\.hamlet$"
