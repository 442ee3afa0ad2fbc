"""Where two universes part: the first state of the first agent that differs, and the lines that wrote it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch

from hamlet import schema
from hamlet.backend.buffers import Shape
from hamlet.interpreter import Interpreter
from hamlet_lab.divergence.events import CPU, Candidate
from hamlet_lab.divergence.record import SourceLine, value_of
from hamlet_lab.divergence.session import Side
from hamlet_lab.divergence.values import words
from hamlet_lab.divergence.versions import renumbered
from hamlet_lab.trace.changes import Change, traced
from hamlet_lab.trace.course import live
from hamlet_lab.trace.told import name_of
from hamletc.ir.evaluate import Array

NOBODY = SourceLine("no change", "", 0)


@dataclass(frozen=True, slots=True)
class Place:
    """Where states differ: after which tick (`None`: at the beginning), in which world and agent, and which state, with
    both values."""

    tick: int | None
    world: int
    agent: int
    state: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two universes part.

    Attributes:
        place: the first agent that differs, and the first state of it in the order of changes.
        left, right: what wrote the values there.
    """

    place: Place
    left: SourceLine
    right: SourceLine

    def lines(self) -> Iterator[str]:
        """The parting as text."""
        place = self.place
        when = "at the beginning" if place.tick is None else f"in tick {place.tick}"
        yield f"first parts {when}: world {place.world}, agent {place.agent}, {name_of(place.state)}"
        for name, value, source in (("left", place.left, self.left), ("right", place.right, self.right)):
            yield f"  {name:<5}  {value}  {source}".rstrip()


class Rows:
    """States that two universes have in common, by name, and where they differ."""

    def __init__(self, left: Side, right: Side) -> None:
        self._sides = left, right
        ours, theirs = (self._named(side) for side in self._sides)
        self._common = [(name, ours[name], theirs[name]) for name in ours if name in theirs]

    def _named(self, side: Side) -> dict[str, tuple[schema.Field, int]]:
        """Where each state of an agent or a world is: its field and row."""
        return {
            name: (each, row)
            for each in schema.state_fields(side.universe)
            if each.rows != () and not each.pitch and each.name not in schema.GIVEN
            for row, name in enumerate(each.names)
        }

    def parting(
        self, left: Mapping[str, torch.Tensor], right: Mapping[str, torch.Tensor], tick: int | None
    ) -> Place | None:
        """The first agent of which a state differs."""
        first: tuple[int, int, Place] | None = None
        agents = len(left["alive"]) // len(left["episode"])
        for order, (name, ours, theirs) in enumerate(self._common):
            values = self._values(left, ours, 0), self._values(right, theirs, 1)
            if values[0].dtype != values[1].dtype or values[0].shape != values[1].shape:
                continue
            columns = np.flatnonzero(words(values[0]) != words(values[1]))
            if not len(columns):
                continue
            column = int(columns[0])
            lane = column if ours[0].per == "lane" else column * agents
            # The sum of rewards tells the least.
            rank = (lane, order + len(self._common) * (name == "episode_return"))
            if first is None or rank < first[:2]:
                shown = [value_of(torch.from_numpy(each)[column]).text for each in values]
                first = (*rank, Place(tick, lane // agents, lane % agents, name, *shown))
        return None if first is None else first[2]

    def _values(self, state: Mapping[str, torch.Tensor], where: tuple[schema.Field, int], side: int) -> Array:
        field, row = where
        values = state[field.name] if field.rows is None else state[field.name][row]
        if side:
            values = renumbered(field.name, values, self._sides[1].universe, self._sides[0].universe)
        result: Array = values.numpy()
        return result

    def explained(self, place: Place, agents: int, seed: int) -> Parting:
        """The lines that wrote the values."""
        if place.tick is None:
            return Parting(place, *(_declared(side, place.state) for side in self._sides))
        shape, made = Shape(1, agents, place.world), list[tuple[Change, ...]]()
        for side in self._sides:
            plain = Side(side.label, side.universe, Candidate(Interpreter(side.universe, CPU), CPU), texts=side.texts)
            course = live(plain, shape, seed, place.tick + 1, {})
            made.append(traced(course.part(place.tick, place.tick + 1), place.agent, plain).ticks[0].changes)
        return _first(place, made[0], made[1], {name for name, _, _ in self._common})


def _declared(side: Side, state: str) -> SourceLine:
    for meter in side.universe.meters:
        if state == f"meter.{meter.name}":
            return side.with_text(
                SourceLine(f"meter {meter.name}", side.universe.sources[meter.span.file], meter.span.line)
            )
    return SourceLine("new episode", "", 0)


def _first(place: Place, left: tuple[Change, ...], right: tuple[Change, ...], common: set[str]) -> Parting:
    """The first change of one side that the other has not, of a state that both have."""
    ours, theirs = _by_state(left), _by_state(right)
    order = [each.state for each in (*left, *right) if each.state in common and each.state != "episode_return"]
    for state in (*dict.fromkeys(order), "episode_return"):
        pair = ours.get(state, []), theirs.get(state, [])
        for number in range(max(map(len, pair))):
            one, other = changes = [each[number] if number < len(each) else None for each in pair]
            if one is not None and other is not None and one.after.bits == other.after.bits:
                continue
            told = [
                (each.after.text, each.source) if each is not None else (_other(pair, side).before.text, NOBODY)
                for side, each in enumerate(changes)
            ]
            where = Place(place.tick, place.world, place.agent, state, told[0][0], told[1][0])
            return Parting(where, told[0][1], told[1][1])
    return Parting(place, NOBODY, NOBODY)


def _other(pair: tuple[list[Change], list[Change]], side: int) -> Change:
    """The change after which this side has no more: where it stopped, the other side went on from."""
    return pair[1 - side][len(pair[side])]


def _by_state(changes: tuple[Change, ...]) -> dict[str, list[Change]]:
    result: dict[str, list[Change]] = {}
    for each in changes:
        result.setdefault(each.state, []).append(each)
    return result
