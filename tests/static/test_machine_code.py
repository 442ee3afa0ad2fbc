"""What the machine code of the shipped universes is like, compiled ahead of time without a GPU.

Compiled in processes of their own: in this one Triton may have been imported for its interpreter. HAMLET_LONG_TESTS=1
adds kernels and architectures for which the default run takes one of their kind.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hamlet.universe import Universe
from hamlet_lab.machine_code.pipes import pipe
from hamletc.compile import Options, build, lower, optimise, specialise
from hamletc.frontend import Stopwatch
from hamletc.ir.ops import Fma
from hamletc.package import write
from processes import Run
from samples import MEETING, sample, universe_of
from samples.written import household

LONG = os.environ.get("HAMLET_LONG_TESTS") == "1"
CAPABILITIES = (80, 90, 100) if LONG else (90,)
KERNELS = ("reset", "observe", "step", "rollout", "rollout_observing")
APPROXIMATE = ("rcp", "sin", "cos", "ex2", "lg2", "tanh", "rsqrt")
LOCAL = ("STL", "LDL", "LD", "ST")
MAIN = "import sys; from hamlet_lab.machine_code.kernels import main; sys.exit(main())"
REGISTERS = 96
"""Of `step`, at the most: so that 20 warps have place on a multiprocessor."""


@cache
def fused(name: str) -> dict[str, int]:
    """How many fused operations the IR asks for in each kernel; others would be contractions."""
    program = specialise(optimise(lower(sample(name))), "triton").program
    tick, seen = (
        sum(isinstance(node.op, Fma) for node in program.function(function).nodes) for function in ("tick", "observe")
    )
    return {
        "reset": seen, "observe": seen, "step": tick + seen, "rollout": tick, "rollout_observing": tick + seen,
    }  # fmt: skip


@cache
def compiled(run_program: Run, name: str, folder: Path) -> dict[tuple[str, int], dict[str, Any]]:
    arguments = [f"--capability={capability}" for capability in CAPABILITIES]
    return machine_code(run_program, sample(name), folder, arguments)


def machine_code(
    run_program: Run, universe: Universe, folder: Path, arguments: Sequence[str]
) -> dict[tuple[str, int], dict[str, Any]]:
    """Each kernel for each capability."""
    write(build(universe, Options(targets=("triton",)), Stopwatch()), folder)
    done = run_program(MAIN, folder, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return {(kernel["kernel"], kernel["capability"]): kernel for kernel in json.loads(done.stdout)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packages")


@pytest.mark.parametrize(
    "name", ["town", *(pytest.param(name, marks=pytest.mark.long) for name in ("first_meal", "shifts"))]
)
def test_exact_and_in_registers(name: str, folder: Path, run_program: Run) -> None:
    kernels = compiled(run_program, name, folder / name)
    assert set(kernels) == {(kernel, capability) for kernel in KERNELS for capability in CAPABILITIES}
    rounded = 0
    for key, kernel in kernels.items():
        opcodes = kernel["ptx_opcodes"]
        for opcode, count in opcodes.items():
            parts = opcode.split(".")
            assert parts[0] not in APPROXIMATE, f"{key}: {count} {opcode}"
            assert not {"approx", "full", "ftz", "local"} & set(parts), f"{key}: {count} {opcode}"
            # Without `.rn` the assembler may contract additions and multiplications.
            if parts[-1] == "f32" and parts[0] in ("add", "sub", "mul", "div", "sqrt"):
                assert parts[1] == "rn", f"{key}: {count} {opcode}"
                rounded += count
        lanes = {"fma.rn.f32": 1, "fma.rn.f32x2": 2}
        assert {opcode for opcode in opcodes if opcode.startswith("fma")} <= set(lanes)
        assert sum(opcodes.get(opcode, 0) * width for opcode, width in lanes.items()) == fused(name)[key[0]], key
        spills = [opcode for opcode in kernel["sass_opcodes"] if opcode.split(".")[0] in LOCAL]
        assert not spills, f"{key}: {spills}"
        assert (kernel["stack"], kernel["local"]) == (0, 0), key
        if key[0] == "step":
            assert kernel["registers"] <= REGISTERS, key
            # All loads are issued before the first of them is waited for.
            assert kernel["waits"] == 1, key
    assert rounded > 30 * len(CAPABILITIES)


def test_the_rollout_of_the_town(folder: Path, run_program: Run) -> None:
    for capability in CAPABILITIES:
        rollout = compiled(run_program, "town", folder / "town")["rollout", capability]
        loop = rollout["loop"]
        assert rollout["registers"] <= REGISTERS
        assert 100 < loop["every"] + loop["sometimes"] <= 600
        assert loop["every"] == sum(loop["opcodes"].values())
        if capability == 90:
            # What is executed at times is Philox, every fourth tick, and new episodes, which are rarer.
            assert loop["every"] + loop["sometimes"] / 4 <= 420
            assert loop["every"] <= 235
            assert sum(count for opcode, count in loop["opcodes"].items() if pipe(opcode) == "alu") <= 130
        # Additions to meters saturate: their clamps cost nothing.
        assert rollout["sass_opcodes"]["FADD.SAT"] > 5


def test_much_state_needs_no_other_memory(tmp_path: Path, run_program: Run) -> None:
    """Uses, which are remembered per affordance, are kept in global memory: in registers they would be spilled."""
    kernels = ("step", "rollout", "rollout_observing") if LONG else ("rollout_observing",)
    arguments = [f"--kernel={kernel}" for kernel in kernels]
    found = machine_code(run_program, universe_of(household()), tmp_path / "household", arguments)
    assert set(found) == {(kernel, 90) for kernel in kernels}
    for key, kernel in found.items():
        assert (kernel["stack"], kernel["local"]) == (0, 0), key
        # 208 and more with the addresses of what is fetched in registers.
        assert kernel["registers"] <= 168, key


@pytest.mark.parametrize("name", MEETING if LONG else ("epidemic",))
def test_agents_that_meet_need_no_other_memory(name: str, tmp_path: Path, run_program: Run) -> None:
    """In worlds of 256, which have a block of eight warps each."""
    kernels = ("step", "rollout", "rollout_observing") if LONG else ("rollout",)
    arguments = ["--agents=256", *(f"--kernel={kernel}" for kernel in kernels)]
    found = machine_code(run_program, sample(name), tmp_path / name, arguments)
    assert set(found) == {(kernel, 90) for kernel in kernels}
    for key, kernel in found.items():
        # With 128 registers two blocks of 256 lanes fit on a multiprocessor.
        assert kernel["registers"] <= 128, key
        assert (kernel["stack"], kernel["local"]) == (0, 0), key
        assert kernel["sass_opcodes"]["BAR.SYNC.DEFER_BLOCKING"] > 3, key


def test_counters_keep_both_zeros(tmp_path: Path, run_program: Run) -> None:
    """`ptxas` takes -0.0 for +0.0 in a select from 1.0 and -0.0, which adding under a condition is: FSET gives +0.0."""
    counting = """
universe counting
space none
lifespan 90 ticks
meter energy = uniform(0, 1) { decay 0.01 }
meter idle = 0 in -600 .. 600
rule waits: energy == 0.25 -> idle += 1
reward idle
observe { meters }
"""
    found = machine_code(run_program, universe_of(counting), tmp_path / "counting", ["--kernel=step"])["step", 90]
    assert found["ptx_opcodes"]["selp.b32"] >= 1
    assert not [opcode for opcode in found["sass_opcodes"] if opcode.startswith("FSET.")]
