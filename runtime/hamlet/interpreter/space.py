"""Moving in a space, and lengths in it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import torch
from torch import Tensor

from hamlet.interpreter.fma import fma
from hamlet.interpreter.lanes import Lanes
from hamlet.schema.grid import between as cells_between
from hamlet.schema.grid import cell_index
from hamlet.universe import Continuous, Edges, Grid, NoSpace, Span


def displace(lanes: Lanes, by: Sequence[Tensor], who: Tensor) -> None:
    """Displace the agents `who` on every axis; `by` has a displacement per axis, of the type of positions."""
    there = displaced(lanes, by)
    lanes.position = tuple(torch.where(who, moved, x) for moved, x in zip(there, lanes.position, strict=True))


def displaced(lanes: Lanes, by: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Where a displacement leads: every axis for itself, with the edges of the space; not at all where that is a
    wall, or behind a thin one."""
    return displaced_from(lanes, lanes.position, by)


def displaced_from(lanes: Lanes, position: Sequence[Tensor], by: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Where a displacement leads from a position, per axis."""
    there = tuple(along(lanes, axis, x, delta) for axis, (x, delta) in enumerate(zip(position, by, strict=True)))
    if not has_walls(lanes):
        return there
    stopped = meets_wall(lanes, there) | crosses(lanes, position, there)
    return tuple(torch.where(stopped, x, moved) for moved, x in zip(there, position, strict=True))


def has_walls(lanes: Lanes) -> bool:
    """Whether cells can stop agents: there is a map, or a condition of cells."""
    return lanes.constant.ground is not None or lanes.closed is not None


def meets_wall(lanes: Lanes, there: Sequence[Tensor]) -> Tensor:
    """Which positions on a grid that has walls are walls or solid cells, bool; [..., worlds, agents] where cells decide
    it."""
    index = cell_index(there, lanes.grid.sizes).long()
    if lanes.closed is None:
        return lanes.ground.walls[index]
    index = index.expand(*index.shape[:-2], *lanes.age.shape)
    return lanes.closed.expand(*index.shape[:-1], lanes.closed.shape[-1]).gather(-1, index)


def crosses(lanes: Lanes, start: Sequence[Tensor], there: Sequence[Tensor]) -> Tensor:
    """Which ways on the grid of a map lead from one side of a thin wall to the other, bool."""
    of, to = (cell_index(cell, lanes.grid.sizes) for cell in (start, there))
    meets = torch.zeros_like(to, dtype=torch.bool)
    for a, b in () if lanes.constant.ground is None else lanes.ground.thin:
        meets = meets | (of == a) & (to == b) | (of == b) & (to == a)
    return meets


def along(lanes: Lanes, axis: int, x: Tensor, by: Tensor) -> Tensor:
    """The coordinate on an axis after a displacement, with the edges of the space."""
    match lanes.universe.space:
        case Grid(sizes=sizes, edges=edges):
            return on_grid(x, by, sizes[axis], edges)
        case Continuous(axes=axes, edges=edges):
            low, high, size = (lanes.constant(number) for number in (axes[axis].low, axes[axis].high, axes[axis].size))
            return in_continuous(x, by, low, high, size, edges)
        case NoSpace():
            raise ValueError("there are no axes without a space")


def on_grid(x: Tensor, by: Tensor, size: int, edges: Edges) -> Tensor:
    """The coordinate on an axis of `size` cells after a displacement; i32."""
    moved = x + by
    match edges:
        case "clamp":
            return moved.clamp(0, size - 1)
        case "wrap":
            return moved.remainder(size)
        case "sticky":
            return torch.where((moved < 0) | (moved >= size), x, moved)
        case "bounce":
            moved = torch.where(moved < 0, -moved, moved)
            moved = torch.where(moved >= size, 2 * (size - 1) - moved, moved)
            return moved.clamp(0, size - 1)


def in_continuous(x: Tensor, by: Tensor, low: Tensor, high: Tensor, size: Tensor, edges: Edges) -> Tensor:
    """The coordinate on an axis of a continuous space after a displacement; f32, every operation rounded."""
    moved = x + by
    match edges:
        case "clamp":
            return clamp(moved, low, high)
        case "wrap":
            return remainder(moved - low, size) + low
        case "sticky":
            return torch.where((moved < low) | (high < moved), x, moved)
        case "bounce":
            twice = size + size
            there = remainder(moved - low, twice)
            return torch.where(there >= size, twice - there, there) + low


def push(lanes: Lanes, by: Sequence[Tensor], who: Tensor) -> None:
    """Add to the velocity of the agents `who` on every axis, within its limit."""
    pushed = (within_limit(v + delta, lanes) for v, delta in zip(lanes.velocity, by, strict=True))
    lanes.velocity = tuple(torch.where(who, new, v) for new, v in zip(pushed, lanes.velocity, strict=True))


def within_limit(velocity: Tensor, lanes: Lanes) -> Tensor:
    """A velocity on an axis, brought within the limit of the space."""
    space = lanes.universe.space
    if not isinstance(space, Continuous) or space.momentum is None:
        raise ValueError(f"universe {lanes.universe.name} has no momentum")
    return clamp(velocity, lanes.constant(-space.momentum), lanes.constant(space.momentum))


def drift(lanes: Lanes, who: Tensor) -> tuple[Tensor, ...]:
    """Move the agents `who` by their velocity. Edges stop it, or turn it around. Per axis, who met one, bool."""
    space = lanes.universe.space
    if not isinstance(space, Continuous):
        raise ValueError("only agents in a continuous space drift")
    position, velocity, met = [], [], []
    for axis, x, v in zip(space.axes, lanes.position, lanes.velocity, strict=True):
        low, high, size = (lanes.constant(number) for number in (axis.low, axis.high, axis.size))
        moved = x + v
        beyond = (moved < low) | (high < moved)
        turned = v
        match space.edges:
            case "clamp" | "sticky":
                turned = torch.where(beyond, lanes.constant(0.0), v)
            case "bounce":
                back = remainder(moved - low, size + size) >= size
                turned, beyond = torch.where(back, -v, v), beyond | back
            case "wrap":
                pass
        there = in_continuous(x, v, low, high, size, space.edges)
        position.append(torch.where(who, there, x))
        velocity.append(torch.where(who, turned, v))
        met.append(who & beyond)
    lanes.position, lanes.velocity = tuple(position), tuple(velocity)
    return tuple(met)


def remainder(value: Tensor, size: Tensor) -> Tensor:
    """The exact remainder with the sign of `value`, plus `size` where that is negative; f32."""
    # torch.fmod of f32 is wrong on CPUs for large quotients; that of f64 is exact, and so is the result as f32
    rest = torch.fmod(value.double(), size.double()).float()
    return torch.where(rest < 0, rest + size, rest)


def leaves_space(lanes: Lanes, by: Sequence[Tensor]) -> Tensor:
    """Whose displacement meets an edge, bool [worlds, agents]."""
    meets = torch.zeros_like(lanes.alive)
    for axis, (x, delta) in enumerate(zip(lanes.position, by, strict=True)):
        match lanes.universe.space:
            case Grid(sizes=sizes):
                meets = meets | (x + delta < 0) | (x + delta >= sizes[axis])
            case Continuous(axes=axes):
                low, high = lanes.constant(axes[axis].low), lanes.constant(axes[axis].high)
                meets = meets | (x + delta < low) | (high < x + delta)
            case NoSpace():
                pass
    return meets


def stops(lanes: Lanes, by: Sequence[Tensor]) -> Tensor:
    """Whose displacement leads to a wall, or through a thin one, bool [worlds, agents]."""
    if not has_walls(lanes):
        return torch.zeros_like(lanes.alive)
    ways = enumerate(zip(lanes.position, by, strict=True))
    there = tuple(along(lanes, axis, x, delta) for axis, (x, delta) in ways)
    return meets_wall(lanes, there) | crosses(lanes, lanes.position, there)


def clamp(value: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """`low` where value < low, then `high` where high is below that."""
    raised = torch.where(value < low, low, value)
    return torch.where(high < raised, high, raised)


def smaller(a: Tensor, b: Tensor) -> Tensor:
    """`min(a, b)`: a where a < b, else b."""
    return torch.where(a < b, a, b)


def larger(a: Tensor, b: Tensor) -> Tensor:
    """`max(a, b)`: a where b < a, else b."""
    return torch.where(b < a, a, b)


def square_root(value: Tensor) -> Tensor:
    """The square root of f32, correctly rounded."""
    # torch.sqrt of f32 is not correctly rounded on CPU; that of f64, rounded to f32, is
    return value.double().sqrt().float()


def length(vector: Sequence[Tensor], like: Tensor) -> Tensor:
    """The length of a vector, f32: squares are added as `docs/semantics.md` says. Shaped as `like`."""
    total = torch.zeros_like(like, dtype=torch.float32)
    rounded_twice = len(vector) // 4 * 4
    for v in vector[:rounded_twice]:
        total = total + v * v
    for v in vector[rounded_twice:]:
        total = fma(v, v, total)
    return square_root(total)


def speed(lanes: Lanes) -> Tensor:
    """The length of the velocity; before an agent ever acted what episodes begin with. f32 [worlds, agents]."""
    return length(lanes.velocity, lanes.age) if lanes.speed is None else lanes.speed


def distance(lanes: Lanes, affordance: str) -> Tensor:
    """The distance to an affordance by the metric of the space, f32."""
    return between(lanes, lanes.position, lanes.coordinates_of(affordance))


def apart(lanes: Lanes, span: Span) -> Tensor:
    """The distance from the agents that ask, by the metric of the space, f32."""
    return between(lanes, lanes.position, [lanes.asked_by(coordinate, span) for coordinate in lanes.position])


def between(lanes: Lanes, position: Sequence[Tensor], there: Sequence[Tensor]) -> Tensor:
    """The distance between positions by the metric of the space, f32."""
    match lanes.universe.space:
        case Grid() as grid:
            return grid_distance(position, there, grid)
        case Continuous(metric=metric):
            steps = [x - to for x, to in zip(position, there, strict=True)]
            match metric:
                case "manhattan":
                    return reduce(torch.add, [step.abs() for step in steps])
                case "chebyshev":
                    return reduce(larger, [step.abs() for step in steps])
                case "euclidean":
                    return square_root(reduce(torch.add, [step * step for step in steps]))
        case NoSpace():
            return torch.zeros_like(lanes.age, dtype=torch.float32)


def grid_distance(position: Sequence[Tensor], there: Sequence[Tensor], grid: Grid) -> Tensor:
    """The distance between cells, f32 of an integer (of its root)."""
    apart = cells_between(position, there, grid).to(torch.float32)
    return square_root(apart) if grid.metric == "euclidean" else apart


def straight_distance(lanes: Lanes, affordance: str) -> Tensor:
    """The length of the vector to an affordance, whatever the metric and the edges of the space."""
    there = lanes.coordinates_of(affordance)
    steps = [(x - to).to(torch.float32) for x, to in zip(lanes.position, there, strict=True)]
    return length(steps, lanes.age)


def place_at(lanes: Lanes, affordance: str) -> Tensor:
    """Who is where an affordance is, there or not; bool [worlds, agents]."""
    match lanes.universe.space:
        case Grid():
            words = zip(lanes.cell(), lanes.place_of(affordance), strict=True)
            return reduce(torch.logical_and, [mine == theirs for mine, theirs in words])
        case Continuous(reach=reach):
            return distance(lanes, affordance) <= lanes.constant(reach)
        case NoSpace():
            return torch.ones_like(lanes.alive)


def beside(values: Tensor, lanes: Lanes) -> Tensor:
    """The sums of values [worlds, cells] over the cells beside each, in the order of the axes."""
    # The first axis is the last dimension.
    laid = values.view(len(values), *lanes.grid.sizes[::-1])
    around: Tensor | None = None
    for axis, size in enumerate(lanes.grid.sizes):
        dimension = laid.dim() - 1 - axis
        for step, edge in ((1, 0), (-1, size - 1)):
            there = laid.roll(step, dimension)
            if lanes.grid.edges != "wrap":
                there.select(dimension, edge).zero_()
            around = there if around is None else around + there
    assert around is not None, "a grid has an axis"
    if lanes.grid.metric == "hexagonal":
        around = around + _diagonally(laid, 1, lanes) + _diagonally(laid, -1, lanes)
    return around.reshape(values.shape)


def _diagonally(laid: Tensor, right: int, lanes: Lanes) -> Tensor:
    """Values of the hexagons that are `right` columns further right and as many rows further up; [worlds, rows,
    columns].
    """
    there = laid.roll((-right, right), (2, 1))
    if lanes.grid.edges != "wrap":
        there.select(1, 0 if right > 0 else -1).zero_()
        there.select(2, -1 if right > 0 else 0).zero_()
    return there
