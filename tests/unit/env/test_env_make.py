"""Making environments: every wrong argument is one clear error, and memory stays within its bounds."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.backend.buffers import Shape
from hamlet.backend.registry import backend_names
from hamlet.env.environment import Env
from hamlet.env.make import buffer_bytes
from hamlet.package.module import Module

no_cuda = pytest.mark.skipif(torch.cuda.is_available(), reason="there is CUDA here")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"worlds": 0}, "worlds is a whole number, at least 1, not 0"),
        ({"worlds": -5}, "at least 1"),
        ({"worlds": 2.0}, "at least 1"),
        ({"worlds": True}, "at least 1"),
        ({"agents": 0}, "agents is a whole number"),
        ({"first_world": -1}, "first_world is a whole number, at least 0"),
        ({"worlds": 1 << 31}, "too many: fewer than 2\\*\\*31"),
        ({"worlds": 1 << 30, "agents": 2}, "too many"),
        ({"first_world": 1 << 40}, "numbered too high"),
        ({"agents": 11}, "take at most 10 agents"),
        ({"seed": -1}, "a seed is a whole number"),
        ({"seed": 1 << 64}, "a seed is a whole number"),
        ({"seed": 1.0}, "a seed is a whole number"),
        ({"backend": "cuda"}, f"there is no backend 'cuda': take auto, {', '.join(backend_names())}"),
        ({"backend": "numba"}, 'backend "numba" is gone: kernels for CPUs are in C, so take backend="c"'),
        ({"launch": "fused"}, "there is no launch 'fused': take auto, step, graph"),
        ({"launch": "graph"}, 'launch "graph" needs backend "triton" on a CUDA device, not interpreter on cpu: take'),
        ({"device": "gpu"}, "'gpu' is no device"),
        ({"device": "meta"}, "'meta' is not supported"),
        ({"obs_dtype": torch.float64}, "take float32, bfloat16, uint8, or None"),
        ({"obs_dtype": "float16"}, "take float32, bfloat16, uint8, or None"),
        ({"obs_dtype": 3}, "take float32, bfloat16, uint8, or None"),
    ],
)
def test_wrong_arguments(valley: Module, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(EnvError, match=message):
        hamlet.make(valley, **({"backend": "interpreter"} | arguments))


@no_cuda
def test_no_backend_is_replaced(valley: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    with pytest.raises(EnvError, match='needs a CUDA device, and torch finds none here: use backend="c"'):
        hamlet.make(valley, backend="triton")
    with pytest.raises(EnvError, match="runs on CUDA devices"):
        hamlet.make(valley, backend="triton", device="cpu")
    for backend in ("auto", "c", "interpreter", "triton"):
        with pytest.raises(EnvError, match="needs CUDA"):
            hamlet.make(valley, backend=backend, device="cuda")


@no_cuda
def test_auto_says_what_it_chose(valley: Module, capsys: pytest.CaptureFixture[str]) -> None:
    env = hamlet.make(valley, worlds=2)
    assert env.backend == "c"
    assert env.choice.startswith("c on cpu")
    assert "there is no CUDA device" in env.choice
    # Where no test has used these kernels before, a line says that they are compiled.
    said = [line for line in capsys.readouterr().err.splitlines() if "compiling" not in line]
    assert said == [f"hamlet: {env.choice}"]
    hamlet.make(valley, worlds=2, quiet=True)
    hamlet.make(valley, worlds=2, backend="interpreter")
    assert capsys.readouterr().err == ""


def owned_bytes(env: Env) -> int:
    """All bytes of tensors that an environment refers to."""
    storages: dict[int, int] = {}
    seen: set[int] = set()
    pending: list[object] = [env]
    while pending:
        thing = pending.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, torch.Tensor):
            storages[thing.untyped_storage().data_ptr()] = thing.untyped_storage().nbytes()
        elif isinstance(thing, dict):
            pending += thing.values()
        elif isinstance(thing, (list, tuple)):
            pending += thing
        elif type(thing).__module__.startswith("hamlet"):
            pending += vars(thing).values() if hasattr(thing, "__dict__") else ()
            pending += [getattr(thing, slot, None) for slot in getattr(type(thing), "__slots__", ())]
    return sum(storages.values())


@pytest.mark.parametrize("backend", ["interpreter", "c"])
@pytest.mark.parametrize("obs_dtype", [torch.float32, torch.bfloat16, None])
def test_memory_is_at_most_twice_state_and_observations(
    valley: Module, backend: str, obs_dtype: torch.dtype | None
) -> None:
    env = hamlet.make(valley, worlds=4096, backend=backend, obs_dtype=obs_dtype)
    env.step(torch.zeros(4096, dtype=torch.int32))
    state = sum(value.nbytes for value in env.state.values())
    observations = 0 if env.observation is None else env.observation.nbytes
    owned = owned_bytes(env)
    assert owned >= buffer_bytes(valley.universe, Shape(4096, 1), obs_dtype) >= state + observations
    assert owned <= 2 * (state + observations)


def test_more_memory_than_there_is(valley: Module) -> None:
    with pytest.raises(EnvError, match=r"worlds of 1 agents need \d+ MiB on cpu, more memory than this machine has"):
        hamlet.make(valley, worlds=(1 << 31) - 1, backend="interpreter")
