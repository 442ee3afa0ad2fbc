"""Which kernels of a package in machine code are taken, and what is launched when there is none."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
import torch

import hamlet
from hamlet.backend.buffers import Shape, allocate
from hamlet.errors import ModuleError
from hamlet.launch.gpu.ahead import AheadKernels, find
from hamlet.launch.gpu.call import Launch
from hamlet.launch.gpu.cubins import FORMAT, Cubin, Cubins, from_json, to_json
from hamlet.launch.gpu.driver import CudaDriver, CudaError, LaunchGrid, Parameters
from hamlet.launch.gpu.options import options
from hamlet.launch.gpu.start import start_on
from hamlet.package.module import Module
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.package import ahead_in, with_ahead, write
from samples import sample

NOW, LATER = (f'"format": {version}'.encode() for version in (FORMAT, FORMAT + 1))
CPU = torch.device("cpu")
GIVEN = {"GROUP": 1, "BLOCK": 32, **options(32)}
CUBINS = Cubins(
    90,
    "3.9.0",
    (("numbers", "f32", (0.1, -0.0)),),
    0,
    None,
    (
        Cubin("observe", ("float32", None, "int"), GIVEN, "@QIQQ", 2, 32, 128, "observe_0.cubin"),
        Cubin("observe", ("bfloat16", None, "int"), GIVEN, "@QIQQ", 2, 32, 0, "observe_1.cubin"),
    ),
)
FILES = {
    "aot/sm_90/kernels.json": to_json(CUBINS).encode(),
    "aot/sm_90/observe_0.cubin": b"f32",
    "aot/sm_90/observe_1.cubin": b"bf16",
}


class Driver:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.loaded: list[tuple[bytes, str]] = []
        self.launched: list[tuple[int, LaunchGrid, int, bytes]] = []

    def load(self, cubin: bytes, name: str) -> int:
        self.loaded.append((cubin, name))
        return 100 + len(self.loaded)

    def launcher(self, function: int, grid: LaunchGrid, parameters: Parameters) -> Callable[[int], None]:
        return lambda stream: self.launched.append((function, grid, stream, parameters.memory.raw))


class Refusing(Driver):
    """The driver of an old machine."""

    def load(self, _cubin: bytes, name: str) -> int:
        raise CudaError(f"the CUDA driver cannot load kernel {name}: CUDA_ERROR_NO_BINARY_FOR_GPU (209)")


def nothing() -> ModuleType:
    raise AssertionError("Triton is not needed")


def kernels(driver: Driver, just_in_time: Callable[[], ModuleType] = nothing) -> AheadKernels:
    return AheadKernels(CUBINS, FILES, driver, lambda: 7, just_in_time)


def test_the_index_says_the_same_after_a_journey() -> None:
    assert from_json(to_json(CUBINS)) == CUBINS
    assert str(from_json(to_json(CUBINS))) == str(CUBINS), "the sign of zero"
    assert from_json(to_json(CUBINS).replace(NOW.decode(), LATER.decode())) is None
    for text in ("", "{}", "[]", to_json(CUBINS).replace('"types"', '"sorts"')):
        with pytest.raises(ModuleError, match="lists no kernels"):
            from_json(text)


def test_parameters_lie_as_the_kernel_wants_them() -> None:
    driver, array = Driver(), torch.zeros(3)
    ahead = kernels(driver)
    ahead.observe[(5,)](array, None, 9, **GIVEN)
    ahead.observe[(6,)](array, None, 10, **GIVEN)
    assert driver.loaded == [(b"f32", "observe")]
    (function, grid, stream, parameters), (_, second, _, _) = driver.launched
    assert (function, grid, stream, second.blocks) == (101, LaunchGrid(5, 32, 128), 7, 6)
    assert struct.unpack("@QIQQ", parameters) == (array.data_ptr(), 9, 0, 0)
    assert len(parameters) == 32, "pointers are aligned"
    ahead.observe[(1,)](array.bfloat16(), None, 9, **GIVEN)
    assert driver.loaded[1:] == [(b"bf16", "observe")]


@pytest.mark.parametrize("other", ["type", "absent", "block", "kernel"])
def test_anything_else_is_compiled(other: str) -> None:
    driver, launched, fallback = Driver(), [], ModuleType("fallback")

    class Kernel:
        def __getitem__(self, grid: tuple[int]) -> Callable[..., None]:
            return lambda *arguments, **given: launched.append((grid, arguments, given))

    fallback.__dict__.update(observe=Kernel(), reset=Kernel())
    ahead = kernels(driver, lambda: fallback)
    array = torch.zeros(3, dtype=torch.float64 if other == "type" else torch.float32)
    arguments = array, array if other == "absent" else None, 9
    given = GIVEN | ({"BLOCK": 64} if other == "block" else {})
    getattr(ahead, "reset" if other == "kernel" else "observe")[(5,)](*arguments, **given)
    assert launched == [((5,), arguments, given)]
    assert driver.launched == []


def test_what_is_ready() -> None:
    launch = Launch("observe", (torch.zeros(3), None, 9), 64, 1, 0, False)
    assert kernels(Driver()).has(launch, 32)
    assert not kernels(Driver()).has(launch, 64)
    assert not kernels(Driver()).has(replace(launch, kernel="reset"), 32)


# --- in a package ----------------------------------------------------------------------------------------------------


@pytest.fixture
def plain() -> dict[str, bytes]:
    return build(sample("first_meal"), Options(), Stopwatch())


def loaded(files: dict[str, bytes], folder: Path) -> Module:
    write(files, folder)
    return hamlet.load(folder)


def test_a_package_holds_them_and_is_whole_without(plain: dict[str, bytes], tmp_path: Path) -> None:
    files, folder = with_ahead(plain, FILES), tmp_path / "first_meal"
    module = loaded(files, folder)
    assert find(module, 90) == (CUBINS, "")
    assert find(module, 80) == (None, "the package has them for sm_90")
    assert not write(files, folder)
    assert ahead_in(folder, plain) == FILES
    assert ahead_in(folder, plain | {"tick.ir": b"other"}) == {}
    for change in (lambda file: file.write_bytes(b"x"), lambda file: file.unlink()):
        change(folder / "aot" / "sm_90" / "observe_0.cubin")
        with pytest.raises(ModuleError, match=r"observe_0.cubin (was changed|is missing)"):
            hamlet.load(folder)
        assert ahead_in(folder, plain) == {}
    write(files, folder)
    (folder / "aot" / "sm_90" / "more.cubin").write_bytes(b"")
    with pytest.raises(ModuleError, match=r"more.cubin was not written by hamletc"):
        hamlet.load(folder)
    assert write(plain, folder)
    assert not (folder / "aot").exists()
    assert find(hamlet.load(folder), 90) == (None, "")
    write(files, folder)
    for file in (folder / "aot" / "sm_90").iterdir():
        file.unlink()
    (folder / "aot" / "sm_90").rmdir()
    (folder / "aot").rmdir()
    assert find(hamlet.load(folder), 90) == (None, "")


def test_the_backend_says_which_it_took(plain: dict[str, bytes], tmp_path: Path) -> None:
    module = loaded(with_ahead(plain, FILES), tmp_path / "first_meal")
    backend = start_on(module, CPU, "default", 90, "a GPU", Driver)
    assert backend.origin == "ahead of time, sm_90"
    assert backend.name == "triton"


@pytest.mark.parametrize(
    ("capability", "driver", "reason"),
    [
        (80, Driver, "the package has them for sm_90"),
        (90, Refusing, "the CUDA driver cannot load kernel observe: CUDA_ERROR_NO_BINARY_FOR_GPU (209)"),
    ],
)
def test_or_why_it_did_not(
    plain: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capability: int,
    driver: type[Driver],
    reason: str,
) -> None:
    monkeypatch.setattr("hamlet.launch.gpu.start.TritonBackend", lambda *arguments: arguments[-1])
    module = loaded(with_ahead(plain, FILES), tmp_path / "first_meal")
    origin = start_on(module, CPU, "off", capability, "a GPU", driver)
    assert str(origin).startswith("just in time, Triton ")
    assert str(origin).endswith(f"({reason})")


def test_another_version_is_refused_by_its_format(plain: dict[str, bytes], tmp_path: Path) -> None:
    newer = FILES["aot/sm_90/kernels.json"].replace(NOW, LATER)
    module = loaded(with_ahead(plain, FILES | {"aot/sm_90/kernels.json": newer}), tmp_path / "first_meal")
    assert find(module, 90) == (None, "those of the package are of another version")


# --- the driver ------------------------------------------------------------------------------------------------------


class Library:
    """The functions of libcuda, some of which fail."""

    def __init__(self, **status: int) -> None:
        self.status = status
        self.called: list[str] = []

    def __getattr__(self, name: str) -> object:
        if not name.startswith("cu"):
            raise AttributeError(name)

        def call(*arguments: object) -> int:
            self.called.append(name)
            if name == "cuGetErrorName":
                arguments[1]._obj.value = b"CUDA_ERROR_EXAMPLE"  # type: ignore[attr-defined]  # what byref made
                return 0
            status = self.status.get(name, 0)
            if name == "cuLaunchKernel":
                self.status[name] = 0
            return status

        setattr(self, name, call)
        return call


def test_the_driver_says_what_failed() -> None:
    with pytest.raises(CudaError, match=r"cannot load kernel step: CUDA_ERROR_EXAMPLE \(209\)"):
        CudaDriver(Library(cuModuleLoadData=209)).load(b"", "step")
    with pytest.raises(CudaError, match=r"cannot launch a kernel: CUDA_ERROR_EXAMPLE \(701\)"):
        CudaDriver(Library(cuLaunchKernel=701)).launcher(1, LaunchGrid(1, 32, 0), Parameters(8))(0)


def test_another_thread_gets_the_context(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.current_device", lambda: 0)
    library = Library(cuLaunchKernel=201)
    CudaDriver(library).launcher(1, LaunchGrid(1, 32, 0), Parameters(8))(0)
    assert library.called == [
        "cuLaunchKernel", "cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuLaunchKernel",
    ]  # fmt: skip


def test_buffers_of_an_environment_fit(plain: dict[str, bytes], tmp_path: Path) -> None:
    """A backend with machine code launches what an environment asks for, or leaves it to Triton."""
    module = loaded(with_ahead(plain, FILES), tmp_path / "first_meal")
    backend, asked = start_on(module, CPU, "off", 90, "a GPU", Driver), []

    def jit() -> ModuleType:
        asked.append(1)
        raise KeyError

    backend._kernels._just_in_time = jit
    with pytest.raises(KeyError):
        backend.observe(allocate(module.universe, Shape(4, 1), CPU, None))
    assert asked
