"""Numbered cases: a universe, how it is compiled, on which worlds it runs. A number and the version of the generator
say everything, so a ledger of numbers is a ledger of cases."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias, get_args

import torch
from strategies import numbered

from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import Stream
from hamlet.schema import encodes
from hamlet.schema.roles import suited_agents
from hamlet.schema.room import room
from hamlet.universe import Universe
from hamlet_lab.divergence.session import Scenario
from hamletc.lowering.plan import LIMITS, Limits
from hamletc.passes.pipeline import PASS_NAMES

UNROLLED, BY_TABLE = LIMITS, Limits(affordances=1, cascades=1)
PolicyName: TypeAlias = Literal["random", "recorded", "table", "table of probabilities"]
POLICIES: tuple[PolicyName, ...] = get_args(PolicyName)
SAMPLE = 64
"""Cases that stand for the generator in its version."""
SHAPES = (Shape(131, 1), Shape(67, 3, first_world=1000), Shape(9, 17))
"""Lanes on their own, worlds that share a block of threads, worlds with blocks of their own; no whole blocks."""


@dataclass(frozen=True, slots=True)
class Case:
    """How a universe is compiled and run.

    Attributes:
        alone: the name of a pass that is run alone; `None`: the program without passes in its place.
        limits: what kernels unroll.
        shape: the worlds, fewer agents where they would not fit.
        stream: the random numbers; ticks often wrap at 2**32.
        obs_dtype: of observations, f32 where they cannot be bytes; `None`: none.
        policy: who chooses the actions of the rollout.
        every_tick: whether a rollout observes every tick.
    """

    number: int
    alone: str | None
    limits: Limits
    shape: Shape
    stream: Stream
    obs_dtype: torch.dtype | None
    policy: PolicyName
    every_tick: bool

    def scenario(self, universe: Universe) -> Scenario:
        """On which worlds the universe runs."""
        most, shape = room(universe), self.shape
        agents = suited_agents(universe, shape.agents if most is None else max(min(shape.agents, most), 1))
        fitting, dtype = Shape(shape.worlds, agents, shape.first_world), self.obs_dtype
        if dtype is torch.uint8 and not encodes(universe):
            dtype = torch.float32
        return Scenario(f"case {self.number}", fitting, self.stream, dtype)


def case(number: int) -> Case:
    """The case of this number; every other one has tables."""
    chosen = random.Random(f"case {number}")
    seed = chosen.choice((number, 0x9E3779B97F4A7C15 * (number + 1) % (1 << 64)))
    return Case(
        number,
        chosen.choice(PASS_NAMES) if chosen.randrange(2) else None,
        BY_TABLE if number % 2 else UNROLLED,
        chosen.choice(SHAPES),
        Stream(seed, chosen.choice((0, 3, (1 << 32) - 3))),
        chosen.choice((torch.float32, torch.uint8, torch.bfloat16, None)),
        chosen.choice(POLICIES),
        chosen.choice((False, True)),
    )


def text(number: int) -> str:
    """The source of the universe of this number."""
    return numbered(number)


@cache
def generator() -> str:
    """The version of what makes cases: a hash of the first `SAMPLE` of them, so that a source that moves between files
    stays the version it was."""
    cases = "\0".join(f"{text(number)}\0{case(number)}" for number in range(SAMPLE))
    return hashlib.sha256(cases.encode()).hexdigest()[:12]
