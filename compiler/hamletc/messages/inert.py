"""What has no effect: what nobody reads, and statements, drains, rewards and observations that are always the same."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.intervals import Interval, spell
from hamletc.messages.everywhere import quoted

Owner: TypeAlias = Literal["agent", "world", "cell", "pair"]
"""Whose meter it is."""
OF: dict[Owner, str] = {"agent": "", "world": " of the world", "cell": " of cells", "pair": " of pairs"}


@finding("H060")
class Unread(Finding):
    """`written` is the whole declaration, where it can be deleted: a program may set a param, so it is asked."""

    kind: Literal["param", "input", "control", "table", "terrain"]
    name: str
    written: Span | None = None

    def told(self) -> Told:
        edits = () if self.written is None else (Edit(self.written, "", sure=False),)
        hint = "Use it in an expression, or delete it."
        return Told(f"nobody reads the {self.kind} `{self.name}`", hint, edits=edits)


@finding("H060")
class UnusedLet(Finding):
    """`written` is the whole declaration; what uses it may be written next, so it is asked."""

    name: str
    written: Span
    is_function: bool = False

    def told(self) -> Told:
        kind = "function" if self.is_function else "let"
        hint, edits = "Use it in an expression, or delete it.", (Edit(self.written, "", sure=False),)
        return Told(f"nobody uses the {kind} `{self.name}`", hint, edits=edits)


@finding("H060")
class UnusedTemplate(Finding):
    name: str

    def told(self) -> Told:
        return Told(f"nobody uses the template `{self.name}`", f"Write `use {self.name}(...)`, or delete it.")


@finding("H060")
class UnaskedRegion(Finding):
    region: str

    def told(self) -> Told:
        hint = f"Write `on {self.region}`, observe `window 2 of {self.region}`, or delete it."
        return Told(f"nobody asks for the region `{self.region}`", hint)


@finding("H060")
class UnreadMeter(Finding):
    meter: str
    state: bool
    owner: Owner

    def told(self) -> Told:
        match self.owner:
            case "agent":
                hint = "Use it in a rule, in `reward`, `dies when` or `observe`, or delete it."
            case "world":
                hint = "Use it in an expression, in a capacity or in `observe`, or delete it."
            case "cell":
                hint = f"Use it in an expression, observe it, as in `window 2 of {self.meter}`, or delete it."
            case "pair":
                hint = f"Ask all agents for it, as in `total({self.meter})`, observe it, or delete it."
        message = f"nobody reads the {'state' if self.state else 'meter'} `{self.meter}`{OF[self.owner]}"
        return Told(message, hint, "it has no influence on anything that shows")


@finding("H060")
class UnreadClock(Finding):
    def told(self) -> Told:
        hint = "Use `hour` or `open`, observe `time`, count `hours` or `days`, or delete the clock."
        return Told("nobody reads the clock", hint)


@finding("H060")
class UnreadStart(Finding):
    part: Literal["speed", "velocity"]

    def told(self) -> Told:
        message = f"nobody reads the {self.part} that episodes begin with"
        return Told(message, f"Observe `{self.part}`, or leave it out.")


@finding("H060")
class UnreadUses(Finding):
    def told(self) -> Told:
        return Told("nobody reads the uses that are tracked", "Use `last`, `streak of` or `visited`, or delete it.")


@finding("H075")
class UnusedMetric(Finding):
    def told(self) -> Told:
        return Told("nobody uses the metric of the space", "Use `distance to`, or leave `distance` out.")


@finding("H078")
class NothingObserved(Finding):
    universe: str

    def told(self) -> Told:
        hint = "Add what they see, as in `observe { meters  here }`, or `observe nothing`."
        return Told(f"nothing is observed in `{self.universe}`", hint, "agents would see nothing")


@finding("H172")
class NeverBegun(Finding):
    effect: str
    of_world: bool

    def told(self) -> Told:
        where = "a rule of the world" if self.of_world else "a rule, an affordance or an action"
        return Told(
            f"nothing begins the effect `{self.effect}`", f"Write `begin {self.effect}` in {where}, or delete it."
        )


@finding("H173")
class EffectDoesNothing(Finding):
    effect: str

    def told(self) -> Told:
        condition = f"`{self.effect} and energy < 0.5`"
        hint = f"Add `each tick {{ ... }}`, ask for it in a condition, as in {condition}, or delete it."
        return Told(f"the effect `{self.effect}` does nothing", hint, "and nobody asks for it")


# --- meters ----------------------------------------------------------------------------------------------------------


@finding("H073")
class NeverChanges(Finding):
    meter: str
    state: bool
    owner: Owner

    def told(self) -> Told:
        if self.owner == "cell":
            hint = "Let a rule of cells change it; what never changes is a terrain of a map, or a param."
            return Told(f"the {'state' if self.state else 'meter'} `{self.meter}` of cells never changes", hint)
        if self.state:
            hint = "Let something write it, or write what it is where it is read."
            return Told(f"the state `{self.meter}` never changes", hint)
        hint = "Give it a decay, or make it a param; say `only read` in its braces where others write it."
        if self.owner == "world":
            hint = "Let a rule of the world change it, or make it a param."
        return Told(f"the meter `{self.meter}`{OF[self.owner]} never changes", hint)


@finding("H069")
class ClaimDoesNotHold(Finding):
    """A meter that does what it does not by its claim: statements raise it, or lower it."""

    meter: str
    claim: Literal["falls", "rises", "read"]
    raised: Span | None
    lowered: Span | None

    def told(self) -> Told:
        ways = (("raise", self.raised), ("lower", self.lowered))
        secondary = tuple(Label(span, f"this can {way} it") for way, span in ways if span is not None)
        claim = "is only read" if self.claim == "read" else f"only {self.claim}"
        return Told(f"it is not so that `{self.meter}` {claim}", "Leave it out.", "", secondary)


@finding("H069")
class ClaimOfNothing(Finding):
    meter: str

    def told(self) -> Told:
        return Told(f"`{self.meter}` never changes at all", "Say `only read`, or let something change it.")


@finding("H071")
class OnlyFalls(Finding):
    meter: str

    def told(self) -> Told:
        hint = "Let an affordance, an action or a rule raise it, or say `only falls` in its braces."
        return Told(f"nothing can restore the meter `{self.meter}`", hint, "it only ever falls")


@finding("H072")
class OnlyRises(Finding):
    """A meter that runs full by itself; `decay` is a negative one."""

    meter: str
    decay: float | None
    written: Span

    def told(self) -> Told:
        hint, edits = "Let an affordance, an action or a rule lower it", tuple[Edit, ...]()
        if self.decay is not None:
            hint = f"A negative decay restores: write `decay {spell(-self.decay)}` to let it run down"
            edits = (Edit(self.written, spell(-self.decay), sure=False),)
        message = f"nothing can lower the meter `{self.meter}`"
        label = "it only ever rises, by itself"
        return Told(message, f"{hint}, or say `only rises` in its braces.", label, edits=edits)


Drain: TypeAlias = Literal["decay", "move", "interact"]
TIMES: dict[Drain, str] = {"decay": "one tick", "move": "one move", "interact": "one `INTERACT`"}


@finding("H077")
class DrainTooLarge(Finding):
    """A drain of more than its meter can hold, or a negative one; the meter lies in `where`."""

    meter: str
    drain: Drain
    takes: bool
    where: Interval

    def told(self) -> Told:
        size = self.where.high - self.where.low
        takes = "takes more from" if self.takes else "gives more to"
        same = (
            f"`{self.drain} {spell(size if self.takes else -size)}` {'empties' if self.takes else 'fills'} it as well,"
        )
        hint = f"{same} if that is meant; otherwise write a smaller number."
        message = f"{TIMES[self.drain]} {takes} `{self.meter}` than it can hold"
        return Told(message, hint, f"`{self.meter}` is in {self.where}")


# --- what is always the same -----------------------------------------------------------------------------------------


@finding("H063")
class AddsNothingHere(Finding):
    meter: str

    def told(self) -> Told:
        hint = "Leave it out, or write a value that is not 0."
        return Told(f"this never changes `{self.meter}`", hint, "it is 0 here")


@finding("H063")
class IsSoAlready(Finding):
    """A statement that leaves its meter where it is; `wrote` is the statement that gave it its value."""

    meter: str
    where: Interval
    wrote: Span | None

    def told(self) -> Told:
        secondary = () if self.wrote is None else (Label(self.wrote, "by then this has happened"),)
        label = f"`{self.meter}` is {self.where} already"
        return Told(f"this never changes `{self.meter}`", "Leave it out.", label, secondary)


@finding("H064")
class ConstantPotential(Finding):
    value: Interval

    def told(self) -> Told:
        hint = "Let it read what changes; a constant shapes nothing."
        return Told("this potential is always the same", hint, f"it is {self.value}")


@finding("H064")
class OnlyRewardOfZero(Finding):
    def told(self) -> Told:
        return Told("a reward of 0 has no effect", "Write `reward nothing` where nothing is paid.")


@finding("H064")
class AlwaysTheSame(Finding):
    """A reward, a report or what is observed; `read` is a meter that it reads."""

    kind: Literal["reward", "report", "observation"]
    value: float
    read: str | None

    def told(self) -> Told:
        hint = "Leave the line out, or let it read what changes."
        label = "" if self.read is None else f"rules run before this is read: `{self.read}` has its value by then"
        return Told(f"this {self.kind} is always {spell(self.value + 0.0)}", hint, label)


@finding("H079")
class ObservedTheSame(Finding):
    """Meters that are the same whenever they are observed; `first`: also when an episode begins."""

    where: tuple[tuple[str, Interval], ...]
    first: bool

    def told(self) -> Told:
        meters = quoted(name for name, _ in self.where)
        message = f"every observation{'' if self.first else ' but the first'} shows the same {meters}"
        label = "; ".join(f"`{name}` is {where} when a tick ends" for name, where in self.where)
        return Told(message, "Name the meters that change, as in `meters energy mood`.", label)


# --- ends ------------------------------------------------------------------------------------------------------------


@finding("H074")
class NeverEnds(Finding):
    universe: str

    def told(self) -> Told:
        hint = "Add `dies when` with a condition, `lifespan` with a number of ticks, or `lifespan forever`."
        return Told(f"an episode of `{self.universe}` never ends", hint)


@finding("H064")
class ForeverEnds(Finding):
    by_hand: bool

    def told(self) -> Told:
        ends = "the program that runs it ends an episode" if self.by_hand else "deaths and goals end an episode"
        return Told(f"`lifespan forever` has no effect: {ends}", "Leave it out.")


@finding("H064")
class LifeTooShort(Finding):
    affordance: str
    duration: int
    lifespan: Span
    ticks: int

    def told(self) -> Told:
        hint = "Shorten it, lengthen the lifespan, or delete `on completion`."
        label = f"it takes {self.duration} ticks and one to get there"
        secondary = (Label(self.lifespan, f"a life has {self.ticks}"),)
        return Told(f"nobody lives to complete `{self.affordance}`", hint, label, secondary)
