"""Pipes of instructions, and what the model makes of counts."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path

import pytest

from hamlet_lab.machine_code.pipes import CLOCKS, OPCODES, PIPES, clocks, pipe
from hamlet_lab.profile.model import EFFICIENCY, GPUS, Work, agents_for, predict

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results" / "kernels.json"
H100, H200, B200 = GPUS
ROLLOUT = Work(87, 389.0, {"alu": 282.0, "fma": 61.0, "fmaheavy": 39.0, "lsu": 0.5}, 1.2, 1.5, 1 / 64)
STEP = Work(152, 3327.0, {"alu": 2124.0, "fma": 139.0, "fmaheavy": 788.0, "lsu": 146.0}, 61.0, 440.0, 7.0)


def test_every_opcode_has_one_pipe() -> None:
    listed = Counter(opcode for opcodes in OPCODES.values() for opcode in opcodes.split())
    assert max(listed.values()) == 1
    assert all("." not in opcode for opcode in listed)
    assert [pipe(opcode) for opcode in ("ISETP", "FSEL", "FADD", "IMAD", "SHFL", "STG", "BRA", "NEW")] == [
        "alu", "alu", "fma", "fmaheavy", "lsu", "lsu", "cbu", "unknown",
    ]  # fmt: skip
    assert set(OPCODES) | {"unknown"} == set(PIPES)


def test_clocks_of_pipes() -> None:
    """Two floats and a product: both pipes together take a clock for each, the heavy one two for the product."""
    busy = clocks({"alu": 10, "fma": 2, "fmaheavy": 1}, 90)
    assert (busy["alu"], busy["fma"], busy["fmaheavy"]) == (20, 3, 2)
    assert clocks({"fma": 2, "fmaheavy": 1}, 80)["fma"] == 6
    assert all({"alu", "fma", "fmaheavy", "lsu"} <= set(each) for each in CLOCKS.values())


def test_a_rollout_is_bound_by_the_alu() -> None:
    found = predict(ROLLOUT, H100)
    assert (found.bound, found.busiest, found.warps) == ("pipe", "alu", 20)
    assert found.limits["issue"] == pytest.approx(76.2e9, rel=0.01)
    assert found.limits["pipe"] == pytest.approx(52.6e9, rel=0.01)
    assert found.rate == EFFICIENCY * found.limits["pipe"]
    assert found.busy["alu"] == pytest.approx(EFFICIENCY)
    assert found.busy["issue"] == pytest.approx(EFFICIENCY * 389 / 564)


def test_a_step_waits_or_moves() -> None:
    found = predict(STEP, H100)
    assert found.warps == 12
    assert found.limits["memory"] == pytest.approx(3.0e12 / 501)
    assert found.limits["latency"] == pytest.approx(6.1e9, rel=0.02)
    assert found.bound == "memory"
    assert predict(replace(STEP, waits=20.0), H100).bound == "latency"
    assert predict(replace(STEP, waits=1.0, registers=80), H100).limits["latency"] > 2 * found.limits["latency"]
    assert predict(STEP, B200).bound == "latency"
    assert agents_for(5e9, 40e-6, 1) == pytest.approx(200_000)
    assert agents_for(50e9, 40e-6, 64) == pytest.approx(31_250)


def test_the_committed_counts_can_be_predicted() -> None:
    counted = json.loads(RESULTS.read_text())["executed"]
    assert {row["universe"] for row in counted} == {"first_meal", "town", "shifts"}
    for row in counted:
        assert "unknown" not in row["pipes"], row["pipes"]
        assert sum(row["pipes"].values()) == pytest.approx(row["executed"])
        assert sum(alu for _, alu in row["phases"].values()) == pytest.approx(row["pipes"]["alu"])
        work = Work(**{field.name: row[field.name] for field in fields(Work)})
        assert all(0 < predict(work, gpu).rate < min(predict(work, gpu).limits.values()) for gpu in GPUS)
