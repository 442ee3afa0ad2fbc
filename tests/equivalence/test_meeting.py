"""Worlds whose agents meet: generated CPU kernels, the tick IR and the interpreter agree in every bit, whatever the
number of agents per world: one, whole vectors, chunks, worlds of several tiles.

HAMLET_LONG_TESTS=1 compiles the kernels of all of them; others have what is left out, and the tick IR runs them all.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import torch

from hamlet.backend.buffers import Buffers, Shape, allocate
from hamlet.backend.protocol import Backend, RandomPolicy, RecordedPolicy, Stream
from hamlet.interpreter import Coverage, Interpreter
from hamlet.launch.cpu.kernels import just_in_time
from hamlet.launch.cpu.launch import CpuBackend
from hamlet.package.module import in_memory
from hamlet.universe import Universe
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.verify.fired import counting
from hamlet_lab.verify.injection import Injector
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.ir.text import parse_program
from hamletc.package import IR_FILE
from hamletc.targets.c import parts
from samples import universe_of

CPU = torch.device("cpu")

QUEUE = """
universe queue
space grid 8 x 8 { edges wrap  starts anywhere }
clock 24 hours
lifespan 60 ticks { reward 1.0 }
world {
    meter stock = 3 in 0 .. 20
    meter rain = 0
    rule sale: stock -= count(used == Shop)
    rule refill: hour == 6 -> stock += 5
    rule shower: rain = if chance(0.3) then 1 else 0
}
meter health = 1.0 { decay 0.01 }
meter mood = 0.5 { move 0.001 }
affordance Doctor at (2, 2) lasts 3 ticks {
    capacity 1 + rain to highest round(4 * (1 - health))
    each tick { health += 0.1 }
    on completion { mood += 0.2 }
}
affordance Bar at random {
    needs health >= 0.05
    capacity stock to highest mood
    instantly { mood += 0.1 }
}
affordance Shop at random { instantly { mood += 0.05  health -= 0.01 } }
rule crowded: mood -= 0.01 * count(here == Bar)
dies when health <= 0
reward mood + previous(mood) - previous(rain)
reward share: average(mood)
report low: lowest(health)
report high: highest(mood - age)
report sum: total(mood * health)
observe { meters  world  time  progress }
"""
"""Claims that are ranked and that go on; rules and draws of a world."""

MARKET = """
universe market
space none
episodes by hand
track uses by world
lifespan 9 ticks { reward 1.0 }
input wish = 0.5 in 0 .. 1
world {
    meter price = 1 in 0.1 .. 10
    rule demand: price += 0.01 * (count(used == Buy) - count(used == Sell))
    rule panic: total(money) < 3 -> price = 0.5 * highest(wish) + previous(price) * 0.5
}
meter money = 5 in 0 .. 100
meter goods = 1 in 0 .. 100
affordance Buy {
    needs money >= price and wish < 0.7
    capacity 20 to highest wish
    instantly { money -= price  goods += 1 }
}
affordance Sell { needs goods >= 1 and wish > 0.3  instantly { money += price  goods -= 1 } }
rule waste: goods -= 0.125 * goods when chance(0.2)
dies when money <= 0
reward goods - previous(goods)
reward 1 when (used == Buy and used == Sell)
report poorest: lowest(money)
report worth: total(money + goods * price)
observe { meters  world }
"""
"""Several uses in a tick, episodes by hand, memories of a world, totals of numbers that are not whole."""

EPIDEMIC = """
universe epidemic
space continuous (0 .. 8) x (0 .. 8) { step 0.5  reach 1.5  edges wrap }
meter ill = 0 in 0 .. 1
meter immune = 0 in 0 .. 1
affordance Well at random { capacity 2.5 to highest uniform(0, 1)  instantly { ill = 0 } }
rule first: every 5 ticks and chance(0.1) -> ill = 1
rule infection: chance(0.5 * count(ill > 0) / 20) and immune <= 0 -> ill = 1
rule recovery: ill > 0 and chance(0.1) -> { ill = 0  immune = 1 }
rule fear: average(ill) > 0.5 -> immune += 0.25 * lowest(position x)
dies when ill > 0 and chance(0.02)
reward 1 - ill
observe { meters  position relative }
"""
"""Nothing that follows after the rules of agents; priorities that are drawn."""


def stall(number: int) -> str:
    """One of many affordances; some last, some of them and others have a capacity."""
    lasts, capacity, when = "", "", "instantly"
    if number % 9 == 0:
        lasts, capacity, when = "lasts 2 ticks ", "capacity 2 to highest energy ", "each tick"
    elif number % 5 == 0:
        capacity = "capacity left to lowest number "
    effect = f"{when} {{ energy += {0.01 * (number % 7 + 1):.2f} }}"
    return f"affordance Stall{number} at ({number % 12}, {number // 12}) {lasts}{{ {capacity}{effect} }}"


STALLS = "\n".join(map(stall, range(70)))
BAZAAR = f"""
universe bazaar
space grid 12 x 6 {{ starts anywhere }}
lifespan 30 ticks
world {{
    meter left = 2 in 0 .. 3
    rule ebb: left = 3 - left
}}
meter energy = 0.5 {{ decay 0.01 }}
{STALLS}
dies when energy <= 0
reward energy
observe {{ meters  world }}
"""
"""So many affordances that they are a table, some with capacities."""

TRADE = """
universe trade
space none
lifespan 40 ticks
world {
    meter price = 3 in 1 .. 9
    rule bargain: price += clamp(count(wants > 0) - count(wants < 0), -1, 1)
}
meter worth = integer(1, 6) in 1 .. 20
meter bread = 3 in 0 .. 100
meter coins = 20 in 0 .. 1000
meter wants = 0 in -1 .. 1
action LEAVE { coins -= 0.5  worth += uniform(0, 0.5) }
rule decide: wants = if worth > price and coins >= 9 then 1 else if worth < price and bread >= 1 then -1 else 0
rule buys:
    previous(wants) > 0 and rank(wants > 0, worth) < min(count(wants > 0), count(wants < 0)) -> {
        bread += 1
        coins -= previous(price)
    }
rule sells:
    previous(wants) < 0 and rank(wants < 0, -worth) < min(count(wants > 0), count(wants < 0)) -> {
        bread -= 1
        coins += previous(price)
    }
rule shuffles: bread += 0.25 when rank(true, uniform(0, 1)) == 0
rule equals: worth -= 0.125 when rank(bread > 3, floor(bread) * 0) < 1
dies when coins <= 10 and rank(true, coins) > 3
reward 1024 - rank(coins > 5, coins + bread * price)
report leaves: rank(action == LEAVE, -0.5 * coins * wants)
observe { meters  world }
"""
"""Places among others: at the beginning of a tick and when it is settled, of equals, of zeros of either sign."""

FAIR = """
universe fair
space none
lifespan 30 ticks
state level: int in -3 .. 9 = integer(-3, 9)
state ticket: int in 0 .. 2000 = integer(0, 2000)
state late = chance(0.5)
meter mood = uniform(0, 1)
affordance Booth { capacity 3 to highest level + 1  instantly { mood += 0.1 } }
affordance Gate lasts 2 ticks { capacity 5 to highest -ticket  each tick { ticket = integer(0, 2000) } }
rule climbs: level += 1 when (rank(mood > 0.2, level) < agents / 3)
rule falls: level -= 3 when (mood <= 0.7 and rank(mood > 0.7, -level) < 1)
rule hurries: mood -= 0.001 * rank(late, ticket) + 0.001 * rank(true, floor(8 * mood))
rule turns: late = chance(0.1)
dies when mood <= 0
reward rank(level > 3, if late then 1 else -level)
observe { meters  state }
"""
"""Few priorities, of many agents and of a few, when a tick begins and when it is settled; more than agents."""

REACH = """
universe reach
space grid 7 x 5 { edges wrap  starts anywhere }
lifespan 40 ticks
param far = 2 in 0 .. 5
meter sick = if chance(0.3) then 1 else 0
meter team = integer(0, 2) in 0 .. 2 { only read }
meter wants = 0 in -1 .. 1024
meter x = 0.1 { decay 0.01 }
action SHOUT { x -= 0.1 }
rule heard: x += 0.001 * count(apart <= far and action == SHOUT and other)
rule alike: x += 0.01 * average(own(x) - x when team == own(team))
rule infected: count(apart <= 1 and sick > 0.5) > 0 and chance(0.1) -> sick = 1
rule near: x += 0.01 * nearest(sick > 0.5) - 0.01 * nearest(team == own(team), x, x)
rule low: x += 0.1 * lowest(x - own(x)) + 0.1 * highest(apart * x - own(x))
rule place: x -= 0.001 * rank(team == own(team), x)
rule asks: wants = nearest(sick < own(sick) or chance(0.2), agent, -1)
dies when x <= 0.2
reward total(x when (wants == own(agent) and apart < 3)) + total(x * own(x))
report n: nearest(true, agent, 3)
report zeros: highest((own(x) - x) * own(team)) + lowest(-(x - own(x)))
observe { grid  meters }
"""
"""What depends on pairs of agents, at the beginning of a tick and when it is settled."""

SIGNALS = """
universe signals
space continuous (0 .. 4) x (0 .. 3) { step 0.5  reach 1  distance euclidean }
episodes by hand
meter calm = 0.5 { move 0.01 }
meter heard = 0 in 0 .. 1024
action CRY { calm -= 0.2 }
rule hears: heard = count(apart <= 1 and action == CRY) + 0.25 * nearest(action == CRY and calm < own(calm))
rule soothes: calm += 0.1 * total((1 - apart / 5) * calm) / agents
dies when calm <= 0
reward highest(apart) - nearest(other, heard, 7)
observe { meters }
"""
"""Distances that are not whole."""

UNIVERSES = {
    "reach": REACH,
    "signals": SIGNALS,
    "trade": TRADE,
    "queue": QUEUE,
    "market": MARKET,
    "epidemic": EPIDEMIC,
    "bazaar": BAZAAR,
    "fair": FAIR,
}
PAIRS = ("reach", "signals")
"""Those of which the tick IR is slow where worlds are large."""
COMPILED = tuple(UNIVERSES) if os.environ.get("HAMLET_LONG_TESTS") == "1" else ("reach", "bazaar", "fair")
CUT = "market"
"""Whose functions are cut into parts, as those of large universes are."""
AGENTS = {1: 70, 2: 70, 5: 60, 64: 5, 85: 7, 129: 3, 257: 2, 1024: 1}
"""Agents of a world, and worlds: chunks that are full, and that are not."""
AMONG_PAIRS = {1: 70, 2: 70, 5: 60, 64: 5, 85: 4, 257: 1}
"""The same for `PAIRS`, in which the interpreter takes the square of the time."""


@dataclass(frozen=True)
class Compiled:
    universe: Universe
    kernels: CpuBackend
    program: Executed


@cache
def compiled(name: str) -> Compiled:
    """A universe, its kernels in two threads, and its program."""
    universe = universe_of(UNIVERSES[name])
    with pytest.MonkeyPatch.context() as patched:
        if name == CUT:
            patched.setattr(parts, "ITEMS", 10)
            patched.setattr(parts, "LARGE", 0)
        module = in_memory(Path(name), build(universe, Options(targets=("c",)), Stopwatch()))
    program = parse_program(module.sources[IR_FILE].decode())
    return Compiled(universe, CpuBackend(universe, just_in_time(module), 2), Executed(universe, program, "ir"))


def sizes(name: str) -> dict[int, int]:
    """On which worlds a universe runs."""
    return AMONG_PAIRS if name in PAIRS else AGENTS


def arrays(buffers: Buffers) -> dict[str, torch.Tensor]:
    """The bits of everything that backends write."""
    found = {**buffers.state, **buffers.outcome, "mask": buffers.mask}
    if buffers.observation is not None and buffers.final_observation is not None:
        found |= {"observation": buffers.observation, "final_observation": buffers.final_observation}
    return {name: each.view(torch.int32) if each.dtype == torch.float32 else each for name, each in found.items()}


def play(universe: Universe, backend: Backend, shape: Shape, observed: bool) -> list[dict[str, torch.Tensor]]:
    """Rollouts from states that were injected, recorded and random; all arrays after each."""
    buffers = allocate(universe, shape, CPU, torch.float32 if observed else None)
    Interpreter(universe, CPU).reset(buffers, Stream(5, 0))
    injector, result = Injector(universe, shape, 11), []
    for number in range(2):
        for field, values in injector.state().items():
            buffers.state[field].copy_(values)
        actions = torch.stack([injector.actions(0.7) for _ in range(2)])
        backend.rollout(buffers, 2, RecordedPolicy(actions), Stream(5, 9 * number), True, None)
        backend.rollout(buffers, 3, RandomPolicy(), Stream(5, 9 * number + 2), number == 1, None)
        result.append({name: each.clone() for name, each in arrays(buffers).items()})
    return result


def agree(name: str, agents: int, other: Callable[[Compiled], Backend]) -> Coverage:
    """Compare another backend with the interpreter; what fired."""
    known = compiled(name)
    shape, fired = Shape(sizes(name)[agents], agents, first_world=3), counting(known.universe)
    expected = play(known.universe, Interpreter(known.universe, CPU, fired), shape, True)
    found = play(known.universe, other(known), shape, True)
    for before, after in zip(expected, found, strict=True):
        for array, values in before.items():
            assert torch.equal(values, after[array]), f"{array} of {name} with {agents} agents"
    return fired


@pytest.mark.parametrize(
    ("name", "agents"),
    [(name, agents) for name in COMPILED for agents in sizes(name)],
)
def test_kernels_and_interpreter_agree(name: str, agents: int) -> None:
    agree(name, agents, lambda known: known.kernels)


@pytest.mark.parametrize("name", UNIVERSES)
def test_the_tick_ir_and_the_interpreter_agree_and_everything_fires(name: str) -> None:
    counts = (1, 64) if name in PAIRS else (1, 1024)
    never = [set(agree(name, agents, lambda known: known.program).never_fired) for agents in counts]
    assert set.intersection(*never) == set()
