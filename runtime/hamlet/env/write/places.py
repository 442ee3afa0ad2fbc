"""`Env.place`: writing the stored places of affordances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from hamlet import schema
from hamlet.arguments import by_number, dense, named
from hamlet.errors import EnvError
from hamlet.schema.grid import words
from hamlet.universe import Continuous, Grid, Universe


def place(
    universe: Universe,
    places: torch.Tensor | None,
    affordance: str,
    position: Sequence[float] | torch.Tensor,
    worlds: Sequence[int] | torch.Tensor | None,
) -> None:
    """Write the places [rows, worlds] of an affordance; see `hamlet.env.environment.Env.place`.

    Raises:
        EnvError: an argument is wrong. Nothing was changed.
    """
    names = [item.name for item in universe.affordances]
    if places is None:
        raise EnvError(f"{universe.name} does not store places: write `places stored` in its space to choose them")
    named("affordance", affordance, names)
    moving = universe.affordances[names.index(affordance)].moving
    if moving:
        meters = " and ".join(f"env.set({meter!r}, ...)" for meter in moving)
        raise EnvError(f"{affordance} moves: {meters} say where it is")
    where = by_number("worlds", worlds, places.shape[1])
    axes = schema.axes(universe)
    expected = f"a place is {len(axes)} numbers ({', '.join(axes)}), or a tensor [{len(where)}, {len(axes)}]"
    numbers = coordinates(position, expected)
    if tuple(numbers.shape) not in ((len(axes),), (len(where), len(axes))):
        raise EnvError(f"{expected}, not {list(numbers.shape)}")
    there = inside(universe, numbers.expand(len(where), len(axes)).T, "a place")
    parts = torch.stack(words(there, universe.space) if isinstance(universe.space, Grid) else there)
    rows = len(schema.place_rows(universe))
    first = names.index(affordance) * rows
    places[first : first + rows, where.to(places.device)] = parts.to(device=places.device, dtype=places.dtype)


def coordinates(value: Any, expected: str) -> torch.Tensor:
    """Coordinates as a caller gives them, f64 on the CPU.

    Raises:
        EnvError: they are no numbers; `expected` begins the message.
    """
    numbers = dense(value, expected)
    if numbers.dtype is torch.bool:
        raise EnvError(f"{expected}, not {numbers.dtype}")
    return numbers.to(device="cpu", dtype=torch.float64)


def inside(universe: Universe, numbers: torch.Tensor, what: str) -> tuple[torch.Tensor, ...]:
    """Numbers f64 [axes, n] as positions are stored: i32 on a grid, else f32; `what` they are of.

    Raises:
        EnvError: some are outside the space, are no cell, or are on a wall.
    """
    match universe.space:
        case Grid() as grid:
            for axis, x, size in zip(schema.axes(universe), numbers, grid.sizes, strict=True):
                if not bool(((x >= 0) & (x < size) & (x == x.floor())).all()):
                    wrong = next(each for each in x.tolist() if not (0 <= each < size and each == int(each)))
                    raise EnvError(f"{axis} of {what} is a whole number in 0 .. {size - 1}, not {wrong:g}")
            position = tuple(numbers.to(torch.int32))
            walls = () if grid.map is None else grid.map.cells(grid.map.walls)
            if walls and bool(torch.isin(words(position, grid)[0].long(), torch.tensor(walls)).any()):
                raise EnvError(f"{what} is on no wall of the map")
            return position
        case Continuous(axes=axes):
            rounded = numbers.to(torch.float32)
            for axis, x, bounds in zip(schema.axes(universe), rounded, axes, strict=True):
                low, high = torch.tensor([bounds.low, bounds.high], dtype=torch.float32)
                if not bool(((x >= low) & (x <= high)).all()):
                    wrong = next(each for each in x.tolist() if not bounds.low <= each <= bounds.high)
                    raise EnvError(f"{axis} of {what} must lie in {bounds.low:g} .. {bounds.high:g}, not {wrong:g}")
            return tuple(rounded)
        case _:
            raise EnvError(f"{universe.name} has no space, and nobody a position")
