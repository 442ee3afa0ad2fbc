"""Goals end an episode without a death; potentials pay what makes no policy better than it was (Ng, Harada and
Russell, 1999)."""

from __future__ import annotations

import math

import numpy as np
import torch

from hamlet.backend.buffers import Shape, allocate, statistics_allocator
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.interpreter import Interpreter
from samples import universe_of
from samples.by_hand import Player

f32 = np.float32

RICH = """
universe rich
space none
lifespan 5 ticks { reward 0.25 }
meter money = 0 in 0 .. 10
meter health = 1
world { meter given = 0 in 0 .. 9  rule gift: given += 0.5 }
action EARN { money += 1 }
action LOSE { health -= 1 }
action BOTH { money += 2  health -= 1 }
dies when health <= 0
reward wage: 1 + money
ends when money >= 2 { reward 10 * money + age }
world ends when count(action == EARN) == 3 { reward agent }
report worth: money
observe { meters  world }
"""


def rich(agents: int = 3, by_hand: bool = False) -> Player:
    return Player(universe_of(RICH + ("episodes by hand\n" if by_hand else "")), agents=agents)


def test_a_goal_is_paid_and_a_death_is_not() -> None:
    player = rich().do(["EARN", "WAIT", "WAIT"]).do(["EARN", "LOSE", "BOTH"])
    assert player["terminated"].all()
    assert not player["truncated"].any()
    # Causes are numbered: deaths, goals, the lifespan. A death comes before a goal.
    assert player["cause"].tolist() == [1, 0, 0]
    assert player["reward"].tolist() == [1 + 2 + 20 + 2, 0, 0]
    assert player["reports"].tolist() == [[3, 0, 0], [2, 0, 2]]


def test_the_end_of_a_world_is_that_of_all_its_agents() -> None:
    player = rich(4).do(["EARN", "WAIT", "WAIT", "WAIT"]).do(["WAIT", "EARN", "EARN", "EARN"])
    assert player["cause"].tolist() == [2, 2, 2, 2]
    assert player["reward"].tolist() == [2 + 0, 2 + 1, 2 + 2, 2 + 3]
    # It begins anew.
    assert player["age"].tolist() == [0] * 4
    assert player["episode"].tolist() == [1]


def test_the_lifespan_is_the_last_cause() -> None:
    player = rich(1).do(*["WAIT"] * 5)
    assert player["cause"].tolist() == [3]
    assert player["truncated"].all()
    assert player["reward"].tolist() == [1.25]


def test_with_episodes_by_hand_a_goal_is_reached_once() -> None:
    player = rich(1, by_hand=True).do("EARN").do("EARN")
    assert player["reward"].tolist() == [3 + 20 + 2]
    assert player["cause"].tolist() == [1]
    player.do("EARN")
    assert player["reward"].tolist() == [0]
    assert player["cause"].tolist() == [-1]


def test_statistics_know_goals() -> None:
    universe = universe_of(RICH)
    buffers = allocate(universe, Shape(50, 3), torch.device("cpu"), None)
    backend = Interpreter(universe, torch.device("cpu"))
    backend.reset(buffers, Stream(1, 0))
    counts = statistics_allocator(universe, Shape(50, 3), torch.device("cpu"))()
    backend.rollout(buffers, 30, RandomPolicy(), Stream(1, 0), False, counts)
    assert [cause.name for cause in universe.causes] == ["health <= 0", "money >= 2", "count(action == EARN) == 3"]
    assert (counts.causes > 0).all()
    assert len(counts.causes) == 4


# --- potentials ------------------------------------------------------------------------------------------------------

WALK = """
universe walk
space grid 9 {{ edges wrap }}
lifespan 12 ticks
meter fuel = 1 {{ decay 0.0625 }}
meter luck = uniform(0, 1)
affordance Home at (0) {{ instantly {{ luck += 0.25 }} }}
rule luckier: luck += 0.125 * uniform(-1, 1)
dies when luck <= 0
{goal}
reward home: shaping({discount}, -0.5 * distance to Home + luck)
reward plain: 0.125 * luck
observe {{ meters }}
{hand}
"""
GOAL = "ends when luck >= 1 { reward 3 }"


def potential(player: Player) -> np.ndarray:
    """As the universe computes it, every operation rounded."""
    x = player["position"][0]
    away = np.minimum(x, 9 - x).astype(f32)
    return (f32(-0.5) * away + player.meter("luck")).astype(f32)


def test_a_potential_pays_the_discounted_difference_and_counts_as_0_at_the_end() -> None:
    for discount, hand in ((0.75, ""), (1, ""), (0.99, "episodes by hand")):
        text = WALK.format(goal=GOAL, discount=discount, hand=hand)
        player = Player(universe_of(text), worlds=300, agents=1, seed=2)
        generator = torch.Generator().manual_seed(3)
        ended = set()
        for tick in range(1, 13):
            before, alive = potential(player), player["alive"]
            # The state after the tick, of an episode that has ended too, is that of a universe in which none does.
            after = shadow(player, text)
            moves = torch.randint(0, 4, (300,), generator=generator)
            player.stream = after.stream = Stream(2, tick)
            actions = [("LEFT", "RIGHT", "INTERACT", "WAIT")[number] for number in moves]
            player.do(actions)
            after.do(actions)
            terminated, reached = player["terminated"], np.where(player["terminated"], f32(0), potential(after))
            wanted = np.where(alive, (f32(discount) * reached).astype(f32) - before, f32(0)).astype(f32)
            home, plain = player["reports"]
            assert (home.view(np.int32) == wanted.view(np.int32)).all()
            goal = player["cause"] == 1
            bonus = np.where(goal, f32(3), f32(0))
            assert (player["reward"] == ((home + plain).astype(f32) + bonus).astype(f32)).all()
            assert (plain[terminated & ~goal] == 0).all()
            assert (plain[goal] == f32(0.125)).all()
            ended |= set(player["cause"].tolist())
        assert ended == {-1, 0, 1, 2}


def shadow(player: Player, text: str) -> Player:
    """A world in the same state, whose episodes do not end by themselves."""
    hand = "" if "by hand" in text else "episodes by hand\n"
    other = Player(universe_of(text + hand), worlds=300, agents=1, seed=2)
    for name, values in player.buffers.state.items():
        if name in other.buffers.state:
            other.buffers.state[name].copy_(values)
    return other


def test_what_potentials_pay_in_a_life_follows_from_its_ends_alone() -> None:
    """Whatever an agent does, the discounted sum is minus the potential at the beginning, if it is terminated; that is
    why no policy gains by it."""
    discount = 0.75
    text = WALK.format(goal=GOAL, discount=discount, hand="episodes by hand")
    player = Player(universe_of(text), worlds=200, agents=1, seed=4)
    began, total = potential(player).astype(float), np.zeros(200)
    generator = torch.Generator().manual_seed(5)
    for tick in range(12):
        player.stream = Stream(4, tick + 1)
        player.do([("LEFT", "RIGHT", "INTERACT", "WAIT")[n] for n in torch.randint(0, 4, (200,), generator=generator)])
        total += discount**tick * player["reports"][0]
        if tick < 11:
            dead = ~player["alive"]
    assert 20 < dead.sum() < 180
    # Sums of a dozen numbers of binary32.
    assert np.allclose(total[dead], -began[dead], atol=1e-5)
    last = discount**12 * potential(player).astype(float) - began
    survived = player["alive"] | player["truncated"]
    assert np.allclose(total[survived], last[survived], atol=1e-5)
    assert survived.any()
    assert not math.isclose(total.min(), total.max())
