"""The state of an environment as a dictionary, and the checks before one is taken over.

A checkpoint holds the fields of `hamlet.schema.state_fields`, the seed and the tick; nothing else is needed to go on
bit for bit. `torch.save` and `torch.load(weights_only=True)` take it as it is.
"""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

import torch

from hamlet import schema
from hamlet.errors import EnvError
from hamlet.params import check_numbers
from hamlet.state import DTYPES, Shape
from hamlet.universe import (
    Action,
    Affordance,
    Assign,
    Cascade,
    Continuous,
    Grid,
    Meter,
    NoSpace,
    Rule,
    Statement,
    Universe,
)

StateDict: TypeAlias = dict[str, Any]

SEED_LIMIT = 1 << 64
TICK_LIMIT = 1 << 32
MOST = (1 << 31) - 1
"""The largest number of 32 bits."""
KEYS = ("universe", "first_world", "seed", "tick", "state")


def check(universe: Universe, digest: str, shape: Shape, saved: StateDict) -> dict[str, torch.Tensor]:
    """The state fields of a checkpoint that these worlds can go on from.

    Raises:
        EnvError: the checkpoint belongs to another universe or other worlds, or holds a value that no tick leaves.
    """
    if not isinstance(saved, dict) or set(saved) != set(KEYS):
        raise EnvError(f"a state has the entries {', '.join(KEYS)}")
    if saved["universe"] != digest:
        raise EnvError(f"the state belongs to another universe, or to another version of {universe.name}")
    if saved["first_world"] != shape.first_world:
        raise EnvError(f"the state begins at world {saved['first_world']}, these worlds at {shape.first_world}")
    for name, limit in (("seed", SEED_LIMIT), ("tick", TICK_LIMIT)):
        if type(saved[name]) is not int or not 0 <= saved[name] < limit:
            raise EnvError(f"the state's {name} is not a whole number in 0 .. {limit - 1}")
    state = _arrays(universe, shape, saved["state"])
    _check_agents(universe, shape, state)
    _check_worlds(universe, state)
    return state


def _arrays(universe: Universe, shape: Shape, state: Any) -> dict[str, torch.Tensor]:
    fields = schema.state_fields(universe)
    names = [field.name for field in fields]
    if not isinstance(state, dict) or set(state) != set(names):
        raise EnvError(f"the state of {universe.name} has the fields {', '.join(names)}")
    for field in fields:
        count = shape.lanes if field.per == "lane" else shape.worlds
        size = [count] if field.rows is None else [len(field.rows), count]
        value = state[field.name]
        if not isinstance(value, torch.Tensor) or value.dtype != DTYPES[field.dtype] or list(value.shape) != size:
            found = f"{value.dtype} {list(value.shape)}" if isinstance(value, torch.Tensor) else type(value).__name__
            raise EnvError(f"field {field.name} of the state is {DTYPES[field.dtype]} {size}, not {found}")
    return state


def _check_agents(universe: Universe, shape: Shape, state: dict[str, torch.Tensor]) -> None:
    loose = _unclamped_meters(universe)
    for row, meter in enumerate(universe.meters):
        _check_meter(meter, state["meters"][row], meter.name in loose)
    if "position" in state:
        _check_positions(universe, "position", state["position"])
    alive, age = state["alive"], state["age"]
    longest = universe.lifespan.ticks if universe.lifespan is not None else MOST
    _within("age", age, 0, MOST if universe.by_hand else longest)
    if universe.lifespan is not None and bool((alive & (age >= longest)).any()):
        raise EnvError("the state holds an agent that is alive at the end of its lifespan")
    if not universe.by_hand and not bool(alive.view(shape.worlds, shape.agents).any(dim=1).all()):
        raise EnvError("the state holds a world without an agent alive")
    for name in ("episode_return", "velocity"):
        if name in state and bool(state[name].isnan().any()):
            raise EnvError(f"{name} of the state holds a NaN")
    for row, item in enumerate(universe.inputs):
        check_numbers("input", item, state["inputs"][row])
    if schema.has_progress(universe):
        _check_progress(universe, state["engaged"], state["progress"])
    _check_uses(universe, state)


def _check_positions(universe: Universe, name: str, position: torch.Tensor) -> None:
    match universe.space:
        case Grid(sizes=sizes):
            for axis, x, size in zip(schema.axes(universe), position, sizes, strict=True):
                _within(f"{name} {axis}", x, 0, size - 1)
        case Continuous(axes=axes):
            for axis, x, bounds in zip(schema.axes(universe), position, axes, strict=True):
                low, high, size = torch.tensor([bounds.low, bounds.high, bounds.size], dtype=torch.float32)
                # where edges wrap or bounce, rounding can lead just beyond
                highest = torch.maximum(high, low + size)
                _within(f"{name} {axis}", x, float(low), float(highest))
        case NoSpace():
            pass


def _check_uses(universe: Universe, state: dict[str, torch.Tensor]) -> None:
    if "used_at" in state:
        # 0 before the first use, which may lie outside the space
        used = (state["used_at"] != 0).any(dim=0)
        _check_positions(universe, "used_at", state["used_at"][:, used])
    if "last" in state:
        _within("last", state["last"], schema.NOWHERE, len(universe.affordances) - 1)
    if "streaks" in state:
        _within("streaks", state["streaks"], 0, MOST)


def _check_meter(meter: Meter, values: torch.Tensor, loose: bool) -> None:
    low, high = torch.tensor([meter.low, meter.high], dtype=torch.float32, device=values.device)
    within = values.isfinite() if loose else (values >= low) & (values <= high)
    if not bool(within.all()):
        bounds = "be a number" if loose else f"lie in {meter.low:g} .. {meter.high:g}"
        raise EnvError(f"meter {meter.name} of the state must {bounds}")


def _check_progress(universe: Universe, engaged: torch.Tensor, progress: torch.Tensor) -> None:
    # Entry k + 1: the most ticks that affordance k can have been going on; 0 for none and for instantaneous ones.
    most = [0, *(_most_progress(affordance) for affordance in universe.affordances)]
    _within("engaged", engaged, schema.NOWHERE, len(universe.affordances) - 1)
    longest = torch.tensor(most, dtype=torch.int32, device=engaged.device)[engaged.long() + 1]
    least = (engaged != schema.NOWHERE).int()
    if not bool(((progress >= least) & (progress <= longest)).all()):
        raise EnvError("progress of the state does not fit what the agents are engaged in")


def _most_progress(affordance: Affordance) -> int:
    match affordance.duration:
        case None:
            return 0
        case 0:
            return MOST
        case duration:
            return duration - 1


def _check_worlds(universe: Universe, state: dict[str, torch.Tensor]) -> None:
    _within("episode", state["episode"], 0, MOST)
    if universe.clock is not None:
        _within("hour", state["hour"], 0, universe.clock.hours - 1)
    for row, param in enumerate(universe.params):
        check_numbers("param", param, state["params"][row])
    if "places" in state:
        _check_places(universe, state["places"])


def _check_places(universe: Universe, places: torch.Tensor) -> None:
    of_affordances = places.view(len(universe.affordances), -1, places.shape[1])
    match universe.space:
        case Grid() as grid:
            for word, (begin, end) in enumerate(schema.cell_words(grid)):
                _within("places", of_affordances[:, word], 0, prod(grid.sizes[begin:end]) - 1)
        case Continuous(axes=axes):
            for row, bounds in enumerate(axes):
                low, high = torch.tensor([bounds.low, bounds.high], dtype=torch.float32)
                _within("places", of_affordances[:, row], float(low), float(high))
        case NoSpace():
            pass


def _within(name: str, values: torch.Tensor, low: float, high: float) -> None:
    if not bool(((values >= low) & (values <= high)).all()):
        raise EnvError(f"{name} of the state must lie in {low:.10g} .. {high:.10g}")


def _unclamped_meters(universe: Universe) -> set[str]:
    """The meters that some statement writes without clamping, so that they may leave their bounds."""
    bodies: list[tuple[Statement, ...]] = []
    construct: Rule | Cascade | Affordance | Action
    for construct in (*universe.dynamics, *universe.affordances, *universe.actions):
        match construct:
            case Affordance(together=True):
                pass
            case Affordance():
                bodies += [construct.instantly, construct.each_tick, construct.on_completion]
            case _:
                bodies.append(construct.body)
    return {
        statement.meter
        for body in bodies
        for statement in body
        if isinstance(statement, Assign) and not statement.clamped
    }
