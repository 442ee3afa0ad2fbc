"""The arrays of a universe in C: what a caller reads and writes, and where they lie in its memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.schema.fields import Field
from hamlet.universe import Universe
from hamletc.export.names import constants

TYPES = {"f32": "float", "i32": "int32_t", "u32": "uint32_t", "bool": "uint8_t"}
"""Types of the header by those of fields."""
MOST_NAMED = 512
"""Rows of an array that have a constant each, at most."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of the header, and a comment behind it where its name is not that of the universe."""

    name: str
    remark: str

    @classmethod
    def each(cls, prefix: str, names: Sequence[str]) -> tuple[Constant, ...]:
        """A constant for each name; none where they are too many to be asked for by name."""
        if len(names) > MOST_NAMED:
            return ()
        return tuple(map(cls, constants(prefix, names), map(_remark, names)))


@dataclass(frozen=True, slots=True)
class Array:
    """An array that a caller has.

    Attributes:
        dtype: of its elements: f32, i32, u32, bool.
        rows: their names; `None` where there is one row without a name.
        columns: how many columns it has: `lanes` or `worlds`. Element (row, column) is the one at
            `row * columns + column`, or, with a pitch, at `column * pitch + row`.
        pitch: not 0 where the numbers of a column lie side by side: the elements from a column to the next.
        says: what it holds.
        constants: those of its rows in the header, each with a comment; empty where nobody asks for one.
        digested: whether a digest looks at it.
        past: what is in it before anything has happened, in C; empty where an episode fills it.
    """

    name: str
    dtype: str
    rows: tuple[str, ...] | None
    columns: str
    pitch: int
    says: str
    constants: tuple[Constant, ...] = ()
    digested: bool = True
    past: str = ""

    @property
    def type(self) -> str:
        """The type of its elements in the header."""
        return TYPES[self.dtype]

    @property
    def shape(self) -> str:
        """How it lies in memory."""
        columns = f"[{self.columns}]"
        if self.pitch:
            return f"{columns}[{self.pitch}]"
        return columns if self.rows is None else f"[{len(self.rows)}]{columns}"

    @property
    def element(self) -> str:
        """The type of its elements in kernels."""
        return "bool8" if self.dtype == "bool" else self.dtype

    @property
    def height(self) -> int:
        """How many elements a column has, but for those that fill it up to the pitch."""
        return 1 if self.rows is None else len(self.rows)

    @property
    def turns(self) -> bool:
        """Whether callers get it with the numbers of a lane side by side, too: it has several rows, one behind the
        other."""
        return self.rows is not None and self.columns == "lanes" and not self.pitch

    @property
    def count(self) -> str:
        """How many elements it has, in C."""
        each = self.pitch or (1 if self.rows is None else len(self.rows))
        return f"{each} * self->{self.columns}"


def arrays(universe: Universe, prefix: str) -> tuple[Array, ...]:
    """State, then outcomes, then observations and masks. The names of constants begin with the prefix."""
    return tuple(_arrays(universe, prefix))


def _arrays(universe: Universe, prefix: str) -> Iterator[Array]:
    for field in schema.state_fields(universe):
        says = "state, which you may write within bounds" if field.written_by_users else "state"
        yield _array(field, says, prefix, "")
    for field in schema.outcome_fields(universe):
        yield _array(field, "of the last tick", prefix, "-1" if field.name in ("used", "cause") else "0")
    rows = schema.observation_names(universe)
    each = Constant.each(f"{prefix}_observation", rows)
    yield Array("observation", "f32", rows, "lanes", 0, "what each agent observes", each, digested=False)
    says = "the last observation of the episode that each agent finished most recently"
    yield Array("final_observation", "f32", rows, "lanes", len(rows), says, digested=False, past="0")
    actions = tuple(schema.action_names(universe))
    yield Array("mask", "bool", actions, "lanes", 0, "1 where an action is allowed", digested=False)


def _array(field: Field, says: str, prefix: str, past: str) -> Array:
    columns = "lanes" if field.per == "lane" else "worlds"
    each = Constant.each(f"{prefix}_{field.name}", field.rows or ())
    return Array(field.name, field.dtype, field.rows, columns, field.pitch, says, each, past=past)


def _remark(name: str) -> str:
    """A comment with a name that no constant can have."""
    if re.fullmatch(r"\w+", name, re.ASCII):
        return ""
    return f" /* {re.sub(r'[^ -~]|(?<=[*])/', '_', name)} */"


@dataclass(frozen=True, slots=True)
class Default:
    """The first contents of a row of an array that users write: a number of binary32."""

    array: str
    row: int
    columns: str
    value: float


def defaults(universe: Universe) -> Iterator[Default]:
    """The contents of the arrays that users write, at first."""
    columns = {field.name: "lanes" if field.per == "lane" else "worlds" for field in schema.state_fields(universe)}
    written = (
        ("params", [param.default for param in universe.params]),
        ("inputs", [each.default for each in universe.inputs]),
        ("controls", [min(max(each.low, 0.0), each.high) for each in universe.controls]),
    )
    for name, values in written:
        for row, value in enumerate(values):
            yield Default(name, row, columns[name], round32(value))
