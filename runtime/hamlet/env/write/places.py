"""`Env.place`: writing the stored places of affordances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from hamlet import schema
from hamlet.arguments import dense, named, worlds_by_number
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
    where = worlds_by_number(worlds, places.shape[1])
    axes = schema.axes(universe)
    expected = f"a place is {len(axes)} numbers ({', '.join(axes)}), or a tensor [{len(where)}, {len(axes)}]"
    numbers = _numbers(position, expected)
    if tuple(numbers.shape) not in ((len(axes),), (len(where), len(axes))):
        raise EnvError(f"{expected}, not {list(numbers.shape)}")
    parts = _parts(universe, numbers.expand(len(where), len(axes)).T)
    rows = len(schema.place_rows(universe))
    first = names.index(affordance) * rows
    places[first : first + rows, where.to(places.device)] = parts.to(device=places.device, dtype=places.dtype)


def _numbers(value: Any, expected: str) -> torch.Tensor:
    numbers = dense(value, expected)
    if numbers.dtype is torch.bool:
        raise EnvError(f"{expected}, not {numbers.dtype}")
    return numbers.to(device="cpu", dtype=torch.float64)


def _parts(universe: Universe, coordinates: torch.Tensor) -> torch.Tensor:
    """Places f64 [axes, n] as they are stored: the words of their cells, or their coordinates."""
    match universe.space:
        case Grid() as grid:
            for axis, x, size in zip(schema.axes(universe), coordinates, grid.sizes, strict=True):
                if not bool(((x >= 0) & (x < size) & (x == x.floor())).all()):
                    wrong = next(each for each in x.tolist() if not (0 <= each < size and each == int(each)))
                    raise EnvError(f"{axis} of a place is a whole number in 0 .. {size - 1}, not {wrong:g}")
            cells = torch.stack(words(tuple(coordinates.long()), grid))
            walls = () if grid.map is None else grid.map.cells(grid.map.walls)
            if bool(torch.isin(cells, torch.tensor(walls, dtype=cells.dtype, device=cells.device)).any()):
                raise EnvError("a place is on no wall of the map")
            return cells
        case Continuous(axes=axes):
            rounded = coordinates.to(torch.float32)
            for axis, x, bounds in zip(schema.axes(universe), rounded, axes, strict=True):
                low, high = torch.tensor([bounds.low, bounds.high], dtype=torch.float32)
                if not bool(((x >= low) & (x <= high)).all()):
                    wrong = next(each for each in x.tolist() if not bounds.low <= each <= bounds.high)
                    raise EnvError(f"{axis} of a place must lie in {bounds.low:g} .. {bounds.high:g}, not {wrong:g}")
            return rounded
        case _:
            raise ValueError("places are stored in a space only")
