"""`hamletc profile`: what it counts, prints and writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from processes import Command
from samples import SHIPPED

MEAL = SHIPPED / "first_meal.hamlet"
SCRIPT = f"""
import time

import hamlet_gym
import numpy

env = hamlet_gym.VectorEnv(2, {str(MEAL)!r}, backend="interpreter")
env.reset(seed=1)
env.step(numpy.zeros(2, int))
end = time.perf_counter() + 1
while time.perf_counter() < end:
    sum(range(1000))
"""
FAST = ("--backend", "interpreter", "--only", "time", "--worlds", "8", "--ticks", "4")


def test_instructions_are_counted_by_line_without_a_gpu(hamletc: Command, tmp_path: Path) -> None:
    done = hamletc("profile", MEAL, "--only", "code", "--json", "found.json", TRITON_INTERPRET="0")
    assert done.returncode == 0, done.stderr
    assert "machine instructions for sm_90 per agent-tick by phase: counted" in done.stdout
    assert "first_meal.hamlet:" in done.stdout
    report = json.loads((tmp_path / "found.json").read_text())
    assert report["left_out"] == []
    rollout, step = report["code"]
    assert (rollout["kernel"], step["kernel"]) == ("rollout", "step")
    for kernel in (rollout, step):
        assert kernel["spilled"] == 0
        assert kernel["registers"] > 20
        assert sum(item["instructions"] for item in kernel["items"]) == kernel["instructions"]
        assert sum(item["executed"] for item in kernel["items"]) == pytest.approx(kernel["executed"])
        assert sum(kernel["pipes"].values()) == pytest.approx(kernel["executed"])
        assert sum(item["alu"] for item in kernel["items"]) == pytest.approx(kernel["pipes"]["alu"])
        assert "unknown" not in kernel["pipes"]
    # A launch writes 9 rows of state and 5 of what happened. A rollout of 64 ticks also writes the last return, a step
    # 6 of masks, the 2 of what it keeps of a world, and 28 of observations and the own row of the grid once more: once,
    # and again in those of 16 x 16 ticks of a warp in which episodes ended.
    assert rollout["stores"] == (9 + 5 + 1) / 64
    again = ((step["stores"] - 9 - 5 - 6 - 2) / (28 + 1) - 1) * 256
    assert again == pytest.approx(round(again), abs=1e-6)
    assert again > 0
    executed = {phase: sum(i["executed"] for i in rollout["items"] if i["purpose"]["phase"] == phase)
                for phase in ("act", "interact", "decay", "episode", "loads and stores", "observe")}  # fmt: skip
    text = {item["purpose"]["phase"] for item in rollout["items"]}
    assert 100 < rollout["executed"] < rollout["instructions"]
    # The 25 cells are observed 1.2 times in a step, in a loop or in copies of it.
    assert 700 < step["executed"] < 1300
    grid = sum(item["executed"] for item in step["items"] if item["purpose"]["construct"] == "observe grid")
    assert 25 * 5 < grid < 25 * 25
    assert executed["interact"] > executed["decay"] > 0
    # A new episode is rarer than a tick, and memory is read once for all ticks.
    assert (
        0 < executed["episode"] < sum(i["instructions"] for i in rollout["items"] if i["purpose"]["phase"] == "episode")
    )
    assert executed["loads and stores"] < 5
    assert executed["observe"] == 0
    assert {"statistics", "policy"} <= text
    assert any(item["purpose"]["phase"] == "observe" and item["executed"] > 1 for item in step["items"])
    lines = {item["purpose"]["line"]: item["purpose"]["construct"] for item in rollout["items"]}
    source = MEAL.read_text().split("\n")
    named = [(line, words[1]) for line, construct in lines.items() if line and (words := construct.split())[0] in
             ("cascade", "action")]  # fmt: skip
    assert all(name in source[line - 1] for line, name in named)


def test_a_trace_has_named_ranges(hamletc: Command, tmp_path: Path) -> None:
    done = hamletc("profile", MEAL, *FAST, "--trace", "trace.json", "--json", "found.json")
    assert done.returncode == 0, done.stderr
    assert "profiler" not in done.stderr
    assert "left out: time by phase: the interpreter has no kernels" in done.stdout
    names = {event.get("name") for event in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]}
    assert {"hamlet: step 0", "hamlet: rollout 4, 4 ticks", "aten::where"} <= names
    assert json.loads((tmp_path / "found.json").read_text())["backend"] == "interpreter"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".trace")] == []


def test_calls_are_parted_by_what_python_does(
    hamletc_here: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hamlet_lab.profile.calls.SECONDS", 0.01)
    # A folder of the user's is not the package that it is called like.
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "play.py").write_text(SCRIPT)
    run = ("profile", MEAL, "--only", "calls", "--backend", "interpreter", "--json", "found.json")
    done = hamletc_here(*run, "--script", "torch/play.py")
    assert done.returncode == 0, done.stderr
    assert "calls of one world in Python, microseconds" in done.stdout
    assert "left out: allocator and utilisation: interpreter runs on cpu, not on a GPU" in done.stdout
    calls = {each["name"]: each for each in json.loads((tmp_path / "found.json").read_text())["calls"]}
    assert list(calls) == ["step", "rollout of 1 tick", "observe", "reset", "play.py"]
    for call in calls.values():
        assert sum(call["parts"].values()) == pytest.approx(1)
        assert call["microseconds"] > 0
    for part in ("checking arguments", "interpreter", "torch", "environment"):
        assert calls["step"]["parts"][part] > 0
    assert "adapters" not in calls["step"]["parts"]
    assert calls["play.py"]["parts"]["adapters"] > 0
    assert calls["play.py"]["parts"]["other"] > 0.5, "it computes for longer than it steps"


def test_a_script_that_is_not_there_is_one_line(hamletc_here: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hamlet_lab.profile.calls.SECONDS", 0.001)
    done = hamletc_here("profile", MEAL, "--only", "calls", "--backend", "interpreter", "--script", "absent.py")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        1,
        "error: cannot read absent.py: No such file or directory",
    )


def test_what_the_machine_lacks_is_left_out(hamletc: Command) -> None:
    done = hamletc("profile", MEAL, "--only", "code", "--json", "absent/found.json", TRITON_INTERPRET="1")
    assert "left out: instructions: kernels cannot be compiled under TRITON_INTERPRET=1" in done.stdout
    assert done.returncode == 1
    assert done.stderr.strip().endswith("error: cannot write absent/found.json: No such file or directory")
