"""What the learner of GPUs is like, compiled ahead of time for sm_90 without a GPU."""

from __future__ import annotations

import json

from processes import Run

PROGRAM = """
import json
import numpy as np
import torch
from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import NetworkPolicy, Stream
from hamlet.backend.storage import Storage, storage_like
from hamlet.launch.gpu.deciding import decider, kernel_of
from hamlet_lab.machine_code.kernels import disassembled
from hamlet_train.exact.network import Network
from hamlet_train.gpu.ahead import compile_ahead, passed
from hamlet_train.gpu.launches import Launch
from hamlet_train.gpu.learner import Lesson
from hamlet_train.gpu.mind import Mind
from hamlet_train.gpu.taught import Taught
from hamlet_train.ppo import Learned
from hamlet_train.settings import Settings

lanes, launches = 128, {}
for hidden, memory in ((64, 64), 0), ((128, 96, 80), 0), ((64, 64), 64):
    network = Network(92, hidden, 8, 2, memory)
    store = Storage(**{name: torch.zeros(like.shape, dtype=like.dtype)
                       for name, like in storage_like(32, network.reads, 8, lanes).items()})
    lesson = Lesson(Mind(network, lanes, torch.device("cpu")), Settings(), 1, 2, Taught(lanes, 64, 32, memory > 0),
                    lambda launch: launches.setdefault(f"{launch.name}{launch.constants.get('KIND', '')}", launch))
    lesson.teach(store, Learned.begun(network, np.ones(92, np.float32), 1))
found = {}
ones = ("teach", "add_gradients", "add_deviations", "limit", "descend", "recall", "recall_back")
for name in (*ones, *(f"pass_block{kind}" for kind in range(6))):
    compiled = compile_ahead(launches[name], 90)
    found[name] = compiled.asm["ptx"], disassembled(compiled.asm["cubin"])[1]


class Noting:
    # Has the place of a kernel of networks, and notes its launch.

    def __init__(self, kernel):
        self.kernel = kernel

    def __getitem__(self, grid):
        def launch(*arguments, **settings):
            constants = {name: int(value) for name, value in settings.items() if name in self.kernel.arg_names}
            self.launch = Launch(self.kernel, grid[0], arguments, constants, 32 * settings["num_warps"])

        return launch


# What acts: of nothing that a launch leaves out is there an argument.
mind = Mind(network, lanes, torch.device("cpu"))
every = tuple((weights.unsqueeze(0), biases.unsqueeze(0)) for weights, biases in mind.layers)
gates = tuple(each.unsqueeze(0) for each in mind.gates)
policy = NetworkPolicy(every, "tanh", True, True, gates=gates, recall=mind.recall, controls=2)
acting = Noting(kernel_of(policy))
decider(policy, Shape(lanes, 1), Stream(1, 0), acting)(
    torch.zeros(92, lanes), torch.ones(8, lanes, dtype=torch.bool), 0, torch.zeros(lanes, dtype=torch.int32))
assert None in acting.launch.arguments and None not in passed(acting.launch)
compiled = compile_ahead(acting.launch, 90)
found["decide_remembering"] = compiled.asm["ptx"], disassembled(compiled.asm["cubin"])[1]
print(json.dumps([sorted(launches), found]))
"""


def test_kernels_are_exact_and_in_registers(run_program: Run) -> None:
    done = run_program(PROGRAM, TRITON_INTERPRET="0")
    assert done.returncode == 0, done.stderr
    launched, found = json.loads(done.stdout)
    assert {"survey_lanes", "survey_groups", "estimate_lanes", "estimate_groups", "draw_keys"} <= set(launched)
    for name, (ptx, resources) in found.items():
        # Layers of 64 and what is remembered do not quite fit.
        assert resources["STACK"] + resources["LOCAL"] <= (320 if name == "decide_remembering" else 0), name
        for inexact in (".approx", ".ftz", ".full.", "mma.", "red.global", "atom.", "fma.rn.f64"):
            assert inexact not in ptx, (name, inexact)
    # Three programs of a multiprocessor, and all products in a chain.
    assert found["teach"][1]["REG"] <= 168
    assert found["add_gradients"][0].count("fma.rn.f32") >= 32
    # Adam and the norm round each operation.
    assert "fma" not in found["descend"][0] + found["limit"][0]
