"""What blocks: agents that keep each other from moving, and solid affordances."""

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
    said: str
    held: Span

    def told(self) -> Told:
        hint = "Keep what is asked of all agents in a state that a rule writes, and let the action read that."
        message = f"where `{self.action}` leads depends on all agents, and these are in each other's way"
        return Told(message, hint, "this is known when everybody's goal is", (Label(self.held, self.said),))


@finding("H334")
class WalkOfAllAgents(Finding):
    action: str
    affordance: str
    served: Span

    def told(self) -> Told:
        hint = "Keep what is asked of all agents in a state that a rule writes, and let the action read that."
        message = f"where `{self.action}` leads depends on all agents, and it may walk into what has places to claim"
        label = Label(self.served, f"places of `{self.affordance}` are given when everybody's goal is known")
        return Told(message, hint, "this is known when everybody's goal is", (label,))


@finding("H296")
class SolidWithoutGrid(Finding):
    affordance: str

    def told(self) -> Told:
        hint = "Leave `solid` out, or use `space grid` or `space hexagons`."
        return Told(f"`{self.affordance}` cannot be solid: that needs the cells of a grid", hint)


@finding("H296")
class SolidThatMoves(Finding):
    affordance: str

    def told(self) -> Told:
        hint = "Leave `solid` out, or let it stay where it is; with `appears when` it can come and go."
        return Told(f"`{self.affordance}` moves, so it cannot be solid: it would meet agents", hint)


@finding("H296")
class SolidTrackedByWorld(Finding):
    affordance: str

    def told(self) -> Told:
        hint = "Write `track uses`: then each agent remembers its own."
        return Told(f"uses of `{self.affordance}`, which is solid, cannot be tracked by world", hint)


@finding("H297")
class SolidStart(Finding):
    affordance: str
    why: str

    def told(self) -> Told:
        hint = 'Put it elsewhere, or say by a letter of the map where agents start, as in `starts "a"`.'
        return Told(f"an agent could start on `{self.affordance}`, which is solid", hint, self.why)
