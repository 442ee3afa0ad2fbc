"""The kernels against the interpreter, for worlds of many shapes, and the same for any number of threads."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import torch
from crowded import APART, BY_HAND, CACHED, TRACKED, compiled, universe

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape, Statistics, allocate, allocate_statistics
from hamlet.backend.protocol import Backend, RandomPolicy, RecordedPolicy, Stream
from hamlet.interpreter.interpreter import Interpreter
from hamlet.launch.cpu import memory
from hamlet.launch.cpu.kernels import just_in_time
from hamlet.launch.cpu.launch import CpuBackend
from hamlet.package.module import Module
from hamlet.schema.abi import COUNTS
from hamlet.universe import Universe
from hamletc.targets.c.slots import STACK

CPU = torch.device("cpu")
STREAM = Stream(0x1234567890ABCDEF, 6)
IN_ONE_ARRAY = "tracked, all rows in one array"
SHAPES = [Shape(601, 1, 3), Shape(5, 1), Shape(171, 3, 1), Shape(9, 70, 2), Shape(2, 1500), Shape(3, 256)]


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Module:
    return compiled(universe(), tmp_path_factory.mktemp("crowded") / "crowded")


def run(
    backend: Backend, shape: Shape, obs_dtype: torch.dtype | None, of: Universe | None = None
) -> list[tuple[Buffers, Statistics]]:
    """Reset, steps, random and recorded rollouts; what is in memory after each."""
    seen, of = [], of or universe()
    buffers = allocate(of, shape, CPU, obs_dtype)
    statistics = allocate_statistics(of, shape, CPU)

    def look() -> None:
        copied = {name: tensor.clone() for name, tensor in buffers.state.items()}
        outcome = {name: tensor.clone() for name, tensor in buffers.outcome.items()}
        observations = [None if t is None else t.clone() for t in (buffers.observation, buffers.final_observation)]
        counted = [getattr(statistics, name).clone() for name in COUNTS]
        kept = Statistics(dict(zip(COUNTS, counted, strict=True)))
        seen.append((Buffers(shape, copied, outcome, *observations, buffers.mask.clone()), kept))

    generator = torch.Generator().manual_seed(1)
    actions = torch.randint(len(schema.action_names(of)), (12, shape.lanes), generator=generator, dtype=torch.int32)
    for name in {"params", "inputs"} & buffers.state.keys():
        buffers.state[name][:] = torch.rand(buffers.state[name].shape, generator=generator) + 0.5
    backend.reset(buffers, STREAM)
    look()
    for tick in range(2):
        backend.step(buffers, actions[tick], STREAM)
        look()
    backend.rollout(buffers, 12, RecordedPolicy(actions), STREAM, True, statistics)
    look()
    backend.rollout(buffers, 75, RandomPolicy(), STREAM, False, statistics)
    look()
    backend.rollout(buffers, 75, RandomPolicy(), Stream(9, 2**32 - 2), True, statistics)
    look()
    buffers.state["age"] += 1
    # Agents that were dead at the beginning keep their state, or begin anew with their world.
    buffers.state["alive"][::2] = False
    if "layout" in buffers.state:
        buffers.state["layout"][::3] += 77
    backend.observe(buffers)
    look()
    backend.rollout(buffers, 1, RecordedPolicy(actions), STREAM, True, statistics)
    look()
    return seen


class Absent:
    """Threads that are too late for everything."""

    def submit(self, *_: object) -> Future[None]:
        return Future()


def bits(tensor: torch.Tensor) -> torch.Tensor:
    match tensor.dtype:
        case torch.float32:
            return tensor.view(torch.int32)
        case torch.bfloat16:
            return tensor.view(torch.int16)
        case _:
            return tensor


@cache
def interpreted(text: str, shape: Shape) -> list[tuple[Buffers, Statistics]]:
    """What the interpreter does, once for all packages of a text."""
    return run(Interpreter(universe(text), CPU), shape, torch.float32, universe(text))


def assert_same(first: list[tuple[Buffers, Statistics]], second: list[tuple[Buffers, Statistics]]) -> None:
    assert len(first) == len(second)
    for moment, ((a, counted), (b, recounted)) in enumerate(zip(first, second, strict=True)):
        pairs = [(name, a.state[name], b.state[name]) for name in a.state]
        pairs += [(name, a.outcome[name], b.outcome[name]) for name in a.outcome]
        pairs += [("mask", a.mask, b.mask)]
        if a.observation is not None and b.observation is not None:
            pairs += [("observation", a.observation, b.observation)]
        if a.final_observation is not None and b.final_observation is not None:
            pairs += [("final_observation", a.final_observation, b.final_observation)]
        pairs += [(name, getattr(counted, name), getattr(recounted, name)) for name in COUNTS]
        for name, one, other in pairs:
            assert torch.equal(bits(one), bits(other)), f"{name} after step {moment}"


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.worlds}x{shape.agents}")
def test_bits_of_the_interpreter(module: Module, shape: Shape) -> None:
    kernels = run(CpuBackend(universe(), just_in_time(module), 2), shape, torch.float32)
    assert_same(run(Interpreter(universe(), CPU), shape, torch.float32), kernels)
    counted = kernels[-1][1]
    assert counted.causes.sum() >= shape.worlds
    assert kernels[-1][0].state["episode"].min() >= 2
    if shape.lanes > 600:
        assert counted.uses.min() > 0
        assert counted.causes.min() > 0


@pytest.mark.parametrize(
    ("text", "most"), [pytest.param(CACHED, 600, marks=pytest.mark.long), (APART, 40)], ids=["anywhere", "apart"]
)
def test_cell_cache(text: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From launch to launch, and where there is no room for that; also where a world takes several tiles, for which
    nothing is cached, in single ticks, and where layouts change."""
    of = universe(text)
    module = compiled(of, tmp_path / "cached")
    assert "find(found" in (tmp_path / "cached" / "c_kernels.c").read_text()
    shares = (memory.SHARE, 1000)
    for shape in (Shape(601, 1, 3), Shape(171, 3, 1), Shape(2, most)):
        expected = run(Interpreter(of, CPU), shape, torch.float32, of)
        for share, obs_dtype in zip(shares, (torch.float32, None), strict=True):
            monkeypatch.setattr(memory, "SHARE", share)
            kernels = run(CpuBackend(of, just_in_time(module), 2), shape, obs_dtype, of)
            assert_same(expected, kernels)
            assert kernels[-1][1].uses.min() > 0
            assert kernels[-1][0].state["episode"].min() >= 2


def test_rows_fetch_theirs_of_many_words(tmp_path: Path) -> None:
    """More words with a bit per row than are worth a choice: of all cells, with the own one, and of a window."""
    corners = ("(0, 0)", "(17, 0)", "(9, 9)", "(0, 17)")
    places = ("random", *corners)
    beds = "".join(f"affordance Bed{n} at {at} {{ instantly {{ a += 0.4 }} }}\n" for n, at in enumerate(places))
    of = universe(
        f"universe wide\nspace grid 18 x 18 {{ edges wrap }}\nmeter a = 1 {{ decay 0.1 }}\n{beds}"
        "dies when a <= 0\nreward a\nobserve { grid  window 8  meters }\n"
    )
    module, shape = compiled(of, tmp_path / "wide"), Shape(1501, 1)
    text = (tmp_path / "wide" / "c_kernels.c").read_text()
    assert all(
        f"fetch_vu32({each}, (((element >> 5) * ROW) + lane))" in text for each in ("words_of_grid", "words_of_window")
    )
    seen = []
    for backend in (Interpreter(of, CPU), CpuBackend(of, just_in_time(module), 1)):
        buffers = allocate(of, shape, CPU, torch.float32)
        backend.reset(buffers, STREAM)
        backend.rollout(buffers, 12, RandomPolicy(), STREAM, True, None)
        assert buffers.observation is not None
        seen.append(buffers.observation)
    assert torch.equal(bits(seen[0]), bits(seen[1]))
    assert set(seen[0][: 18 * 18].unique().tolist()) == {0.0, 1.0, 2.0}


def test_lanes_know_their_worlds_and_agents(module: Module) -> None:
    """A product and a shift divide the number of a lane by that of agents; a larger world takes several tiles."""
    kernels, interpreter = CpuBackend(universe(), just_in_time(module), 1), Interpreter(universe(), CPU)
    for agents in range(1, 260):
        shape, states = Shape(256 // agents + 2, agents, 3), []
        for backend in (interpreter, kernels):
            buffers = allocate(universe(), shape, CPU, None)
            backend.reset(buffers, STREAM)
            states.append(buffers.state)
        for name, values in states[0].items():
            assert torch.equal(bits(values), bits(states[1][name])), f"{name} of worlds of {agents}"


@pytest.fixture(
    scope="module",
    params=["tracked", *(pytest.param(each, marks=pytest.mark.long) for each in (IN_ONE_ARRAY, "by hand"))],
)
def remembering(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Module]:
    text = BY_HAND if request.param == "by hand" else TRACKED
    with pytest.MonkeyPatch.context() as patch:
        if request.param == IN_ONE_ARRAY:
            patch.setattr("hamletc.targets.c.module.STACK", replace(STACK, few=1))
        return text, compiled(universe(text), tmp_path_factory.mktemp("remembering") / "package")


def test_uses_of_worlds(remembering: tuple[str, Module]) -> None:
    """Agents of a world remember together, also where a world takes several tiles."""
    text, module = remembering
    of = universe(text)
    for shape in (Shape(300, 1), Shape(101, 3, 2), Shape(9, 70), Shape(2, 600)):
        kernels = run(CpuBackend(of, just_in_time(module), 2), shape, torch.float32, of)
        assert_same(interpreted(text, shape), kernels)
        last = kernels[-1][0]
        assert {int(value) for value in last.state["last"].unique()} > {0} or of.by_hand
        assert last.state["seen"].any() or of.by_hand
        assert int(last.state["episode"].max()) == 0 if of.by_hand else last.state["episode"].max() > 1
        assert any(moment.outcome["reports"].any() for moment, _ in kernels)
        assert kernels[-1][1].uses.min() > 0
        assert kernels[-1][1].causes.sum() > 0


def test_the_dead_of_a_large_world_use_nothing(remembering: tuple[str, Module]) -> None:
    """Where a world takes several tiles, whether anybody in it interacts is known before the first one."""
    text, module = remembering
    of = universe(text)
    shape = Shape(2, 600)
    living = torch.arange(shape.lanes) % shape.agents >= 300
    waits = schema.interact_action(of) + 1
    actions = torch.where(living, waits, waits - 1).to(torch.int32)
    states = []
    for backend in (Interpreter(of, CPU), CpuBackend(of, just_in_time(module), 2)):
        buffers = allocate(of, shape, CPU, None)
        backend.reset(buffers, STREAM)
        backend.rollout(buffers, 12, RandomPolicy(), STREAM, False, None)
        buffers.state["alive"][:] = living
        before = buffers.state["last"].clone()
        backend.step(buffers, actions, Stream(STREAM.seed, 12))
        assert bool((buffers.state["last"] == before).all()) is not of.by_hand
        states.append(buffers.state)
    for name, values in states[0].items():
        assert torch.equal(bits(values), bits(states[1][name])), name


def test_one_agent_of_a_large_world_uses_something(remembering: tuple[str, Module]) -> None:
    """Whichever tile of its world it is in."""
    text, module = remembering
    of = universe(text)
    shape = Shape(3, 600)
    interacts = schema.interact_action(of)
    states, changed = [], 0
    for backend in (Interpreter(of, CPU), CpuBackend(of, just_in_time(module), 2)):
        buffers = allocate(of, shape, CPU, None)
        backend.reset(buffers, STREAM)
        backend.rollout(buffers, 12, RandomPolicy(), STREAM, False, None)
        for tick, agent in enumerate((0, 255, 256, 511, 512, 599)):
            before = buffers.state["last"].clone()
            actions = torch.full((shape.lanes,), interacts + 1, dtype=torch.int32)
            actions[shape.agents + agent] = interacts
            backend.step(buffers, actions, Stream(STREAM.seed, 12 + tick))
            changed += int((buffers.state["last"] != before).any())
        states.append(buffers.state)
    assert changed > 0
    for name, values in states[0].items():
        assert torch.equal(bits(values), bits(states[1][name])), name


def test_bfloat16_observations(module: Module) -> None:
    shape = Shape(130, 3)
    kernels = run(CpuBackend(universe(), just_in_time(module), 1), shape, torch.bfloat16)
    assert_same(run(Interpreter(universe(), CPU), shape, torch.bfloat16), kernels)


@pytest.mark.parametrize(
    "shape", [Shape(9001, 1), Shape(3001, 3), Shape(7, 1500)], ids=lambda s: f"{s.worlds}x{s.agents}"
)
def test_the_number_of_threads_changes_nothing(module: Module, shape: Shape, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where they do not come in time."""
    backends = [CpuBackend(universe(), just_in_time(module), threads) for threads in (1, 2, 5, 3)]
    monkeypatch.setattr(backends[-1], "_pool", Absent())
    runs = [run(backend, shape, None) for backend in backends]
    for other in runs[1:]:
        assert_same(runs[0], other)
    assert runs[0][-1][1].uses.sum() > 0


def test_actions_need_not_be_contiguous(module: Module) -> None:
    backend, shape = CpuBackend(universe(), just_in_time(module), 1), Shape(300, 1)
    strided = torch.randint(4, (shape.lanes, 8), generator=torch.Generator().manual_seed(2), dtype=torch.int32).t()
    both = []
    for actions in (strided, strided.contiguous()):
        buffers = allocate(universe(), shape, CPU, None)
        backend.reset(buffers, STREAM)
        backend.step(buffers, actions.t()[:, 0], STREAM)
        backend.rollout(buffers, 8, RecordedPolicy(actions), STREAM, False, None)
        both.append(buffers.state["position"])
    assert not strided.is_contiguous()
    assert torch.equal(*both)
