"""What blocks: agents that keep each other from moving."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding


@finding("H294")
class NobodyMoves(Finding):
    def told(self) -> Told:
        hint = "Give agents moves, or leave `agents block` out."
        return Told("agents block each other, and none of them can move", hint)


@finding("H294")
class SamePriorityOfAll(Finding):
    def told(self) -> Told:
        hint = "Write what differs between agents, as in `agents block to highest energy`, or `agents block` alone."
        return Told("all agents have the same number here", hint)


@finding("H295")
class GoalOfAllAgents(Finding):
    action: str
    blocks: Span

    def told(self) -> Told:
        hint = "Keep what is asked of all agents in a state that a rule writes, and let the action read that."
        message = f"`{self.action}` leads where depends on all agents, and these block each other"
        return Told(message, hint, "this is known when everybody's goal is", (Label(self.blocks, "agents block"),))
