"""Maps with levels."""

from __future__ import annotations

from hamlet.universe import Map
from strategies.maps import HERE, Maps
from strategies.pieces import joined

PLACED = "BJ`\\{é0'"
"""Letters of places, of which some would mean something in code."""
WALL, WOOD, START = "#", "t", "s"


class Levels(Maps):
    """Writes levels, what chooses between them, and what asks for places in them."""

    letters: str = ""
    """Letters that each level has once; none without levels."""
    wood: str = ""
    """A region in which so many affordances find a cell in each level."""
    lettered: tuple[str, ...] = ()
    """The affordances that stand by a letter, and stay there."""
    _levels: tuple[str, ...] = ()

    def level_map(self, width: int, height: int, wanted: int, starts: bool) -> tuple[Map, str]:
        """Levels with room for so many affordances, and their text; agents may start by a letter where that `starts`.
        What is left of the map when they are written out has open cells alone."""
        self.take("level", "value")
        self.leveled = True
        self.letters = "".join(self.draw_order(list(PLACED))[: self.integer(1, 2)])
        self.wood = self.name("wood", "value")
        begins = START if starts and self.chance(2) else ""
        needed = [*self.letters, *WOOD * (wanted + 1), *begins * 2, WALL]
        names = [self.name(f"level{number}", "value") for number in range(self.integer(2, 3))]
        self._levels = tuple(map(self.word, names))
        drawn = []
        for name in self._levels:
            rest = width * height - len(needed)
            ground = [WALL if number < rest // 2 and self.chance(2) else "." for number in range(rest)]
            letters = "".join(self.draw_order([*needed, *ground]))
            rows = [f'"{letters[width * y : width * (y + 1)]}"' for y in range(height)]
            drawn.append(f"    level {name} {{ {joined(rows, ' ')} }}")
        items = [f'wall "{WALL}"', f'region {self.word(self.wood)} "{WOOD}{self.letters}"']
        items += [f'starts "{begins}"'] if begins else []
        thin = self.thin_walls([WOOD] * (width * height), width)
        items += [self.between(thin, width)] if thin else []
        block = "\n".join([*drawn, *(f"    {item}" for item in items)])
        plain = Map(("." * width,) * height, "", (), (), HERE, None, thin)
        return plain, f"map {{\n{block}\n}}"

    def choosing(self, world: list[str]) -> list[str]:
        """The block of the world, if there is one, with what chooses a level, if anything does."""
        options, names = ", ".join(self._levels), " ".join(self._levels)
        if not self._levels or self.chance(3):
            return world
        state = f"state level: {names} = choice({options})"
        if self.chance(3):
            rule = f"rule {self.word(self.name('goes_on', 'rule'))}: chance(0.3) -> level = choice({options})"
            state = f"kept state level: {names} = {self._levels[-1]}\n    {rule}"
        block = next((line for line in world if line.startswith("world {")), "world {\n}")
        end = block.rindex("}")
        return [*(line for line in world if line != block), f"{block[:end].rstrip()}\n    {state}\n}}"]

    def level_lines(self) -> list[str]:
        """What asks for places in levels."""
        if not self._levels:
            return []
        lines: list[str] = []
        wood, name = self.word(self.wood), self.word(self.name("in_wood", "rule"))
        lines.append(f"rule {name}: on {wood} -> {{ {self.body()} }}")
        if self.lettered and not self.walled and not self.solid and not self.space.turns:
            name, place = self.word(self.name("walks", "rule")), self.word(self.pick(self.lettered))
            lines.append(f"rule {name}: walking distance to {place} < 3 -> {{ {self.body()} }}")
        return lines
