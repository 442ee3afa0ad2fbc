"""What a GPU refuses, the simulated one refuses too; what it does, it does: the checks behind `test_rehearsal.py`, in a
process of their own."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hamlet
from hamlet.launch.gpu import compile_ahead
from hamlet_lab.bench import Case, env_bytes, measure
from hamlet_lab.profile import calls
from rehearsal.device import DeviceError
from rehearsal.driver import aligned
from rehearsal.simulation import simulated
from rehearsal.torch_cuda import BUSY


def refused(kind: type[Exception], text: str, work: Callable[[], object]) -> None:
    """The work raises this."""
    with pytest.raises(kind, match=re.escape(text)):
        work()


def check_devices() -> None:
    """Tensors say where they are, and those of two devices do not meet."""
    here, there = torch.arange(3), torch.arange(3, device="cuda")
    assert (here.is_cuda, there.is_cuda, there.device, (there + 1).device.type) == (
        False,
        True,
        torch.device("cuda", 0),
        "cuda",
    )
    assert (there.cpu().device, here.to("cuda").is_cuda, there.to(torch.float32).is_cuda) == (here.device, True, True)
    assert torch.equal(there.cpu(), here)
    refused(RuntimeError, "same device", lambda: here + there)
    refused(RuntimeError, "same device", lambda: torch.equal(here, there))
    refused(TypeError, "Tensor.cpu() first", there.numpy)
    copied = here.to("cuda")
    here[0] = 7
    assert copied.tolist() == [0, 1, 2], "memory of two devices is not shared"
    assert there.max(dim=0).values.is_cuda
    assert all(part.is_cuda for part in there.unbind())
    there.view(3)[1] = 9
    assert there.tolist() == [0, 9, 2]


def check_waiting() -> None:
    """Where nothing may wait, what waits is an error."""
    there, mask = torch.zeros(3, device="cuda"), torch.ones(3, dtype=torch.bool, device="cuda")
    torch.cuda.set_sync_debug_mode("error")
    there.add_(1).mul_(2)
    torch.zeros(2, device="cuda")
    for work in (
        there.cpu,
        there.sum().item,
        lambda: there[mask],
        lambda: torch.tensor([1], device="cuda"),
        lambda: bool(there[0]),
    ):
        refused(DeviceError, "synchronizing", work)
    torch.cuda.set_sync_debug_mode("default")
    assert there.tolist() == [2, 2, 2]


def check_graphs() -> None:
    """What is recorded is not done, and what is replayed is."""
    values, graph = torch.zeros(3, device="cuda"), torch.cuda.CUDAGraph()
    refused(DeviceError, "never recorded", graph.replay)
    with torch.cuda.graph(graph):
        assert torch.cuda.is_current_stream_capturing()
        values.add_(1)
        doubled = values * 2
        refused(DeviceError, "waits", values.sum().item)
    assert values.tolist() == [0, 0, 0]
    for _ in range(2):
        graph.replay()
    assert (values.tolist(), doubled.tolist()) == ([2, 2, 2], [4, 4, 4])


def check_steps(package: str) -> None:
    """Steps, as kernels, in a graph, and by machine code in the package, equal the interpreter; what was compiled ahead
    of time is not compiled again."""
    module, caches = hamlet.load(package), Path(os.environ["TRITON_CACHE_DIR"])
    with patch.object(compile_ahead, "OBS_DTYPES", {"float32": torch.float32}):
        files = compile_ahead.compile_ahead(module, 90, names=("reset", "step"))
    compiled = len(list(caches.glob("*/*.cubin")))
    cpu = hamlet.make(module, worlds=33, backend="interpreter")
    ahead = replace(module, sources=module.sources | files)
    gpu, coded = (hamlet.make(each, worlds=33, device="cuda", launch="step", quiet=True) for each in (module, ahead))
    assert "ahead of time" in coded.choice
    graphed = gpu.graphed()
    generator = torch.Generator().manual_seed(3)
    for turn in range(12):
        actions = torch.randint(cpu.num_actions, (33,), generator=generator, dtype=torch.int32)
        (gpu.step if turn % 2 else graphed.step)(actions.cuda())
        coded.step(actions.cuda())
        cpu.step(actions)
        for env in (gpu, coded):
            for name, values in (cpu.state | cpu.outcome | {"observation": cpu.observation}).items():
                found = (env.state | env.outcome | {"observation": env.observation})[name]
                assert torch.equal(found.cpu(), values), name
    assert SIMULATED.launched["step"] >= 25, SIMULATED.launched
    assert len(list(caches.glob("*/*.cubin"))) == compiled


def check_profile(package: str) -> None:
    """What `hamletc profile` and `hamletc bench` say of calls and of the device's memory."""
    module = hamlet.load(package)
    with patch.multiple(calls, SECONDS=0.001, STEPS=3):
        costs, use = calls.measure(module, "triton", "cuda", 1)
    assert use is not None
    assert [cost.name for cost in costs] == ["step", "rollout of 1 tick", "observe", "reset"]
    assert all(0 < cost.parts["launching"] <= 1 for cost in costs)
    arrays = env_bytes(hamlet.make(module, worlds=1, device="cuda", launch="step", quiet=True))
    # An action, which is the caller's, and what the launcher keeps are no arrays of the environment.
    assert arrays <= use.allocated <= use.peak <= use.reserved
    assert (use.allocations, use.utilisation) == (0, BUSY / 100), "a step asks for no memory"
    (rates,) = measure(module, [Case("triton", 9, 1, "step", 1, "float32")], "cuda", 1, 1e9, lambda _: None)
    assert rates.peak is not None
    assert rates.memory <= rates.peak, (rates.memory, rates.peak)


def check_driver() -> None:
    """The driver refuses what is wrong, and says so in its status: unknown code, memory that is gone, no memory."""
    library = ctypes.CDLL("libcuda.so.1")
    handle = next(each for each in range(0x7000, 0x7010) if SIMULATED.function(each).name == "step")
    size = sum(list(aligned(SIMULATED.function(handle).sizes))[-1])

    def launch(parameters: bytes, told: int) -> str:
        memory, count = ctypes.create_string_buffer(parameters, size), ctypes.c_size_t(told)
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(memory), 2, ctypes.addressof(count), 0)
        return said(library.cuLaunchKernel(handle, 1, 1, 1, 32, 1, 1, 0, None, None, ctypes.addressof(extra)))

    def said(status: int) -> str:
        text = ctypes.c_char_p()
        library.cuGetErrorName(status, ctypes.addressof(text))
        return (text.value or b"").decode() if status else ""

    gone = torch.zeros(4, device="cuda").data_ptr()
    assert "bytes of parameters" in launch(bytes(size), size - 1)
    assert "no CUDA tensor is" in launch(gone.to_bytes(8, sys.byteorder) + bytes(size - 8), size)
    assert "outside every array" in launch(bytes(size), size)
    module, image = ctypes.c_void_p(), ctypes.create_string_buffer(b"\x7fELF" + bytes(60))
    assert said(library.cuModuleLoadData(ctypes.addressof(module), ctypes.addressof(image))) == ""
    function = ctypes.c_void_p()
    found = library.cuModuleGetFunction(ctypes.addressof(function), module, ctypes.c_char_p(b"step"))
    assert "was not made by this process" in said(found)


if __name__ == "__main__":
    with simulated() as SIMULATED:
        check_devices()
        check_waiting()
        check_graphs()
        check_steps(sys.argv[1])
        check_profile(sys.argv[1])
        check_driver()
        print(f"launched {dict(sorted(SIMULATED.launched.items()))}")
