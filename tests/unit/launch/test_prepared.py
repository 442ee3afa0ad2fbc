"""Launches that are repeated as they were prepared are those that would be made anew, and what no longer holds is
dropped."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch

from hamlet.backend.buffers import Buffers, Shape, allocate, allocate_statistics
from hamlet.backend.protocol import RandomPolicy, RecordedPolicy, Stream
from hamlet.errors import EnvError
from hamlet.launch.gpu.ahead import AheadKernels
from hamlet.launch.gpu.call import JustInTime, Launch
from hamlet.launch.gpu.cubins import Cubin, Cubins, folder
from hamlet.launch.gpu.driver import LaunchGrid, Parameters
from hamlet.launch.gpu.launch import PLACES, KernelBackend
from hamlet.launch.gpu.tuning import Tuner
from samples import sample

CPU = torch.device("cpu")
SHAPE = Shape(4, 1)
UNIVERSE = sample("first_meal")
TYPES = (torch.float32, torch.bfloat16, None)
Launched = tuple[str, int, bytes]


class Driver:
    """Notes what is launched: the kernel, blocks, parameters."""

    def __init__(self) -> None:
        self.launched: list[Launched] = []
        self._files: list[str] = []

    def load(self, _cubin: bytes, name: str) -> int:
        self._files.append(name)
        return len(self._files) - 1

    def launcher(self, function: int, grid: LaunchGrid, parameters: Parameters) -> Callable[[int], None]:
        return lambda _stream: self.launched.append((self._files[function], grid.blocks, parameters.memory.raw))


class Watching(KernelBackend):
    """Counts launches that were not prepared."""

    first = 0

    def _first(self, *arguments: Any) -> Any:
        self.first += 1
        return super()._first(*arguments)


class Recording(Tuner):
    """Keeps what is launched."""

    def __init__(self) -> None:
        self.seen: dict[object, tuple[Launch, int]] = {}

    def block(self, launch: Launch, default: int) -> int:
        self.seen.setdefault(launch.signature(default), (launch, default))
        return default


class Drive:
    """Calls of a backend, in which everything changes that can change between launches."""

    def __init__(self) -> None:
        self.buffers = {dtype: allocate(UNIVERSE, SHAPE, CPU, dtype) for dtype in TYPES}
        self.counts = [allocate_statistics(UNIVERSE, SHAPE, CPU) for _ in range(2)]
        self.words = torch.zeros(3, 32, dtype=torch.int32)

    def calls(self, buffers: Buffers) -> Iterator[Callable[[KernelBackend], None]]:
        elapsed = torch.zeros(1, dtype=torch.int32)
        for tick, seed in ((0, 1), (1, 1), ((1 << 32) - 1, (1 << 63) + 5), (1 << 32, 0)):
            stream = Stream(seed, tick)
            # The second row of actions lies where the first one does, and the third is no multiple of 16.
            for actions in (self.words[0, :4], self.words[1, :4], self.words[2, 1:5]):
                yield lambda backend, a=actions, s=stream: backend.step(buffers, a, s)
                yield lambda backend, a=actions, s=stream: backend.step_since(buffers, a, s, elapsed)
                recorded = RecordedPolicy(actions.reshape(1, -1))
                for policy in (RandomPolicy(), recorded):
                    for counts in (None, *self.counts):
                        yield lambda backend, p=policy, c=counts, s=stream: backend.rollout(buffers, 3, p, s, False, c)
                    yield lambda backend, p=policy, s=stream: backend.rollout(buffers, 2, p, s, True, None)
            yield lambda backend, s=stream: backend.reset(buffers, s)
            yield lambda backend: backend.observe(buffers)


def cubins(drive: Drive) -> Cubins:
    """Machine code for everything that is launched."""
    recording = Recording()
    kernel = type("Nothing", (), {"__getitem__": lambda _self, _grid: lambda *_arguments, **_given: None})()
    nothing = ModuleType("nothing")
    nothing.__dict__.update(reset=kernel, observe=kernel, step=kernel, rollout=kernel, TABLES=(), KEPT=0, REGISTERS=96)
    backend = KernelBackend("recorded", UNIVERSE, nothing, CPU, False, recording)
    for buffers in drive.buffers.values():
        for call in drive.calls(buffers):
            call(backend)
    found = [_cubin(number, *seen) for number, seen in enumerate(recording.seen.values())]
    return Cubins(90, "none", (), 0, 96, tuple(found))


def _cubin(number: int, launch: Launch, block: int) -> Cubin:
    types = [
        None if value is None else "int" if isinstance(value, int) else str(value.dtype).removeprefix("torch.")
        for value in launch.arguments
    ]
    codes = "".join("I" if type_ == "int" else "Q" for type_ in types if type_ is not None)
    return Cubin(launch.kernel, tuple(types), launch.settings(block), f"@{codes}QQ", 2, 32, 0, f"{number}.cubin")


def backend_on(driver: Driver, found: Cubins) -> Watching:
    files = {f"{folder(90)}/{cubin.file}": cubin.file.encode() for cubin in found.kernels}
    named = AheadKernels(found, files, driver, lambda: 0, lambda: pytest.fail("Triton is not needed"))
    return Watching("ahead", UNIVERSE, named, CPU, False)


@pytest.fixture(scope="module")
def drive() -> Drive:
    return Drive()


@pytest.fixture(scope="module")
def found(drive: Drive) -> Cubins:
    return cubins(drive)


def anew(call: Callable[[KernelBackend], None], found: Cubins, prepared: KernelBackend | None = None) -> list[Launched]:
    """What a backend launches that has prepared nothing, and counts where the other one does."""
    driver = Driver()
    fresh = backend_on(driver, found)
    if prepared is not None:
        fresh._counters, fresh._every = prepared._counters, prepared._every
    call(fresh)
    return driver.launched


def test_a_repeated_launch_is_the_one_that_would_be_made_anew(drive: Drive, found: Cubins) -> None:
    driver = Driver()
    backend, calls = backend_on(driver, found), 0
    for turn in range(2):
        for buffers in drive.buffers.values():
            before = backend.first
            for call in drive.calls(buffers):
                driver.launched.clear()
                call(backend)
                assert driver.launched == anew(call, found, backend)
                calls += len(driver.launched)
            # A step and a rollout in each alignment of actions, with and without counts, and so on: not one per call.
            assert backend.first - before <= 20, turn
    assert backend.first < calls / 3


def meters_moved(buffers: Buffers) -> None:
    buffers.state["meters"].data = buffers.state["meters"].clone()


def meters_set(buffers: Buffers) -> None:
    buffers.state["meters"].set_(buffers.state["meters"].clone())  # type: ignore[call-overload]  # torch's stub lacks it


def all_shared(buffers: Buffers) -> None:
    for tensor in buffers.tensors:
        tensor.share_memory_()


def test_a_forked_process_is_told(found: Cubins, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver()
    backend = backend_on(driver, found)
    backend._index = 0
    monkeypatch.setattr(torch.cuda, "_is_in_bad_fork", lambda: True)
    with pytest.raises(EnvError, match="forked"):
        backend.observe(allocate(UNIVERSE, SHAPE, CPU, torch.float32))
    assert not driver.launched


def nothing_moved(buffers: Buffers) -> None:
    pass


@pytest.mark.parametrize("change", [meters_moved, meters_set, all_shared, nothing_moved])
def test_a_tensor_that_moved_is_found(found: Cubins, change: Callable[[Buffers], None]) -> None:
    driver, buffers = Driver(), allocate(UNIVERSE, SHAPE, CPU, torch.float32)
    backend, actions = backend_on(driver, found), torch.zeros(4, dtype=torch.int32)

    def step(other: KernelBackend) -> None:
        other.step(buffers, actions, Stream(0, 7))

    step(backend)
    step(backend)
    assert backend.first == 1
    before = struct.unpack_from("@Q", driver.launched[-1][2])[0]
    old = [tensor.detach() for tensor in buffers.tensors]
    change(buffers)
    driver.launched.clear()
    step(backend)
    assert driver.launched == anew(step, found)
    after = struct.unpack_from("@Q", driver.launched[-1][2])[0]
    assert after == buffers.state["meters"].data_ptr()
    assert (after != before) == (backend.first == 2) == (change is not nothing_moved)
    del old


def test_outputs_that_take_turns_are_prepared_once_each(found: Cubins) -> None:
    driver, buffers = Driver(), allocate(UNIVERSE, SHAPE, CPU, torch.float32)
    backend, actions = backend_on(driver, found), torch.zeros(4, dtype=torch.int32)
    by_turns = [buffers, buffers.copied(), buffers.copied()]
    for turn in range(4):
        for number, each in enumerate(by_turns):
            backend.step(each, actions, Stream(1, turn))
            assert backend.first == (number + 1 if turn == 0 else 3)
            assert driver.launched == anew(lambda fresh, b=each, t=turn: fresh.step(b, actions, Stream(1, t)), found)
            driver.launched.clear()
    # As many as are kept: the first ones are forgotten, and prepared again.
    many = [buffers.copied() for _ in range(PLACES)]
    for each in many:
        backend.step(each, actions, Stream(1, 0))
    assert backend.first == 3 + PLACES
    backend.step(by_turns[0], actions, Stream(1, 0))
    assert backend.first == 4 + PLACES
    assert len(backend._elsewhere) == PLACES


@pytest.mark.parametrize("other", [Shape(2, 2), Shape(4, 1, 9)])
def test_other_worlds_in_the_same_memory_are_other_launches(found: Cubins, other: Shape) -> None:
    driver, buffers = Driver(), allocate(UNIVERSE, SHAPE, CPU, torch.float32)
    backend, actions = backend_on(driver, found), torch.zeros(4, dtype=torch.int32)
    names = ("state", "outcome", "observation", "final_observation", "mask")
    alike = Buffers(other, *(getattr(buffers, name) for name in names))
    backend.observe(buffers)
    backend.reset(buffers, Stream(0, 0))
    driver.launched.clear()
    if other.agents == 1:
        backend.reset(alike, Stream(0, 0))
        launched = anew(lambda fresh: fresh.reset(alike, Stream(0, 0)), found, backend)
        assert driver.launched == launched
    else:
        # There is machine code for one agent per world only.
        with pytest.raises(pytest.fail.Exception):
            backend.step(alike, actions, Stream(0, 0))


def test_observations_of_another_type_are_other_launches(found: Cubins) -> None:
    driver, buffers = Driver(), allocate(UNIVERSE, SHAPE, CPU, torch.float32)
    backend = backend_on(driver, found)
    backend.observe(buffers)
    assert buffers.observation is not None
    buffers.observation.data = buffers.observation.bfloat16()
    driver.launched.clear()
    backend.observe(buffers)
    assert driver.launched == anew(lambda fresh: fresh.observe(buffers), found)
    assert backend.first == 2


class Undecided(Tuner):
    """Cannot measure yet; then it can."""

    def __init__(self) -> None:
        self.answer: int | None = None

    def block(self, _launch: Launch, _default: int) -> int | None:
        return self.answer


def test_what_is_not_tuned_yet_is_not_kept(found: Cubins) -> None:
    driver, tuner, buffers = Driver(), Undecided(), allocate(UNIVERSE, SHAPE, CPU, torch.float32)
    backend = backend_on(driver, found)
    backend._tuner = tuner
    for _ in range(2):
        backend.observe(buffers)
    assert backend.first == 2
    tuner.answer = 32
    for _ in range(3):
        backend.observe(buffers)
    assert backend.first == 3
    assert len(driver.launched) == 5


class OfTriton:
    """Has the place of a `CompiledKernel`, and notes how it is launched."""

    function, packed_metadata = 77, (1, 1, 0)

    def __init__(self) -> None:
        self.launched: list[tuple[object, ...]] = []

    def run(self, *arguments: object) -> None:
        self.launched.append(arguments)

    def __getitem__(self, grid: tuple[int, int, int]) -> Callable[..., None]:
        return lambda *values: self.launched.append(("as Triton does", grid, *values))


def test_triton_s_launcher_gets_what_triton_gives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from triton import knobs
    from triton.runtime import driver

    active = SimpleNamespace(get_current_device=lambda: 3, get_current_stream=lambda device: 100 + device)
    monkeypatch.setattr(driver, "_active", active)
    kernel = OfTriton()
    launch = JustInTime(kernel).on((5, 1, 1))
    launch(1, None, 2)
    assert kernel.launched == [(5, 1, 1, 103, 77, (1, 1, 0), None, None, None, 1, None, 2)]

    def hook(_metadata: object) -> None:
        """A profiler's."""

    knobs.runtime.launch_exit_hook.add(hook)
    try:
        launch(1, None, 2)
    finally:
        knobs.runtime.launch_exit_hook.remove(hook)
    assert kernel.launched[1:] == [("as Triton does", (5, 1, 1), 1, None, 2)]
