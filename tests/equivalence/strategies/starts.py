"""Start values that read those of what begins before: written when the order of the declarations is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.schema.room import MOST_COUNTED
from hamletc import intervals
from hamletc.intervals import Interval
from strategies.expressions import ORDERINGS, Expressions
from strategies.pieces import MeterPlan

Owner: TypeAlias = Literal["world", "agent", "cell"]
HELD = re.compile("(kept )?(meter [^\n]*? = )\ue000([0-9]+)\ue001")
"""A declaration whose start value is not written yet."""


@dataclass(frozen=True, slots=True)
class Held:
    """A meter, and what it begins with where it reads nothing."""

    plan: MeterPlan
    owner: Owner
    otherwise: str


class Starts(Expressions):
    """Writes start values."""

    _held: tuple[Held, ...] = ()

    def held(self, plan: MeterPlan, owner: Owner, otherwise: str) -> str:
        """A start value with bounds, to be written when all declarations are there."""
        self._held = (*self._held, Held(plan, owner, otherwise))
        return f"\ue000{len(self._held) - 1}\ue001"

    def begun(self, text: str) -> str:
        """The text with all start values."""
        found = [(match, self._held[int(match[3])]) for match in HELD.finditer(text)]
        ranks = {"world": 1, "agent": 2, "cell": 3}
        found.sort(key=lambda each: (0 if each[0][1] else ranks[each[1].owner], each[0].start()))
        starts: dict[str, str] = {}
        earlier: list[Held] = []
        for match, held in found:
            there = [each.plan for each in earlier if each.owner in ("world", held.owner)]
            reads = bool(there) and self.chance(3)
            starts[match[3]] = self._reading(held.plan, there) if reads else held.otherwise
            earlier.append(held)
        return HELD.sub(lambda match: f"{match[1] or ''}{match[2]}{starts[match[3]]}", text)

    def once_lines(self) -> list[str]:
        """Some lets that are drawn once; numbers read them."""
        lines = []
        for number in range(self.pick((0, 0, 0, 1, 2))):
            drawn, lies = self.pick(
                (
                    ("integer(0, 6)", Interval(0.0, 6.0)),
                    ("uniform(-1, 1)", Interval(-1.0, 1.0)),
                    ("choice(0.5, agents)", Interval(0.5, float(MOST_COUNTED))),
                    ("normal(0, 1)", intervals.NORMAL),
                )
            )
            name = self.name(f"drawn{number}", "value")
            lines.append(f"let {self.word(name)} = once {drawn}")
            self.once.append((name, lies))
        return lines

    def _reading(self, plan: MeterPlan, there: list[MeterPlan]) -> str:
        """A value within the bounds, of what is there."""
        low, high, read = self.spell(plan.low), self.spell(plan.high), self.pick(there)
        name = self.word(read.name)
        match self.integer(0, 4):
            case 0:
                value = f"clamp({name}, {low}, {high})"
            case 1:
                bar = self.spell(self.constant(read.low, read.high))
                value = f"if {name} {self.pick(ORDERINGS)} {bar} then {low} else {high}"
            case 2:
                value = f"clamp({name} * uniform(0, 1), {low}, {high})"
            case 3:
                value = f"choice({low}, clamp({name}, {low}, {high}))"
            case _:
                value = f"clamp(0.5 * {name} + 0.5 * {self.word(self.pick(there).name)}, {low}, {high})"
        return f"{value} in {low} .. {high}"
