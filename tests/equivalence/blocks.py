"""The bits do not depend on the lanes of a block, in worlds of two agents: they are the interpreter's. Run in a process
of its own: Triton's interpreter has to be chosen before Triton is imported.

    python blocks.py FOLDER PLAIN

PLAIN is the same universe without tables in warps and cells in words, which change nothing either.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from examples import LONG
from hamlet import load, schema
from hamlet.backend.buffers import Shape, allocate, allocate_statistics
from hamlet.backend.protocol import Backend, RandomPolicy, Stream
from hamlet.interpreter import Interpreter
from hamlet.launch.gpu.call import Launch
from hamlet.launch.gpu.launch import TritonBackend
from hamlet.launch.gpu.tuning import Tuner
from hamlet.package.module import Module
from on_interpreter import interpret

CPU = torch.device("cpu")
SHAPE = Shape(75, 2, 3)
BLOCKS = (32, 64, 256) if LONG else (64, 256)


class Always(Tuner):
    """Chooses one size."""

    def __init__(self, block: int) -> None:
        self.lanes, self.launches = block, 0

    def block(self, launch: Launch, default: int) -> int:
        assert launch.lanes > self.lanes // 2
        assert default not in BLOCKS or default == 256
        self.launches += 1
        return self.lanes


def with_blocks(module: Module, block: int) -> dict[str, torch.Tensor]:
    """Everything that a few ticks of Triton's kernels leave."""
    tuner = Always(block)
    found = results(TritonBackend(module.universe, module.kernels("triton"), CPU, tuner), module)
    assert tuner.launches == 4
    return found


def results(backend: Backend, module: Module) -> dict[str, torch.Tensor]:
    """Everything that a few ticks leave."""
    buffers = allocate(module.universe, SHAPE, CPU, torch.float32)
    counts = allocate_statistics(module.universe, SHAPE, CPU)
    generator = torch.Generator().manual_seed(5)
    backend.reset(buffers, Stream(9, 0))
    buffers.state["meters"].uniform_(0.0, 0.05, generator=generator)
    interact = schema.interact_action(module.universe)
    for tick in range(2):
        # A quarter interacts, so that in many worlds only one of the two agents does.
        actions = torch.randint(5, (SHAPE.lanes,), dtype=torch.int32, generator=generator)
        actions[torch.rand(SHAPE.lanes, generator=generator) < 0.25] = interact
        backend.step(buffers, actions, Stream(9, tick))
    backend.rollout(buffers, 2, RandomPolicy(), Stream(9, 2), True, counts)
    assert buffers.observation is not None
    assert buffers.final_observation is not None
    assert counts.causes.sum() > 0
    seen = {"observation": buffers.observation, "final": buffers.final_observation, "mask": buffers.mask}
    counted = {"causes": counts.causes, "lengths": counts.lengths, "returns": counts.finished_return}
    return {**buffers.state, **buffers.outcome, **seen, **counted}


def main(folder: Path, plain: Path) -> int:
    interpret()
    torch.set_num_threads(1)
    module = load(folder)
    expected = results(Interpreter(module.universe, CPU), module)
    for path, block in (*((folder, block) for block in BLOCKS), (plain, BLOCKS[0])):
        found = with_blocks(load(path), block)
        for name, value in expected.items():
            if not torch.equal(value.contiguous().view(torch.uint8), found[name].contiguous().view(torch.uint8)):
                print(f"{name} is another one in blocks of {block} of {path.name}")
                return 1
    print(f"{len(expected)} arrays are equal")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
