"""What a universe shows: deaths, rewards, reports, observations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hamlet.universe import Grid
from hamlet.universe.observations import IMAGE_AXES
from hamlet.universe.space import is_hexagonal, letters_of
from strategies.activities import Activities
from strategies.pieces import AND, PRODUCT, Piece, joined
from strategies.words import mentions

LARGEST_REWARD = 1e23
"""Four rewards of this size still add up to finite returns, however long an agent lives."""

WHOLE_CELLS = re.compile(r"grid( of (agents|wall))?|window \d( of wall)?( in sight)?")
"""What shows whole numbers of cells, whatever else is declared."""


def _payable(value: Piece) -> str:
    """A reward that may be paid for ever."""
    if value.lies.low >= -LARGEST_REWARD and value.lies.high <= LARGEST_REWARD:
        return value.text
    return f"clamp({value.text}, -{LARGEST_REWARD}, {LARGEST_REWARD})"


class Outcomes(Activities):
    """Writes outcomes."""

    grouped = False
    """Whether what agents observe is in groups."""
    carries = False
    """Whether all agents carry things."""

    def outcome_lines(self) -> list[str]:
        """Causes of death, rewards, reports."""
        with self.at("ending"):
            return list(self._outcomes())

    def _outcomes(self) -> Iterator[str]:
        causes = [self.condition(2).at_least(AND) for _ in range(self.integer(0, 3))]
        if causes:
            yield f"dies when {' or '.join(dict.fromkeys(causes))}"
        for number in range(self.integer(1, 3)):
            name = f"{self.word(self.name(f'reward{number}', 'outcome'))}: " if self.chance(3) else ""
            yield f"reward {name}{_payable(self.number(3, constants=number == 0))}"
        for number in range(self.pick((0, 0, 1, 2))):
            name = self.word(self.name(f"report{number}", "outcome"))
            yield f"report {name}: {self.number(3).text}"

    def observed(self, declared: str) -> list[str]:
        """The observations, and rewards for the meters that are not among them; `declared` is all the rest."""
        hidden = []
        names = [plan.name for plan in self.meters]
        items = self._of_space()
        if self.chance(4):
            items.append(f"meters {self.item(names[0])}")
            hidden = names[1:]
        elif self.chance(4):
            chosen = self.draw_order(names)
            items += [f"meters {self.item(name)}" for name in chosen[:1]]
            items += [f"meters {' '.join(map(self.item, chosen[1:]))}"] if chosen[1:] else []
        else:
            items.append("meters")
        items += self._of_activities()
        timed = any(mentions(declared, word) for word in ("open", "day_sin", "day_cos")) or "hour" in declared.split()
        if self.hours is not None and (not timed or self.chance(2)):
            items.append("time")
        items += ["lifetime"] if self.lifespan is not None and self.chance(2) else []
        if self.params and (self.chance(2) or not all(mentions(declared, name) for name, _ in self.params)):
            items.append("params")
        if self.of_world:
            names = [plan.name for plan in self.of_world]
            items.append("world" if self.chance(2) else f"world {' '.join(map(self.item, names))}")
        if self.effects:
            items.append("effects" if self.chance(2) else f"effects {self.item(self.effects[-1].name)}")
        items += [self.observed_states(), *self.observed_cells()]
        items += ["items"] if self.carries and self.chance(2) else []
        items += [f"blank {self.integer(1, 3)}"] if self.chance(8) else []
        if self.chance(8):
            items.append(f"constant {' '.join(self.spell(self.constant(-10, 10)) for _ in range(self.integer(1, 3)))}")
        for number in range(self.pick((0, 0, 1, 2))):
            with self.at("mask"):
                shown = self.number(2, constants=False) if self.chance(3) else self.condition(2)
            items.append(f"{self.word(self.name(f'shown{number}', 'outcome'))}: {shown.text}")
        if self.chance(2 if self.grouped else 4):
            items.append(f"hot {self.word(self.name('each', 'outcome'))}: {self._whole()}")
        lines = [self._when_high(name) for name in hidden]
        shown = self.draw_order(items)
        return [*lines, f"observe {{ {joined(self._in_groups(shown) if self.grouped else shown)} }}"]

    def _in_groups(self, items: list[str]) -> list[str]:
        """The same items, all of them in groups."""
        space = self.space.space
        plane = isinstance(space, Grid) and len(space.sizes) == 2
        cells = [item for item in items if plane and "grid" in item.split()]
        if not cells and plane and not is_hexagonal(space):
            cells = [item for item in items if item.startswith("window 1") and not item.startswith("window 1 x")]
        discrete = [item for item in items if item.startswith("hot ") and ":" in item]
        others = [item for item in items if item and item not in (*cells, *discrete)]
        middle = self.integer(0, len(others))
        groups = [f"group first {{ {joined(others[:middle])} }}"] if middle else []
        if cells:
            numbers = " int" if all(map(WHOLE_CELLS.fullmatch, cells)) and self.chance(2) else ""
            axes = f" as {' '.join(self.draw_order(list(IMAGE_AXES)))}" if self.chance(2) else ""
            groups.append(f"image plan{numbers}{axes} {{ {joined(cells)} }}")
        # More than any of these numbers can be.
        discrete = [f"{item} in -200 .. 300" if self.chance(2) else item for item in discrete]
        if self.chance(2):
            groups += [item.replace("hot", "discrete", 1) for item in discrete]
        elif discrete:
            wholes = joined([item.removeprefix("hot ") for item in discrete])
            groups.append(f"group wholes {self.pick(('int', 'discrete', 'tuple'))} {{ {wholes} }}")
        groups += self._texts() if self.chance(2) else []
        return [*groups, *([f"group `the others` {{ {joined(others[middle:])} }}"] if others[middle:] else [])]

    def _texts(self) -> list[str]:
        """A text that is always the same, or one for each place along an axis."""
        space = self.space.space
        sizes = space.sizes if isinstance(space, Grid) and not self.space.nodes else ()
        axes = [(axis, size) for axis, size in zip(self.space.axes, sizes, strict=False) if 1 < size <= 9]
        if not axes or self.chance(3):
            return ['text said "here # and {there}"']
        axis, size = self.pick(axes)
        texts = joined([f'"{place} away"' for place in range(size)])
        return [f"text said: position {axis} {{ {texts} }}"]

    def _whole(self) -> str:
        """A whole number that is known between ticks."""
        grid = self.space.space if isinstance(self.space.space, Grid) and not self.space.nodes else None
        sizes = () if grid is None else grid.sizes
        axes = [axis for axis, size in zip(self.space.axes, sizes, strict=False) if 1 < size <= 50]
        if axes and self.chance(2):
            return f"{self.pick(('', '-', '3 + ', '2 * '))}position {self.pick(axes)}"
        with self.at("mask"):
            condition = self.condition(2)
        return self.pick((condition.text, f"{self.integer(-2, 3) or 4} when ({condition.text})"))

    def observed_states(self) -> str:
        """An item for states, if there are some."""
        raise NotImplementedError

    def observed_cells(self) -> list[str]:
        """Items for meters of cells, if there are some."""
        raise NotImplementedError

    def _of_space(self) -> list[str]:
        items = []
        ground = letters_of(self.space.space)
        drawn = (self.walled or self.leveled) and len(self.space.axes) == 2
        walled = (drawn or (ground is not None and bool(ground.walls))) and not is_hexagonal(self.space.space)
        match self.space.space:
            case Grid(sizes=sizes):
                if self.chance(3) and self.extent_is_small:
                    items.append("grid")
                radius = {1: 4, 2: 3, 3: 1}.get(len(sizes), 1 if len(sizes) < 5 else 0)
                if self.space.nodes:
                    items += ["position node"] if self.chance(2) else []
                elif max(sizes) > 1 and radius and (walled or self.chance(3)):
                    window = f"window {self.integer(1, min(radius, max(sizes) - 1))}"
                    items.append(f"{window} in sight" if walled and self.chance(2) else window)
        if ground is not None and max(self.space.sizes) > 1:
            names = [*(self.word(region.name) for region in ground.regions), *(["wall"] if ground.walls else [])]
            items += [f"grid of {name}" for name in names if self.chance(3)]
            reach = self.pick((1, 2, 3))
            sight = " in sight" if walled and self.chance(2) else ""
            reach = min(reach, max(self.space.sizes) - 1)
            items += [f"window {reach} of {name}{sight}" for name in names if self.chance(2)]
        if (self.walled or self.leveled) and max(self.space.sizes) > 1 and (ground is None or not ground.walls):
            reach = min(self.pick((1, 2)), max(self.space.sizes) - 1)
            sight = " in sight" if walled and self.chance(2) else ""
            few = len(self.space.axes) <= 3
            items += [f"window {reach} of wall{sight}" if few and self.chance(2) else "grid of wall"]
        items += self._views()
        if self.meet and isinstance(self.space.space, Grid) and not self.space.nodes and self.chance(3):
            items += ["grid of agents"] if self.extent_is_small else []
        if self.space.axes:
            items += [f"position {self.pick(('relative', 'absolute', 'scaled'))}"] if self.chance(2) else []
            items += ["speed"] if self.chance(6) else []
            if self.chance(3):
                chosen = self.draw_order(list(self.space.axes))[: self.integer(1, len(self.space.axes))]
                items.append("velocity" if self.chance(2) else f"velocity {' '.join(chosen)}")
        elif self.begins:
            items.append("speed")
        return items

    def _views(self) -> list[str]:
        """Windows that turn, and windows and grids of terrains and expressions."""
        space, items = self.space.space, list[str]()
        if not isinstance(space, Grid) or len(space.sizes) != 2 or self.space.nodes:
            return items
        hexagons = is_hexagonal(space)
        for number in range(self.integer(0, 3)):
            lines = self.integer(1, 4)
            deep = f"{self.integer(0, 3)}" if hexagons else f"{self.integer(1, 5)} x {lines}"
            reach = f" up to {self.integer(1, lines - 1)}" if not hexagons and lines > 1 and self.chance(3) else ""
            turned = [f"{deep} ahead{reach}", f"{self.integer(0, 2)} turned"]
            shape = self.pick((*turned, f"{self.integer(0, 2)}")) if self.space.turns else f"{self.integer(0, 2)}"
            layers = [*map(self.word, self.regions())] if space.map is not None else []
            hidden = self.walled or self.leveled or (space.map is not None and bool(space.map.walls))
            layers += ["wall"] if hidden else []
            name = self.word(self.name(f"view{number}", "outcome"))
            terrains = [*map(self.word, self.extent.terrains)]
            layers += [f"{name}: {self.integer(1, 3)} * position x - position y", *terrains]
            layers += [f"{name}: 2 * {each} when position y > 0" for each in terrains]
            layers += self._of_agents(number) * 2
            layers += self._standing(number) * 2
            sights = (" in view", "") if hexagons else (" in view", " in sight", " in sight", "")
            within, layer = self.pick(sights) if hidden else "", self.pick(layers)
            if self.extent_is_small and self.chance(3):
                own = f" own {self.integer(-2, 2)}" if self.chance(2) and " own " not in layer else ""
                items.append(f"grid of {layer}{own}")
            else:
                items.append(f"window {shape} of {layer}{within}")
        return [*dict.fromkeys(items), *self._extremes()]

    def _of_agents(self, number: int) -> list[str]:
        """What windows show of the agents on cells, where agents meet."""
        if not self.meet:
            return []
        name = self.word(self.name(f"crowd{number}", "outcome"))
        plan = self.pick(self.meters)
        middle = self.number_piece((plan.low + plan.high) / 2).text
        meter = self.word(plan.name)
        asked = (f"count({meter} > {middle})", f"average({meter})", f"count({meter} < {middle} or age > 2)")
        return ["agents", f"{name}: {self.pick(asked)}", f"{name}: total(agent) own -1"]

    def _extremes(self) -> list[str]:
        """The least and the greatest of the agents on cells."""
        if not self.meet or not self.chance(2):
            return []
        meter = self.word(self.pick(self.meters).name)
        return [f"window {self.integer(0, 1)} of {each}: {each}({meter})" for each in ("lowest", "highest")]

    def _standing(self, number: int) -> list[str]:
        """What windows show of the affordances on cells."""
        if not self.affordances or self.space.nodes:
            return []
        shown = self.word(self.pick(self.affordances).name)
        name = self.word(self.name(f"stand{number}", "outcome"))
        closing = [f"open {self.word(self.pick(self.closing))}"] * 2 if self.closing else []
        here = self.pick((f"here == {shown}", "here == nothing"))
        return [shown, *closing, f"{name}: position x + (2 when {here})"]

    @property
    def extent_is_small(self) -> bool:
        """Whether all cells can be observed."""
        count = 1
        for size in self.space.sizes:
            count *= size
        return count <= 2000

    def _of_activities(self) -> list[str]:
        items = []
        if self.affordances and self.chance(2):
            some = self.draw_order([*(self.item(plan.name) for plan in self.affordances), "nothing"])
            items.append("here" if self.chance(2) else f"here {' '.join(some[: self.integer(1, len(some))])}")
        if self.lasting and self.chance(2):
            endless = any(plan.duration == 0 for plan in self.affordances)
            plain = not endless and self.chance(2)
            items.append("progress" if plain else f"progress per {self.integer(1, 9)}")
        return items

    def _when_high(self, name: str) -> str:
        """A reward in which a meter shows."""
        (plan,) = (plan for plan in self.meters if plan.name == name)
        low = self.number_piece(plan.low).at_least(PRODUCT)
        return f"reward {self.number_piece(0.001).text} when {self.word(name)} > {low}"
