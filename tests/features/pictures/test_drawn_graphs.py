"""`region land "~" in forest` on a graph: the nodes of the region have the letter and the colour."""

from __future__ import annotations

from collections.abc import Callable

import hamlet
import hamlet_look.text
from hamlet.package.module import Module
from hamlet.universe.drawings import COLOURS, DrawMark
from hamletc.checking.check import check
from hamletc.language.parser import parse
from hamletc.page.picture import picture_of
from hamletc.page.shown import Shown
from samples import universe_of

VALLEY = """
universe valley
space graph {
    home - road - mill - home
    region town { home road }
    region land { road mill }
    starts home
}
lifespan 20 ticks
meter energy = 1 { decay 0.01 }
affordance Tree at mill { instantly { energy += 0.1 } }
reward energy when (on town or on land)
observe { position node  meters }
draw {
    agents "@"
    region town in gold
    region land "~" in forest
}
"""


def test_nodes_look_like_their_regions(compiled: Callable[[str], Module]) -> None:
    """Of two regions of a node the colour of the first, and the first letter."""
    env = hamlet.make(compiled(VALLEY), worlds=1, backend="interpreter", seed=1, quiet=True)
    gold, forest = (f"\x1b[1;38;2;{';'.join(map(str, COLOURS[name]))}m" for name in ("gold", "forest"))
    off = "\x1b[0m"
    _, _, *rows, _ = [line.partition("  Tree")[0] for line in str(env.render("ansi")).split("\n")]
    assert rows[0].startswith(f"|{gold}.{off}\x1b"), "who stands there has colours, too"
    assert f"@{off} {gold}home{off} - road - mill|" in rows[0]
    assert rows[1].startswith(f"|{gold}~{off}  {gold}road{off} - home - mill|")
    assert f"T{off}  {forest}mill{off} - home - road|" in rows[2]


def test_pixels_and_pages_show_them() -> None:
    universe = universe_of(VALLEY)
    picture = picture_of(universe, Shown(universe), 1)
    assert picture is not None
    light = ["#" + "".join(f"{(channel + 255) // 2:02x}" for channel in COLOURS[name]) for name in ("gold", "forest")]
    filled = [stroke[4] for stroke in picture["floor"] if stroke[0] == "ring"][::2]
    assert filled == [light[0], light[0], light[1]]
    assert [stroke[3] for stroke in picture["floor"] if stroke[0] == "write"] == ["home", "~", "road", "~", "mill"]


def test_a_mark_stands_at_the_node_of_a_number(compiled: Callable[[str], Module]) -> None:
    text = VALLEY.replace('    agents "@"', '    agents "@"  mark (if energy > 0.5 then 1 else 0) "C"  line (0) to (2)')
    env = hamlet.make(compiled(text), worlds=1, backend="interpreter", seed=1, quiet=True)
    view = env.view(0)
    assert [mark.at for mark in view.marks] == [(1.0, 0.0)]
    assert [(line.begin, line.end) for line in view.lines] == [((0.0, 0.0), (2.0, 0.0))]
    rows = hamlet_look.text.drawn(view, colours=False).split("\n")
    assert [row[1] for row in rows[2:5]] == [".", "C", "T"]


def test_in_a_space_of_one_axis_one_number_does() -> None:
    text = """
        universe lane
        space grid 5
        lifespan 20 ticks
        meter energy = 1 { only falls  decay 0.01 }
        reward energy
        observe { position absolute  meters }
        draw { mark (3) "H"  mark (3, 0) "H" }
    """
    one, two = universe_of(text).drawings
    assert isinstance(one, DrawMark)
    assert isinstance(two, DrawMark)
    places = [(each.x, each.y) for each in (one, two)]
    assert [[getattr(number, "value", None) for number in place] for place in places] == [[3.0, 0.0]] * 2


def test_a_graph_has_no_walls() -> None:
    file, found = parse(VALLEY.replace("region town in gold", "wall in gold"))
    assert file is not None
    assert not found
    assert [each.code for each in check(file, ("valley.hamlet",))[1]] == ["H291"]
