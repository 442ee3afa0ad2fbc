"""Checkpoints: the state of an environment as a dictionary, and the checks before an environment loads one.

A checkpoint has the fields of `hamlet.schema.state_fields`, the seed and the tick, which determine all following
ticks. `torch.save` and `torch.load(weights_only=True)` can store it unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, TypeAlias

import torch

from hamlet import schema
from hamlet.arguments import dense, whole
from hamlet.backend.buffers import DTYPES, Shape
from hamlet.env.write.bounds import check_positions, check_within
from hamlet.errors import EnvError, shown
from hamlet.schema.bounds import ANY_COUNT, Bounds, returns_of
from hamlet.universe import Affordance, Universe

StateDict: TypeAlias = dict[str, Any]

SEED_LIMIT = 1 << 64
TICK_LIMIT = 1 << 32
KEYS = ("universe", "first_world", "seed", "tick", "state")


def checked_seed(seed: Any) -> int:
    """The seed, or `EnvError`."""
    return whole(seed, 0, SEED_LIMIT - 1, "a seed is a whole number in 0 .. 2**64 - 1")


def check(universe: Universe, digest: str, shape: Shape, saved: StateDict) -> dict[str, torch.Tensor]:
    """The state fields of a checkpoint, after checking that these worlds can continue from it.

    Raises:
        EnvError: the checkpoint belongs to another universe or other worlds, or has a value that no tick leaves.
    """
    if not isinstance(saved, dict) or set(saved) != set(KEYS):
        raise EnvError(f"a state has the entries {', '.join(KEYS)}")
    if not isinstance(saved["universe"], str) or saved["universe"] != digest:
        raise EnvError(f"the state belongs to another universe, or to another version of {universe.name}")
    for name, limit in (("first_world", SEED_LIMIT), ("seed", SEED_LIMIT), ("tick", TICK_LIMIT)):
        whole(saved[name], 0, limit - 1, f"{name} of the state is a whole number in 0 .. {limit - 1}")
    if saved["first_world"] != shape.first_world:
        raise EnvError(f"the state begins at world {saved['first_world']}, these worlds at {shape.first_world}")
    state = _arrays(universe, shape, saved["state"])
    check_bounds(universe, state)
    _check_relations(universe, shape, state)
    return state


def _arrays(universe: Universe, shape: Shape, state: Any) -> dict[str, torch.Tensor]:
    """The fields of the state, each a plain tensor of its type and size."""
    fields = schema.state_fields(universe)
    names = [field.name for field in fields]
    if not isinstance(state, dict) or set(state) != set(names):
        raise EnvError(f"the state of {universe.name} has the fields {', '.join(names)}")
    for field in fields:
        count = shape.lanes if field.per == "lane" else shape.worlds
        size = [count] if field.rows is None else [len(field.rows), count]
        value = state[field.name]
        fits = isinstance(value, torch.Tensor) and value.dtype == DTYPES[field.dtype] and not value.is_nested
        if not fits or list(value.shape) != size:
            raise EnvError(f"field {field.name} of the state is {DTYPES[field.dtype]} {size}, not {_described(value)}")
    return {name: dense(state[name], f"field {name} of the state holds numbers") for name in names}


def _described(value: Any) -> str:
    plain = isinstance(value, torch.Tensor) and not value.is_nested
    return f"{value.dtype} {list(value.shape)}" if plain else shown(value)


def check_bounds(universe: Universe, state: Mapping[str, torch.Tensor]) -> None:
    """Raise `EnvError` unless all values lie within the bounds of their fields."""
    for field in schema.state_fields(universe):
        if field.bounds:  # meters have none where agents have no meters
            rows = state[field.name].view(len(field.bounds), -1)
            if field.pitch and _lie_within(rows, field.bounds):
                continue
            for name, bounds, values in zip(field.names, field.bounds, rows, strict=True):
                said = name.replace(".", " ", 1) + ("" if field.written_by_users else " of the state")
                check_within(said, values, bounds, field.per)
                if bounds.whole and not torch.equal(values, values.round()):
                    raise EnvError(f"{name.partition('.')[2]} of the state must hold whole numbers")


def _lie_within(rows: torch.Tensor, bounds: tuple[Bounds, ...]) -> bool:
    """Whether all of many rows are within their bounds, and whole where these say so."""
    low, high, whole = (torch.tensor([[of(each)] for each in bounds]) for of in _ENDS)
    inside = (rows >= low.to(rows)) & (rows <= high.to(rows))
    return bool((inside & (~whole.to(rows.device) | (rows == rows.round()))).all())


_ENDS = attrgetter("low"), attrgetter("high"), attrgetter("whole")


def _check_relations(universe: Universe, shape: Shape, state: dict[str, torch.Tensor]) -> None:
    """Raise `EnvError` unless fields fit each other."""
    alive, age, life = state["alive"], state["age"], universe.lifespan
    if life is not None and bool((alive & (age >= life.ticks)).any()):
        raise EnvError("the state holds an agent that is alive at the end of its lifespan")
    if not (universe.by_hand or shape.waits or bool(alive.view(shape.worlds, shape.agents).any(dim=1).all())):
        raise EnvError(
            'the state holds a world without an agent alive: only an environment with autoreset "next_step" has those'
        )
    _check_returns(universe, state["episode_return"], age)
    # Meters that streaks change have bounds that rely on it.
    if "streaks" in state and bool((state["streaks"] > age).any()):
        raise EnvError("the state holds a streak of more uses than its agent has lived ticks")
    if schema.has_progress(universe):
        _check_progress(universe, state["engaged"], state["progress"])
    if "used_at" in state:
        # used_at is 0 before the first use, and 0 may lie outside the space.
        unused = (state["used_at"] == 0).all(dim=0)
        check_positions(universe, "used_at {} of the state", state["used_at"], "lane", unused)


def _check_returns(universe: Universe, returns: torch.Tensor, age: torch.Tensor) -> None:
    limits = returns_of(universe)
    if bool(returns.isnan().any()):
        raise EnvError("episode_return of the state holds a NaN")
    # In binary64, products of ages and these powers of two are more precise than the proof needs.
    if not bool((returns.double().abs() <= limits.begun + limits.per_tick * age.double()).all()):
        raise EnvError("episode_return of the state is larger than rewards add up to")


def _check_progress(universe: Universe, engaged: torch.Tensor, progress: torch.Tensor) -> None:
    # Entry k + 1: the most ticks that affordance k can have been going on; 0 for none and for instantaneous ones.
    most = [0, *(_most_progress(affordance) for affordance in universe.affordances)]
    longest = torch.tensor(most, dtype=torch.int32, device=engaged.device)[engaged.long() + 1]
    least = (engaged != schema.NOWHERE).int()
    if not bool(((progress >= least) & (progress <= longest)).all()):
        raise EnvError("progress of the state does not fit what the agents are engaged in")


def _most_progress(affordance: Affordance) -> int:
    match affordance.duration:
        case None:
            return 0
        case 0:
            return int(ANY_COUNT.high)
        case duration:
            return duration - 1
