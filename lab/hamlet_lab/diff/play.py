"""Two contenders in the scenarios of a verification, until they part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf

import torch

from hamlet.errors import EnvError
from hamlet.interpreter import Coverage
from hamlet.schema.observed import encodes
from hamlet.schema.room import room
from hamlet_lab.diff.contender import Contender
from hamlet_lab.diff.match import Match
from hamlet_lab.diff.parting import Parting
from hamlet_lab.verify import Effort
from hamlet_lab.verify.events import Event
from hamlet_lab.verify.session import Scenario
from hamlet_lab.verify.verify import events, scenarios


@dataclass(frozen=True, slots=True)
class Played:
    """How two runs compare.

    Attributes:
        compared: how many values.
        ticks: how many agent-ticks either side ran.
        coverage: how often each construct of the left universe fired.
        parting: where they part; `None` where they never did.
        skipped: what only the left side can do, in words.
    """

    compared: int
    ticks: int
    coverage: dict[str, int]
    parting: Parting | None
    skipped: tuple[str, ...]


def play(left: Contender, right: Contender, effort: Effort, seed: int) -> Played:
    """Run both sides through all scenarios, or until they part; where one is recorded, through that run."""
    coverage = Coverage(left.universe)
    compared = ticks = 0
    parting = None
    skipped: list[str] = []
    for scenario in _scenarios(left, right, effort, seed):
        match = Match(left, right, scenario, coverage)
        for event in _events(left, right, match, scenario, coverage, effort, seed):
            parting = match.run(event)
            if parting is not None:
                break
        compared += match.compared
        ticks += match.ticks * scenario.shape.lanes
        skipped += match.skipped
        if parting is not None:
            break
    return Played(compared, ticks, dict(coverage.counts), parting, tuple(dict.fromkeys(skipped)))


def _scenarios(left: Contender, right: Contender, effort: Effort, seed: int) -> list[Scenario]:
    recording = left.recording or right.recording
    if recording is not None:
        return [recording.scenario]
    # Both sides need a free cell for every agent.
    smaller = min(left.universe, right.universe, key=lambda universe: inf if (most := room(universe)) is None else most)
    # Both sides have to observe in the same type.
    if not (encodes(left.universe) and encodes(right.universe)):
        effort = replace(effort, compact=tuple(torch.float32 if d is torch.uint8 else d for d in effort.compact))
    # Those first that share the types of their arrays: kernels are compiled for each.
    return sorted(scenarios(smaller, effort, seed), key=lambda each: each.obs_dtype is not torch.float32)


def _events(
    left: Contender,
    right: Contender,
    match: Match,
    scenario: Scenario,
    coverage: Coverage,
    effort: Effort,
    seed: int,
) -> Iterator[Event]:
    recorded = [each.recording for each in (left, right) if each.recording is not None]
    if not recorded:
        return events(scenario.name, left.universe, match, coverage, effort, seed)
    first, last = recorded[0], recorded[-1]
    same = (first.shape, first.seed) == (last.shape, last.seed) and torch.equal(first.kinds, last.kinds)
    if not same or not torch.equal(first.actions, last.actions):
        raise EnvError(f"{left.label} and {right.label} are of different worlds, seeds or actions")
    return first.events()
