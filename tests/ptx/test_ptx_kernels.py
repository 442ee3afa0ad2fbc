"""The kernels of the shipped universes, compiled to PTX and executed, equal the interpreter in every bit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("capability", ["80", "90"])
@pytest.mark.parametrize("name", ["first_meal", "town", "shifts"])
def test_ptx_equals_the_interpreter(name: str, capability: str, tmp_path: Path) -> None:
    program = Path(__file__).with_name("compare_ptx.py")
    command = [sys.executable, str(program), name, str(tmp_path / name), capability]
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.fullmatch(rf"{name}: ptx sm_{capability} equals the interpreter in (\d+) values\n", done.stdout)
    assert found is not None, done.stdout
    assert int(found[1]) > 50_000
