"""Running `hamletc` in a process of its own, the way a user does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

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
