"""Kernels of a package in machine code, launched as on a GPU: a driver that executes the PTX they were made from takes
their parameters as they lie in memory. Run in a process of its own, without TRITON_INTERPRET.

    python launch_ahead.py NAME FOLDER
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from compare_ptx import CPU, SCENARIOS, compare

import hamlet
from examples import LONG
from hamlet.backend.buffers import Buffers, memory_of
from hamlet.launch.gpu import compile_ahead, forms
from hamlet.launch.gpu import launch as triton
from hamlet.launch.gpu.ahead import AheadKernels, find
from hamlet.launch.gpu.call import Launch as GpuLaunch
from hamlet.launch.gpu.driver import LaunchGrid, Parameters
from hamlet.launch.gpu.forms import Form
from hamlet.launch.gpu.launch import KernelBackend
from hamlet_lab.machine_code.kernels import compile_kernels
from hamlet_lab.machine_code.kernels import disassembled as disassemble
from hamlet_lab.ptx.backend import PtxBackend
from hamlet_lab.ptx.memory import Memory
from hamlet_lab.ptx.parser import parse
from hamlet_lab.ptx.program import Launch, Program
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.package import with_ahead, write
from samples import sample

CAPABILITY = 90
FORMS: tuple[Form, ...] = ("step", "rollout")
WARPS = 2
"""Of a block; other tests have one. The bits are the same."""
ptx_of: dict[bytes, str] = {}


def keep_ptx(*arguments: Any) -> Any:
    """Compile, and remember which PTX became which machine code."""
    result = compile_kernel(*arguments)
    ptx_of[result.asm["cubin"]] = result.asm["ptx"]
    return result


def firsts(*arguments: Any) -> list[tuple[GpuLaunch, int]]:
    """The first launch of each kernel: those that are compared. Others differ in what is left out."""
    first: dict[str, tuple[GpuLaunch, int]] = {}
    for launch, block in every_launch(*arguments):
        first.setdefault(launch.kernel, (launch, block))
    return list(first.values())


class ExecutingDriver:
    """Executes PTX in the place of machine code."""

    def __init__(self) -> None:
        self.tensors: dict[int, torch.Tensor] = {}
        self.launched: dict[str, int] = {}
        self._programs: list[tuple[str, str, Program]] = []

    def load(self, cubin: bytes, name: str) -> int:
        text = ptx_of[cubin]
        assert f".entry {name}(" in text
        self._programs.append((name, text, Program(parse(text))))
        return len(self._programs)

    def launcher(self, function: int, grid: LaunchGrid, parameters: Parameters) -> Callable[[int], None]:
        return lambda stream: self._launch(function, grid, stream, parameters.memory.raw)

    def _launch(self, function: int, grid: LaunchGrid, stream: int, parameters: bytes) -> None:
        name, text, program = self._programs[function - 1]
        self.launched[name] = self.launched.get(name, 0) + 1
        assert stream == 7
        offset, memory, values = 0, Memory(1), []
        for kind in re.findall(r"\.param \.([a-z]\d+)[^\n]*_param_", text.split(")", 1)[0]):
            size = int(kind[1:]) // 8
            offset = -(-offset // size) * size
            value = int.from_bytes(parameters[offset : offset + size], sys.byteorder)
            offset += size
            if size == 8 and value:
                array = memory_of(self.tensors[value])
                value = memory.place((array.view(torch.int16) if array.dtype is torch.bfloat16 else array).numpy())
            values.append(value)
        assert offset == len(parameters)
        program.launch(memory, Launch(values, grid.blocks, grid.threads, grid.shared))


class Watched(KernelBackend):
    """Tells the driver which arrays there are."""

    def __init__(self, driver: ExecutingDriver, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._driver = driver

    def _launch(self, kernel: Any, buffers: Buffers, given: Any, *others: Any) -> None:
        owned = (*given, self._scenes_of(buffers.shape.worlds))
        tensors = [*buffers.tensors, *self._tables, *(each for each in owned if each is not None)]
        self._driver.tensors = {each.data_ptr(): each for each in tensors}
        super()._launch(kernel, buffers, given, *others)


def main(name: str, folder: Path) -> int:
    torch.set_num_threads(1)
    triton.WARPS, forms.BLOCK = WARPS, 32 * WARPS
    files = build(sample(name), Options(targets=("triton",)), Stopwatch())
    write(files, folder)
    compile_ahead.compile_kernel = keep_ptx
    compile_ahead.OBS_DTYPES = {"float32": torch.float32}
    if not LONG:
        compile_ahead.launches = firsts
    write(with_ahead(files, compile_ahead.compile_ahead(hamlet.load(folder), CAPABILITY)), folder)
    module = hamlet.load(folder)
    cubins, _ = find(module, CAPABILITY)
    assert cubins is not None
    sass = {disassemble(cubin)[0] for cubin, ptx in ptx_of.items() if any(f".entry {form}(" in ptx for form in FORMS)}
    for kernel in compile_kernels(module.kernels("triton"), module.universe, CAPABILITY, FORMS).values():
        assert kernel.sass in sass, f"{kernel.kernel} has other machine code than a launch would compile"
    driver, other = ExecutingDriver(), PtxBackend(module.universe, module.kernels("triton"), CAPABILITY)
    kernels = AheadKernels(cubins, module.sources, driver, lambda: 7, lambda: other._kernels)
    kernels.load_one()
    backend = Watched(driver, "ahead", module.universe, kernels, CPU, False)
    compared, divergence, coverage = compare(module.universe, backend, SCENARIOS["alone"])
    if divergence is not None or coverage.never_fired:
        print(f"{name}: {divergence or f'never fired: {coverage.never_fired}'}")
        return 1
    print(f"{name}: {compared} values equal; launched {dict(sorted(driver.launched.items()))}")
    return 0


compile_kernel, every_launch = compile_ahead.compile_kernel, compile_ahead.launches

if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
