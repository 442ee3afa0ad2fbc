"""The sweeps: universes of any size, and the model beside the measurement."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hamlet.universe import Universe
from hamlet_lab.bench import Case, CaseRates
from hamletc.compile import lower
from samples import sample, universe_of

SCALING = Path(__file__).resolve().parents[3] / "benchmarks" / "scaling"
BARE = Case("c", 1000, 1, "rollout", 8, "none")
STEP = Case("c", 1000, 1, "step", 1, "float32")


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """benchmarks/scaling is no package: it runs as a script."""
    monkeypatch.syspath_prepend(str(SCALING))
    yield
    for name in ("universes", "model", "peak", "run", "facts"):
        sys.modules.pop(name, None)


def generated(meters: int, affordances: int, side: int) -> Universe:
    from universes import text

    return universe_of(text(meters, affordances, side))


@pytest.mark.parametrize(("meters", "affordances", "side"), [(1, 1, 8), (4, 4, 8), (64, 4, 8), (4, 1000, 128)])
def test_universes_have_the_size_asked_for(meters: int, affordances: int, side: int) -> None:
    universe = generated(meters, affordances, side)
    assert (len(universe.meters), len(universe.affordances), len(universe.dynamics)) == (
        meters,
        affordances,
        meters - 1,
    )


def test_operations_grow_with_meters_and_not_with_many_affordances() -> None:
    from model import operations

    few, many = (operations(generated(meters, 4, 8), "c", BARE) for meters in (4, 16))
    assert 50 < few < many < 4 * few
    assert operations(generated(4, 4, 8), "c", STEP) != few
    table, larger = (operations(generated(4, count, 128), "c", BARE) for count in (100, 400))
    assert table == larger


def test_loops_count_as_often_as_they_run() -> None:
    from model import _size

    program = lower(sample("town")).program
    observe = program.function("observe")
    # A grid of 64 cells is observed cell by cell, by more than one operation.
    assert _size(observe, program) > len(observe.nodes) + 63


def test_the_model_is_limited_by_what_takes_longest() -> None:
    from model import Machine, predicted

    machine = Machine(peak=1e9, bandwidth=1e9, launch=1e-3, width=256)
    # 1,000 lanes take as long as 1,024.
    assert predicted(machine, BARE, 100, 1) == pytest.approx(8000 / (1e-3 + 1024 * 8 * 100 / 1e9))
    assert predicted(machine, STEP, 1, 500) == pytest.approx(1000 / (1e-3 + 1000 * 500 / 1e9))


def test_a_point_has_its_model_beside_it() -> None:
    import run

    import hamlet

    town = hamlet.load(SCALING.parents[1] / "generated" / "town")
    machine = run.Machine(1e11, 1e10, 1e-5, 512)
    bare, seen = run.cases("c", 1000, 8, launched=False)
    assert (bare, seen.launch, seen.observed) == (BARE, "rollout", "float32")
    assert run.cases("c", 1000, 8, launched=True)[1] == STEP
    point = run.row(town, machine, 4, CaseRates(bare, 3.0, 2.0, 4.0, 5, 7.5, 0.1, 0.2, 9, None))
    assert (point["value"], point["median"], point["slowest"], point["fastest"]) == (4, 3.0, 2.0, 4.0)
    assert point["model"] == run.predicted(machine, bare, point["operations"], 7.5)


def test_the_peak_counts_operations() -> None:
    from peak import cpu_peak

    assert 1e8 < cpu_peak(1, 2000) < 1e13
