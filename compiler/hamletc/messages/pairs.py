"""What agents have of each other."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding

_ASK = "Ask all agents for it: `total(likes when near)` is what the agent has of those that are near."


@finding("H322")
class PairsOfUnknown(Finding):
    """Pairs of agents of which it is not known how many there are, or of too many; `agents` is what the roles say."""

    agents: int | None
    most: int

    def told(self) -> Told:
        number = "it is not said how many agents a world has" if self.agents is None else f"a world has {self.agents}"
        hint = f"Say by roles how many agents there are, 2 to {self.most} in all: `role villager: 12 agents`."
        return Told(f"agents cannot have something of each other where {number}", hint)


@finding("H323")
class NoStateOfPairs(Finding):
    name: str

    def told(self) -> Told:
        hint = "They have numbers, `state likes: real in 0 .. 1 = 0`, `int` ones, or conditions, `state near = false`."
        return Told(f"`{self.name}` is no state that pairs of agents can have", hint)


@finding("H323")
class PairStateTwice(Finding):
    name: str

    def told(self) -> Told:
        return Told(f"two things are called `{self.name}`", "Give what pairs have a name of its own.")


@finding("H323")
class StartOfOther(Finding):
    """A start value of a pair that would read what another agent begins with."""

    name: str

    def told(self) -> Told:
        hint = "It reads `agent` of the other, `own(e)` of the agent whose it is, what the world has, params, draws."
        return Told(f"a start value of pairs cannot read `{self.name}` of the other agent", hint)


@finding("H323")
class NotOfPairs(Finding):
    def told(self) -> Told:
        hint = "Its statements write what pairs have, as in `likes += 0.1`; rules outside write what agents have."
        return Told("a rule of pairs cannot do this", hint)


@finding("H323")
class ConditionOfPairs(Finding):
    name: str

    def told(self) -> Told:
        return Told(f"`{self.name}` is a condition", f"Write `{self.name} = true`, or any other condition behind `=`.")


@finding("H324")
class PairsOutside(Finding):
    """What a pair has where nobody asks another agent."""

    name: str

    def told(self) -> Told:
        return Told(f"`{self.name}` is of two agents, and here is one alone, or none", _ASK)


@finding("H324")
class OwnOfPairs(Finding):
    name: str

    def told(self) -> Told:
        hint = f"`{self.name}` is what the one that asks has of the other, `{self.name} of other` what that has of it."
        return Told(f"`{self.name}` is of two agents, so it is nobody's own", hint)


@finding("H324")
class WrittenOutside(Finding):
    name: str

    def told(self) -> Told:
        hint = f"Write it in a rule in the braces of `pairs`: `rule meets: apart <= 1 -> {self.name} = ...`."
        return Told(f"`{self.name}` is of two agents, and this statement of one", hint)


_OF_LINKS = "Write the numbers of agents, from 0 on, with `-` for a link that both have: `links wired { 0 - 1 - 2 }`."


@finding("H338")
class NobodyLinked(Finding):
    """A link of an agent that is none; `agents` is how many there are."""

    agent: str
    agents: int

    def told(self) -> Told:
        hint = f"The agents of a world have the numbers 0 to {self.agents - 1}, role by role."
        return Told(f"there is no agent {self.agent} that could have a link", hint)


@finding("H339")
class LinkedToItself(Finding):
    agent: int

    def told(self) -> Told:
        return Told(f"agent {self.agent} has a link to itself", "A link leads to another agent: leave this one out.")


@finding("H339")
class LinkOfOne(Finding):
    agent: str

    def told(self) -> Told:
        return Told(f"agent {self.agent} stands here alone", _OF_LINKS)


@finding("H340")
class LinkedTwice(Finding):
    """A link that is there already, since `before`."""

    first: int
    second: int
    before: Span

    def told(self) -> Told:
        hint = "`0 - 1` is a link that both have, `0 -> 1` one of agent 0 alone: each stands once."
        secondary = (Label(self.before, "here it is, too"),)
        return Told(f"the link of agents {self.first} and {self.second} is there already", hint, "", secondary)


@finding("H341")
class NoLinks(Finding):
    """A file that is neither a list of links nor a table of them, by this line."""

    line: int
    agents: int

    def told(self) -> Told:
        hint = (
            "Each line has the numbers of two agents that have a link, as in `0,1`; or there is a line for each of the"
            f" {self.agents} agents, with 1 for each agent to which it has one, and 0 for others."
        )
        return Told(f"line {self.line} of the file is no link", hint)
