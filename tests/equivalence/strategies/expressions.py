"""Expressions, and where they lie: by the checker's own intervals, so that nothing overflows, no divisor can be zero
and every comparison decides something."""

from __future__ import annotations

from functools import reduce
from typing import get_args

from hamlet.universe.functions import FUNCTIONS
from hamlet.universe.space import letters_of
from hamletc import intervals
from hamletc.intervals import Comparison, Interval
from strategies.pieces import (
    AND,
    ATOM,
    CLOSED_SUM,
    COMPARISON,
    FACTOR,
    IF,
    NOT,
    OR,
    PRODUCT,
    SUM,
    WHEN,
    Piece,
)
from strategies.quantities import DRAWING, TICKING, Quantities
from strategies.words import neighbour

COMPARISONS: tuple[Comparison, ...] = get_args(Comparison)
ORDERINGS: tuple[Comparison, ...] = ("<", "<=", ">", ">=")
"""Those that nearly any value can decide either way."""
COMPARISONS_WITH_LOWEST: tuple[Comparison, ...] = ("<=", ">", "==", "!=")
"""Those that the lowest value of the left side does not decide, as the right side."""


class Expressions(Quantities):
    """Writes numbers and conditions about what is planned."""

    # --- numbers ---------------------------------------------------------------------------------------------------

    def number(self, depth: int, constants: bool = True) -> Piece:
        """An expression that is a number and, without `constants`, is none."""
        piece = self.leaf(constants) if depth <= 0 or not self.chance(2) else self.compound(depth - 1)
        return Piece(f"({piece.text})", ATOM, piece.lies) if self.chance(15) else piece

    def from_table(self, depth: int) -> Piece:
        """A number of a table, at indices of which one at least is no constant."""
        plan = self.pick(self.tables)
        self.tables_read.add(plan.name)
        indices = [self._index(size, depth, axis > 0) for axis, size in enumerate(plan.sizes)]
        # In front of a bracket `in` begins what a series goes through.
        name = "`in`" if plan.name == "in" else self.word(plan.name)
        return Piece(f"{name}[{', '.join(indices)}]", ATOM, plan.lies)

    def _index(self, size: int, depth: int, constants: bool) -> str:
        """A whole number that is inside of a table."""
        if constants and self.chance(3):
            return str(self.integer(0, size - 1))
        number = self.number(depth, constants=False)
        if self.chance(2) and intervals.absolute(number.lies).high < size * intervals.MOST_QUOTIENT:
            return f"mod({self.pick(('floor', 'round'))}({number.text}), {size})"
        return f"clamp({self.pick(('floor', 'ceil'))}({number.text}), 0, {size - 1})"

    def compound(self, depth: int) -> Piece:
        if self.tables and self.chance(6):
            return self.from_table(depth)
        kind = self.integer(0, 18)
        if kind == 12 and not self.starting:
            return self.previous(depth)
        if kind in (15, 16):
            return self.drawn(depth) if self.scope in DRAWING else self.meter()
        a = self.number(depth, constants=kind not in (4, 5, 8, 13, 14, 17, 18))
        try:
            match kind:
                case 0 | 1 | 2:
                    return self.sum(a, self.number(depth, constants=False))
                case 3:
                    b = self.number(depth, constants=False)
                    text = f"{a.at_least(PRODUCT)} * {b.at_least(FACTOR)}"
                    return Piece(text, PRODUCT, intervals.multiply(a.lies, b.lies))
                case 4:
                    return Piece(f"-{a.at_least(FACTOR)}", FACTOR, intervals.negate(a.lies))
                case 5:
                    return self.called("abs", a)
                case 6 | 7:
                    return self.extremum(a, depth)
                case 8:
                    return self.clamp(a, depth)
                case 9:
                    divisor = self.divisor(depth)
                    text = f"{a.at_least(PRODUCT)} / {divisor.at_least(FACTOR)}"
                    return Piece(text, PRODUCT, intervals.divide(a.lies, divisor.lies))
                case 10:
                    b = self.number(depth)
                    text = f"if {self.condition(depth).text} then {a.text} else {b.text}"
                    return Piece(text, IF, intervals.hull(a.lies, b.lies))
                case 11:
                    text = f"{a.at_least(PRODUCT)} when {self.closed_condition(depth)}"
                    return Piece(text, WHEN, intervals.hull(a.lies, intervals.ZERO))
                case 13:
                    return self.root(a)
                case 17:
                    return self.called(self.pick(("floor", "ceil", "round")), a)
                case 18:
                    return self.modulo(a, depth)
                case _:
                    return self.elementary(a, depth)
        except (OverflowError, ZeroDivisionError):
            return self.meter()

    def previous(self, depth: int) -> Piece:
        """On the state that the tick began with; at that time ages are a little lower."""
        if self.scope not in (*TICKING, "needs"):
            return self.number(depth, constants=False)
        with self.at("previous"):
            operand = self.number(depth, constants=False)
        return Piece(f"previous({operand.text})", ATOM, operand.lies)

    def drawn(self, depth: int) -> Piece:
        """A random number."""
        try:
            match self.integer(0, 6):
                case 4:
                    mean = self.pick(("0.5", "2", "30", f"clamp({self.number(depth, constants=False).text}, 0, 4)"))
                    return Piece(f"poisson({mean})", ATOM, Interval(0.0, 64.0))
                case 5:
                    probability = self.pick(("0.5", "0.01", f"clamp({self.number(depth).text}, 0.1, 0.9)"))
                    return Piece(f"geometric({probability})", ATOM, Interval(1.0, 1700.0))
                case 6:
                    average = self.number(depth, constants=False)
                    lies = intervals.multiply(average.lies, Interval(0.0, 17.0))
                    return Piece(f"exponential({average.text})", ATOM, lies)
                case 0:
                    low, high = self.integer(-9, 9), self.integer(10, 40)
                    if self.chance(4):
                        low, high = self.pick(((-(1 << 24), 1 << 24), (-1, 1 << 24), (0, 1)))
                    return Piece(f"integer({low}, {high})", ATOM, Interval(float(low), float(high)))
                case 1:
                    options = [self.number(depth) for _ in range(self.integer(2, 4))]
                    found = reduce(intervals.hull, (option.lies for option in options))
                    texts = [option.text for option in options]
                    if self.chance(2):
                        texts = [f"{text}: {self.pick(('1', '2.5', '1 / 3', '1e-3', '4e5'))}" for text in texts]
                    return Piece(f"choice({', '.join(texts)})", ATOM, found)
                case 2:
                    center, spread = self.number(depth), self.number(depth, constants=False)
                    away = intervals.multiply(spread.lies, intervals.NORMAL)
                    return Piece(f"normal({center.text}, {spread.text})", ATOM, intervals.add(center.lies, away))
                case _:
                    low_end, high_end = self.number(depth), self.number(depth, constants=False)
                    size = intervals.multiply(intervals.subtract(high_end.lies, low_end.lies), intervals.SHARE)
                    text = f"uniform({low_end.text}, {high_end.text})"
                    return Piece(text, ATOM, intervals.add(low_end.lies, size))
        except OverflowError:
            return self.meter()

    def root(self, a: Piece) -> Piece:
        if a.lies.low >= 0:
            return self.called("sqrt", a)
        if self.chance(2):
            return self.called("sqrt", self.called("abs", a))
        return self.called("sqrt", self.called("max", a, Piece("0", ATOM, intervals.ZERO)))

    def called(self, name: str, *arguments: Piece) -> Piece:
        """A function of numbers that it takes."""
        text = f"{name}({', '.join(argument.text for argument in arguments)})"
        lies = [argument.lies for argument in arguments]
        return Piece(text, ATOM, intervals.call(FUNCTIONS[name], lies))

    def elementary(self, a: Piece, depth: int) -> Piece:
        match self.integer(0, 5):
            case 5:
                return self.called("atan2", *self.pick(((a, self.number(depth)), (self.number(depth), a))))
            case 0:
                return self.called(self.pick(("exp", "exp2")), a)
            case 1:
                return self.called(self.pick(("log", "log2")), self.positive(a))
            case 2:
                angle = self.number_piece(1048576.0)
                lies = intervals.clamp(a.lies, intervals.negate(angle.lies), angle.lies)
                text = a.text if lies == a.lies else f"clamp({a.text}, -{angle.at_least(FACTOR)}, {angle.text})"
                return self.called(self.pick(("sin", "cos")), Piece(text, ATOM, lies))
            case 3:
                return self.called(self.pick(("tanh", "sigmoid")), a)
            case _:
                positive, exponent = self.positive(a), self.number(depth)
                return Piece(
                    f"pow({positive.text}, {exponent.text})", ATOM, intervals.power(positive.lies, exponent.lies)
                )

    def modulo(self, a: Piece, depth: int) -> Piece:
        """A remainder; the dividend is limited where it may be too large."""
        b = self.positive(self.number(depth))
        if intervals.absolute(a.lies).high > intervals.MOST_QUOTIENT * b.lies.low:
            bound = self.number_piece(b.lies.low)
            a = Piece(f"clamp({a.text}, 0, {bound.text})", ATOM, intervals.clamp(a.lies, intervals.ZERO, bound.lies))
        return Piece(f"mod({a.text}, {b.text})", ATOM, intervals.modulo(a.lies, b.lies))

    def positive(self, a: Piece) -> Piece:
        """A number above zero."""
        if a.lies.low > 0:
            return a
        bound = self.number_piece(self.constant(0.01, 10.0))
        return Piece(f"max({a.text}, {bound.text})", ATOM, intervals.maximum(a.lies, bound.lies))

    def sum(self, a: Piece, b: Piece) -> Piece:
        op, find = self.pick((("+", intervals.add), ("-", intervals.subtract)))
        ends_in_when = b.level == WHEN
        right = b.text if ends_in_when else b.at_least(PRODUCT)
        level = SUM if ends_in_when else CLOSED_SUM
        return Piece(f"{a.at_least(SUM)} {op} {right}", level, find(a.lies, b.lies))

    def extremum(self, a: Piece, depth: int) -> Piece:
        name, find = self.pick((("min", intervals.minimum), ("max", intervals.maximum)))
        texts, found = [a.text], a.lies
        for _ in range(self.integer(1, 2)):
            other = self.number(depth, constants=len(texts) > 1)
            texts.append(other.text)
            found = find(found, other.lies)
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
        return Piece(text, ATOM, intervals.clamp(a.lies, low.lies, high.lies))

    def divisor(self, depth: int) -> Piece:
        """An expression that is never zero."""
        if self.chance(3):
            value = self.constant(0.001, 1000.0) * self.pick((1, -1))
            return self.number_piece(value)
        floor = self.constant(0.01, 10.0)
        bound = self.number_piece(floor)
        inner = self.number(depth, constants=False)
        if self.chance(2):
            return Piece(f"max({inner.text}, {bound.text})", ATOM, intervals.maximum(inner.lies, bound.lies))
        size = intervals.absolute(inner.lies)
        return Piece(f"abs({inner.text}) + {bound.at_least(PRODUCT)}", CLOSED_SUM, intervals.add(size, bound.lies))

    # --- conditions ------------------------------------------------------------------------------------------------

    def condition(self, depth: int) -> Piece:
        if self.effects and not self.starting and self.chance(8):
            return Piece(self.word(self.pick(self.effects).name), ATOM, None)
        kind = self.integer(0, 17)
        if depth <= 0 or kind <= 5 or (self.starting and kind in (6, 7, 11, 12, 15, 16, 17)):
            return self.comparison(depth)
        match kind:
            case 6 | 7:
                return self.stands()
            case 8:
                return Piece(f"not {self.condition(depth - 1).at_least(NOT)}", NOT, None)
            case 9:
                a, b = self.condition(depth - 1), self.condition(depth - 1)
                return Piece(f"{a.at_least(AND)} and {b.at_least(NOT)}", AND, None)
            case 10:
                a, b = self.condition(depth - 1), self.condition(depth - 1)
                return Piece(f"{a.at_least(OR)} or {b.at_least(AND)}", OR, None)
            case 11 if self.scope in (*TICKING, "needs"):
                with self.at("previous"):
                    return Piece(f"previous({self.condition(depth - 1).text})", ATOM, None)
            case 12 if self.tracked:
                return self.last()
            case 15 if self.scope in DRAWING and self.actions:
                return self.chosen()
            case 16 if self.scope in ("tick", "ending", "among") and self.actions:
                return self._named("used") if self.affordances else self.chosen()
            case 17 if self.oldest > 0:
                return self.timed()
            case 14 if self.scope in DRAWING:
                return Piece(f"chance({self.probability(depth - 1).text})", ATOM, None)
            case 13 if self.inert and self.chance(3):
                return Piece(self.pick(("true", "false")), ATOM, None)
            case _:
                a, b, c = (self.condition(depth - 1) for _ in range(3))
                return Piece(f"if {a.text} then {b.text} else {c.text}", IF, None)

    def probability(self, depth: int) -> Piece:
        """Neither never nor always."""
        if self.chance(2):
            return self.number_piece(self.pick((0.5, 0.1, 0.9, 1 / 3, 2.0**-24, 1 - 2.0**-24)))
        piece = self.number(depth, constants=False)
        decided = intervals.decide("<", intervals.SHARE, piece.lies) is not None
        return self.number_piece(0.5) if decided else piece

    def closed_condition(self, depth: int) -> str:
        """What may follow `when`."""
        condition = self.condition(depth)
        if condition.level == COMPARISON and "when" not in condition.text and not self.chance(3):
            left, op, right = self.sides(depth)
            return f"{left.at_least(PRODUCT)} {op} {right.at_least(PRODUCT)}"
        if condition.text.startswith("on ") and condition.level == ATOM and not self.chance(3):
            return condition.text
        if condition.text in {self.word(plan.name) for plan in self.effects}:
            return condition.text
        if condition.text.endswith(" ticks") and condition.level == ATOM and not self.chance(3):
            return condition.text
        return f"not ({condition.text})" if self.chance(4) else f"({condition.text})"

    def comparison(self, depth: int) -> Piece:
        left, op, right = self.sides(depth)
        return Piece(f"{left.at_least(CLOSED_SUM)} {op} {right.at_least(SUM)}", COMPARISON, None)

    def sides(self, depth: int) -> tuple[Piece, str, Piece]:
        """A comparison that ranges do not decide."""
        outer, self.tight = self.tight, True  # what bounds do not decide, nothing does
        left = self.number(depth - 1, constants=False)
        if left.lies.low == left.lies.high:
            left = self.meter()
        found = left.lies
        right = self.number(depth - 1, constants=False) if self.chance(4) else None
        self.tight = outer
        op = self.pick(COMPARISONS if self.chance(4) else ORDERINGS)
        if right is None or intervals.decide(op, found, right.lies) is not None:
            right = self.number_piece(self.constant(found.low, found.high))
        if intervals.decide(op, found, right.lies) is not None:
            right = self.number_piece(found.low)
            op = self.pick(COMPARISONS_WITH_LOWEST)
        return (right, _turned(op), left) if self.chance(5) else (left, op, right)

    def stands(self) -> Piece:
        regions = self.regions()
        if regions and (not self.affordances or self.chance(2)):
            return Piece(f"on {self.word(self.pick(regions))}", ATOM, None)
        return self._named("here") if self.affordances else self.comparison(0)

    def regions(self) -> list[str]:
        """The regions in which agents are on some cells and not on others."""
        ground = letters_of(self.space.space)
        if ground is None:
            return list(self.space.nodes)
        there = set("".join(ground.rows)) - set(ground.walls)
        return [region.name for region in ground.regions if not there <= set(region.letters)]

    def last(self) -> Piece:
        return self._named("last") if self.affordances else self.comparison(0)

    def timed(self) -> Piece:
        """A condition on the ticks of a life, which has more than one."""
        last = int(min(self.oldest, 30)) + 1
        text = f"every {self.integer(2, last)}" if self.chance(2) else f"after {self.integer(1, last - 1)}"
        return Piece(f"{text} ticks", ATOM, None)

    def chosen(self) -> Piece:
        """A condition on the action of the tick."""
        op, name = self.pick(("==", "!=")), self.word(self.pick(self.actions))
        return Piece(f"action {op} {name}" if not self.chance(5) else f"{name} {op} action", COMPARISON, None)

    def _named(self, word: str) -> Piece:
        op = self.pick(("==", "!="))
        name = "nothing" if self.chance(4) else self.word(self.pick(self.affordances).name)
        return Piece(f"{word} {op} {name}" if not self.chance(5) else f"{name} {op} {word}", COMPARISON, None)


def _turned(op: Comparison) -> str:
    """The comparison with its sides exchanged."""
    return op.translate(str.maketrans("<>", "><"))
