"""How two runs compare, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from hamlet_lab.diff.finding import Finding, Glimpse
from hamlet_lab.diff.versions import Apart
from hamlet_lab.verify.report import Value


@dataclass(frozen=True, slots=True)
class Where:
    """The first array that differs, and when.

    Attributes:
        run, event: in words.
        tick: ticks before it.
        field: the array and its row.
        world, agent: `None` for an array without worlds or without agents.
        action: of the agent, or "".
        left, right: both values.
    """

    run: str
    event: str
    tick: int
    field: str
    world: int | None
    agent: int | None
    action: str
    left: Value
    right: Value

    def lines(self) -> list[str]:
        place = [self.field]
        place += [f"world {self.world}"] if self.world is not None else []
        place += [f"agent {self.agent}"] if self.agent is not None else []
        place += [f"action {self.action}"] if self.action else []
        return [
            f"  run    {self.run}",
            f"  when   tick {self.tick}, {self.event}",
            f"  where  {', '.join(place)}",
            f"  left   {self.left}",
            f"  right  {self.right}",
        ]


@dataclass(frozen=True, slots=True)
class Report:
    """How two runs compare.

    Attributes:
        left, right: what a user calls the sides.
        compared: how many values were compared.
        ticks: agent-ticks that each side ran.
        coverage: how often each construct of the left universe fired.
        apart: what the universes do not have in common.
        common: only the rest was to be compared; without it nothing is compared where they have something apart.
        skipped: what only the left side can do, and so was not run.
        where, finding: the first array that differs, and the first value that does; `None` where all is equal.
        agents: in a world of the run that differs.
    """

    left: str
    right: str
    compared: int
    ticks: int
    coverage: Mapping[str, int]
    apart: Apart
    common: bool = False
    skipped: tuple[str, ...] = ()
    where: Where | None = None
    finding: Finding | None = None
    agents: int = 1

    @property
    def ok(self) -> bool:
        """All that was asked for is equal, and something was compared and fired."""
        same = self.where is None and (self.common or not self.apart)
        return same and self.compared > 0 and any(self.coverage.values())

    def render(self) -> str:
        """The report as text."""
        lines = self._apart()
        if self.apart and not self.common:
            return "\n".join([*lines, "no values were compared: `hamletc diff --common` compares those that both have"])
        if self.where is None:
            fired = sum(count > 0 for count in self.coverage.values())
            equal = f"are equal in all {self.compared:,} values" + (" that both have, in a run" if self.apart else "")
            lines.append(f"{self.left} and {self.right} {equal} of {self.ticks:,} agent-ticks")
            lines += [f"not run, as {self.right} has no such actions or features: {event}" for event in self.skipped]
            lines.append(f"{fired} of {len(self.coverage)} constructs fired")
            if not self.ok:
                lines.append("nothing happened that could differ: that is a failure")
            return "\n".join(lines)
        lines += [f"{self.left} and {self.right} differ", *self.where.lines()]
        if self.finding is not None:
            lines += ["", *self._found(self.finding)]
        return "\n".join(lines)

    def _apart(self) -> list[str]:
        sides = (self.left, self.apart.left), (self.right, self.apart.right)
        lines = [f"only {label} has {name}" for label, names in sides for name in names]
        return [*lines, *(f"in another order: {kind}" for kind in self.apart.reordered)]

    def _found(self, finding: Finding) -> list[str]:
        place = (
            "" if finding.lane is None else f", world {finding.lane // self.agents}, agent {finding.lane % self.agents}"
        )
        lines = [finding.blame, f"first value that differs, in {finding.phase}{place}:"]
        for side, glimpse in (("left", finding.left), ("right", finding.right)):
            lines += ["", *_glimpse(side, glimpse)]
        return [*lines, *([""] if finding.notes else []), *(f"note: {note}" for note in finding.notes)]

    def to_json(self) -> str:
        """The report as JSON."""
        return json.dumps(asdict(self) | {"ok": self.ok}, indent=2, ensure_ascii=False)


def _glimpse(side: str, glimpse: Glimpse) -> list[str]:
    value = "none" if glimpse.value is None else str(glimpse.value)
    lines = [f"{side:<5}  {value}  in {glimpse.label}"]
    lines += [f"  {glimpse.code}"] if glimpse.code else []
    lines += [f"    {name} = {given}" for name, given in glimpse.inputs]
    return [*lines, *(glimpse.source.lines() if glimpse.source is not None else [])]
