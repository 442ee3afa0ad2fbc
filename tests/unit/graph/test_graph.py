"""`hamletc graph`: who acts on which meter, with widths, signs and loops, in three forms."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from click.testing import CliRunner

from hamletc.cli.main import hamletc
from hamletc.compile import check_file, lower
from hamletc.frontend import Stopwatch
from hamletc.graph.drawn import LOWERS, RAISES, THICKEST, dot, mermaid, svg, width
from hamletc.graph.links import Graph, graph_of

UNIVERSES = Path(__file__).parents[3] / "universes"
LOOP = """
universe spiral
space grid 3 x 1
lifespan 50 ticks { reward 1.0 }
meter sleep = 1 { decay 0.01 }
meter mood = 1
meter coffee = 0
cascade tired_saddens: sleep < 0.5 -> mood -= 0.04 * deficit
cascade sad_wakes: mood < 0.5 -> sleep -= 0.02 * deficit
cascade sad_drinks: mood < 0.5 -> coffee += 0.1 * deficit
affordance Bed at (0, 0) { instantly { sleep += 0.5  coffee -= 0.1 } }
reward mood
observe { meters }
"""


def graph(path: Path) -> Graph:
    universe = check_file(path, Stopwatch()).universe
    return graph_of(universe, lower(universe).program)


def test_links_of_the_town() -> None:
    made = graph(UNIVERSES / "town.hamlet")
    links = {(link.source, link.by, link.target): link for link in made.links}
    assert links["", "affordance Bed", "energy"].amount == pytest.approx(0.5)
    assert links["", "affordance Job", "money"].amount == pytest.approx(0.50625)
    # At the floor of satiation the deficit is whole, but for what the tick did before.
    assert links["satiation", "cascade hunger_sickens", "health"].amount == pytest.approx(-0.004, rel=0.02)
    assert links["fitness", "rule unfit_bodies_sicken", "health"].amount is not None
    assert not any(link.loop for link in made.links)
    assert len(made.drifts) == 6
    strongest = max(made.links, key=lambda link: width(made, link) if link.by.startswith("affordance") else 0)
    assert width(made, strongest) == THICKEST


def test_loops_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "spiral.hamlet"
    path.write_text(LOOP)
    made = graph(path)
    assert {link.by for link in made.links if link.loop} == {"cascade tired_saddens", "cascade sad_wakes"}
    text = mermaid(made)
    assert '==>|"cascade sad_wakes -0.02 (loop)"|' in text
    assert '-->|"cascade sad_drinks +0.1"|' in text
    assert f"stroke:{RAISES}" in text
    assert "style=bold" in dot(made)
    picture = ElementTree.fromstring(svg(made))
    dashed = [each for each in picture.iter() if each.get("stroke-dasharray")]
    assert len(dashed) == 2
    assert {each.get("stroke") for each in picture.iter() if each.get("stroke-opacity")} == {RAISES, LOWERS}


@pytest.mark.parametrize("name", ["shifts", "gallery/wolves", "gallery/moss", "ports/blackjack", "gallery/combo"])
def test_shipped_universes_have_graphs(name: str) -> None:
    made = graph(UNIVERSES / f"{name}.hamlet")
    assert ElementTree.fromstring(svg(made)).tag.endswith("svg")
    assert all(link.target in made.meters for link in made.links)


def test_the_verb_writes_what_the_name_says(tmp_path: Path) -> None:
    town = str(UNIVERSES / "town.hamlet")
    for name, begins in (("town.svg", "<svg"), ("town.dot", "digraph"), ("town.mmd", "flowchart")):
        done = CliRunner().invoke(hamletc, ["graph", town, "-o", str(tmp_path / name)])
        assert done.exit_code == 0, done.output
        assert "8 meters" in done.output
        assert (tmp_path / name).read_text().startswith(begins)
    done = CliRunner().invoke(hamletc, ["graph", town, "-o", str(tmp_path / "town.pdf")])
    assert done.exit_code == 2
