"""Copies of affordances."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding


@finding("H031")
class NumberOfCopies(Finding):
    """A number of copies that is no constant."""

    affordance: str

    def told(self) -> Told:
        hint = f"Write how many copies there are: `affordance {self.affordance}: 5 copies at random`."
        return Told("how many copies there are is no constant", hint)


@finding("H220")
class CopiesOutsideLimits(Finding):
    affordance: str
    number: float
    most: int

    def told(self) -> Told:
        message = f"`{self.affordance}` cannot have {self.number:g} copies"
        return Told(message, f"Write a whole number, 1 .. {self.most}.")


@finding("H220")
class OtherNumberOfPlaces(Finding):
    affordance: str
    number: float
    places: int

    def told(self) -> Told:
        message = f"`{self.affordance}` has {self.number:g} copies and {self.places} places"
        return Told(message, "Leave the number out: each place has a copy.")


@finding("H221")
class CopiesAtOnePlace(Finding):
    affordance: str

    def told(self) -> Told:
        hint = "Write a place for each, as in `at (1, 2), (5, 6)`, or `at random`."
        return Told(f"all copies of `{self.affordance}` are at one place", hint)


@finding("H221")
class CopiesWithoutSpace(Finding):
    affordance: str
    space: Span

    def told(self) -> Told:
        hint = "One affordance is enough: everybody is at it. `capacity` says how many it serves."
        secondary = (Label(self.space, "no space"),)
        return Told(f"copies of `{self.affordance}` have no places", hint, "", secondary)


@finding("H007")
class NameOfCopiesTooLong(Finding):
    affordance: str
    most: int

    def told(self) -> Told:
        hint = f"Names have at most {self.most} characters, and copies have numbers behind it."
        return Told(f"the name `{self.affordance}` is too long", hint)


@finding("H022")
class NamedLikeCopy(Finding):
    name: str
    affordance: str

    def told(self) -> Told:
        first = f"`{self.affordance} 1`, `{self.affordance} 2`"
        hint = f"Copies of `{self.affordance}` are called {first} and so on: choose another name."
        return Told(f"`{self.name}` is a copy of `{self.affordance}`", hint)


@finding("H222")
class NearAnyCopy(Finding):
    affordance: str

    def told(self) -> Told:
        message = f"`near {self.affordance}` could be near any of its copies"
        return Told(message, f"Name one of them: near `{self.affordance} 1`.")


@finding("H222")
class OptionsOfCopies(Finding):
    affordance: str
    state: str

    def told(self) -> Told:
        message = f"the copies of `{self.affordance}` do not have one `{self.state}` together"
        return Told(message, f"Name one of them: {self.state} of `{self.affordance} 1`.")
