"""A world twice from one tick on, with a change and without: who parts, when, and by which line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import RandomPolicy
from hamlet.numbers.binary32 import spell32
from hamlet_lab.divergence.events import Runner
from hamlet_lab.divergence.record import SourceLine
from hamlet_lab.divergence.session import Side
from hamlet_lab.divergence.values import words
from hamlet_lab.trace.changes import Change, traced
from hamlet_lab.trace.course import Course, played
from hamlet_lab.trace.told import name_of
from hamlet_lab.whatif.alteration import alter_actions, alter_state
from hamlet_lab.whatif.question import Question


@dataclass(frozen=True, slots=True)
class Part:
    """An agent that parts.

    Attributes:
        agent: its number.
        tick: the first after which something of it differs.
        state: the first state that differs in this tick, in the order of changes.
        without, altered: its values, in words.
        source: the construct and line that wrote the altered value; `None` where it is the change itself.
    """

    agent: int
    tick: int
    state: str
    without: str
    altered: str
    source: SourceLine | None

    def __str__(self) -> str:
        where = "the change itself" if self.source is None else str(self.source)
        return (
            f"agent {self.agent} from tick {self.tick}: {name_of(self.state)} {self.altered} in place of "
            f"{self.without}, {where}"
        )


def twins(question: Question, shape: Shape) -> tuple[Course, Course]:
    """The only world of a shape for so many ticks from one on: without the change, and with it."""
    side, without = question.start.side, question.begun(shape)
    altered = Runner.resumed(side.universe, side.candidate, without.buffers)
    alter_state(question.alteration, altered.buffers, question.agent, [0])

    def edit(index: int, actions: Tensor) -> Tensor:
        if index:
            return actions
        return alter_actions(question.alteration, actions, shape.agents, question.agent, [0])

    when = question.start.seed, question.tick, question.ticks, RandomPolicy()
    return played(side, without, *when), played(side, altered, *when, edit=edit)


def parts(side: Side, without: Course, altered: Course) -> Iterator[Part]:
    """The agents that part, in the order of their numbers."""
    for agent in range(without.agents):
        index = _first(side, without, altered, agent)
        if index is not None:
            yield _part(side, without, altered, agent, index)


def _first(side: Side, without: Course, altered: Course, agent: int) -> int | None:
    """The first tick after which a field of the agent differs: those of its lane, not of its world."""
    fields = [each for each in schema.state_fields(side.universe) if each.per == "lane" and each.rows != ()]
    for index, (ours, theirs) in enumerate(zip(without.after, altered.after, strict=True)):
        for each in fields:
            if each.name not in schema.GIVEN:
                left, right = (np.atleast_2d(frame[each.name])[:, agent] for frame in (ours, theirs))
                if (words(left) != words(right)).any():
                    return index
    return None


def _part(side: Side, without: Course, altered: Course, agent: int, index: int) -> Part:
    """The first change in a tick that is another one than without the alteration, with the construct that made it."""
    left, right = (traced(course.part(0, index + 1), agent, side).ticks[index] for course in (without, altered))
    number = int(without.ticks[index])
    before, seen = _by_state(left.changes), dict[str, int]()
    for change in _in_order(right.changes):
        place = seen[change.state] = seen.get(change.state, -1) + 1
        others = before.get(change.state, [])
        other = others[place] if place < len(others) else None
        if other is None or (other.after, other.source) != (change.after, change.source):
            plain = change.before.text if other is None else other.after.text
            return Part(agent, number, change.state, plain, change.after.text, change.source)
    for change in _in_order(left.changes):
        if len(before[change.state]) > seen.get(change.state, -1) + 1:
            return Part(agent, number, change.state, change.after.text, change.before.text, change.source)
    return Part(agent, number, *_set(side, without, altered, agent), None)


def _by_state(changes: tuple[Change, ...]) -> dict[str, list[Change]]:
    result: dict[str, list[Change]] = {}
    for each in changes:
        result.setdefault(each.state, []).append(each)
    return result


def _in_order(changes: tuple[Change, ...]) -> list[Change]:
    """Changes in the order of a tick; the sum of rewards, which tells the least, comes last."""
    return sorted(changes, key=lambda change: change.state == "episode_return")


def _set(side: Side, without: Course, altered: Course, agent: int) -> tuple[str, str, str]:
    """The meter that was set, or where the agent was put."""
    for row, meter in enumerate(side.universe.meters):
        left, right = (float(course.before[0]["meters"][row, agent]) for course in (without, altered))
        if left != right:
            return f"meter.{meter.name}", spell32(left), spell32(right)
    for row, axis in enumerate(schema.axes(side.universe)):
        left, right = (float(course.before[0]["position"][row, agent]) for course in (without, altered))
        if left != right:
            return f"position.{axis}", spell32(left), spell32(right)
    return "state", "", ""
