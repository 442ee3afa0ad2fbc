"""What agents can do: affordances, actions, and which are allowed."""

from __future__ import annotations

import math

from hamlet.universe import Continuous, Grid
from hamlet.universe.space import letters_of
from hamletc.checking.standpoint import Scope
from hamletc.language.braces import DECLARATIONS
from strategies.pieces import AffordancePlan, joined
from strategies.spaces import Spaces
from strategies.words import ASKING, mentions


class Activities(Spaces):
    """Writes affordances, actions and masks."""

    _neighbours = False
    """Whether affordances say where they stand."""
    stands_near = False
    """Whether one stands near another."""

    def plan_affordances(self, count: int) -> None:
        """So many affordances, and how long each lasts."""
        longest = 5 if self.lifespan is None or self.by_hand else min(5, self.lifespan - 1)
        for number in range(count):
            lasts = longest >= 1 and self.chance(2)
            duration = self.pick((self.integer(1, longest), self.integer(1, longest), 0)) if lasts else None
            self.affordances.append(AffordancePlan(self.name(f"Place{number}", "affordance"), duration))

    def affordance_lines(self) -> list[str]:
        """The declarations, no two at one place where that matters."""
        match self.space.space:
            case Grid() if self.space.nodes:
                fixed = [self.node(self.space.nodes[cell]) for cell in self._cells(len(self.space.nodes))]
            case Grid(sizes=sizes) if not self.space.stored:
                fixed = [
                    f"({', '.join(map(str, _coordinates(cell, sizes)))})" for cell in self._cells(math.prod(sizes))
                ]
            case _:
                fixed = [self.place() if self.space.axes else "" for _ in self.affordances]
        places = [place if not place or self.chance(2) else "random" for place in fixed]
        self._neighbours = False
        grid = isinstance(self.space.space, Grid)
        if self.letters:
            lettered = [f'"{self.pick(self.letters)}"', f"random in {self.word(self.wood)}"]
            places = [self.pick(lettered) if self.chance(2) else place for place in places]
        elif grid and (letters_of(self.space.space) is not None or self.chance(3)):
            places = self._spread(places, math.prod(self.space.sizes))
            self._neighbours = True
        with self.at("acting"):
            return [self._affordance(plan, place) for plan, place in zip(self.affordances, places, strict=True)]

    def _spread(self, places: list[str], cells: int) -> list[str]:
        """The places, of which some at random say where, so that there is always room for them."""
        at_random = places.count("random")
        if cells > 400 or not at_random:
            return places
        apart = at_random > 1 and self.chance(2)
        least = self.pick((1, 2)) if cells > 16 * at_random and not self.space.nodes else 1
        room = sum(self.space.sizes)
        found = []
        for number, place in enumerate(places):
            said = ["random"]
            if place == "random":
                said += [f"in {self.word(self.pick(roomy))}"] if (roomy := self._roomy(at_random)) else []
                said += [f"apart {least}"] if apart else []
                if number > 0 and self.chance(2):
                    self.stands_near = True
                    said.append(f"near {self.word(self.affordances[self.integer(0, number - 1)].name)} within {room}")
            found.append(" ".join(said) if place == "random" else place)
        return found

    def _roomy(self, wanted: int) -> list[str]:
        """The regions with many more cells than this that may be free."""
        ground = letters_of(self.space.space)
        if ground is None:
            return []
        taken = f"{ground.walls}{ground.starts or ''}"
        known = [(region.name, set(region.letters) - set(taken)) for region in ground.regions]
        most = 2 * wanted + len(self.affordances)
        return [name for name, letters in known if len(ground.cells("".join(letters))) > most]

    def _cells(self, count: int) -> list[int]:
        """A cell for every affordance, no two the same."""
        cells: list[int] = []
        ground = letters_of(self.space.space)
        walls = frozenset() if ground is None else frozenset(ground.cells(ground.walls))
        for _ in self.affordances:
            cell = self.integer(0, count - 1)
            while cell in cells or cell in walls:
                cell = (cell + 1) % count
            cells.append(cell)
        return cells

    def _affordance(self, plan: AffordancePlan, place: str) -> str:
        copies = self._copies(place)
        head = f"affordance {self.word(plan.name)}{copies}" + (f" at {place}" if place else "")
        hours = ""
        if self.hours is not None and self.chance(3):
            opens = self.integer(0, self.hours - 1)
            closes = self.integer(0, self.hours)
            if opens != closes:
                hours = f" open {opens} .. {closes}"
        own = self.own(plan)
        if hours or any(part.startswith("open when") for part in own):
            self.closing.append(plan.name)
        stays = not any(word in part for part in own for word in ("wanders", "rule goes"))
        self.lettered += (plan.name,) if place.startswith('"') and stays else ()
        solid = stays and self._may_be_solid(place)
        head += f"{' solid' if solid else ''}{hours}"
        there = any(part.startswith("action") for part in own)
        needs = joined([*own[:2], self.needs("mask" if there else "needs")])
        places = self.capacity()
        self.solids, self.claimed = self.solids or solid, self.claimed or bool(places)
        capacity = joined([places, *own[2:]])
        if plan.duration is None:
            return f"{head} {{ {joined([needs, capacity, f'instantly {{ {self.body()} }}'])} }}"
        head += " lasts forever" if plan.duration == 0 else f" lasts {plan.duration} ticks"
        together = any(meter.loose for meter in self.meters) and self.chance(3)
        kinds = self.pick((("each tick",), ("on completion",), ("each tick", "on completion")))
        kinds = ("each tick",) if plan.duration == 0 else kinds
        blocks = [f"{kind} {{ {self.assignments() if together else self.body()} }}" for kind in kinds]
        return f"{head}{' together' if together else ''} {{ {joined([needs, capacity, *blocks])} }}"

    def own(self, plan: AffordancePlan) -> list[str]:
        """Sometimes a meter of its own with a rule, a condition under which it is open, and an action."""
        if not self.meet or not self.chance(2):
            return []
        used = f"used == {self.word(plan.name)}" if self.chance(2) else "action == INTERACT"
        parts = ["meter own0 = 2 in 0 .. 4", f"rule law: own0 = mod(own0 + count({used}), 5)"]
        if self.chance(2):
            word = "appears" if self._may_leave() and self.chance(2) else "open"
            parts.append(f"{word} when own0 > {self.integer(0, 3)}")
        parts[1] += self._moving()
        if self.chance(2):
            self.there.append(self.name("ACTION_THERE", "action"))
            parts.append(f"action {self.word(self.there[-1])} {{ {self.body(relocations=False)} }}")
        return parts

    def _may_be_solid(self, place: str) -> bool:
        """Sometimes that an affordance is solid: on a grid where nobody can start on it."""
        space = self.space.space
        if (
            not isinstance(space, Grid)
            or space.graph is not None
            or space.starts == "anywhere"
            or not self._may_leave()
        ):
            return False
        by_letter = space.map is not None and space.map.starts is not None
        return (place == "random" or place.startswith('"')) and not by_letter and not self.tracked and self.chance(4)

    def _may_leave(self) -> bool:
        """Whether affordances may move and appear, which makes places stored: ways are known between few cells then."""
        space = self.space.space
        return isinstance(space, Continuous) or (isinstance(space, Grid) and math.prod(space.sizes) <= 1024)

    def _may_move(self) -> bool:
        """Whether they may move: on axes of more than one cell."""
        space = self.space.space
        return self._may_leave() and not (isinstance(space, Grid) and min(space.sizes) == 1)

    def _moving(self) -> str:
        """Sometimes a rule, or another way, by which an affordance moves."""
        if not self._may_move() or not self.chance(2):
            return ""
        space = self.space.space
        whole = isinstance(space, Grid)
        walls = letters_of(space)
        if whole and (walls is None or not walls.walls) and self.chance(2):
            return f"  wanders{self.pick(('', ' every 2 ticks'))}"
        if self.space.nodes:
            return "  wanders"
        axis = self.pick(self.space.axes)
        by = "integer(-1, 2)" if whole else "uniform(-1, 0.5)"
        return f"  rule goes: position {axis} {self.pick(('+=', '-='))} {by}"

    def _copies(self, place: str) -> str:
        """Sometimes several of one, where there is room, and no other is to be near it."""
        space = self.space.space
        roomy = self.space.stored or isinstance(space, Continuous)
        if place != "random" or not roomy or self._neighbours or not self.chance(2):
            return ""
        return f": {self.integer(1, 3)} copies"

    def needs(self, scope: Scope = "needs") -> str:
        """Sometimes a condition."""
        if not self.chance(3):
            return ""
        with self.at(scope):
            return f"needs {self.condition(2).text}"

    def plan_actions(self) -> list[str]:
        """The names of the universe's own actions."""
        for name in (*self.space.moves, "INTERACT", "WAIT"):
            self.take(name, "action")
        own = [self.name(f"ACTION{number}", "action") for number in range(self.integer(0, 2))]
        of_space = [*self.space.moves, "INTERACT", "WAIT"]
        self.lists = self.chance(4)
        if self.lists:
            needed = {"INTERACT"} if self.affordances else {"WAIT"}
            of_space = [name for name in of_space if name in needed or not self.chance(4)]
        self.actions = [*of_space, *own]
        return own

    def list_of_actions(self) -> list[str]:
        """Sometimes the list of all actions."""
        if not self.lists:
            return []
        # Whoever does nothing takes the first action, which is no action of a role then.
        first, *others = self.actions
        names = [first, *self.draw_order([*others, *self.there])]
        # A bare word that begins a declaration would end the list.
        words = (f"`{name}`" if name in DECLARATIONS else self.word(name) for name in names)
        return [f"actions {' '.join(words)}"]

    def action(self, name: str) -> str:
        needs = self.needs()
        where = keeps = ""
        if self.space.nodes and self.chance(3):
            where = f"teleport {self.place()}"
            keeps = "keeps progress" if self.lasting and self.chance(2) else ""
        if self.space.axes:
            by = self.displacement()
            match self.integer(0, 4):
                case 0 if _moves(by):
                    where = f"move {by}"
                case 1:
                    where = f"teleport {self.place()}"
                case 2 if _moves(by) and self.inert:
                    where = f"move {by}  teleport {self.place()}"
            keeps = "keeps progress" if where and self.lasting and self.chance(2) else ""
        with self.at("acting"):
            effect = self.body(relocations=False) if not where or self.chance(2) else ""
            if not where and (self.space.axes or self.space.nodes) and self.chance(3):
                where = self.relocation()
                if self.chance(3):
                    where = f"if {self.condition(1).text} {{ {where} }}"
                if self._led_by_all(effect, where):
                    if self.solids and self.claimed:
                        effect, where = effect or self.body(relocations=False), ""
                    else:
                        self.led_by_all = True
        return f"action {self.word(name)} {{ {joined([needs, keeps, effect, where])} }}"

    def _led_by_all(self, effect: str, where: str) -> bool:
        """Whether what agents have together may decide where an action leads: asked where it is said, or written into
        meters that are read there."""
        if where.startswith("teleport"):
            return False
        asked = any(word in effect for word in ASKING)
        read = asked and any(mentions(where, plan.name) for plan in self.meters)
        return read or any(word in where for word in ASKING)

    @property
    def lasting(self) -> bool:
        """Whether some affordance lasts."""
        return any(plan.duration is not None for plan in self.affordances)

    def masks(self) -> list[str]:
        """Which actions are allowed; for each at most one says so, and one for all."""
        names = list(self.draw_order(self.actions))
        lines = []
        with self.at("mask"):
            while self.chance(4) and names:
                count = self.integer(1, min(3, len(names)))
                chosen, names = names[:count], names[count:]
                said = self.pick((self.condition(2).text, self.condition(1).text, self.pick(("true", "false"))))
                lines.append(f"allow {' '.join(map(self.word, chosen))} when {said}")
            if self.chance(5):
                lines.append(f"allow all when {self.condition(2).text}")
        return lines

    def acting(self) -> list[str]:
        """Sometimes in which ticks agents act."""
        with self.at("mask"):
            return [f"acts when {self.condition(2).text}" for _ in range(self.pick((0, 0, 0, 0, 1, 2)))]


def _moves(displacement: str) -> bool:
    """Whether a written displacement goes anywhere."""
    return any(digit in displacement for digit in "123456789")


def _coordinates(cell: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    result = []
    for size in sizes:
        result.append(cell % size)
        cell //= size
    return tuple(result)
