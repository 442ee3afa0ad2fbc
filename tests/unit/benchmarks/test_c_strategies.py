"""The price list of strategies: each is left out of the kernels of some universe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from samples import sample

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
IN_THE_TOWN = ("cell cache", "rows three times", "unswitch-loops")


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """benchmarks/ is no package: it runs as scripts."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.setenv("HAMLET_THREADS", "1")
    yield
    for name in ("c_strategies", "c_kernels", "sizes", "facts"):
        sys.modules.pop(name, None)


def test_each_strategy_changes_the_text_of_kernels() -> None:
    from c_strategies import STRATEGIES, Without, package

    texts = [
        package(sample("town"), each)["c_kernels.c"]
        for each in (Without(), *(STRATEGIES[name] for name in IN_THE_TOWN))
    ]
    assert len({*texts}) == 1 + len(IN_THE_TOWN)


def test_every_number_that_is_changed_is_there() -> None:
    from c_strategies import STRATEGIES, left_out

    for each in STRATEGIES.values():
        with left_out(each):
            assert all(getattr(of, name) is value for of, name, value in each.launch)
