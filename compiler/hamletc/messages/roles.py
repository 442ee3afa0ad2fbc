"""Roles: what they have of their own."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding


@finding("H022")
class RoleTwice(Finding):
    role: str
    first: Span

    def told(self) -> Told:
        hint = f"Join them; `role {self.role} {{ ... }}` without a number adds to the role."
        return Told(f"the role `{self.role}` is declared twice", hint, "", (Label(self.first, "the first one"),))


@finding("H211")
class OthersTwice(Finding):
    first: Span

    def told(self) -> Told:
        hint = "Give one of them a number: `role wolf: 2 agents { ... }`."
        return Told("two roles take all other agents", hint, "", (Label(self.first, "the first one"),))


@finding("H212")
class RoleWithoutNumber(Finding):
    role: str

    def told(self) -> Told:
        role = self.role
        hint = f"Say it once: `role {role}: 2 agents {{ ... }}`, or `role {role}: others {{ ... }}`."
        return Told(f"it is not said how many agents are of the role `{role}`", hint)


@finding("H007")
class NameOfRoleTooLong(Finding):
    name: str
    most: int

    def told(self) -> Told:
        hint = f"Names have at most {self.most} characters: choose a shorter one."
        return Told(f"the name `{self.name}` is too long", hint)


@finding("H022")
class NameOfAll(Finding):
    """Something of a role that has the name of what all agents have."""

    name: str
    role: str
    of_all: Span

    def told(self) -> Told:
        hint = "Rename one of them, so that readers know which is meant."
        message = f"`{self.name}` of the role `{self.role}` has the name of what all agents have"
        return Told(message, hint, "", (Label(self.of_all, "the first one"),))


@finding("H212")
class OutsideRole(Finding):
    """A declaration of `wolf.hunger` outside of the role."""

    role: str
    name: str

    def told(self) -> Told:
        hint = f"Write it there: `role {self.role} {{ ... }}`, with the name `{self.name}`."
        return Told(f"`{self.role}.{self.name}` is declared outside of its role", hint)


@finding("H213")
class ActionOfOtherRole(Finding):
    action: str
    role: str
    owner: str
    declared: Span

    def told(self) -> Told:
        hint = f"Write it in `role {self.owner} {{ ... }}`, or leave it out."
        message = f"agents of the role `{self.role}` have no action `{self.action}`"
        return Told(message, hint, "", (Label(self.declared, "declared here"),))


@finding("H213")
class ObservedOutsideRole(Finding):
    """A meter, or a thing, of a role that is observed for all agents; `name` is as it is written, `own` in the role."""

    name: str
    own: str
    role: str
    thing: bool
    declared: Span

    def told(self) -> Told:
        items = "items" if self.thing else "meters"
        hint = f"Observe it there: `role {self.role} {{ observe {{ {items} {self.own} }} }}`."
        message = f"only agents of the role `{self.role}` have a meter `{self.name}`"
        return Told(message, hint, "", (Label(self.declared, "declared here"),))


@finding("H213")
class MeterOfOtherRole(Finding):
    """A meter, or a thing, of a role that is read where agents are of others."""

    name: str
    roles: tuple[str, ...]
    owner: str
    thing: bool
    declared: Span

    def told(self) -> Told:
        hint = f"What agents of `{self.owner}` have together can be read here: `count({self.owner} and ...)`."
        whose = " and ".join(f"`{role}`" for role in self.roles)
        message = f"agents of the role {whose} {'carry no' if self.thing else 'have no meter'} `{self.name}`"
        return Told(message, hint, "", (Label(self.declared, "declared here"),))


@finding("H214")
class OfSeveralRoles(Finding):
    name: str
    owners: tuple[str, ...]

    def told(self) -> Told:
        choices = " or ".join(f"`{owner}`" for owner in self.owners)
        return Told(f"several roles have `{self.name}`", f"Write {choices}.")
