"""A process compiles its first kernels itself and lets children compile the others, whose memory ends with them."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hamlet
from hamlet.launch.cpu import child
from hamlet.launch.cpu.child import in_a_child
from hamlet.launch.cpu.ops import caching
from hamlet.launch.cpu.ops.entries import entry_of
from hamlet.package import cache
from hamlet.package.module import Module, execute
from hamlet.waiting import told

SOURCE = "from hamlet.launch.cpu.ops import kernel\n\n@kernel\ndef run(array):\n    array[0] = {value}\n"
UNIVERSE = """
universe small_{number}
space none
meter energy = 1.0 {{ decay 0.0{number} }}
meter joy = 0.5
action Sing {{ joy += 0.{number} * energy }}
dies when energy <= 0
reward joy
"""
MEGABYTES = 5


@pytest.fixture
def compiled_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of kernels that this process compiles from now on: children compile all but the first, and nothing is
    kept yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(caching, "OWN", 1)
    caching._turns.cache_clear()
    names, library = [], caching._library

    def noted(name: str, codegen: Any, write: Callable[[Any], None]) -> Any:
        if name.startswith("hamlet_entry"):
            names.append(name)
        return library(name, codegen, write)

    monkeypatch.setattr(caching, "_library", noted)
    return names


def run(value: object) -> int:
    """What a kernel writes that is new to this process."""
    kernels = execute("numba_kernels.py", SOURCE.format(value=value).encode())
    del sys.modules[kernels.__name__]
    array = np.zeros(1, np.int32)
    entry_of(kernels.run, [array]).run([array])
    return int(array[0])


def children() -> set[str]:
    """The numbers of the children of this process that were not waited for."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {number for task in tasks for number in task.read_text().split()}


@pytest.fixture(autouse=True)
def waited_for() -> Iterator[None]:
    """No test leaves a child behind; helpers of all tests are children, too."""
    before = children()
    yield
    assert children() <= before


def resident() -> float:
    """Megabytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_children_compile_what_comes_after_the_first(
    compiled_here: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """... and what they made is kept, and told of, as if this process had compiled it."""
    with told("tiny"):
        assert [run(number) for number in (31, 32, 33, 34)] == [31, 32, 33, 34]
    assert len(compiled_here) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert len(list((cache.folder() / caching.KIND).iterdir())) == 4
    with told("tiny"):
        assert [run(number) for number in (31, 34)] == [31, 34]
    assert capsys.readouterr().err == ""
    assert len(compiled_here) == 1


def test_children_need_no_cache(compiled_here: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    assert [run(number) for number in (41, 42, 43)] == [41, 42, 43]
    assert len(compiled_here) == 1


def test_what_a_child_cannot_compile_fails_here(compiled_here: list[str]) -> None:
    run(51)
    with pytest.raises(Exception, match="setitem"):
        run("(1, 2)")
    assert len(compiled_here) == 2


def test_where_no_child_can_be_had_this_process_compiles(
    compiled_here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", refused)
    assert [run(number) for number in (61, 62)] == [61, 62]
    assert len(compiled_here) == 2


def test_a_child_sends_all_or_nothing() -> None:
    large = os.urandom(1 << 20) * 3

    def killed() -> bytes:
        os.kill(os.getpid(), signal.SIGKILL)
        return large

    assert in_a_child(lambda: large) == large
    assert in_a_child(lambda: b"") == b""
    assert in_a_child(killed) is None
    assert in_a_child(lambda: bytes([256])) is None


def test_a_child_that_sleeps_for_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """... such as one that waits for a lock of a thread that a fork leaves behind."""
    monkeypatch.setattr(child, "PATIENCE", 0.05)
    monkeypatch.setattr(child, "EVERY", 20)
    lock = threading.Lock()

    def waits() -> bytes:
        with lock:
            return b"done"

    begun = time.monotonic()
    with lock:
        assert in_a_child(waits) is None
    assert time.monotonic() - begun < 10


def test_a_process_may_ignore_its_children() -> None:
    def slow() -> bytes:
        time.sleep(0.1)
        return b"done"

    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert in_a_child(slow) == b"done"
        assert in_a_child(lambda: bytes([256])) is None
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_ctrl_c_ends_both() -> None:
    """A terminal sends it to both: the child leaves the answer to its parent."""

    def pressed() -> bytes:
        os.kill(os.getpid(), signal.SIGINT)
        return b"done"

    def slow() -> bytes:
        # What Python runs in the parent after a fork drops an interrupt.
        time.sleep(0.5)
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(60)
        return b""

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert in_a_child(pressed) == b"done"
        with pytest.raises(KeyboardInterrupt):
            in_a_child(slow)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.long
def test_universes_that_children_compile_take_little_memory(
    compiled_here: list[str], compiled: Callable[[str], Module]
) -> None:
    """... and their bits are the interpreter's."""
    grown = []
    for number in (11, 12, 13, 14):
        module = compiled(UNIVERSE.format(number=number))
        before = resident()
        envs = [
            hamlet.make(module, worlds=64, seed=number, device="cpu", backend=backend, quiet=True)
            for backend in ("numba", "interpreter")
        ]
        for env in envs:
            env.rollout(50)
        assert all(a.equal(b) for a, b in zip(*(env.state.values() for env in envs), strict=True))
        grown.append(resident() - before)
    assert len(compiled_here) == 1
    assert max(grown[1:]) < MEGABYTES
