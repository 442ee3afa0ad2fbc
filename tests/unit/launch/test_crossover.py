"""`auto` on a machine with a GPU: numba below some number of agents, measured once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from hamlet import crossover
from hamlet.choose import Choice
from hamlet.crossover import SIZES, expected, settle, timed
from hamlet.launch.cuda_driver import CudaError

GPU = Choice("triton", torch.device("cuda", 0), "there is a CUDA device")


class Machine:
    """Steps take 40 microseconds and 0.2 nanoseconds per agent on the GPU, 20 and 10 on the CPU."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def __call__(self, choice: Choice, lanes: int) -> float:
        self.asked.append((choice.backend, lanes))
        return 40e-6 + 0.2e-9 * lanes if choice.backend == "triton" else 20e-6 + 10e-9 * lanes


@pytest.fixture(autouse=True)
def _machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("HAMLET_MEASURE", raising=False)
    monkeypatch.setattr("torch.cuda.get_device_name", lambda _device: "a GPU")


def chosen(lanes: int, machine: Machine, agents: int = 1, quiet: bool = True) -> Choice:
    return settle(GPU, lanes, agents, {"universe": "abc"}, machine, quiet)


def test_few_agents_stay_on_the_cpu_and_many_do_not(capsys: pytest.CaptureFixture[str]) -> None:
    machine = Machine()
    few = chosen(64, machine, quiet=False)
    assert (few.backend, few.device) == ("numba", torch.device("cpu"))
    assert few.reason.startswith("64 agents, 3.1 million steps/s against 1.6 on cuda:0 (a GPU) (crossover at about ")
    assert capsys.readouterr().err.startswith("hamlet: timing numba and triton once, to choose between them")
    many = chosen(30_000, machine, quiet=False)
    assert (many.backend, many.device) == ("triton", torch.device("cuda", 0))
    assert "against 93.7 on cpu (crossover at about 2,0" in many.reason
    assert capsys.readouterr().err == "", "what was measured is kept"
    assert machine.asked == [(backend, size) for backend in ("numba", "triton") for size in SIZES]


def test_the_crossover_is_where_they_meet() -> None:
    machine = Machine()
    cpu, gpu = ({size: machine(Choice(name, GPU.device, ""), size) for size in SIZES} for name in ("numba", "triton"))
    exact = 20e-6 / 9.8e-9
    found = crossover.crossover(cpu, gpu)
    assert found is not None
    assert abs(found - exact) < 0.2 * exact
    assert crossover.crossover(gpu, cpu) is None
    assert crossover.crossover(cpu, dict.fromkeys(cpu, 0.0)) is None
    for lanes in (100, 1000, 3000, 60_000):
        assert abs(expected(cpu, lanes) / machine(Choice("numba", GPU.device, ""), lanes) - 1) < 1e-9
    assert expected(cpu, 3) == cpu[SIZES[0]]


def test_very_many_agents_are_not_worth_a_measurement() -> None:
    machine = Machine()
    assert chosen(SIZES[-1], machine).backend == "triton"
    assert machine.asked == []


def test_it_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAMLET_MEASURE", "0")
    machine = Machine()
    found = chosen(64, machine)
    assert (found.backend, found.reason) == ("triton", "there is a CUDA device, and HAMLET_MEASURE=0")
    assert machine.asked == []


def test_other_universes_and_groups_are_measured_apart(tmp_path: Path) -> None:
    machine = Machine()
    chosen(64, machine)
    chosen(64, machine, agents=5)
    assert {size for _, size in machine.asked} == {*SIZES, *(size // 5 * 5 for size in SIZES)}
    settle(GPU, 64, 1, {"universe": "other"}, machine, True)
    files = list((tmp_path / "hamletc" / "crossover").glob("*.json"))
    assert len(files) == 3
    assert {json.loads(file.read_text())["key"]["universe"] for file in files} == {"abc", "other"}


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    def broken(_choice: Choice, _lanes: int) -> float:
        raise CudaError("a launch failed")

    with pytest.raises(CudaError, match="a launch failed"):
        settle(GPU, 64, 1, {}, broken, True)
    assert not (tmp_path / "hamletc").exists()


def test_a_step_is_timed_after_it_has_warmed_up() -> None:
    now, steps, waits = [0.0], [], []

    def step() -> None:
        steps.append(now[0])
        now[0] += 1.0 if len(steps) <= 3 else 0.001

    assert timed(step, lambda: waits.append(1), lambda: now[0]) == pytest.approx(0.001)
    assert len(steps) == 3 + 32
    assert len(waits) == 5
