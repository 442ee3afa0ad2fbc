"""Pictures: what `draw` says of them."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Edit, Finding, Told, finding


@finding("H290")
class NoLetter(Finding):
    text: str

    def told(self) -> Told:
        return Told(f"`{self.text}` is not one letter", 'Write a single one, as in `agents "@"`.')


@finding("H290")
class NoLook(Finding):
    def told(self) -> Told:
        hint = 'Add one or both, as in `agents "@" in gold`.'
        return Told("neither a letter nor a colour is said", hint)


@finding("H291")
class NothingToDraw(Finding):
    """`what` needs a `part`: "walls", "a map"."""

    what: str
    part: str

    def told(self) -> Told:
        message = f"there is nothing to draw: {self.what} need {self.part}"
        canvas = "canvas" in self.part
        hint = "Add `canvas (-1 .. 1) x (-1 .. 1)` to the drawing." if canvas else "Leave it out."
        return Told(message, hint)


@finding("H291")
class OneNumber(Finding):
    def told(self) -> Told:
        return Told("a place on this board has two numbers", 'Write both, as in `mark (3, 0) "H"`.')


@finding("H291")
class NumberOfNode(Finding):
    """`further` is what is written behind the number of the node."""

    further: Span

    def told(self) -> Told:
        message = "a place on a graph has one number, that of its node"
        return Told(message, 'Write it alone, as in `mark (3) "H"`.', edits=(Edit(self.further, ""),))


@finding("H291")
class CanvasInSpace(Finding):
    def told(self) -> Told:
        message = "a canvas is the board of a universe without a space"
        return Told(message, "Leave it out: the board is the space.")


@finding("H291")
class CanvasEmpty(Finding):
    low: str
    high: str

    def told(self) -> Told:
        return Told(f"a canvas from {self.low} to {self.high} is empty", "Write the lower end first, as in `(0 .. 1)`.")


@finding("H292")
class NotState(Finding):
    def told(self) -> Told:
        message = "a picture cannot show this, for nothing else keeps it"
        hint = "A drawing adds no state. Keep it in a state that a rule writes, or let something else read it."
        return Told(message, hint)
