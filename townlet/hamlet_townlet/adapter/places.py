"""Where affordances are, and who used one, in HAMLET's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import NoReturn

import torch
from torch import Tensor

from hamlet import schema
from hamlet.env.environment import Env
from hamlet.env.write.places import place
from hamlet.errors import EnvError
from hamlet.schema.grid import cell_of
from hamlet.universe import Grid


class Affordances(MutableMapping[str, Tensor]):
    """Maps the name of a deployed affordance to its position [axes]; int64 on a grid and without a space, else f32.

    Assign a position to move the affordance; it stays there until the next reset.
    """

    def __init__(self, env: Env, before: Callable[[], None], after: Callable[[], None]) -> None:
        self._env = env
        self._names = tuple(item.name for item in env.universe.affordances)
        self._before = before
        self._after = after

    def __getitem__(self, name: str) -> Tensor:
        number = self._names.index(name) if name in self._names else None
        if number is None:
            raise KeyError(name)
        universe, rows = self._env.universe, len(schema.place_rows(self._env.universe))
        if rows == 0:
            if schema.axes(universe):
                raise EnvError(f"{universe.name} does not store places: write `places stored` in its space to see them")
            return torch.zeros(0, dtype=torch.int64, device=self._env.device)
        stored = self._env.state["places"][number * rows : (number + 1) * rows, 0]
        match universe.space:
            case Grid() as grid:
                return torch.stack(cell_of(tuple(stored.long()), grid))
            case _:
                return stored.clone()

    def __setitem__(self, name: str, position: Tensor) -> None:
        if name not in self._names:
            raise EnvError(f"the universe has no affordance {name!r}: {', '.join(self._names)}")
        if not schema.axes(self._env.universe):
            return
        self._before()
        place(self._env.universe, self._env.state.get("places"), name, position, None)
        self._after()

    def __delitem__(self, name: str) -> NoReturn:
        raise EnvError(f"affordance {name} belongs to the universe and cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Successes(Mapping[int, str]):
    """Maps the number of an agent to the name of the affordance that it used in a step.

    It looks at the device when it is asked, not before: a step need not wait for it.
    """

    def __init__(self, used: Tensor, vocabulary: tuple[str, ...]) -> None:
        self._used = used
        self._vocabulary = vocabulary
        self._by_agent: dict[int, str] | None = None

    def __getitem__(self, agent: int) -> str:
        return self._all()[agent]

    def __iter__(self) -> Iterator[int]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def _all(self) -> dict[int, str]:
        if self._by_agent is None:
            used = enumerate(self._used.tolist())
            self._by_agent = {agent: self._vocabulary[number] for agent, number in used if number != schema.NOWHERE}
        return self._by_agent
