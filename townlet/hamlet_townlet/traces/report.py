"""What a replay found, as text and as JSON."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass

from hamlet_townlet.traces.compare import Comparison
from hamlet_townlet.traces.locate import Divergence


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a replay.

    Attributes:
        trace, pack: their names.
        backend: what the universe ran on.
        agents: how many.
        steps: how many were replayed, of `recorded_steps`.
        resets: how many of the recorded ones were replayed.
        comparisons: of each stream, in the order in which a step makes them.
        divergence: the first difference, or `None`.
        stopped: the step at which the universe raised an error that the recorded engine did not, and the error.
        recorded_error: with what the recorded engine stopped after its last step, or "".
        raising: what raises an error here as well: affordances when they are used, bonuses in every step.
    """

    trace: str
    pack: str
    backend: str
    agents: int
    steps: int
    recorded_steps: int
    resets: int
    comparisons: tuple[Comparison, ...]
    divergence: Divergence | None
    stopped: tuple[int, str] | None
    recorded_error: str
    raising: tuple[str, ...]

    @property
    def compared(self) -> int:
        """How many values were compared."""
        return sum(comparison.count or 0 for comparison in self.comparisons)

    @property
    def ok(self) -> bool:
        """Everything that was compared is equal, and that is something."""
        return self.divergence is None and self.stopped is None and self.compared > 0

    def render(self) -> str:
        """A line per stream, then what there is to say about the first difference."""
        steps = f"{self.steps} steps" if self.steps == self.recorded_steps else self._some_steps()
        lines = [f"{self.trace} on {self.pack}, {self.backend}: {self.agents} agents, {steps}, {self.resets} reset(s)"]
        lines += [_line(comparison) for comparison in self.comparisons]
        if self.divergence is not None:
            lines += self.divergence.lines()
        if self.stopped is not None:
            lines.append(f"stopped at step {self.stopped[0]}: {self.stopped[1]}; the recorded engine went on")
        if self.recorded_error and self.steps == self.recorded_steps:
            lines.append(f"the recorded engine stopped at step {self.recorded_steps} with {self.recorded_error}")
            also = ", ".join(self.raising) or "nothing"
            lines.append(f"what the agents did in that step is not recorded; what raises here as well: {also}")
        if self.compared == 0:
            lines.append("nothing was compared: that is a failure")
        elif self.ok:
            lines.append(f"equal in all {self.compared:,} values")
        return "\n".join(lines)

    def _some_steps(self) -> str:
        return f"the first {self.steps} of {self.recorded_steps} steps"

    def to_json(self) -> str:
        """The report as JSON, with a newline at its end."""
        values = {**dataclasses.asdict(self), "compared": self.compared, "equal": self.ok}
        return json.dumps(values, indent=2) + "\n"


def _line(comparison: Comparison) -> str:
    name = f"  {comparison.name:<28}"
    if comparison.count is None:
        return f"{name}              given"
    if comparison.count == 0:
        return f"{name}           0  nothing was recorded"
    line = f"{name}{comparison.count:>12,}  "
    if comparison.first is not None:
        first = ", ".join(map(str, comparison.first))
        return f"{line}{comparison.differing:,} differ, the first at [{first}]"
    if comparison.ulps:
        line += f"equal within {comparison.ulps} ulp (at most {comparison.largest}): library powers, Q3 and Q5"
    else:
        line += "equal"
    return f"{line}; {comparison.zeros:,} zeros have another sign" if comparison.zeros else line
