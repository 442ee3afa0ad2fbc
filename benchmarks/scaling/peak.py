"""How many operations per second this machine does at best: a loop of additions, comparisons, selections, shifts and
multiplications like those of a tick, on data in the level-1 cache or in registers, on all cores."""

from __future__ import annotations

import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import torch

ELEMENTS = 256
REPEATED = 4
OPERATIONS = 7 * REPEATED
"""Of an element in a round: less, add, subtract, select; shift, xor, multiply; so many times."""
GPU_BLOCKS = 1 << 14


@numba.njit(nogil=True)  # type: ignore[untyped-decorator] # numba has no types
def _rounds(numbers: Any, words: Any, rounds: int) -> None:
    step, limit = np.float32(0.25), np.float32(0.5)
    for _ in range(rounds):
        for index in range(ELEMENTS):
            number, word = numbers[index], words[index]
            for _ in range(REPEATED):
                number = number + step if number < limit else number - step
                word = (word ^ (word >> np.uint32(15))) * np.uint32(0x85EBCA77)
            numbers[index], words[index] = number, word


def cpu_peak(samples: int, rounds: int = 200_000) -> float:
    """Operations per second of all threads: the median."""
    threads = int(os.environ.get("NUMBA_NUM_THREADS", len(os.sched_getaffinity(0))))
    data = [
        (np.linspace(0, 1, ELEMENTS, dtype=np.float32), np.arange(ELEMENTS, dtype=np.uint32)) for _ in range(threads)
    ]
    with ThreadPoolExecutor(threads) as pool:

        def run(rounds: int) -> float:
            begin = time.perf_counter()
            for done in [pool.submit(_rounds, *arrays, rounds) for arrays in data]:
                done.result()
            return threads * rounds * ELEMENTS * OPERATIONS / (time.perf_counter() - begin)

        run(1)
        return statistics.median(run(rounds) for _ in range(samples))


def gpu_peak(samples: int, rounds: int = 20_000) -> float:
    """The same on the current CUDA device."""
    import triton
    import triton.language as tl

    # Triton looks names up in the module.
    globals()["tl"] = tl
    kernel = triton.jit(_gpu_rounds)
    result = torch.zeros(GPU_BLOCKS * ELEMENTS, device="cuda")

    def run(rounds: int) -> float:
        begin = time.perf_counter()
        kernel[(GPU_BLOCKS,)](result, rounds, ELEMENTS, REPEATED, num_warps=ELEMENTS // 32, enable_fp_fusion=False)
        torch.cuda.synchronize()
        return GPU_BLOCKS * ELEMENTS * rounds * OPERATIONS / (time.perf_counter() - begin)

    run(1)
    return statistics.median(run(rounds) for _ in range(samples))


# Triton is imported only where there is a GPU, so linters do not know `tl` here; hence what is ignored.
def _gpu_rounds(out, rounds, elements: "tl.constexpr", repeated: "tl.constexpr"):  # type: ignore[no-untyped-def,name-defined] # noqa: F821, UP037
    lane = tl.program_id(0) * elements + tl.arange(0, elements)  # type: ignore[name-defined] # noqa: F821
    number = lane.to(tl.float32)  # type: ignore[name-defined] # noqa: F821
    word = lane.to(tl.uint32)  # type: ignore[name-defined] # noqa: F821
    for _ in range(rounds):
        for _ in range(repeated):
            number = tl.where(number < 0.5, number + 0.25, number - 0.25)  # type: ignore[name-defined] # noqa: F821
            word = (word ^ (word >> 15)) * 0x85EBCA77
    tl.store(out + lane, number + word.to(tl.float32))  # type: ignore[name-defined] # noqa: F821
