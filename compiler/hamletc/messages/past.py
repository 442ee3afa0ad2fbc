"""What looks back at earlier ticks."""

from __future__ import annotations

from hamletc.diagnostics import Finding, Told, finding

PLACES = {
    "previous": "inside `previous`",
    "history": "inside another of what looks back",
    "among": "inside what agents have together",
    "early among": "inside what agents have together",
}
"""Why nothing looks back in a scope."""


@finding("H168")
class NoPastInScope(Finding):
    function: str
    scope: str

    def told(self) -> Told:
        hint = "Let a rule keep it in a state, and read that: `rule NAME: kept = ...`."
        label = PLACES.get(self.scope, "claims are made at the beginning of the tick")
        return Told(f"`{self.function}` cannot stand here", hint, label)


@finding("H166")
class HowFarBack(Finding):
    """A number of ticks, or the share of `smooth`, outside its limits."""

    function: str
    least: int
    most: int

    def told(self) -> Told:
        if self.function == "smooth":
            hint = "`smooth(x, 0.1)` goes a tenth of the way in a tick."
            return Told("the share of `smooth` must be between 0 and 1", hint)
        number = f"the number of ticks of `{self.function}`"
        return Told(f"{number} must be a whole number, {self.least} .. {self.most}", "Write a number there.")


@finding("H165")
class PastOfNumber(Finding):
    def told(self) -> Told:
        return Told("the past of a number is the number", "Look at what changes.", "it never changes")
