"""`starts when`: agents begin on cells for which a condition holds, apart from each other and from affordances."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest
import torch

import hamlet
from hamlet.numbers.permutation import domain
from hamlet.numbers.random import WORD, permute

Compiled: TypeAlias = "Callable[[str], hamlet.Module]"
BACKENDS = pytest.mark.parametrize("backend", ["interpreter", "c"])
WIDTH, HEIGHT = 6, 4
ROOMS = """
universe rooms_apart
space grid 6 x 4 { starts when position x < column and not stone }
lifespan 2 ticks
meter energy = 1 { decay 0.1 }
world { let column = once integer(1, 3) }
cells {
    state stone = chance(0.3)
    wall when stone
}
affordance Spring at random { instantly { energy += 0.1 } }
reward energy
observe { position absolute }
"""


def cells_of(env: hamlet.Env, agents: int) -> torch.Tensor:
    """The cell of each agent, [worlds, agents]."""
    x, y = env.state["position"].long()
    return (x + WIDTH * y).view(-1, agents)


@BACKENDS
def test_agents_have_the_next_cells_of_the_layout_that_fulfil_it(backend: str, compiled: Compiled) -> None:
    worlds, agents, over = 1000, 3, domain(WIDTH * HEIGHT)
    env = hamlet.make(compiled(ROOMS), worlds=worlds, agents=agents, backend=backend, seed=7, quiet=True)
    env.reset()
    stone, column = env.meter("stone").T.bool(), env.meter("column").long()
    places, begun = env.state["places"][0], cells_of(env, agents)
    layout, few, none = env.state["layout"].long() & WORD, 0, 0
    for world in range(worlds):
        order = permute(torch.arange(WIDTH * HEIGHT), layout[world], over).tolist()
        free = [c for c in order if not stone[world, c] and c != places[world]]
        fit = [c for c in free if c % WIDTH < column[world]]
        few, none = few + (len(fit) < agents), none + (not fit)
        for agent in range(agents):
            assert int(begun[world, agent]) == (fit or free)[min(agent, len(fit or free) - 1)]
    assert 0 < none < few < worlds / 2


@BACKENDS
def test_a_cell_that_an_affordance_has_for_good_does_not_count(backend: str, compiled: Compiled) -> None:
    text = """
universe shore
space grid 5 { starts when position x >= 3 }
lifespan 2 ticks
meter energy = 1 { decay 0.1 }
cells {
    state stone = chance(0.5)
    solid when stone
}
affordance Spring at (4) { instantly { energy += 0.1 } }
reward energy
observe { position absolute }
"""
    env = hamlet.make(compiled(text), worlds=400, backend=backend, seed=5, quiet=True)
    env.reset()
    stone, x = env.meter("stone").T.bool(), env.state["position"][0].long()
    some = ~stone[:, :3].all(1)
    for there in (stone[:, 3], ~stone[:, 3]):
        assert int((there & ~stone[:, 4]).sum()) > 50
    assert bool((x[~stone[:, 3]] == 3).all())
    instead = stone[:, 3] & some
    assert bool((x[instead] < 3).all())
    assert not bool(stone.gather(1, x.unsqueeze(1))[instead].any())
    assert bool((x[stone[:, 3] & ~some] < 4).all())


def test_each_cell_is_as_likely(compiled: Compiled) -> None:
    text = ROOMS.replace("chance(0.3)", "position x == 5").replace("integer(1, 3)", "integer(2, 3)")
    env = hamlet.make(compiled(text), worlds=6000, seed=3, quiet=True)
    env.reset()
    column, begun = env.meter("column").long(), cells_of(env, 1).squeeze(1)
    for wide in (2, 3):
        counted = torch.bincount(begun[column == wide], minlength=WIDTH * HEIGHT).float().view(HEIGHT, WIDTH)
        assert not bool(counted[:, wide:].any())
        expected = float(counted.sum()) / (wide * HEIGHT)
        degrees = wide * HEIGHT - 1
        assert float(((counted[:, :wide] - expected) ** 2 / expected).sum()) < degrees + 5 * (2 * degrees) ** 0.5


@BACKENDS
def test_a_program_sets_the_param_that_the_condition_reads(backend: str, compiled: Compiled) -> None:
    text = """
universe line
space grid 8 { starts when position x == first }
lifespan 1 ticks
param first = 2 in 0 .. 7
meter energy = 1 { decay 0.1  only falls }
reward energy
observe { position absolute }
"""
    env = hamlet.make(compiled(text), worlds=5, backend=backend, params={"first": 6.0}, quiet=True)
    env.reset()
    assert env.state["position"].tolist() == [[6] * 5]
