"""Players of `verify` on graphs walk by the moves that are actions."""

from __future__ import annotations

import torch

from hamlet.backend.buffers import Shape, allocate
from hamlet_lab.verify.players import Script
from samples import universe_of

STREET = """
universe street
space graph { a - b  b - c  c - d }
lifespan 30 ticks
meter energy = 1 { decay 0.01 }
affordance Bed at d { instantly { energy += 0.5 } }
action HUM { energy += 0.001 }
actions HUM GO_c GO_d INTERACT
dies when energy <= 0
reward energy
observe { meters  position node }
"""


def test_a_player_walks_by_the_listed_moves() -> None:
    """From b over c to d, and from a, where no listed move leads on, not at all."""
    universe = universe_of(STREET)
    hum, to_c, to_d, interact = range(4)
    buffers, script = allocate(universe, Shape(4, 1), torch.device("cpu"), None), Script(universe, 4)
    buffers.state["position"][0] = torch.tensor([0, 1, 2, 3])
    assert script.actions(buffers).tolist() == [interact, to_c, to_d, interact]
    assert hum not in script.actions(buffers).tolist()
