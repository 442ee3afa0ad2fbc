"""The state of a world that goes on in another version of its universe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from hamlet import schema
from hamlet.errors import EnvError
from hamlet.universe import AnyMeter, Universe

if TYPE_CHECKING:
    from hamlet.env.environment import Env
    from hamlet.schema import Field

Tensor: TypeAlias = Any
"""A tensor of an environment's; the compiler does not import torch."""
OF_SPACE = ("position", "velocity", "speed", "used_at", "layout", "places", "cell_meters")
"""Fields that mean nothing in another space."""
OF_ACTIVITY = ("episode_return", "engaged", "progress", "used_at", "last", "streaks", "seen")
"""Fields whose values may not fit what changed: rewards, and what affordances are."""
BY_NUMBER = ("engaged", "last")
"""Fields that hold the numbers of affordances."""


def carry_over(old: Env, new: Env) -> str:
    """Let an environment go on where an environment of an earlier version of its universe is, as far as both have the
    same state by name: meters, states, positions, ages, hours. What is new keeps its start value, and numbers beyond
    new bounds become the nearest within. Params and inputs are those of the new one.

    Returns:
        What became of the state, in words.
    """
    if (old.num_worlds, old.num_agents) != (new.num_worlds, new.num_agents):
        return "another number of agents: the world began anew"
    before, after = old.state_dict(), new.state_dict()
    left = () if old.universe.space == new.universe.space else OF_SPACE
    for without in (left, (*left, *OF_ACTIVITY)):
        state = _state(old.universe, new.universe, before["state"], after["state"], without)
        try:
            new.load_state_dict({**after, "seed": before["seed"], "tick": before["tick"], "state": state})
        except EnvError:
            continue
        return _said(old.universe, new.universe, bool(left))
    return "the state does not fit: the world began anew"


def _state(
    old: Universe, new: Universe, before: Mapping[str, Tensor], after: Mapping[str, Tensor], without: tuple[str, ...]
) -> dict[str, Tensor]:
    """The fields of the new universe, with what the old one has of them."""
    fields = {field.name: field for field in schema.state_fields(old)}
    state = {name: values.clone() for name, values in after.items()}
    for field in schema.state_fields(new):
        earlier = fields.get(field.name)
        if earlier is None or field.written_by_users or field.name in without:
            continue
        if (field.dtype, field.per) == (earlier.dtype, earlier.per):
            _copy(field, earlier, state[field.name], before[field.name], old, new)
    if new.lifespan is not None:
        # Nobody is alive at the end of the lifespan.
        state["age"] = state["age"].clamp(max=new.lifespan.ticks - 1)
    return state


def _copy(field: Field, earlier: Field, to: Tensor, values: Tensor, old: Universe, new: Universe) -> None:
    """Copy the rows that both have, each to within its bounds."""
    if field.rows is None or earlier.rows is None:
        if field.name in BY_NUMBER:
            values = _renumbered(
                values, [each.name for each in old.affordances], [each.name for each in new.affordances]
            )
        to.copy_(_within(values, field, 0))
        return
    meters = {each.name: each for each in _meters(old)}, {each.name: each for each in _meters(new)}
    before = {name: row for row, name in enumerate(earlier.rows)}
    for row, name in enumerate(field.rows):
        if name not in before:
            continue
        carried = values[before[name]]
        was, now = (by_name.get(name) for by_name in meters)
        if field.name in ("meters", "world_meters") and was is not None and now is not None:
            if (was.type is None) != (now.type is None):
                continue
            if was.type is not None and now.type is not None and was.type.options != now.type.options:
                carried = _renumbered(carried, list(was.type.options), list(now.type.options))
                carried = carried.where(carried >= 0, to[row])
        to[row].copy_(_within(carried, field, row))


def _renumbered(values: Tensor, old: list[str], new: list[str]) -> Tensor:
    """Numbers of old names as those of new ones; -1 where there is none."""
    result = values.clone().fill_(-1)
    for number, name in enumerate(old):
        if name in new:
            result[values == number] = new.index(name)
    return result


def _within(values: Tensor, field: Field, row: int) -> Tensor:
    if field.bounds is None:
        return values
    bounds = field.bounds[row]
    ends: dict[str, Any] = {"min": bounds.low, "max": bounds.high}
    inside = values.clamp(**ends)
    return inside.round() if bounds.whole and values.is_floating_point() else inside


def _meters(universe: Universe) -> list[AnyMeter]:
    """Meters and states of agents, of the world, of cells and of pairs; those of authors."""
    of_world = () if universe.world is None else universe.world.meters
    of_cells = () if universe.cells is None else universe.cells.meters
    of_pairs = () if universe.pairs is None else universe.pairs.meters
    every: list[AnyMeter] = [*universe.meters, *of_world, *of_cells, *of_pairs]
    return [each for each in every if each.type is None or each.type.past is None]


def _said(old: Universe, new: Universe, moved: bool) -> str:
    """A sentence about which parts of the state were carried over."""
    before, after = ([each.name for each in _meters(universe)] for universe in (old, new))
    parts = ["the world goes on"]
    for word, names in (
        ("new", [name for name in after if name not in before]),
        ("gone", [name for name in before if name not in after]),
    ):
        if names:
            parts.append(f"{word}: {', '.join(names)}")
    if moved:
        parts.append("the space changed, so places began anew")
    return "; ".join(parts)
