"""What windows show of the agents on cells."""

from __future__ import annotations

from hamletc.diagnostics import Finding, Told, finding


@finding("H332")
class NotOnCells(Finding):
    """Something that is not found of the agents on each cell."""

    function: str

    def told(self) -> Told:
        hint = "Take `count(c)`, `total(x)`, `average(x)`, `lowest(x)` or `highest(x)`."
        return Told(f"`{self.function}` cannot be asked of the agents on each cell of a window", hint)


@finding("H333")
class NotOfAgentAlone(Finding):
    """What takes more than the agent to know it."""

    def told(self) -> Told:
        hint = "Keep it in a state of agents, which a rule writes: `rule hides: hidden = moss > 0`."
        message = "agents are counted on cells by what they have themselves"
        return Told(message, hint, "this is of where the agent is")
