"""The elementary functions over all binary32 numbers: the largest error of each, and where it is.

    python benchmarks/exhaustive_functions.py [--functions exp log ...] [--stride 1] [--json FILE]

The sequence of operations is the one that kernels get: made by the lowering, printed by the numba target. The
reference is the C library in binary64, whose error is a few billionths of a binary32 ulp. An *ulp* is the distance of
the binary32 numbers around the exact result (2^-149 for subnormal ones). pow has too many arguments: 2^32 pairs are
drawn, half of them with a result that is neither 0 nor infinite.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np

from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import F32
from hamletc.kernel.body import body
from hamletc.lowering.functions import Function as Name
from hamletc.lowering.functions import call, power
from hamletc.targets.numba.formatter import NumbaFormatter

UNARY: tuple[Name, ...] = ("sqrt", "exp", "exp2", "log", "log2", "sin", "cos", "tanh", "sigmoid")
CHUNK = 1 << 20


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
    if name == "pow":
        value = power(builder, x, builder.input(F32, "y"))
    else:
        value = call(builder, next(known for known in UNARY if known == name), x)
    return builder.finish(name, (Output("result", value),))


def compiled(function: Function) -> Callable[..., Any]:
    """The sequence as numba compiles it, from one or two f32 to an f32."""
    printed = body(function)
    formatter = NumbaFormatter(printed)
    lines = [f"    {line.name} = {formatter.line(line.value)}" for line in printed.lines]
    text = "\n".join(
        [
            "from numba import float32 as f32, int32 as i32, uint32 as u32",
            "from numba import njit",
            "from hamlet.launch.cpu.ops import *",
            "@njit(error_model='numpy')",
            f"def run({', '.join(parameter.name for parameter in printed.parameters)}):",
            *lines,
            f"    return {formatter.typed(printed.outputs[0].value)}",
        ]
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sequence.py"
        path.write_text(text)
        names: dict[str, Any] = {}
        exec(compile(text, str(path), "exec"), names)
        compiled: Callable[..., Any] = names["run"]
        return compiled


def reference(name: str) -> Callable[..., Any]:
    """The function in binary64, inside its domain; outside NaN, which is not compared."""
    njit = numba.njit(error_model="numpy")
    match name:
        case "sqrt":
            return njit(lambda x: math.sqrt(x) if x >= 0 else math.nan)
        case "exp":
            return njit(lambda x: math.exp(x) if x < 700 else math.inf)
        case "exp2":
            return njit(lambda x: 2.0**x if x < 1000 else math.inf)
        case "log":
            return njit(lambda x: math.log(x) if x > 0 else math.nan)
        case "log2":
            return njit(lambda x: math.log2(x) if x > 0 else math.nan)
        case "sin":
            return njit(lambda x: math.sin(x) if abs(x) <= 2.0**20 else math.nan)
        case "cos":
            return njit(lambda x: math.cos(x) if abs(x) <= 2.0**20 else math.nan)
        case "tanh":
            return njit(lambda x: math.tanh(x))
        case "sigmoid":
            return njit(lambda x: 1.0 / (1.0 + math.exp(-x)) if x > -700 else 0.0)
        case _:
            return njit(lambda x, y: x**y if x > 0 else math.nan)


@numba.njit(error_model="numpy")
def ulp_of(exact: float) -> float:
    """The distance of the binary32 numbers around a number."""
    if abs(exact) < 2.0**-126:
        return 2.0**-149
    _, exponent = math.frexp(exact)
    return 2.0 ** (exponent - 24)


def measure(name: str, stride: int) -> Worst:
    """The errors of a function at every `stride`-th number, from a different one in each chunk on."""
    run, exact = compiled(sequence(name)), reference(name)

    @numba.njit(error_model="numpy")
    def compare_one(x: Any, worst: Any, at: Any) -> Any:
        tested = inexact = 0
        for i in range(len(x)):
            wanted = exact(np.float64(x[i]))
            if not (math.isnan(wanted) or math.isinf(np.float32(wanted))):
                got = run(x[i])
                tested += 1
                inexact += got != np.float32(wanted)
                error = abs(np.float64(got) - wanted) / ulp_of(wanted)
                if not error <= worst[0]:
                    worst[0], at[0], at[2] = error, x[i], got
        return tested, inexact

    @numba.njit(error_model="numpy")
    def compare_two(x: Any, y: Any, worst: Any, at: Any) -> Any:
        tested = inexact = 0
        for i in range(len(x)):
            wanted = exact(np.float64(x[i]), np.float64(y[i]))
            if not (math.isnan(wanted) or math.isinf(np.float32(wanted))):
                got = run(x[i], y[i])
                tested += 1
                inexact += got != np.float32(wanted)
                error = abs(np.float64(got) - wanted) / ulp_of(wanted)
                if not error <= worst[0]:
                    worst[0], at[0], at[1], at[2] = error, x[i], y[i], got
        return tested, inexact

    begin = time.perf_counter()
    worst, at = np.zeros(1), np.zeros(3, np.float32)
    tested = inexact = 0
    generator = np.random.default_rng(0)
    for first in range(0, 2**32, CHUNK * stride):
        if name == "pow":
            bits = generator.integers(0, 0x7F800000, CHUNK, dtype=np.uint32)
            x = bits.view(np.float32)
            y = generator.integers(0, 2**32, CHUNK, dtype=np.uint32).view(np.float32).copy()
            with np.errstate(all="ignore"):
                near = generator.uniform(-150, 128, CHUNK // 2) / np.log2(x[::2].astype(np.float64))
            y[::2] = np.clip(near, -3e38, 3e38)
            y[~np.isfinite(y)] = 0.5
            counts = compare_two(x, y, worst, at)
        else:
            offset = (first // CHUNK) % stride
            bits = np.arange(first + offset, first + CHUNK * stride, stride, dtype=np.uint64).astype(np.uint32)
            x = bits.view(np.float32)
            counts = compare_one(x[np.isfinite(x)], worst, at)
        tested, inexact = tested + counts[0], inexact + counts[1]
    arguments = tuple(float(v) for v in (at[:2] if name == "pow" else at[:1]))
    return Worst(name, tested, inexact, float(worst[0]), arguments, float(at[2]), time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", nargs="*", default=[*UNARY, "pow"])
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
