"""Where agents are and how they move, as they observe it."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from hamlet import universe
from hamlet.numbers.binary32 import LARGEST, canonical32
from hamlet.universe import Span
from hamlet.universe.space import axes_of
from hamletc import messages
from hamletc.checking.observed_items import Listing, number_at, word_of
from hamletc.checking.report import is_known
from hamletc.checking.symbols import axis_of
from hamletc.language import syntax
from hamletc.language.tables import after

ENCODINGS = ("relative", "absolute", "scaled")
OF_NODES = ("node",)
ITEMS = frozenset(filter(str.isalpha, after("observe", "{")))
"""The words with which items begin."""


class ObservedMotion:
    """Resolves positions, velocities and speeds in a list of items."""

    def __init__(self, listing: Listing) -> None:
        self._in = listing

    def position(self, item: syntax.ObservePosition) -> list[universe.Observation]:
        nodes = self._in.names.of_kind("node")
        encodings = OF_NODES if nodes else ENCODINGS
        # The word behind `position` is its encoding to the parser, also where the author meant the next item.
        if item.encoding.text in ITEMS:
            self._in.report.add(messages.observations.EncodingNeeded(word_of(item), encodings))
            return []
        if not is_known(item.encoding, encodings, "no encoding of a position", self._in.report):
            return []
        match item.encoding.text, self._in.space:
            case "node", universe.Grid(graph=universe.Graph(nodes=places)):
                names = tuple(node.name for node in places)
                here = universe.Coordinate("x", item.span)
                return [universe.ObserveOneHot("position", here, names, item.span)]
            case encoding, universe.Grid(sizes=sizes):
                axes = [(0.0, size - 1.0, float(size), max(size - 1.0, 1.0)) for size in sizes]
            case encoding, universe.Continuous(axes=of_space):
                axes = [(axis.low, axis.high, axis.size, axis.size) for axis in of_space]
            case _:
                return []
        return self._coordinates(encoding, axes, item.span)

    def _coordinates(
        self, encoding: str, axes: Sequence[tuple[float, float, float, float]], span: Span
    ) -> list[universe.Observation]:
        """Where agents are on axes, each with its ends, its size, and how far the ends are apart, at least 1."""
        assert self._in.space is not None
        rows: list[universe.Observation] = []
        for name, (low, high, _, extent) in zip(axes_of(self._in.space), axes, strict=True):
            value: universe.Expression = universe.Coordinate(name, span)
            if encoding == "absolute":
                rows.append(universe.ObserveValue(f"position.{name}", value, low, high, span))
                continue
            if isinstance(self._in.space, universe.Continuous):
                value = universe.Binary("-", value, number_at(low, span), span)
            share = universe.Binary("/", value, number_at(extent, span), span)
            rows.append(universe.ObserveValue(f"position.{name}", share, 0.0, 1.0, span))
        for name, (*_, size, _) in zip(axes_of(self._in.space), axes, strict=True) if encoding == "scaled" else ():
            number = number_at(size, span)
            rows.append(universe.ObserveValue(f"size.{name}", number, number.value, number.value, span))
        return rows

    def velocity(self, item: syntax.ObserveVelocity) -> list[universe.Observation]:
        if self._in.space is None:
            return []
        if not item.names:
            axes = tuple(axis for axis in axes_of(self._in.space) if self._in.first("velocity", axis, item.span))
        else:
            found = ((word, axis_of(word, self._in.names, self._in.report)) for word in item.names)
            first = self._in.first
            axes = tuple(axis for word, axis in found if axis is not None and first("velocity", axis, word.span))
        begins, fastest = self._begins(), self._fastest()
        return [
            universe.ObserveValue(
                f"velocity.{axis}",
                universe.Velocity(axis, item.span),
                canonical32(min(-fastest[axis], begins[axis])),
                canonical32(max(fastest[axis], begins[axis])),
                item.span,
            )
            for axis in axes
        ]

    def speed(self, item: syntax.ObserveSpeed) -> universe.ObserveValue | None:
        """`speed`."""
        known = self._in.names.starts_with_speed or self._in.has_space(item)
        value = universe.Speed(item.span)
        return universe.ObserveValue("speed", value, *self._speeds(), item.span) if known else None

    def _begins(self) -> dict[str, float]:
        """The velocity on each axis that episodes begin with."""
        axes, start = self._fastest(), self._in.draft.start
        return dict(zip(axes, start.velocity if start else (0.0,) * len(axes), strict=True))

    def _speeds(self) -> tuple[float, float]:
        """The least and the greatest speed."""
        longest, begin, start = hypot(*self._fastest().values()), 0.0, self._in.draft.start
        if start is not None:
            begin = hypot(*start.velocity) if start.speed is None else start.speed
        return canonical32(min(0.0, begin)), canonical32(min(max(longest, begin), LARGEST))

    def _fastest(self) -> dict[str, float]:
        """The most velocity on each axis: with momentum its limit, else from one end to the other."""
        match self._in.space:
            case universe.Grid(sizes=sizes):
                most = [float(size) for size in sizes]
            case universe.Continuous(axes=axes, momentum=limit):
                most = [axis.size if limit is None else limit for axis in axes]
            case _:
                return {}
        return dict(zip(axes_of(self._in.space), most, strict=True))
