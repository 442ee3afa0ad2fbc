"""`hamletc rewind`: any tick of a run, from few checkpoints, to the bit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import NOTHING_BY_TICK, RandomPolicy, Stream
from hamlet.errors import EnvError
from hamlet_lab.diff.open import opened
from hamlet_lab.divergence.events import Runner
from hamlet_lab.divergence.session import Side
from hamlet_lab.rewind import History
from hamlet_lab.rewind.history import State, equal
from hamletc.cli.main import hamletc

UNIVERSES = Path(__file__).parents[3] / "universes"


def side_of(name: str, folder: Path = UNIVERSES, backend: str = "interpreter") -> Side:
    """A side; what has to be compiled goes into a folder, which the interpreter needs none of."""
    return opened(UNIVERSES / f"{name}.hamlet", folder / "package").side(backend)


def played(side: Side, shape: Shape, seed: int, ticks: int) -> State:
    runner = Runner(side.universe, side.candidate, shape)
    side.candidate.backend.reset(runner.buffers, Stream(seed, 0))
    for tick in range(ticks):
        side.candidate.backend.rollout(
            runner.buffers, 1, RandomPolicy(), Stream(seed, tick), False, None, NOTHING_BY_TICK
        )
    return dict(runner.buffers.state)


@pytest.mark.parametrize(("name", "agents"), [("town", 1), ("gallery/moss", 3), ("gallery/reputation", 4)])
def test_every_tick_is_what_it_was(name: str, agents: int) -> None:
    side, shape = side_of(name), Shape(3, agents, 5)
    size = sum(values.numel() * values.element_size() for values in played(side, shape, 2, 0).values())
    history = History.run(side, shape, 2, 300, most=4 * size)
    assert history.size <= 4 * size
    assert len(history.checkpoints) >= 2
    for tick in (300, 0, 7, 255, 256, 257):
        alone = played(side, Shape(1, agents, 6), 2, tick)
        assert equal(history.at(tick, 6), alone)
        alone["age"] = alone["age"] + 1
        assert not equal(history.at(tick, 6), alone)


def test_a_long_run_fits_and_is_at_hand(tmp_path: Path) -> None:
    side = side_of("first_meal", tmp_path, "ir")
    history = History.run(side, Shape(1, 1), 0, 2000, most=1 << 16)
    assert history.size <= 1 << 16
    assert history.at(1234)["age"].dtype == torch.int32


def test_what_a_run_has_not() -> None:
    side = side_of("first_meal")
    history = History.run(side, Shape(2, 1), 0, 3)
    with pytest.raises(EnvError, match=r"^there is no tick 4: the run has 3 ticks$"):
        history.at(4)
    with pytest.raises(EnvError, match=r"^there is no world 2: the run has worlds 0 .. 1$"):
        history.at(1, 2)
    with pytest.raises(EnvError, match="two checkpoints do not fit in 10"):
        History.run(side, Shape(2, 1), 0, 3, most=10)


def test_the_verb() -> None:
    meal = f"{UNIVERSES / 'first_meal.hamlet'}@interpreter"
    done = CliRunner().invoke(hamletc, ["rewind", meal, "9", "4", "--world", "3", "--trace", "1"])
    assert done.exit_code == 0, done.output
    assert "after 9 of 9 ticks" in done.output
    assert "after 4 of 9 ticks" in done.output
    assert "ticks 4 .. 4" in done.output
    told = json.loads(CliRunner().invoke(hamletc, ["rewind", meal, "9", "4", "--world", "3", "--json"]).output)
    assert [each["tick"] for each in told] == [9, 4]
    assert told[1]["state"]["age"].startswith("4 ")
    done = CliRunner().invoke(hamletc, ["rewind", meal, "9", "--agent", "1"])
    assert done.exit_code == 1
    assert "there is no agent 1: world 0 has agent 0 alone" in done.output
