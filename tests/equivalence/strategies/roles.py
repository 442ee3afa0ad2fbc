"""Kinds of agents, goals and potentials."""

from __future__ import annotations

import re

from strategies.pieces import MeterPlan
from strategies.things import Things
from strategies.words import mentions

MOVED = ("rule", "cascade", "reward", "report", "dies", "ends", "acts")
"""Lines that can stand in a role as they are."""
OF_A_TICK = re.compile(r"\b(?:hour|day_sin|day_cos|every|after)\b")
LARGEST_POTENTIAL = 1e20


class Roles(Things):
    """Writes roles, around lines that are there already, and what ends episodes without a death."""

    has_things = False
    """Whether agents, or those of a role, have slots for things."""

    def goals(self) -> list[str]:
        """Goals, of agents and of worlds, and a potential."""
        lines: list[str] = []
        if self.chance(6):
            with self.at("ending"):
                reward = f" {{ reward {self.number_piece(self.constant(0.001, 10.0)).text} }}" if self.chance(2) else ""
                lines.append(f"ends when {self.condition(2).text}{reward}")
            with self.at("among"):
                if self.meet:
                    lines.append(f"world ends when count({self.condition(1).text}) == {self.integer(0, 3)}")
        if self.chance(6):
            with self.at("previous"):
                potential = self.number(2, constants=False).text
            inputs = any(mentions(potential, name) for name, _ in self.inputs)
            if not inputs and OF_A_TICK.search(potential) is None:
                name = f"{self.word(self.name('guide', 'outcome'))}: " if self.chance(2) else ""
                limited = f"clamp({potential}, -{LARGEST_POTENTIAL}, {LARGEST_POTENTIAL})"
                lines.append(f"reward {name}shaping({self.pick(('1', '0.99', '0.5'))}, {limited})")
        return lines

    def _own(self, items: str) -> str:
        """What agents of a role observe besides."""
        return f"observe {{ group own {{ {items} }} }}" if self.grouped else f"observe {{ {items} }}"

    def in_roles(self, lines: list[str]) -> list[str]:
        """The lines, some of them in roles, and what agents observe."""
        room = self.room()
        in_roles = len(self.meters) >= 2 and room > 1 and self.chance(5)
        things = self.thing_lines(2 if in_roles else 4)
        self.carries = self.has_things = bool(things)
        self.grouped = self.chance(4)
        linked = self.linked()
        agents = self.links.agents if self.links is not None and linked else 0
        if not in_roles:
            kin = [f"role {self.word(self.name('kin', 'value'))}: {agents} agents", *linked] if linked else []
            return [*lines, *things, *kin, *self.observed("\n".join(lines))]
        own = self.pick(self.meters[1:])
        names = [self.word(self.name(f"herd{number}", "value")) for number in range(2)]
        inside: tuple[list[str], list[str]] = ([*things], [])
        outside: list[str] = []
        self.carries = False
        for line in lines:
            declares = re.match(r"\w+", line)
            word = "" if declares is None else declares[0]
            its_meter = word == "meter" and mentions(re.sub(r"=.*", "", line), own.name)
            if its_meter or (word == "allow" and not self._of_own_actions(line) and self.chance(2)):
                inside[0].append(line)
            elif word in MOVED and self.chance(2):
                inside[0 if mentions(line, own.name) or self.chance(2) else 1].append(line)
            else:
                outside.append(line)
        if not any(line.startswith("allow") for line in inside[0]):
            built_in = [name for name in ("WAIT", "INTERACT") if name in self.actions]
            with self.at("mask"):
                inside[0].append(f"allow {' '.join(built_in)} when {self.condition(1).text}")
        others = [plan for plan in self.meters if plan is not own]
        with self.about(meters=others):
            seen = self.observed("\n".join(lines))
        inside[0].append(self._own(f"meters {self.item(own.name)}" if self.chance(2) else "meters"))
        if self.chance(2):
            inside[1].append(self._own(f"constant {' '.join('7' * self.integer(1, 3))}"))
        for items, births in zip(inside, self._births(names, own), strict=True):
            items += births
        sizes = (
            (f"{self.integer(1, min(3, room - 1))} agents", "others")
            if not linked
            else ("1 agents", f"{agents - 1} agents")
        )
        blocks = [
            f"role {name}: {size} {{\n    {f'{chr(10)}    '.join(items)}\n}}" if items else f"role {name}: {size}"
            for name, size, items in zip(names, sizes, inside, strict=True)
        ]
        return [*outside, *blocks, *linked, *seen]

    def _births(self, roles: list[str], own: MeterPlan) -> tuple[list[str], list[str]]:
        """What brings agents of these roles into an episode that has begun, by the role in whose braces it stands. The
        first one has a meter of its own."""
        lines: tuple[list[str], list[str]] = ([], [])
        if self.by_hand or not self.chance(2):
            return lines
        for number, role in enumerate(roles):
            way = self.integer(0, 2)
            if way == 0:
                continue
            if self.chance(2):
                lines[number].append(f"begins with {self.integer(0, 1)}")
            if way == 1:
                lines[number].append(f"respawns after {self.integer(1, 4)} ticks")
                continue
            shared = [plan for plan in self.meters if plan is not own]
            handed, name = self.word(self.pick(shared).name), self.word(self.name(f"bears{number}", "rule"))
            child = f" {{ {handed} = {handed} }}" if self.chance(2) else ""
            with self.about(meters=shared):
                asked = self.condition(1).text
            lines[self.integer(0, 1)].append(f"rule {name}: {asked} -> spawn {role}{child}")
        return lines

    def _of_own_actions(self, line: str) -> bool:
        """Whether a mask is of an action of the universe's own, or of all."""
        said = line.partition(" when ")[0].removeprefix("allow ")
        built_in = {*self.space.moves, "INTERACT", "WAIT"}
        return not built_in.issuperset(said.replace("`", " ").split())
