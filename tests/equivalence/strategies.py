"""Hypothesis strategies: texts of universes that are valid, or nearly always.

An `_Author` writes a universe construct by construct. It knows where every expression lies (the checker's own
intervals), so that nothing overflows, no divisor can be zero and every comparison decides something. What it writes may
be unwise: numbers at thresholds and their neighbours, subnormals, signed zeros, bounds one step apart, names that are
words of the language, of Python, and of the generated code.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from hypothesis import strategies as st

from hamlet.binary32 import round32, spell32
from hamlet.universe import Grid, Span
from hamletc.checking import intervals
from hamletc.checking.folding import Comparison
from hamletc.checking.intervals import Interval
from hamletc.checking.ranges import farthest

T = TypeVar("T")

WORDS = (
    "energy mood health Bed Shop money_2 _x __ x X O0 l1 space grid clock hours lifespan ticks param "
    "meter rule cascade affordance action at random open lasts needs instantly each tick on completion "
    "together unclamped move teleport dies reward observe window position relative absolute scaled meters "
    "time progress per lifetime params in to distance edges decay interact wrap universe tl where step "
    "self f32 lambda float32 u32 i32 bool int None True def class import return print range len abs_ lane "
    "lanes world worlds agent hour_ age_ layout episode alive engaged action_ seed tick_ actions state "
    "out energy_0 v0 v1 n0 t0 c0 _0 mask rewards terminated used cause numba np numpy triton math load "
    "store program_id BLOCK constexpr minimum maximum sqrt_rn div_rn select uniform choice result buffers "
    "index count value pointer "
)
NAMES = WORDS.split()
NOT_FOR_UNIVERSES = frozenset({"self", "lambda", "None", "True", "def", "class", "import", "return", "in"})

IF, OR, AND, NOT, COMPARISON, SUM, WHEN, CLOSED_SUM, PRODUCT, FACTOR, ATOM = range(11)
"""How tightly an expression binds. A SUM ends in `when`, a CLOSED_SUM does not; a WHEN is only a `when`."""

COMPARISONS: tuple[Comparison, ...] = get_args(Comparison)
COMPARISONS_WITH_LOWEST: tuple[Comparison, ...] = ("<=", ">", "==", "!=")
"""Those that the lowest value of the left side does not decide, as the right side."""

SPECIAL = (
    0.0,
    -0.0,
    1.0,
    0.5,
    0.1,
    0.3,
    1 / 3,
    2.0,
    3.0,
    7.0,
    0.05,
    0.005,
    1e-3,
    1e-10,
    1e-30,
    2.0**-149,
    2.0**-148,
    2.0**-127,
    2.0**-126,
    2.0**-24,
    2.0**-23,
    2.0**23,
    2.0**24,
    2.0**31,
    1e10,
    1e30,
    2.0**127,
    3.4028234663852886e38,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """An expression: its text, how tightly it binds, and where it lies (`None` for a condition)."""

    text: str
    level: int
    range: Interval | None

    def at_least(self, level: int) -> str:
        """The text, in parentheses where it binds less tightly than `level`."""
        return self.text if self.level >= level else f"({self.text})"


@dataclass(frozen=True, slots=True)
class MeterPlan:
    """A meter. A `loose` one may be written without a clamp; it decays, which clamps it in every tick, unless it is
    `adrift`: then it may have any value."""

    name: str
    low: float
    high: float
    loose: bool
    adrift: bool

    @property
    def span(self) -> float:
        return self.high - self.low


def neighbour(value: float, up: bool) -> float:
    """The next binary32 number."""
    exact = round32(value)
    bits = struct.unpack("<i", struct.pack("<f", exact))[0]
    order = bits if bits >= 0 else -(bits & 0x7FFFFFFF)
    order += 1 if up else -1
    raw = order if order >= 0 else (-order | 0x80000000) - (1 << 32)
    result = float(struct.unpack("<f", struct.pack("<i", raw))[0])
    return result if math.isfinite(result) else exact


def _joined(parts: Sequence[str], separator: str = "  ") -> str:
    return separator.join(part for part in parts if part)


class _Author:
    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self.draw = draw
        self.taken: set[str] = set()
        self.numbers: list[float] = []
        self.meters: list[MeterPlan] = []
        self.params: list[tuple[str, Interval]] = []
        self.affordances: list[str] = []
        self.hours: int | None = None
        self.lifespan: int | None = None
        self.distances: Interval | None = None
        self.cascade: Interval | None = None
        self.threshold = 0.0
        self.tight = False

    # --- choices ---------------------------------------------------------------------------------------------------

    def integer(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def chance(self, out_of: int) -> bool:
        """True once in so many times; the simplest example says no."""
        return self.integer(0, out_of - 1) == out_of - 1

    def pick(self, items: Sequence[T]) -> T:
        return items[self.integer(0, len(items) - 1)]

    def name(self, fallback: str) -> str:
        """A name that is not taken."""
        name = self.pick((fallback, *NAMES)) if self.chance(2) else fallback
        while name in self.taken:
            name = f"{name}_{len(self.taken)}"
        self.taken.add(name)
        return name

    # --- constants -------------------------------------------------------------------------------------------------

    def constant(self, low: float, high: float) -> float:
        """A binary32 number within these bounds: often special, or used before, or the neighbour of one."""
        if self.chance(2):
            candidates = [*self.numbers[-12:], *SPECIAL, *(-value for value in SPECIAL if value), low, high]
            value = self.pick(candidates)
            if self.chance(3):
                value = neighbour(value, self.chance(2))
            if low <= round32(value) <= high:
                return self.noted(round32(value))
        steps = self.pick((2, 10, 16, 1000))
        value = round32(low + (high - low) * (self.integer(0, steps) / steps))
        return self.noted(min(max(value, round32(low)), round32(high)))

    def noted(self, value: float) -> float:
        self.numbers.append(value)
        return value

    def spell(self, value: float) -> str:
        """A number in one of its spellings, with its sign."""
        sign, size = "-" if math.copysign(1.0, value) < 0 else "", abs(value)
        style = self.integer(0, 9)
        text = spell32(size)
        if style == 9:
            text = f"{size:.17e}"
        elif style == 8:
            text = text.replace("e", "E").replace("E-0", "E-00")
        elif style <= 6:
            text = text.removesuffix(".0")
        return sign + text

    def number_piece(self, value: float) -> Piece:
        text, exact = self.spell(value), round32(value)
        if self.chance(12) and 1e-20 < abs(value) < 1e20 and round32(value * 0.5) * 2 == exact:
            return Piece(f"{self.spell(value * 0.5)} * 2", PRODUCT, Interval(exact, exact))
        return Piece(text, FACTOR if text.startswith("-") else ATOM, Interval(exact, exact))

    # --- numbers ---------------------------------------------------------------------------------------------------

    def number(self, depth: int, constants: bool = True) -> Piece:
        """An expression that is a number and, without `constants`, is none."""
        piece = self.leaf(constants) if depth <= 0 or not self.chance(2) else self.compound(depth - 1)
        assert piece.range is not None
        return Piece(f"({piece.text})", ATOM, piece.range) if self.chance(15) else piece

    def leaf(self, constants: bool = True) -> Piece:
        kind = self.integer(0, 9)
        if self.cascade is not None and not self.tight and self.chance(2):
            return self.measured()
        if kind <= 1 and constants:
            return self.number_piece(self.constant(*self.pick(((-1.0, 1.0), (-100.0, 100.0), (-1e12, 1e12)))))
        if kind <= 4 and self.params:
            return self.param()
        if kind == 5 and self.lifespan != 1:
            # Without a lifespan ages reach 2 ** 31, which makes overflow likely where it is multiplied again and again.
            high = 2.0**31 if self.lifespan is None else self.lifespan - 1.0
            return Piece("age", ATOM, Interval(0.0, high))
        if kind == 6 and self.hours is not None:
            return Piece("hour", ATOM, Interval(0.0, self.hours - 1.0))
        if kind == 7 and self.affordances:
            return Piece(f"distance to {self.pick(self.affordances)}", ATOM, self.distances)
        return self.meter()

    def param(self) -> Piece:
        name, bounds = self.pick(self.params)
        return Piece(name, ATOM, bounds)

    def meter(self) -> Piece:
        plan = self.pick(self.meters)
        if plan.adrift and not self.tight:
            return Piece(plan.name, ATOM, intervals.ANYTHING)
        room = 8 * plan.span if plan.loose and not self.tight else 0.0
        return Piece(plan.name, ATOM, Interval(round32(plan.low - room), round32(plan.high + room)))

    def measured(self) -> Piece:
        assert self.cascade is not None
        below = Interval(0.0, round32(self.threshold - self.cascade.low))
        if self.threshold > 0 and self.chance(2):
            try:
                return Piece("deficit", ATOM, intervals.divide(below, Interval(self.threshold, self.threshold)))
            except OverflowError:
                pass
        return Piece("shortfall", ATOM, below)

    def compound(self, depth: int) -> Piece:
        kind = self.integer(0, 11)
        a = self.number(depth, constants=kind not in (4, 5, 8))
        assert a.range is not None
        try:
            match kind:
                case 0 | 1 | 2:
                    return self.sum(a, self.number(depth, constants=False))
                case 3:
                    b = self.number(depth, constants=False)
                    text = f"{a.at_least(PRODUCT)} * {b.at_least(FACTOR)}"
                    return Piece(text, PRODUCT, intervals.multiply(a.range, _range(b)))
                case 4:
                    return Piece(f"-{a.at_least(FACTOR)}", FACTOR, intervals.negate(a.range))
                case 5:
                    return Piece(f"abs({a.text})", ATOM, intervals.absolute(a.range))
                case 6 | 7:
                    return self.extremum(a, depth)
                case 8:
                    return self.clamp(a, depth)
                case 9:
                    divisor = self.divisor(depth)
                    text = f"{a.at_least(PRODUCT)} / {divisor.at_least(FACTOR)}"
                    return Piece(text, PRODUCT, intervals.divide(a.range, _range(divisor)))
                case 10:
                    b = self.number(depth)
                    text = f"if {self.condition(depth).text} then {a.text} else {b.text}"
                    return Piece(text, IF, intervals.hull(a.range, _range(b)))
                case _:
                    text = f"{a.at_least(PRODUCT)} when {self.closed_condition(depth)}"
                    return Piece(text, WHEN, intervals.hull(a.range, intervals.ZERO))
        except (OverflowError, ZeroDivisionError):
            return self.meter()

    def sum(self, a: Piece, b: Piece) -> Piece:
        op, find = self.pick((("+", intervals.add), ("-", intervals.subtract)))
        ends_in_when = b.level == WHEN
        right = b.text if ends_in_when else b.at_least(PRODUCT)
        level = SUM if ends_in_when else CLOSED_SUM
        return Piece(f"{a.at_least(SUM)} {op} {right}", level, find(_range(a), _range(b)))

    def extremum(self, a: Piece, depth: int) -> Piece:
        name, find = self.pick((("min", intervals.minimum), ("max", intervals.maximum)))
        texts, found = [a.text], _range(a)
        for _ in range(self.integer(1, 2)):
            other = self.number(depth, constants=len(texts) > 1)
            texts.append(other.text)
            found = find(found, _range(other))
        return Piece(f"{name}({', '.join(texts)})", ATOM, found)

    def clamp(self, a: Piece, depth: int) -> Piece:
        if self.chance(4):  # bounds that change, and may be the wrong way round
            low, high = self.number(depth, constants=False), self.number(depth, constants=False)
        else:
            first = self.constant(-10.0, 10.0)
            second = self.constant(-10.0, 10.0) if self.chance(2) else neighbour(first, True)
            first, second = min(first, second), max(first, second)
            low, high = self.number_piece(first), self.number_piece(second if first < second else first + 1)
        text = f"clamp({a.text}, {low.text}, {high.text})"
        return Piece(text, ATOM, intervals.clamp(_range(a), _range(low), _range(high)))

    def divisor(self, depth: int) -> Piece:
        """An expression that is never zero."""
        if self.chance(3):
            value = self.constant(0.001, 1000.0) * self.pick((1, -1))
            return self.number_piece(value)
        floor = self.constant(0.01, 10.0)
        bound = self.number_piece(floor)
        inner = self.number(depth, constants=False)
        if self.chance(2):
            return Piece(f"max({inner.text}, {bound.text})", ATOM, intervals.maximum(_range(inner), _range(bound)))
        size = intervals.absolute(_range(inner))
        return Piece(f"abs({inner.text}) + {bound.at_least(PRODUCT)}", CLOSED_SUM, intervals.add(size, _range(bound)))

    # --- conditions ------------------------------------------------------------------------------------------------

    def condition(self, depth: int) -> Piece:
        kind = self.integer(0, 11)
        if depth <= 0 or kind <= 5:
            return self.comparison(depth)
        match kind:
            case 6 | 7:
                return self.place()
            case 8:
                return Piece(f"not {self.condition(depth - 1).at_least(NOT)}", NOT, None)
            case 9:
                a, b = self.condition(depth - 1), self.condition(depth - 1)
                return Piece(f"{a.at_least(AND)} and {b.at_least(NOT)}", AND, None)
            case 10:
                a, b = self.condition(depth - 1), self.condition(depth - 1)
                return Piece(f"{a.at_least(OR)} or {b.at_least(AND)}", OR, None)
            case _:
                a, b, c = (self.condition(depth - 1) for _ in range(3))
                return Piece(f"if {a.text} then {b.text} else {c.text}", IF, None)

    def closed_condition(self, depth: int) -> str:
        """What may follow `when`."""
        condition = self.condition(depth)
        if condition.level == COMPARISON and "when" not in condition.text and not self.chance(3):
            left, op, right = self.sides(depth)
            return f"{left.at_least(PRODUCT)} {op} {right.at_least(PRODUCT)}"
        return f"not ({condition.text})" if self.chance(4) else f"({condition.text})"

    def comparison(self, depth: int) -> Piece:
        left, op, right = self.sides(depth)
        return Piece(f"{left.at_least(CLOSED_SUM)} {op} {right.at_least(SUM)}", COMPARISON, None)

    def sides(self, depth: int) -> tuple[Piece, str, Piece]:
        """A comparison that ranges do not decide."""
        outer, self.tight = self.tight, True  # what bounds do not decide, nothing does
        left = self.number(depth - 1, constants=False)
        if _range(left).low == _range(left).high:
            left = self.meter()
        found = _range(left)
        right = self.number(depth - 1, constants=False) if self.chance(4) else None
        self.tight = outer
        op = self.pick(COMPARISONS)
        if right is None or intervals.decide(op, found, _range(right)) is not None:
            right = self.number_piece(self.constant(found.low, found.high))
        if intervals.decide(op, found, _range(right)) is not None:
            right = self.number_piece(found.low)
            op = self.pick(COMPARISONS_WITH_LOWEST)
        return (right, _turned(op), left) if self.chance(5) else (left, op, right)

    def place(self) -> Piece:
        if not self.affordances:
            return self.comparison(0)
        op = self.pick(("==", "!="))
        place = "nothing" if self.chance(4) else self.pick(self.affordances)
        return Piece(f"here {op} {place}" if not self.chance(5) else f"{place} {op} here", COMPARISON, None)

    # --- statements ------------------------------------------------------------------------------------------------

    def amount(self, plan: MeterPlan, depth: int, constants: bool = True) -> Piece:
        """An expression to add to a meter: of the size of its bounds, or less."""
        if constants and self.chance(2 if self.cascade is None else 4):
            size = plan.span * self.pick((0.01, 0.1, 0.5, 1.0))
            value = self.constant(-size, size)
            return self.number_piece(value if value else max(round32(size), 2.0**-149))
        piece = self.number(depth, constants=False)
        found = _range(piece)
        largest = max(abs(found.low), abs(found.high))
        if largest == 0:
            return self.amount(plan, 0)
        if largest <= plan.span and self.chance(2):
            return piece
        factor = round32(min(plan.span / largest * self.pick((0.01, 0.1, 0.9)), 1e30))
        if factor == 0 or largest * factor == 0 or round32(largest * factor) == 0:
            return self.number_piece(max(round32(plan.span / 8), 2.0**-149))
        text = f"{self.number_piece(factor).at_least(PRODUCT)} * {piece.at_least(FACTOR)}"
        return Piece(text, PRODUCT, Interval(-plan.span, plan.span))

    def assignment(self, together: bool) -> str:
        loose = [plan for plan in self.meters if plan.loose]
        bare = bool(loose) and (together or self.chance(3))
        plan = self.pick(loose) if bare else self.pick(self.meters)
        op = self.pick(("+=", "-=", "+=", "-=", "="))
        if op == "=" and bare:
            middle = self.number_piece(self.constant(plan.low, plan.high))
            value = self.sum(middle, self.amount(plan, 2, constants=False)) if self.chance(2) else middle
        elif op == "=":
            value = self.number(2) if self.chance(2) else self.number_piece(self.constant(plan.low, plan.high))
            if value.text.strip("()") == plan.name:
                value = self.number_piece(plan.low)
        else:
            value = self.amount(plan, 2)
        return f"{plan.name} {op} {value.text}{' unclamped' if bare and not together else ''}"

    def statement(self) -> str:
        if any(plan.loose for plan in self.meters) and self.chance(6):
            return f"together {{ {_joined([self.assignment(True) for _ in range(self.integer(1, 3))])} }}"
        return self.assignment(False)

    def body(self) -> str:
        return _joined([self.statement() for _ in range(self.integer(1, 3))], self.pick(("  ", "\n    ")))

    # --- declarations ----------------------------------------------------------------------------------------------

    def grid(self, wanted: int) -> tuple[str, tuple[int, ...]]:
        dimensions = self.pick((2, 1, 2, 3))
        largest = {1: 40, 2: 9, 3: 4}[dimensions]
        sizes = [self.integer(1, largest) for _ in range(dimensions)]
        while math.prod(sizes) < wanted + 1:
            sizes[sizes.index(max(sizes))] += 1
        edges, metric = self.pick(("", "clamp", "wrap", "bounce", "sticky")), self.metric()
        properties = _joined([f"edges {edges}" if edges else "", f"distance {metric}" if metric else ""])
        grid = Grid(tuple(sizes), edges or "clamp", metric or "manhattan", Span(1, 1, 1, 1))  # type: ignore[arg-type]
        self.distances = farthest(grid)
        text = f"space grid {' x '.join(map(str, sizes))}" + (f" {{ {properties} }}" if properties else "")
        return text, tuple(sizes)

    def metric(self) -> str:
        return self.pick(("", "manhattan", "euclidean", "chebyshev"))

    def bounds(self) -> tuple[float, float]:
        match self.integer(0, 11):
            case 0 | 1 | 2 | 3:
                return 0.0, 1.0
            case 4:
                return -0.0, self.constant(0.5, 3.0)
            case 5:
                return -1.0, self.pick((0.0, -0.0, 1.0))
            case 6:
                base = self.constant(-2.0, 2.0)
                return base, neighbour(neighbour(base, True), True)
            case 7:
                return 2.0**24 - 2, 2.0**24 + self.integer(0, 4)
            case 8:
                return -(2.0 ** self.integer(60, 110)), 2.0 ** self.integer(60, 110)
            case 9:
                return self.pick((-1e-38, 0.0, 2.0**-149)), self.pick((2.0**-126, 1e-40, 2.0**-147))
            case 10:
                low = self.constant(-1000.0, 0.0)
                return low, round32(low + self.constant(0.5, 1000.0))
            case _:
                low = self.constant(0.0, 10.0)
                return low, neighbour(low + self.constant(0.25, 100.0), self.chance(2))

    def in_bounds(self, low: float, high: float) -> str:
        value = self.pick((low, high, self.constant(low, high)))
        if (low, high) == (0.0, 1.0) and not self.chance(3):
            return self.spell(value)
        return f"{self.spell(value)} in {self.spell(low)} .. {self.spell(high)}"

    def plan_meters(self) -> None:
        for number in range(self.integer(1, 5)):
            name = self.name(f"meter{number}")
            low, high = map(round32, self.bounds())
            loose = self.chance(3)
            self.meters.append(MeterPlan(name, low, high if low < high else low + 1, loose, loose and self.chance(5)))

    def meter_line(self, plan: MeterPlan) -> str:
        start = self.in_bounds(plan.low, plan.high)
        drains = []
        for key in ("decay", "move", "interact"):
            if (key == "decay" and plan.loose and not plan.adrift) or self.chance(3 if key != "decay" else 2):
                drains.append(f"{key} {self.amount(plan, 1).text}")
        return f"meter {plan.name} = {start}" + (f" {{ {_joined(drains)} }}" if drains else "")

    def plan_params(self) -> list[str]:
        lines = []
        for number in range(self.pick((0, 0, 1, 2))):
            name, (low, high) = self.name(f"param{number}"), self.bounds()
            low, high = round32(low), round32(high)
            high = high if low < high else low + 1
            value = self.pick((low, high))
            self.params.append((name, Interval(low, high)))
            lines.append(f"param {name} = {self.spell(value)} in {self.spell(low)} .. {self.spell(high)}")
        return lines

    def rule(self, number: int) -> str:
        if self.chance(3):
            text = self.cascade_line(number)
            if text is not None:
                return text
        name, block = self.name(f"rule{number}"), self.body()
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
        name = self.name(f"cascade{number}")
        return f"cascade {name}: {plan.name} < {self.number_piece(threshold).text} -> {{ {block} }}"

    @contextmanager
    def within(self, source: Interval | None, threshold: float) -> Iterator[None]:
        """In a cascade with a source that lies there, if it is known."""
        self.cascade, self.threshold = source, threshold
        yield
        self.cascade = None

    def affordance(self, name: str, cell: tuple[int, ...] | None) -> tuple[str, bool]:
        """The declaration, and whether the affordance lasts."""
        place = "random" if cell is None else f"({', '.join(map(str, cell))})"
        head = f"affordance {name} at {place}"
        if self.hours is not None and self.chance(3):
            opens = self.integer(0, self.hours - 1)
            closes = self.integer(0, self.hours)
            if opens != closes:
                head += f" open {opens} .. {closes}"
        needs = f"needs {self.condition(2).text}" if self.chance(3) else ""
        longest = 5 if self.lifespan is None else min(5, self.lifespan - 1)
        if longest < 1 or not self.chance(2):
            return f"{head} {{ {_joined([needs, f'instantly {{ {self.body()} }}'])} }}", False
        duration = self.integer(1, longest)
        kinds = self.pick((("each tick",), ("on completion",), ("each tick", "on completion")))
        blocks = [f"{kind} {{ {self.body()} }}" for kind in kinds]
        return f"{head} lasts {duration} ticks {{ {_joined([needs, *blocks])} }}", True

    def action(self, number: int, sizes: tuple[int, ...]) -> str:
        name = self.name(f"ACTION{number}")
        needs = f"needs {self.condition(2).text}" if self.chance(3) else ""
        delta = [self.integer(1 - size, size - 1) for size in sizes]
        match self.integer(0, 4):
            case 0 if any(delta):
                where = f"move ({', '.join(map(str, delta))})"
            case 1:
                where = f"teleport ({', '.join(str(self.integer(0, size - 1)) for size in sizes)})"
            case _:
                where = ""
        effect = self.body() if not where or self.chance(2) else ""
        return f"action {name} {{ {_joined([needs, effect, where])} }}"

    def observed(self, sizes: tuple[int, ...], lasts: bool, words: set[str]) -> tuple[str, list[str]]:
        """The observations, and the meters that are not among them; `words` are those of the other declarations."""
        items, hidden = [], []
        if self.chance(3):
            items.append("grid")
        radius = {1: 4, 2: 3, 3: 1}[len(sizes)]
        if max(sizes) > 1 and self.chance(3):
            items.append(f"window {self.integer(1, min(radius, max(sizes) - 1))}")
        if self.chance(2):
            items.append(f"position {self.pick(('relative', 'absolute', 'scaled'))}")
        names = [plan.name for plan in self.meters]
        if self.chance(4) and names[0] not in OBSERVATIONS:
            items.append(f"meters {names[0]}")
            hidden = names[1:]
        else:
            items.append("meters")
        items += ["here"] if self.affordances and self.chance(2) else []
        if self.hours is not None and (not words & {"hour", "open"} or self.chance(2)):
            items.append("time")
        if lasts and self.chance(2):
            items.append("progress" if self.chance(2) else f"progress per {self.integer(1, 9)}")
        items += ["lifetime"] if self.lifespan is not None and self.chance(2) else []
        if self.params and (self.chance(2) or not words.issuperset(name for name, _ in self.params)):
            items.append("params")
        return f"observe {{ {'  '.join(self.draw(st.permutations(items)))} }}", hidden

    def universe(self) -> str:
        """The whole text."""
        count = self.pick((2, 1, 0, 3, 5, 8))
        space, sizes = self.grid(count)
        header = [space]
        if self.chance(2):
            self.hours = self.pick((24, 2, 3, 5, 1000))
            header.append(f"clock {self.hours} hours")
        if self.chance(2):
            self.lifespan = self.pick((6, 1, 2, 3, 17, 500))
            reward = f" {{ reward {self.number_piece(self.constant(0.001, 1000.0)).text} }}" if self.chance(2) else ""
            header.append(f"lifespan {self.lifespan} ticks{reward}")
        header += self.plan_params()
        self.plan_meters()
        self.affordances = [self.name(f"Place{number}") for number in range(count)]
        free = self.draw(st.permutations(range(math.prod(sizes))))[:count] if count else []
        body: list[str] = [self.meter_line(plan) for plan in self.meters]
        lasts = False
        for name, cell in zip(self.affordances, free, strict=True):
            text, lasting = self.affordance(name, _coordinates(cell, sizes) if self.chance(2) else None)
            body.append(text)
            lasts |= lasting
        body += [self.rule(number) for number in range(self.integer(0, 5))]
        body += [self.action(number, sizes) for number in range(self.integer(0, 2))]
        causes = [self.condition(2).at_least(AND) for _ in range(self.integer(0, 3))]
        if causes:
            body.append(f"dies when {' or '.join(dict.fromkeys(causes))}")
        rewards = [self.number(3, constants=number == 0).text for number in range(self.integer(1, 2))]
        body += [f"reward {text}" for text in rewards]
        words = set(re.findall(r"\w+", " ".join(body)))
        observe, hidden = self.observed(sizes, lasts, words)
        body += [f"reward {self.number_piece(0.001).text} when {name} > {self.shown(name)}" for name in hidden]
        body.append(observe)
        return "\n".join([f"universe {self.called()}", *header, *self.ordered(body)]) + "\n"

    def shown(self, name: str) -> str:
        """A number that a meter is compared with, so that it shows."""
        (plan,) = (plan for plan in self.meters if plan.name == name)
        return self.number_piece(plan.low).at_least(PRODUCT)

    def called(self) -> str:
        name = self.name("fuzzed")
        return f"{name}_" if name in NOT_FOR_UNIVERSES else name

    def ordered(self, lines: list[str]) -> list[str]:
        """Declarations in any order; sometimes with comments and blank lines."""
        if self.chance(3):
            lines = list(self.draw(st.permutations(lines)))
        if self.chance(4):
            lines = [line if self.chance(2) else f"# {number}\n{line}  # end\n" for number, line in enumerate(lines)]
        return lines


OBSERVATIONS = frozenset({"grid", "window", "position", "meters", "here", "time", "progress", "lifetime", "params"})


def _range(piece: Piece) -> Interval:
    assert piece.range is not None
    return piece.range


def _turned(op: Comparison) -> str:
    """The comparison with its sides exchanged."""
    return op.translate(str.maketrans("<>", "><"))


def _coordinates(cell: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    result = []
    for size in sizes:
        result.append(cell % size)
        cell //= size
    return tuple(result)


@st.composite
def universes(draw: Callable[[st.SearchStrategy[Any]], Any]) -> str:
    """Texts of universes, nearly all of them valid."""
    return _Author(draw).universe()
