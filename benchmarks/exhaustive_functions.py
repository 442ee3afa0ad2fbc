"""The elementary functions over all binary32 numbers: the largest error of each, and where it is.

    python benchmarks/exhaustive_functions.py [--functions exp log ...] [--stride 1] [--json FILE]

The sequence of operations is the one that kernels get: made by the lowering, printed as C. The
reference is numpy in binary64, whose error is a few billionths of a binary32 ulp. An *ulp* is the distance of
the binary32 numbers around the exact result (2^-149 for subnormal ones). atan2 and pow have too many arguments: 2^32
pairs are drawn; for pow half of them with a result that is neither 0 nor infinite, for atan2 half of them of one size.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from hamlet.native.library import library
from hamlet.universe.functions import FunctionOfTwo
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import F32
from hamletc.lowering.functions import call, call_with_two
from hamletc.targets.c.alone import RUN, alone

UNARY = ("sqrt", "exp", "exp2", "log", "log2", "sin", "cos", "tanh", "sigmoid")
BINARY: tuple[FunctionOfTwo, ...] = ("atan2", "pow")
CHUNK = 1 << 20
WHOLE = 64
"""Lanes of whole vectors, on any machine."""

Array: TypeAlias = "np.ndarray[Any, Any]"


@dataclass(frozen=True, slots=True)
class Worst:
    """What came out for a function. `arguments` are those of the largest error; `inexact` counts results that are not
    the correctly rounded ones."""

    function: str
    tested: int
    inexact: int
    ulp: float
    arguments: tuple[float, ...]
    result: float
    seconds: float


def sequence(name: str) -> Function:
    """The operations of a function, of inputs x and y."""
    builder = Builder()
    x = builder.input(F32, "x")
    pairs = next((each for each in BINARY if each == name), None)
    value = call(builder, name, x) if pairs is None else call_with_two(builder, pairs, x, builder.input(F32, "y"))
    return builder.finish(name, (Output("result", value),))


def compiled(function: Function) -> Callable[..., Array]:
    """The sequence as kernels in C compute it, of one or two arrays f32 of the same length."""
    run = library(alone(function, "vector"))[RUN]
    run.restype = None

    def compute(*arguments: Array) -> Array:
        room = -(-len(arguments[0]) // WHOLE) * WHOLE
        padded = [np.concatenate([each, np.ones(room - len(each), np.float32)]) for each in arguments]
        result = np.zeros(room, np.float32)
        addresses = [ctypes.c_void_p(each.ctypes.data) for each in (*padded, result)]
        run(*addresses, ctypes.c_int64(room))
        return result[: len(arguments[0])]

    return compute


def reference(name: str, x: Array, y: Array | None) -> Array:
    """The function in binary64, inside its domain; outside NaN, which is not compared."""
    match name:
        case "exp2":
            return np.exp2(x)
        case "log" | "log2" | "sqrt":
            return np.where(x > 0 if name != "sqrt" else x >= 0, getattr(np, name)(np.abs(x)), np.nan)
        case "sin" | "cos":
            return np.where(np.abs(x) <= 2.0**20, getattr(np, name)(np.clip(x, -(2.0**20), 2.0**20)), np.nan)
        case "sigmoid":
            return 1.0 / (1.0 + np.exp(-x))
        case "exp" | "tanh":
            result: Array = getattr(np, name)(x)
            return result
        case "atan2":
            assert y is not None, "atan2 has two arguments"
            return np.arctan2(x + 0.0, y + 0.0)
        case _:
            assert y is not None, "pow has two arguments"
            return np.where(x > 0, np.power(np.abs(x), y), np.nan)


def ulps_of(exact: Array) -> Array:
    """The distances of the binary32 numbers around numbers."""
    return np.where(np.abs(exact) < 2.0**-126, 2.0**-149, 2.0 ** (np.frexp(exact)[1] - 24.0))


def measure(name: str, stride: int) -> Worst:
    """The errors of a function at every `stride`-th number, from a different one in each chunk on."""
    run = compiled(sequence(name))
    begin = time.perf_counter()
    worst, at = 0.0, (0.0, 0.0, 0.0)
    tested = inexact = 0
    generator = np.random.default_rng(0)
    for first in range(0, 2**32, CHUNK * stride):
        y = None
        if name == "atan2":
            x, y = (generator.integers(0, 2**32, CHUNK, dtype=np.uint32).view(np.float32).copy() for _ in range(2))
            x[::2], y[::2] = generator.uniform(-10.0, 10.0, (2, CHUNK // 2))
            x[~np.isfinite(x)] = y[~np.isfinite(y)] = 0.5
        elif name == "pow":
            x = generator.integers(0, 0x7F800000, CHUNK, dtype=np.uint32).view(np.float32)
            y = generator.integers(0, 2**32, CHUNK, dtype=np.uint32).view(np.float32).copy()
            with np.errstate(all="ignore"):
                near = generator.uniform(-150, 128, CHUNK // 2) / np.log2(x[::2].astype(np.float64))
            y[::2] = np.clip(near, -3e38, 3e38)
            y[~np.isfinite(y)] = 0.5
        else:
            offset = (first // CHUNK) % stride
            numbers = np.arange(first + offset, first + CHUNK * stride, stride, dtype=np.uint64).astype(np.uint32)
            x = numbers.view(np.float32)
            x = x[np.isfinite(x)]
        got = run(x) if y is None else run(x, y)
        with np.errstate(all="ignore"):
            exact = reference(name, x.astype(np.float64), None if y is None else y.astype(np.float64))
            rounded = exact.astype(np.float32)
            compared = ~(np.isnan(exact) | np.isinf(rounded))
            errors = np.where(compared, np.abs(got.astype(np.float64) - exact) / ulps_of(exact), 0.0)
        tested += int(compared.sum())
        inexact += int((compared & (got != rounded)).sum())
        # A result that is NaN is the worst.
        place = int(np.argmax(np.where(np.isnan(errors), np.inf, errors))) if len(x) else 0
        if len(x) and not errors[place] <= worst:
            worst, at = (
                float(errors[place]),
                (float(x[place]), 0.0 if y is None else float(y[place]), float(got[place])),
            )
    arguments = at[:2] if name in BINARY else at[:1]
    return Worst(name, tested, inexact, worst, arguments, at[2], time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", nargs="*", default=[*UNARY, *BINARY])
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    found = []
    for name in arguments.functions:
        found.append(worst := measure(name, arguments.stride))
        print(
            f"{name:8} {worst.tested:>13,} tested  {worst.inexact / worst.tested:7.2%} not correctly rounded  "
            f"at most {worst.ulp:.4f} ulp, at {', '.join(map(repr, worst.arguments))}  ({worst.seconds:.0f} s)",
            flush=True,
        )
    if arguments.json is not None:
        text = {"machine": platform.processor() or platform.machine(), "stride": arguments.stride}
        arguments.json.write_text(
            json.dumps({**text, "functions": [asdict(worst) for worst in found]}, indent=2) + "\n"
        )


if __name__ == "__main__":
    main()
