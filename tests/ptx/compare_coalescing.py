"""python compare_coalescing.py UNIVERSE FOLDER FORM...: the PTX of kernels with and without Triton's coalescing pass.

A program of its own, because in the process of the tests Triton may have been imported for its interpreter.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import Mock, patch

import triton
from triton._C.libtriton import passes

sys.path.insert(0, str(Path(__file__).parents[1]))

from hamlet import load
from hamlet.launch.gpu.forms import FORMS, Form
from hamlet_lab.machine_code.kernels import compile_kernels
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.package import write
from samples import sample

REGISTER = re.compile(r"%[a-z]+\d+")


def renamed(ptx: str) -> str:
    """PTX with its registers numbered in the order in which they are named first: LLVM names what a loop carries in the
    order in which the values come."""
    numbers: dict[str, int] = {}
    return REGISTER.sub(lambda found: f"%{numbers.setdefault(found[0], len(numbers))}", ptx)


def main(name: str, folder: Path, wanted: Sequence[str]) -> int:
    triton.knobs.compilation.always_compile = True
    added = Mock(wraps=passes.ttgpuir.add_coalesce)
    passes.ttgpuir.add_coalesce = added
    write(build(sample(name), Options(targets=("triton",)), Stopwatch()), folder)
    module = load(folder)
    kernels, forms = module.kernels("triton"), [form for form in FORMS if form in wanted]

    def ptx(capability: int) -> tuple[dict[Form, str], int]:
        """The PTX of each kernel, and how often Triton added the pass."""
        added.reset_mock()
        results = compile_kernels(kernels, module.universe, capability, forms)
        return {form: renamed(compiled.ptx) for form, compiled in results.items()}, added.call_count

    for capability in (80, 90):
        with patch("hamlet.launch.gpu.compile.without_coalescing", nullcontext):
            slow, with_pass = ptx(capability)
        quick, without_pass = ptx(capability)
        assert (with_pass, without_pass) == (len(forms), 0), f"the pass was added {with_pass}, {without_pass} times"
        different = [form for form in forms if slow[form] != quick[form]]
        print(f"{name} sm_{capability}: {len(forms) - len(different)} of {len(forms)} kernels have the same PTX")
        if different:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
