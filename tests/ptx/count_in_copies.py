"""python count_in_copies.py FOLDER: rollouts of more blocks than counters have copies, and what each copy counted."""

from __future__ import annotations

import sys
from pathlib import Path
from unittest.mock import patch

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from hamlet import load
from hamlet.backend.buffers import Shape, Statistics, allocate, allocate_statistics
from hamlet.backend.protocol import Backend, RandomPolicy, Stream
from hamlet.interpreter import Interpreter
from hamlet.launch.gpu.counters import Counters
from hamlet.package.module import Module
from hamlet.schema.abi import COPIES
from hamlet_lab.ptx.backend import PtxBackend
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.package import write
from samples import sample

CPU = torch.device("cpu")
SHAPE = Shape((COPIES + 1) * 32 + 3, 1)
"""Two blocks of 32 lanes more than there are copies."""


def counted(backend: Backend, module: Module) -> Statistics:
    """What two rollouts count, the second of which adds to the first."""
    buffers = allocate(module.universe, SHAPE, CPU, None)
    counts = allocate_statistics(module.universe, SHAPE, CPU)
    backend.reset(buffers, Stream(3, 0))
    for tick in (0, 40):
        backend.rollout(buffers, 40, RandomPolicy(), Stream(3, tick), False, counts)
    return counts


def main(folder: Path) -> int:
    torch.set_num_threads(1)
    write(build(sample("first_meal"), Options(targets=("triton",)), Stopwatch()), folder)
    module = load(folder)
    used: list[int] = []
    add_to = Counters.add_to

    def watched(counters: Counters, statistics: Statistics) -> None:
        used.append(int((counters.arrays["uses"].sum(dim=1) > 0).sum()))
        add_to(counters, statistics)
        assert not any(each.any() for each in counters.arrays.values())

    with patch.object(Counters, "add_to", watched):
        found = counted(PtxBackend(module.universe, module.kernels("triton"), 90), module)
    expected = counted(Interpreter(module.universe, CPU), module)
    assert int(expected.causes.sum()) > 1000
    for name in ("uses", "causes", "lengths", "finished_return"):
        assert torch.equal(getattr(found, name), getattr(expected, name)), name
    print(f"copies used: {used}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
