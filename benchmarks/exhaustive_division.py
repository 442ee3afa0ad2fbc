"""Whether a division by a constant may be a multiplication and a fused one, tried with every numerator:

    python benchmarks/exhaustive_division.py

For the divisors of the shipped universes and 32 random ones, every binary32 number from 2**-38 to 2**38, and +0.0, is
divided both ways: 637,534,210 numerators each, which is all that `hamletc.passes.constant_division` lets through. Also
says of how many random divisors the pass proves that they may be replaced. Writes JSON to benchmarks/results/.
"""

from __future__ import annotations

import ctypes
import json
import platform
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from hamlet.native.library import library
from hamletc.compile import check_file, lower, optimise
from hamletc.frontend import Stopwatch
from hamletc.ir.ops import Const, Div, Type
from hamletc.passes.constant_division import LARGEST, SMALLEST, reciprocal

ROOT = Path(__file__).resolve().parent.parent
RESULT = Path(__file__).parent / "results" / "exhaustive_division.json"
BATCH = 1 << 22
SEED, RANDOM, DRAWN = 11, 32, 10_000


TEXT = """#include "hamlet.h"
HAMLET_EXPORT i64 wrong(const f32 *numerators, i64 count, f32 divisor, f32 high, f32 low) {
    i64 differ = 0;
    for (ix i = 0; i < count; i++) {
        f32 x = numerators[i];
        differ += fma_f32(x, high, x * low) != x / divisor;
    }
    return differ;
}
"""


def wrong(numerators: np.ndarray[Any, Any], divisor: Any, high: Any, low: Any) -> int:
    """How many quotients differ."""
    function = library(TEXT).wrong
    function.restype = ctypes.c_int64
    address = ctypes.c_void_p(numerators.ctypes.data)
    return int(function(address, ctypes.c_int64(len(numerators)), *map(ctypes.c_float, (divisor, high, low))))


def bits(value: float) -> int:
    """The bits of a binary32 number."""
    return int(np.float32(value).view(np.uint32))


def shipped() -> list[float]:
    """The constants by which the shipped universes divide."""
    divisors = set()
    for path in sorted((ROOT / "universes").glob("*.hamlet")):
        universe = check_file(path, Stopwatch()).universe
        program = optimise(lower(universe)).program
        for function in program.functions:
            for node in function.nodes:
                if isinstance(node.op, Div) and node.type is Type.F32:
                    by = function.nodes[node.op.right].op
                    if isinstance(by, Const):
                        divisors.add(float(by.value))
    return sorted(divisors)


def drawn(generator: random.Random) -> float:
    """A binary32 number between the smallest and the largest divisor, evenly among their bits."""
    return float(np.uint32(generator.randrange(bits(SMALLEST), bits(LARGEST) + 1)).view(np.float32))


def main() -> int:
    generator = random.Random(SEED)
    proven = sum(reciprocal(drawn(generator)) is not None for _ in range(DRAWN))
    divisors = shipped()
    tried = {}
    while len(tried) < len(divisors) + RANDOM:
        divisor = divisors[len(tried)] if len(tried) < len(divisors) else drawn(generator)
        parts = reciprocal(divisor)
        if parts is None and divisor in divisors:
            print(f"{divisor} is not proven", file=sys.stderr)
            return 1
        if parts is not None:
            tried[divisor] = tuple(np.float32(part) for part in parts)
    begin, first, last = time.perf_counter(), bits(SMALLEST), bits(LARGEST)
    failures = dict.fromkeys(tried, 0)
    numerators = 1 + last + 1 - first
    for start in [0, *range(first, last + 1, BATCH)]:
        end = 1 if start == 0 else min(start + BATCH, last + 1)
        x = np.arange(start, end, dtype=np.uint32).view(np.float32)
        for divisor, (high, low) in tried.items():
            failures[divisor] += int(wrong(x, np.float32(divisor), high, low))
    result = {
        "command": "python benchmarks/exhaustive_division.py",
        "commit": subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip(),
        "machine": platform.processor() or platform.machine(),
        "numerators_per_divisor": numerators,
        "shipped_divisors": divisors,
        "random_divisors": [divisor for divisor in tried if divisor not in divisors],
        "wrong_quotients": sum(failures.values()),
        "proven_of_random_divisors": proven / DRAWN,
        "seconds": round(time.perf_counter() - begin, 1),
    }
    RESULT.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))
    return 1 if result["wrong_quotients"] else 0


if __name__ == "__main__":
    sys.exit(main())
