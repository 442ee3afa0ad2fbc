"""`hamletc whatif --shares agents`: Shapley values of agents, and of players of games whose values are known."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from hamlet.backend.buffers import Shape
from hamlet_lab.diff.open import opened
from hamlet_lab.whatif.agents import agent_shares, names_of
from hamlet_lab.whatif.orders import coalitions, sampled, shares_of
from hamlet_lab.whatif.question import Start
from hamletc.cli.main import hamletc

FIELD = """
universe field
space none
lifespan 8 ticks
meter grain = 0
param worth = 1 in 0 .. 4
action SOW { grain += 0.1 }
reward worth * (REWARD)
observe { meters }
"""


def start_of(folder: Path, reward: str, **params: float) -> Start:
    path = folder / "field.hamlet"
    path.write_text(FIELD.replace("REWARD", reward))
    return Start(opened(path, folder / "unused").side("interpreter"), 5, params)


def test_gloves() -> None:
    """A pair of gloves is worth 1; player 0 has a left one, the others a right one each."""
    orders = [np.array(order) for order in permutations(range(3))]

    def worth(coalition: np.ndarray) -> list[float]:
        return [float(coalition[0] * coalition[1:].max())]

    returns = np.array([[worth(each) for each in coalitions(order)] for order in orders])
    made = shares_of(("left", "right", "other right"), orders, returns)
    assert {share.player: pytest.approx(share.value) for share in made.shares} == {
        "left": 2 / 3,
        "right": 1 / 6,
        "other right": 1 / 6,
    }
    assert (made.all_on, made.all_off, made.shares[0].player) == (1.0, 0.0, "left")


def test_orders_are_used_backwards() -> None:
    first, backwards, third = sampled(6, 3, 0)
    assert first.tolist() == backwards[::-1].tolist()
    assert sorted(third.tolist()) == list(range(6))


def test_who_earns_alone_has_what_it_earns(tmp_path: Path) -> None:
    start, shape = start_of(tmp_path, "grain"), Shape(12, 3)
    made = agent_shares(start, shape, 8, 4)
    assert made.all_off == 0
    assert sum(share.value for share in made.shares) == pytest.approx(made.all_on)
    other = agent_shares(start, shape, 8, 2)
    for share in made.shares:
        # Whoever else has joined makes no difference.
        assert [each.value for each in other.shares if each.player == share.player] == (pytest.approx([share.value]))
        assert 0 < share.half < share.value
    double = agent_shares(start_of(tmp_path, "grain", worth=2.0), shape, 8, 4)
    assert double.all_on == pytest.approx(2 * made.all_on)


def test_who_is_needed_shares_what_all_earn(tmp_path: Path) -> None:
    made = agent_shares(start_of(tmp_path, "if lowest(grain) > 0 then 1 else 0"), Shape(60, 2), 8, 4)
    one, other = made.shares
    # Alone nobody earns anything, so that both have half of it, whatever each of them does.
    assert made.all_off == 0
    assert one.value == other.value == pytest.approx(made.all_on / 2)
    assert made.all_on > 1


def test_the_verb(tmp_path: Path) -> None:
    start_of(tmp_path, "grain")
    arguments = ["whatif", f"{tmp_path / 'field.hamlet'}@interpreter", "--shares", "agents", "--worlds", "3"]
    done = CliRunner().invoke(hamletc, [*arguments, "--agents", "2", "--orders", "2", "--ticks", "4"])
    assert done.exit_code == 0, done.output
    assert "the sum of all agents' returns, over 3 worlds of 2 agents" in done.output
    assert "  agent 1  +" in done.output
    done = CliRunner().invoke(hamletc, arguments)
    assert done.exit_code == 1
    assert "world 0 has agent 0 alone: --agents N takes more" in done.output
    universe = opened(Path(__file__).parents[3] / "universes/gallery/tag.hamlet", tmp_path / "unused").universe
    assert all(name.startswith("agent ") for name in names_of(universe, 4))
