"""On a GPU: machine code in a package, tuned blocks, and the choice of `auto` change times, and no bits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest
import torch

import hamlet
from hamlet import load
from hamlet.env.environment import Env
from hamlet.errors import EnvError
from hamlet.launch.gpu.compile_ahead import compile_ahead
from hamlet.native.compilers import compiler
from hamlet.package.module import Module
from rehearsal import simulating

TOWN = Path(__file__).parents[2] / "generated" / "town"
LANES, TICKS = (96, 30) if simulating() else (1 << 16, 600)

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no CUDA device")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.fixture(scope="module")
def ahead() -> Module:
    major, minor = torch.cuda.get_device_capability()
    module = load(TOWN)
    return replace(module, sources=module.sources | compile_ahead(module, 10 * major + minor))


def ticks(env: Env) -> dict[str, torch.Tensor]:
    """The state after steps and rollouts, and what was seen and counted."""
    actions = torch.arange(env.num_lanes, dtype=torch.int32, device=env.device) % env.num_actions
    for _ in range(3):
        env.step(actions)
    counts = env.rollout(TICKS).counts
    env.rollout(2, actions.repeat(2, 1), statistics=False)
    assert env.observation is not None
    seen = {
        "observation": env.observation,
        "uses": counts.uses,
        "causes": counts.causes,
        "returns": counts.finished_return,
    }
    return {name: value.contiguous().view(torch.uint8).cpu() for name, value in {**env.state, **seen}.items()}


def same(one: Env, other: Env) -> None:
    expected, actual = ticks(one), ticks(other)
    assert expected["uses"].any()
    for name, value in expected.items():
        assert torch.equal(value, actual[name]), name


def test_machine_code_gives_the_bits_of_triton(ahead: Module) -> None:
    with_code = hamlet.make(ahead, worlds=LANES, backend="triton", quiet=True, tune="off", launch="step")
    assert "ahead of time" in with_code.choice
    compiled = hamlet.make(load(TOWN), worlds=LANES, backend="triton", quiet=True, tune="off", launch="step")
    assert "just in time" in compiled.choice
    same(with_code, compiled)


@pytest.mark.skipif(simulating(), reason="times of a simulated device mean nothing")
def test_the_first_step_takes_half_a_second(ahead: Module) -> None:
    torch.zeros(1, device="cuda")
    begin = perf_counter()
    env = hamlet.make(ahead, worlds=1_024, backend="triton", quiet=True, launch="step")
    env.step(torch.zeros(1_024, dtype=torch.int32, device="cuda"))
    torch.cuda.synchronize()
    assert perf_counter() - begin < 0.5


def test_tuned_blocks_give_the_same_bits(tmp_path: Path) -> None:
    module = load(TOWN)
    same(
        *(
            hamlet.make(module, worlds=LANES, backend="triton", quiet=True, tune=tune, launch="step")
            for tune in ("max", "off")
        )
    )
    assert list((tmp_path / "hamletc" / "tuned").glob("*.json"))


def test_auto_measures_once_and_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    try:
        compiler()
    except EnvError as reason:
        pytest.skip(str(reason))
    module = load(TOWN)
    few = hamlet.make(module, worlds=64)
    assert "measured" in few.choice
    said = capfd.readouterr().err
    assert "timing triton (step), triton (graph), c once, to choose" in said
    assert f"hamlet: {few.choice}\n" in said
    assert hamlet.make(module, worlds=min(LANES, 4_096)).choice.count("measured") == 1
    assert "timing" not in capfd.readouterr().err
    given = hamlet.make(module, worlds=64, device="cuda")
    assert given.backend == "triton"
    assert given.launch in ("step", "graph")
    assert "timing" not in capfd.readouterr().err, "what was measured answers this too"
    assert hamlet.make(module, worlds=64, device="cuda", launch="step", quiet=True).launch == "step"


def test_launches_give_the_same_bits() -> None:
    module = load(TOWN)
    lanes = min(LANES, 4_096)
    same(*(hamlet.make(module, worlds=lanes, device="cuda", quiet=True, launch=launch) for launch in ("graph", "step")))
