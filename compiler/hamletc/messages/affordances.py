"""Affordances: places, hours, blocks, capacities."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.diagnostics.edit import behind
from hamletc.intervals import Interval, spell
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression, spell_name


@finding("H055")
class PlaceWithoutSpace(Finding):
    space: Span

    def told(self) -> Told:
        hint = "Leave `at` out: every affordance is within reach."
        return Told("a place needs a space", hint, "this universe has none", (Label(self.space, "no space"),))


@finding("H025")
class NoPlace(Finding):
    affordance: str

    def told(self) -> Told:
        hint = "Add `at random`, or `at` and its coordinates, after its name."
        edits = (behind(self.span, " at random", sure=False),)
        return Told(f"the affordance `{self.affordance}` has no place", hint, edits=edits)


@finding("H049")
class NothingHappens(Finding):
    affordance: str

    def told(self) -> Told:
        hint = "Add `instantly { ... }`, or `lasts N ticks` with `each tick { ... }` or `on completion { ... }`."
        return Told(f"the affordance `{self.affordance}` does nothing", hint)


@finding("H064")
class EmptyBlock(Finding):
    block: str

    def told(self) -> Told:
        return Told(f"`{self.block}` does nothing", "Leave it out.")


@finding("H064")
class NeverCompleted(Finding):
    affordance: str
    duration: Span

    def told(self) -> Told:
        hint = "Leave `on completion` out, or write `lasts N ticks`."
        return Told(f"`{self.affordance}` is never completed", hint, "", (Label(self.duration, "it lasts for ever"),))


def _head(block: Span, words: str) -> Span:
    """The place of the words with which a block begins."""
    return Span(block.line, block.column, block.line, block.column + len(words), block.file)


@finding("H048")
class InstantlyWhereItLasts(Finding):
    affordance: str
    duration: Span

    def told(self) -> Told:
        hint = "Write `each tick` or `on completion`, or leave `lasts` out."
        secondary = (Label(self.duration, "it lasts this long"),)
        edits = (Edit(_head(self.span, "instantly"), "on completion", sure=False),)
        return Told(f"`{self.affordance}` lasts, so nothing happens `instantly`", hint, "", secondary, edits)


@finding("H048")
class BlockWithoutDuration(Finding):
    block: str
    affordance: Span

    def told(self) -> Told:
        hint = "Add `lasts N ticks` before the brace, or write `instantly`."
        secondary = (Label(self.affordance, "it has no duration"),)
        edits = (Edit(_head(self.span, self.block), "instantly", sure=False),)
        return Told(f"`{self.block}` needs an affordance that lasts", hint, "", secondary, edits)


@finding("H048")
class BlockBesideInstantly(Finding):
    block: str
    instantly: Span

    def told(self) -> Told:
        hint = "Keep `instantly`, or add `lasts N ticks` and leave `instantly` out."
        secondary = (Label(self.instantly, "the other one"),)
        return Told(f"an affordance has `instantly` or `{self.block}`, not both", hint, "", secondary)


@finding("H047")
class NoOpeningHours(Finding):
    """Hours that begin where they end; `hours` is the length of the day."""

    opens: Span
    hours: int

    def told(self) -> Told:
        hint = f"Write `open 0 .. {self.hours}`, or leave `open` out, for always open."
        return Told("these opening hours begin where they end", hint, "", (Label(self.opens, "the same hour"),))


@finding("H026")
class LowestOfAnything(Finding):
    """`capacity 1 to lowest hunger`."""

    ranked: syntax.Name

    def told(self) -> Told:
        name = spell_name(self.ranked)
        hint = "Write `to lowest number`, the agents' own; "
        hint += f"or `to highest -{name}`, where less of `{name}` comes first."
        return Told(f"`{name}` is nothing that claims are ranked by", hint)


@finding("H094")
class NobodyFirst(Finding):
    places: syntax.Expr

    def told(self) -> Told:
        places = spell_expression(self.places)
        hint = f"Write `capacity {places} to lowest number`, or `to highest` and what is served first, as in "
        hint += f"`capacity {places} to highest hunger`."
        label = "agents would contend for it with no rule stated"
        return Told("this capacity does not say who comes first", hint, label)


@finding("H026")
class HighestNumberFirst(Finding):
    def told(self) -> Told:
        hint = "Write `to highest agent`, or `to lowest number`: agents come in their order."
        return Told("the highest number does not come first", hint, edits=(Edit(self.span, "agent"),))


@finding("H064")
class SamePriority(Finding):
    def told(self) -> Told:
        hint = "Write `to lowest number`, or a value that differs."
        return Told("this puts nobody before others", hint, "the same for all")


@finding("H098")
class NoPlaces(Finding):
    places: float

    def told(self) -> Told:
        hint = "Write 1 or more; hours and `needs` say when an affordance cannot be used."
        return Told("this capacity never serves anybody", hint, f"{spell(self.places)} places")


@finding("H098")
class NeverPlaces(Finding):
    """A capacity that is computed, and lies below 1."""

    places: Interval

    def told(self) -> Told:
        hint = "Let it reach 1 or more; hours and `needs` say when an affordance cannot be used."
        return Told("this capacity never serves anybody", hint, f"its places are {self.places}")


@finding("H046")
class HourOutsideClock(Finding):
    """`closing`: whether it is an hour that ends opening hours."""

    hour: int
    most: int
    closing: bool
    clock: Span | None

    def told(self) -> Told:
        past = "; hours that end before they begin go on past midnight" if self.closing else ""
        clock = () if self.clock is None else (Label(self.clock, "the clock"),)
        hint = f"Write 0 .. {self.most}{past}."
        edits = (Edit(self.span, "0" if self.hour < 0 else str(self.most), sure=False),)
        return Told("this hour is outside the clock", hint, f"not in 0 .. {self.most}", clock, edits)


@finding("H178")
class UsedAtOnce(Finding):
    first: str
    declared: Span
    other: str

    def told(self) -> Told:
        hint = "For a choice write actions, as in `action NAP { energy += 0.1 }`, or say when each is open."
        label = Label(self.declared, "so is this one")
        message = f"INTERACT uses `{self.first}` and `{self.other}` at once"
        return Told(message, hint, "within reach everywhere", (label,))
