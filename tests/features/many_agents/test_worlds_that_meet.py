"""Ticks of worlds whose agents meet, on the interpreter, against values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from hamlet.interpreter import Trace
from hamlet.numbers.counters import LANE_DRAWS, WORLD_DRAWS
from hamlet.numbers.random import draw_words, share
from hamlet.universe import Draw, draws
from samples import universe_of
from samples.by_hand import Player

f32 = np.float32

SHOP = """
universe shop
space grid 5
clock 4 hours
lifespan 6 ticks
param price = 1 in 0 .. 4
meter hunger = 0.5 in 0 .. 10
meter money = 4 in 0 .. 100
world {
    meter stock = 3 in 0 .. 9
    meter sold = 0 in 0 .. 9
    rule sale { stock -= count(used == Shop)  sold = previous(stock) - stock }
    rule refill: hour == 2 -> stock += 5 * price
}
affordance Shop at (2) {
    needs money >= price
    capacity stock to highest hunger
    instantly { hunger = 0  money -= price }
}
rule hungrier: hunger += 0.25 * count(here == Shop)
reward hunger
report served: count(used == Shop)
report left: stock
report had: previous(stock)
report rich: total(money)
report least: lowest(money)
report most: highest(money)
report mean: average(money)
report old: highest(age)
observe { meters  world stock sold }
"""


def shop(agents: int, worlds: int = 1) -> Player:
    player = Player(universe_of(SHOP), worlds=worlds, agents=agents)
    return player.set("position", 2)


def test_the_most_hungry_are_served_first() -> None:
    player = shop(5).set("meters", [1, 5, 2, 5, 3], 0)
    player.do("INTERACT")
    assert player["used"].tolist() == [-1, 0, -1, 0, 0]
    assert player["world_meters"].tolist() == [[0.0], [3.0]]
    # All five stood at the shop when the tick began.
    assert player.meter("hunger").tolist() == [2.25, 1.25, 3.25, 1.25, 1.25]
    assert player.report("served").tolist() == [3.0] * 5
    assert player.report("left").tolist() == [0.0] * 5
    assert player.report("had").tolist() == [3.0] * 5
    assert player.report("rich").tolist() == [17.0] * 5
    assert player.report("least").tolist() == [3.0] * 5
    assert player.report("most").tolist() == [4.0] * 5
    assert player.report("mean").tolist() == [f32(17) / f32(5)] * 5
    assert player.report("old").tolist() == [0.0] * 5, "ages have not increased"
    counts = player.coverage.counts
    assert counts["affordance Shop: granted"] == 3
    assert counts["affordance Shop: turned away"] == 2
    assert counts["affordance Shop: instantly"] == 3
    assert counts["rule sale"] == 1
    assert counts["rule refill"] == 0
    player.do("INTERACT")  # nothing is left
    assert player["used"].tolist() == [-1] * 5
    player.do("WAIT")  # at hour 2 it is refilled
    assert player["world_meters"].tolist() == [[5.0], [0.0]]
    assert player.coverage.counts["rule refill"] == 1
    assert player.seen == [*(float(row[0]) for row in player["meters"]), 5.0, 0.0]


def test_who_cannot_pay_claims_nothing() -> None:
    player = shop(5).set("meters", [0, 4, 4, 0.5, 4], 1)
    player.do(["INTERACT", "INTERACT", "WAIT", "INTERACT", "INTERACT"])
    assert player["used"].tolist() == [-1, 0, -1, -1, 0]
    assert player.coverage.counts["affordance Shop: turned away"] == 0
    assert player["world_meters"][0].tolist() == [1.0]


def test_worlds_do_not_touch_each_other() -> None:
    player = shop(2, worlds=2).set("world_meters", [1.0, 9.0], 0)
    player.do(["INTERACT"] * 4)
    assert player["used"].tolist() == [0, -1, 0, 0], "of two that are as hungry the first is served"
    assert player["world_meters"][0].tolist() == [0.0, 7.0]


def test_the_dead_are_not_counted() -> None:
    player = shop(3).set("alive", [True, False, True]).set("meters", [1, 2, 4], 1)
    player.do("INTERACT")
    assert player["used"].tolist() == [0, -1, 0]
    assert player.report("served").tolist() == [2.0, 0.0, 2.0]
    assert player.report("rich")[0] == 0.0 + 3.0
    assert player.report("least")[0] == 0.0
    assert player.meter("hunger").tolist() == [0.5, 0.5, 0.5]


def test_a_new_episode_has_what_worlds_begin_with() -> None:
    player = shop(2).do(*["WAIT"] * 3)
    assert player["world_meters"][0].tolist() == [8.0]
    player.do(*["WAIT"] * 3)
    assert player["episode"].tolist() == [1]
    assert player["world_meters"].tolist() == [[3.0], [0.0]]


CLINIC = """
universe clinic
space grid 3
lifespan forever
meter health = 0.5
affordance Doctor at (1) lasts 3 ticks {
    capacity 1 to lowest number
    each tick { health += 0.1 }
    on completion { health = 1 }
}
reward health
observe { meters }
"""


def test_who_is_engaged_stays_engaged() -> None:
    player = Player(universe_of(CLINIC), agents=3).set("position", 1)
    player.do(["WAIT", "WAIT", "INTERACT"])
    assert player["engaged"].tolist() == [-1, -1, 0]
    player.do("INTERACT")
    assert player["used"].tolist() == [-1, -1, 0], "before those with lower numbers"
    player.do("INTERACT")
    assert player["used"].tolist() == [-1, -1, 0]
    assert player.meter("health")[2] == 1.0
    player.do("INTERACT")
    assert player["used"].tolist() == [0, -1, -1]


WEATHER = """
universe weather
space none
lifespan forever
meter mood = 0.5
world {
    meter rain = 0
    meter warmth = 10 in -20 .. 40
    rule shower: rain = if chance(0.5) then 1 else 0
    rule turn: rain > 0 -> warmth -= uniform(0, 4)
    rule sun: rain == 0 -> warmth += uniform(0, 4)
}
rule gloom: mood -= 0.1 * rain
rule drawn: mood += 0.001 when chance(0.25)
reward mood
observe { meters  world }
"""


def test_a_world_draws_words_of_its_own() -> None:
    """Both agents of a world see one weather; it follows from the number of the world, tick, site and seed."""
    universe = universe_of(WEATHER)
    player = Player(universe, worlds=40, agents=2, seed=7 << 32 | 5).do("WAIT")
    falls, less, more, drawn = sorted(draws(universe), key=lambda draw: draw.span.line)

    def word(draw: Draw, stream: int, count: int) -> torch.Tensor:
        return draw_words(torch.arange(count), 0, draw.site // 4, stream, (5, 7))[draw.site % 4]

    rain = share(word(falls, WORLD_DRAWS, 40)) < 0.5
    assert player["world_meters"][0].tolist() == rain.float().tolist()
    assert 5 < int(rain.sum()) < 35
    warmer, colder = share(word(more, WORLD_DRAWS, 40)) * 4.0, share(word(less, WORLD_DRAWS, 40)) * 4.0
    changed = torch.where(rain, -colder, warmer) + 10.0
    assert player["world_meters"][1].tolist() == changed.tolist()
    fired = player.coverage.counts
    assert fired["rule turn"] == int(rain.sum())
    assert fired["rule sun"] == 40 - int(rain.sum())
    happens = share(word(drawn, LANE_DRAWS, 80)) < 0.25
    expected = torch.where(happens, torch.tensor(0.5) + 0.001, torch.tensor(0.5))
    assert player.meter("mood").tolist() == expected.tolist()


def test_writes_of_the_world_are_traced() -> None:
    trace = Trace(0, 1)
    player = Player(universe_of(SHOP), agents=2, trace=trace).set("position", 2)
    trace.writes.clear()
    player.do("INTERACT")
    found = [(write.construct, write.meter, write.value) for write in trace.writes]
    assert ("rule sale", "stock", 1.0) in found
    assert ("rule sale", "sold", 2.0) in found
    assert found.index(("rule hungrier", "hunger", 0.5)) < found.index(("rule sale", "stock", 1.0))


def test_by_hand_all_agents_count() -> None:
    text = WEATHER.replace("lifespan forever", "episodes by hand").replace("reward mood", "reward count(mood > 0)")
    player = Player(universe_of(text), agents=3).set("alive", [True, False, False]).do("WAIT")
    assert player["reward"].tolist() == [3.0, 0.0, 0.0]


@pytest.mark.parametrize("agents", [1, 2, 3, 7, 64, 1000])
def test_any_number_of_agents(agents: int) -> None:
    player = shop(agents).set("world_meters", 9.0, 0)
    player.do("INTERACT")
    assert player["used"].tolist() == [0] * min(9, agents) + [-1] * max(0, agents - 9)
    assert player.report("mean")[0] == f32(agents * 4 - min(9, agents)) / f32(agents)
