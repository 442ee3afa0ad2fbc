"""What agents have together, capacities, and what a world has of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hamlet.numbers.binary32 import round32
from hamlet.universe import Grid, NoSpace, Span
from hamletc import intervals
from hamletc.checking.surroundings import extent
from hamletc.intervals import Interval
from strategies.expressions import COMPARISONS, ORDERINGS
from strategies.pieces import ATOM, NOT, PRODUCT, WHEN, LinksPlan, MeterPlan, Piece, SpacePlan, joined
from strategies.starts import Owner
from strategies.statements import Statements

COUNTING = ("tick", "ending", "acting")
"""Where it is known what agents have together."""
NOWHERE = Span(1, 1, 1, 1)
MOST_AGENTS = Interval(1024.0, 1024.0)
LONGEST_WAIT = 30
"""The most ticks that something waits for."""
OF_AGENTS = (
    "meters",
    "of_cells",
    "extent",
    "inputs",
    "controls",
    "once",
    "affordances",
    "effects",
    "actions",
    "lifespan",
    "by_hand",
    "space",
)
"""What an author has in mind of agents, and a rule of the world cannot read."""


class Worlds(Statements):
    """Writes what agents of a world have to do with each other; only where they `meet`."""

    _agents: dict[str, Any] | None = None
    """What was in mind of agents, while something is written about a world."""

    def plan_world(self) -> None:
        """Whether agents meet, and the meters of their world."""
        self.meet = self.chance(4)
        room = self.room()
        if self.meet and room > 1 and self.chance(2):
            low, high = self.pick(((0.0, 1.0), (-1.0, 1.0), (-4.0, 0.0), (1.0, 8.0)))
            trust = MeterPlan(self.name("trust", "value"), low, high, False, False)
            self.links = LinksPlan(self.name("wired", "value"), self.integer(2, room), trust)
        for number in range(self.integer(0, 3) if self.meet else 0):
            low, high = self.bounds()
            self.of_world.append(MeterPlan(self.name(f"world{number}", "value"), low, high, False, False))

    def room(self) -> int:
        """How many agents surely have room where they start, 4 at most."""
        raise NotImplementedError

    @contextmanager
    def about(self, **others: Any) -> Iterator[None]:
        """With other things in mind of agents."""
        outer = {name: getattr(self, name) for name in others}
        for name, value in others.items():
            setattr(self, name, value)
        try:
            yield
        finally:
            for name, value in outer.items():
                setattr(self, name, value)

    def world_lines(self) -> list[str]:
        """The block of the world, if there is one."""
        if not self.of_world:
            return []
        agents = {name: getattr(self, name) for name in OF_AGENTS}
        nowhere = SpacePlan("", NoSpace(NOWHERE), (), ())
        self._agents = agents
        with self.about(
            meters=self.of_world,
            of_cells=[],
            inputs=[],
            controls=[],
            once=[],
            affordances=[],
            effects=[],
            actions=[],
            lifespan=1,
            by_hand=False,
            space=nowhere,
            extent=extent(nowhere.space),
        ):
            rules = [self._rule(number) for number in range(self.integer(0, 4))]
            meters = [f"{'kept ' if self.chance(4) else ''}{self.meter_start(plan, 'world')}" for plan in self.of_world]
            stages = self._stages()
            rules += self._once_of_world()
        self._agents = None
        if stages:
            reads = f"rule {self.word(self.name('lesson', 'rule'))}: stage == calm -> {self.assignment(False)}"
            return [stages, reads, *self._block_of_world(meters, rules)]
        return self._block_of_world(meters, rules)

    def _stages(self) -> str:
        """Sometimes a curriculum."""
        if not self.chance(3):
            return ""
        self.take("stage", "value")
        on, back = (self.condition(1).text for _ in range(2))
        return f"stages {{\n    calm -> stormy when {on}\n    stormy -> calm when {back}\n}}"

    def _block_of_world(self, meters: list[str], rules: list[str]) -> list[str]:
        items = self.draw_order([*meters, *rules])
        return [f"world {{\n    {joined(items, f'{chr(10)}    ')}\n}}"]

    def _once_of_world(self) -> list[str]:
        """Sometimes what a world draws once, which a rule reads."""
        if not self.chance(3):
            return []
        name, rule = self.word(self.name("weather", "value")), self.word(self.name("forecast", "rule"))
        reads = f"rule {rule}: {name} {self.pick(ORDERINGS)} 0.5 -> {self.assignment(False)}"
        return [f"let {name} = once uniform(0, 1)", reads]

    def meter_start(self, plan: MeterPlan, owner: Owner) -> str:
        return f"meter {self.word(plan.name)} = {self.held(plan, owner, self._in_bounds(plan.low, plan.high))}"

    def _rule(self, number: int) -> str:
        name = self.word(self.name(f"law{number}", "rule"))
        match self.integer(0, 3):
            case 0:
                return f"rule {name} {{ {self.body()} }}"
            case 1:
                return f"rule {name} {{ together {{ {self.assignments()} }} }}"
            case 2:
                return f"rule {name}: {self.statement()}"
            case _:
                return f"rule {name}: {self._guard()} -> {{ {self.body()} }}"

    def _guard(self) -> str:
        """A condition, sometimes on the ticks of the world, which has more than one."""
        agents = self._agents or {}
        lifespan = None if agents["by_hand"] else agents["lifespan"]
        last = min(lifespan or LONGEST_WAIT, LONGEST_WAIT)
        if last < 2 or not self.chance(3):
            return self.condition(2).text
        return f"{f'every {self.integer(2, last)}' if self.chance(2) else f'after {self.integer(1, last - 1)}'} ticks"

    def together_with_others(self) -> Piece:
        """A meter of the world, or what agents have together."""
        if self.of_world and (self.scope not in COUNTING or self.chance(3)):
            plan = self.pick(self.of_world)
            return Piece(self.word(plan.name), ATOM, Interval(round32(plan.low), round32(plan.high)))
        if self.scope not in COUNTING:
            return self.meter()
        known = self._agents is not None or self.scope == "ending"
        with self.about(**(self._agents or {}), cascade=None), self.at("among" if known else "early among"):
            agent = self._agents is None
            if agent and self._can_be_counted_on() and self.chance(4):
                return self._on_cell()
            ops = ("count", "total", "lowest", "highest", "average", *(("rank", "nearest") if agent else ()))
            op = self.pick(ops)
            if agent and (op == "nearest" or self.chance(2)):
                try:
                    return self._asked(op)
                except OverflowError:
                    op = "count"
            if op == "rank":
                who = "true" if self.chance(3) else self.condition(1).text
                return Piece(f"rank({who}, {self.number(1, constants=False).text})", ATOM, Interval(0.0, 1023.0))
            if op == "count":
                return Piece(f"count({self.condition(1).text})", ATOM, Interval(0.0, 1024.0))
            each = self.number(1, constants=False)
        found = intervals.hull(each.lies, intervals.ZERO)
        try:
            if op == "total":
                found = intervals.multiply(found, MOST_AGENTS)
            elif op == "average":
                found = intervals.multiply(found, intervals.ROUNDED_OFTEN)
        except OverflowError:
            op = "lowest"
        return Piece(f"{op}({each.text})", ATOM, found)

    def _can_be_counted_on(self) -> bool:
        """Whether there are cells, so many along each axis that agents differ by it."""
        return isinstance(self.space.space, Grid) and not self.space.nodes and min(self.space.space.sizes) > 1

    def _on_cell(self) -> Piece:
        """How many agents are on a cell beside the own one, or on always the same one."""
        place = []
        for axis, along in self.extent.position.items():
            last = int(along.high)
            beside = f"position {axis}{self.pick(('', ' + 1', ' - 1'))}"
            place.append(beside if self.chance(2) else str(self.integer(0, last)))
        who = "true" if self.chance(2) else self.condition(1).text
        return Piece(f"count({who}) at ({', '.join(place)})", ATOM, Interval(0.0, 1024.0))

    def _asked(self, op: str) -> Piece:
        """What an agent finds that asks others about two of them."""
        match op:
            case "count":
                return Piece(f"count({self._pair_condition()})", ATOM, Interval(0.0, 1024.0))
            case "rank":
                order = self.number(1, constants=False).text
                return Piece(f"rank({self._pair_condition()}, {order})", ATOM, Interval(0.0, 1023.0))
            case "nearest":
                who = "true" if self.chance(3) else self._pair_condition()
                if self.chance(3):
                    return Piece(f"nearest({who})", ATOM, self.extent.distance)
                value, other = self._pair_number(), self.number(1)
                if self.chance(2):
                    return Piece(f"nearest({who}, {value.text})", ATOM, intervals.hull(value.lies, intervals.ZERO))
                found = intervals.hull(value.lies, other.lies)
                return Piece(f"nearest({who}, {value.text}, {other.text})", ATOM, found)
            case _:
                value = self._pair_number()
                found = intervals.hull(value.lies, intervals.ZERO)
                if op == "total":
                    found = intervals.multiply(found, MOST_AGENTS)
                elif op == "average":
                    found = intervals.multiply(found, intervals.ROUNDED_OFTEN)
                return Piece(f"{op}({value.text})", ATOM, found)

    def _pair_number(self) -> Piece:
        """A number of an agent and the one that asks it."""
        own = self.sum(self.meter(), self.number(1))
        parts = [Piece(f"own({own.text})", ATOM, own.lies)]
        parts += [Piece("apart", ATOM, self.extent.distance)] if self.extent.distance.high > 0 else []
        if self.links is not None and self.chance(2):
            self.links.trusted, plan = True, self.links.trust
            read = f"{self.word(plan.name)}{self.pick(('', ' of other'))}"
            parts = [Piece(read, ATOM, Interval(plan.low, plan.high))]
        value = self.sum(self.meter(), self.pick(parts))
        if not self.chance(3):
            return value
        condition, found = self._pair_condition(), intervals.hull(value.lies, intervals.ZERO)
        return Piece(f"{value.at_least(PRODUCT)} when ({condition})", WHEN, found)

    def _pair_condition(self) -> str:
        """A condition on an agent and the one that asks it."""
        if self.links is not None and self.chance(2):
            self.links.read = True
            return f"{self.word(self.links.name)}{self.pick(('', ' of other'))}"
        condition = self._of_both()
        return f"{condition} and {self.condition(1).at_least(NOT)}" if self.chance(3) else condition

    def _of_both(self) -> str:
        """A condition on what an agent and the one that asks it have."""
        kind, condition, distance = self.integer(0, 2), "other", self.extent.distance
        theirs, mine, op = self.meter(), self.meter(), self.pick(COMPARISONS)
        if kind == 1 and distance.high > 0:
            condition = f"apart <= {self.number_piece(distance.high / 2).text}"
        elif kind == 2 and intervals.decide(op, theirs.lies, mine.lies) is None:
            condition = f"{theirs.text} {op} own({mine.text})"
        return condition

    def linked(self) -> list[str]:
        """Links that are written, or drawn, where something asks for them, and what else agents have of each other."""
        plan = self.links
        if plan is None or not (plan.read or plan.trusted):
            return []
        items = [*(self._links(plan) if plan.read else ()), *(self._trust(plan.trust) if plan.trusted else ())]
        return [f"pairs {{ {'  '.join(items)} }}"]

    def _links(self, plan: LinksPlan) -> Iterator[str]:
        name = self.word(plan.name)
        if self.chance(2):
            yield f"state {name} = chance({self.pick(('0.5', '0.2'))})"
            if self.chance(2):
                after = self.pick(("true", "false", f"not {name} of other", self._of_both()))
                yield f"rule {self.word(self.name('ties', 'rule'))}: {self._of_both()} -> {name} = {after}"
            return
        both = [(one, other) for other in range(plan.agents) for one in range(other)]
        kept = [each for each in both if self.chance(2)] or both[:1]
        written = [f"{one} {self.pick(('-', '->'))} {other}" for one, other in kept]
        yield f"links {name} {{ {'  '.join(written)} }}"

    def _trust(self, plan: MeterPlan) -> Iterator[str]:
        """A number that agents have of each other, and a rule that writes it."""
        name, low, high = self.word(plan.name), self.spell(plan.low), self.spell(plan.high)
        middle = self.spell((plan.low + plan.high) / 2)
        begins = self.pick((middle, f"uniform({low}, {middle})", f"{middle} when other"))
        yield f"state {name}: real in {low} .. {high} = {begins}"
        if self.chance(2):
            by = self.pick(("0.125 * own(agent)", f"0.25 * {name} of other", "uniform(0, 0.5)"))
            rule = self.word(self.name("grows", "rule"))
            yield f"rule {rule}: {self._of_both()} -> {name} {self.pick(('+=', '-='))} {by}"

    def blocking(self, space: str) -> str:
        """The text of the space; sometimes agents block each other, or push what lies on cells, where no action leads
        where all agents decide."""
        first, *rest = space.split("\n")
        if not self.meet or not first.startswith(("space grid", "space hexagons")) or self.led_by_all:
            return space
        with self.at("claim"):
            how = "" if self.chance(4) else f" to highest {self.number(2, constants=False).text}"
        blocks, pushes = self.chance(3), self._pushes()
        if not blocks and not pushes:
            return space
        by_push = bool(pushes) and (not blocks or self.chance(2))
        parts = [f"agents block{'' if by_push else how}"] if blocks else []
        parts += [f"agents push {pushes}{how if by_push else ''}"] if pushes else []
        said = f"{'  '.join(parts)} }}"
        first = f"{first[: first.rindex('}')]} {said}" if "}" in first else f"{first} {{ {said}"
        return "\n".join([first, *rest])

    def _pushes(self) -> str:
        """What agents push, and how many at most; empty where nothing is."""
        grid = self.space.space
        if not self.load or not isinstance(grid, Grid):
            return ""
        most = min(4, min(grid.sizes) - 2) if grid.edges == "wrap" else 4
        if most < 1:
            return ""
        length = self.integer(1, most)
        return self.load if length == 1 else f"{self.load} up to {length}"

    def capacity(self) -> str:
        """Sometimes a capacity."""
        if not self.meet or not self.chance(2):
            return ""
        places = self.pick(("1", "2", "1.5", "3"))
        named = [*(name for name, _ in self.params), *(plan.name for plan in self.of_world)]
        if named and self.chance(2):
            places = f"max({self.word(self.pick(named))}, {places})"
        if self.chance(2):
            return f"capacity {places} to lowest number"
        with self.at("claim"):
            return f"capacity {places} to highest {self.number(2, constants=False).text}"
