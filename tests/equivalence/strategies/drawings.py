"""What pictures show of a universe, which nothing else heeds."""

from __future__ import annotations

from hamlet.universe.drawings import COLOURS
from strategies.pieces import joined
from strategies.roles import Roles

LETTERS = ("@", "D", "~", "{", "'", "\N{LATIN SMALL LETTER E WITH ACUTE}", "\N{DOOR}")


class Drawings(Roles):
    """Writes drawings of what has been declared."""

    def drawing(self) -> str:
        """Sometimes a drawing, as a line."""
        if not self.chance(4):
            return ""
        items = [f"agents {self._look()}"] if self.chance(2) else []
        parts = [("affordance", plan.name) for plan in self.affordances]
        parts += [("cell", plan.name) for plan in self.of_cells]
        parts += [("region", name) for name in self.regions()] if not self.space.nodes else []
        for kind, name in self.draw_order(parts)[:3]:
            items.append(f"{kind} {self.word(name)} {self._look()}")
        return f"draw {{ {joined(items)} }}\n" if items else ""

    def _look(self) -> str:
        """A letter, a colour, or both."""
        letter, colour = f'"{self.pick(LETTERS)}"', f"in {self.pick(tuple(COLOURS))}"
        return self.pick((letter, colour, f"{letter} {colour}"))
