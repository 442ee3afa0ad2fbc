"""Whole universes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from hamletc.checking.check import check
from hamletc.codes import INERT
from hamletc.language.parser import parse
from strategies.drawings import Drawings
from strategies.sources import Drawn, Numbered
from strategies.words import NOT_FOR_UNIVERSES, WORDS


class Author(Drawings):
    """Writes a universe."""

    def universe(self) -> str:
        """The whole text."""
        count = self.pick((2, 1, 0, 3, 5, 8))
        self.plan_space(count)
        self.params, params = self.plan_numbers("param")
        self.inputs, inputs = self.plan_numbers("input")
        self.controls, controls = self.plan_controls()
        self.plan_tables()
        header = [self.space.text, *self._settings()]
        self.plan_meters()
        self.plan_world()
        self.plan_cells()
        self.plan_effects()
        self.plan_affordances(count)
        own = self.plan_actions()
        once = self.once_lines()
        body = [*once, *(self.meter_line(plan) for plan in self.meters)]
        body += self.affordance_lines()
        body += self.level_lines()
        body += self.choosing(self.world_lines())
        body += self.cell_lines()
        body += [self.effect_line(plan) for plan in self.effects]
        body += [self.rule(number) for number in range(self.integer(0, 5))]
        body += [self.action(name) for name in own]
        body += self.state_lines()
        body += self.masks()
        body += self.acting()
        body += self.outcome_lines()
        body = self.in_roles([*body, *self.goals()])
        listed = [] if self.has_things else self.list_of_actions()
        header[0] = self.blocking(header[0]) if not listed else header[0]
        body += listed
        tables = [plan.line for plan in self.tables if plan.name in self.tables_read]
        lines = [f"universe {self._called()}", *header, *params, *inputs, *controls, *tables, *self._ordered(body)]
        text = self.begun("\n".join(lines) + "\n")
        return f"{text}{self.drawing()}"

    def _settings(self) -> list[str]:
        """What holds for the whole universe."""
        lines = []
        if self.chance(2):
            self.hours = self.pick((24, 2, 3, 5, 1000))
            lines.append(f"clock {self.hours} hours")
        if self.chance(2):
            self.lifespan = self.pick((6, 1, 2, 3, 17, 500))
            reward = f" {{ reward {self.number_piece(self.constant(0.001, 1000.0)).text} }}" if self.chance(2) else ""
            lines.append(f"lifespan {self.lifespan} ticks{reward}")
        if self.chance(4):
            self.by_hand = True
            lines.append("episodes by hand")
        if self.chance(3):
            self.tracked = True
            lines.append(f"track uses{self.pick(('', ' by agent', ' by world'))}")
        if self.chance(8) and not self.space.nodes:
            self.begins = True
            lines.append(self.beginning())
        # Whether these have an effect is not planned.
        if self.tracked or self.begins or self.inputs or self.controls or self.leveled or self.chance(4):
            self.inert = True
            lines.append("inert allowed")
        return lines

    def _called(self) -> str:
        name = self.pick(("fuzzed", *WORDS.split())) if self.chance(2) else "fuzzed"
        return f"{name}_" if name in NOT_FOR_UNIVERSES else name

    def _ordered(self, lines: list[str]) -> list[str]:
        """Declarations in any order; sometimes with comments and blank lines."""
        if self.chance(3):
            placed = iter([line for line in lines if line.startswith("affordance")])
            lines = self.draw_order(lines)
            if self.stands_near:
                # Where one stands is known when those before it stand.
                lines = [next(placed) if line.startswith("affordance") else line for line in lines]
        if self.chance(4):
            lines = [line if self.chance(2) else f"# {number}\n{line}  # end\n" for number, line in enumerate(lines)]
        return lines


@st.composite
def universes(draw: Callable[[st.SearchStrategy[Any]], Any]) -> str:
    """Texts of universes, nearly all of them valid."""
    return settled(Author(Drawn(draw)).universe())


def numbered(number: int) -> str:
    """The text of the universe of this number, nearly always valid."""
    return settled(Author(Numbered(number)).universe())


def settled(text: str) -> str:
    """The text; where the checker finds nothing wrong but what has no effect, with that allowed."""
    file, problems = parse(text)
    if file is None or problems:
        return text
    errors = {finding.code for finding in check(file, ("fuzzed.hamlet",))[1] if finding.severity == "error"}
    return f"{text}inert allowed\n" if errors and errors <= INERT else text
