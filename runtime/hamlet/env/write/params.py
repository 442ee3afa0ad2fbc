"""The params and the inputs of an environment, by name, held to their bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, NoReturn

import torch

from hamlet.arguments import dense, named
from hamlet.backend.buffers import Shape
from hamlet.env.interrupts import Whole
from hamlet.env.sealed import Sealed
from hamlet.env.write.bounds import Per, check_within
from hamlet.env.write.distributions import Distribution, Drawing, drawn, support
from hamlet.errors import EnvError
from hamlet.schema.bounds import number_bounds
from hamlet.universe import Input, Param


class Numbers(Sealed, MutableMapping[str, torch.Tensor]):
    """The params of an environment, or its inputs, by name: `env.params["hunger"]`, `env.inputs["price"]`.

    An entry is a view: [worlds] f32 of a param, [lanes] f32 of an input. Assign one number for all worlds or lanes, or
    a list, an array or a tensor with a number for each; those of an input may also have the shape (worlds, agents). A
    param also takes a distribution, such as `hamlet.Uniform(0.05, 0.3)`, of which each world draws a number at once.
    The numbers must lie within the bounds that the universe declares. Params and inputs keep their values over resets,
    also where a world starts its next episode by itself, and checkpoints hold them. `hamlet.make` and `Env.reset` take
    params too, and set them before episodes begin.

    You may also write into an entry in place, or into the same row of `Env.state`. The next `step`, `rollout`,
    `observe`, `reset`, `place`, `state_dict` or copy checks the new values; if one is out of bounds, it restores the
    old values and raises `EnvError`. `Env.check_given` does only that. The check relies on torch's version counter, so
    it reads no values and waits for no device unless something was written.

    The check misses writes that bypass torch: through `.numpy()`, `.data`, DLPack or a pointer, by another process, or
    by a CUDA graph of your own. In an environment made with `validate=False` inputs are not checked at all. The effect
    of a value out of bounds is then undefined, and meters may become NaN. Params are always checked.

    Example:
        worlds = hamlet.make(hamlet.compile("universes/shifts.hamlet"), worlds=4, backend="c", seed=1)
        for name in worlds.params:
            worlds.params[name] = worlds.params[name].tolist()
    """

    def __init__(
        self,
        held: Held,
        check: Callable[[], None],
        changed: Callable[[], None],
        drawing: Callable[[], Drawing],
        whole: Whole,
    ) -> None:
        """`check` is called before an assignment, `changed` after it, and both the assignment and that inside `whole`;
        `drawing` says what draws depend on now."""
        self._kind = held.kind
        self._rows = {item.name: row for row, item in enumerate(held.declared)}
        self._held = held
        self._drawing = drawing
        self._check = check
        self._changed = changed
        self._whole = whole
        self._seal()

    def __getitem__(self, name: str) -> torch.Tensor:
        return self._row(name)

    def __setitem__(self, name: str, value: Any) -> None:
        named(self._kind, name, self._rows)
        self.update({name: value})

    def update(self, *others: Any, **values: Any) -> None:
        """Assign several entries at once: all of them, or none if one is refused.

        Raises:
            EnvError: a name is unknown, or a value is not a number, has another shape or is out of bounds.
        """
        try:
            numbers = dict(*others, **values)
        except (TypeError, ValueError) as error:
            raise EnvError(f"{self._kind}s are updated by a dictionary of names and numbers") from error
        new = self._held.converted(numbers, self._drawing)
        self._check()
        with self._whole:
            self._held.write(new)
            if new:
                self._changed()

    def __delitem__(self, name: str) -> NoReturn:
        named(self._kind, name, self._rows)
        raise EnvError(f"{self._kind} {name} belongs to the universe and cannot be deleted")

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._rows

    def get(self, name: str, default: Any = None) -> Any:
        """The entry of this name, or the default if there is none."""
        return self._row(name) if name in self else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"{self._kind}s({', '.join(self._rows)})"

    def __reduce__(self) -> NoReturn:
        raise EnvError(f"the {self._kind}s of an environment cannot be copied or pickled: copy the environment")

    def _instead(self, name: str) -> str | None:
        if name in self._rows:
            return f'write env.{self._kind}s["{name}"]'
        names = ", ".join(self._rows)
        return f"the {self._kind}s are {names}" if names else f"the universe has no {self._kind}s"

    def _row(self, name: str) -> torch.Tensor:
        named(self._kind, name, self._rows)
        return self._held.rows[self._rows[name]]


class Held:
    """The values of params or inputs, and the check that they lie within their bounds.

    Attributes:
        kind: "param" or "input".
        declared: the declaration of each in the universe.
        checked: whether values are checked; if not, the methods below do nothing.
    """

    def __init__(
        self, kind: str, declared: Sequence[Param | Input], values: torch.Tensor | None, checked: bool, shape: Shape
    ) -> None:
        """`values` are the rows, [declared, worlds or lanes] f32; `None` where nothing is declared."""
        self.kind = kind
        self.declared = declared
        self._numbers = {item.name: row for row, item in enumerate(declared)}
        self._shape = shape
        self.checked = checked and values is not None
        self._values = torch.zeros(0, 0) if values is None else values
        self._before = self._values.clone() if self.checked else self._values
        self._version = self._values._version

    @property
    def rows(self) -> torch.Tensor:
        """The values, one row per declaration."""
        return self._values

    def converted(self, numbers: Mapping[str, Any], drawing: Callable[[], Drawing]) -> dict[str, torch.Tensor]:
        """Values as they can be copied into rows: f32 [], [worlds] or [lanes], within bounds.

        Raises:
            EnvError: a name is unknown, or a value is not a number, has another shape or is out of bounds.
        """
        return {name: self._converted(name, value, drawing) for name, value in numbers.items()}

    def write(self, new: Mapping[str, torch.Tensor], where: torch.Tensor | None = None) -> None:
        """Copy numbers from `converted` into rows; with `where`, a mask of bool, there alone."""
        with torch.no_grad():
            for name, numbers in new.items():
                row = self._values[self._numbers[name]]
                row.copy_(numbers if where is None else torch.where(where, numbers, row))
        self.taken()

    def _converted(self, name: str, value: Any, drawing: Callable[[], Drawing]) -> torch.Tensor:
        named(self.kind, name, self._numbers)
        row, declared = self._values[self._numbers[name]], self.declared[self._numbers[name]]
        if isinstance(value, Distribution) and self.kind == "param":
            check_numbers(self.kind, declared, support(value))
            (bounds,) = number_bounds((declared,))
            return drawn(value, name, drawing(), bounds.low, bounds.high)
        (count,), grouped = row.shape, (self._shape.worlds, self._shape.agents)
        new = dense(value, f"{self.kind} {name} takes numbers")
        if new.dtype is torch.bool:
            raise EnvError(f"{self.kind} {name} takes numbers, not {new.dtype}")
        if self.kind == "input" and tuple(new.shape) == grouped:
            new = new.reshape(count)
        if tuple(new.shape) not in ((), (count,)):
            raise EnvError(f"{self.kind} {name} takes a number or a tensor [{count}], not {list(new.shape)}")
        new = new.to(dtype=torch.float32, device=row.device)
        if self.checked:
            check_numbers(self.kind, declared, new)
        return new

    def check(self) -> None:
        """Check and accept values that were written in place.

        Raises:
            EnvError: a value is out of bounds; the old values of its row are restored.
        """
        if self._values._version != self._version and self.checked:
            self._settle()

    def check_others(self, values: torch.Tensor) -> None:
        """Raise `EnvError` unless these values, which a compiled graph passes instead of ours, lie within bounds."""
        if self.checked and values.data_ptr() != self._values.data_ptr():
            for row, item in zip(values, self.declared, strict=True):
                check_numbers(self.kind, item, row)

    def taken(self) -> None:
        """Accept the present values, which the caller has checked."""
        if self._values.requires_grad:
            # Somebody wrote a tensor that requires a gradient.
            self._values.detach_()
        if self.checked:
            self._before.copy_(self._values)
            self._version = self._values._version

    def _settle(self) -> None:
        if self._values.is_cuda and torch.cuda.is_current_stream_capturing():
            raise EnvError(
                f"{self.kind}s were written in place, and while a CUDA graph is recorded nobody can look at them: "
                "call env.check_given() before"
            )
        problem: EnvError | None = None
        with torch.no_grad():
            for row, before, item in zip(self._values, self._before, self.declared, strict=True):
                try:
                    check_numbers(self.kind, item, row)
                except EnvError as error:
                    row.copy_(before)
                    problem = problem or error
        self.taken()
        if problem is not None:
            raise EnvError(f"{problem}: it was written in place, and is what it was before")


def check_numbers(kind: str, declared: Param | Input, values: torch.Tensor) -> None:
    """Raise `EnvError` unless all values lie within the bounds of a param or an input (a NaN does not)."""
    per: Per = "world" if isinstance(declared, Param) else "lane"
    (bounds,) = number_bounds((declared,))
    check_within(f"{kind} {declared.name}", values, bounds, per)
