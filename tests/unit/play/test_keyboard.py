"""Keys of a terminal, which is as it was after the end, errors and signals too."""

from __future__ import annotations

import os
import signal
import sys
import termios
import threading
from collections.abc import Iterator

import pytest

from hamlet_lab.play.keyboard import Typed, typed
from hamletc.errors import CompileError


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """Both ends of a terminal: ours, and the one that is standard input."""
    ours, theirs = os.openpty()
    monkeypatch.setattr(sys, "stdin", os.fdopen(theirs, closefd=False))
    yield ours, theirs
    os.close(ours)
    os.close(theirs)


def test_keys_have_names(terminal: tuple[int, int]) -> None:
    ours, _ = terminal
    with typed() as keyboard:
        assert keyboard.waits
        os.write(ours, b"\x1b[A\x1bOD \r\tq\x1b[15~\x1b\xc3")
        assert [keyboard.read(1) for _ in range(6)] == ["up", "left", "space", "enter", "tab", "q"]
        # A key that has no name, and Escape alone.
        assert [keyboard.read(1) for _ in range(2)] == ["", ""]
        assert keyboard.read(0.01) is None
        os.write(ours, b"\xa9\x04")
        assert [keyboard.read(1) for _ in range(2)] == ["\u00e9", "end"]


def test_a_terminal_that_is_gone_ends_the_game() -> None:
    read, write = os.pipe()
    os.write(write, b"q")
    os.close(write)
    keyboard = Typed(read)
    assert [keyboard.read(None) for _ in range(2)] == ["q", "end"]
    os.close(read)


@pytest.mark.parametrize("number", [None, signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_terminal_is_as_it_was(number: int | None, terminal: tuple[int, int]) -> None:
    _, theirs = terminal
    before = termios.tcgetattr(theirs)
    expected: type[BaseException] = ValueError
    if number is not None:
        expected = KeyboardInterrupt if number == signal.SIGINT else SystemExit
        threading.Timer(0.2, os.kill, (os.getpid(), number)).start()
    with pytest.raises(expected) as ended:
        in_raw_mode(theirs, fails=number is None)
    assert termios.tcgetattr(theirs) == before
    if isinstance(ended.value, SystemExit):
        assert ended.value.code == 128 + (number or 0)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_what_is_no_terminal_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (None, open(os.devnull)):  # noqa: PTH123, SIM115
        monkeypatch.setattr(sys, "stdin", stream)
        with pytest.raises(CompileError, match=r"^standard input is no terminal: give the keys"), typed():
            pass
    monkeypatch.setitem(sys.modules, "termios", None)
    with pytest.raises(CompileError, match=r"^single keys need a terminal as Linux and macOS have it"), typed():
        pass


def in_raw_mode(terminal: int, fails: bool) -> None:
    with typed() as keyboard:
        assert termios.tcgetattr(terminal)[3] & (termios.ICANON | termios.ECHO) == 0
        if fails:
            raise ValueError
        keyboard.read(5)
