"""docs/performance.md and README.md say what the committed results say."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """benchmarks/performance is no package: it runs as a script."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks" / "performance"))
    import page

    yield page
    for name in ("page", "tables", "ported", "measured", "plots"):
        sys.modules.pop(name, None)


def test_pages_are_what_the_results_say(page: Any) -> None:
    reports = page.results(page.RESULTS)
    for path in page.PAGES:
        text = path.read_text()
        assert page.filled(text, reports) == text, f"{path.name}: make performance"
    regions = {found[2] for path in page.PAGES for found in page.REGION.finditer(path.read_text())}
    assert regions == set(page.TABLES)


def test_what_was_not_measured_is_said_with_its_command(page: Any) -> None:
    for name in page.TABLES:
        text = page.filled(f"<!-- begin {name} -->\n99 million\n<!-- end {name} -->", {})
        assert "99 million" not in text
        assert "`python benchmarks/" in text, name
    assert "No GPU has been measured" in page.TABLES["gpu"]({})


def test_a_rate_has_its_spread_and_its_origin(page: Any) -> None:
    facts = {"machine": "M", "versions": "V", "commit": "0123456789abcdef", "command": "python x", "load": "L"}
    row = {"name": "counting", "ticks": 64, "median": 2e6, "slowest": 5e5, "fastest": 3e8}
    row |= {"percent": {"median": 2.0, "least": -1.0, "most": 3.0}}
    report = {"facts": facts, "rows": [row]}
    text = page.tables.telemetry({"telemetry_c": report, "telemetry_numba": report})
    assert "**c**" in text
    assert "numba" not in text
    assert page.tables.telemetry({"telemetry_numba": report}) == text.replace("**c**", "**numba**"), "measured before"
    assert "| 64 | counting | 2.0 (0.500 to 300) | +2.0% (-1.0 to +3.0) |" in text
    assert "M; V; commit 0123456789ab; `python x`. Load: L." in text


@pytest.mark.usefixtures("page")
def test_plots_are_drawn(tmp_path: Path) -> None:
    import plots

    points = [
        {"value": value, "launch": launch, "observed": observed, "median": 2e6, "slowest": 1e6, "fastest": 3e6,
         "bytes": 8.0, "model": 4e6}
        for value in (1, 16) for launch, observed in (("rollout", "none"), ("step", "float32"))
    ]  # fmt: skip
    plots.draw_scaling({"sweeps": {"agents": points}}, "c", tmp_path / "plots")
    assert (tmp_path / "plots" / "c_agents.png").read_bytes().startswith(b"\x89PNG")


def test_ports_are_beside_their_originals_and_rivals(page: Any) -> None:
    def rates(clock: float, ratio: float) -> dict[str, Any]:
        times = {by: {"median": clock, "least": clock, "most": clock} for by in ("clock", "cpu")}
        ratios = {by: {"median": ratio, "least": ratio, "most": ratio} for by in ("clock", "cpu")}
        return times | {"ours_over_it": ratios}

    facts = {"machine": "M", "versions": "V", "commit": "0123456789abcdef", "command": "python x", "threads": 2}
    single = {"ours": rates(1e5, 1), "original": rates(5e4, 2)}
    batch = {"ours": rates(9e7, 1), "gymnax Pole": rates(3e6, 30)}
    row = {
        "port": "pole",
        "one_world": single,
        "observed": batch,
        "unobserved": batch,
        "worlds": 4096,
        "missing": ["pgx go: not installed"],
    }
    text = page.TABLES["ports"]({"ports": {"facts": facts, "worlds": 4096, "rounds": 3, "rows": [row]}})
    assert "| 10.0 | 20.0 | 2.0 (2.0 to 2.0) | 90.0 (90.0) | 90.0 (90.0) |" in text
    assert "| pole | gymnax Pole | 3.0 (3.0) | 30.0 (30.0 to 30.0); 30.0 (30.0 to 30.0) |" in text
    assert "pgx go: not installed" in text
