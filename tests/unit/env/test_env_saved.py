"""Checkpoints in files: continued to the bit, refused elsewhere, and never half there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.package.module import Module
from samples.shop import SHOP

pytest.importorskip("safetensors")


@pytest.fixture(scope="module")
def shop(compiled: Callable[[str], Module]) -> Module:
    return compiled(SHOP)


def made(module: Module, backend: str = "interpreter", seed: int = 3, worlds: int = 9) -> Env:
    return hamlet.make(module, worlds=worlds, agents=2, backend=backend, seed=seed, quiet=True)


def test_a_run_goes_on_on_another_backend_with_its_counts(shop: Module, tmp_path: Path) -> None:
    env, path = made(shop, seed=(1 << 64) - 1), tmp_path / "shop.safetensors"
    counts = env.rollout(70).counts
    env.save(path, counts)
    other = made(shop, "c", seed=0)
    found = other.load(path)
    assert found is not None
    assert (other.seed, other.tick) == (env.seed, env.tick)
    assert torch.equal(other.observation, env.observation)
    env.rollout(70, statistics=counts)
    other.rollout(70, statistics=found)
    for name, values in env.state.items():
        assert torch.equal(values, other.state[name]), name
    for name, memory in counts.memory.items():
        assert memory.tobytes() == found.memory[name].tobytes(), name
    assert int(counts.causes.sum()) > 10


def test_what_does_not_fit_is_refused_and_changes_nothing(
    shop: Module, compiled: Callable[[str], Module], tmp_path: Path
) -> None:
    path = tmp_path / "shop.safetensors"
    made(shop).save(path)
    other = made(compiled(SHOP.replace("0.03", "0.04")))
    before = other.state["meters"].clone()
    with pytest.raises(EnvError, match=r"is a checkpoint of shop .*, not of shop .*, the universe of this environment"):
        other.load(path)
    assert torch.equal(before, other.state["meters"])
    with pytest.raises(EnvError, match="field"):
        made(shop, worlds=8).load(path)
    path.write_bytes(path.read_bytes()[:-9])
    for file in (path, tmp_path):
        with pytest.raises(EnvError, match=r"is no checkpoint of an environment|cannot read"):
            made(shop).load(file)
    with pytest.raises(EnvError, match="cannot write"):
        made(shop).save(tmp_path / "nowhere" / "x")
    assert [file.name for file in tmp_path.iterdir()] == ["shop.safetensors"]


def test_without_safetensors_one_line_says_so(shop: Module, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    with pytest.raises(EnvError, match=r"pip install 'hamletc\[checkpoint\]'"):
        made(shop).save(tmp_path / "x")
    assert not list(tmp_path.iterdir())
