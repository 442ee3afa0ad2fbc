"""A recorded trace of a small pack, to be replayed as it is or after a change."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import hamlet
from hamlet.package.module import Module
from samples import recorded

PACK = Path(__file__).parents[3] / "universes" / "packs" / "night_market"


@pytest.fixture(scope="session")
def module(tmp_path_factory: pytest.TempPathFactory) -> Module:
    return hamlet.compile(PACK, tmp_path_factory.mktemp("replay") / "night_market")


@pytest.fixture(scope="session")
def original(module: Module, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded.record(module, tmp_path_factory.mktemp("replay"), explored=True)


@pytest.fixture
def trace(original: Path, tmp_path: Path) -> Path:
    """A copy of the recorded trace, the path of its .npz."""
    return copied(original, tmp_path)


def copied(trace: Path, folder: Path) -> Path:
    """A copy of a trace, the path of its .npz."""
    for suffix in (".npz", ".json"):
        shutil.copy(trace.with_suffix(suffix), folder)
    return folder / trace.name
