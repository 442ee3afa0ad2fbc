"""Prepared steps on a CPU: observations past the caches, teams of threads, counts within a step."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable

import pytest
import torch
from crowded import CACHED, compiled, universe

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape, Statistics, allocate, allocate_statistics
from hamlet.backend.protocol import RecordedPolicy, Stream
from hamlet.launch.cpu.kernels import just_in_time
from hamlet.launch.cpu.launch import CpuBackend
from hamlet.launch.cpu.streaming import AGAIN, PARTS, ROUNDS, TIMED, WARM, Streaming, large, parts
from hamlet.package.module import Module
from hamlet.schema.abi import COUNTS

CPU = torch.device("cpu")
OF = universe(CACHED)
NEVER = 1 << 30
TICKS = 6
ACTIONS = len(schema.action_names(OF))
ROWS = len(schema.observation_names(OF))
NARROW = [pytest.param(dtype, marks=pytest.mark.long) for dtype in (torch.bfloat16, torch.uint8)]


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Module:
    return compiled(OF, tmp_path_factory.mktemp("crowded") / "crowded")


def backend(module: Module, threads: int = 1, streamed: int | None = None) -> CpuBackend:
    return CpuBackend(OF, just_in_time(module), threads, streamed)


def counts(shape: Shape) -> Statistics:
    return allocate_statistics(OF, shape, CPU)


Tick = Callable[[CpuBackend, Buffers, torch.Tensor, int], None]


def step(backend: CpuBackend, buffers: Buffers, actions: torch.Tensor, tick: int) -> None:
    backend.step(buffers, actions, Stream(7, tick))


def run(backend: CpuBackend, shape: Shape, dtype: torch.dtype = torch.float32, tick: Tick = step) -> list[bytes]:
    """All memory after each of some ticks, in which episodes end."""
    buffers = allocate(OF, shape, CPU, dtype)
    assert buffers.observation is not None
    generator = torch.Generator().manual_seed(4)
    backend.reset(buffers, Stream(7, 0))
    seen = []
    for number in range(TICKS):
        buffers.state["age"] += 9
        tick(backend, buffers, torch.randint(ACTIONS, (shape.lanes,), generator=generator, dtype=torch.int32), number)
        seen.append(b"".join(bytes(each.contiguous().view(torch.uint8).numpy()) for each in buffers.tensors))
    return seen


@pytest.mark.parametrize("shape", [Shape(1088, 1), Shape(9, 64)], ids=str)
def test_a_tick_in_the_place_of_the_state_has_the_bits_of_one_on_copies(module: Module, shape: Shape) -> None:
    """Steps work on the state of whole chunks in its place, and rollouts of several ticks on copies."""
    stepped, rolled = (allocate(OF, shape, CPU, torch.float32) for _ in range(2))
    drawn = torch.randint(ACTIONS, (TICKS, shape.lanes), generator=torch.Generator().manual_seed(4), dtype=torch.int32)
    one = backend(module)
    for buffers in (stepped, rolled):
        one.reset(buffers, Stream(7, 0))
        # Worlds of all ages: some end their episodes in each of the ticks.
        buffers.state["age"] += torch.arange(shape.lanes, dtype=torch.int32) // shape.agents * 7 % 50
    began = stepped.copied()
    for number, actions in enumerate(drawn):
        one.step(stepped, actions, Stream(7, number))
    one.rollout(rolled, TICKS, RecordedPolicy(drawn), Stream(7, 0), True, None)
    assert (stepped.state["episode"] > began.state["episode"]).any()
    assert not torch.equal(stepped.state["meters"], began.state["meters"])
    assert all(torch.equal(*each) for each in zip(stepped.tensors, rolled.tensors, strict=True))


@pytest.mark.parametrize("dtype", [torch.float32, *NARROW], ids=str)
def test_observations_past_the_caches_have_the_same_bits(module: Module, dtype: torch.dtype) -> None:
    """The last chunk ends with whole vectors, or within one."""
    for shape, fired in ((Shape(1088, 1), True), (Shape(9, 64), True), (Shape(700, 1), False), (Shape(90, 3), False)):
        plain = backend(module, 1, NEVER)
        expected = run(plain, shape, dtype)
        for first in (0, ROWS // 3):
            streaming = backend(module, 1, first)
            assert run(streaming, shape, dtype) == expected
            assert [cached(each) for each in (streaming, plain)] == [first if fired else ROWS, ROWS], shape


def cached(backend: CpuBackend) -> int:
    """How many rows the last step wrote through the caches."""
    steps = backend._steps
    assert steps is not None
    return steps._words[steps._streamed]


def test_observations_elsewhere_are_streamed_where_they_begin_a_line(module: Module) -> None:
    shape, streaming = Shape(512, 1), backend(module, 1, 0)
    buffers = allocate(OF, shape, CPU, torch.float32)
    assert buffers.observation is not None
    expected = run(backend(module, 1, NEVER), shape)
    for words in (0, 1):

        def shifted(
            backend: CpuBackend, buffers: Buffers, actions: torch.Tensor, tick: int, words: int = words
        ) -> None:
            own = buffers.observation
            assert own is not None
            memory = torch.zeros(own.numel() + 64)
            first = -memory.data_ptr() // 4 % 16 + words
            there = memory[first : first + own.numel()].view(own.shape)
            parts = buffers.shape, buffers.state, buffers.outcome, there, buffers.final_observation, buffers.mask
            backend.step(Buffers(*parts), actions, Stream(7, tick))
            own.copy_(there)

        assert run(streaming, shape, tick=shifted) == expected
        assert cached(streaming) == (0 if words == 0 else ROWS)


def test_small_observations_are_not_streamed(module: Module) -> None:
    assert 2 << 20 <= large(1) < large(2)
    usual = backend(module)
    run(usual, Shape(512, 1))
    assert cached(usual) == ROWS


def test_large_observations_are_tried_each_way(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hamlet.launch.cpu.launch.large", lambda _threads: 1)
    trying, shape = backend(module), Shape(512, 1)
    seen = []

    def noted(backend: CpuBackend, buffers: Buffers, actions: torch.Tensor, tick: int) -> None:
        step(backend, buffers, actions, tick)
        seen.append(cached(backend))

    steps = 2 * ROUNDS * (PARTS + 1) * (WARM + TIMED)
    for _ in range(steps // TICKS + 2):
        run(trying, shape, tick=noted)
    assert list(dict.fromkeys(seen)) == parts(ROWS)
    assert trying._steps is not None
    assert trying._steps._streaming is not None
    assert not trying._steps._streaming.trying
    # What is found stays.
    assert len(set(seen[steps:])) == 1


def test_what_takes_the_least_time_is_found_and_tried_again() -> None:
    streaming = Streaming(parts(90))
    assert parts(90) == [90, 67, 45, 22, 0]
    for fastest in (45, 0, 90):
        for number in range(2 * ROUNDS * 5 * (WARM + TIMED)):
            assert streaming.trying
            # The first steps after a change are slow, and all for some time.
            slow = number % (WARM + TIMED) < WARM or 30 <= number < 45
            streaming.took(1.0 + abs(streaming.first - fastest) + 100 * slow)
        assert (streaming.first, streaming.trying) == (fastest, False)
        for _ in range(AGAIN - 1):
            streaming.passed()
            assert (streaming.first, streaming.trying) == (fastest, False)
        streaming.passed()
    only = Streaming([7])
    for _ in range(2 * AGAIN):
        assert (only.first, only.trying) == (7, False)
        only.passed()


def members() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("hamlet-step")]


def test_a_team_changes_nothing_and_ends_with_its_backend(module: Module) -> None:
    shape, before = Shape(3100, 3), len(members())
    team = backend(module, 3)
    assert run(team, shape) == run(backend(module), shape)
    assert len(members()) == before + 2
    del team
    gc.collect()
    late = time.monotonic() + 20
    while len(members()) > before and time.monotonic() < late:
        time.sleep(0.01)
    assert len(members()) == before


def test_a_fork_steps_without_its_team(module: Module) -> None:
    shape, team = Shape(9000, 1), backend(module, 3)
    expected = run(team, shape)
    child = os.fork()
    if child == 0:
        # Threads of torch do not survive a fork.
        torch.set_num_threads(1)
        os._exit(0 if run(team, shape) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert run(team, shape) == expected


@pytest.mark.parametrize(("threads", "shape"), [(1, Shape(700, 1)), (3, Shape(9000, 1)), (2, Shape(2400, 3))])
def test_steps_count_what_rollouts_of_a_tick_count(module: Module, threads: int, shape: Shape) -> None:
    of_steps, of_rollouts = counts(shape), counts(shape)

    def counted(backend: CpuBackend, buffers: Buffers, actions: torch.Tensor, tick: int) -> None:
        backend.step(buffers, actions, Stream(7, tick), of_steps)

    def rolled(backend: CpuBackend, buffers: Buffers, actions: torch.Tensor, tick: int) -> None:
        policy = RecordedPolicy(actions.view(1, -1))
        backend.rollout(buffers, 1, policy, Stream(7, tick), True, of_rollouts)

    assert run(backend(module, threads), shape, tick=counted) == run(backend(module, 1), shape, tick=rolled)
    for name in COUNTS:
        one, other = getattr(of_steps, name), getattr(of_rollouts, name)
        assert torch.equal(one, other), name
        assert one.sum() != 0, name
