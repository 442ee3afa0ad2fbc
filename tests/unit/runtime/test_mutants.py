"""The verifier's scenarios are sharp: a universe changed in one small place is told from the original."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tiny import CPU

from hamlet.binary32 import canonical32
from hamlet.interpreter import Interpreter
from hamlet.universe import Binary, Cascade, Hours, Number, Rule, Universe
from hamlet.verify import Candidate, Effort, verify
from sample_universes import sample

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
    ],
)
def test_a_small_change_is_found(name: str, mutation: Callable[[Universe], Universe]) -> None:
    original, mutant = sample(name), mutation(sample(name))
    assert mutant != original
    report = verify(original, [Candidate(Interpreter(mutant, CPU), CPU)], EFFORT)
    assert not report.equal, f"{mutation.__name__} was not noticed"
