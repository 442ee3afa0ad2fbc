"""Groups of an observation: which of its values they are, and the shape in which they are handed out."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Literal, TypeVar

from hamlet.frozen import dataclass
from hamlet.schema.observed import Segment, common_segments, role_segments
from hamlet.universe import Observation, ObservedGroup, Role, Universe
from hamlet.universe.observations import IMAGE_AXES, plane_of, rows_of

Rows = TypeVar("Rows", bound=Any)
"""Tensors or arrays."""


@dataclass(frozen=True, slots=True)
class Group:
    """A group that the author names.

    Attributes:
        name: as the universe has it.
        kind: `values`, `image`, `discrete` or `text`.
        offset: the number of its first value in the observation.
        shape: (values), of an image (channels, height, width) in the order of its axes, of a discrete number and of one
            that chooses a text (), of a text that is always the same (0).
        channels: the names of the channels of an image.
        low, high: the least and the greatest of the discrete number; else of all values.
        numbers: `int`, `discrete` or `tuple` where adapters hand them out as whole numbers; `None` of a discrete number
            alone, and of others, which have the type of observations.
        axes: of an image.
        texts: of a text, one for each number from `low` on.
    """

    name: str
    kind: Literal["values", "image", "discrete", "text"]
    offset: int
    shape: tuple[int, ...]
    channels: tuple[str, ...]
    low: float
    high: float
    numbers: Literal["int", "discrete", "tuple"] | None = None
    axes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def dtype(self) -> Literal["uint8", "int32", "int64"] | None:
        """The type in which adapters hand it out; `None`: that of observations. Integers are bytes where all lie in
        0 .. 255."""
        if self.kind in ("discrete", "text") or self.numbers in ("discrete", "tuple"):
            return "int64"
        if self.numbers is None:
            return None
        return "uint8" if self.low >= 0 and self.high <= 255 else "int32"

    @property
    def count(self) -> int:
        """How many values of the observation it is."""
        return prod(self.shape)

    def of(self, rows: Rows) -> Rows:
        """The group [..., *shape] of observations [..., values]: a view, of a tensor or of an array of numpy."""
        part = rows[..., self.offset : self.offset + self.count]
        leading = rows.shape[:-1]
        if not self.axes:
            return part.reshape((*leading, *self.shape))  # type: ignore[no-any-return]
        sizes = dict(zip(self.axes, self.shape, strict=True))
        part, axes = part.reshape((*leading, *(sizes[axis] for axis in IMAGE_AXES))), list(IMAGE_AXES)
        for place, axis in enumerate(self.axes):
            other = axes.index(axis)
            part = part.swapaxes(len(leading) + place, len(leading) + other)
            axes[place], axes[other] = axes[other], axes[place]
        return part  # type: ignore[no-any-return]


def observation_groups(universe: Universe, role: Role | None = None) -> tuple[Group, ...]:
    """The groups that all agents observe, then those of a role; empty where none is named."""
    common = list(_groups(universe, universe.groups, universe.observations, common_segments(universe)))
    if role is None:
        return tuple(common)
    segments = role_segments(universe, role)[len(common_segments(universe)) :]
    return (*common, *_groups(universe, role.groups, role.observations, segments))


def _groups(
    universe: Universe,
    groups: tuple[ObservedGroup, ...],
    observations: tuple[Observation, ...],
    segments: tuple[Segment, ...],
) -> Iterator[Group]:
    items, left = iter(observations), iter(segments)
    end = segments[0].offset if segments else 0
    for group in groups:
        own = [next(items) for _ in range(group.items)]
        parts = [next(left) for item in own for _ in rows_of(item, universe)]
        count, shape, channels = sum(part.count for part in parts), tuple[int, ...](), tuple[str, ...]()
        match group.form:
            case "values":
                shape = (count,)
            case "image":
                plane = plane_of(own[0], universe.space)
                assert plane is not None
                sizes = dict(zip(IMAGE_AXES, (len(parts), *plane), strict=True))
                shape = tuple(sizes[axis] for axis in group.axes or IMAGE_AXES)
                channels = tuple(part.name for part in parts)
            case "text":
                shape = () if parts else (0,)
            case "discrete":
                pass
        low = min((part.scale.low for part in parts), default=0.0)
        high = max((part.scale.high for part in parts), default=0.0)
        offset = parts[0].offset if parts else end
        end = offset + count
        yield Group(group.name, group.form, offset, shape, channels, low, high, group.numbers, group.axes, group.texts)
