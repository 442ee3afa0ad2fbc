"""Running `hamletc` in a process of its own, the way a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from shipped import Command


@pytest.fixture
def hamletc(tmp_path: Path) -> Command:
    """Runs `hamletc` with these arguments in an empty folder; a traceback fails the test."""

    def call(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-c", "from hamletc.cli.main import main; main()", *map(str, arguments)],
            cwd=tmp_path,
            env=os.environ | {"COLUMNS": "100"} | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert "Traceback" not in done.stderr + done.stdout, done.stderr
        return done

    return call
