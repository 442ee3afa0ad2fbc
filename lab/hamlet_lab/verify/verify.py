"""The scenarios in which backends are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from hamlet.backend.buffers import Buffers, Shape
from hamlet.backend.protocol import RandomPolicy, RecordedPolicy, Stream
from hamlet.interpreter import Coverage, Interpreter
from hamlet.schema.observed import encodes, fits_bfloat16
from hamlet.schema.room import room
from hamlet.universe import Universe
from hamlet_lab.verify.events import Candidate, Event, Inject, Jump, Reset, Rollout, Step, ticks_of
from hamlet_lab.verify.inject import Injector
from hamlet_lab.verify.rare import rare_ticks
from hamlet_lab.verify.report import Report
from hamlet_lab.verify.script import Script
from hamlet_lab.verify.session import CPU, Scenario, Session
from hamlet_lab.verify.tables import some_table


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is compared.

    Attributes:
        worlds: worlds of one agent; a third as many worlds of three agents. Not a multiple of any block size.
        ticks: ticks of random play, and of each rollout.
        rounds: injected states, at most: no more than `rounds // 8` once everything has fired.
        compact: the types of observations beside f32, one or two. Numba compiles for each of them.
    """

    worlds: int
    ticks: int
    rounds: int
    compact: tuple[torch.dtype, ...] = (torch.bfloat16, torch.uint8)


class Running(Protocol):
    """What is being run: the buffers and the random numbers before the next event."""

    @property
    def reference(self) -> Buffers: ...

    @property
    def stream(self) -> Stream: ...


RARE_ROUNDS = 8
"""Injected states in which something with a small chance happens."""
QUICK = Effort(67, 9, 64, (torch.uint8,))
THOROUGH = Effort(261, 61, 256)


def verify(
    universe: Universe,
    candidates: Sequence[Candidate],
    effort: Effort = THOROUGH,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Report:
    """Compare backends with the interpreter (on the CPU) bit for bit, until the first difference.

    Every field of the state, outcome, observation, final observation, mask and count is compared after every event:
    resets, ticks of random play and of a script that visits every affordance, ticks from injected states, rollouts.

    Args:
        universe: what the candidates run.
        candidates: the backends to compare; with none of them, nothing is compared and the report is not ok.
        effort: how much to compare.
        seed: of everything that is drawn.
        progress: is told again and again which share is done, from 0 on and never less than before.
    """
    coverage = Coverage(universe)
    interpreter = Interpreter(universe, CPU, coverage)
    compared = ticks = 0
    divergence = None
    tell = progress or (lambda _: None)
    planned = scenarios(universe, effort, seed)
    work = [_work(scenario, universe, effort) for scenario in planned]
    for number, scenario in enumerate(planned):
        session = Session(universe, interpreter, tuple(candidates), scenario)
        begin, done = sum(work[:number]), 0
        tell(begin / sum(work))
        for event in events(scenario.name, universe, session, coverage, effort, seed):
            divergence = session.run(event)
            done += 1 + ticks_of(event)
            tell((begin + min(done, work[number])) / sum(work))
            if divergence is not None:
                break
        compared += session.compared
        ticks += session.ticks * scenario.shape.lanes
        if divergence is not None:
            break
    names = tuple(candidate.backend.name for candidate in candidates)
    return Report(universe.name, names, compared, ticks, dict(coverage.counts), divergence)


def _work(scenario: Scenario, universe: Universe, effort: Effort) -> int:
    """The events of a scenario and their ticks. Of injected states it is those without which nothing is verified; more
    follow as long as something has not fired."""
    match scenario.name:
        case "random play":
            return 2 * (effort.ticks + 1)
        case "script":
            return 2 * min(Script(universe, scenario.shape.lanes).length, 4 * effort.ticks) + 1
        case "rollouts":
            return 9 + 5 * effort.ticks
        case _:
            return 1 + 5 * (effort.rounds // 8)


def scenarios(universe: Universe, effort: Effort, seed: int) -> tuple[Scenario, ...]:
    """All scenarios. Seeds use both halves of their 64 bits, ticks wrap at 2**32, shards begin in the middle."""
    most = room(universe)
    agents = 3 if most is None else max(min(3, most), 1)
    single, several = Shape(effort.worlds, 1), Shape(effort.worlds // 3 + 1, agents, first_world=1000)
    near_wrap = Stream(seed, (1 << 32) - 6)
    far = Stream((0x9E3779B97F4A7C15 * (seed + 1)) % (1 << 64), 3)
    fits = {torch.uint8: encodes(universe), torch.bfloat16: fits_bfloat16(universe)}
    compact = [dtype if fits.get(dtype, True) else torch.float32 for dtype in effort.compact]
    return (
        Scenario("random play", single, far, torch.float32),
        Scenario("random play", several, Stream(seed, 0), compact[0]),
        Scenario("script", single, Stream(seed, 0), torch.float32),
        Scenario("script", several, far, None),
        Scenario("rollouts", several, near_wrap, torch.float32),
        Scenario("rollouts", single, far, compact[-1]),
        Scenario("injected states", several, Stream(seed, 0), torch.float32),
        Scenario("injected states", single, far, torch.float32),
    )


def events(
    name: str, universe: Universe, session: Running, coverage: Coverage, effort: Effort, seed: int
) -> Iterator[Event]:
    """The events of a scenario, one after the other: scripts look at what the last one did."""
    shape = session.reference.shape
    injector = Injector(universe, shape, seed)
    yield Reset()
    match name:
        case "random play":
            for _ in range(effort.ticks):
                yield Step(injector.actions(0.1))
            yield Reset()
        case "script":
            script = Script(universe, shape.lanes)
            for _ in range(min(script.length, 4 * effort.ticks)):
                yield Step(script.actions(session.reference))
        case "rollouts":
            for observe_every_tick in (True, False):
                yield Inject(injector.state())
                yield Rollout(effort.ticks, RandomPolicy(), observe_every_tick)
                actions = torch.stack([injector.actions(0.3) for _ in range(effort.ticks)])
                yield Rollout(effort.ticks, RecordedPolicy(actions), observe_every_tick)
            yield Inject(injector.state())
            yield Rollout(effort.ticks, some_table(universe, shape.agents == 1, seed), shape.agents > 1)
        case "injected states":
            for index in range(effort.rounds):
                if index >= effort.rounds // 8 and not coverage.never_fired:
                    break
                yield Inject(injector.state())
                yield Step(injector.actions(0.5))
                yield Step(injector.actions(0.5))
            for tick in rare_ticks(universe, coverage.never_fired, shape, session.stream):
                for _ in range(RARE_ROUNDS):
                    yield Inject(injector.state())
                    yield Jump(tick)
                    yield Step(injector.actions(0.5))
        case _:
            raise ValueError(f"no scenario is called {name}")
