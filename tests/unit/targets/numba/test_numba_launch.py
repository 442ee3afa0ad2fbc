"""The launcher and the operations that are no operations of the IR."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
import torch
from crowded import universe

from hamlet.errors import EnvError
from hamlet.launch.cpu import ops as numba_ops
from hamlet.launch.cpu.entry import shares_of
from hamlet.launch.cpu.launch import CpuBackend, _ranges
from hamletc.compilation import Compilation
from hamletc.targets.numba.emit import emit


@numba.njit
def _encode(values: Any, encoded: Any, low: Any, scale: Any) -> None:
    for index in range(values.shape[0]):
        encoded[index] = numba_ops.encode(encoded, values[index], low, scale)


class Empty:
    TABLES = ()
    CELLS = 0


def test_bf16_is_rounded_as_torch_does() -> None:
    generator = np.random.default_rng(3)
    words = generator.integers(0, 2**32, 100_000, dtype=np.uint64).astype(np.uint32)
    words[:9] = [0, 0x80000000, 1, 0x7F800000, 0x7F7FFFFF, 0x3F808000, 0x3F818000, 0x7FC00001, 0xFF800000]
    encoded = np.zeros(words.shape, np.uint16)
    _encode(words.view(np.float32), encoded, np.float32(0), np.float32(0))
    expected = torch.from_numpy(words.view(np.float32).copy()).to(torch.bfloat16).view(torch.uint16).numpy()
    finite = np.isfinite(words.view(np.float32)) | np.isinf(words.view(np.float32))
    assert np.array_equal(encoded[finite], expected[finite])
    assert np.isnan(torch.from_numpy(encoded[~finite].copy()).view(torch.bfloat16).float().numpy()).all()


def test_bytes_are_the_nearest_steps() -> None:
    """In all magnitudes: ties to even, nothing below 0 or above 255."""
    generator = np.random.default_rng(4)
    values = np.concatenate(
        [
            np.arange(-2, 259, 0.5, dtype=np.float32),
            generator.integers(0, 0x7F000000, 100_000).astype(np.uint32).view(np.float32),
            generator.integers(0x80000000, 0xFF000000, 100_000).astype(np.uint32).view(np.float32),
            generator.uniform(-3, 4, 100_000).astype(np.float32),
        ]
    )
    for low, scale in ((0.0, 1.0), (-1.0, 127.5), (0.0, 255.0)):
        encoded = np.zeros(values.shape, np.uint8)
        _encode(values, encoded, np.float32(low), np.float32(scale))
        with np.errstate(over="ignore"):
            steps = (values - np.float32(low)) * np.float32(scale)
        assert np.array_equal(encoded, np.rint(np.clip(steps, 0, 255)).astype(np.uint8))


@pytest.mark.parametrize(
    ("worlds", "per_chunk", "threads"), [(1, 256, 4), (1000, 256, 2), (256, 256, 3), (77, 85, 9), (10, 1, 4)]
)
def test_ranges_are_whole_chunks_and_cover_all_worlds(worlds: int, per_chunk: int, threads: int) -> None:
    ranges = _ranges(worlds, per_chunk, threads)
    assert [world for begin, end in ranges for world in range(begin, end)] == list(range(worlds))
    assert len(ranges) <= threads
    assert all(begin % per_chunk == 0 for begin, _ in ranges)


def test_threads_take_every_chunk_once() -> None:
    """Also those of a thread that does not come."""

    @numba.njit(nogil=True)
    def take(shares: Any, thread: int, taken: Any) -> None:
        world = numba_ops.next_worlds(shares, thread, 10)
        while world >= 0:
            taken[world] += 1
            world = numba_ops.next_worlds(shares, thread, 10)

    shares, taken = shares_of(_ranges(100_007, 10, 4)), np.zeros((3, 100_007), np.int64)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(take, [shares] * 3, [0, 1, 3], taken))
    assert np.array_equal(taken.sum(axis=0), np.arange(100_007) % 10 == 0)


@pytest.mark.parametrize("wanted", ["0", "-1", "two", ""])
def test_a_wrong_number_of_threads_is_an_error(wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_NUM_THREADS", wanted)
    with pytest.raises(EnvError, match="NUMBA_NUM_THREADS must be a positive number"):
        CpuBackend(universe(), Empty)  # type: ignore[arg-type]
    with pytest.raises(EnvError, match="threads must be at least 1"):
        CpuBackend(universe(), Empty, 0)  # type: ignore[arg-type]


def test_the_collector_is_left_as_it_was() -> None:
    assert gc.isenabled()


def test_text_is_the_same_twice_and_fits_the_line(tmp_path: Path) -> None:
    program = Compilation.begin(universe()).run().program
    text = emit(program, universe())
    assert text == emit(program, universe())
    assert max(map(len, text.splitlines())) <= 120
    assert not any(line != line.rstrip() for line in text.splitlines())
    compile(text, str(tmp_path), "exec")
