"""What a universe computes at the ends of its ranges and between: whether all of it is finite."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any
from unittest import mock

import torch
from torch import Tensor

from hamlet.backend.buffers import Buffers, Shape, allocate, allocate_statistics
from hamlet.backend.protocol import RecordedPolicy, Stream
from hamlet.interpreter import Interpreter, act, dynamics, ending, expressions, interact, observe, statements
from hamlet.interpreter.expressions import Measured
from hamlet.interpreter.lanes import Lanes
from hamlet.schema import action_names, interact_action
from hamlet.schema.bounds import returns_of
from hamlet.schema.observed import fits_bfloat16
from hamlet.universe import Expression, Input, Meter, Param, Universe
from hamlet_lab.verify.injection import Injector
from hamletc.checking.check import resolve
from hamletc.checking.draft import Draft
from hamletc.checking.names import Names
from hamletc.checking.report import Findings
from hamletc.diagnostics import Diagnostic
from hamletc.language.parser import parse

CPU = torch.device("cpu")
WORLDS, TICKS = 384, 2
WHO_EVALUATES: tuple[ModuleType, ...] = (expressions, statements, dynamics, interact, act, ending, observe)
FAR = (0.0, -0.0, 1e-45, -1e-45, 1e-38, 1.0, -1.0, 0.5, 2.0, 1.0 + 2.0**-23, 1e-7, 16777216.0, 1e19)


class NotFiniteError(AssertionError):
    """Something was infinite or no number. The message says what."""


def all_finite(what: str, values: Tensor) -> None:
    """Raise `NotFiniteError` unless all values are."""
    if values.is_floating_point() and not bool(values.isfinite().all()):
        raise NotFiniteError(f"{what} is {values[~values.isfinite()].reshape(-1)[0].item()}")


@contextmanager
def watched() -> Iterator[None]:
    """Everything that the interpreter evaluates meanwhile, each part of an expression too, must be finite; where a
    cascade does not fire, what it would measure is not looked at."""
    original = expressions.evaluate

    def evaluate(expression: Expression, lanes: Lanes, measured: Measured | None = None) -> Tensor:
        value = original(expression, lanes, measured)
        used = value if measured is None else value.expand_as(lanes.alive)[measured.shortfall > 0]
        all_finite(f"{type(expression).__name__} in line {expression.span.line}, column {expression.span.column}", used)
        return value

    write = Lanes.write

    def watched_write(lanes: Lanes, meter: str, value: Tensor, who: Tensor, *place: Any) -> None:
        all_finite(f"what is written to {meter}", value.expand_as(who)[who])
        write(lanes, meter, value, who, *place)

    with ExitStack() as stack:
        for module in WHO_EVALUATES:
            stack.enter_context(mock.patch.object(module, "evaluate", evaluate))
        stack.enter_context(mock.patch.object(Lanes, "write", watched_write))
        yield


def resolved(text: str) -> tuple[Universe | None, tuple[Diagnostic, ...]]:
    """The universe of a text before ranges are checked, and what is wrong with it until then."""
    file, problems = parse(text)
    if file is None or problems:
        return None, problems
    report = Findings(inert_allowed=True)
    draft: Draft = resolve(file, Names(file, report), report)
    if report.failed:
        return None, report.in_source_order()
    return draft.finish(file.name.text, ("edge.hamlet",)), report.in_source_order()


def corners(declared: Meter | Param | Input, count: int, chosen: random.Random) -> Tensor:
    """Numbers in bounds, or in the reach of a meter: both ends, their neighbours, numbers between of any magnitude."""
    reach = declared.reach if isinstance(declared, Meter) else None
    least, most = reach or (declared.low, declared.high)
    low, high = torch.tensor(least), torch.tensor(most)
    ends = torch.stack([low, high, torch.nextafter(low, high), torch.nextafter(high, low)])
    inside = torch.tensor([x for x in FAR if least <= x <= most] or [least])
    generator = torch.Generator().manual_seed(chosen.randrange(1 << 32))

    def pick(options: Tensor) -> Tensor:
        return options[torch.randint(len(options), (count,), generator=generator)]

    share = torch.rand(count, generator=generator)
    between = (low.double() + share.double() * (high.double() - low.double())).float()
    small = (
        torch.where(share < 0.5, low, high).double() * 10.0 ** (-80 * torch.rand(count, generator=generator))
    ).float()
    kind = torch.rand(count, generator=generator)
    values = torch.where(
        kind < 0.6, pick(ends), torch.where(kind < 0.75, pick(inside), torch.where(kind < 0.9, between, small))
    )
    return values.clamp(low, high)


def states(universe: Universe, seed: int) -> tuple[Buffers, Tensor]:
    """Worlds in states that ticks may meet, and actions; returns are as large as they may be."""
    shape, chosen = Shape(WORLDS, 1), random.Random(seed)
    injector = Injector(universe, shape, seed)
    buffers = allocate(universe, shape, CPU, torch.float32)
    for name, value in injector.state().items():
        buffers.state[name].copy_(value)
    for declared, rows in ((universe.meters, "meters"), (universe.params, "params"), (universe.inputs, "inputs")):
        for row, item in enumerate(declared):
            buffers.state[rows][row] = corners(item, WORLDS, chosen)
    limits = returns_of(universe)
    largest = limits.begun + limits.per_tick * buffers.state["age"].double()
    sign = torch.tensor([1.0, -1.0, 0.0]).repeat(WORLDS)[:WORLDS]
    buffers.state["episode_return"].copy_(largest * sign)
    return buffers, injector.actions(0.4)


def check_finite(universe: Universe, seed: int = 0) -> int:
    """Run a universe from corners of its ranges, and return how many values were looked at.

    Raises:
        NotFiniteError: something that it computed was not finite.
    """
    looked = 0
    with watched(), torch.no_grad():
        buffers, actions = states(universe, seed)
        interpreter = Interpreter(universe, CPU)
        statistics = allocate_statistics(universe, buffers.shape, CPU)
        statistics.finished_return.copy_(torch.tensor([2.0**127, -(2.0**127)]).repeat(WORLDS)[:WORLDS])
        for tick in range(TICKS):
            once = RecordedPolicy(actions[None])
            interpreter.rollout(buffers, 1, once, Stream(seed, tick), True, statistics)
            looked += _look(universe, buffers, statistics.finished_return)
            others = (actions + tick) % len(action_names(universe))
            actions = torch.where(torch.arange(WORLDS) % 2 == 0, interact_action(universe), others).to(torch.int32)
    return looked


def _look(universe: Universe, buffers: Buffers, finished: Tensor) -> int:
    observation = buffers.observation
    assert observation is not None
    seen = {**buffers.state, **buffers.outcome, "finished_return": finished, "observation": observation}
    if fits_bfloat16(universe):
        seen["observation as bfloat16"] = observation.bfloat16()
    for name, values in seen.items():
        all_finite(name, values)
    limits = returns_of(universe)
    total, age = buffers.state["episode_return"].double(), buffers.state["age"].double()
    if bool((total.abs() > limits.begun + limits.per_tick * age).any()):
        raise NotFiniteError(f"episode_return {float(total.abs().max())} is beyond its limit")
    return sum(values.numel() for values in seen.values() if values.is_floating_point())
