"""Cells that spread: kernels for CPUs, Triton's interpreter, the tick IR with and without passes, and the interpreter
agree in every bit, whatever the number of agents per world: one, several on a cell, worlds of several tiles."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import torch
from agreement import agree, checked
from cases import case

import hamlet
from hamlet.backend.buffers import Buffers, Shape, allocate
from hamlet.backend.protocol import Backend, RandomPolicy, RecordedPolicy, Stream
from hamlet.interpreter import Interpreter
from hamlet.launch.cpu.kernels import just_in_time
from hamlet.launch.cpu.launch import CpuBackend
from hamlet.package.module import in_memory
from hamlet.universe import Universe
from hamlet_lab.verify.fired import counting
from hamlet_lab.verify.injection import Injector
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from processes import Run

CPU = torch.device("cpu")
HEATH = """
universe heath
space grid map { edges wrap  starts anywhere }
map {
    "#.f"
    ".f."
    "..."
    wall "#"
    region forest "f"
    terrain damp = 0.125 { forest 0.25 }
}
clock 4 hours
lifespan 7 ticks
param rain = 0.5 in 0 .. 1
meter food = uniform(0.5, 1) { decay 0.03 }
cells {
    meter moss = 0.5 + damp * uniform(0, 1) in 0 .. 2
    meter fire = 0.25 * dusty + (0.5 when on forest)
    rule grow:  moss += 0.02 * rain * neighbours(moss * damp) + 0.01 * smoke - 0.01 * previous(smoke)
    rule eaten: moss -= 0.25 * count(action == EAT) + 0.01 * average(food) + 0.001 * lowest(food) * highest(food - 2)
    rule burn:  chance(0.1 + 0.1 * neighbours(fire)) -> fire = 1
    rule cool:  fire -= 0.2 * previous(fire) + 0.01 * position x when hour > 1
}
world {
    meter smoke = 0 in 0 .. 4
    kept meter dusty = 0.25 * rain + uniform(0, 1) in 0 .. 9
    rule up:   smoke = 0.25 * total(fire) + 0.01 * (lowest(moss - damp) over cells)
    rule dust: dusty += 0.01 * count(fire > 0.5) over cells
}
affordance Bush at random { instantly { food += 0.2 * moss } }
action EAT { needs moss > 0.1  food += 0.4 * moss }
rule warm: food -= 0.1 * fire + 0.02 * previous(moss)
dies when food <= 0.2 or fire > 0.95
reward food + moss - previous(moss) + total(moss * damp + smoke) over cells - previous(average(moss) over cells)
allow EAT when moss > 0.3 or highest(fire) over cells < 0.5
observe { meters  cell  window 1 of fire  window 1 of lean: lowest(food)  grid of moss  world }
"""
"""Walls and edges, draws of cells, all that agents on a cell have together and show, what agents read before and after,
what all cells come to, and what the world keeps."""
AGENTS = {1: 70, 5: 20, 129: 3, 300: 2}
"""Agents of a world, and worlds."""


@cache
def compiled() -> tuple[Universe, CpuBackend]:
    universe = checked(HEATH)
    module = in_memory(Path("heath"), build(universe, Options(targets=("c",)), Stopwatch()))
    return universe, CpuBackend(universe, just_in_time(module), 2)


def bits(buffers: Buffers) -> dict[str, torch.Tensor]:
    """Everything that backends write."""
    found = {**buffers.state, **buffers.outcome, "mask": buffers.mask}
    if buffers.observation is not None and buffers.final_observation is not None:
        found |= {"observation": buffers.observation, "final_observation": buffers.final_observation}
    return {
        name: (each.view(torch.int32) if each.is_floating_point() else each).clone() for name, each in found.items()
    }


def play(universe: Universe, backend: Backend, shape: Shape, ticks: int) -> list[dict[str, torch.Tensor]]:
    """A reset, states that were injected with steps, and a rollout of random actions; all arrays after each."""
    buffers = allocate(universe, shape, CPU, torch.float32)
    backend.reset(buffers, Stream(5, 0))
    result, injector = [bits(buffers)], Injector(universe, shape, 11)
    for number in range(2):
        for field, values in injector.state().items():
            buffers.state[field].copy_(values)
        for tick in range(2):
            backend.step(buffers, injector.actions(0.2), Stream(5, 9 * number + tick))
        result.append(bits(buffers))
    backend.rollout(buffers, ticks, RandomPolicy(), Stream(5, 30), True, None)
    return [*result, bits(buffers)]


@pytest.mark.parametrize("agents", AGENTS)
def test_kernels_and_interpreter_agree(agents: int) -> None:
    universe, kernels = compiled()
    shape, fired = Shape(AGENTS[agents], agents, first_world=3), counting(universe)
    expected = play(universe, Interpreter(universe, CPU, fired), shape, 12)
    for before, after in zip(expected, play(universe, kernels, shape, 12), strict=True):
        for name, values in before.items():
            assert torch.equal(values, after[name]), name
    assert {"rule grow", "rule eaten", "rule burn", "rule cool"}.isdisjoint(fired.never_fired)
    if agents == 5:
        assert fired.never_fired == ()


def test_a_rollout_is_steps_and_shards_do_not_matter() -> None:
    universe, kernels = compiled()
    whole, worlds, ticks = Shape(6, 2), 6, 10
    actions = torch.randint(0, 7, (ticks, whole.lanes), dtype=torch.int32, generator=torch.Generator().manual_seed(1))
    rolled, stepped = (allocate(universe, whole, CPU, torch.float32) for _ in range(2))
    for buffers in (rolled, stepped):
        kernels.reset(buffers, Stream(7, 0))
    kernels.rollout(rolled, ticks, RecordedPolicy(actions), Stream(7, 0), True, None)
    for tick in range(ticks):
        kernels.step(stepped, actions[tick], Stream(7, tick))
    assert all(torch.equal(values, bits(stepped)[name]) for name, values in bits(rolled).items())
    for first in range(0, worlds, 2):
        shard = allocate(universe, Shape(2, 2, first_world=first), CPU, torch.float32)
        kernels.reset(shard, Stream(7, 0))
        of_shard = actions[:, 2 * first : 2 * first + 4].contiguous()
        kernels.rollout(shard, ticks, RecordedPolicy(of_shard), Stream(7, 0), True, None)
        assert torch.equal(shard.state["cell_meters"], rolled.state["cell_meters"][:, first : first + 2])


def test_the_program_agrees_with_and_without_passes() -> None:
    agree(HEATH, checked(HEATH), ("ir",), case(6))


def test_triton_agrees(tmp_path: Path, run_program: Run) -> None:
    """In a process of its own, because Triton decides when it is imported whether kernels run on its interpreter."""
    path = tmp_path / "heath.hamlet"
    path.write_text(HEATH)
    program = Path(__file__).with_name("cells_on_triton.py")
    done = run_program(program, path, timeout=400)
    assert done.returncode == 0, done.stdout + done.stderr


def test_kernels_read_and_write_nothing_behind_their_arrays(tmp_path: Path, run_program: Run) -> None:
    """A vector whose last lanes are no agents looks nowhere beyond the last world: it would be killed there."""
    path = tmp_path / "heath.hamlet"
    path.write_text(HEATH)
    hamlet.compile(path, tmp_path / "heath")
    done = run_program(Path(__file__).with_name("memory_guard.py"), tmp_path / "heath", "1", "1", "3", "65")
    assert done.returncode == 0, f"killed by signal {-done.returncode}\n{done.stdout}{done.stderr}"
    assert len(done.stdout.split()) == 6
    assert " 0" not in done.stdout
