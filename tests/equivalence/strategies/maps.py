"""Maps of grids."""

from __future__ import annotations

from hamlet.numbers.binary32 import canonical32
from hamlet.universe import Map, Region, RegionNumber, Span, Terrain, ThinWall
from strategies.pieces import joined
from strategies.statements import Statements

GROUND = "..  f~B`{}\\'%é0"
"""Letters, of which some would mean something in code."""
WALLS = "#W"
HERE = Span(1, 1, 1, 1)


class Maps(Statements):
    """Writes maps."""

    def charted(self, width: int, height: int, room: int, starts: bool) -> tuple[Map, str]:
        """A map that leaves room for so many things, and its text; agents may start by a letter where that `starts`."""
        letters, spare = [], width * height - room
        for _ in range(width * height):
            wall = spare > 0 and self.chance(3)
            letters.append(self.pick(WALLS) if wall else self.pick(GROUND))
            spare -= wall
        begins = ""
        if starts and self.chance(3):
            free = [cell for cell, letter in enumerate(letters) if letter not in WALLS]
            for cell in self.draw_order(free)[: min(self.integer(1, 3), max(spare, 0))]:
                letters[cell] = begins = "s"
        rows = tuple("".join(letters[width * y : width * (y + 1)]) for y in range(height))
        walls = "".join(letter for letter in WALLS if letter in letters)
        ground = [letter for letter in dict.fromkeys(letters) if letter not in WALLS]
        regions = self._regions(ground, [letter for letter in ground if letter not in ". s"])
        thin = self.thin_walls(letters, width)
        items = [f'wall "{walls}"'] if walls else []
        if thin:
            items.append(self.between(thin, width))
        items += [f'starts "{begins}"'] if begins else []
        items += [f'region {self.word(region.name)} "{region.letters}"' for region in regions]
        terrains = tuple(self._terrain(number, regions) for number in range(self.pick((1, 0, 2))))
        for terrain in terrains:
            given = joined([f"{self.word(each.region)} {self.spell(each.value)}" for each in terrain.numbers])
            braces = f" {{ {given} }}" if given else ""
            items.append(f"terrain {self.word(terrain.name)} = {self.spell(terrain.default)}{braces}")
        quoted = "\n".join(f'    "{row}"' for row in rows)
        block = "\n".join(f"    {item}" for item in items)
        return Map(rows, walls, regions, terrains, HERE, begins or None, thin), f"map {{\n{quoted}\n{block}\n}}"

    def between(self, thin: tuple[ThinWall, ...], width: int) -> str:
        """The line of some thin walls."""
        pairs = [" ".join(f"({cell % width}, {cell // width})" for cell in wall.cells) for wall in thin]
        return f"wall between {', '.join(pairs)}"

    def thin_walls(self, letters: list[str], width: int) -> tuple[ThinWall, ...]:
        """Walls between some cells and those to the right of them, or below."""
        if not self.chance(2):
            return ()
        beside = [(cell, cell + 1) for cell in range(len(letters)) if (cell + 1) % width]
        below = [(cell, cell + width) for cell in range(len(letters) - width)]
        free = [pair for pair in (*beside, *below) if not any(letters[cell] in WALLS for cell in pair)]
        return tuple(ThinWall(pair, HERE) for pair in self.draw_order(free)[: self.integer(1, 6)])

    def _regions(self, ground: list[str], needy: list[str]) -> tuple[Region, ...]:
        """Regions of any letters, and one of those that no other has, as each needs a meaning."""
        made = []
        for number in range(self.pick((1, 0, 2))):
            some = self.draw_order(ground)[: self.integer(1, len(ground))]
            made.append(Region(self.name(f"region{number}", "region"), "".join(some), HERE))
        rest = "".join(letter for letter in needy if not any(letter in region.letters for region in made))
        return (*made, Region(self.name("rest", "region"), rest, HERE)) if rest else tuple(made)

    def _terrain(self, number: int, regions: tuple[Region, ...]) -> Terrain:
        name, default = self.name(f"terrain{number}", "value"), canonical32(self.constant(-10.0, 10.0))
        given: list[RegionNumber] = []
        taken = ""
        for region in regions:
            if not any(letter in taken for letter in region.letters):
                given.append(RegionNumber(region.name, canonical32(self.constant(-10.0, 10.0))))
                taken += region.letters
        return Terrain(name, default, tuple(given), HERE)
