"""Where episodes begin: permuted, drawn, stored; against docs/semantics.md in plain integers."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import torch

from hamlet import schema
from hamlet.numbers.permutation import domain, permuted_axes
from hamlet.numbers.random import permute
from hamlet.universe import NoSpace
from samples.by_hand import SPAN, Player, continuous, f32, grid, place, universe, write

WORD = (1 << 32) - 1
SEED = 0xFEDCBA9876543210


def mix(x: int) -> int:
    x ^= x >> 16
    x = x * 0x7FEB352D & WORD
    x ^= x >> 15
    x = x * 0x846CA68B & WORD
    return x ^ x >> 16


def layout(world: int, episode: int = 0) -> int:
    s = mix((SEED & WORD) ^ mix((SEED >> 32) ^ 0x68616D6C))
    return mix(mix(world ^ s) + episode * 0x9E3779B9 & WORD)


def draw(of_layout: int, index: int, axis: int) -> int:
    return mix(mix(of_layout + (index + 1) * 0x9E3779B9 & WORD) + (axis + 1) * 0x85EBCA77 & WORD)


def on_axis(word: int, low: float, high: float) -> Any:
    u = f32(word >> 8) * f32(2.0**-24)
    x = f32(low) + f32(f32(high - low) * u)
    return x if x < f32(high) else f32(high)


SPOTS = (place("A", None, write("+=", 0.1)), place("B", (2.0, 1.0), write("+=", 0.1)), place("C", None))


def test_a_continuous_space_is_drawn_coordinate_by_coordinate() -> None:
    bounds = ((-0.3, 3.1), (1.0, 2.0))
    player = Player(universe(space=continuous(*bounds), affordances=SPOTS), worlds=50, agents=2, seed=SEED)
    places = player["places"].reshape(3, 2, 50)
    for world in range(50):
        for axis, (low, high) in enumerate(bounds):
            drawn = [on_axis(draw(layout(world), index, axis), low, high) for index in range(4)]
            assert places[0, axis, world] == drawn[0]
            assert places[1, axis, world] == (2.0, 1.0)[axis]
            assert places[2, axis, world] == drawn[1]
            assert player["position"][axis, 2 * world : 2 * world + 2].tolist() == drawn[2:]


def test_agents_anywhere_on_a_grid_share_cells() -> None:
    player = Player(universe(space=grid(4, 3, starts="anywhere"), affordances=SPOTS), worlds=50, agents=20, seed=SEED)
    for world in range(50):
        expected = [
            [draw(layout(world), 2 + agent, axis) * size >> 32 for agent in range(20)]
            for axis, size in enumerate((4, 3))
        ]
        assert player["position"][:, 20 * world : 20 * world + 20].tolist() == expected
    assert len(Counter(player.position)) == 12


def test_stored_places_are_those_that_would_be_computed() -> None:
    """On a small grid with all apart: the same cells, but cached."""
    players = [
        Player(universe(space=grid(4, 3, places=places), affordances=SPOTS), worlds=30, agents=3, seed=SEED)
        for places in ("computed", "stored")
    ]
    assert players[0].position == players[1].position
    free = [cell for cell in range(12) if cell != 2 + 4 * 1]
    for world in range(30):
        cells = [free[int(permute(torch.tensor(j), torch.tensor(layout(world)), domain(11)))] for j in range(2)]
        assert players[1]["places"][:, world].tolist() == [cells[0], 6, cells[1]]
    for player in players:
        for cell in range(12):
            player.set("position", cell % 4, 0).set("position", cell // 4, 1).do("INTERACT")
            player.set("meters", 0.5)
    first, second = (player["used"].tolist() for player in players)
    assert first == second


def test_affordances_at_fixed_places_may_share_a_cell() -> None:
    spots = tuple(place(name, (1.0,), write("+=", 0.1)) for name in "AB")
    player = Player(universe(space=grid(3, places="stored"), affordances=spots), worlds=40, agents=2)
    assert set(itertools.chain(*player["position"].tolist())) == {0, 2}


def test_a_large_grid_permutes_its_first_axes_and_draws_the_others() -> None:
    sizes = (5000, 3000, 7, 4, 300)
    assert permuted_axes(sizes) == 2
    space = grid(*sizes, places="stored")
    fixed = place("B", (4999.0, 2999.0, 6.0, 3.0, 299.0))
    spots = (place("A", None), fixed, place("C", None))
    world = universe(space=space, moves=(), affordances=spots)
    player = Player(world, worlds=20, agents=2, seed=SEED)
    assert schema.cell_words(space) == ((0, 4), (4, 5))
    places = player["places"].reshape(3, 2, 20)
    for number in range(20):
        key = torch.tensor(layout(number))
        cells = [int(permute(torch.tensor(j), key, domain(5000 * 3000))) for j in range(4)]
        drawn = [[draw(layout(number), j, axis) * sizes[axis] >> 32 for axis in (2, 3, 4)] for j in range(4)]
        coordinates = [(cell % 5000, cell // 5000, *rest) for cell, rest in zip(cells, drawn, strict=True)]
        for row, (x, y, z, t, u) in ((0, coordinates[0]), (1, fixed.place or ()), (2, coordinates[1])):
            assert places[row, :, number].tolist() == [x + 5000 * (y + 3000 * (z + 7 * t)), u]
        assert player.position[2 * number : 2 * number + 2] == coordinates[2:]


def test_one_axis_is_always_permuted() -> None:
    assert permuted_axes((16384, 16384, 2)) == 1
    assert permuted_axes((4096, 4096, 1, 2)) == 3
    assert permuted_axes((8, 8, 8)) == 3


def test_a_new_episode_draws_places_anew_and_puts_the_fixed_ones_back() -> None:
    player = Player(universe(space=continuous((0.0, 4.0), (0.0, 4.0)), affordances=SPOTS), worlds=2, seed=SEED)
    first = player["places"]
    player.set("places", 1.25)
    player.buffers.state["episode"][1] = 1
    player.backend.reset(player.buffers, player.stream)
    assert player["places"][:, 0].tolist() == first[:, 0].tolist()
    assert player["places"][2:4, 1].tolist() == [2.0, 1.0]
    expected = on_axis(draw(layout(1, 1), 0, 0), 0.0, 4.0)
    assert player["places"][0, 1] == expected != first[0, 1]


def test_without_a_space_there_is_nothing_to_place() -> None:
    player = Player(universe(space=NoSpace(SPAN), affordances=(place("A", None),)), worlds=3, agents=50)
    assert "places" not in player.buffers.state


def test_draws_are_even() -> None:
    """All coordinates of a large batch: mean and spread of a uniform distribution."""
    player = Player(universe(space=continuous((0.0, 1.0), (0.0, 1.0)), affordances=(place("A", None),)), worlds=20_000)
    for axis in (player["position"][0], player["position"][1], player["places"][0], player["places"][1]):
        assert abs(axis.mean() - 0.5) < 0.01
        assert abs(np.histogram(axis, 20, (0, 1))[0] / 1000 - 1).max() < 0.15
    assert abs(np.corrcoef(np.stack([*player["position"], *player["places"]])) - np.eye(4)).max() < 0.03
