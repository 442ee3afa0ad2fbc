"""python cells_on_triton.py UNIVERSE [sm_90]: its kernels for GPUs and the interpreter agree, on Triton's
interpreter, or as PTX; few ticks, as these take long."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from on_interpreter import interpret

if len(sys.argv) == 2:
    interpret()

from test_cells import CPU, play

from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import Backend
from hamlet.interpreter import Interpreter
from hamlet.package.module import in_memory
from hamletc.compile import Options, build, check_file
from hamletc.frontend import Stopwatch


def main(path: Path, executed: bool) -> int:
    universe = check_file(path, Stopwatch()).universe
    kernels = in_memory(path, build(universe, Options(targets=("triton",)), Stopwatch())).kernels("triton")
    backend: Backend
    if executed:
        from hamlet_lab.ptx.backend import PtxBackend

        backend = PtxBackend(universe, kernels, 90)
    else:
        from hamlet.launch.gpu.launch import TritonBackend

        backend = TritonBackend(universe, kernels, CPU)
    for worlds, agents in ((3, 5), (1, 40)) if executed else ((3, 5),):
        shape = Shape(worlds, agents, first_world=3)
        expected = play(universe, Interpreter(universe, CPU), shape, 2)
        for before, after in zip(expected, play(universe, backend, shape, 2), strict=True):
            for name, values in before.items():
                assert torch.equal(values, after[name]), name
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), len(sys.argv) > 2))
