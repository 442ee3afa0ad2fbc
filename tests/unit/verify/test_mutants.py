"""The verifier's scenarios are sharp: a universe changed in one small place is told from the original."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

from hamlet.interpreter import Interpreter
from hamlet.numbers.binary32 import canonical32
from hamlet.universe import (
    Action,
    Affordance,
    Binary,
    Cascade,
    Continuous,
    Distance,
    Here,
    Hours,
    InputValue,
    LastUse,
    Mask,
    Move,
    Number,
    Previous,
    Rule,
    Speed,
    StraightDistance,
    Streak,
    Tracking,
    Truth,
    Unary,
    Universe,
    Velocity,
    Visited,
)
from hamlet_lab.verify import Candidate, Effort, verify
from samples import sample
from samples.by_hand import CPU

EFFORT = Effort(worlds=67, ticks=9, rounds=64)


def one_ulp_up(value: float) -> float:
    return canonical32(float(np.nextafter(np.float32(value), np.float32(9.0))))


def changed(items: tuple[Any, ...], index: int, change: Callable[[Any], Any]) -> tuple[Any, ...]:
    return (*items[:index], change(items[index]), *items[index + 1 :])


def first(items: tuple[Any, ...], wanted: Callable[[Any], bool]) -> int:
    return next(index for index, item in enumerate(items) if wanted(item))


def threshold(world: Universe) -> Universe:
    index = first(world.dynamics, lambda item: isinstance(item, Cascade))
    sharper = changed(world.dynamics, index, lambda item: replace(item, threshold=one_ulp_up(item.threshold)))
    return replace(world, dynamics=sharper)


def order(world: Universe) -> Universe:
    return replace(world, dynamics=(world.dynamics[0], world.dynamics[2], world.dynamics[1], *world.dynamics[3:]))


def needs(world: Universe) -> Universe:
    index = first(world.affordances, lambda item: isinstance(item.needs, Binary))
    strict = {">=": ">", ">": ">="}
    return replace(
        world,
        affordances=changed(
            world.affordances, index, lambda item: replace(item, needs=replace(item.needs, op=strict[item.needs.op]))
        ),
    )


def death(world: Universe) -> Universe:
    return replace(world, causes=changed(world.causes, 0, lambda c: replace(c, condition=replace(c.condition, op="<"))))


def closing_time(world: Universe) -> Universe:
    index = first(world.affordances, lambda item: item.hours is not None and item.hours.closes < 24)
    return replace(
        world,
        affordances=changed(
            world.affordances, index, lambda item: replace(item, hours=Hours(item.hours.opens, item.hours.closes + 1))
        ),
    )


def duration(world: Universe) -> Universe:
    index = first(world.affordances, lambda item: item.duration is not None)
    return replace(
        world, affordances=changed(world.affordances, index, lambda item: replace(item, duration=item.duration + 1))
    )


def lifespan(world: Universe) -> Universe:
    assert world.lifespan is not None
    return replace(world, lifespan=replace(world.lifespan, reward=one_ulp_up(world.lifespan.reward)))


def unclamped(world: Universe) -> Universe:
    index = first(world.dynamics, lambda item: isinstance(item, Rule))
    return replace(
        world,
        dynamics=changed(
            world.dynamics,
            index,
            lambda item: replace(item, body=changed(item.body, 0, lambda s: replace(s, clamped=False))),
        ),
    )


def decay(world: Universe) -> Universe:
    index = first(world.meters, lambda item: isinstance(item.decay, Number))
    return replace(
        world,
        meters=changed(
            world.meters,
            index,
            lambda item: replace(item, decay=replace(item.decay, value=one_ulp_up(item.decay.value))),
        ),
    )


def upper_bound(world: Universe) -> Universe:
    return replace(world, meters=changed(world.meters, 0, lambda item: replace(item, high=one_ulp_up(item.high))))


def edges(world: Universe) -> Universe:
    return replace(world, space=replace(world.space, edges="clamp" if world.space.edges != "clamp" else "sticky"))


def anywhere(name: str, wanted: Callable[[Any], bool], change: Callable[[Any], Any]) -> Callable[[Universe], Universe]:
    """Changes the first node of a universe that is wanted."""

    def visited(node: Any, found: list[Any]) -> Any:
        if not found and wanted(node):
            found.append(node)
            return change(node)
        if isinstance(node, tuple):
            return tuple(visited(item, found) for item in node)
        if not is_dataclass(node) or isinstance(node, type):
            return node
        return replace(node, **{field.name: visited(getattr(node, field.name), found) for field in fields(node)})

    def mutation(world: Universe) -> Universe:
        changed: Universe = visited(world, [])
        return changed

    mutation.__name__ = name
    return mutation


def reach(world: Universe) -> Universe:
    assert isinstance(world.space, Continuous)
    return replace(world, space=replace(world.space, reach=one_ulp_up(world.space.reach)))


def metric(world: Universe) -> Universe:
    return replace(world, space=replace(world.space, metric="chebyshev"))


keeps_progress = anywhere(
    "keeps_progress",
    lambda node: isinstance(node, Action) and node.keeps_progress,
    lambda action: replace(action, keeps_progress=False),
)
together = anywhere(
    "together", lambda node: isinstance(node, Affordance) and node.together, lambda item: replace(item, together=False)
)
forever = anywhere(
    "forever", lambda node: isinstance(node, Affordance) and node.duration == 0, lambda item: replace(item, duration=3)
)
previous = anywhere("previous", lambda node: isinstance(node, Previous), lambda node: node.operand)
given = anywhere("given", lambda node: isinstance(node, InputValue), lambda node: Number(0.5, node.span))
remembered = anywhere(
    "remembered", lambda node: isinstance(node, LastUse), lambda node: Here(node.affordance, node.span)
)
streak = anywhere("streak", lambda node: isinstance(node, Streak), lambda node: Visited(node.span))
straight = anywhere(
    "straight", lambda node: isinstance(node, StraightDistance), lambda node: Distance(node.affordance, node.span)
)
speed = anywhere("speed", lambda node: isinstance(node, Speed), lambda node: Velocity("x", node.span))
tracking = anywhere(
    "tracking",
    lambda node: isinstance(node, Tracking),
    lambda node: replace(node, by="agent" if node.by == "world" else "world"),
)
allowed = anywhere(
    "allowed",
    lambda node: isinstance(node, Mask),
    lambda node: replace(node, allowed=Unary("not", Unary("not", Truth(True, node.span), node.span), node.span)),
)
step = anywhere(
    "step",
    lambda node: isinstance(node, Move) and any(node.by),
    lambda move: replace(move, by=tuple(one_ulp_up(by) if by else 0.0 for by in move.by)),
)
fixed_place = anywhere(
    "fixed_place",
    lambda node: isinstance(node, Affordance) and node.place is not None,
    lambda item: replace(item, place=tuple(one_ulp_up(x) for x in item.place)),
)
end_by_itself = anywhere(
    "end_by_itself", lambda node: isinstance(node, Universe), lambda world: replace(world, by_hand=not world.by_hand)
)


def on(mutation: Callable[[Universe], Universe], *names: str) -> list[Any]:
    """A change of these universes, of the first two in every run."""
    return [pytest.param(name, mutation, marks=[pytest.mark.long] if n > 1 else []) for n, name in enumerate(names)]


@pytest.mark.parametrize(
    ("name", "mutation"),
    [
        ("town", threshold),
        ("town", needs),
        ("town", death),
        ("town", lifespan),
        ("town", unclamped),
        ("town", decay),
        ("town", upper_bound),
        ("shifts", closing_time),
        ("shifts", duration),
        ("wrap", order),
        ("wrap", edges),
        ("wrap", needs),
        ("bounce", edges),
        ("first_meal", threshold),
        *on(edges, "vast", "line", "plane", "volume", "hyper"),
        *on(reach, "hyper", "line", "plane", "volume", "adrift"),
        *on(step, "adrift", "line", "plane", "hyper"),
        *on(metric, "fourfold", "volume", "hyper", "vast"),
        *on(keeps_progress, "lasting", "plane", "handled", "adrift"),
        *on(together, "nowhere", "volume", "lasting"),
        *on(forever, "nowhere", "plane", "lasting", "adrift"),
        *on(previous, "handled", "adrift"),
        *on(given, "meadow", "handled", "adrift"),
        *on(remembered, "lasting", "handled"),
        *on(streak, "nowhere", "lasting", "handled"),
        *on(straight, "volume", "adrift"),
        *on(speed, "line", "volume", "adrift"),
        *on(tracking, "lasting", "handled", "adrift", "nowhere"),
        *on(allowed, "some_moves", "many_moves", "handled", "adrift"),
        *on(fixed_place, "plane", "line", "hyper", "adrift"),
        *on(end_by_itself, "handled", "adrift", "nowhere"),
        ("handled", lifespan),
    ],
)
def test_a_small_change_is_found(name: str, mutation: Callable[[Universe], Universe]) -> None:
    original, mutant = sample(name), mutation(sample(name))
    assert mutant != original
    report = verify(original, [Candidate(Interpreter(mutant, CPU), CPU)], EFFORT)
    assert not report.equal, f"{mutation.__name__} was not noticed"
