"""Running `hamletc` in a process of its own, the way a user does, or in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hamletc.cli.main import main
from processes import COMMAND, Command, Run


@pytest.fixture
def hamletc(tmp_path: Path, run_program: Run) -> Command:
    """Runs `hamletc` with these arguments in an empty folder; a traceback fails the test. Python itself has started
    before, so that variables for it say nothing."""

    def call(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        done = run_program(COMMAND, *arguments, cwd=tmp_path, **({"COLUMNS": "100"} | environment))
        assert "Traceback" not in done.stderr + done.stdout, done.stderr
        return done

    return call


@pytest.fixture
def hamletc_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The same in this process, which is much cheaper; for what does not depend on how a process starts and ends."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    # Some verbs set it for the process that they have to themselves otherwise.
    monkeypatch.setenv("TRITON_INTERPRET", os.environ.get("TRITON_INTERPRET", "0"))

    def call(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["hamletc", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return subprocess.CompletedProcess(sys.argv, int(ended.value.code or 0), captured.out, captured.err)

    return call
