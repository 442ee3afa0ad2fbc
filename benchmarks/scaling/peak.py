"""How many operations per second this machine does at best: a loop of additions, comparisons, selections, shifts and
multiplications like those of a tick, on data in the level-1 cache or in registers, on all cores."""

from __future__ import annotations

import ctypes
import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from hamlet.native.library import library

ELEMENTS = 256
REPEATED = 4
OPERATIONS = 7 * REPEATED
"""Of an element in a round: less, add, subtract, select; shift, xor, multiply; so many times."""
GPU_BLOCKS = 1 << 14


ROUNDS = f"""
#include "hamlet.h"

HAMLET_EXPORT void run_rounds(f32 *numbers, u32 *words, i64 rounds) {{
    vf32 step = alike_vf32(0.25f), limit = alike_vf32(0.5f);
    vu32 factor = alike_vu32(0x85EBCA77u), fifteen = alike_vu32(15);
    for (i64 round = 0; round < rounds; round++)
        for (ix index = 0; index < {ELEMENTS}; index += WIDE) {{
            vf32 number = fetch_vf32(numbers, index);
            vu32 word = fetch_vu32(words, index);
            for (int again = 0; again < {REPEATED}; again++) {{
                vf32 more = add_vf32(number, step), less = subtract_vf32(number, step);
                number = where_vf32(less_vf32(number, limit), more, less);
                word = multiply_vu32(bit_xor_vu32(word, shift_right_vu32(word, fifteen)), factor);
            }}
            store_vf32(numbers, index, number);
            store_vu32(words, index, word);
        }}
}}
"""
"""Rounds of a thread, as kernels in C write them: vectors as wide as theirs."""


def cpu_peak(samples: int, rounds: int = 200_000) -> float:
    """Operations per second of all threads: the median. Raises `EnvError` where there is no compiler of C."""
    threads = int(os.environ.get("HAMLET_THREADS", len(os.sched_getaffinity(0))))
    run_rounds = library(ROUNDS).run_rounds
    run_rounds.argtypes, run_rounds.restype = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64), None
    data = [
        (np.linspace(0, 1, ELEMENTS, dtype=np.float32), np.arange(ELEMENTS, dtype=np.uint32)) for _ in range(threads)
    ]
    with ThreadPoolExecutor(threads) as pool:

        def run(rounds: int) -> float:
            begin = time.perf_counter()
            # A call of C holds no lock of Python's.
            for done in [pool.submit(run_rounds, *(array.ctypes.data for array in arrays), rounds) for arrays in data]:
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
