"""Two small universes, compiled once: one with everything that an environment has to deal with, one of chance."""

from __future__ import annotations

from pathlib import Path

import pytest

import hamlet
from hamlet.package.module import Module

VALLEY = """
universe valley

space grid 4 x 3 { edges clamp }
clock 6 hours
lifespan 40 ticks { reward 1.0 }
param cold = 1.0 in 0 .. 4

meter warmth = 0.9 { decay 0.04 * cold }
meter food   = 0.5 in 0 .. 2 { decay 0.03  move 0.01 }
meter debt   = 0.0 in 0 .. 1

cascade hunger_chills: food < 0.3 -> warmth -= 0.02 * deficit
rule debts_grow: debt += 0.01 unclamped

affordance Fire at random {
    instantly { warmth += 0.3  debt += 0.1 unclamped }
}
affordance Farm at (0, 0) open 1 .. 5 lasts 3 ticks {
    each tick { food += 0.1 }
    on completion { food += 0.5  debt -= 0.2 unclamped }
}

action WORK { debt -= 0.05 unclamped }

dies when warmth <= 0 or food <= 0
reward warmth - 0.1 * debt + 0.01 * hour
observe { window 1  position relative  meters  here  time  progress  lifetime  params }
"""

LUCK = """
universe luck
space grid 3 x 3
lifespan 9 ticks { reward 1 }
meter wealth = 0.5
rule fortune: wealth += 0.1 * uniform(-1, 1)
affordance Bank at random { instantly { wealth += 0.1 } }
dies when wealth <= 0
reward wealth
observe { grid  meters }
"""


@pytest.fixture(scope="session")
def luck(tmp_path_factory: pytest.TempPathFactory) -> Module:
    """The universe of chance, in a folder of its own."""
    folder = tmp_path_factory.mktemp("luck")
    source = folder / "luck.hamlet"
    source.write_text(LUCK)
    return hamlet.compile(source, folder / "luck")


@pytest.fixture(scope="session")
def valley(tmp_path_factory: pytest.TempPathFactory) -> Module:
    """The universe with everything, in a folder of its own."""
    folder = tmp_path_factory.mktemp("valley")
    source = folder / "valley.hamlet"
    source.write_text(VALLEY)
    return hamlet.compile(source, folder / "valley")


@pytest.fixture
def copy(valley: Module, tmp_path: Path) -> Path:
    """A copy of its package, to be tampered with."""
    folder = tmp_path / "valley"
    folder.mkdir()
    for file in valley.path.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    return folder
