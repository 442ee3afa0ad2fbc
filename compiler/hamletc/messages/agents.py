"""What agents of a world are asked, and all its cells, and the cells beside one; roles."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.messages.standpoint import NEEDS

PLACES = {
    "needs": NEEDS,
    "claim": "claims are made before agents are counted",
    "mask": "masks are made between ticks",
    "acts": "who acts in a tick is known before it",
    "observe": "agents observe between ticks",
    "opening": "doors open between ticks",
    "previous": "inside `previous`",
    "among": "inside another of what agents have together",
    "early among": "inside another of what agents have together",
    "history": "inside what looks back",
}
"""Why agents are not counted in a scope, nor what they have is joined."""


@finding("H093")
class NotCounted(Finding):
    function: str
    scope: str

    def told(self) -> Told:
        hint = "Let a rule of the world keep it in a meter, and read that."
        return Told(f"`{self.function}` cannot stand here", hint, PLACES.get(self.scope, PLACES["claim"]))


@finding("H242")
class CellsHaveNothing(Finding):
    def told(self) -> Told:
        hint = "Give them some: `cells { meter moss = 0  rule grow: moss += 0.01 }`."
        return Told("cells have nothing here", hint)


@finding("H243")
class NotOverCells(Finding):
    def told(self) -> Told:
        hint = "Write `total(x)`, `average(x)`, `lowest(x)`, `highest(x)` or `count(c)` before it."
        return Told("this cannot be asked of all cells", hint)


@finding("H244")
class NothingOfCells(Finding):
    def told(self) -> Told:
        hint = "Ask for a meter of cells, as in `total(moss) over cells`."
        return Told("this says nothing of cells", hint, "the same for ever")


@finding("H051")
class TotalTooLarge(Finding):
    def told(self) -> Told:
        hint = "Divide what is summed, or give the meter narrower bounds."
        return Told("the total over all cells can overflow", hint)


@finding("H182")
class NeighboursOutsideCells(Finding):
    def told(self) -> Told:
        hint = "Name cells by their coordinates, as in `moss at (3, 4)`, or ask `total(moss) over cells`."
        return Told("`neighbours` sums over the cells around a cell or an agent", hint, "not here")


@finding("H182")
class CountedAround(Finding):
    """Agents that are counted on the cells around an agent."""

    def told(self) -> Told:
        hint = "Ask for those that are near: `count(other and apart <= 1)`. Rules of cells count agents around a cell."
        return Told("around an agent `neighbours` sums what cells have", hint, "this is of agents")


@finding("H064")
class SameRank(Finding):
    def told(self) -> Told:
        hint = "Write a value that differs; `-agent` for the order of agents."
        return Told("this puts nobody before others", hint, "the same for all")


@finding("H203")
class OtherForEachAsker(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Leave `own` and `apart` out of it; a condition may have them."
        return Told(f"{self.thing} cannot depend on who asks", hint, "this does")


@finding("H204")
class OwnedByNobody(Finding):
    def told(self) -> Told:
        return Told("all agents of a world have this alike", "Leave `own( )` out.", "nobody has it as its own")


@finding("H205")
class AsksNobody(Finding):
    def told(self) -> Told:
        hint = "It is the same for each of them: write it without asking them, or compare it with what they have."
        return Told("this asks nothing of the other agents", hint, "all of it is `own`")


# --- roles -----------------------------------------------------------------------------------------------------------


@finding("H210")
class TooManyAgents(Finding):
    """Roles with too many agents together; `others` are roles of all other agents."""

    agents: int
    most: int
    others: tuple[Span, ...]

    def told(self) -> Told:
        secondary = tuple(Label(span, "they need one more") for span in self.others)
        hint = f"A world with roles has at most {self.most} agents."
        return Told(f"these roles have {self.agents} agents together", hint, "", secondary)


@finding("H210")
class RoleWithoutAgents(Finding):
    def told(self) -> Told:
        return Told("a role without agents", "Write at least 1, or leave the role out.")


@finding("H027")
class AgentsCounted(Finding):
    """`count(agents)`, which is `agents`; `whole` is all of it."""

    whole: Span

    def told(self) -> Told:
        edits = (Edit(self.whole, "agents"),)
        return Told(
            "a condition is needed here", "Write `agents`: how many there are.", "this is a number", edits=edits
        )
