"""Whoever waits for kernels that are compiled is told so in a line; whoever finds machine code reads nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from hamlet import waiting
from hamlet.native.library import _library, library
from hamlet.waiting import compiling, told

TEXT = '#include "hamlet.h"\nHAMLET_EXPORT i64 number(void) {{ return {number}; }}\n'
LINE = "hamlet: compiling kernels of tiny for this machine, once"


def compile_and_run(number: int) -> None:
    """Run a text that is new to this process."""
    _library.cache_clear()
    assert library(TEXT.format(number=number)).number() == number


def test_what_is_compiled_is_told_once_and_what_is_kept_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    compile_and_run(71)
    assert capsys.readouterr().err == ""
    with told("tiny"):
        compile_and_run(71)
        assert capsys.readouterr().err == ""
        for number in (72, 73):
            compile_and_run(number)
    assert capsys.readouterr().err == f"{LINE}, which takes seconds\n"
    with told("tiny", quiet=True):
        compile_and_run(74)
    with told("tiny"), told("other", quiet=True):
        assert capsys.readouterr().err == ""
        compile_and_run(75)
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
