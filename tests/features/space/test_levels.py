"""Levels: several maps, of which each episode has one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
import torch

import hamlet
from hamlet.universe.drawings import COLOURS
from hamletc.compile import compile_file

Compiled: TypeAlias = "Callable[[str], hamlet.Module]"
BACKENDS = pytest.mark.parametrize("backend", ["interpreter", "c"])
EASY = ["#####", "#a~G#", "#####"]
HARD = ["#####", "#G.a#", "#####"]
LEVELS = """
universe two_levels
space grid map
map {
    level easy { "#####" "#a~G#" "#####" }
    level hard { "#####" "#G.a#" "#####" }
    wall "#"
    starts "a"
    region goal "G"
    region mud "~"
    terrain effort = 0.125 { mud 0.5 }
}
lifespan 3 ticks
meter energy = 1 { move effort  only falls }
ends when on goal { reward 1 }
reward 0.001 * effort at (2, 1)
report there: 1 when on mud at (2, 1)
observe { meters  position absolute  state level  grid of wall  grid of goal  window 1 of effort }
"""
KEPT = "kept state level: easy hard = hard"


def drawn(rows: list[str], letter: str) -> list[float]:
    """1 for each cell with this letter."""
    return [float(each == letter) for each in "".join(rows)]


@BACKENDS
def test_everything_of_a_map_is_that_of_the_level_of_the_episode(backend: str, compiled: Compiled) -> None:
    env = hamlet.make(compiled(LEVELS), worlds=64, backend=backend, seed=5, quiet=True)
    env.reset()
    observed, names = env.observation, list(env.observation_names)
    level = env.meter("level").long().view(-1)
    assert 10 < int(level.sum()) < 54
    for world, rows in enumerate([EASY, HARD][number] for number in level.tolist()):
        values = dict(zip(names, observed[world].tolist(), strict=True))
        assert [value for name, value in values.items() if name.startswith("grid.wall")] == drawn(rows, "#")
        assert [value for name, value in values.items() if name.startswith("grid.goal")] == drawn(rows, "G")
        assert (values["position.x"], values["position.y"]) == ("".join(rows).index("a") % 5, 1)
    right, left = (list(env.action_names).index(name) for name in ("RIGHT", "LEFT"))
    assert env.action_mask[:, right].tolist() == [number == 0 for number in level.tolist()], "walls are in the mask"
    env.step(torch.where(level == 0, right, left).to(torch.int32))
    assert env.reports["there"].tolist() == [float(number == 0) for number in level.tolist()]
    energy = env.meter("energy").view(-1)
    assert energy.tolist() == [0.5 if number == 0 else 0.875 for number in level.tolist()], "mud costs more"
    _, rewards, *_ = env.step(torch.where(level == 0, right, left).to(torch.int32))
    paid = [np.float32(1) + np.float32(0.001) * np.float32(0.5 if number == 0 else 0.125) for number in level]
    assert rewards.tolist() == paid


@BACKENDS
def test_a_level_that_is_kept_is_what_the_next_episode_has(backend: str, compiled: Compiled) -> None:
    rule = "rule next: count(on goal) > 0 -> level = if level == easy then hard else easy"
    env = hamlet.make(compiled(f"{LEVELS}\nworld {{ {KEPT}  {rule} }}"), worlds=2, backend=backend, seed=5, quiet=True)
    left = list(env.action_names).index("LEFT")
    env.reset()
    assert env.state["position"][0].tolist() == [3, 3]
    for _ in range(2):
        env.step(torch.tensor([left, left], dtype=torch.int32))
    assert env.meter("level").view(-1).tolist() == [0, 0]
    assert env.state["position"][0].tolist() == [1, 1]
    env.set("level", torch.tensor([1.0, 0.0]))
    for _ in range(3):
        env.step(torch.tensor([left, left], dtype=torch.int32))
    assert env.state["position"][0].tolist() == [3, 1], "the episode that follows has what a program wrote"


def test_a_file_of_levels_has_empty_lines_between_them(tmp_path: Path) -> None:
    (tmp_path / "puzzles.txt").write_text("; one\n####\n#@$#\n####\n\n; two\n####\n#$@#\n####\n\n")
    (tmp_path / "puzzles.hamlet").write_text("""
universe puzzles
space grid map
map "puzzles.txt" {
    wall "#"
    starts "@"
    region boxes "$"
}
lifespan 5 ticks
world { state level: int in 0 .. 1 = integer(0, 1) }
cells { state box = on boxes }
meter energy = 1 { decay 0.1  only falls }
reward energy when box
observe { position absolute }
""")
    env = hamlet.make(compile_file(tmp_path / "puzzles.hamlet"), worlds=32, seed=2, quiet=True)
    env.reset()
    level, box = env.meter("level").view(-1).long(), env.meter("box")
    assert env.state["position"][0].tolist() == [1 + number for number in level.tolist()]
    assert box.argmax(dim=0).tolist() == [6 - number for number in level.tolist()]
    assert set(level.tolist()) == {0, 1}


def test_a_map_without_an_empty_line_is_one_map(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("####\n#.@#\n####\n")
    (tmp_path / "one.hamlet").write_text("""
universe one
space grid map
map "one.txt" { wall "#"  starts "@" }
lifespan 5 ticks
meter energy = 1 { decay 0.1  only falls }
reward energy
observe { position absolute }
""")
    universe = compile_file(tmp_path / "one.hamlet").universe
    assert universe.space.map.rows == ("####", "#.@#", "####")
    assert universe.starting is None
    assert universe.tables == ()


@pytest.mark.parametrize("name", ['say "*/ {{ %d', "it's \\ {}", "level"])
def test_names_of_levels_and_regions_may_be_anything(name: str, compiled: Compiled) -> None:
    text = LEVELS.replace("level easy", f"level `{name}`").replace("region goal", f"region `goal {name}`")
    text = text.replace("on goal", f"on `goal {name}`").replace("grid of goal", f"grid of `goal {name}`")
    env = hamlet.make(compiled(text), worlds=8, backend="c", seed=5, quiet=True)
    env.reset()
    assert set(env.meter("level").view(-1).tolist()) == {0.0, 1.0}
    assert sum(each.startswith("state.level") for each in env.observation_names) == 2


def test_pictures_show_the_level_of_the_episode(compiled: Compiled) -> None:
    drawing = 'draw { agents "@" in gold  wall in brown  region goal in lime  region mud in tan }'
    env = hamlet.make(compiled(f"{LEVELS}\n{drawing}"), worlds=8, backend="interpreter", seed=5, quiet=True)
    env.reset()
    level = env.meter("level").view(-1).tolist()
    easy, hard = (str(env.render("ansi", world=level.index(number))).splitlines()[3] for number in (0.0, 1.0))
    lime, tan, brown = ("8;2;" + ";".join(map(str, COLOURS[name])) for name in ("lime", "tan", "brown"))
    assert (easy.count(lime), easy.count(tan), easy.count(brown)) == (1, 1, 2)
    assert (hard.count(lime), hard.count(tan), hard.count(brown)) == (1, 0, 2)
