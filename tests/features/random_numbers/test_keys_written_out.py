"""Keys of draws in what is written out (what wanders, items, copies, roles), and what wanders, by docs/semantics.md."""

from __future__ import annotations

import pytest
from plain_philox import draw_word, site

from hamlet.backend.protocol import Stream
from hamlet.universe import DrawChoice, draws
from samples import universe_of
from samples.by_hand import Player

SEED, WORLDS = 77, 4
OF_WORLDS = 2
"""The stream of what is drawn for a world in a tick."""
POND = """universe pond
space SPACE
lifespan 50 ticks
meter mood = 1 { decay 0.01 }
affordance Duck PLACE { MOVES  instantly { mood += 0.1 } }
reward mood
observe { meters }
"""
SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1))


def pond(space: str, place: str, moves: str) -> Player:
    text = POND.replace("SPACE", space).replace("PLACE", place).replace("MOVES", moves)
    return Player(universe_of(text), worlds=WORLDS, seed=SEED)


def duck(player: Player) -> list[tuple[int, ...]]:
    """Where it is in each world: a number per axis."""
    assert player.universe.world is not None
    names = [meter.name for meter in player.universe.world.meters]
    rows = [row for row, name in enumerate(names) if name.startswith("position ")]
    return [tuple(int(x) for x in each) for each in player["world_meters"][rows].T]


@pytest.mark.parametrize(("edges", "period"), [("clamp", 1), ("wrap", 2)])
def test_what_wanders_on_hexagons_takes_one_of_six_ways(edges: str, period: int) -> None:
    """Each axis has its edges by itself."""
    every = f" every {period} ticks" if period > 1 else ""
    player, ways = pond(f"hexagons 3 x 4 {{ edges {edges} }}", "at (1, 1)", f"wanders{every}"), set()
    where = [(1, 1)] * WORLDS
    for tick in range(24):
        player.stream = Stream(SEED, tick)
        player.do("WAIT")
        if (tick + 1) % period == 0:
            drawn = [draw_word(SEED, w, tick, site("world rule wandering of Duck"), OF_WORLDS) for w in range(WORLDS)]
            ways |= {word * 6 >> 32 for word in drawn}
            steps = [SIDES[word * 6 >> 32] for word in drawn]
            there = [(x + dx, y + dy) for (x, y), (dx, dy) in zip(where, steps, strict=True)]
            if edges == "wrap":
                where = [(x % 3, y % 4) for x, y in there]
            else:
                where = [(min(max(x, 0), 2), min(max(y, 0), 3)) for x, y in there]
        assert duck(player) == where
    assert ways == set(range(6))


def test_what_wanders_on_a_graph_draws_once() -> None:
    """Whatever node it is on, the word is that of the one draw."""
    player, visited = pond("graph { a - b - c - d - e  b - d  f -> a }", "at f", "wanders"), set()
    leads = ((1,), (0, 2, 3), (1, 3), (1, 2, 4), (3,), (0,))
    assert {draw.site for draw in draws(player.universe)} == {site("world rule wandering of Duck")}
    assert sum(isinstance(draw, DrawChoice) for draw in draws(player.universe)) == 3
    where = [5] * WORLDS
    for tick in range(16):
        player.stream = Stream(SEED, tick)
        player.do("WAIT")
        drawn = [draw_word(SEED, w, tick, site("world rule wandering of Duck"), OF_WORLDS) for w in range(WORLDS)]
        where = [leads[node][word * len(leads[node]) >> 32] for node, word in zip(where, drawn, strict=True)]
        assert duck(player) == [(node,) for node in where]
        visited |= set(where)
    assert visited == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("edges", ["clamp", "wrap", "bounce", "sticky"])
def test_edges_draw_nothing_twice(edges: str) -> None:
    moves = "rule goes { position x += integer(-1, 1)  position y += integer(-1, 1) }"
    universe = pond(f"grid 4 x 4 {{ edges {edges} }}", "at (1, 1)", moves).universe
    assert {draw.site for draw in draws(universe)} == {site("world rule goes of Duck", n) for n in (0, 1)}


SHED = """universe shed
space grid 4 x 4
lifespan 50 ticks
slots 3
meter mood = 1 { decay 0.01 }
item milk {
    carried integer(0, 2)
    lying integer(0, 1)
    rots when chance(0.2)
    appears when chance(0.1)
    wear 3
    can pick drop
    use { mood += uniform(0, 0.1) }
    craft from 1 wood { mood += uniform(0, 0.1) }
}
item wood { lying 3  can pick drop to highest mood + uniform(0, 1) }
item coal { carried 1  can drop to highest uniform(0, 1) }
affordance Duck: 2 copies at random {
    state fed: int in 0 .. 3 = integer(0, 1)
    per agent meter liking = uniform(0, 1)
    action PET { mood += uniform(0, 1) }
    rule eats: fed -= integer(0, 1)
    rule fills: fed += count(used == Duck)
    instantly { mood += uniform(0, 1)  liking += 0.1 }
}
stages { a -> b when chance(0.1) }
reward mood
report later: 1 when stage == b
observe { meters  items  state }
"""
OF_THE_SHED = (
    "start milk", "cells start lying of milk", "action USE_milk", "action CRAFT_milk", "action PICK_wood",
    "action DROP_coal", "world start fed of Duck 1", "world start fed of Duck 2", "start liking of Duck 1",
    "start liking of Duck 2", "action PET", "world rule eats of Duck 1", "world rule eats of Duck 2",
    "affordance Duck 1", "affordance Duck 2", "world rule stages",
)  # fmt: skip


def test_keys_of_items_and_of_parts_of_affordances() -> None:
    universe = universe_of(SHED)
    ground = [site("cells rule ground of milk", number) for number in (0, 1)]
    found = {draw.site: draw.span for draw in draws(universe)}
    assert found.keys() == {*map(site, OF_THE_SHED), *ground}
    assert found[ground[0]].line > found[ground[1]].line  # what appears comes first, also where it is written later


HUNT = """universe hunt
space none
lifespan 50 ticks
meter mood = 1 { decay 0.01 }
action REST { mood += 0.1 }
observe { meters }
role wolf: 1 agent {
    meter hunger = 1 { only falls  decay 0.1 }
    let starving = hunger < 0.2 or mood < 0.1
    reward mood + uniform(0, 1) when starving
    reward (1 - hunger) * normal(0, 1)
    dies when chance(0.1) and starving or hunger < uniform(0, 0.5)
    ends when mood > 0.9 and chance(0.2) or chance(0.3) and hunger > 0.2 { reward uniform(0, 1) }
    ends when not (chance(0.9) or starving)
}
"""
OF_WOLVES = (
    "reward: (mood + uniform(0, 1) when (wolf.hunger < 0.2 or mood < 0.1)) when wolf",
    "reward: (1 - wolf.hunger) * normal(0, 1) when wolf",
    "dies when wolf and (chance(0.1) and (wolf.hunger < 0.2 or mood < 0.1))",
    "dies when wolf and wolf.hunger < uniform(0, 0.5)",
    "ends when wolf and (mood > 0.9 and chance(0.2))",
    "ends when wolf and (chance(0.3) and wolf.hunger > 0.2)",
    "goal wolf and (mood > 0.9 and chance(0.2) or chance(0.3) and wolf.hunger > 0.2)",
    "ends when wolf and not (chance(0.9) or (wolf.hunger < 0.2 or mood < 0.1))",
)


@pytest.mark.parametrize("more", ["", "role sheep: others { reward 1 when chance(0.5) }\n"])
def test_keys_of_causes_and_rewards_in_roles(more: str) -> None:
    found = {draw.site for draw in draws(universe_of(HUNT + more))}
    assert found == {*map(site, OF_WOLVES), *([site("reward: (1 when chance(0.5)) when sheep")] if more else ())}


def test_options_are_compared_with_ones_own() -> None:
    text = """universe hands
space none
lifespan 50 ticks
state shows: rock paper scissors = choice(rock, paper, scissors)
action NEXT { shows = if shows == rock then paper else if shows == paper then scissors else rock }
rule lucky: other_shows = count(other and shows == own(shows))
state other_shows: int in 0 .. 9 = 0
reward other_shows
report others: count(other and own(shows) != shows)
report rocks: count(own(shows) == rock and shows == paper)
observe { state }
"""
    player = Player(universe_of(text), worlds=5, agents=4, seed=SEED)
    player.do("WAIT")
    shown = player.meter("shows").reshape(5, 4)
    same = [sum(a == b for b in world) - 1 for world in shown for a in world]
    assert player.meter("other_shows").tolist() == same
    assert player.report("others").tolist() == [3 - each for each in same]
    rocks = [sum(b == 1 for b in world) * (a == 0) for world in shown for a in world]
    assert player.report("rocks").tolist() == rocks
    assert len(set(same)) > 1
