"""Steps that keep the scene of each world against steps that compute it. Run in a process of its own, without
TRITON_INTERPRET.

What is kept is spoilt between steps: layouts of other worlds, as of a checkpoint, and zeros, as before the first step.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

import hamlet
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet_lab.ptx.backend import PtxBackend
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.package import write
from samples import universe_of

SHORT_LIVES = """
universe short_lives

space grid 6 x 7
lifespan 9 ticks

meter energy = 1.0 { decay 0.08  move 0.02 }

affordance Bed at random { instantly { energy += 0.2 } }
affordance Meal at random { instantly { energy += 0.1 } }

dies when energy <= 0
reward energy
observe { grid  window 1  meters  here }
"""
WORLDS, TICKS, SEED = 70, 30, 5


def main(folder: Path) -> None:
    universe = universe_of(SHORT_LIVES)
    write(build(universe, Options(targets=("triton",)), Stopwatch()), folder)
    kernels = hamlet.load(folder).kernels("triton")
    shape, cpu = Shape(WORLDS, 1), torch.device("cpu")
    keeping, computing = (PtxBackend(universe, kernels, 90) for _ in range(2))
    assert kernels.KEPT == 3
    computing._kernels.KEPT = 0
    backends = [(backend, allocate(universe, shape, cpu, torch.float32)) for backend in (keeping, computing)]
    for backend, buffers in backends:
        backend.reset(buffers, Stream(SEED, 0))
    generator = torch.Generator().manual_seed(SEED)
    ended = spoilt = 0
    for tick in range(TICKS):
        actions = torch.randint(6, (WORLDS,), generator=generator, dtype=torch.int32)
        for backend, buffers in backends:
            before = buffers.state["episode"].clone()
            backend.step(buffers, actions, Stream(SEED, tick))
        ended += int((before != buffers.state["episode"]).sum())
        for kept, computed in zip(*(buffers.tensors for _, buffers in backends), strict=True):
            assert torch.equal(kept.contiguous().view(torch.uint8), computed.contiguous().view(torch.uint8)), tick
        (memory,) = keeping._scenes.values()
        assert torch.equal(memory[0], buffers.state["layout"])
        match tick % 5:
            case 1:
                others = torch.arange(WORLDS - 1, -1, -1)
                for _, changed in backends:
                    changed.state["layout"].copy_(changed.state["layout"][others])
                spoilt += 1
            case 3:
                memory[1:].zero_()
                spoilt += 1
            case _:
                pass
    assert not computing._scenes
    print(f"{ended} episodes ended, {spoilt} times spoilt")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
