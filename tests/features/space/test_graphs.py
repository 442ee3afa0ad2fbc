"""Graphs: nodes, edges one way and both ways, moves, masks, distances, places."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import torch
from test_maps import codes, universe_of

import hamlet
from hamlet.env.environment import Env
from hamlet.universe import Grid
from hamlet_lab.verify.players import Script
from hamletc.arrangements import every_arrangement
from hamletc.language.formatter import format_source

TOWN = """
universe lines

space graph {
    home - road - office
    road - shop
    shop -> lane -> home
    starts home
}
lifespan 100 ticks
meter energy = 1.0 { move 0.125 }
affordance Bed at home { instantly { energy += 0.5 } }
affordance Meal at random { instantly { energy += 0.25 } }
action TAXI { teleport lane }
dies when energy <= 0
reward energy - 0.01 * distance to Meal
report home: distance to Bed
report walk: walking distance to Bed
report there: if on shop then 1 else 0
observe { position node  grid  meters }
"""
NAMES = ("home", "road", "office", "shop", "lane")
LEADS = {"home": "road", "road": "home office shop", "office": "road", "shop": "road lane", "lane": "home"}


def made(text: str, tmp_path: Path, worlds: int = 1, agents: int = 1) -> Env:
    path = tmp_path / "made.hamlet"
    path.write_text(text)
    module = hamlet.compile(path, tmp_path / "package")
    return hamlet.make(module, worlds=worlds, agents=agents, backend="interpreter", quiet=True)


def fewest(start: str, goal: str, leads: Mapping[str, str] = LEADS) -> int:
    """The fewest edges, all ways tried."""
    reached, far = {start}, 0
    while goal not in reached:
        reached |= {there for here in reached for there in leads[here].split()}
        far += 1
    return far


def test_moves_follow_edges(tmp_path: Path) -> None:
    env = made(TOWN, tmp_path)
    assert env.action_names[:5] == tuple(f"GO_{name}" for name in NAMES)
    observation, info = env.reset()
    here, energy = "home", 1.0
    for name in [
        "shop",
        "road",
        "home",
        "road",
        "shop",
        "road",
        "shop",
        "lane",
        "shop",
        "home",
        "TAXI",
        "office",
        "home",
    ]:
        on = [target for target, there in zip(NAMES, info["action_mask"][0].tolist(), strict=False) if there]
        assert on == [target for target in NAMES if target in LEADS[here].split()]
        action = env.action_names.index("TAXI" if name == "TAXI" else f"GO_{name}")
        observation, _, terminated, _, info = env.step(torch.tensor([action], dtype=torch.int32))
        here = "lane" if name == "TAXI" else name if name in LEADS[here].split() else here
        energy -= 0 if name == "TAXI" else 0.125
        if terminated[0]:
            assert energy <= 0
            here, energy = "home", 1.0
        else:
            assert env.reports["home"].item() == env.reports["walk"].item() == fewest(here, "home")
            assert env.reports["there"].item() == (here == "shop")
        assert observation[0, :5].tolist() == [float(name == here) for name in NAMES]
        assert observation[0, -1].item() == energy


def test_those_at_random_stand_on_free_nodes(tmp_path: Path) -> None:
    env = made(TOWN, tmp_path, worlds=200)
    observation, _ = env.reset()
    stands = observation[:, 5:10] - observation[:, :5]
    assert bool((stands[:, 0] == 1).all())
    assert bool((stands[:, 1:].sum(dim=1) == 1).all())
    assert bool((stands[:, 1:].sum(dim=0) > 20).all())
    apart = made(TOWN.replace("    starts home\n", ""), tmp_path, worlds=200)
    observation, _ = apart.reset()
    assert bool((observation[:, 5:10] < 2).all()), "nobody starts on an affordance"
    assert len(set(observation[:, :5].argmax(dim=1).tolist())) == 4


VALLEY = """
universe valley

space graph {
    home - road - office
    road - shop - mill - home
    shop -> lane -> home
    mill - farm - barn
    region town { home road shop }
    region land { mill farm barn lane }
    starts in town
}
lifespan 100 ticks
meter energy = 1.0 { move 0.125 }
affordance Bed at home { instantly { energy += 0.5 } }
affordance Tree at random in land apart 3 { instantly { energy += 0.25 } }
affordance Well at random apart 3 { instantly { energy += 0.25 } }
affordance Nest at random near Tree within 1 { instantly { energy += 0.25 } }
rule rest: on land -> energy += 0.1
reward energy when on town
observe { position node  grid of land  meters }
"""


def test_regions_of_a_graph_and_where_those_at_random_stand(tmp_path: Path) -> None:
    env = made(VALLEY, tmp_path, worlds=300, agents=3)
    names = ("home", "road", "office", "shop", "mill", "lane", "farm", "barn")
    leads = {
        "home": "road mill",
        "road": "home office shop",
        "office": "road",
        "shop": "road mill lane",
        "mill": "home shop farm",
        "lane": "home",
        "farm": "mill barn",
        "barn": "farm",
    }
    begins = env.state["position"].reshape(300, 3)
    assert {names[node] for node in begins.flatten().tolist()} == {"home", "road", "shop"}
    assert all(len(set(world)) == 3 for world in begins.tolist()), "agents start apart"
    found = set()
    for _, *stands in env.state["places"].T.tolist():
        tree, well, nest = (names[node] for node in stands)
        assert tree in ("mill", "lane", "farm", "barn")
        assert well not in ("home", "road", "shop"), "where agents start by a region, nothing stands at random"
        assert min(fewest(tree, well, leads), fewest(well, tree, leads)) >= 3
        assert fewest(nest, tree, leads) <= 1
        found.add((tree, well, nest))
    assert len(found) > 3
    assert ("farm", "lane") in {(tree, well) for tree, well, _ in found}, "three ways to the lane, and three back"
    observed = env.reset()[0]
    assert observed[:, 8:16].tolist() == [[0, 0, 0, 0, 1, 1, 1, 1]] * 900
    universe = universe_of(VALLEY, tmp_path)
    assert isinstance(universe.space, Grid)
    assert {tuple(names.index(each) for each in stands) for stands in found} <= set(
        every_arrangement(universe.space, universe.affordances)
    )


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("region land { mill farm barn lane }", "region land { mill farm barn shed }", ["H020"]),
        ("region land { mill farm", "region land { mill mill farm", ["H024"]),
        ("region land { mill farm barn lane }", "region land { mill farm barn lane }  region sea { lane }", ["H060"]),
        ("starts in town", "starts in park", ["H020"]),
        ("starts in town", "starts in town  starts home", ["H024"]),
        ("starts in town", "starts in town  starts in land", ["H024"]),
        ("at random in land", "at random in home", ["H021"]),
        ("near Tree within 1", "near Tree within 1 apart 9", ["H197"]),
        ("starts in town", "region town { mill }", ["H022"]),
        ("region land { mill farm barn lane }", "region land { }", ["H014"]),
    ],
)
def test_what_is_wrong_with_regions(old: str, new: str, found: list[str], tmp_path: Path) -> None:
    assert VALLEY.count(old) == 1
    assert codes(VALLEY.replace(old, new), tmp_path) == found


def test_a_script_takes_ways_along_edges(tmp_path: Path) -> None:
    env = made(VALLEY, tmp_path, worlds=4)
    script, used = Script(env.universe, 4), set()
    # Its first target is another affordance in each world.
    for _ in range(10):
        *_, info = env.step(script.actions(env._buffers))
        used |= {(lane, what) for lane, what in enumerate(info["used"].tolist()) if what >= 0}
    assert {(lane, lane) for lane in range(4)} <= used


def test_a_graph_is_a_grid_of_its_nodes(tmp_path: Path) -> None:
    space = universe_of(TOWN, tmp_path).space
    assert isinstance(space, Grid)
    assert space.graph is not None
    assert space.sizes == (5,)
    assert {node.name: " ".join(node.leads) for node in space.graph.nodes} == LEADS


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("    road - shop\n", "    road - shop\n    shop - shop\n", ["H192"]),
        ("    road - shop\n", "    road - shop\n    shop -> road\n", ["H024"]),
        ("    starts home\n", "    starts park\n", ["H020"]),
        ("at home", "at park", ["H020"]),
        ("at home", "at (0)", ["H194"]),
        ("teleport lane", "teleport (1)", ["H194"]),
        ("teleport lane", "move (1)", ["H194"]),
        ("teleport lane", "teleport park", ["H020"]),
        ("on shop", "on Bed", ["H021"]),
        ("lifespan", "moves { EAST (1) }\nlifespan", ["H194"]),
        ("lifespan", "start speed 2\nlifespan", ["H194"]),
        ("walking distance to Bed", "straight distance to Bed", ["H194"]),
        ("walking distance to Bed", "velocity x", ["H194"]),
        ("walking distance to Bed", "speed", ["H194"]),
        ("position node", "position relative", ["H026"]),
        ("position node", "window 1", ["H194"]),
        ("position node", "velocity", ["H194"]),
        ("action TAXI", "action GO_shop", ["H066"]),
    ],
)
def test_what_is_wrong_is_said(old: str, new: str, found: list[str], tmp_path: Path) -> None:
    assert TOWN.count(old) == 1
    assert codes(TOWN.replace(old, new), tmp_path) == found


def test_sizes_of_graphs(tmp_path: Path) -> None:
    head, tail = TOWN[: TOWN.index("space")], TOWN[TOWN.index("lifespan") :]
    for count, expected in ((256, []), (257, ["H033"])):
        nodes = " - ".join(("home", "shop", "lane", *(f"n{number}" for number in range(count - 3))))
        assert codes(f"{head}space graph {{ {nodes} }}\n{tail}", tmp_path) == expected
    assert "H192" in codes(f"{head}space graph {{ home }}\n{tail}", tmp_path)
    assert "H194" in codes(f"{head}space grid 8\n{tail}", tmp_path)


def test_graphs_are_formatted_and_words_are_nodes() -> None:
    text = """universe words

space   graph {
    starts -   random -> open
      open-starts   starts `starts`
  region   `region`{ random  open }
}
affordance Bed at `random` { instantly { energy += 1 } }
"""
    formatted, problems = format_source(text)
    assert not problems
    assert formatted is not None
    assert (
        "space graph { `starts` - random -> open  open - starts  region region { random open }  starts starts }\n"
        in formatted
    )
    assert "affordance Bed at `random` {" in formatted
    assert format_source(formatted)[0] == formatted


def test_names_of_nodes_never_reach_kernels(tmp_path: Path) -> None:
    text = TOWN.replace("shop", "`__import__('os')`").replace("lane", '`"""; raise #`')
    text = text.replace("    starts home", "    region `'); raise #` { road home }\n    starts in `'); raise #`")
    path = tmp_path / "hostile.hamlet"
    path.write_text(text)
    hamlet.compile(path, tmp_path / "package")
    for name in ("c_kernels.c", "triton_kernels.py"):
        lines = [line.split("#")[0] for line in (tmp_path / "package" / name).read_text().splitlines()]
        assert not any("__import__(" in line or "raise" in line for line in lines if '"""' in line)
