"""What agents push."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.messages.walls import Blocks


@finding("H298")
class NobodyPushes(Finding):
    def told(self) -> Told:
        return Told("nobody pushes anything: no agent can move", "Give agents moves, or leave `agents push` out.")


@finding("H299")
class MeterPushed(Finding):
    meter: str
    declared: Span

    def told(self) -> Told:
        hint = "Declare a state, as in `state box = chance(0.1)` or `state crate: none red blue = none`."
        label = Label(self.declared, "declared here")
        return Told(f"`{self.meter}` cannot be pushed: it holds more than whole numbers", hint, "", (label,))


@finding("H299")
class PushedFromNowhere(Finding):
    state: str
    declared: Span

    def told(self) -> Told:
        hint = "Declare it in `cells { }`: what is pushed lies on a cell."
        label = Label(self.declared, "declared here")
        return Told(f"`{self.state}` cannot be pushed: it is no state of cells", hint, "", (label,))


@finding("H299")
class NeverNothing(Finding):
    state: str
    declared: Span

    def told(self) -> Told:
        hint = "Let 0 say that nothing lies there, and other values what does, as in `in 0 .. 3`."
        label = Label(self.declared, "its values")
        return Told(
            f"`{self.state}` cannot be pushed: it has no value for nothing, or for something", hint, "", (label,)
        )


@finding("H325")
class LineOfOtherLength(Finding):
    most: int

    def told(self) -> Told:
        hint = f"Write a whole number of 1 to {self.most}, as in `agents push box up to 3`."
        return Told("no line of this length is pushed", hint)


@finding("H326")
class PushedAround(Finding):
    length: int
    most: int
    size: int

    def told(self) -> Told:
        if self.most < 1:
            hint = "Take a longer axis, or edges that do not wrap."
        else:
            hint = f"Write `up to {self.most}` at most, or take edges that do not wrap."
        message = f"a line of {self.length} goes around an axis of {self.size} cells, and pushes who pushes it"
        return Told(message, hint, "this is a circle")


@finding("H327")
class PushedWall(Finding):
    state: str
    pushing: Span
    said: Blocks = "wall"

    def told(self) -> Told:
        hint = f"Leave `{self.state}` out here: nobody enters the cell of what they cannot push."
        label = Label(self.pushing, "this pushes it")
        makes = "makes a wall of its cell" if self.said == "wall" else "makes its cell solid"
        return Told(f"nobody pushes `{self.state}` where it {makes}", hint, "", (label,))


@finding("H328")
class TwoOrders(Finding):
    blocking: Span

    def told(self) -> Told:
        hint = "Leave it out: who comes first where agents block each other comes first where they push."
        label = Label(self.blocking, "the other one")
        return Told("there are two orders of who comes first", hint, "", (label,))
