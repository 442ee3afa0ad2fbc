"""Differences of times, on a clock that the test turns."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

import hamlet
from hamlet.errors import EnvError
from hamlet_lab.profile.times import PartCost, Variant, measure
from hamlet_lab.profile.trace import write_trace

COSTS = {"whole": 10.0, "without a": 7.0, "without b": 6.0, "without a line of b": 9.0}
COUNTING, MASKING, OBSERVING = 2.0, 1.0, 4.0
LANES, TICKS = 50, 20
CPU = torch.device("cpu")


@dataclass
class FakeEnv:
    """An environment whose ticks cost a number of nanoseconds."""

    clock: list[float]
    cost: float
    observed: str | None
    num_lanes: int = LANES
    num_actions: int = 3
    device: torch.device = CPU
    control_names: tuple[str, ...] = ()

    def rollout(self, ticks: int, observe: bool = False, statistics: bool = True) -> None:
        cost = self.cost + COUNTING * statistics + (MASKING + OBSERVING * (self.observed is not None)) * observe
        self.clock[0] += cost * ticks * self.num_lanes / 1e9

    def reset(self) -> None:
        pass

    def step(self, actions: torch.Tensor, controls: torch.Tensor | None) -> None:
        assert len(actions) == self.num_lanes
        assert controls is None

    def synchronize(self) -> None:
        pass


@dataclass
class FakeModule:
    clock: list[float]
    name: str


@pytest.fixture(autouse=True)
def _fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(module: FakeModule, *, obs_dtype: str | None = None, **_: Any) -> FakeEnv:
        return FakeEnv(module.clock, COSTS[module.name], obs_dtype)

    monkeypatch.setattr(hamlet, "make", make)


def test_parts_are_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "process_time", lambda: clock[0])
    names = ("a", "b", "a line of b")
    variants = [Variant(name, FakeModule(clock, f"without {name}")) for name in names]  # type: ignore[arg-type] # a fake
    whole: Any = FakeModule(clock, "whole")
    said: list[str] = []
    times = measure(whole, variants, 2, "c", None, LANES, 1, TICKS, 3, said.append)
    expected = {"a": 3.0, "b": 4.0, "a line of b": 1.0, "statistics": 2.0, "observe": 4.0, "mask": 1.0, "rest": 3.0}
    assert {part.name: part.median for part in times.parts} == pytest.approx(expected)
    assert times.whole == PartCost("whole tick", *(pytest.approx(17.0),) * 3)
    assert times.clock == "CPU time of all threads"
    assert said[-1] == "without a line of b"


def test_a_trace_that_cannot_be_written_is_one_error(tmp_path: Path) -> None:
    module: Any = FakeModule([0.0], "whole")
    with pytest.raises(EnvError, match=r"^cannot write .*absent/trace.json: No such file"):
        write_trace(module, "c", None, LANES, 1, TICKS, tmp_path / "absent" / "trace.json")
    assert list(tmp_path.iterdir()) == []
