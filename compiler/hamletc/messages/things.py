"""Things that agents carry: slots, numbers, statements about them."""

from __future__ import annotations

from typing import Literal

from hamletc.diagnostics import Finding, Told, finding
from hamletc.diagnostics.edit import guessed
from hamletc.suggest import closest


@finding("H230")
class NobodyCarries(Finding):
    thing: str
    role: str

    def told(self) -> Told:
        where = f" in `role {self.role} {{ ... }}`, or outside" if self.role else ""
        hint = f"Say how many things an agent carries at most: `slots 4`{where}."
        return Told(f"nobody can carry `{self.thing}`", hint)


@finding("H230")
class NothingToCarry(Finding):
    def told(self) -> Told:
        hint = "Declare some: `item apple { lying 1 when chance(0.1)  can pick }`."
        return Told("there is nothing to carry", hint)


@finding("H232")
class NeverAny(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Write `carried 1`, `lying 1 when chance(0.1)`, `appears when chance(0.01)`, `craft from 2 wood`, "
        return Told(f"there is never any `{self.thing}`", f"{hint}or a statement `{self.thing} += 1`.")


@finding("H024")
class SlotsTwice(Finding):
    def told(self) -> Told:
        return Told("`slots` is given twice", "Keep one of the two.")


@finding("H235")
class TooManySlots(Finding):
    most: int

    def told(self) -> Told:
        return Told("so many things cannot be carried", f"Write a whole number, 1 .. {self.most}.")


@finding("H235")
class NumberOutsideLimits(Finding):
    thing: str
    number: Literal["uses", "things on a cell"]
    most: int

    def told(self) -> Told:
        param = ", or a param whose upper bound is one" if self.number == "things on a cell" else ""
        message = f"`{self.thing}` cannot have so many {self.number}"
        return Told(message, f"Write a whole number, 1 .. {self.most}{param}.")


@finding("H250")
class GivenByTwoRoles(Finding):
    """Who is given something could be given more than there is room for, if things of several roles were given."""

    thing: str
    other: str

    def told(self) -> Told:
        hint = "Let agents give things of one role only, or things that all agents carry; "
        message = f"`{self.thing}` and `{self.other}` cannot both be given: they are carried by others"
        return Told(message, f"{hint}what is dropped can be picked.")


@finding("H231")
class MadeOfNothing(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Write a whole number above 0: what is made of nothing is a statement `+= 1`."
        return Told(f"`{self.thing}` is made of nothing", hint)


@finding("H231")
class MadeOfItself(Finding):
    thing: str

    def told(self) -> Told:
        return Told(f"`{self.thing}` is made of itself", "Leave it out, or make another kind of thing.")


@finding("H020")
class UnknownThing(Finding):
    name: str
    things: tuple[str, ...]

    def told(self) -> Told:
        meant = closest(self.name, self.things)
        hint = f"Did you mean `{meant}`?" if meant else f"Declare it: `item {self.name}`."
        return Told(f"there is no item `{self.name}`", hint, edits=guessed(self.span, self.name, meant))


@finding("H234")
class LiesWithoutGrid(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Use `space grid 8 x 8`; without cells things are carried, given and made."
        return Told(f"`{self.thing}` lies on cells, and there is no grid", hint)


@finding("H234")
class GivenInContinuousSpace(Finding):
    thing: str

    def told(self) -> Told:
        hint = "Use a grid or a graph: agents give to whom they stand beside."
        return Told(f"`{self.thing}` cannot be given in a continuous space", hint)


@finding("H233")
class ThingsSet(Finding):
    """`apples = 3` could make things, or lose some."""

    thing: str

    def told(self) -> Told:
        hint = f"Write what comes and what goes: `{self.thing} += 1`, `{self.thing} -= 1`."
        return Told(f"`{self.thing} = ...` could make things or lose some", hint)


@finding("H233")
class ThingsOfEffect(Finding):
    def told(self) -> Told:
        return Told("an effect cannot hand out things", "Let a rule do it: `rule NAME: poisoned -> ...`.")


@finding("H233")
class Trade(Finding):
    thing: str

    def told(self) -> Told:
        hint = "What agents hand to each other is said by `can give` in the braces of "
        message = f"this trade could make `{self.thing}` of nothing, or lose some"
        return Told(message, f"{hint}`item {self.thing}`; nothing is lost then.")


@finding("H236")
class WearOfNothing(Finding):
    name: str

    def told(self) -> Told:
        hint = "Write the name of an item that has `wear 10` in its braces."
        return Told(f"there is no item `{self.name}`", hint)


@finding("H236")
class NeverWears(Finding):
    thing: str

    def told(self) -> Told:
        return Told(f"`{self.thing}` does not wear out", f"Write `wear 10` in the braces of `item {self.thing}`.")
