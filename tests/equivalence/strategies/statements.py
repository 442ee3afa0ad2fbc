"""Statements, and declarations that are little else: meters, rules, cascades."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from hamlet.numbers.binary32 import canonical32, round32
from hamlet.universe import Continuous, Grid, NoSpace, Space
from hamlet.universe.space import has_momentum
from hamletc.intervals import Interval
from strategies.pieces import ATOM, FACTOR, PRODUCT, EffectPlan, MeterPlan, Piece, TablePlan, joined
from strategies.quantities import DRAWING
from strategies.starts import Starts
from strategies.words import ASKING, TOWARD, neighbour


class Statements(Starts):
    """Writes what changes meters, and where agents are."""

    led_by_all = False
    """Whether what agents have together may decide where an action leads."""
    solids = claimed = False
    """Whether an affordance is solid, and whether one has places to claim."""

    def amount(self, plan: MeterPlan, depth: int, constants: bool = True) -> Piece:
        """An expression to add to a meter: of the size of its bounds, or less."""
        if constants and self.chance(2 if self.cascade is None else 4):
            size = plan.span * self.pick((0.01, 0.1, 0.5, 1.0))
            value = self.constant(-size, size)
            return self.number_piece(value if value else max(round32(size), 2.0**-149))
        return self.scaled(plan, self.number(depth, constants=False))

    def scaled(self, plan: MeterPlan, piece: Piece) -> Piece:
        """A number, made as small as the bounds of a meter."""
        found = piece.lies
        largest = max(abs(found.low), abs(found.high))
        if largest == 0:
            return self.number_piece(max(round32(plan.span / 8), 2.0**-149))
        if largest <= plan.span and self.chance(2):
            return piece
        factor = round32(min(plan.span / largest * self.pick((0.01, 0.1, 0.9)), 1e30))
        if factor == 0 or largest * factor == 0 or round32(largest * factor) == 0:
            return self.number_piece(max(round32(plan.span / 8), 2.0**-149))
        text = f"{self.number_piece(factor).at_least(PRODUCT)} * {piece.at_least(FACTOR)}"
        return Piece(text, PRODUCT, Interval(-plan.span, plan.span))

    def assignment(self, together: bool) -> str:
        """One assignment; without a clamp only to a loose meter."""
        loose = [plan for plan in self.meters if plan.loose]
        bare = bool(loose) and (together or self.chance(3))
        plan = self.pick(loose) if bare else self.pick(self.meters)
        op = self.pick(("+=", "-=", "+=", "-=", "="))
        name = self.word(plan.name)
        if op == "=" and bare:
            middle = self.number_piece(self.constant(plan.low, plan.high))
            value = self.sum(middle, self.amount(plan, 2, constants=False)) if self.chance(2) else middle
        elif op == "=":
            value = self.number(2) if self.chance(2) else self.number_piece(self.constant(plan.low, plan.high))
            if value.text.strip("()`") == plan.name:
                value = self.number_piece(plan.low)
        else:
            value = self.amount(plan, 2)
        return f"{name} {op} {value.text}{' unclamped' if bare and not together else ''}"

    def statement(self, relocations: bool = True) -> str:
        """A statement; one that says where an agent is if `relocations` may stand here."""
        if any(plan.loose for plan in self.meters) and self.chance(6):
            return f"together {{ {self.assignments()} }}"
        if has_momentum(self.space.space) and self.space.axes and self.chance(4):
            return self.push(self.space.space)
        if relocations and (self.space.axes or self.space.nodes) and self.chance(6):
            return self.relocation()
        if self.chance(8):
            return self.branches(relocations)
        return self.assignment(False)

    def branches(self, relocations: bool) -> str:
        """An `if`, mostly with an `else`."""
        text = f"if {self.condition(2).text} {{ {self.branch(relocations)} }}"
        match self.integer(0, 3):
            case 0:
                return text
            case 1:
                return f"{text} else {self.branches(relocations)}"
            case _:
                return f"{text} else {{ {self.branch(relocations)} }}"

    def branch(self, relocations: bool) -> str:
        """What stands in the braces of a branch."""
        return joined(self.statements(lambda: self.statement(relocations)))

    def relocation(self) -> str:
        """A statement that displaces an agent, or puts it somewhere."""
        if self.space.nodes or self.chance(4):
            return f"teleport {self.place()}"
        if self.space.turns and self.chance(2):
            return f"move {self.pick(TOWARD)}"
        space = self.space.space
        lengths = [high - low for low, high in self.ends()]
        if isinstance(space, Continuous):
            lengths = [canonical32(canonical32(axis.high) - canonical32(axis.low)) for axis in space.axes]
        by = [self.shifted(axis, -length, length) for axis, length in enumerate(lengths)]
        if any(part != "0" for part in by) and self.chance(2):
            return f"move ({', '.join(by)})"
        return f"teleport ({', '.join(self.shifted(axis, low, high) for axis, (low, high) in enumerate(self.ends()))})"

    def place(self) -> str:
        """Coordinates in the space, or a node, as they are written."""
        raise NotImplementedError

    def ends(self) -> list[tuple[float, float]]:
        """The least and the greatest coordinate on each axis."""
        match self.space.space:
            case Grid(sizes=sizes):
                return [(0.0, size - 1.0) for size in sizes]
            case Continuous(axes=axes):
                return [(round32(axis.low), round32(axis.high)) for axis in axes]
            case NoSpace():
                return []

    def shifted(self, axis: int, low: float, high: float) -> str:
        """A number from low to high, whole on a grid."""
        grid = isinstance(self.space.space, Grid)
        if low == high:
            return "0"
        if grid and self.chance(3) and self.scope in DRAWING:
            return f"integer({low:.0f}, {high:.0f})" if self.chance(2) else "choice(0: 2, 1: 1)"
        low, high = round32(low), round32(high)
        number = self.number(2, constants=False).text
        if self.chance(3):
            number = f"position {self.space.axes[axis]} + 1"
        value = f"{self.pick(('floor', 'ceil', 'round'))}({number})" if grid else number
        return f"clamp({value}, {self.spell(low)}, {self.spell(high)})"

    def push(self, space: Space) -> str:
        """A statement that writes a velocity."""
        limit = space.momentum if isinstance(space, Continuous) else None
        assert limit is not None
        plan = MeterPlan("", -limit, limit, False, False)
        op = self.pick(("+=", "-=", "="))
        value = self.number(2) if op == "=" and self.chance(2) else self.amount(plan, 2)
        return f"velocity {self.pick(self.space.axes)} {op} {value.text}"

    def assignments(self) -> str:
        """What may stand in `together`."""
        return joined(self.statements(lambda: self.assignment(True)))

    def statements(self, statement: Callable[[], str]) -> list[str]:
        """Some statements, sometimes with a local, which one of them reads at least."""
        written, known = list[str](), len(self.locals)
        for _ in range(self.integer(1, 3)):
            if self.chance(10):
                written += self.local()
            written.append(statement())
        del self.locals[known:]
        return written

    def local(self) -> tuple[str, str]:
        """A local, and a statement that reads it."""
        name, plan = f"{self.pick(('local', 'a local '))}{len(self._taken['value'])}", self.pick(self.meters)
        self.take(name, "value")
        word, meter = self.word(name), self.word(plan.name)
        if self.chance(3):
            text = self.condition(2).text
            return f"let {word} = {text}", f"{meter} += {self.amount(plan, 1).at_least(PRODUCT)} when {word}"
        piece = self.number(2, constants=False)
        self.locals.append((name, piece.lies, self.scope))
        return f"let {word} = {piece.text}", f"{meter} -= {self.scaled(plan, Piece(word, ATOM, piece.lies)).text}"

    def body(self, relocations: bool = True) -> str:
        statements = self.statements(lambda: self.statement(relocations))
        if self.effects and self.chance(3):
            word = self.pick(("begin", "begin", "end"))
            statements.insert(self.integer(0, len(statements)), f"{word} {self.word(self.pick(self.effects).name)}")
        return joined(statements, self.pick(("  ", "\n    ")))

    # --- effects -----------------------------------------------------------------------------------------------------

    def plan_effects(self) -> None:
        """Sometimes effects, of agents."""
        if not self.chance(3):
            return
        for number in range(self.integer(1, 2)):
            name, ticks = self.name(f"effect{number}", "value"), self.integer(1, 4)
            again, most, stacks = self.pick(("", "again ignore", "again renew")), ticks, 0
            if self.chance(3):
                most = ticks + self.integer(1, 5)
                again = f"again add up to {most} ticks"
            elif self.chance(2):
                stacks = self.integer(2, 4)
                again = f"again stack up to {stacks}"
            lasts = f"{ticks} ticks"
            if not stacks and again in ("", "again ignore") and self.chance(3):
                lasts, most = "forever", 1
            self.effects.append(EffectPlan(name, most, stacks, f"lasts {lasts} {{ {again}"))

    def effect_line(self, plan: EffectPlan) -> str:
        """What an effect does; it begins no other one."""
        effects, blocks = self.effects, []
        self.effects = []
        moving = not (self.solids and self.claimed)
        for kind in ("on start", "each tick", "on end"):
            empty = kind == "on end" and not blocks and plan.head.endswith("{ ")
            if self.chance(2) or empty:
                with self.at("tick" if kind == "each tick" else "acting"):
                    blocks.append(f"{kind} {{ {self.body(relocations=moving)} }}")
        # An action that begins or ends an effect does what is done then.
        self.led_by_all = self.led_by_all or (moving and any(word in block for block in blocks for word in ASKING))
        self.effects = effects
        until = f"until {self.condition(2).text}" if self.chance(3) or "forever" in plan.head else ""
        return f"effect {self.word(plan.name)} {joined([plan.head, *blocks, until])} }}"

    # --- meters, params, inputs ------------------------------------------------------------------------------------

    def bounds(self) -> tuple[float, float]:
        match self.integer(0, 11):
            case 0 | 1 | 2 | 3:
                low, high = 0.0, 1.0
            case 4:
                low, high = -0.0, self.constant(0.5, 3.0)
            case 5:
                low, high = -1.0, self.pick((0.0, -0.0, 1.0))
            case 6:
                low = self.constant(-2.0, 2.0)
                high = neighbour(neighbour(low, True), True)
            case 7:
                low, high = 2.0**24 - 2, 2.0**24 + self.integer(0, 4)
            case 8:
                low, high = -(2.0 ** self.integer(60, 110)), 2.0 ** self.integer(60, 110)
            case 9:
                low, high = self.pick((-1e-38, 0.0, 2.0**-149)), self.pick((2.0**-126, 1e-40, 2.0**-147))
            case 10:
                low = self.constant(-1000.0, 0.0)
                high = low + self.constant(0.5, 1000.0)
            case _:
                low = self.constant(0.0, 10.0)
                high = neighbour(low + self.constant(0.25, 100.0), self.chance(2))
        low, high = round32(low), round32(high)
        return low, high if low < high else low + 1

    def plan_meters(self) -> None:
        """Some meters."""
        for number in range(self.integer(1, 5)):
            name, (low, high) = self.name(f"meter{number}", "value"), self.bounds()
            loose = self.chance(3)
            self.meters.append(MeterPlan(name, low, high, loose, loose and self.chance(5)))

    def meter_line(self, plan: MeterPlan) -> str:
        start = self._in_bounds(plan.low, plan.high)
        if self.chance(3):
            with self.at_start():
                piece = self.number(2, constants=False)
            if piece.lies.low <= plan.high and piece.lies.high >= plan.low:
                start = f"{piece.text} in {self.spell(plan.low)} .. {self.spell(plan.high)}"
        drains = []
        for key in ("decay", "move", "interact"):
            if key == "move" and not self.space.moves:
                continue
            if (key == "decay" and plan.loose and not plan.adrift) or self.chance(3 if key != "decay" else 2):
                with self.at("tick" if key == "decay" else "acting"):
                    drains.append(f"{key} {self.amount(plan, 1).text}")
        begins = self.held(plan, "agent", start)
        return f"meter {self.word(plan.name)} = {begins}" + (f" {{ {joined(drains)} }}" if drains else "")

    def plan_numbers(self, kind: str) -> tuple[list[tuple[str, Interval]], list[str]]:
        """Some params, or inputs, and their declarations."""
        planned, lines = [], []
        for number in range(self.pick((0, 0, 1, 2))):
            name, (low, high) = self.name(f"{kind}{number}", "value"), self.bounds()
            value = self.pick((low, high))
            planned.append((name, Interval(low, high)))
            lines.append(f"{kind} {self.word(name)} = {self.spell(value)} in {self.spell(low)} .. {self.spell(high)}")
        return planned, lines

    def plan_tables(self) -> None:
        """Some tables; those that nothing reads are not declared."""
        for number in range(self.pick((0, 0, 0, 1, 2))):
            name = self.name(f"table{number}", "value")
            sizes = self.pick(((2,), (3,), (7,), (2, 2), (3, 2), (2, 3, 2), (40,), (16, 12)))
            values = [self.constant(-10.0, 10.0) for _ in range(prod(sizes))]
            if self.chance(3):
                values = [float(self.integer(0, 3)) for _ in values]
            written = f" {' x '.join(map(str, sizes))}" if len(sizes) > 1 or self.chance(3) else ""
            line = f"table {self.word(name)}{written} {{ {' '.join(map(self.spell, values))} }}"
            lies = Interval(min(map(round32, values)), max(map(round32, values)))
            self.tables.append(TablePlan(name, sizes, line, lies))

    def plan_controls(self) -> tuple[list[tuple[str, Interval]], list[str]]:
        """Some controls, and their declarations."""
        planned, lines = [], []
        for number in range(self.pick((0, 0, 0, 1, 2, 6))):
            name, (low, high) = self.name(f"control{number}", "value"), self.bounds()
            whole = self.chance(4)
            if whole:
                low, high = float(self.integer(-3, 0)), float(self.integer(1, 1000))
            planned.append((name, Interval(low, high)))
            kind = ": int" if whole else ""
            lines.append(f"control {self.word(name)}{kind} in {self.spell(low)} .. {self.spell(high)}")
        return planned, lines

    def _in_bounds(self, low: float, high: float) -> str:
        value = self.pick((low, high, self.constant(low, high)))
        if (low, high) == (0.0, 1.0) and not self.chance(3):
            return self.spell(value)
        return f"{self.spell(value)} in {self.spell(low)} .. {self.spell(high)}"

    # --- rules and cascades ----------------------------------------------------------------------------------------

    def rule(self, number: int) -> str:
        if self.chance(3):
            text = self.cascade_line(number)
            if text is not None:
                return text
        name, block = self.word(self.name(f"rule{number}", "rule")), self.body()
        match self.integer(0, 3):
            case 0:
                return f"rule {name} {{ {block} }}"
            case 1:
                return f"rule {name}: {self.statement()}"
            case 2:
                return f"rule {name}: {self.condition(2).text} -> {self.statement()}"
            case _:
                return f"rule {name}: {self.condition(2).text} -> {{ {block} }}"

    def cascade_line(self, number: int) -> str | None:
        plan = self.pick(self.meters)
        threshold = self.constant(plan.low, plan.high)
        if not plan.low < threshold:
            threshold = plan.high
        low = round32(plan.low - 8 * plan.span) if plan.loose else plan.low
        with self.within(None if plan.adrift else Interval(low, plan.high), threshold):
            block = self.body()
        name, source = self.word(self.name(f"cascade{number}", "rule")), self.word(plan.name)
        return f"cascade {name}: {source} < {self.number_piece(threshold).text} -> {{ {block} }}"
