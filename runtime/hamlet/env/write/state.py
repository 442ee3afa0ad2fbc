"""`Env.set`: writing meters, states and positions by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any, Literal, TypeAlias

import numpy as np
import torch

from hamlet.arguments import by_number, dense, named
from hamlet.backend.buffers import Buffers, Shape
from hamlet.env.write.bounds import check_within
from hamlet.env.write.positions import POSITION, set_positions
from hamlet.errors import EnvError, shown
from hamlet.interpreter.cells import find_of_cells
from hamlet.schema import PAIR_STATES, axes
from hamlet.schema.bounds import Bounds, meter_bounds, number_bounds
from hamlet.schema.roles import members, meters_of
from hamlet.universe import AnyMeter, CellMeter, Grid, Meter, PairMeter, Universe

Values: TypeAlias = "float | str | Sequence[Any] | np.ndarray[Any, Any] | torch.Tensor"
"""Values of a state, see `Env.set`."""


@dataclass(frozen=True, slots=True)
class _Target:
    """A meter or a state, and where its values are.

    Attributes:
        rows: [..., per world, worlds], a view of the state: of each agent, of the world (1), of each cell, of pairs by
            the other agent and then by the one that has something of it.
        has: [per world] bool: which agents, cells or pairs have it at all.
    """

    meter: AnyMeter
    bounds: Bounds
    per: Literal["agent", "world", "cell", "pair"]
    rows: torch.Tensor
    has: torch.Tensor

    @property
    def title(self) -> str:
        return f"{'meter' if self.meter.type is None else 'state'} {self.meter.name}"


def set_state(universe: Universe, buffers: Buffers, name: str, values: Any, worlds: Any, agents: Any) -> None:
    """Write the values of a meter or a state, or positions; see `hamlet.env.attributes.Attributes.set`.

    Raises:
        EnvError: an argument is wrong. Nothing was changed.
    """
    shape, state = buffers.shape, buffers.state
    chosen = _each_once("worlds", worlds, shape.worlds)
    those = None if agents is None else _each_once("agents", agents, shape.agents)
    if name == POSITION and name not in _declared(universe):
        set_positions(universe, shape, state, values, chosen, torch.arange(shape.agents) if those is None else those)
        find_of_cells(universe, buffers)
        return
    target = _target(universe, shape, state, name)
    if those is not None and target.per in ("world", "cell"):
        raise EnvError(f"{target.title} is of {'the world' if target.per == 'world' else 'cells'}: leave out agents=")
    every = torch.arange(len(target.has))
    if target.per == "pair":
        of_agents = every.view(shape.agents, shape.agents).T
        those = (of_agents if those is None else of_agents[those]).reshape(-1)
    where = (every if those is None else those).unsqueeze(1), chosen
    has = target.has[where[0]]
    new = _shaped(target, _numbers(target, values), len(has), len(chosen))
    device = target.rows.device
    new, has, where = new.to(device), has.to(device), (where[0].to(device), where[1].to(device))
    rows = target.rows[where]
    new = new.expand_as(rows)
    _check(target, new, has.expand_as(new))
    target.rows[where] = torch.where(has, new, rows)
    find_of_cells(universe, buffers)


def _each_once(kind: Literal["worlds", "agents"], numbers: Any, count: int) -> torch.Tensor:
    chosen = by_number(kind, numbers, count)
    if len(set(chosen.tolist())) < len(chosen):
        raise EnvError(f"{kind} name {'a world' if kind == 'worlds' else 'an agent'} twice")
    return chosen


def _declared(universe: Universe) -> dict[str, AnyMeter]:
    of_world = () if universe.world is None else universe.world.meters
    of_cells = () if universe.cells is None else universe.cells.meters
    of_pairs = () if universe.pairs is None else universe.pairs.meters
    every: tuple[AnyMeter, ...] = (*universe.meters, *of_world, *of_cells, *of_pairs)
    derived = {each.meter for each in universe.sums} | {each.meter for each in universe.counts}
    return {each.name: each for each in every if each.name not in derived}


def _target(universe: Universe, shape: Shape, state: Mapping[str, torch.Tensor], name: Any) -> _Target:
    of_world = () if universe.world is None else universe.world.meters
    of_cells = () if universe.cells is None else universe.cells.meters
    declared = _declared(universe)
    names = [*declared, *([POSITION] if axes(universe) else [])]
    if isinstance(name, str) and name in [param.name for param in universe.params]:
        raise EnvError(f'{name} is a param: write env.params["{name}"]')
    if isinstance(name, str) and name in [item.name for item in universe.inputs]:
        raise EnvError(f'{name} is an input: write env.inputs["{name}"]')
    meter = declared[named("meter or state", name, names)]
    if isinstance(meter, Meter):
        row = universe.meters.index(meter)
        bounds, values = meter_bounds(universe)[row], state["meters"][row]
        return _Target(
            meter, bounds, "agent", values.view(shape.worlds, shape.agents).T, _owners(universe, shape, meter)
        )
    (bounds,) = number_bounds((meter,))
    if isinstance(meter, CellMeter):
        values = state["cell_meters"]
        cells = values.shape[0] // len(of_cells)
        first = of_cells.index(meter) * cells
        return _Target(meter, bounds, "cell", values[first : first + cells], _open(universe, cells))
    if isinstance(meter, PairMeter) and universe.pairs is not None:
        pairs, first = shape.agents**2, universe.pairs.meters.index(meter) * shape.agents**2
        another = ~torch.eye(shape.agents, dtype=torch.bool)
        return _Target(meter, bounds, "pair", state[PAIR_STATES][first : first + pairs], another.view(-1))
    row = of_world.index(meter)
    return _Target(meter, bounds, "world", state["world_meters"][row : row + 1], torch.ones(1, dtype=torch.bool))


def _owners(universe: Universe, shape: Shape, meter: Meter) -> torch.Tensor:
    """[agents] bool: which agents of a world have a meter; those of other roles do not."""
    has = torch.ones(shape.agents, dtype=torch.bool)
    for role in universe.roles or ():
        if meter.name not in meters_of(role, universe):
            numbers = members(role, shape.agents)
            has[numbers.start : numbers.stop] = False
    return has


def _open(universe: Universe, cells: int) -> torch.Tensor:
    """[cells] bool: which cells are no walls."""
    has = torch.ones(cells, dtype=torch.bool)
    if isinstance(universe.space, Grid) and universe.space.map is not None:
        has[torch.tensor(universe.space.map.cells(universe.space.map.walls), dtype=torch.int64)] = False
    return has


def _numbers(target: _Target, values: Any) -> torch.Tensor:
    """Values as they are stored, f32: an option as its number, a condition as 0 or 1."""
    type_ = target.meter.type
    holds = "real" if type_ is None else type_.holds
    if type_ is not None and holds == "options":
        values = _options(target, type_.options, values)
    takes = f"{target.title} takes " + {
        "options": "options by name or number", "bool": "True and False", "int": "whole numbers", "real": "numbers",
    }[holds]  # fmt: skip
    numbers = dense(values, takes)
    if numbers.dtype is torch.bool and holds != "bool":
        raise EnvError(f"{takes}, not {numbers.dtype}")
    return numbers.to(torch.float32)


def _options(target: _Target, options: Sequence[str], values: Any) -> Any:
    """Names of options, alone or in lists, as their numbers; whatever else as it is."""
    if isinstance(values, str):
        if values not in options:
            raise EnvError(f"{target.title} is one of {', '.join(options)}, not {shown(values)}")
        return options.index(values)
    if isinstance(values, np.ndarray) and values.dtype.kind == "U":
        values = values.tolist()
    if isinstance(values, (list, tuple)) and values and all(isinstance(each, str) for each in values):
        return [_options(target, options, each) for each in values]
    if isinstance(values, (list, tuple)) and values and all(isinstance(each, (list, tuple)) for each in values):
        return [_options(target, options, each) for each in values]
    return values


def _shaped(target: _Target, numbers: torch.Tensor, count: int, worlds: int) -> torch.Tensor:
    """Numbers as [] or [count, worlds], where so many are written in each world."""
    match target.per:
        case "world":
            shapes: tuple[tuple[int, ...], ...] = ((worlds,),)
        case "cell":
            shapes = ((count,), (count, worlds))
        case "pair":
            agents = isqrt(len(target.has))
            shapes = ((worlds, count // agents, agents),)
        case _:
            shapes = ((worlds * count,), (worlds, count))
    if numbers.dim() and tuple(numbers.shape) not in shapes:
        listed = " or ".join(str(list(shape)) for shape in shapes)
        raise EnvError(f"{target.title} takes a number or a tensor {listed}, not {list(numbers.shape)}")
    if not numbers.dim():
        return numbers.reshape(1, 1)
    if target.per == "cell":
        return numbers.reshape(count, -1)
    return numbers.reshape(worlds, count).T


def _check(target: _Target, new: torch.Tensor, has: torch.Tensor) -> None:
    """Raise `EnvError` unless values [per world, worlds] are such as a tick can leave, where there are any."""
    values = new[has]
    inside = (values >= target.bounds.low) & (values <= target.bounds.high)
    if not bool(inside.all()):
        check_within(target.title, values[~inside][0], target.bounds, "lane")
    parts = values != values.round()
    if target.bounds.whole and bool(parts.any()):
        raise EnvError(f"{target.title} takes whole numbers, not {float(values[parts][0]):g}")
