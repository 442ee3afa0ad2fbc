"""Stages of a world."""

from __future__ import annotations

from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.language import syntax
from hamletc.language.spelling import spell_name


@finding("H033")
class TooManySwitches(Finding):
    count: int
    most: int

    def told(self) -> Told:
        hint = "Join stages, or keep a number of the stage in a state."
        message = f"stages have at most {self.most:,} switches, not {self.count:,}"
        return Told(message, hint, "one expression holds all of them")


@finding("H240")
class SwitchToItself(Finding):
    stage: str

    def told(self) -> Told:
        hint = "Leave it out, or write another stage behind `->`."
        return Told(f"`{self.stage}` switches to itself", hint, "the same stage")


@finding("H241")
class StageOutOfReach(Finding):
    stage: syntax.Name
    first: syntax.Name

    def told(self) -> Told:
        switch = f"`{spell_name(self.first)} -> {spell_name(self.stage)} when wins >= 10`"
        secondary = (Label(self.first.span, "worlds begin here"),)
        message = f"nothing leads to the stage `{self.stage.text}`"
        return Told(message, f"Write what leads to it, as in {switch}.", "", secondary)
