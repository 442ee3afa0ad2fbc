"""Worlds that several processes share: the same bits as in one, for every number of ranks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from ranks import AGENTS, TICKS, WORLDS, found

import hamlet
from hamlet import EnvError, distributed
from hamlet.distributed import Shard
from hamlet.package.module import Module
from processes import Run
from samples.shop import SHOP

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def shop(compiled: Callable[[str], Module]) -> Module:
    return compiled(SHOP)


@pytest.fixture(scope="module")
def alone(shop: Module) -> dict[str, Any]:
    """What one process with all worlds finds."""
    return found(shop.path, "interpreter")


SWEEP = ("sweep", "--param", "hunger=0.5:4:3", "--param", "wage=0.1,0.3", "--ticks", "60", "--worlds", "5")


def test_a_sweep_of_two_ranks_writes_the_same_table(shop: Module, run_program: Run, tmp_path: Path) -> None:
    program = f"import sys; sys.path.insert(0, {str(HERE)!r}); import ranks; ranks.forked(2, *sys.argv[1:])"
    command = (*SWEEP, str(shop.path), "--backend", "interpreter", "--seed", "3", "--out")
    alone = run_program("from hamletc.cli.main import main; main()", *command, "alone.csv", cwd=tmp_path)
    shared = run_program(program, *command, "shared.csv", cwd=tmp_path)
    assert (alone.returncode, shared.returncode) == (0, 0), alone.stderr + shared.stderr
    assert (tmp_path / "alone.csv").read_bytes() == (tmp_path / "shared.csv").read_bytes()
    assert shared.stdout.count("6 variants") == 1


def assert_same(one: Any, other: Any, where: str = "") -> None:
    """Equal to the bit."""
    match one:
        case dict():
            assert set(one) == set(other)
            for name, value in one.items():
                assert_same(value, other[name], f"{where} {name}")
        case list():
            assert len(one) == len(other)
            for number, value in enumerate(one):
                assert_same(value, other[number], f"{where} {number}")
        case torch.Tensor():
            assert one.dtype == other.dtype, where
            assert one.shape == other.shape, where
            assert one.contiguous().numpy().tobytes() == other.contiguous().numpy().tobytes(), where
        case _:
            assert one == other, where


def test_two_ranks_find_what_one_process_finds(
    shop: Module, alone: dict[str, Any], run_program: Run, tmp_path: Path
) -> None:
    program = f"import sys; sys.path.insert(0, {str(HERE)!r}); import ranks; ranks.forked(2, *sys.argv[1:])"
    done = run_program(program, shop.path, tmp_path / "found.pt", timeout=120)
    assert done.returncode == 0, done.stderr
    assert sum(alone["lengths"]) > 20
    assert_same(alone, torch.load(tmp_path / "found.pt"))


@pytest.mark.long
@pytest.mark.parametrize("backend", ["interpreter", "c"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 7])
def test_ranks_of_torchrun_find_what_one_process_finds(
    ranks: int, backend: str, shop: Module, alone: dict[str, Any], tmp_path: Path
) -> None:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks)]
    command = [*torchrun, str(HERE / "ranks.py"), str(shop.path), str(tmp_path / "found.pt"), backend]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=os.environ.copy())
    assert done.returncode == 0, done.stderr
    assert_same(alone, torch.load(tmp_path / "found.pt"))


@pytest.mark.parametrize("count", [2, 7])
def test_shards_of_one_process_are_parts_of_the_whole(count: int, shop: Module) -> None:
    params = {"wage": torch.linspace(0, 0.5, WORLDS), "hunger": hamlet.LogUniform(0.5, 4)}

    def made(shard: tuple[int, int] | None) -> hamlet.env.environment.Env:
        return hamlet.make(
            shop, worlds=WORLDS, agents=AGENTS, shard=shard, seed=2, params=params, backend="interpreter"
        )

    whole, parts = made(None), [made((number, count)) for number in range(count)]
    assert len({part.num_worlds for part in parts}) == 2
    counted = whole.rollout(TICKS)
    of_parts = [part.rollout(TICKS) for part in parts]
    assert counted.episodes() > 20
    for name, values in whole.state.items():
        together = torch.cat([part.state[name] for part in parts], dim=-1)
        assert together.numpy().tobytes() == values.numpy().tobytes(), name
    returns = torch.cat([part.counts.finished_return for part in of_parts])
    assert returns.numpy().tobytes() == counted.counts.finished_return.numpy().tobytes()
    assert torch.equal(sum(part.counts.lengths for part in of_parts), counted.counts.lengths)


@pytest.mark.parametrize("total", [7, 8, 13, 100, 10**9])
def test_shards_are_consecutive_and_even(total: int) -> None:
    bounds = [Shard(number, 7).bounds(total) for number in range(7)]
    assert bounds[0][0] == 0
    assert bounds[-1][1] == total
    assert all(end == first for (_, end), (first, _) in pairwise(bounds))
    sizes = {end - first for first, end in bounds}
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 1


def test_fewer_worlds_than_shards_are_refused(shop: Module) -> None:
    with pytest.raises(EnvError, match="2 worlds cannot be split over 3 shards"):
        hamlet.make(shop, worlds=2, shard=(0, 3), backend="interpreter")


def test_variables_of_torchrun_say_the_shard(monkeypatch: pytest.MonkeyPatch) -> None:
    assert distributed.shard() == Shard(0, 1)
    monkeypatch.setenv("WORLD_SIZE", "3")
    monkeypatch.setenv("RANK", "2")
    assert distributed.shard() == Shard(2, 3)
    monkeypatch.setenv("RANK", "3")
    with pytest.raises(EnvError, match="the variable RANK holds '3'"):
        distributed.shard()


def test_threads_of_ranks_share_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    from hamlet.launch.cpu import launch

    monkeypatch.delenv("HAMLET_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "3")
    assert launch.threads_here() == 2
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "9")
    assert launch.threads_here() == 1


def test_sums_of_floats_are_refused() -> None:
    with pytest.raises(EnvError, match="sums of floats depend on their order"):
        distributed.total(torch.ones(2))
