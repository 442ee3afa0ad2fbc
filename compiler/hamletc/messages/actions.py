"""Actions: the moves of a space, and what agents can do besides."""

from __future__ import annotations

from typing import Literal

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding


@finding("H064")
class NotWithOwnMoves(Finding):
    """A property of a space that says which moves there are, where `moves` lists them."""

    key: str
    moves: Span

    def told(self) -> Told:
        message = f"`{self.key}` has no effect with moves of your own"
        return Told(message, "Leave it out.", "", (Label(self.moves, "these are all the moves"),))


@finding("H042")
class DiagonalMoves(Finding):
    dimensions: int
    grid: Span

    def told(self) -> Told:
        hint = "Leave it out, or list the moves, as in `moves { ACROSS (1, 1, 0) }`."
        message = f"diagonal moves need a grid of 2 dimensions, not {self.dimensions}"
        return Told(message, hint, "", (Label(self.grid, "the grid"),))


@finding("H042")
class Directions(Finding):
    dimensions: int
    space: Span

    def told(self) -> Told:
        hint = "Leave it out, or list the moves, as in `moves { EAST (0.5, 0) }`."
        message = f"`directions` needs a space of 2 dimensions, not {self.dimensions}"
        return Told(message, hint, "", (Label(self.space, "the space"),))


@finding("H025")
class NoStep(Finding):
    def told(self) -> Told:
        hint = "Add `step 0.5`: how far a move goes; or list the moves, as in `moves { EAST (0.5, 0) }`."
        return Told("a continuous space has a `step` or `moves`", hint)


@finding("H025")
class SpeedsWithoutDirections(Finding):
    def told(self) -> Told:
        return Told("`speeds` needs `directions`", "Add `directions 8`, or leave `speeds` out.")


@finding("H033")
class StepOutsideLimits(Finding):
    step: float
    longest: float

    def told(self) -> Told:
        if self.step <= 0:
            return Told("a step must be more than 0", "Write a number above 0.")
        return Told("a step is far too long for the space", f"Write at most {self.longest:g}.")


@finding("H067")
class TooManyActions(Finding):
    count: int
    most: int

    def told(self) -> Told:
        return Told(f"a universe has at most {self.most} actions, not {self.count}", "Leave some out.")


@finding("H066")
class ActionNameTaken(Finding):
    """A move or an action that is called like a move of the space, or like an action of every universe."""

    kind: Literal["a move", "an action"]
    name: str
    of_space: bool = False

    def told(self) -> Told:
        label = "a move of the space" if self.of_space else "an action of every universe"
        return Told(f"{self.kind} cannot be called `{self.name}`", "Choose another name.", label)


@finding("H076")
class ActionInOtherCase(Finding):
    name: str
    other: str
    of_space: bool

    def told(self) -> Told:
        message = f"the actions `{self.name}` and `{self.other}` differ in upper and lower case only"
        label = f"not the `{self.other}` of {'the space' if self.of_space else 'every universe'}"
        return Told(message, "Rename it, so that readers know which is meant.", label)


@finding("H255")
class ActionNotListed(Finding):
    """An own action that `actions` leaves out, or INTERACT where there are affordances, or WAIT where there are things
    that can be given."""

    action: str
    listed: Span

    def told(self) -> Told:
        message = f"`actions` leaves out `{self.action}`"
        hint = f"Add `{self.action}` to the list, at the place of the number that it shall have"
        match self.action:
            case "INTERACT":
                why, label, otherwise = ", and affordances are used by it", "no agent could use it", ""
            case "WAIT":
                why, label, otherwise = ", and things are given to whoever chooses it", "no agent could get it", ""
            case _:
                why, label, otherwise = "", "no agent could take it", ", or leave the action out"
        listed = Label(self.listed, "all actions that there are")
        return Told(f"{message}{why}", f"{hint}{otherwise}.", label, (listed,))


@finding("H256")
class ActionOfOneRoleFirst(Finding):
    action: str

    def told(self) -> Told:
        message = f"the first action is `{self.action}`, which not all roles have"
        return Told(message, "Begin with an action of all, or list `WAIT`: agents whose episode ended take it.")


@finding("H285")
class AllowsUnlistedWait(Finding):
    def told(self) -> Told:
        hint = "List `WAIT` in `actions`, or leave this out: who does not act always has `WAIT`."
        return Told("`actions` leaves out `WAIT`, which nobody can choose", hint, "only agents that do not act do it")


@finding("H049")
class ActionDoesNothing(Finding):
    action: str

    def told(self) -> Told:
        hint = "Add a statement, `move`, `teleport` or a rule that asks for it; `WAIT` does nothing in every universe."
        return Told(f"the action `{self.action}` does nothing", hint)


@finding("H064")
class NoDisplacement(Finding):
    def told(self) -> Told:
        return Told("this displacement moves nothing", "Leave `move` out.")


@finding("H064")
class MoveBesideTeleport(Finding):
    teleport: Span

    def told(self) -> Told:
        secondary = (Label(self.teleport, "sets the position afterwards"),)
        return Told("`move` has no effect together with `teleport`", "Leave `move` out.", "", secondary)


@finding("H064")
class NoProgressToKeep(Finding):
    """`keeps progress` where no affordance lasts, or in an action that displaces nobody."""

    lasts: bool

    def told(self) -> Told:
        label = "this action displaces nobody" if self.lasts else "no affordance lasts"
        return Told("`keeps progress` has no effect here", "Leave it out.", label)
