"""Random universes, the same few in every run: all ways to write, compile and run them agree. HAMLET_LONG_TESTS=1 and
`make fuzz` run more."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import ledger
import pytest
from agreement import BackendName, agree, check_text, checked
from cases import case, text
from constructs import KINDS, constructs
from hypothesis import HealthCheck, Phase, given, settings
from shrink import shrink
from strategies import universes

from examples import LONG
from hamlet.backend.registry import backend_names
from hamletc.errors import SourceError

RARE = 137, 27, 125, 98, 115, 94, 157, 60, 536, 128, 93, 77, 95, 139, 23
"""These together have what the first dozen do not: the sooner they are made, the sooner everything has been."""
LEDGER = Path(__file__).parents[2] / "benchmarks" / "results" / "fuzz.json"


def agreeing(numbers: range, backends: tuple[BackendName, ...]) -> int:
    """How many of these universes are valid; all ways to run those agree, and most of what they have fired."""
    ran = 0
    for number in numbers:
        source = text(number)
        try:
            universe = checked(source)
        except SourceError:
            continue
        report = agree(source, universe, backends, case(number))
        assert len(report.never_fired) <= (1 - ledger.ENOUGH) * len(report.coverage)
        ran += 1
    return ran


def test_programs_of_random_universes_agree_with_the_interpreter() -> None:
    assert agreeing(range(2, 6), ("ir",)) >= 3


def test_kernels_of_random_universes_agree_with_the_interpreter() -> None:
    assert agreeing(range(2, 3), ("c",)) == 1


def test_kernels_in_webassembly_of_random_universes_agree_with_the_interpreter() -> None:
    pytest.importorskip("wasmtime")
    if "wasm" not in backend_names():
        pytest.skip("this installation is older than the backend")
    assert agreeing(range(2, 4), ("wasm",)) >= 1


def test_random_universes_are_valid_and_have_everything() -> None:
    """What the author writes is nearly always valid; each construct occurs; formatting changes nothing."""
    found: Counter[str] = Counter()
    refused: list[str] = []
    made, tried = 480 if LONG else 160, 0
    for place, number in enumerate(dict.fromkeys((*RARE, *range(made)))):
        source, tried = text(number), place + 1
        try:
            universe = checked(source)
        except SourceError as error:
            refused.append(str(error))
            continue
        if place < made // 16:
            check_text(source, universe)
        found.update(constructs(universe))
        if not LONG and tried >= len(RARE) + made // 12 and all(found[kind] for kind in KINDS):
            break
    assert len(refused) < tried // 10, "\n".join(refused)
    missing = [kind for kind in KINDS if not found[kind]]
    assert not missing, f"never made: {', '.join(missing)}"


@settings(
    max_examples=60 if LONG else 8,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
@given(universes())
def test_what_hypothesis_writes_survives_formatting(source: str) -> None:
    try:
        universe = checked(source)
    except SourceError:
        return
    check_text(source, universe)


def test_a_failing_universe_is_made_smaller() -> None:
    """Down to the lines without which it does not fail."""
    source = "\n".join(f"line {number}" for number in range(40))
    small = shrink(source, lambda text: "line 7\n" in text and "line 31\n" in text, seconds=60)
    assert small.splitlines() == ["line 7", "line 31"] or small.splitlines() == ["line 7", "inert allowed", "line 31"]


def test_runs_that_follow_each_other_are_one_in_the_ledger(tmp_path: Path) -> None:
    path = tmp_path / "fuzz.json"
    for first in (0, 20, 60):
        ledger.record(
            path, ledger.Tally("g", "c", "v", "ir", first, first + 19, clean=18, failed=[first], kinds=Counter(Rule=2))
        )
    joined, apart = ledger.read(path)
    assert (joined.first, joined.last, joined.clean, joined.failed) == (0, 39, 36, [0, 20])
    assert joined.kinds == Counter(Rule=4)
    assert (apart.first, apart.last) == (60, 79)
    assert ledger.next_number(path, "g", "ir") == 80
    assert ledger.next_number(path, "another", "ir") == 0
    assert "| ir | 54 |" in path.with_suffix(".md").read_text()


def test_the_committed_ledger_is_clean() -> None:
    """At least 2,000 universes on the programs; what failed once was run again and agrees."""
    runs = ledger.read(LEDGER)
    assert sum(run.clean for run in runs if run.backends == "ir") >= 2000
    for index, run in enumerate(runs):
        for number in run.failed:
            assert any(
                (other.generator, other.backends) == (run.generator, run.backends)
                and other.first <= number <= other.last
                and number not in other.failed
                for other in runs[index + 1 :]
            ), f"{number} was not run again"
