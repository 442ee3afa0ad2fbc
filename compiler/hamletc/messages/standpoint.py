"""What has no value where it stands: each agent's own in a world, what is not known yet, what was."""

from __future__ import annotations

from typing import Literal

from hamletc.diagnostics import Finding, Told, finding

NEEDS = "`needs` says what can be done, which an agent is told before it acts"
BETWEEN: dict[Literal["mask", "acts", "observe"], tuple[str, str]] = {
    "mask": ("allow", "masks are made between ticks"),
    "acts": ("acts when", "who acts in a tick is known before it"),
    "observe": ("observe", "agents observe between ticks"),
}
"""What stands between two ticks, and why what happens in ticks has no value there."""


@finding("H092")
class OfAgentInWorld(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Count agents, or join what they have: `count(energy < 0.2)`, `total(x)`, `highest(x)`."
        if self.thing == "`age`":
            hint = "`every 24 ticks` and `after 100 ticks` count the ticks of the world; its meters can, too."
        return Told(f"{self.thing} is another for each agent", hint, "a world has none")


@finding("H183")
class OfAgentInCell(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Join what the agents on the cell have: `count(action == EAT)`, `total(x)`, `highest(x)`."
        return Told(f"{self.thing} is what an agent has", hint, "a cell has none")


@finding("H095")
class OfAgentInCapacity(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Write a number, params, meters of the world or `hour`; who comes first is said behind `to`."
        return Told(f"{self.thing} is another for each agent, and all share the places", hint)


@finding("H175")
class OfAgentInOpening(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Read params, meters of the world and `hour`; what an agent must have is said by `needs`."
        return Told(f"{self.thing} is another for each agent, and an affordance is open for all or none", hint)


@finding("H200")
class NobodyAsked(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Ask all agents: `count(apart <= 2)`, `total(gift when wants == own(agent))`."
        return Told(f"{self.thing} says nothing here", hint, "no other agent is asked")


@finding("H201")
class WorldAsks(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Let a rule of the agents find it, and keep it in a meter that the world can count."
        return Told(f"{self.thing} is about an agent that asks", hint, "here a world asks")


@finding("H202")
class OwnInOwn(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Inside `own( )` all is the asking agent's: leave it out there."
        return Told(f"{self.thing} says nothing inside `own( )`", hint)


@finding("H059")
class UnknownBetween(Finding):
    """What has no value between ticks, where masks are made and agents observe."""

    thing: str
    scope: Literal["mask", "acts", "observe"]

    def told(self) -> Told:
        hint = "Use the values that agents have now."
        word, label = BETWEEN[self.scope]
        return Told(f"{self.thing} has no meaning in `{word}`", hint, label)


@finding("H165")
class NoPast(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Write out what it stands for, or let a rule keep it in a state."
        return Told(f"{self.thing} has no past", hint, "inside what looks back")


@finding("H097")
class UnknownOfAll(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Write out what it stands for, or let a rule of the agents keep it in a meter."
        return Told(f"{self.thing} is not known of all agents", hint, "in what agents have together")


@finding("H097")
class NothingInOpening(Finding):
    thing: str

    def told(self) -> Told:
        return Told(f"{self.thing} says nothing here", f"Leave {self.thing} out.", "doors open between ticks")


@finding("H097")
class NothingInClaim(Finding):
    thing: str

    def told(self) -> Told:
        label = "claims are made at the beginning of the tick"
        return Told(f"{self.thing} says nothing here", "Leave `previous` out.", label)


@finding("H058")
class NoPrevious(Finding):
    thing: str

    def told(self) -> Told:
        return Told(f"{self.thing} has no previous value", "Take it out of `previous( )`.", "inside `previous`")


@finding("H082")
class UnknownInNeeds(Finding):
    word: str

    def told(self) -> Told:
        hint = "Leave it out: an affordance is used by `INTERACT` alone, and an own action by itself."
        return Told(f"`{self.word}` is not known in `needs`", hint, NEEDS)


@finding("H082")
class UsedTooEarly(Finding):
    """`used` before all agents have used what they use: where agents are counted, or where something acts."""

    where: Literal["counted", "acting"]

    def told(self) -> Told:
        if self.where == "counted":
            hint = "Let a rule of the world keep it in a meter, which agents see in the next tick; "
            hint += "in `dies when`, `reward` and `report` it is known."
            return Told("`used` is not known of all agents yet", hint, "agents are counted when the tick begins")
        hint = "Read it in `decay`, a rule, a cascade, `dies when`, `reward` or `report`; here, `here` may help."
        return Told("`used` is not known here yet", hint, "this runs before all has been used")


@finding("H184")
class NotOfNeighbours(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Let a rule of cells keep it in a meter, and sum that."
        return Told(f"{self.thing} cannot be asked of other cells", hint, "they are read as they are")
