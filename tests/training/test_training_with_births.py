"""Agents that are born within episodes learn, and the weights are the same whoever computes them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from small import SMALL, trained

from hamlet.package.module import load

HERD = """
universe herd
space grid 5 x 5 { starts anywhere }
lifespan 40 ticks
role cow: 4 agents {
    begins with 2
    rule breeds: food > 0.7 and chance(0.2) -> spawn cow { food = 0.4 }
}
meter food = 0.6 { decay 0.02 }
affordance Grass at random { instantly { food += 0.3 } }
dies when food <= 0.1
reward food
observe { meters  position relative  here }
"""


def progress(folder: Path, source: Path, threads: int) -> str:
    run = trained(folder, replace(SMALL, universe="herd", source=str(source), worlds=50, agents=4), threads=threads)
    assert load(run.package).universe.pools
    assert sum(line.episodes for line in run.lines()) > 0
    return "".join((run.folder / f"{name}.jsonl").read_text() for name in ("progress", "evaluations"))


def test_who_is_born_learns_the_same_on_any_threads(tmp_path: Path) -> None:
    source = tmp_path / "herd.hamlet"
    source.write_text(HERD.lstrip())
    one, two = (progress(tmp_path / str(threads), source, threads) for threads in (1, 2))
    assert one == two
