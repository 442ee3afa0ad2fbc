"""Births: agents that come and go within an episode."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.diagnostics.edit import guessed
from hamletc.suggest import closest


@finding("H315")
class NobodySpawns(Finding):
    """A birth that what is no agent asks for: the world, or cells."""

    role: str
    owner: str

    def told(self) -> Told:
        hint = f"Let an agent ask: `rule breeds: chance(0.05) -> spawn {self.role}` in a role, or outside of `world`."
        return Told(f"{self.owner} cannot spawn `{self.role}`: agents have children", hint)


@finding("H316")
class NoRoleToSpawn(Finding):
    role: str
    roles: tuple[str, ...]

    def told(self) -> Told:
        meant = closest(self.role, self.roles)
        if meant is not None:
            hint = f"Did you mean `{meant}`?"
        elif self.roles:
            hint = f"Roles are {', '.join(f'`{name}`' for name in self.roles[:4])}."
        else:
            hint = f"Declare who can be born: `role {self.role}: others {{ begins with 10 }}`."
        edits = guessed(self.span, self.role, meant)
        return Told(f"`{self.role}` is no role, so nobody of it can be born", hint, edits=edits)


@finding("H317")
class HandedOtherwise(Finding):
    """A statement in the braces of `spawn` that does not give a meter a value."""

    meter: str

    def told(self) -> Told:
        hint = f"Write `{self.meter} = ...`, with what the mother has behind it: `{self.meter} = {self.meter} / 2`."
        return Told(f"a child begins with `{self.meter}`: it has nothing that could be added to", hint)


@finding("H317")
class HandedToNobody(Finding):
    name: str
    role: str

    def told(self) -> Told:
        hint = f"In the braces stand meters and states of `{self.role}`, or of all agents."
        return Told(f"`{self.name}` is no meter that a child can be given", hint)


@finding("H317")
class HandedTwice(Finding):
    meter: str
    first: Span

    def told(self) -> Told:
        hint = "Leave one of them out."
        return Told(f"a child is given `{self.meter}` twice", hint, "", (Label(self.first, "the first time"),))


@finding("H317")
class HandedElsewhere(Finding):
    """Two `spawn` of a role of which only one hands over a meter; `there`: the first one does."""

    role: str
    meter: str
    there: bool
    first: Span

    def told(self) -> Told:
        hint = f"Give a child of `{self.role}` the same meters wherever one is born."
        where = "elsewhere, and not here" if self.there else "only here"
        return Told(
            f"`spawn {self.role}` gives `{self.meter}` {where}", hint, "", (Label(self.first, "the first one"),)
        )


@finding("H319")
class PoolOutsideLimits(Finding):
    """A role that begins with no agent, or with as many as there are where nobody waits to be born."""

    role: str
    number: float
    most: int

    def told(self) -> Told:
        hint = f"`begins with` takes a number from 0 to {self.most}, as many as the role has agents."
        return Told(f"the role `{self.role}` cannot begin with {self.number:g} agents", hint)


@finding("H318")
class NoRoom(Finding):
    """A role whose agents are all alive at first and never die, so that no child ever finds room."""

    role: str

    def told(self) -> Told:
        hint = f"Let some agents wait: `role {self.role}: 100 agents {{ begins with 20 }}`, or let agents die."
        return Told(f"no `{self.role}` can ever be born: all are alive, and none dies", hint)


@finding("H318")
class NeverBorn(Finding):
    """A role some agents of which wait for ever."""

    role: str

    def told(self) -> Told:
        hint = f"Let agents `spawn {self.role}`, say `respawns after 50 ticks` in it, or give it fewer agents."
        return Told(f"agents of `{self.role}` wait to be born, and nobody has children of it", hint)


@finding("H319")
class BirthsByHand(Finding):
    by_hand: Span

    def told(self) -> Told:
        hint = "Leave `episodes by hand` out: who is born begins by itself."
        message = "with episodes by hand nobody is born within an episode"
        return Told(message, hint, "", (Label(self.by_hand, "here"),))


@finding("H319")
class LifespanTooLong(Finding):
    most: int

    def told(self) -> Told:
        hint = f"A lifespan of up to {self.most} ticks can be counted; `lifespan forever` says that there is none."
        return Told("a world in which agents are born cannot count so many ticks", hint)
