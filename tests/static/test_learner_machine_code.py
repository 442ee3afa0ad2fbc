"""What the learner of GPUs is like, compiled ahead of time for sm_90 without a GPU."""

from __future__ import annotations

import json

from processes import Run

PROGRAM = """
import json
import numpy as np
import torch
from hamlet.backend.storage import Storage, storage_like
from hamlet_lab.machine_code.kernels import disassembled
from hamlet_train.exact.network import Network
from hamlet_train.gpu.ahead import compile_ahead
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
print(json.dumps([sorted(launches), found]))
"""


def test_kernels_are_exact_and_in_registers(run_program: Run) -> None:
    done = run_program(PROGRAM, TRITON_INTERPRET="0")
    assert done.returncode == 0, done.stderr
    launched, found = json.loads(done.stdout)
    assert {"survey_lanes", "survey_groups", "estimate_lanes", "estimate_groups", "draw_keys"} <= set(launched)
    for name, (ptx, resources) in found.items():
        assert resources["STACK"] + resources["LOCAL"] == 0, name
        for inexact in (".approx", ".ftz", ".full.", "mma.", "red.global", "atom.", "fma.rn.f64"):
            assert inexact not in ptx, (name, inexact)
    # Three programs of a multiprocessor, and all products in a chain.
    assert found["teach"][1]["REG"] <= 168
    assert found["add_gradients"][0].count("fma.rn.f32") >= 32
    # Adam and the norm round each operation.
    assert "fma" not in found["descend"][0] + found["limit"][0]
