"""Findings about a universe, each with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil

import numpy as np

from hamlet.interpreter import coverage
from hamlet.schema.roles import fewest_agents, suited_agents
from hamlet.universe import Cascade, Meter, MeterValue, OfAll, Rule, Span, Universe, Upon, nodes
from hamlet_lab.divergence.record import SourceLine, source_at
from hamlet_lab.divergence.session import Side
from hamlet_lab.lint import PLAYERS
from hamlet_lab.lint.farming import farms
from hamlet_lab.lint.fired import FIRING, Fired, fired, reporting
from hamlet_lab.lint.gains import gains_of
from hamlet_lab.lint.players import Gains, worlds_of
from hamlet_lab.lint.seen import Seen, watched
from hamlet_lab.lint.sinking import sinking
from hamlet_lab.lint.worth import Worth, worths
from hamletc.explanation.moment import tick_from
from hamletc.ir.function import Program

TITLES = {
    "H357": "a meter that falls to its floor whatever one does",
    "H358": "an affordance that is never worth its price",
    "H359": "a rule that does not fire",
    "H348": "a reward that can be farmed",
    "H349": "no simple policy survives",
}
"""The titles of codes. They are found by running a universe, so `hamletc check` has none of them."""
LIFE = 500
"""Ticks that players are followed at most."""
TICKS_FIRED = 1_000_000
"""Ticks of agents in which a rule has to fire once."""
TICKS_OF_EACH = 400, 1000
"""Ticks for which each world is watched for what fires: a lifespan, within these bounds."""
MOST_MEANT = 4
"""Meters of a condition that are told, at most."""
OTHERS = 8
"""Agents of a world in which agents have to do with each other."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that may be wrong.

    Attributes:
        code: of `TITLES`.
        subject: the construct, with its line.
        evidence: sentences.
        sure: how sure it is: "by its text", or what it was played by.
        trace: the command that shows it.
    """

    code: str
    subject: SourceLine
    evidence: tuple[str, ...]
    sure: str
    trace: str

    def lines(self) -> list[str]:
        """The finding as text."""
        head = f"warning[{self.code}]: {TITLES[self.code]}: {self.subject.construct}"
        told = [*self.evidence, f"sure {self.sure}", f"see: {self.trace}"]
        return [head, *self.subject.lines()[:1], *(f"  = {each}" for each in told)]


@dataclass(frozen=True, slots=True)
class Lint:
    """A universe under judgement.

    Attributes:
        side: runs it.
        program: as the lowering makes it.
        named: how the user calls it.
        beside: runs a variant of it.
        seed: of all that is drawn.
    """

    side: Side
    program: Program
    named: str
    beside: Callable[[Universe], Side]
    seed: int = 0

    @property
    def universe(self) -> Universe:
        return self.side.universe

    @property
    def life(self) -> int:
        """The ticks that agents are followed."""
        return min(self.universe.lifespan.ticks, LIFE) if self.universe.lifespan is not None else LIFE

    def findings(self, told: Callable[[str], None] = lambda _: None) -> Iterator[Finding]:
        """Everything found, in the order of `TITLES`."""
        agents = fewest_agents(self.universe)
        gains = gains_of(self.universe, self.program)
        told("playing")
        seen = [self._seen(name, agents, gains) for name in PLAYERS]
        yield from self._falling(seen)
        told("what is worth its price")
        yield from self._worthless(agents, gains)
        told("what fires")
        # What agents do to each other fires among several.
        several = suited_agents(self.universe, OTHERS) if _has_others(self.universe) else agents
        yield from self._silent(several, gains)
        told("what can be farmed")
        yield from self._farmed(agents, gains)
        yield from self._surviving(seen)

    def _where(self, seen: Seen) -> str:
        """The options that name the world and the agent of the longest life."""
        options = ("world", seen.place[0]), ("agent", seen.place[1]), ("seed", self.seed)
        return "".join(f" --{name} {number}" for name, number in options if number)

    def _at(self, construct: str, span: Span) -> SourceLine:
        return self.side.with_text(source_at(self.universe, construct, span))

    def _seen(self, name: str, agents: int, gains: Gains) -> Seen:
        return watched(self.side, name, worlds_of(name, agents), self.seed, self.life, gains)

    # --- meters -----------------------------------------------------------------------------------------------------

    def _falling(self, seen: list[Seen]) -> Iterator[Finding]:
        """Meters that fall in every tick by more than all that raises them, and within a life."""
        ticks = sum(each.ticks for each in seen)
        for row, meter in enumerate(self.universe.meters):
            falling = sinking(self.universe, meter)
            if meter.type is not None or falling.falls <= 0:
                continue
            rises = falling.rises
            if rises is not None and falling.ticks(meter.low, rises) <= self.life:
                what = f"at most {rises:.4g} a tick raise it" if rises > 0 else "nothing raises it"
                last = ceil(falling.ticks(meter.low, rises))
                yield self._sinks(meter, f"at least {falling.falls:.4g} a tick lower it, {what}", last, "by its text")
            elif rises != 0 and falling.ticks(meter.low, 0.0) <= self.life and not any(each.rose[row] for each in seen):
                last = ceil(falling.ticks(meter.low, 0.0))
                told = f"at least {falling.falls:.4g} a tick lower it, and it never rose"
                yield self._sinks(meter, told, last, f"by {ticks:,} ticks of {', '.join(PLAYERS)} players")

    def _sinks(self, meter: Meter, told: str, last: int, sure: str) -> Finding:
        return Finding(
            "H357",
            self._at(f"meter {meter.name}", meter.span),
            (f"{told}: at its floor after {last} ticks of at most {self.life}",),
            sure,
            f"hamletc trace {self.named} --state {meter.name} --ticks {last}",
        )

    # --- affordances ------------------------------------------------------------------------------------------------

    def _worthless(self, agents: int, gains: Gains) -> Iterator[Finding]:
        """Affordances of which one use adds nothing to the return, whoever acts afterwards."""
        by_place: dict[int, list[Worth]] = {}
        for worth in worths(self.side, agents, self.seed, self.life, gains):
            by_place.setdefault(worth.affordance, []).append(worth)
        for number, tries in by_place.items():
            if not all(each.never for each in tries):
                continue
            place = self.universe.affordances[number]
            evidence = [
                f"a use adds {each.mean:.4g} ({each.mean - each.half:.4g} .. {each.mean + each.half:.4g}) to the "
                f"return; most with {each.part[0]}: {each.part[1]:.4g}; something in {each.better} of {each.uses} uses"
                for each in tries
            ]
            played = " and ".join(each.player for each in tries)
            yield Finding(
                "H358",
                self._at(f"affordance {place.name}", place.span),
                tuple(evidence),
                f"by {sum(each.uses for each in tries)} uses from random states, each beside a wait with the same "
                f"random numbers; {played} players act afterwards",
                f"hamletc whatif {self.named} --action {place.name}",
            )

    # --- rules ------------------------------------------------------------------------------------------------------

    def _silent(self, agents: int, gains: Gains) -> Iterator[Finding]:
        rules = self.universe.dynamics
        if not rules:
            return
        side = self.beside(reporting(self.universe))
        least, longest = TICKS_OF_EACH
        life = least if self.universe.lifespan is None else self.universe.lifespan.ticks
        seen = fired(side, agents, self.seed, min(max(life, least), longest), TICKS_FIRED, gains)
        for number in np.flatnonzero(~seen.rules).tolist():
            name, times = coverage.rule(rules[number]), int(seen.scattered[number])
            yield Finding(
                "H359",
                self._at(name, rules[number].span),
                (
                    f"its condition did not hold in {seen.ticks:,} ticks of agents" + self._ranges(rules[number], seen),
                    f"from {seen.states:,} states with meters anywhere in their ranges it holds in "
                    + (f"{times:,}: it can, but these players do not get there" if times else "none"),
                ),
                f"by {', '.join(FIRING)} players",
                self._shows(rules[number], seen.examples.get(number)),
            )

    def _ranges(self, rule: Rule | Cascade, seen: Fired) -> str:
        """Where the meters lay that the condition of a rule asks for."""
        asked, names = _conditional(rule), [each.name for each in self.universe.meters]
        told = [
            f"{name} in {seen.low[row]:.4g} .. {seen.high[row]:.4g}" for row, name in enumerate(names) if name in asked
        ][:MOST_MEANT]
        return f", with {' and '.join(told)}" if told else ""

    def _shows(self, rule: Rule | Cascade, example: Mapping[str, float] | None) -> str:
        """A command that shows what a rule writes: where it fires, or in a life in which it does not."""
        names = [each.name for each in self.universe.meters]
        written = [each.meter for statement in rule.body for each in statement.assigns if each.meter in names]
        if written and example is not None:
            asked = {name: float(f"{example[name]:.4g}") for name in names if name in _conditional(rule)}
            tick = tick_from(self.universe, self.program, asked, (f"meter.{written[0]}",))
            amounts = tick.amounts.get(f"meter.{written[0]}", ())
            if any(each.origin.line == rule.span.line and np.isfinite(each.values).any() for each in amounts):
                at = "".join(f" --at {name}={value:g}" for name, value in asked.items())
                return f"hamletc explain {self.named} {written[0]}{at}"
        state = f" --state {written[0]}" if written else ""
        return f"hamletc trace {self.named} --player needy --ticks 200{state}"

    # --- rewards ----------------------------------------------------------------------------------------------------

    def _farmed(self, agents: int, gains: Gains) -> Iterator[Finding]:
        for farm in farms(self.universe, agents, self.seed, self.life, gains):
            name = farm.reward.name
            yield Finding(
                "H348",
                self._at("reward" if name is None else f"reward {name}", farm.reward.span),
                (
                    f"{farm.by} is paid {farm.first:.4g} the first time, and {farm.last:.4g} still the {farm.times}th "
                    f"time of an episode, in {farm.ticks} ticks",
                ),
                "by a player that looks after its meters and does nothing else besides",
                f"hamletc explain {self.named} {farm.by.partition(' ')[2]}",
            )

    # --- survival ---------------------------------------------------------------------------------------------------

    def _surviving(self, seen: list[Seen]) -> Iterator[Finding]:
        universe = self.universe
        deaths = [cause for cause in universe.causes if cause.goal is None]
        if not deaths or universe.lifespan is None or any(each.survived for each in seen):
            return
        best = max(seen, key=lambda each: each.longest)
        ((killer, count),) = best.causes.most_common(1) or [("", 0)]
        cause = next((each for each in universe.causes if each.name == killer), deaths[0])
        lives = ", ".join(f"{each.player} {each.longest}" for each in seen)
        yield Finding(
            "H349",
            self._at(coverage.cause(cause), cause.condition.span),
            (
                f"the longest life in ticks, of {universe.lifespan.ticks}: {lives}",
                f"{count} of {best.lanes} agents of the {best.player} player ended by {killer}",
            ),
            f"by {sum(each.lanes for each in seen)} lives of players that do not plan",
            f"hamletc trace {self.named} --player {best.player}{self._where(best)} --ticks {best.longest}",
        )


def _conditional(rule: Rule | Cascade) -> set[str]:
    """The meters that the condition of a rule asks for."""
    if isinstance(rule, Cascade):
        asked = {rule.source}
        condition = rule.who
    else:
        asked, condition = set[str](), rule.guard
    return asked | ({node.meter for node in nodes(condition) if isinstance(node, MeterValue)} if condition else set())


def _has_others(universe: Universe) -> bool:
    """Whether agents of a world have to do with each other."""
    asks = any(isinstance(node, OfAll | Upon) for node in nodes(universe))
    shares = any(place.capacity is not None for place in universe.affordances)
    return asks or shares or universe.pairs is not None or universe.blocking is not None
