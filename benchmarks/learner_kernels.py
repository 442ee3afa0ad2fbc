"""The learner of `hamletc train --device cuda`, compiled for sm_90 and counted without a GPU, and a model of an H100:

    python benchmarks/learner_kernels.py --json benchmarks/results/learner_kernels.json \\
        --markdown benchmarks/results/learner_kernels.md

Its PTX is executed on the CPU for an update of the town with a network of 64-64, and with one that remembers 64 numbers
too, whose minibatches have as many samples of a group as those of the defaults, or lanes. How often each block of
machine code runs follows from that (`hamlet_lab.profile.flow`).
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from facts import ROOT, facts

import hamlet
from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import Stream
from hamlet.launch.gpu.deciding import decider, kernel_of
from hamlet_lab.machine_code.kernels import disassembled
from hamlet_lab.machine_code.pipes import Pipe, clocks, pipe
from hamlet_lab.machine_code.sass import basic_blocks
from hamlet_lab.profile.flow import executions
from hamlet_lab.profile.frequency import Frequency, Passing
from hamlet_lab.profile.model import EFFICIENCY, GPUS, QUARTERS, Gpu
from hamlet_lab.ptx import Launch as Executed
from hamlet_lab.ptx import Memory, Program, parse
from hamlet_train.crews import crews_of
from hamlet_train.exact.network import BLOCK, HELD, Network, padded
from hamlet_train.gpu.ahead import compile_ahead, passed
from hamlet_train.gpu.launches import Launch
from hamlet_train.gpu.learner import NODES, Lesson
from hamlet_train.gpu.mind import Mind
from hamlet_train.gpu.taught import Taught
from hamlet_train.groups import LANES
from hamlet_train.ppo import Learned, Lives
from hamlet_train.settings import Settings

CAPABILITY, GROUPS, HORIZON = 90, 2, 4
USUAL = Settings()
WORLDS = 65_536
"""Of the model."""
LAUNCHED = 3e-6
"""Seconds from a small kernel of a stream to the next one. Assumed."""
OF_STEP = ("town", "step")
EACH_EPOCH = ("teach", "pass_block", "recall", "recall_back", "add_gradients", "add_losses", "draw_keys")
"""Kernels whose work is that of samples, in each epoch."""
ONCE = ("survey_lanes", "survey_groups", "estimate_lanes", "estimate_groups")
DECISIONS = 2 + 1 / USUAL.horizon
"""Of an agent-tick in a rollout with values, at most: on what it sees; on what it saw at last, for which blocks of
lanes are left out in which no episode was cut off; and on what it sees behind the last tick."""
MEMORY = 64
"""Numbers that the second network remembers."""
EACH_TICK, EACH_MINIBATCH = {0: 12, MEMORY: 45}, {0: 15, MEMORY: 26}
"""Launches of a tick of a rollout and of a minibatch, about, with and without a memory; those of torch too."""


@dataclass(slots=True)
class Kernel:
    """A kernel and what it executed: programs and their warps, in all launches."""

    name: str
    ptx: str
    sass: str
    registers: int
    spilled: int
    program: Program
    warps: int
    shared: int
    begun: int = 0
    launches: int = 0

    def executed(self) -> tuple[float, dict[Pipe, float]]:
        """Instructions of warps in all launches, and those of each pipe."""
        ran = self.program.executions()
        passing = {line: Passing(*each) for line, each in self.program.passed().items()}
        lines = {line: warps for stretch, warps in ran for line in stretch}
        often = Frequency(self.ptx, tuple(stretch for stretch, _ in ran), lines, passing, self.begun, 1)
        blocks = basic_blocks(self.sass, self.name)
        pipes: dict[Pipe, float] = defaultdict(float)
        for block, warps in zip(blocks, executions(blocks, often), strict=True):
            for instruction in block.instructions:
                pipes[pipe(instruction.opcode)] += float(warps)
        return sum(pipes.values()), dict(pipes)


@dataclass(slots=True)
class Kernels:
    """Has the place of a launcher: compiles each kernel once, and executes it."""

    made: dict[tuple[object, ...], Kernel] = field(default_factory=dict)

    def __call__(self, launch: Launch) -> None:
        types = (each.dtype if isinstance(each, torch.Tensor) else type(each) for each in launch.arguments)
        key = launch.name, *launch.constants.items(), *types
        if key not in self.made:
            compiled = compile_ahead(launch, CAPABILITY)
            sass, resources = disassembled(compiled.asm["cubin"])
            spilled, ptx = resources["STACK"] + resources["LOCAL"], compiled.asm["ptx"]
            shape = compiled.metadata.num_warps, compiled.metadata.shared
            self.made[key] = Kernel(launch.name, ptx, sass, resources["REG"], spilled, Program(parse(ptx)), *shape)
        kernel, memory = self.made[key], Memory(1)
        kernel.begun += launch.programs * kernel.warps
        kernel.launches += 1
        values = [_bits(memory, each) for each in passed(launch)]
        missing = len(kernel.program.kernel.parameters) - len(values)
        executed = Executed([*values, *[0] * missing], launch.programs, 32 * kernel.warps, kernel.shared)
        kernel.program.launch(memory, executed)


def _bits(memory: Memory, value: torch.Tensor | int | float) -> int:
    if isinstance(value, torch.Tensor):
        return memory.place(value.numpy())
    return int(np.float32(value).view(np.uint32)) if isinstance(value, float) else value


class Deciding:
    """Has the place of a kernel of networks: its launches go to `kernels`."""

    def __init__(self, kernel: Any, kernels: Kernels) -> None:
        self._kernel, self._kernels = kernel, kernels

    def __getitem__(self, grid: tuple[int]) -> Any:
        def launch(*arguments: Any, **settings: Any) -> None:
            constants = {name: int(value) for name, value in settings.items() if name in self._kernel.arg_names}
            self._kernels(Launch(self._kernel, grid[0], arguments, constants, 32 * settings["num_warps"]))

        return launch


@dataclass(frozen=True, slots=True)
class Row:
    """A kernel per agent-tick of a training: its registers, instructions of warps, those of each pipe."""

    name: str
    registers: int
    spilled: int
    instructions: int
    executed: float
    pipes: dict[Pipe, float]

    def seconds(self, gpu: Gpu) -> float:
        """The time that an agent-tick takes of a GPU: issue or the busiest pipe, whichever is longer."""
        busy = max(self.executed, *clocks(self.pipes, gpu.capability).values())
        return busy / (gpu.multiprocessors * QUARTERS * gpu.clock * EFFICIENCY)


def nodes(groups: int) -> int:
    """The nodes that `add_nodes` computes for so many groups; of those that are counted here there is one."""
    count = 0
    while groups > 1:
        groups = -(-groups // NODES)
        count += groups
    return count


def counted(memory: int) -> tuple[list[Row], Network]:
    """Each kernel of an update of the town, and the network that learns."""
    module = hamlet.load(ROOT / "generated" / "town")
    env = hamlet.make(module, worlds=GROUPS * LANES, backend="c", seed=1, quiet=True)
    (crew,) = crews_of(env, shared=True)
    share = LANES * USUAL.horizon // USUAL.minibatches
    settings = replace(USUAL, horizon=HORIZON, epochs=1, minibatches=LANES * HORIZON // share)
    network, lanes = crew.network(settings.hidden, memory), env.num_lanes
    learned, lives = Learned.begun(network, crew.reach, 1), Lives.begun(lanes)
    mind = Mind(network, lanes, torch.device("cpu"))
    mind.take(learned, lives)
    weights, biases = ([each.contiguous() for each in every] for every in zip(*mind.layers, strict=True))
    gates = None if mind.gates is None else (mind.gates[0].contiguous(), mind.gates[1].contiguous())
    policy = hamlet.MLP(weights, biases, gates=gates)
    store = env.storage(HORIZON)
    env.rollout(HORIZON, policy, store=store)
    kernels = Kernels()
    observation, prepared = env.observation, policy.prepared()
    assert observation is not None
    assert store.observations is not None
    seen, age = observation.T.contiguous(), None
    if mind.recall is not None:
        prepared = replace(prepared, recall=mind.recall)
        age = env.state["age"]
        # As much is read of what nobody has seen.
        sensed = [mind.recall.sensed(each, torch.zeros(lanes, dtype=torch.bool), network.actions)
                  for each in store.observations]  # fmt: skip
        store = replace(store, observations=torch.stack(sensed))
    decide = decider(prepared, Shape(lanes, 1), Stream(1, 0), Deciding(kernel_of(prepared), kernels))
    decide(seen, env.action_mask.T.contiguous(), 0, age)
    taught = Taught(lanes, LANES, HORIZON, memory > 0)
    Lesson(mind, settings, 1, 2, taught, kernels).teach(store, learned)
    samples = lanes * HORIZON
    rows = []
    for kernel in kernels.made.values():
        executed, pipes = kernel.executed()
        times = DECISIONS / lanes if kernel.name.startswith("decide") else None
        if times is None and kernel.name in (*EACH_EPOCH, *ONCE):
            times = (USUAL.epochs if kernel.name in EACH_EPOCH else 1) / samples
        if times is None:
            # What is computed once for a minibatch: of so many samples as a model has.
            per_launch = USUAL.epochs * USUAL.minibatches / (WORLDS * USUAL.horizon)
            times = per_launch / kernel.launches * (nodes(WORLDS // LANES) if kernel.name == "add_nodes" else 1)
        code = len([each for block in basic_blocks(kernel.sass, kernel.name) for each in block.instructions])
        whole = {name: number * times for name, number in pipes.items()}
        rows.append(Row(kernel.name, kernel.registers, kernel.spilled, code, executed * times, whole))
    return rows, network


def of_step() -> Row:
    """The step of the town, as benchmarks/results/kernels.json has it: per agent-tick of lanes, 32 of a warp."""
    kernels = json.loads((ROOT / "benchmarks" / "results" / "kernels.json").read_text())["executed"]
    found = next(each for each in kernels if (each["universe"], each["kernel"]) == OF_STEP)
    pipes = {name: number / 32 for name, number in found["pipes"].items()}
    return Row("step of the town", found["registers"], 0, found["instructions"], found["executed"] / 32, pipes)


def predicted(rows: list[Row], gpu: Gpu, network: Network) -> dict[str, float]:
    """Seconds of an update of the model by what it is spent on, and agent-ticks a second."""
    samples, inputs = WORLDS * USUAL.horizon, padded(network.reads)
    hidden, heads = int(network.table[-1][HELD]) // BLOCK, padded(network.sizes[-1])
    computing = samples * sum(row.seconds(gpu) for row in rows)
    # Of a sample in an epoch: what was seen is read twice, and the room is written and read.
    room = 2 * hidden + heads
    moved = 4 * (USUAL.epochs * (2 * inputs + 2 * room) + 4 * inputs)
    gradients = USUAL.epochs * USUAL.minibatches * (WORLDS // LANES) * network.parameters * 4 * 2
    memory = (samples * moved + gradients) / gpu.bandwidth
    of_minibatch, of_tick = EACH_MINIBATCH[network.memory], EACH_TICK[network.memory]
    launches = USUAL.epochs * (2 + of_minibatch * USUAL.minibatches) + 8 + USUAL.horizon * of_tick
    seconds = computing + memory + launches * LAUNCHED
    return {
        "computing": computing, "memory": memory, "launches": launches * LAUNCHED, "seconds": seconds,
        "rate": samples / seconds,
    }  # fmt: skip


def table(report: dict[str, Any]) -> str:
    """The report for a reader."""
    lines = [
        "# The learner on a GPU, counted without one",
        "",
        *(f"- {name}: {value}" for name, value in report["facts"].items()),
        "",
        f"`hamletc train universes/town.hamlet --device cuda --worlds {WORLDS}` with its defaults: a network of 64-64,",
        f"{USUAL.epochs} epochs of {USUAL.minibatches} minibatches over {USUAL.horizon} ticks; then the same with",
        f"`--memory gru:{MEMORY}`. Instructions are those of warps, in machine code for sm_90, per agent-tick of the",
        "training; PTX that was executed on the CPU says how often each block runs.",
        "",
        f"The model: each kernel takes its issue or its busiest pipe, over {EFFICIENCY}; memory at the rate of a large",
        f"copy and {LAUNCHED * 1e6:.0f} microseconds for each launch come on top, as if nothing overlapped. Latencies",
        "of loads and the sort of samples by their keys, which torch does, are left out.",
        "",
    ]
    for name, of_network in report["networks"].items():
        lines += [
            f"## {name}",
            "",
            "| kernel | registers | bytes spilled | instructions | executed | fma | alu | lsu |",
            "|---|--:|--:|--:|--:|--:|--:|--:|",
        ]
        for row in of_network["kernels"]:
            pipes = [row["pipes"].get(pipe_name, 0.0) for pipe_name in ("fma", "alu", "lsu")]
            numbers = (f"{number:,.1f}" for number in (row["executed"], *pipes))
            cells = row["name"], str(row["registers"]), str(row["spilled"]), f"{row['instructions']:,}", *numbers
            lines.append(f"| {' | '.join(cells)} |")
        lines += [
            "",
            "| GPU | computing | memory | launches | an update | agent-ticks a second |",
            "|---|--:|--:|--:|--:|--:|",
        ]
        for gpu, of in of_network["model"].items():
            times = (f"{of[part] * 1e3:.1f} ms" for part in ("computing", "memory", "launches", "seconds"))
            lines.append(f"| {gpu} | {' | '.join(times)} | {of['rate'] / 1e6:,.0f} million |")
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results" / "learner_kernels.json")
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    networks = {}
    for memory, name in ((0, "64-64"), (MEMORY, f"64-64 with a memory of {MEMORY} numbers")):
        rows, network = counted(memory)
        rows.append(of_step())
        networks[name] = {
            "kernels": [asdict(row) for row in rows],
            "model": {gpu.name: predicted(rows, gpu, network) for gpu in GPUS if gpu.capability == CAPABILITY},
        }
    report: dict[str, Any] = {"facts": facts("benchmarks/learner_kernels.py", "none"), "networks": networks}
    arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    text = table(report)
    if arguments.markdown is not None:
        arguments.markdown.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
