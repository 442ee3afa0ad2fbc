"""What agents observe."""

from __future__ import annotations

from math import prod
from typing import Literal, cast

from hamlet.universe import (
    Encoding,
    Grid,
    Observation,
    ObserveGrid,
    ObserveHere,
    ObserveLifetime,
    ObserveMeters,
    ObserveParams,
    ObservePosition,
    ObserveProgress,
    ObserveTime,
    ObserveWindow,
    Span,
)
from hamletc.checking.affordances import LONGEST_DURATION
from hamletc.checking.names import Names
from hamletc.checking.numerals import whole_number
from hamletc.checking.properties import given_twice, is_known
from hamletc.checking.report import Report
from hamletc.language import syntax

KINDS = ("grid", "window", "position", "meters", "here", "time", "progress", "lifetime", "params")
ENCODINGS = ("relative", "absolute", "scaled")
MOST_ROWS = 2**20


class Observations:
    """Resolves the items of `observe`. A kind is observed once; so is each meter, and each param."""

    def __init__(self, names: Names, grid: Grid | None, has_lasting: bool, report: Report) -> None:
        self._names = names
        self._grid = grid
        self._has_lasting = has_lasting
        self._report = report
        self._seen: dict[tuple[str, str], Span] = {}

    def resolve(self, declaration: syntax.ObserveDecl) -> list[Observation]:
        """The observations in file order, without those that have errors."""
        items = (self._item(item) for item in declaration.items)
        return [item for item in items if item is not None]

    def _item(self, item: syntax.ObserveItem) -> Observation | None:
        if not is_known(item.kind, KINDS, "nothing that can be observed", self._report):
            return None
        kind = item.kind.text
        if kind not in ("meters", "params") and not self._first("kind", kind, item.span):
            return None
        match kind:
            case "meters":
                meters = self._listed("meter", item)
                return ObserveMeters(meters, item.span) if meters else None
            case "params":
                params = self._listed("param", item)
                return ObserveParams(params, item.span) if params else None
            case "grid":
                return self._grid_cells(item)
            case "window":
                return self._window(item)
            case "position":
                return self._position(item)
            case "here":
                return self._here(item)
            case "time":
                return self._time(item)
            case "progress":
                return self._progress(item)
            case _:
                return self._lifetime(item)

    def _first(self, sort: str, name: str, span: Span) -> bool:
        """Whether the kind, meter or param of this name is observed for the first time."""
        first = self._seen.setdefault((sort, name), span)
        if first is not span:
            given_twice(f"`{name}`", span, first, self._report)
        return first is span

    def _listed(self, kind: Literal["meter", "param"], item: syntax.ObserveItem) -> tuple[str, ...]:
        """The names written, or all of the kind where none is."""
        if item.words:
            found = ((word, self._names.find(word, kind)) for word in item.words)
            return tuple(name for word, name in found if name is not None and self._first(kind, name, word.span))
        every = self._names.of_kind(kind)
        if not every and kind == "param":
            self._inert(item, "there are no params to observe", "Leave `params` out.")
        return tuple(name for name in every if self._first(kind, name, item.kind.span))

    def _grid_cells(self, item: syntax.ObserveItem) -> Observation | None:
        if self._grid is not None and self._is_too_large(prod(self._grid.sizes), item):
            return None
        return ObserveGrid(item.span)

    def _window(self, item: syntax.ObserveItem) -> Observation | None:
        if item.number is None:
            self._report.add("H026", "`window` needs a radius", item.span, hint="Write `window 2`.")
            return None
        longest = 16383 if self._grid is None else max(self._grid.sizes) - 1
        if longest == 0:
            self._inert(item, "a window sees nothing on a grid of one cell", "Leave `window` out.")
            return None
        radius = whole_number(item.number, 1, longest, "the radius of a window", self._report)
        if radius is None or self._grid is None:
            return None
        if self._is_too_large((2 * radius + 1) ** len(self._grid.sizes), item):
            return None
        return ObserveWindow(radius, item.span)

    def _is_too_large(self, rows: int, item: syntax.ObserveItem) -> bool:
        if rows <= MOST_ROWS:
            return False
        self._report.add(
            "H033",
            f"an agent would observe {rows} cells; {MOST_ROWS} is the most",
            item.span,
            hint="Observe `window` with a small radius.",
        )
        return True

    def _position(self, item: syntax.ObserveItem) -> Observation | None:
        if not item.words:
            choices = ", ".join(f"`position {encoding}`" for encoding in ENCODINGS)
            self._report.add("H026", "`position` needs an encoding", item.span, hint=f"Write one of {choices}.")
            return None
        if not is_known(item.words[0], ENCODINGS, "no encoding of a position", self._report):
            return None
        return ObservePosition(cast(Encoding, item.words[0].text), item.span)

    def _here(self, item: syntax.ObserveItem) -> Observation:
        if not self._names.of_kind("affordance"):
            self._inert(item, "there is no affordance to stand on", "Leave `here` out.")
        return ObserveHere(item.span)

    def _time(self, item: syntax.ObserveItem) -> Observation | None:
        if self._names.clock is None:
            hint = "Add `clock 24 hours`."
            self._report.add("H036", "`time` needs a clock", item.span, "this universe has none", hint=hint)
            return None
        return ObserveTime(item.span)

    def _progress(self, item: syntax.ObserveItem) -> Observation | None:
        if not self._has_lasting:
            self._inert(item, "no affordance lasts, so there is no progress", "Leave `progress` out.")
        if item.number is None:
            return ObserveProgress(None, item.span)
        per = whole_number(item.number, 1, LONGEST_DURATION, "the divisor of `progress`", self._report)
        return None if per is None else ObserveProgress(per, item.span)

    def _lifetime(self, item: syntax.ObserveItem) -> Observation | None:
        if self._names.lifespan is None:
            hint = "Add `lifespan 500 ticks`."
            self._report.add("H037", "`lifetime` needs a lifespan", item.span, "this universe has none", hint=hint)
            return None
        return ObserveLifetime(item.span)

    def _inert(self, item: syntax.ObserveItem, message: str, hint: str) -> None:
        self._report.add("H064", message, item.span, "always the same", hint=hint)
