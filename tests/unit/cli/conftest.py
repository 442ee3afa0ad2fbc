"""Running `hamletc` in a process of its own, the way a user does, or in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from shipped import Command

from hamletc.cli.main import main


@pytest.fixture
def hamletc(tmp_path: Path) -> Command:
    """Runs `hamletc` with these arguments in an empty folder; a traceback fails the test."""

    def call(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-c", "from hamletc.cli.main import main; main()", *map(str, arguments)],
            cwd=tmp_path,
            # Other tests of this process may have asked for Triton's interpreter.
            env=os.environ | {"COLUMNS": "100", "TRITON_INTERPRET": "0"} | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert "Traceback" not in done.stderr + done.stdout, done.stderr
        return done

    return call


@pytest.fixture
def hamletc_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The same in this process, which need not import torch again."""
    monkeypatch.chdir(tmp_path)
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
