"""Scenarios in which sides are compared: random play, scripts, rollouts, injected states, and rare events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import RandomPolicy, RecordedPolicy, Stream
from hamlet.interpreter import Coverage, coverage
from hamlet.numbers.binary32 import round32
from hamlet.numbers.counters import BLOCK_WORDS, LANE_DRAWS, WORLD_DRAWS
from hamlet.numbers.random import WORD, philox, share
from hamlet.schema.observed import encodes, fits_bfloat16
from hamlet.schema.roles import suited_agents
from hamlet.schema.room import room
from hamlet.universe import Among, DrawChance, DrawChoice, Number, Universe, draws, meet, nodes
from hamlet_lab.divergence.events import Event, Inject, Jump, Reset, Rollout, Step
from hamlet_lab.divergence.session import Scenario, Session
from hamlet_lab.verify.injection import Injector
from hamlet_lab.verify.players import Acting, Script, some_table

LOOKED_AT = 1 << 24
"""Words that are looked at for each draw: a chance of one in a million is found nearly always."""
AT_ONCE = 1 << 20
CROWD, LARGE = 37, 300
"""Agents of a world, beside 1 and 3, where agents meet."""
RARE_ROUNDS = 8
"""Injected states in which something with a small chance happens."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is compared.

    Attributes:
        worlds: worlds of one agent; a third as many worlds of three agents. Not a multiple of any block size.
        ticks: ticks of random play, and of each rollout.
        rounds: injected states, at most: no more than `rounds // 8` once everything has fired.
        compact: the types of observations beside f32, one or two. Kernels in C are compiled for each of them.
    """

    worlds: int
    ticks: int
    rounds: int
    compact: tuple[torch.dtype, ...] = (torch.bfloat16, torch.uint8)


QUICK = Effort(67, 9, 64, (torch.uint8,))
THOROUGH = Effort(261, 61, 256)


def scenarios(universes: Sequence[Universe], effort: Effort, seed: int) -> list[Scenario]:
    """All scenarios for sides with these universes. Seeds use both halves of their 64 bits, ticks wrap at 2**32, shards
    begin in the middle. There is room for the agents and for the values of all universes."""
    most = min((each for each in map(room, universes) if each is not None), default=schema.MOST_AGENTS)
    agents = max(min(3, most), 1)
    single = Shape(effort.worlds, suited(universes, 1))
    several = Shape(effort.worlds // 3 + 1, suited(universes, agents), first_world=1000)
    # In half of the scenarios worlds whose episode ended wait for a tick.
    ends = not any(universe.by_hand for universe in universes)
    waiting = replace(several, waits=ends), replace(single, waits=ends)
    near_wrap = Stream(seed, (1 << 32) - 6)
    far = Stream((0x9E3779B97F4A7C15 * (seed + 1)) % (1 << 64), 3)
    fits = {torch.uint8: all(map(encodes, universes)), torch.bfloat16: all(map(fits_bfloat16, universes))}
    compact = [dtype if fits.get(dtype, True) else torch.float32 for dtype in effort.compact]
    planned: tuple[Scenario, ...] = (
        Scenario("random play", single, far, torch.float32),
        Scenario("random play", waiting[0], Stream(seed, 0), compact[0]),
        Scenario("script", single, Stream(seed, 0), torch.float32),
        Scenario("script", several, far, None),
        Scenario("rollouts", several, near_wrap, torch.float32),
        Scenario("rollouts", waiting[1], far, compact[-1]),
        Scenario("injected states", waiting[0], Stream(seed, 0), torch.float32),
        Scenario("injected states", single, far, torch.float32),
    )
    if any(map(meet, universes)):
        # Whole worlds of a size that is no power of two, and one world that is larger than a chunk or a block.
        crowd, large = (
            Shape(max(effort.worlds // 16, 1), suited(universes, min(CROWD, most)), 7, ends),
            Shape(2, suited(universes, min(LARGE, most)), 5, ends),
        )
        planned = (
            *planned,
            Scenario("random play", crowd, near_wrap, torch.float32),
            Scenario("injected states", crowd, far, torch.float32),
            Scenario("rollouts", large, Stream(seed, 1), torch.float32),
        )
    # Those first that share the types of their arrays: kernels are compiled for each.
    return sorted(planned, key=lambda each: each.obs_dtype is not torch.float32)


def suited(universes: Sequence[Universe], agents: int) -> int:
    """A number of agents that the roles of all universes allow, if there is one."""
    for universe in universes:
        agents = suited_agents(universe, agents)
    return agents


def work(scenario: Scenario, universe: Universe, effort: Effort) -> int:
    """The events of a scenario and their ticks. Of injected states it is those without which nothing is verified; more
    follow as long as something has not fired."""
    match scenario.name:
        case "random play":
            return 2 * (effort.ticks + 2) + 1
        case "script":
            return 2 * min(Script(universe, scenario.shape.lanes).length, 4 * effort.ticks) + 1
        case "rollouts":
            return 9 + 5 * effort.ticks
        case _:
            return 1 + 5 * (effort.rounds // 8)


def events(
    universe: Universe,
    scenario: str,
    session: Session,
    fired: Coverage,
    effort: Effort,
    seed: int,
    acting: Acting | None = None,
) -> Iterator[Event]:
    """The events of a scenario, one after the other: scripts look at what the last one did. `acting` acts in rollouts
    that observe f32 too."""
    shape = session.reference.shape
    injector = Injector(universe, shape, seed)
    yield Reset()
    match scenario:
        case "random play":
            for _ in range(effort.ticks):
                yield Step(injector.actions(0.1), injector.controls())
            yield Reset(torch.arange(shape.worlds) % 3 != 1)
            yield Step(injector.actions(0.1), injector.controls())
            yield Reset()
        case "script":
            script = Script(universe, shape.lanes)
            for _ in range(min(script.length, 4 * effort.ticks)):
                yield Step(script.actions(session.reference), injector.controls())
        case "rollouts":
            for observe_every_tick in (True, False):
                yield Inject(injector.state())
                by_tick = {} if observe_every_tick else injector.by_tick(effort.ticks, "inputs")
                yield Rollout(effort.ticks, RandomPolicy(), observe_every_tick, by_tick)
                actions = torch.stack([injector.actions(0.3) for _ in range(effort.ticks)])
                by_tick = injector.by_tick(effort.ticks, *schema.GIVEN_BY_TICK)
                yield Rollout(effort.ticks, RecordedPolicy(actions), observe_every_tick, by_tick)
            yield Inject(injector.state())
            yield Rollout(effort.ticks, some_table(universe, shape.agents == 1, seed), shape.agents > 1)
            seen = session.reference.observation
            if acting is not None and seen is not None and seen.dtype is torch.float32:
                for observe_every_tick in (True, False):
                    yield Inject(injector.state())
                    yield Rollout(effort.ticks, acting, observe_every_tick)
        case "injected states":
            for index in range(effort.rounds):
                if index >= effort.rounds // 8 and not fired.never_fired:
                    break
                yield Inject(injector.state())
                yield Step(injector.actions(0.5))
                yield Step(injector.actions(0.5), injector.controls())
            for tick in rare_ticks(universe, fired.never_fired, shape, session.stream):
                for _ in range(RARE_ROUNDS):
                    yield Inject(injector.state())
                    yield Jump(tick)
                    yield Step(injector.actions(0.5))
        case _:
            raise ValueError(f"no scenario is called {scenario}")


def rare_ticks(universe: Universe, never_fired: Sequence[str], shape: Shape, stream: Stream) -> Iterator[int]:
    """For each `chance` of a constant that never held, or never failed, and each option with a weight that was never
    chosen: a tick in which that happens for some lane."""
    of_others = {draw.site for draw in draws((universe.cells, universe.pairs))}
    of_worlds = {draw.site for draw in draws(universe.world)}
    of_worlds -= {draw.site for node in nodes(universe.world) if isinstance(node, Among) for draw in draws(node)}
    of_world = () if universe.world is None else universe.world.meters
    starts = (*(meter.start for meter in universe.meters), *(meter.start for meter in of_world))
    of_episodes = {draw.site for draw in draws(starts)}
    for draw in draws(universe):
        if draw.site in of_episodes or draw.site in of_others:
            continue
        counters = _Counters(draw.site, draw.site in of_worlds, shape, stream)
        match draw:
            case DrawChance(probability=Number(value=value)):
                for event in ("holds", "fails"):
                    if coverage.draw(draw, event) in never_fired:
                        yield from counters.first(partial(_happens, round32(value), event == "holds"))
            case DrawChoice(thresholds=(_, *_) as thresholds):
                for number, (begin, end) in enumerate(pairwise((0, *thresholds, WORD + 1)), start=1):
                    if coverage.draw(draw, f"option {number}") in never_fired:
                        yield from counters.first(partial(_between, begin, end))
            case _:
                pass


def _happens(probability: float, holds: bool, words: Tensor) -> Tensor:
    return (share(words) < probability) == holds


def _between(begin: int, end: int, words: Tensor) -> Tensor:
    return (begin <= words) & (words < end)


@dataclass(frozen=True, slots=True)
class _Counters:
    """Counters of the words of a site: one for each world, or for each lane."""

    site: int
    of_worlds: bool
    shape: Shape
    stream: Stream

    def first(self, condition: Callable[[Tensor], Tensor]) -> Iterator[int]:
        """The first tick with a wanted word, if there is one among those that are looked at."""
        each = 1 if self.of_worlds else self.shape.agents
        numbers = (torch.arange(self.shape.worlds * each) + self.shape.first_world * each).unsqueeze(1) & WORD
        at_once = max(AT_ONCE // len(numbers), 1)
        for begin in range(0, LOOKED_AT // len(numbers), at_once):
            ticks = torch.arange(begin, begin + at_once)
            block = torch.full_like(ticks, self.site // BLOCK_WORDS)
            last = torch.full_like(ticks, WORLD_DRAWS if self.of_worlds else LANE_DRAWS)
            words = philox((numbers, ticks, block, last), (self.stream.low, self.stream.high))
            worlds = condition(words[self.site % BLOCK_WORDS]).any(dim=0).nonzero()
            if len(worlds) > 0:
                yield begin + int(worlds[0])
                return
