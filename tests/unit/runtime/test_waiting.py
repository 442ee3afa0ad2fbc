"""Whoever waits for kernels that are compiled is told so in a line; whoever finds machine code reads nothing."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from hamlet import waiting
from hamlet.package.module import execute
from hamlet.waiting import compiling, told

SOURCE = "from hamlet.launch.cpu.ops import kernel\n\n@kernel\ndef run(array):\n    array[0] = {number}\n"
LINE = "hamlet: compiling kernels of tiny for this machine, once"


def compile_and_run(number: int, by_entry: bool) -> None:
    """Run a kernel that is new to this process, as numba calls kernels or as ours are called."""
    from hamlet.launch.cpu.ops.entries import entry_of

    kernels = execute("numba_kernels.py", SOURCE.format(number=number).encode())
    del sys.modules[kernels.__name__]
    array = np.zeros(1, np.int32)
    if by_entry:
        entry_of(kernels.run, [array]).run([array])
    else:
        kernels.run(array)
    assert array[0] == number


@pytest.mark.parametrize("by_entry", [False, True])
def test_what_is_compiled_is_told_once_and_what_is_kept_is_not(
    by_entry: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    compile_and_run(71, by_entry)
    assert capsys.readouterr().err == ""
    with told("tiny"):
        compile_and_run(71, by_entry)
        assert capsys.readouterr().err == ""
        for number in (72, 73):
            compile_and_run(number, by_entry)
    assert capsys.readouterr().err == f"{LINE}, which takes seconds\n"
    with told("tiny", quiet=True):
        compile_and_run(74, by_entry)
    with told("tiny"), told("other", quiet=True):
        assert capsys.readouterr().err == ""
        compile_and_run(75, by_entry)
    assert capsys.readouterr().err == f"{LINE}, which takes seconds\n"


def test_a_terminal_counts_seconds(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(waiting, "_is_terminal", lambda: True)
    monkeypatch.setattr(waiting, "EVERY", 0.01)
    for _ in range(2):
        with told("tiny"):
            with compiling(), compiling():
                time.sleep(0.2)
            first, *others = capsys.readouterr().err.removesuffix("\n").split("\r")
            assert first == ""
            assert set(others) <= {f"{LINE}: {seconds} s" for seconds in range(20)}
            assert len(others) > 2
