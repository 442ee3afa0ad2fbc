"""What the cells of a grid have of their own: meters, and rules in which they read those beside them and agents."""

from __future__ import annotations

import math

from hamlet.numbers.binary32 import round32
from hamlet.universe import Grid
from hamlet.universe.space import beside, is_hexagonal, letters_of, surrounding
from hamletc import intervals
from hamletc.checking.around import MOST_AROUND
from hamletc.intervals import Interval
from strategies.pieces import ATOM, FACTOR, PRODUCT, WHEN, MeterPlan, Piece, joined
from strategies.states import States
from strategies.words import TOWARD, mentions
from strategies.worlds import OF_AGENTS

MOST_CELLS = 150
"""Of a grid whose cells have meters: kernels visit every cell in every tick."""


OVER_CELLS = ("tick", "ending", "acting", "mask")
"""Where an author asks all cells."""


class Cells(States):
    """Writes meters and rules of cells, and agents that read them."""

    _of_cell = False
    """Whether something is written about a cell."""
    flag = ""
    load = ""
    """A state of cells, as it is written."""
    _beside = False
    """Whether that is about other cells."""
    _around = False
    """Whether that is about those around it, which know the agents that stand on them."""

    def plan_cells(self) -> None:
        """The meters of cells, on some grids that have only few."""
        grid = isinstance(self.space.space, Grid) and not self.space.nodes
        if not grid or math.prod(self.space.sizes) > MOST_CELLS or not self.chance(2):
            return
        for number in range(self.integer(1, 2)):
            low, high = self.bounds()
            self.of_cells.append(MeterPlan(self.name(f"cell{number}", "value"), low, high, False, False))
        self.walled = self.chance(3)
        self.solid = self.chance(3)

    def cell_lines(self) -> list[str]:
        """The block of cells, if there is one."""
        if not self.of_cells:
            return []
        plans = self.of_cells
        self._agents = {name: getattr(self, name) for name in (*OF_AGENTS, "_of_cell", "_beside", "_around")}
        with self.about(
            meters=plans,
            of_cells=[],
            inputs=[],
            controls=[],
            once=[],
            affordances=[],
            effects=[],
            actions=[],
            lifespan=1,
            by_hand=False,
            meet=True,
            _of_cell=True,
        ):
            rules = [self._rule_of_cells(number, plan) for number, plan in enumerate(plans)]
            rules += [self._rule_of_cells(len(rules) + number, None) for number in range(self.integer(0, 2))]
            meters = [self._start_of_cells(plan) for plan in plans]
            meters += self._flag()
            meters += self._load()
            rules += self._closed()
        self._agents = None
        return [f"cells {{\n    {joined(self.draw_order([*meters, *rules]), f'{chr(10)}    ')}\n}}"]

    def _closed(self) -> list[str]:
        """Sometimes which cells are walls, and which ones are solid."""
        walls = [f"wall when {self._closing(self.flag)}"] if self.walled else []
        return [*walls, f"solid when {self._closing('')}"] if self.solid else walls

    def _closing(self, flag: str) -> str:
        """The condition of a wall: a high number of the cell, or a flag, while something of the world holds."""
        plan = self.pick(self.meters)
        bound = self.number_piece(plan.low + 0.75 * (plan.high - plan.low)).text
        condition = flag or f"{self.word(plan.name)} > {bound}"
        if self.of_world and self.chance(2):
            world = self.pick(self.of_world)
            middle = self.number_piece((world.low + world.high) / 2).text
            condition = f"{condition} and {self.word(world.name)} < {middle}"
        elif self.params and self.chance(2):
            name, lies = self.pick(self.params)
            middle = self.number_piece((lies.low + lies.high) / 2).text
            condition = f"{condition} or {self.word(name)} > {middle}"
        return condition

    def _flag(self) -> list[str]:
        """Sometimes a state, and rules that write and read it."""
        if not self.chance(3):
            return []
        name = self.word(self.name("flag", "value"))
        turns, shows = (self.word(self.name(rule, "rule")) for rule in ("turns", "shows_flag"))
        start = self.pick(("false", "chance(0.5)"))
        self.flag = name
        written, effect = self.condition(1).text, self.assignment(False)
        return [f"state {name} = {start}", f"rule {turns}: {name} = {written}", f"rule {shows}: {name} -> {effect}"]

    def _load(self) -> list[str]:
        """Sometimes a state that agents may push, and a rule that reads it."""
        if self.chance(3):
            return []
        name, shows = self.word(self.name("load", "value")), self.word(self.name("shows_load", "rule"))
        self.load = name
        kinds = (
            (" = chance(0.3)", name),
            (": int in -1 .. 2 = if chance(0.4) then integer(-1, 2) else 0", f"{name} != 0"),
        )
        declared, lies = self.pick(kinds)
        return [f"state {name}{declared}", f"rule {shows}: {lies} -> {self.assignment(False)}"]

    def _start_of_cells(self, plan: MeterPlan) -> str:
        """A number, or where the cell is and what it draws, in the bounds."""
        if self.chance(2):
            return self.meter_start(plan, "cell")
        place = self._place_of_cell()
        drawn = Piece(f"uniform(0, {self.number_piece(plan.span).text})", ATOM, Interval(0.0, plan.span))
        alone = mentions(place.text, plan.name)
        value = f"{place.text} * 0 + {drawn.text}" if self.inert and not alone and self.chance(4) else drawn.text
        start = f"{self.spell(plan.low)} + {value}" if self.chance(2) else f"{self.spell(plan.high)} when chance(0.5)"
        start = f"{start} in {self.spell(plan.low)} .. {self.spell(plan.high)}"
        return f"meter {self.word(plan.name)} = {self.held(plan, 'cell', start)}"

    def _rule_of_cells(self, number: int, plan: MeterPlan | None) -> str:
        """A rule; where a meter is given it changes that."""
        name = self.word(self.name(f"grows{number}", "rule"))
        if plan is None:
            return f"rule {name} {{ {self.body()} }}"
        amount = self.amount(plan, 2, constants=False).text
        guard = f"{self.condition(2).text} -> " if self.chance(2) else ""
        return f"rule {name}: {guard}{self.word(plan.name)} {self.pick(('+=', '-='))} {amount}"

    def statement(self, relocations: bool = True) -> str:
        """A cell moves nobody; an agent sometimes writes into one."""
        if self.of_cells and self.space.axes and not self._of_cell and self.chance(4):
            return self._post()
        return super().statement(relocations and not self._of_cell)

    def _post(self) -> str:
        """What an agent writes into its own cell, or into another one, sometimes beyond the edges."""
        where = ""
        if self.space.turns and self.chance(3):
            where = f" at {self.pick(TOWARD)}{self.pick(('', ' 2'))}"
        elif self.chance(2):
            place = [
                self.shifted(axis, low, high)
                if low == high or self.chance(2)
                else f"position {self.space.axes[axis]} + 1"
                for axis, (low, high) in enumerate(self.ends())
            ]
            where = f" at ({', '.join(place)})"
        if self.flag and self.chance(3):
            return f"{self.flag}{where} = {self.pick(('true', 'false', self.condition(1).text))}"
        plan, op = self.pick(self.of_cells), self.pick(("+=", "-=", "="))
        if op == "=":
            value = self.number(2) if self.chance(2) else self.number_piece(self.constant(plan.low, plan.high))
        else:
            value = self.amount(plan, 2)
        name = self.word(plan.name)
        # Of an action `needs at right 2` is what it needs.
        name = "`needs`" if where and name == "needs" else name
        return f"{name}{where} {op} {value.text}"

    # --- what a cell reads ------------------------------------------------------------------------------------------

    def leaf(self, constants: bool = True) -> Piece:
        if self._of_cell and not self.starting:
            constant = constants and self.chance(3)
            return self.number_piece(self.constant(-1.0, 1.0)) if constant else self._read_by_cell()
        here = self.of_cells and not self.starting and self.scope not in ("claim", "opening")
        if here and self.chance(8):
            return self._elsewhere(self.of_cells)
        if here and not self.space.nodes and self.scope != "previous" and self.chance(12):
            return self._around_agent()
        if here and self.chance(6):
            return self._over_cells() if self.scope in OVER_CELLS and self.chance(2) else self._cell_value()
        return super().leaf(constants)

    def _over_cells(self) -> Piece:
        """What all cells come to."""
        plan, op = self.pick(self.of_cells), self.pick(("total", "average", "lowest", "highest", "count"))
        lies = intervals.hull(Interval(round32(plan.low), round32(plan.high)), intervals.ZERO)
        name, cells = self.word(plan.name), float(math.prod(self.space.sizes))
        if op == "count":
            middle = self.number_piece((plan.low + plan.high) / 2).text
            return Piece(f"(count({name} > {middle}) over cells)", ATOM, Interval(0.0, cells))
        try:
            if op == "total":
                lies = intervals.multiply(lies, Interval(cells, cells))
            if op in ("total", "average"):
                lies = intervals.multiply(lies, intervals.ROUNDED_OFTEN)
        except OverflowError:
            op = "lowest"
        return Piece(f"({op}({name}) over cells)", ATOM, lies)

    def previous(self, depth: int) -> Piece:
        """Of a cell what the tick began with; it looks no further back."""
        if not self._of_cell:
            return super().previous(depth)
        plan = self.pick(self.meters)
        return Piece(f"previous({self.word(plan.name)})", ATOM, Interval(round32(plan.low), round32(plan.high)))

    def _cell_value(self) -> Piece:
        """A meter of the cell that the agent is on."""
        plan = self.pick(self.of_cells)
        return Piece(self.word(plan.name), ATOM, Interval(round32(plan.low), round32(plan.high)))

    def _around_agent(self) -> Piece:
        """The sum over the cells around an agent, of what each has, or of a part of them."""
        plan = self.pick(self.of_cells)
        lies, each = Interval(round32(plan.low), round32(plan.high)), self.word(plan.name)
        count, further = self._around_one()
        if not further or self.chance(2):
            count, further = Interval(0.0, float(beside(self.space.space))), ""
        if self.chance(2):
            middle = self.number_piece((plan.low + plan.high) / 2).text
            each, lies = f"1 when {each} > {middle}", Interval(0.0, 1.0)
        try:
            summed = intervals.multiply(lies, count)
        except OverflowError:
            return self._cell_value()
        return Piece(f"neighbours({each}{', ' * bool(further)}{further})", ATOM, summed)

    def _elsewhere(self, meters: list[MeterPlan]) -> Piece:
        """What the cell has that is some cells away on each axis, or always the same cell."""
        place, inside = [], isinstance(self.space.space, Grid) and self.space.space.edges == "wrap"
        known = True
        for axis, along in self.extent.position.items():
            last = int(along.high)
            if self.chance(3):
                place.append(f"position {axis}")
            elif self.chance(2):
                place.append(f"position {axis} {self.pick(('+', '-'))} {self.integer(min(1, last), last)}")
                known = known and last == 0
            else:
                place.append(str(self.integer(0, last)))
        name, lies = self._of_named_cell(meters)
        where = f"({', '.join(place)})"
        if self.space.turns and not self._of_cell and self.chance(2):
            where, known = f"{self.pick(TOWARD)}{self.pick(('', ' 2', ''))}", False
        lies = lies if inside or known else intervals.hull(lies, intervals.ZERO)
        text = f"{name} at {where}"
        return (
            Piece(f"(1 when {text})", WHEN, lies)
            if name in ("wall", "solid") or name.startswith("on ")
            else Piece(text, ATOM, lies)
        )

    def _of_named_cell(self, meters: list[MeterPlan]) -> tuple[str, Interval]:
        """What is read of such a cell, and where it lies."""
        regions = self.regions() if letters_of(self.space.space) is not None else []
        match self.integer(0, 5):
            case 0 if self.extent.terrains:
                name, lies = self.pick(list(self.extent.terrains.items()))
                return self.word(name), lies
            case 1 if regions:
                return f"on {self.word(self.pick(regions))}", Interval(0.0, 1.0)
            case 2:
                return "solid" if self.solid and self.chance(2) else "wall", Interval(0.0, 1.0)
            case _:
                plan = self.pick(meters)
                return self.word(plan.name), Interval(round32(plan.low), round32(plan.high))

    def _read_by_cell(self) -> Piece:
        """A number of a cell, or of those beside it."""
        match self.integer(0, 8):
            case 8 if not self._beside:
                return self._elsewhere(self.meters)
            case 0 | 1 if not self._beside and self.scope != "previous":
                return self._sum_beside()
            case 2 | 3 if (not self._beside or self._around) and self.scope in ("tick", "ending"):
                return self.together_with_others()
            case 7 if not self._beside and self.scope in ("tick", "ending"):
                return self._counted_away()
            case 4:
                return self._place_of_cell()
            case 5 if self.params:
                name, bounds = self.pick(self.params)
                return Piece(self.word(name), ATOM, bounds)
            case 6 if self.of_world:
                plan = self.pick(self.of_world)
                return Piece(self.word(plan.name), ATOM, Interval(round32(plan.low), round32(plan.high)))
            case _:
                return self.meter()

    def _place_of_cell(self) -> Piece:
        """Where the cell is, or what the ground there is like."""
        axis = self.pick(self.space.axes)
        pieces = [Piece(f"position {axis}", ATOM, self.extent.position[axis])]
        pieces += [Piece(self.word(name), ATOM, lies) for name, lies in self.extent.terrains.items()]
        known = [piece for piece in pieces if piece.lies.low < piece.lies.high]
        regions = self.regions() if letters_of(self.space.space) is not None else []
        if regions and self.chance(2):
            return Piece(f"(1 when on {self.word(self.pick(regions))})", WHEN, Interval(0.0, 1.0))
        return self.pick(known) if known else self.meter()

    def _sum_beside(self) -> Piece:
        """The sum over the cells beside one."""
        count = Interval(0.0, float(beside(self.space.space)) if isinstance(self.space.space, Grid) else 0.0)
        try:
            with self.about(_beside=True, _around=True):
                each = self._read_by_cell()
                if self.chance(2):
                    other = self._read_by_cell()
                    text = f"{each.at_least(PRODUCT)} * {other.at_least(FACTOR)}"
                    each = Piece(text, PRODUCT, intervals.multiply(each.lies, other.lies))
            if self.chance(6):
                each = Piece("1", ATOM, Interval(1.0, 1.0))
            around, further = self._around_one()
            if further and self.chance(3):
                return Piece(f"neighbours({each.text}, {further})", ATOM, intervals.multiply(each.lies, around))
            return Piece(f"neighbours({each.text})", ATOM, intervals.multiply(each.lies, count))
        except OverflowError:
            return self.meter()

    def _counted_away(self) -> Piece:
        """How many agents stand on a cell that is so far from each cell."""
        place = [
            f"position {axis}{self.pick(('', f' + {step}', f' - {step}'))}"
            for axis, along in self.extent.position.items()
            for step in (self.integer(0, max(0, min(2, int(along.high)))),)
        ]
        with self.about(**(self._agents or {}), cascade=None), self.at("among"):
            counted = self.condition(1).text
        return Piece(f"count({counted}) at ({', '.join(place)})", ATOM, Interval(0.0, 1024.0))

    def _around_one(self) -> tuple[Interval, str]:
        """Cells around one that are not only beside it: how many there are at most, and how they are said."""
        space, radius = self.space.space, self.pick((None, 1, 2))
        if not isinstance(space, Grid) or len(space.sizes) > 3 or (is_hexagonal(space) and radius is None):
            return intervals.ZERO, ""
        said = tuple(surrounding(space, radius))
        around = [by for by in said if all(map(lambda x, n: abs(x) < n, by, space.sizes))]
        many = not around or len(said) > MOST_AROUND
        return Interval(0.0, float(len(around))), "" if many else "diagonal" if radius is None else f"within {radius}"

    # --- what agents observe ----------------------------------------------------------------------------------------

    def observed_cells(self) -> list[str]:
        """Items of `observe`: each meter of cells is seen, one way or another."""
        names = [self.item(plan.name) for plan in self.of_cells]
        if not names:
            return []
        reach = min(self.pick((1, 2)), max(self.space.sizes) - 1)
        whole = self.chance(2) or len(self.space.axes) > 3 or reach == 0
        items = ["cell" if self.chance(2) else f"cell {' '.join(names)}"]
        where = "grid of" if whole else f"window {reach} of"
        items += [f"hot {where} {self.flag}"] if self.flag and self.chance(2) else []
        return [*items, f"{where} {self.pick(names)}"] if self.chance(2) else items
