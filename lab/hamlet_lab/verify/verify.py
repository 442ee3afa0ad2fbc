"""Sides in all scenarios until one parts from the left one, and what is said of that."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

import torch

from hamlet.errors import EnvError
from hamlet.interpreter import Interpreter
from hamlet.universe import Universe
from hamlet_lab.divergence.events import CPU, Candidate, ticks_of
from hamlet_lab.divergence.locate import locate
from hamlet_lab.divergence.record import Divergence
from hamlet_lab.divergence.session import Parting, Session, Side
from hamlet_lab.divergence.versions import NOTHING_APART, Apart
from hamlet_lab.verify.fired import counting
from hamlet_lab.verify.naming import named
from hamlet_lab.verify.players import Acting
from hamlet_lab.verify.recording import Playback, Recording
from hamlet_lab.verify.scenarios import THOROUGH, Effort, events, scenarios, work


@dataclass(frozen=True, slots=True)
class Comparison:
    """How sides compare.

    Attributes:
        left, others: what a user calls the sides; the others are held to the left one.
        compared: how many values.
        ticks: agent-ticks that each side ran.
        coverage: how often each construct of the left universe fired, in the order of a tick; see
            `hamlet_lab.verify.fired`, and of draws `hamlet_lab.verify.naming`.
        divergence: the first difference, or `None`.
        skipped: what only the left side can do, and so was not run.
        must_fire: how many of the constructs, for the comparison to count.
        apart: what the universes do not have in common.
        common: only the rest was to be compared; without it nothing is compared where they have something apart.
    """

    left: str
    others: tuple[str, ...]
    compared: int
    ticks: int
    coverage: Mapping[str, int]
    divergence: Divergence | None = None
    skipped: tuple[str, ...] = ()
    must_fire: Literal["all", "some"] = "some"
    apart: Apart = NOTHING_APART
    common: bool = False

    @property
    def equal(self) -> bool:
        """No difference was found in what was to be compared."""
        return self.divergence is None and (self.common or not self.apart)

    @property
    def never_fired(self) -> tuple[str, ...]:
        """Constructs that were never exercised."""
        return tuple(name for name, count in self.coverage.items() if count == 0)

    @property
    def ok(self) -> bool:
        """No difference was found, in a comparison that compared something, in which as much fired as must."""
        fired = any(self.coverage.values()) if self.must_fire == "some" else not self.never_fired
        return self.equal and self.compared > 0 and fired

    def render(self, counts: bool = False) -> str:
        """The comparison as text; with `counts`, also how often each construct fired."""
        lines = self._apart()
        if self.divergence is not None:
            lines += self.divergence.lines()
        elif not self.equal:
            lines.append("no values were compared: `hamletc diff --common` compares those that both have")
        elif self.compared == 0:
            lines.append("nothing was compared: that is a failure")
        else:
            lines += self._equal()
        if counts:
            lines += [f"  {count:>12,}  {name}" for name, count in self.coverage.items()]
        return "\n".join(lines)

    def _apart(self) -> list[str]:
        sides = (self.left, self.apart.left), (", ".join(self.others), self.apart.right)
        lines = [f"only {label} has {name}" for label, names in sides for name in names]
        return [*lines, *(f"in another order: {kind}" for kind in self.apart.reordered)]

    def _equal(self) -> list[str]:
        names, last = ", ".join((self.left, *self.others[:-1])), self.others[-1]
        values = f"{self.compared:,} values" + (" that both have, in a run" if self.apart else "")
        lines = [f"{names} and {last} are equal in all {values} of {self.ticks:,} agent-ticks"]
        lines += [f"not run, as {last} has no such actions or features: {event}" for event in self.skipped]
        fired = len(self.coverage) - len(self.never_fired)
        lines.append(f"{fired} of {len(self.coverage)} constructs fired")
        lines += [f"  never fired, so not verified: {name}" for name in self.never_fired]
        return lines if fired else [*lines, "nothing happened that could differ: that is a failure"]

    def to_json(self) -> str:
        """The comparison as JSON."""
        return json.dumps(asdict(self) | {"ok": self.ok}, indent=2, ensure_ascii=False)


def verify(
    universe: Universe,
    candidates: Sequence[Candidate],
    effort: Effort = THOROUGH,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Comparison:
    """Compare backends with the interpreter (on the CPU) bit for bit, until the first difference.

    Every field of the state, outcome, observation, final observation, mask and count is compared after every event:
    resets, ticks of random play and of a script that visits every affordance, ticks from injected states, rollouts.

    Args:
        universe: what the candidates run.
        candidates: the backends to compare; with none of them, nothing is compared and the result is not ok.
        effort: how much to compare.
        seed: of everything that is drawn.
        progress: is told again and again which share is done, from 0 on and never less than before.
    """
    interpreter = Candidate(Interpreter(universe, CPU), CPU)
    left, *others = (
        Side(f"{universe.name}@{each.backend.name}", universe, each) for each in (interpreter, *candidates)
    )
    return replace(play(left, others, effort, seed, progress), must_fire="all")


def play(
    left: Side,
    others: Sequence[Side],
    effort: Effort,
    seed: int,
    progress: Callable[[float], None] | None = None,
    record: Callable[[Parting], Divergence] = locate,
    acting: Acting | None = None,
) -> Comparison:
    """Run all sides through all scenarios, or until one parts from the left one; a recorded one is run as it was.

    Args:
        record: makes the record of a parting: `locate`, or with its cause `hamlet_lab.divergence.cause.explained`.
        acting: a policy that acts in rollouts too.
    """
    coverage, universe = counting(left.universe), left.universe
    sides = (left, *others)
    recording = _recording(sides)
    planned = [recording.scenario] if recording else scenarios([side.universe for side in sides], effort, seed)
    amounts = [2 * len(recording.kinds) if recording else work(each, universe, effort) for each in planned]
    tell = progress or (lambda _: None)
    compared = ticks = 0
    parting: Parting | None = None
    skipped: dict[str, None] = {}
    for number, scenario in enumerate(planned):
        session, begin, done = Session(left, others, scenario, coverage), sum(amounts[:number]), 0
        tell(begin / sum(amounts))
        happens = (
            recording.events()
            if recording
            else events(universe, scenario.name, session, coverage, effort, seed, acting)
        )
        for event in happens:
            parting = session.run(event)
            done += 1 + ticks_of(event)
            tell((begin + min(done, amounts[number])) / sum(amounts))
            if parting is not None:
                break
        compared += session.compared
        ticks += session.ticks * scenario.shape.lanes
        skipped |= dict.fromkeys(session.skipped)
        if parting is not None:
            break
    names = tuple(side.label for side in others)
    divergence = None if parting is None else record(parting)
    return Comparison(left.label, names, compared, ticks, named(left, coverage.counts), divergence, tuple(skipped))


def _recording(sides: Sequence[Side]) -> Recording | None:
    """The run that a side gives again; the others have to run the same."""
    backends = [(side, side.candidate.backend) for side in sides]
    recorded = [(side, backend.recording) for side, backend in backends if isinstance(backend, Playback)]
    if not recorded:
        return None
    (left, first), (right, last) = recorded[0], recorded[-1]
    same = (first.shape, first.seed) == (last.shape, last.seed) and torch.equal(first.kinds, last.kinds)
    if not same or not torch.equal(first.actions, last.actions):
        raise EnvError(f"{left.label} and {right.label} are of different worlds, seeds or actions")
    return first
