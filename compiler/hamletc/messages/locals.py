"""Locals: a `let` among statements."""

from __future__ import annotations

from typing import Literal

from hamlet.universe import Span
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.diagnostics.edit import before


def _state(name: str) -> str:
    """How a state of this name is declared."""
    return f"state {name}: real in 0 .. 1 = 0"


@finding("H022")
class LocalTwice(Finding):
    """A local with the name of another one that can be read there."""

    local: str
    first: Span

    def told(self) -> Told:
        hint = f"Give it a name of its own: what `{self.local}` is does not change in its braces."
        return Told(f"`{self.local}` is there already", hint, "", (Label(self.first, "the first one"),))


@finding("H022")
class LocalLikeDeclaration(Finding):
    local: str
    declared: Span

    def told(self) -> Told:
        hint = "Give the local another name, so that readers know which is meant."
        secondary = (Label(self.declared, "declared here"),)
        return Told(f"the local `{self.local}` has the name of something else", hint, "", secondary)


@finding("H023")
class LocalOfWord(Finding):
    """A local with the name of a word; `meaning` is what that stands for."""

    local: str
    meaning: str

    def told(self) -> Told:
        hint = "Choose another name: every universe has this one."
        return Told(f"a local cannot be called `{self.local}`: that is {self.meaning}", hint)


@finding("H060")
class UnusedLocal(Finding):
    """`written` is the whole statement; what reads it may be written next, so it is asked."""

    local: str
    written: Span

    def told(self) -> Told:
        hint = "Read it in a statement below, or delete it."
        return Told(f"nothing reads the local `{self.local}`", hint, edits=(Edit(self.written, "", sure=False),))


@finding("H360")
class LocalNotThere(Finding):
    """A local that is read above its line, or outside of the braces that it stands in."""

    local: str
    declared: Span
    where: Literal["above", "outside"]

    def told(self) -> Told:
        if self.where == "above":
            hint = "A statement reads what is worked out above it: move the `let` up."
            message = f"`{self.local}` is not worked out yet"
        else:
            hint = "Write here what is behind its `=`; what others read, or the next tick, is a state: "
            hint += f"`{_state(self.local)}`."
            message = f"`{self.local}` is known only to the statements behind its `let`, in the same braces"
        return Told(message, hint, "", (Label(self.declared, "worked out here"),))


@finding("H360")
class LocalOfOtherMoment(Finding):
    """A local inside of what is asked of others, or of another moment than the statement's."""

    local: str

    def told(self) -> Told:
        hint = (
            f"A local has a value in statements alone, of whom they are and as they run. What others are asked for, "
            f"or what looks back, reads a state: `{_state(self.local)}`, which a statement writes."
        )
        return Told(f"the local `{self.local}` has no value here", hint)


@finding("H020")
class LetForgotten(Finding):
    """A statement that writes what nobody declares, which statements behind it read: `hurt = 0.1 * damage`. `again`:
    another one writes it; `guess` is a declared name that may be meant."""

    local: str
    statement: Span
    again: bool
    guess: str | None

    def told(self) -> Told:
        hint = f"What the statements behind it read is a local: `let {self.local} = ...`."
        if self.again:
            hint += (
                f" It has one value, so another one has another name; what changes is a state: `{_state(self.local)}`."
            )
        elif self.guess is not None:
            hint += f" Or did you mean `{self.guess}`?"
        edit = before(self.statement, "let ", sure=not self.again and self.guess is None)
        return Told(f"there is no `{self.local}`", hint, "nobody declares it", edits=(edit,))


@finding("H361")
class LocalWritten(Finding):
    local: str
    declared: Span

    def told(self) -> Told:
        hint = f"Give the new value a name of its own, or declare a state: `{_state(self.local)}`."
        secondary = (Label(self.declared, "worked out once, here"),)
        return Told(f"`{self.local}` is a local, and nothing writes it", hint, "", secondary)


@finding("H360")
class OptionInLocal(Finding):
    """A local for one of several options: `compared` is a condition that could stand for it, `weather == rainy`."""

    local: str
    compared: str

    def told(self) -> Told:
        hint = f"A local is a number or a condition: `let {self.local} = {self.compared}`. An option stands beside its "
        hint += f"state alone, so write `{self.compared}` where you ask."
        edits = (Edit(self.span, self.compared, sure=False),)
        return Told(f"the local `{self.local}` would be an option", hint, edits=edits)
