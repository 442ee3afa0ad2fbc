"""`auto` on a machine with a GPU, with made-up times: the fastest of kernels in C, launches, graphs, measured once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from hamlet import EnvError
from hamlet.backend.choose import Choice, candidates
from hamlet.backend.crossover import GRAPHED_MOST, SIZES, Missing, crossovers, expected, ranked, settle, timed
from hamlet.launch.gpu.driver import CudaError

GPU = Choice("triton", torch.device("cuda", 0), "there is a CUDA device")
STEP, GRAPH, CPU = candidates(GPU, "auto", anywhere=True)


class Machine:
    """A launch takes 40 microseconds, a graph 8, and the GPU 0.2 nanoseconds per agent meanwhile; the CPU takes 4
    microseconds and 10 nanoseconds per agent."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, int]] = []

    def __call__(self, choice: Choice, lanes: int) -> float:
        self.asked.append((choice.backend, choice.launch, lanes))
        if choice.backend == "c":
            return 4e-6 + 10e-9 * lanes
        return max(40e-6 if choice.launch == "step" else 8e-6, 0.2e-9 * lanes)

    def times(self) -> dict[Choice, dict[int, float]]:
        return {choice: {size: self(choice, size) for size in SIZES} for choice in (STEP, GRAPH, CPU)}


@pytest.fixture(autouse=True)
def _machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("HAMLET_MEASURE", raising=False)
    monkeypatch.setattr("torch.cuda.get_device_name", lambda _device: "a GPU")


def nothing(_choice: Choice) -> str:
    """What a machine lacks that has a compiler."""
    return ""


def chosen(
    lanes: int,
    machine: Machine,
    options: Sequence[Choice] = (STEP, GRAPH, CPU),
    quiet: bool = True,
    agents: int = 1,
    missing: Missing = nothing,
) -> Choice:
    return settle(options, lanes, SIZES, {"universe": "abc", "agents": agents}, machine, missing, quiet)


def test_candidates() -> None:
    assert [replace(GPU, launch="step"), replace(GPU, launch="graph")] == [STEP, GRAPH]
    assert (CPU.backend, CPU.device) == ("c", torch.device("cpu"))
    assert candidates(GPU, "auto", anywhere=False) == (STEP, GRAPH)
    assert candidates(GPU, "step", anywhere=True) == (STEP, CPU)
    assert candidates(GPU, "graph", anywhere=True) == (GRAPH,)
    for launch in ("auto", "step"):
        assert candidates(CPU, launch, anywhere=True) == (CPU,)
    for other in (CPU, replace(GPU, device=torch.device("cpu")), replace(GPU, backend="interpreter")):
        with pytest.raises(
            EnvError, match=f'launch "graph" needs backend "triton" on a CUDA .* not {other.backend} on'
        ):
            candidates(other, "graph", anywhere=True)
    with pytest.raises(EnvError, match="there is no launch 'fused': take auto, step, graph"):
        candidates(GPU, "fused", anywhere=False)


def test_the_number_of_agents_decides(capsys: pytest.CaptureFixture[str]) -> None:
    machine = Machine()
    few = chosen(64, machine, quiet=False)
    assert (few.backend, few.launch, few.device) == ("c", "step", torch.device("cpu"))
    assert few.reason.startswith(
        "64 agents, 13.8 million steps/s against 8 by triton (graph) and 1.6 by triton (step);"
    )
    timing = "hamlet: timing triton (step), triton (graph), c once, to choose (HAMLET_MEASURE=0: do not)\n"
    assert capsys.readouterr().err == timing
    more = chosen(30_000, machine, quiet=False)
    assert (more.backend, more.launch, more.device) == ("triton", "graph", torch.device("cuda", 0))
    assert str(more).startswith("triton on cuda:0 (a GPU), launch graph: 30,000 agents, ")
    assert "; c is the fastest, from about 4" in more.reason
    most = chosen(900_000, machine, quiet=False)
    assert (most.backend, most.launch) == ("triton", "step")
    assert "by triton (graph); triton (graph) is the fastest, from about " in most.reason
    assert capsys.readouterr().err == "", "what was measured is kept"
    order = [("triton", "step"), ("triton", "graph"), ("c", "step")]
    assert machine.asked == [(*choice, size) for choice in order for size in SIZES]


def test_crossovers_are_where_the_best_two_meet() -> None:
    times = Machine().times()
    (least, first), (graphs, second), (launches, third) = crossovers(times)
    assert (least, first, second, third) == (SIZES[0], CPU, GRAPH, STEP)
    # 4 us + 10 ns * n = 1.05 * 8 us
    assert graphs == pytest.approx(440, rel=0.15)
    # beyond the last size lines go on: a launch never gets longer there
    per_lane = (times[GRAPH][65536] - times[GRAPH][16384]) / (65536 - 16384)
    assert launches == pytest.approx(65536 + (40e-6 / 1.05 - times[GRAPH][65536]) / per_lane, rel=0.15)
    without = {STEP: times[STEP], CPU: times[CPU]}
    assert [choice for _, choice in crossovers(without)] == [CPU, STEP]
    assert crossovers({GRAPH: times[GRAPH], STEP: dict.fromkeys(SIZES, 1e-9)}) == [(SIZES[0], STEP)]
    for lanes in (100, 1000, 3000, 60_000):
        assert expected(times[CPU], lanes) == pytest.approx(4e-6 + 10e-9 * lanes)
    assert expected(times[CPU], 3) == times[CPU][SIZES[0]]


def test_nothing_is_expected_to_be_faster_than_what_was_measured() -> None:
    """Launches decide: 40 microseconds for any number, and noise that falls from one size to the next."""
    flat = {64: 41e-6, 1024: 40e-6, 16384: 40e-6, 65536: 36e-6}
    for lanes in (65_537, 900_000, 1 << 30):
        assert expected(flat, lanes) == flat[65536]
    rising = flat | {65536: 50e-6}
    assert expected(rising, 1 << 20) == pytest.approx(50e-6 + 10e-6 * ((1 << 20) - 65536) / 49152)
    steady = dict.fromkeys(SIZES, 30e-6)
    assert ranked({STEP: steady, GRAPH: flat}, 900_000) == [STEP, GRAPH]
    for change in (flat, rising, steady):
        assert min(change.values()) <= expected(change, 20_000) <= max(change.values())


def test_a_backend_that_lacks_something_is_left_out() -> None:
    machine = Machine()
    assert chosen(64, machine).backend == "c"

    def missing(choice: Choice) -> str:
        return "there is no compiler" if choice.backend == "c" else ""

    said = "; c is left out: there is no compiler"
    cached = chosen(64, machine, missing=missing)
    assert (cached.backend, cached.launch) == ("triton", "graph")
    assert said in cached.reason
    machine.asked.clear()
    fresh = chosen(64, machine, agents=3, missing=missing)
    assert (fresh.backend, fresh.launch) == ("triton", "graph")
    assert said in fresh.reason
    assert {backend for backend, _, _ in machine.asked} == {"triton"}
    alone = chosen(64, machine, [STEP, CPU], agents=3, missing=missing)
    assert alone.backend == "triton"
    assert alone.reason.startswith(f"there is a CUDA device{said}")


def test_a_graph_must_gain_something() -> None:
    launched = dict.fromkeys(SIZES, 1.0)
    assert ranked({STEP: launched, GRAPH: dict.fromkeys(SIZES, 0.96)}, 100) == [STEP, GRAPH]
    assert ranked({STEP: launched, GRAPH: dict.fromkeys(SIZES, 0.94)}, 100) == [GRAPH, STEP]


def test_what_cannot_win_is_not_timed() -> None:
    machine = Machine()
    assert chosen(SIZES[-1], machine).launch == "graph"
    assert {backend for backend, _, _ in machine.asked} == {"triton"}
    machine = Machine()
    busy = chosen(GRAPHED_MOST, machine)
    assert (busy.launch, busy.reason) == ("step", "there is a CUDA device, and 1,048,576 agents keep it busy")
    assert chosen(64, machine, [GRAPH]) == GRAPH
    assert chosen(1 << 22, machine, [GRAPH]) == GRAPH
    assert chosen(64, machine, [CPU]) == CPU
    large = settle([STEP, GRAPH], 64, SIZES[:1], {}, machine, nothing, True)
    assert (large.launch, large.reason) == ("step", "there is a CUDA device, and worlds are too large to time many")
    assert machine.asked == []


def test_it_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAMLET_MEASURE", "0")
    machine = Machine()
    found = chosen(64, machine)
    assert (found.backend, found.launch) == ("triton", "step")
    assert found.reason == "there is a CUDA device, and HAMLET_MEASURE=0"
    assert machine.asked == []


def test_what_was_timed_for_one_question_answers_others(tmp_path: Path) -> None:
    machine = Machine()
    assert chosen(2_000, machine, [STEP, CPU]).backend == "c"
    machine.asked.clear()
    assert chosen(2_000, machine).launch == "graph"
    assert {launch for _, launch, _ in machine.asked} == {"graph"}
    machine.asked.clear()
    chosen(64, machine, agents=5)
    assert len(machine.asked) == 3 * len(SIZES)
    settle([STEP, GRAPH], 64, SIZES, {"universe": "other"}, machine, nothing, True)
    keys = [json.loads(file.read_text())["key"] for file in (tmp_path / "hamletc" / "crossover").glob("*.json")]
    assert len(keys) == 3 + 3 + 2
    assert {key["universe"] for key in keys} == {"abc", "other"}


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    def broken(_choice: Choice, _lanes: int) -> float:
        raise CudaError("a launch failed")

    with pytest.raises(CudaError, match="a launch failed"):
        settle([STEP, CPU], 64, SIZES, {}, broken, nothing, True)
    assert not (tmp_path / "hamletc").exists()


def test_a_step_is_timed_after_it_has_warmed_up() -> None:
    now, steps, waits = [0.0], [], []

    def step() -> None:
        steps.append(now[0])
        now[0] += 1.0 if len(steps) <= 3 else 0.001

    assert timed(step, lambda: waits.append(1), lambda: now[0]) == pytest.approx(0.001)
    assert len(steps) == 3 + 32
    assert len(waits) == 5
