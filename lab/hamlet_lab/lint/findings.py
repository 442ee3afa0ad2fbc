"""Findings about a universe, each with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from hamlet.backend.buffers import Shape
from hamlet.interpreter import coverage
from hamlet.schema.roles import fewest_agents
from hamlet.universe import Assign, Cascade, NoSpace, Rule, Span, Universe, nodes
from hamlet_lab.divergence.record import SourceLine, source_at
from hamlet_lab.divergence.session import Side
from hamlet_lab.lint.players import NAMES, Gains
from hamlet_lab.lint.seen import Seen, camped, fired, watched
from hamletc.explanation.moment import tick_from
from hamletc.ir.evaluate import Array
from hamletc.ir.function import Program

TITLES = {
    "H357": "a meter that falls to its floor whatever one does",
    "H358": "an affordance that no simple policy gains from",
    "H359": "a rule that does not fire",
    "H348": "a reward that can be farmed",
    "H349": "no simple policy survives",
}
"""What each code is about. They are found by running a universe, so `hamletc check` has none of them."""
NORMAL = 2.576
"""The quantile of the normal distribution for an interval of 99%."""
LANES = 48
LIFE = 500
"""Ticks that players are followed at most."""
MOST_AFFORDANCES = 24
FIRING = 1_000_000
"""Ticks of agents in which a rule has to fire once."""
MOST_FIRING = 400
"""Ticks in which each world is watched for what fires, at most."""
FARMED = 40
"""Uses in a row after which a reward still is one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that may be wrong.

    Attributes:
        code: of `TITLES`.
        subject: the construct, with its line.
        evidence: sentences.
        trace: the command that shows it.
    """

    code: str
    subject: SourceLine
    evidence: tuple[str, ...]
    trace: str

    def lines(self) -> list[str]:
        """The finding as text."""
        head = f"warning[{self.code}]: {TITLES[self.code]}: {self.subject.construct}"
        return [head, *self.subject.lines()[:1], *(f"  = {each}" for each in self.evidence), f"  = see: {self.trace}"]


@dataclass(frozen=True, slots=True)
class Lint:
    """A universe under judgement: the side that runs it, its program as the lowering makes it, and how it is called."""

    side: Side
    program: Program
    named: str
    seed: int = 0

    @property
    def universe(self) -> Universe:
        return self.side.universe

    def findings(self, told: Callable[[str], None] = lambda _: None) -> Iterator[Finding]:
        """Everything found, in the order of the codes."""
        agents = fewest_agents(self.universe)
        gains = self._gains()
        life = self.universe.lifespan.ticks if self.universe.lifespan is not None else LIFE
        ticks, worlds = min(life, LIFE), max(1, LANES // agents)
        told("playing")
        seen = [watched(self.side, name, Shape(worlds, agents), self.seed, ticks, gains) for name in NAMES]
        yield from self._falling(seen)
        told("what fires")
        yield from self._silent(agents, gains)
        told("what is worth its price")
        yield from self._worthless(agents, worlds, ticks, gains)
        told("farming")
        yield from self._farmed(agents, worlds)
        yield from self._surviving(seen)

    def _at(self, construct: str, span: Span) -> SourceLine:
        return self.side.with_text(source_at(self.universe, construct, span))

    def _gains(self) -> Gains:
        """What each affordance adds to each meter, at the start of an episode, over all its ticks."""
        universe = self.universe
        lasts = {place.name: max(place.duration or 1, 1) for place in universe.affordances}
        tick = tick_from(universe, self.program, {}, tuple(f"meter.{meter.name}" for meter in universe.meters))
        gains: dict[str, dict[str, float]] = {name: {} for name in lasts}
        for meter in universe.meters:
            for each in tick.amounts.get(f"meter.{meter.name}", ()):
                name = each.origin.construct.name
                if each.origin.construct.kind == "affordance" and name in gains and np.isfinite(each.values[0]):
                    once = gains[name].get(meter.name, 0.0)
                    gains[name][meter.name] = once + float(each.values[0]) * lasts[name]
        return gains

    # --- meters -----------------------------------------------------------------------------------------------------

    def _falling(self, seen: list[Seen]) -> Iterator[Finding]:
        """Meters that nothing raises, and that every player had at their floor in the end."""
        for row, meter in enumerate(self.universe.meters):
            lowered = meter.decay is not None or any(
                isinstance(each, Cascade | Rule) and any(meter.name in one.writes for one in each.body)
                for each in self.universe.dynamics
            )
            raised = any(
                isinstance(node, Assign) and node.meter == meter.name and node.op in ("+=", "=")
                for node in nodes(self.universe)
            )
            if lowered and not raised and not any(each.rose[row] for each in seen) and all(
                each.floor[row] for each in seen
            ):  # fmt: skip
                yield Finding(
                    "H357",
                    self._at(f"meter {meter.name}", meter.span),
                    (
                        "no statement raises it, and nothing did in "
                        f"{sum(each.ticks for each in seen):,} ticks of {', '.join(NAMES)} players",
                        "every agent had it at its floor in the end",
                    ),
                    f"hamletc explain {self.named} {meter.name}",
                )

    # --- rules ------------------------------------------------------------------------------------------------------

    def _silent(self, agents: int, gains: Gains) -> Iterator[Finding]:
        life = self.universe.lifespan.ticks if self.universe.lifespan is not None else LIFE
        ticks = min(life, MOST_FIRING)
        worlds = max(1, -(-FIRING // (3 * ticks * agents)))
        counts, total = fired(self.universe, agents, self.seed, ticks, worlds, gains)
        for each in self.universe.dynamics:
            if counts.counts.get(coverage.rule(each), 1) == 0:
                yield Finding(
                    "H359",
                    self._at(coverage.rule(each), each.span),
                    (f"it did not fire in {total:,} ticks of random, round and needy players",),
                    f"hamletc trace {self.named} --ticks 100",
                )

    # --- affordances ------------------------------------------------------------------------------------------------

    def _worthless(self, agents: int, worlds: int, ticks: int, gains: Gains) -> Iterator[Finding]:
        """Affordances without which every player gains more."""
        universe, shape = self.universe, Shape(worlds, agents)
        if isinstance(universe.space, NoSpace) or not 1 < len(universe.affordances) <= MOST_AFFORDANCES:
            return
        players = ("random", "round", "needy")
        usual = {name: watched(self.side, name, shape, self.seed, ticks, gains).returns for name in players}
        for number, place in enumerate(universe.affordances):
            lost = []
            for name in players:
                without = watched(self.side, name, shape, self.seed, ticks, gains, avoided=number).returns
                by = usual[name] - without
                lost.append((name, float(by.mean()), spread(by)))
                if by.mean() > 0 or (name != "needy" and by.mean() + spread(by) >= 0):
                    break
            else:
                told = (f"{name} {mean:.4g} ({mean - half:.4g} .. {mean + half:.4g})" for name, mean, half in lost)
                yield Finding(
                    "H358",
                    self._at(f"affordance {place.name}", place.span),
                    (f"what players gain by it in an episode, with common random numbers: {', '.join(told)}",),
                    f"hamletc whatif {self.named} --shares affordances",
                )

    # --- rewards ----------------------------------------------------------------------------------------------------

    def _farmed(self, agents: int, worlds: int) -> Iterator[Finding]:
        """Affordances that still reward after many uses, though no meter changes by it any more."""
        universe = self.universe
        if not universe.causes or isinstance(universe.space, NoSpace):
            return
        for number, place in enumerate(universe.affordances):
            share = camped(self.side, number, Shape(worlds, agents), self.seed, FARMED)
            if share is not None and universe.rewards:
                yield Finding(
                    "H348",
                    self._at("reward", universe.rewards[0].span),
                    (
                        f"who uses {place.name} in every tick still gets {share:.4g} more than who waits",
                        f"after {FARMED} uses in a row, and its meters are the same after either",
                    ),
                    f"hamletc trace {self.named} --ticks {FARMED}",
                )

    # --- survival ---------------------------------------------------------------------------------------------------

    def _surviving(self, seen: list[Seen]) -> Iterator[Finding]:
        universe = self.universe
        deaths = [cause for cause in universe.causes if cause.goal is None]
        if not deaths or universe.lifespan is None or any(each.survived for each in seen):
            return
        best = max(seen, key=lambda each: each.longest)
        (killer, count) = best.causes.most_common(1)[0]
        lives = ", ".join(f"{each.player} {each.longest}" for each in seen)
        cause = next((each for each in universe.causes if each.name == killer), deaths[0])
        yield Finding(
            "H349",
            self._at(coverage.cause(cause), cause.condition.span),
            (
                f"the longest life in ticks, of {universe.lifespan.ticks}: {lives}",
                f"{count} of {best.lanes} agents of the {best.player} player ended by {killer}",
            ),
            f"hamletc trace {self.named} --ticks {best.longest}",
        )


def spread(values: Array) -> float:
    """Half of the interval of a mean."""
    return NORMAL * float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else float("inf")
