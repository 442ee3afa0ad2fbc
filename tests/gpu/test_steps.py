"""Steps as CUDA graphs, inside `torch.compile` and in bytes, and tables: all equal what plain calls on the CPU give."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.env.act.graph import Work, record
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet.telemetry import Record
from rehearsal import simulating
from samples import text

TURNS = 18 if simulating() else 60
PACKAGES = Path(__file__).parents[2] / "generated"

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no CUDA device")


@pytest.fixture(params=["luck", "town", "shifts"])
def module(request: pytest.FixtureRequest, compiled: Callable[..., Module]) -> Module:
    return compiled(text("luck"), "triton") if request.param == "luck" else hamlet.load(PACKAGES / request.param)


def pair(module: Module, obs_dtype: str = "float32", launch: str = "step") -> tuple[Env, Env]:
    """The same worlds on the GPU and on the CPU."""
    on_gpu = hamlet.make(module, worlds=333, device="cuda", seed=5, obs_dtype=obs_dtype, launch=launch, quiet=True)
    return on_gpu, hamlet.make(module, worlds=333, device="cpu", backend="interpreter", seed=5, obs_dtype=obs_dtype)


def same(gpu: Env, cpu: Env) -> None:
    assert (gpu.seed, gpu.tick) == (cpu.seed, cpu.tick)
    for name, values in (cpu.state | cpu.outcome).items():
        assert torch.equal(gpu.state.get(name, gpu.outcome.get(name)).cpu(), values), name
    assert gpu.observation is not None
    assert cpu.observation is not None
    assert torch.equal(gpu.observation.cpu(), cpu.observation)


def drive(gpu: Env, cpu: Env, step: Callable[[torch.Tensor], object]) -> None:
    """Steps among rollouts, resets and re-seeding."""
    generator, endings = torch.Generator().manual_seed(3), 0
    for turn in range(TURNS):
        actions = torch.randint(cpu.num_actions, (333,), generator=generator, dtype=torch.int32)
        step(actions.cuda())
        endings += int(sum(flags.sum() for flags in cpu.step(actions)[2:4]))
        same(gpu, cpu)
        for env in (gpu, cpu):
            if turn % 13 == 4:
                env.rollout(3)
            if turn == TURNS // 2:
                env.reset()
            if turn == TURNS // 3 * 2:
                env.reset(seed=1 << 63)
    assert endings > 0 or cpu.universe.name != "luck"


@pytest.mark.parametrize("obs_dtype", ["float32", "uint8"])
def test_graph(module: Module, obs_dtype: str) -> None:
    gpu, cpu = pair(module, obs_dtype=obs_dtype)
    graphed = gpu.graphed()
    same(gpu, cpu)
    drive(gpu, cpu, graphed.step)


def test_steps_that_replay_a_graph(module: Module) -> None:
    gpu, cpu = pair(module, launch="graph")
    assert (gpu.launch, cpu.launch) == ("graph", "step")
    drive(gpu, cpu, gpu.step)
    assert gpu._now.graphed is not None


class Owner:
    """Refers to itself, so that it ends where Python looks for cycles."""

    def __init__(self, replay: Work) -> None:
        self.itself, self.replay = self, replay


def test_a_graph_does_not_end_while_another_is_recorded() -> None:
    values = torch.zeros(3, device="cuda")
    replays = [record(lambda: values.add_(1), [values])]
    ended, counts = weakref.ref(replays[0]), gc.get_threshold()

    def work() -> None:
        values.add_(2)
        if torch.cuda.is_current_stream_capturing():
            Owner(replays.pop())
            assert [[turn] for turn in range(1000)]
            assert ended() is not None

    gc.set_threshold(1)
    try:
        replay = record(work, [values])
    finally:
        gc.set_threshold(*counts)
    replay()
    assert (values.tolist(), replays) == ([2, 2, 2], [])
    gc.collect()
    assert ended() is None


def test_compiled(module: Module) -> None:
    gpu, cpu = pair(module)
    torch._dynamo.reset()
    drive(gpu, cpu, torch.compile(gpu.step, fullgraph=True, backend="aot_eager"))


@pytest.mark.parametrize("drawn", [False, True])
def test_table(module: Module, drawn: bool) -> None:
    gpu, cpu = pair(module, obs_dtype="uint8")
    generator = torch.Generator().manual_seed(1)
    meter = module.universe.meters[0].name
    size = len(module.universe.affordances) + 1
    table = torch.randint(cpu.num_actions, (size, 5), generator=generator)
    if drawn:
        table = torch.rand((size, 5, cpu.num_actions), generator=generator).softmax(dim=-1)
    for env in (gpu, cpu):
        policy = env.tabular(table, ["here", (meter, 5)])
        env.rollout(7, policy)
        env.rollout(50, policy, observe=True)
    same(gpu, cpu)


def test_nothing_waits_for_the_device(module: Module) -> None:
    """Steps, graphed or not, and rollouts, after the first ones."""
    gpu, _ = pair(module)
    graphed, actions = gpu.graphed(), torch.zeros(333, dtype=torch.int32, device="cuda")
    policy = gpu.tabular(torch.tensor(0), [])
    for _ in range(2):
        gpu.step(actions)
        graphed.step(actions)
        gpu.rollout(5)
        gpu.rollout(5, policy, observe=True)
        torch.cuda.set_sync_debug_mode("error")
    torch.cuda.set_sync_debug_mode("default")


def test_telemetry_has_the_records_of_the_cpu(module: Module) -> None:
    several = []
    for env in pair(module):
        generator, records = torch.Generator().manual_seed(3), list[Record]()
        with env.telemetry(every=20, to=records.append):
            for _ in range(TURNS):
                actions = torch.randint(env.num_actions, (333,), generator=generator, dtype=torch.int32)
                env.step(actions.to(env.device))
            env.rollout(30)
            env.rollout(25, statistics=False)
        several.append(repr(records))
        assert sum(record.episodes for record in records) > 0 or module.universe.name != "luck"
    assert several[0] == several[1]


def test_nothing_waits_for_the_device_while_telemetry_counts(module: Module) -> None:
    gpu, _ = pair(module)
    actions = torch.zeros(333, dtype=torch.int32, device="cuda")
    with gpu.telemetry(every=3, to=[]):
        try:
            for _ in range(2):
                for _ in range(4):
                    gpu.step(actions)
                gpu.rollout(5, statistics=False)
                torch.cuda.set_sync_debug_mode("error")
        finally:
            torch.cuda.set_sync_debug_mode("default")
