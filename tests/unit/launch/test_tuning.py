"""The lanes of a block are chosen by time, once, and the bits stay."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

from hamlet.backend.registry import Tune
from hamlet.launch.gpu.call import Launch
from hamlet.launch.gpu.tuning import FEWEST_LANES, MOST_TICKS, Tuner, candidates
from hamlet.package import cache
from hamlet.schema.abi import scalar_arguments

IDENTITY: cache.Key = {"kernels": "abc", "device": "a GPU", "capability": 90}


class Fake:
    """Kernels that add 1 to their first argument, and a clock that knows how long each block takes."""

    def __init__(self, seconds: dict[int, float]) -> None:
        self.table = seconds
        self.timed: list[int] = []
        self.ticks: list[object] = []
        self.is_capturing = False
        self.bytes_free = 1 << 40
        self.kernels = ModuleType("fake")
        self.kernels.__dict__.update(dict.fromkeys(("reset", "observe", "step", "rollout"), self))
        self._last = 0

    def __getitem__(self, grid: tuple[int]) -> Callable[..., None]:
        def launch(*arguments: torch.Tensor | int | None, **given: int) -> None:
            assert isinstance(arguments[0], torch.Tensor)
            arguments[0].add_(1)
            self._last = given["BLOCK"]
            self.ticks.append(arguments[-1])
            assert grid[0] * given["BLOCK"] >= FEWEST_LANES
            assert given["num_warps"] * 32 == given["BLOCK"]

        return launch

    def seconds(self, work: Callable[[], None]) -> float:
        work()
        self.timed.append(self._last)
        return self.table[self._last]

    def capturing(self) -> bool:
        return self.is_capturing

    def free(self) -> int:
        return self.bytes_free

    def tuner(self, mode: Tune = "max", ready: bool = False) -> Tuner:
        return Tuner(mode, self.kernels, IDENTITY, self, lambda _launch, _block: ready)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def step(lanes: int = FEWEST_LANES) -> Launch:
    return Launch("step", (torch.zeros(4), None, 1, 2, 3), lanes, 1, 0, False)


def saved(folder: Path) -> list[dict[str, object]]:
    files = sorted((folder / "cache" / "hamletc" / "tuned").glob("*.json"))
    return [json.loads(file.read_text())["answer"] for file in files]


def test_the_fastest_is_chosen_once_and_kept(tmp_path: Path) -> None:
    fake, launch = Fake({32: 3.0, 64: 1.0, 128: 2.0}), step()
    tuner = fake.tuner()
    assert tuner.block(launch, 32) == 64
    assert set(fake.timed) == {32, 64, 128}
    assert launch.arguments[0] is not None
    assert torch.equal(launch.arguments[0], torch.zeros(4)), "tuning changed what it was given"
    before = len(fake.timed)
    assert tuner.block(launch, 32) == 64
    assert len(fake.timed) == before
    assert saved(tmp_path) == [{"block": 64, "seconds": {"32": 3.0, "64": 1.0, "128": 2.0}}]
    again = Fake({})
    assert again.tuner("default").block(step(), 32) == 64
    assert again.timed == []


def test_a_gain_within_noise_changes_nothing() -> None:
    assert Fake({32: 1.0, 64: 0.99, 128: 0.985}).tuner().block(step(), 32) == 32


def test_by_default_only_what_is_ready_is_tried(tmp_path: Path) -> None:
    compiled = Fake({32: 3.0, 64: 1.0, 128: 2.0})
    assert compiled.tuner("default", ready=False).block(step(), 32) == 32
    assert compiled.timed == []
    assert saved(tmp_path) == []
    assert compiled.tuner("default", ready=True).block(step(), 32) == 64


def test_few_lanes_are_not_tuned() -> None:
    fake = Fake({})
    assert fake.tuner().block(step(FEWEST_LANES - 1), 32) == 32
    assert fake.timed == []


@pytest.mark.parametrize("hindrance", ["capture", "memory"])
def test_it_waits_for_a_better_moment(hindrance: str, tmp_path: Path) -> None:
    fake = Fake({32: 3.0, 64: 1.0, 128: 2.0})
    tuner = fake.tuner()
    fake.is_capturing, fake.bytes_free = hindrance == "capture", 8 if hindrance == "memory" else 1 << 40
    assert tuner.block(step(), 32) is None
    assert fake.timed == []
    assert saved(tmp_path) == []
    fake.is_capturing, fake.bytes_free = False, 1 << 40
    assert tuner.block(step(), 32) == 64


def test_during_a_capture_what_was_chosen_before_is_used() -> None:
    fake = Fake({32: 3.0, 64: 1.0, 128: 2.0})
    tuner = fake.tuner()
    tuner.block(step(), 32)
    fake.is_capturing = True
    assert tuner.block(step(), 32) == 64
    assert fake.tuner().block(step(), 32) == 64


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    fake = Fake({32: 1.0})
    with pytest.raises(KeyError):
        fake.tuner().block(step(), 32)
    assert saved(tmp_path) == []


def test_launches_of_other_kinds_and_sizes_are_chosen_apart(tmp_path: Path) -> None:
    fake = Fake({32: 1.0, 64: 2.0, 128: 3.0})
    tuner = fake.tuner()
    other = Launch("step", (torch.zeros(4, dtype=torch.bfloat16), None, 1, 2, 3), FEWEST_LANES, 1, 0, False)
    for launch in (step(), step(2 * FEWEST_LANES), other, step(FEWEST_LANES + 1)):
        tuner.block(launch, 32)
    assert len(saved(tmp_path)) == 3


def test_a_long_rollout_is_timed_briefly() -> None:
    fake = Fake({32: 1.0, 64: 2.0, 128: 3.0})
    scalars = (7,) * (len(scalar_arguments("rollout")) - 1)
    fake.tuner().block(Launch("rollout", (torch.zeros(4), *scalars, 100_000), FEWEST_LANES, 1, 9, False), 32)
    assert set(fake.ticks) == {MOST_TICKS}


def test_candidates_fit_the_device() -> None:
    assert candidates(step(), 32) == [32, 64, 128]
    assert candidates(step(), 128) == [128, 256]
    assert candidates(Launch("reset", (), 1, 512, 0, False), 512) == [512, 1024]
    assert candidates(Launch("rollout", (), 1, 1024, 0, True), 1024) == [1024]


def test_a_damaged_cache_is_measured_again(tmp_path: Path) -> None:
    fake = Fake({32: 3.0, 64: 1.0, 128: 2.0})
    fake.tuner().block(step(), 32)
    (file,) = (tmp_path / "cache" / "hamletc" / "tuned").glob("*.json")
    for text in (
        "",
        "[]",
        '{"key": {}, "answer": {"block": 128}}',
        file.read_text().replace('"block": 64', '"block": 7'),
    ):
        file.write_text(text)
        fake.timed.clear()
        assert fake.tuner().block(step(), 32) == 64
        assert fake.timed
