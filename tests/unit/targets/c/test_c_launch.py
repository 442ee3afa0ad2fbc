"""The launcher: shares of threads, and the text that it launches."""

from __future__ import annotations

import pytest
from crowded import universe

from hamlet.errors import EnvError
from hamlet.launch.cpu.launch import CpuBackend, _ranges
from hamletc.compilation import Compilation
from hamletc.targets.c.emit import emit


class Empty:
    """No kernels."""

    cells, lanes, origin = 0, 256, "none"

    def team(self) -> None:
        """Nobody."""


@pytest.mark.parametrize(
    ("worlds", "per_chunk", "threads"), [(1, 256, 4), (1000, 256, 2), (256, 256, 3), (77, 85, 9), (10, 1, 4)]
)
def test_ranges_are_whole_chunks_and_cover_all_worlds(worlds: int, per_chunk: int, threads: int) -> None:
    ranges = _ranges(worlds, per_chunk, threads)
    assert [world for begin, end in ranges for world in range(begin, end)] == list(range(worlds))
    assert len(ranges) <= threads
    assert all(begin % per_chunk == 0 for begin, _ in ranges)


@pytest.mark.parametrize("wanted", ["0", "-1", "two", ""])
def test_a_wrong_number_of_threads_is_an_error(wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAMLET_THREADS", wanted)
    with pytest.raises(EnvError, match="HAMLET_THREADS must be a positive number"):
        CpuBackend(universe(), Empty)  # type: ignore[arg-type]
    with pytest.raises(EnvError, match="threads must be at least 1"):
        CpuBackend(universe(), Empty, 0)  # type: ignore[arg-type]


def test_text_is_the_same_twice() -> None:
    program = Compilation.begin(universe()).run().program
    text = emit(program, universe())
    assert text == emit(program, universe())
    assert not any(line != line.rstrip() for line in text.splitlines())
