"""Effects: what begins, goes on for some ticks, and ends."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.language import syntax
from hamletc.language.spelling import spell_name

MOST_LABELS = 8
"""The most effects of a circle that labels show."""


@finding("H174")
class AgainForEver(Finding):
    """`again renew` or `again add` of an effect that lasts for ever."""

    again: str
    duration: Span

    def told(self) -> Told:
        secondary = (Label(self.duration, "it lasts for ever"),)
        hint = "Leave it out, or write `lasts N ticks`."
        return Told(f"`again {self.again}` has no effect here", hint, "", secondary)


@finding("H174")
class AgainAddsNothing(Finding):
    ticks: int
    duration: Span

    def told(self) -> Told:
        hint = f"Write more than {self.ticks} ticks; or `again renew`, which starts the time anew."
        return Told("this adds nothing", hint, "", (Label(self.duration, "as long as it lasts by itself"),))


@finding("H170")
class EffectInCircle(Finding):
    """Effects that lead to each other, from the first one to itself; each with its place."""

    way: tuple[tuple[str, Span], ...]

    def told(self) -> Told:
        (first, _), *others = self.way
        names = " -> ".join(f"`{name}`" for name in (first, *(name for name, _ in others), first))
        message = f"the effect `{first}` leads to itself for ever" + (f": {names}" if others else "")
        hint = f"Let a rule begin it, with a condition: `rule NAME: CONDITION -> begin {first}`."
        return Told(message, hint, "", tuple(Label(span, "on the way") for _, span in others[:MOST_LABELS]))


@finding("H086")
class TooManyStatements(Finding):
    most: int

    def told(self) -> Told:
        hint = "Begin it at fewer places: its `on start` stands for its statements at each."
        return Told(f"effects stand for more than {self.most:,} statements", hint)


@finding("H171")
class EffectOfOthers(Finding):
    """An agent that begins or ends an effect of the world, or the reverse."""

    statement: syntax.BeginStmt
    of_world: bool
    declared: Span

    def told(self) -> Told:
        word, effect, name = self.statement.word, self.statement.effect.text, spell_name(self.statement.effect)
        if self.of_world:
            rule = f"`rule NAME: count(used == Shop) > 0 -> {word} {name}`"
            hint = f"A rule of the world can, by what its agents did: {rule} in `world {{ }}`."
            secondary = (Label(self.declared, "an effect of the world"),)
            return Told(f"an agent cannot {word} `{effect}`, which is the world's", hint, "", secondary)
        rule = f"`rule NAME: CONDITION -> {word} {name}`"
        hint = f"Write a rule of the agents; it can read meters of the world: {rule}."
        secondary = (Label(self.declared, "an effect of agents"),)
        return Told(f"a rule of the world cannot {word} `{effect}`, which each agent has", hint, "", secondary)


@finding("H176")
class WrittenPartOfEffect(Finding):
    """`left of poisoned = 3`."""

    part: str
    effect: str

    def told(self) -> Told:
        hint = f"`begin {self.effect}` and `end {self.effect}` say when it lasts."
        return Told(f"`{self.part} of {self.effect}` is no meter", hint, "no statement writes it")
