"""Things that agents carry and that lie on cells."""

from __future__ import annotations

import math

from hamlet.universe import Continuous, Grid
from strategies.cells import MOST_CELLS, Cells
from strategies.pieces import joined

ACTS = ("PICK", "DROP", "GIVE", "USE", "CRAFT")


class Things(Cells):
    """Writes kinds of things, and rules by which they come and go and are good for something."""

    def thing_lines(self, out_of: int) -> list[str]:
        """Once in so many times slots, items, and rules of agents about them; nothing else speaks of them."""
        if not self.chance(out_of):
            return []
        names = [self.late_name(f"thing{number}") for number in range(self.integer(1, 2))]
        for name in names:
            for act in ACTS:
                self.take(f"{act}_{name}", "action")
        lines = [f"slots {self.integer(1, 5)}"]
        with self.at("tick"):
            lines += [self._item(number, name, names[:number]) for number, name in enumerate(names)]
            for number, name in enumerate(names):
                made, shown = (self.word(self.name(f"{kind}{number}", "rule")) for kind in ("brings", "serves"))
                thing = self.word(name)
                lines.append(
                    f"rule {made}: chance(0.3) -> {thing} {self.pick(('+=', '-=', '+='))} {self.integer(1, 2)}"
                )
                lines.append(f"rule {shown}: {thing} > {self.integer(0, 1)} -> {self.assignment(False)}")
        return lines

    def _item(self, number: int, name: str, before: list[str]) -> str:
        space = self.space.space
        cells = isinstance(space, Grid) and not self.space.nodes and math.prod(space.sizes) <= MOST_CELLS
        parts = [f"carried {self.pick(('1', 'integer(0, 2)', '2 when chance(0.5)'))}"]
        verbs: list[str] = []
        if cells and self.chance(2):
            parts += self._lying()
            verbs = self.pick((["pick", "drop"], ["pick"], ["drop", "pick"]))
        if not isinstance(space, Continuous) and number == 0 and self.chance(2):
            verbs = [*verbs, "give"]
        if verbs:
            with self.at("early among"):
                highest = self.number(1, constants=False).text
            first = self.pick(("", " to lowest number", f" to highest {highest}"))
            parts.append(f"can {' '.join(verbs)}{first if {'pick', 'drop'} & {*verbs} else ''}")
        if self.chance(2):
            parts.append(f"wear {self.integer(2, 4)}")
        if self.chance(2):
            parts.append(f"use {{ {self.assignment(False)} }}")
        if before and self.chance(2):
            parts.append(f"craft from {self.integer(1, 2)} {self.word(before[0])}")
        return f"item {self.word(name)} {{\n    {joined(parts, f'{chr(10)}    ')}\n}}"

    def _lying(self) -> list[str]:
        """What is said of those that lie on cells."""
        parts = [f"lying {self.integer(1, 3)} when chance(0.4)"]
        parts += [f"up to {self.integer(3, 6)}"] if self.chance(2) else []
        parts += [f"{word} when chance(0.05)" for word in ("appears", "rots") if self.chance(2)]
        return parts
