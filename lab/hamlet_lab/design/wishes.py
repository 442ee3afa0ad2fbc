"""Wishes: what an author wants of a universe, as text, and how far variants are from it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from hamlet.universe import Universe
from hamlet_lab.sweep.measured import Column, Measured
from hamlet_lab.sweep.table import cause_names
from hamletc.errors import CompileError
from hamletc.suggest import closest

FORMS = (
    "median life 200 .. 300 ticks",
    "mean return above 3",
    "quantile 10 % of life above 50",
    "use of Bed 10 % .. 30 %",
    "end by lifespan below 20 %",
    "no affordance above 60 % of uses",
    "every affordance above 5 %",
)
"""A wish of each form; `mean`, `median` and `quantile` go with `life` and `return`, `no` and `every` with `affordance`
and `cause`, and any of these with a range, `above` or `below`."""
UNKNOWN = 1e3
"""How far a variant is from a wish about something that did not happen in it."""

Kind: TypeAlias = Literal["life", "return"]
TOKEN = re.compile(r"\s*(?:`(?P<name>[^`]*)`|(?P<number>[-+]?(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?!\w))|"
                   r"(?P<sign>\.\.|%)|(?P<word>[^\s`%]+))")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statistic:
    """The mean of lives or returns, or the quantile of a share (the median: 0.5)."""

    kind: Kind
    share: float | None

    def values(self, measured: Measured) -> Column:
        """[1, variants] f64."""
        if self.kind == "life":
            numbers = measured.mean_life() if self.share is None else measured.life_quantile(self.share)
        else:
            numbers = measured.mean_return() if self.share is None else measured.return_quantile(self.share)
        return numbers[None]


@dataclass(frozen=True, slots=True)
class Share:
    """The share of some affordances in all uses, or of some causes in all ends; `numbers` say which."""

    of: Literal["uses", "ends"]
    numbers: tuple[int, ...]

    def values(self, measured: Measured) -> Column:
        """[numbers, variants] f64."""
        shares = measured.use_shares() if self.of == "uses" else measured.end_shares()
        return shares[list(self.numbers)]


@dataclass(frozen=True, slots=True)
class Wish:
    """That all values of something lie in a range, ends included.

    Attributes:
        text: what the author wrote.
        low, high: infinite where there is no bound.
        names: of the values, where they are several.
    """

    text: str
    what: Statistic | Share
    low: float
    high: float
    names: tuple[str, ...] = ()

    def values(self, measured: Measured, ticks: int) -> Column:
        """[values, variants] f64; NaN where nothing is known. A life that has not ended within the ticks is longer:
        the ticks stand for it."""
        numbers = self.what.values(measured)
        return np.where(np.isinf(numbers), float(ticks), numbers)

    def misses(self, values: Column) -> Column:
        """[variants] f64: how far the value that is farthest is from the range, in units of the bound it misses; 0
        where the wish holds."""
        result: Column = self._beyond(values).max(axis=0, initial=0.0)
        return result

    def spelled(self, values: Sequence[float]) -> str:
        """The value of a variant, of several the one that is farthest from the range or next to its end."""
        number = int(np.argmax(self._beyond(np.array(values))))
        if math.isnan(values[number]):
            return "nothing happened"
        shown = f"{100 * values[number]:.3g} %" if isinstance(self.what, Share) else f"{values[number]:.5g}"
        return f"{self.names[number]} {shown}" if self.names else shown

    def _beyond(self, values: Column) -> Column:
        """How far values are beyond the range; below 0 inside."""
        beyond = np.maximum((self.low - values) / _unit(self.low), (values - self.high) / _unit(self.high))
        return np.where(np.isnan(values), UNKNOWN, beyond)


def _unit(bound: float) -> float:
    return abs(bound) if math.isfinite(bound) and bound != 0 else 1.0


def parse(text: str, universe: Universe, ticks: int) -> Wish:
    """The wish that a text says, of a universe that runs for so many ticks.

    Raises:
        CompileError: it says none, names what the universe does not have, or cannot hold.
    """
    return _Reader(text, universe, ticks).wish()


class _Reader:
    """Reads one wish from left to right."""

    def __init__(self, text: str, universe: Universe, ticks: int) -> None:
        self._text, self._universe, self._ticks = text, universe, ticks
        self._tokens: list[tuple[str, str]] = []
        at, text = 0, text.rstrip()
        while at < len(text):
            token = TOKEN.match(text, at)
            if token is None:
                raise self._malformed("a backtick has no other")
            assert token.lastgroup is not None
            self._tokens.append((token.lastgroup, token[token.lastgroup]))
            at = token.end()
        self._next = 0

    def wish(self) -> Wish:
        """The whole of it."""
        affordances = [affordance.name for affordance in self._universe.affordances]
        match self._word("a wish begins with mean, median, quantile, use, end, no or every"):
            case "mean" | "median" as which:
                return self._ranged(self._statistic(None if which == "mean" else 0.5))
            case "quantile":
                share = self._number("quantile of which share")
                if not 0 < share < 1:
                    raise self._problem("a quantile is of a share between 0 and 1, or 0 % and 100 %")
                self._expect("of")
                return self._ranged(self._statistic(share))
            case "use":
                self._expect("of")
                return self._ranged(Share("uses", (self._named(affordances, "affordance"),)))
            case "end":
                self._expect("by")
                return self._ranged(Share("ends", (self._named(cause_names(self._universe), "cause"),)))
            case "no" | "every" as which:
                return self._of_all(which)
            case word:
                meant = closest(word, ("mean", "median", "quantile", "use", "end", "no", "every"))
                raise self._malformed(f"{word} begins no wish" + (f": did you mean {meant}?" if meant else ""))

    def _statistic(self, share: float | None) -> Statistic:
        match self._word("of what: life or return"):
            case "life":
                return Statistic("life", share)
            case "return":
                return Statistic("return", share)
            case word:
                raise self._malformed(f"write life or return, not {word}")

    def _of_all(self, which: Literal["no", "every"]) -> Wish:
        match self._word("affordance or cause"):
            case "affordance":
                names, what, of = tuple(each.name for each in self._universe.affordances), "affordances", "uses"
                share = Share("uses", tuple(range(len(names))))
            case "cause":
                names, what, of = cause_names(self._universe), "causes", "ends"
                share = Share("ends", tuple(range(len(names))))
            case word:
                raise self._malformed(f"write affordance or cause, not {word}")
        if not names:
            raise self._problem(f"{self._universe.name} has no {what}")
        side = self._word("above or below")
        if side not in ("above", "below"):
            raise self._malformed(f"write above or below, not {side}")
        bound = self._number("a number")
        if self._peek() == "of":
            self._expect("of")
            self._expect(of)
        self._end()
        # No affordance above a bound: all of them at most at it.
        low, high = (bound, math.inf) if (side == "above") == (which == "every") else (-math.inf, bound)
        return self._checked(Wish(self._text, share, low, high, names))

    def _ranged(self, what: Statistic | Share) -> Wish:
        low, high = -math.inf, math.inf
        match self._peek():
            case "above":
                self._expect("above")
                low = self._number("a number")
            case "below":
                self._expect("below")
                high = self._number("a number")
            case _:
                low = self._number("a range, as in 200 .. 300, or above or below")
                self._expect("..")
                high = self._number("the upper end of the range")
        if isinstance(what, Statistic) and what.kind == "life" and self._peek() == "ticks":
            self._expect("ticks")
        self._end()
        return self._checked(Wish(self._text, what, low, high))

    def _checked(self, wish: Wish) -> Wish:
        if wish.low > wish.high:
            raise self._problem("the range begins with the lower number")
        bounds = [bound for bound in (wish.low, wish.high) if math.isfinite(bound)]
        match wish.what:
            case Share():
                if not all(0 <= bound <= 1 for bound in bounds):
                    raise self._problem("a share lies in 0 % .. 100 %, or 0 .. 1")
                count = len(wish.names)
                if count > 1 and wish.low > 1 / count:
                    raise self._problem(f"{count} shares cannot all be above {100 / count:.3g} %")
                if count > 1 and wish.high < 1 / count:
                    raise self._problem(f"{count} shares cannot all be below {100 / count:.3g} %")
            case Statistic(kind="life"):
                if max(bounds) > self._ticks or (math.isfinite(wish.high) and wish.high == self._ticks):
                    raise self._problem(
                        f"no life of {max(bounds):.10g} ticks can be seen in {self._ticks:,}: take more --ticks"
                    )
                if wish.high < 1:
                    raise self._problem("every life lasts a tick at least")
            case Statistic():
                pass
        return wish

    # --- words --------------------------------------------------------------------------------------------------------

    def _peek(self) -> str | None:
        return self._tokens[self._next][1] if self._next < len(self._tokens) else None

    def _take(self, kinds: Sequence[str], expected: str) -> str:
        if self._next == len(self._tokens):
            raise self._malformed(f"here it ends; wanted: {expected}")
        kind, text = self._tokens[self._next]
        if kind not in kinds:
            raise self._malformed(f"{text} stands where {expected} should")
        self._next += 1
        return text

    def _word(self, expected: str) -> str:
        return self._take(("word",), expected)

    def _expect(self, text: str) -> None:
        if self._take(("word", "sign"), text) != text:
            raise self._malformed(f"{self._tokens[self._next - 1][1]} stands where {text} should")

    def _number(self, expected: str) -> float:
        value = float(self._take(("number",), expected))
        if not math.isfinite(value):
            raise self._problem("a number is finite")
        if self._peek() == "%":
            self._next += 1
            return value / 100
        return value

    def _named(self, names: Sequence[str], kind: str) -> int:
        name = self._take(("word", "name"), f"the name of an {kind}" if kind[0] == "a" else f"the name of a {kind}")
        if name in names:
            return list(names).index(name)
        meant = closest(name, names)
        hint = f"did you mean {meant}?" if meant else f"it has {', '.join(names)}" if names else "it has none"
        raise self._problem(f"{self._universe.name} has no {kind} {name}: {hint}")

    def _end(self) -> None:
        if self._next < len(self._tokens):
            raise self._malformed(f"{self._peek()} is too much")

    def _problem(self, problem: str) -> CompileError:
        return CompileError(f'--want "{self._text}": {problem}')

    def _malformed(self, problem: str) -> CompileError:
        return self._problem(f'{problem}; a wish is, for example, "{_like(self._text)}"')


def _like(text: str) -> str:
    """The form that shares most words with a text."""
    words = set(text.split())
    return max(FORMS, key=lambda form: len(words & set(form.split())))
