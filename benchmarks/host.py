"""What a step costs the host before the driver of the GPU is called, without a GPU:

    python benchmarks/host.py

A library in the place of libcuda launches nothing and notes when it was called. Everything above it is real:
`Env.step`, the launcher of machine code in a package, Triton's binder, compiler (for sm_90) and launcher; tensors are
on the CPU. So this needs gcc and Python's headers, as Triton does. Torch's functions that ask for the current device
and stream are replaced by ones that answer 0. The two paths and the graph take turns, so that a busy moment of the
machine hits all of them. Writes JSON and a table to benchmarks/results/.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import torch
from facts import ROOT, facts

import hamlet
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.choose import Choice
from hamlet.env.act.graph import Graphed
from hamlet.env.environment import Env, begun
from hamlet.launch.gpu.ahead import AheadKernels
from hamlet.launch.gpu.compile_ahead import launches
from hamlet.launch.gpu.cubins import Cubin, Cubins, folder
from hamlet.launch.gpu.driver import CudaDriver
from hamlet.launch.gpu.launch import KernelBackend
from hamlet.package.module import Module

CPU = torch.device("cpu")
CAPABILITY = 90
LANES = 4096
RESULTS = Path(__file__).parent / "results"

LIBRARY = """
#include <stdint.h>
#include <time.h>
long long called_at;
static int note(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  called_at = now.tv_sec * 1000000000LL + now.tv_nsec;
  return 0;
}
int cuLaunchKernel() { return note(); }
int cuLaunchKernelEx() { return note(); }
int cuCtxGetCurrent(void **context) { *context = (void *)1; return 0; }
int cuModuleLoadData(void **module) { *module = (void *)1; return 0; }
int cuModuleGetFunction(void **function) { *function = (void *)1; return 0; }
int cuFuncGetAttribute(int *value, int attribute) { *value = attribute == 0 ? 1024 : 0; return 0; }
int cuDeviceGetAttribute(int *value) { *value = 1 << 16; return 0; }
int cuPointerGetAttribute(uint64_t *value, int attribute, uint64_t pointer) { *value = pointer; return 0; }
"""
OTHERS = [
    *("cuInit", "cuDeviceGet", "cuDeviceGetCount", "cuDevicePrimaryCtxRetain", "cuDriverGetVersion"),
    *("cuCtxSetCurrent", "cuCtxGetDevice", "cuCtxSetLimit", "cuCtxGetLimit", "cuStreamIsCapturing"),
    *("cuModuleUnload", "cuFuncSetAttribute", "cuFuncSetCacheConfig", "cuOccupancyMaxActiveClusters"),
    *("cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col", "cuGetErrorString", "cuGetErrorName"),
]
"""Functions that do nothing, and say that it went well."""


def stand_in(place: Path) -> ctypes.CDLL:
    """The library in the place of libcuda, loaded under its name."""
    source = place / "libcuda.c"
    source.write_text(LIBRARY + "".join(f"int {name}() {{ return 0; }}\n" for name in OTHERS))
    library = place / "libcuda.so.1"
    flags = ["-O2", "-std=gnu11", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1"]
    subprocess.run(["gcc", *flags, "-o", library, source], check=True)
    os.environ["TRITON_LIBCUDA_PATH"] = str(place)
    return ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)


@contextmanager
def device_zero() -> Iterator[None]:
    """Torch and Triton take the stand-in for a GPU whose current stream is the default one."""
    from triton.backends.nvidia.driver import CudaDriver as OfTriton
    from triton.runtime import driver

    def current_device() -> int:
        torch.cuda.is_initialized()
        return int(zero())

    zero = int
    of_torch = {
        "current_device": current_device,
        "get_device_capability": lambda _device=None: divmod(CAPABILITY, 10),
        "_exchange_device": lambda _index: zero(),
        "_maybe_exchange_device": lambda _index: zero(),
        "is_current_stream_capturing": lambda: False,
        "current_stream": lambda _device=None: Stream(zero()),
    }
    in_c = {"_cuda_getCurrentRawStream": abs, "_cuda_getDevice": zero}
    with patch.multiple(torch.cuda, **of_torch), patch.multiple(torch._C, create=True, **in_c):
        driver.set_active(OfTriton())
        yield


@dataclass
class Stream:
    """What torch says of a stream."""

    cuda_stream: int


class Library:
    """Has the place of a compiler ahead of time: the right parameters, and nothing in the machine code."""

    def __init__(self, module: Module) -> None:
        declared = module.kernels("triton")
        kernels = tuple(
            Cubin(
                launch.kernel,
                tuple(_type(value) for value in launch.arguments),
                launch.settings(block),
                "@" + "".join(_code(value) for value in launch.arguments if value is not None) + "QQ",
                2,
                block,
                0,
                "nothing.cubin",
            )
            for launch, block in launches(module, declared)
        )
        self.cubins = Cubins(CAPABILITY, "none", declared.TABLES, declared.KEPT, declared.REGISTERS, kernels)
        self.files = {f"{folder(CAPABILITY)}/nothing.cubin": b""}


def _type(value: torch.Tensor | int | None) -> str | None:
    return None if value is None else "int" if isinstance(value, int) else str(value.dtype).removeprefix("torch.")


def _code(value: torch.Tensor | int) -> str:
    return "I" if isinstance(value, int) else "Q"


def nothing() -> ModuleType:
    """Triton is not asked for."""
    raise AssertionError("there is machine code for every launch")


def environment(module: Module, backend: KernelBackend, universe_lanes: int) -> Env:
    """An environment on the CPU whose launches believe in a GPU."""
    backend._index = 0
    buffers = allocate(module.universe, Shape(universe_lanes, 1), CPU, torch.float32)
    return begun(module, backend, buffers, Choice("triton", CPU, "host"), False, "off", 1)


@dataclass(frozen=True, slots=True)
class Case:
    """Something that is called and calls the driver."""

    name: str
    call: Callable[[], object]


def cases(module: Module, called: Callable[[], None]) -> list[Case]:
    """What is timed; `called` notes that a graph is replayed."""
    library = Library(module)
    ahead = AheadKernels(library.cubins, library.files, CudaDriver(), lambda: 0, nothing)
    found = []
    for path, backend in (
        ("just in time", KernelBackend("triton", module.universe, module.kernels("triton"), CPU, False)),
        ("ahead of time", KernelBackend("triton", module.universe, ahead, CPU, False)),
    ):
        env = environment(module, backend, LANES)
        actions = torch.zeros(LANES, dtype=torch.int32)

        def step(env: Env = env, actions: torch.Tensor = actions) -> object:
            return env.step(actions)

        def rollout(env: Env = env) -> object:
            return env.rollout(1, statistics=False)

        found += [Case(f"`Env.step`, {path}", step), Case(f"`Env.rollout(1)`, {path}", rollout)]
    graphed = Graphed(
        env, env._buffers, lambda _actions, _elapsed: None, env._stepping.finish, lambda _work, _tensors: called
    )
    return [*found, Case("`Env.step`, as a graph", lambda: graphed.step(actions))]


def measure(found: list[Case], library: ctypes.CDLL, rounds: int, calls: int) -> list[dict[str, Any]]:
    """Microseconds from the beginning of a call to the driver, and of the whole call: medians of the medians of rounds,
    and the least and the most of those."""
    at = ctypes.c_longlong.in_dll(library, "called_at")
    before: list[list[float]] = [[] for _ in found]
    whole: list[list[float]] = [[] for _ in found]
    clock = time.perf_counter_ns
    for number in range(rounds + 1):
        for index, case in enumerate(found):
            reached, done = [], []
            for _ in range(calls):
                begin = clock()
                case.call()
                end = clock()
                reached.append(at.value - begin)
                done.append(end - begin)
            if number > 0:
                before[index].append(statistics.median(reached) / 1e3)
                whole[index].append(statistics.median(done) / 1e3)
    return [
        {"what": case.name, "before_the_driver": _spread(reached), "whole": _spread(done)}
        for case, reached, done in zip(found, before, whole, strict=True)
    ]


def empty_call(rounds: int = 200, calls: int = 200) -> float:
    """Nanoseconds of a call of a Python function that does nothing, in a median round."""

    def empty() -> None:
        """Nothing."""

    times = []
    for _ in range(rounds):
        begin = time.perf_counter_ns()
        for _ in range(calls):
            empty()
        times.append((time.perf_counter_ns() - begin) / calls)
    return statistics.median(times)


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def table(report: dict[str, Any]) -> str:
    """The report for a reader."""
    lines = ["# Host: microseconds of a step before the driver", ""]
    lines += [f"- {name}: {value}" for name, value in report["facts"].items()]
    lines += [f"- universe: {report['universe']}, {report['lanes']:,} agents, float32 observations", ""]
    lines += [f"An empty Python function takes {report['empty_call_ns']:.0f} ns here.", ""]
    lines += ["Medians of rounds, with the least and the most of them.", ""]
    lines += ["| what | before the driver | whole call, without the driver |", "|---|--:|--:|"]
    for row in report["rows"]:
        cells = (
            f"{row[kind]['median']:.1f} ({row[kind]['least']:.1f} to {row[kind]['most']:.1f})"
            for kind in ("before_the_driver", "whole")
        )
        lines.append(f"| {row['what']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path, nargs="?", default=ROOT / "generated" / "town")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--calls", type=int, default=500, help="of a round")
    parser.add_argument("--json", type=Path, default=RESULTS / "host.json")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    machine = facts("benchmarks/host.py", "none")
    with tempfile.TemporaryDirectory() as place:
        library = stand_in(Path(place))
        with device_zero():
            module = hamlet.load(arguments.package)
            found = cases(module, lambda: library.cuLaunchKernel())
            rows = measure(found, library, arguments.rounds, arguments.calls)
    report = {
        "universe": module.name,
        "lanes": LANES,
        "facts": machine,
        "empty_call_ns": empty_call(),
        "rows": rows,
    }
    arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    arguments.json.with_suffix(".md").write_text(table(report), encoding="utf-8")
    print(table(report))


if __name__ == "__main__":
    main()
