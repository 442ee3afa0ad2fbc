"""python on_triton.py interpreter|ptx FOLDER: the sequences of draws as a Triton kernel, on Triton's interpreter or as
executed PTX, against hamlet's interpreter.

A program of its own, because Triton decides when it is imported whether kernels run on its interpreter.
"""

from __future__ import annotations

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

os.environ["TRITON_INTERPRET"] = "1" if sys.argv[1] == "interpreter" else "0"

import numpy as np
import torch
from sequences import LANES, assert_same, expected, inputs, sequences

from hamlet.launch.gpu.interpreted import make_interpreter_exact
from hamlet_lab.ptx.backend import Executed
from hamletc.kernel.body import body
from hamletc.passes.extremes import Extremes
from hamletc.passes.ranges import Facts
from hamletc.targets.triton.formatter import TritonFormatter

BLOCK = 32


def kernel_module(path: Path) -> ModuleType:
    """A kernel that applies the function to arrays."""
    printed = body(Extremes(Facts({}, {})).run(sequences()))
    formatter = TritonFormatter(printed)
    names = [parameter.name for parameter in printed.parameters]
    pointers = [f"{name}_ptr" for name in (*names, *(output.name for output in printed.outputs))]
    text = [
        "import triton",
        "import triton.language as tl",
        "@triton.jit",
        "def _f32(bits: tl.constexpr):",
        "    return tl.full((), bits, tl.uint32).to(tl.float32, bitcast=True)",
        "@triton.jit",
        f"def kernel({', '.join(pointers)}, BLOCK: tl.constexpr):",
        "    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
        *(f"    {name} = tl.load({name}_ptr + lane)" for name in names),
        *(f"    {line.name} = {formatter.line(line.value)}" for line in printed.lines),
        *(f"    tl.store({o.name}_ptr + lane, {formatter.tensor(o.value)})" for o in printed.outputs),
    ]
    path.write_text("\n".join(text) + "\n")
    spec = spec_from_file_location("kernel", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    given = inputs()
    want = expected(given)
    results = {name: np.zeros_like(values) for name, values in want.items()}
    order = [parameter.input for parameter in body(sequences()).parameters]
    arguments = [torch.from_numpy(array) for array in (*(given[name] for name in order), *results.values())]
    kernel = kernel_module(folder / "kernel.py").kernel
    if os.environ["TRITON_INTERPRET"] == "1":
        make_interpreter_exact()
        with np.errstate(all="ignore"):
            kernel[(LANES // BLOCK,)](*arguments, BLOCK=BLOCK, enable_fp_fusion=False)
    else:
        Executed(kernel, 90)[(LANES // BLOCK,)](*arguments, BLOCK=BLOCK, num_warps=1, enable_fp_fusion=False)
    assert_same(results, want)
    print(f"{LANES} lanes equal")


if __name__ == "__main__":
    main(Path(sys.argv[2]))
