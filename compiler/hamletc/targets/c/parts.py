"""Large functions in parts: LLVM takes more than twice as long for twice as long a function.

A large function is cut into parts, each a function of its own, which run one after the other. A part fetches what it
uses from memory, and writes there what later parts use: results in their place as soon as nobody needs what is there,
other values in rows that are used again once all parts that read them have run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TypeAlias

from hamlet.frozen import dataclass
from hamletc.ir.function import Program
from hamletc.ir.operands import operands
from hamletc.ir.ops import Fetch, Fold, Input, Lookup, Type, Value
from hamletc.kernel.body import Body, Line
from hamletc.kernel.code import Code, Compute, Do, assign, do
from hamletc.kernel.expressions import Expression, Name, call, expression

LARGE = 3000
"""Nodes of a program that is cut, and with it all its functions; what finds situations does not count."""

MANY_INPUTS = 96
"""A tick of more inputs is cut, too: they are rows of arrays then, which compile faster than arrays of their own."""

ITEMS = 300
"""Lines and results in a part."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is in memory: the array that a variable holds, a row of it, and the index of the lane.

    Attributes:
        stride: the variable with the elements from one row to the next; `None` where rows are single elements.
        index: the variable with the lane's index; `None` where the row has one element.
    """

    variable: str
    row: int
    stride: str | None = None
    index: str | None = "lane"

    @property
    def _address(self) -> tuple[Expression, Expression, Expression]:
        row = expression(self.row)
        offset = row if self.stride is None else row * Name(self.stride)
        return Name(self.variable), offset, expression(0 if self.index is None else self.index)

    @property
    def fetched(self) -> Expression:
        """The value."""
        return call("fetch", *self._address)

    def written(self, value: Expression) -> Do:
        """The statement that writes a value."""
        return do("write", *self._address, value)


@dataclass(frozen=True, slots=True)
class Part:
    """A part: its parameters, which are also its arguments, and its statements."""

    name: str
    parameters: list[str]
    body: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """A function in parts: the parameters of all together, and how many rows it writes values to, by type."""

    parts: list[Part]
    parameters: list[str]
    rows: Mapping[Type, int]


@dataclass(frozen=True, slots=True)
class _Store:
    """Write a value to a place."""

    value: Value
    place: Place


@dataclass(frozen=True, slots=True)
class _Copy:
    """Fetch an input, which is a result under another name, before its place gets another value."""

    value: Value


_Item: TypeAlias = "Line | _Store | _Copy"


def is_large(program: Program) -> bool:
    """Whether the functions of a program are to be cut."""
    inputs = sum(isinstance(node.op, Input) for node in program.function("tick").nodes)
    counted = (len(function.nodes) for function in program.functions if function.name != "situation")
    return inputs > MANY_INPUTS or sum(counted) > LARGE


def held(type_: Type) -> str:
    """The variable of the array in which functions hold values of a type."""
    return f"held_{type_.value}"


@dataclass(slots=True)
class _Cutter:
    """Cuts a body.

    Attributes:
        places: of inputs; others are parameters.
        results: values and where they belong.
        expression: a value where lines stand that define it: its name, or a constant of its type.
        passed: names a table, or `None` for one that is no argument.
    """

    printed: Body
    places: Mapping[str, Place]
    results: Sequence[tuple[Value, Place]]
    expression: Callable[[Value], Expression]
    passed: Callable[[str], str | None]
    homes: dict[Value, Place] = field(default_factory=dict)
    free: dict[Type, list[int]] = field(default_factory=lambda: defaultdict(list))
    rows: dict[Type, int] = field(default_factory=lambda: defaultdict(int))

    def cut(self, name: str) -> Cut:
        """The parts."""
        for value, node in enumerate(self.printed.function.nodes):
            if isinstance(node.op, Input) and value in self.printed.names and node.op.name in self.places:
                self.homes[value] = self.places[node.op.name]
        inputs = set(self.homes)
        items = self._items()
        groups = [items[first : first + ITEMS] for first in range(0, len(items), ITEMS)]
        last_use: dict[Value, int] = {}
        for number, group in enumerate(groups):
            for item in group:
                last_use |= dict.fromkeys(self._uses(item), number)
        ends: dict[int, list[Value]] = defaultdict(list)
        for value, number in last_use.items():
            if value not in inputs:
                ends[number].append(value)
        parts = []
        for number, group in enumerate(groups):
            parts.append(self._part(f"_part_{number}_of_{name}", group, number, last_use))
            for value in ends[number]:
                place = self.homes.get(value)
                if place is not None and place.index == "held":
                    self.free[self.printed.type(value)].append(place.row)
        parameters = list(dict.fromkeys(each for part in parts for each in part.parameters))
        return Cut(parts, parameters, dict(self.rows))

    # --- what happens in which order ---------------------------------------------------------------------------------

    def _items(self) -> list[_Item]:
        """Lines, and results as soon as they are known and nobody needs what is in their place."""
        lines = self.printed.lines
        defined = {value: number for number, line in enumerate(lines) for value in self._defines(line)}
        read: dict[Place, int] = {}
        for number, line in enumerate(lines):
            for value in self._uses(line):
                if value in self.homes:
                    read[self.homes[value]] = number
        results = [(value, place) for value, place in self.results if self.homes.get(value) != place]
        copied = dict.fromkeys(value for value, _ in results if value in self.homes)
        last = max(len(lines) - 1, 0)
        read |= dict.fromkeys((self.homes[value] for value in copied), last)
        after: dict[int, list[_Item]] = defaultdict(list)
        after[last] += [_Copy(value) for value in copied]
        for value, place in results:
            known = last if value in copied else defined.get(value, 0)
            after[max(known, read.get(place, 0))].append(_Store(value, place))
        items: list[_Item] = []
        for number, line in enumerate(lines):
            items += [line, *after[number]]
        return items if lines else list(after[0])

    def _defines(self, item: _Item) -> list[Value]:
        """The values that an item makes: all results of a loop at once."""
        match item:
            case Line(name=name, value=value):
                if not isinstance(op := self.printed.op(value), Fold):
                    return [value]
                names = set(name.split(", "))
                return [
                    other
                    for other, known in self.printed.names.items()
                    if known in names
                    and isinstance(fold := self.printed.op(other), Fold)
                    and fold.function == op.function
                ]
            case _:
                return []

    def _uses(self, item: _Item) -> dict[Value, None]:
        """The named values that an item needs."""
        match item:
            case Line(value=value):
                return dict.fromkeys(self._named(operands(self.printed.op(value))))
            case _Store(value=value) | _Copy(value=value):
                return dict.fromkeys(self._named((value,)))

    def _named(self, values: Iterable[Value]) -> Iterable[Value]:
        for value in values:
            if value in self.printed.names:
                yield value
            else:
                yield from self._named(operands(self.printed.op(value)))

    # --- a part ------------------------------------------------------------------------------------------------------

    def _part(self, name: str, group: Sequence[_Item], number: int, last_use: Mapping[Value, int]) -> Part:
        """A part; notes where it leaves what others use."""
        here: set[Value] = set()
        stored = {item.value: item.place for item in group if isinstance(item, _Store)}
        needed: dict[str, None] = {}
        body: list[Code] = []
        moved: dict[Value, Place] = {}

        def leave(value: Value) -> None:
            """Leave a value for later parts, where it is no result that this part writes."""
            if last_use.get(value, number) > number and value not in stored:
                self.homes[value] = self._row(self.printed.type(value))
                write(self.homes[value], value)

        def write(place: Place, value: Value) -> None:
            needed[place.variable] = None
            body.append(place.written(self.expression(value)))

        for item in group:
            for value in self._uses(item):
                if value in here:
                    continue
                here.add(value)
                place = self.homes.get(value)
                if place is None:
                    needed[self.printed.names[value]] = None
                else:
                    needed[place.variable] = None
                    body.append(assign(self.printed.names[value], place.fetched))
            match item:
                case Line():
                    body.append(Compute(self.printed.function.name, (item,)))
                    needed.update(dict.fromkeys(self._tables(item.value)))
                    for value in self._defines(item):
                        here.add(value)
                        leave(value)
                case _Copy(value=value):
                    del self.homes[value]
                    leave(value)
                case _Store(value=value, place=place):
                    write(place, value)
                    if value in self.printed.names:
                        moved[value] = place
        self.homes |= {value: place for value, place in moved.items() if value not in self.homes}
        return Part(name, ["lane", "held", *needed], tuple(body))

    def _tables(self, value: Value) -> list[str]:
        """The tables that are passed for a line."""
        found: list[str] = []
        waiting = [value]
        while waiting:
            each = waiting.pop()
            op = self.printed.op(each)
            if isinstance(op, Lookup):
                found.append(op.table)
            elif isinstance(op, Fetch):
                found.append(op.array)
            elif isinstance(op, Fold):
                found += op.tables
            waiting += [operand for operand in operands(op) if operand not in self.printed.names]
        return [passed for table in found if (passed := self.passed(table)) is not None]

    def _row(self, type_: Type) -> Place:
        """A row that nobody uses."""
        free = self.free[type_]
        if free:
            number = free.pop()
        else:
            number = self.rows[type_]
            self.rows[type_] += 1
        return Place(held(type_), number, "WIDE", "held")


def cut(
    printed: Body,
    places: Mapping[str, Place],
    results: Sequence[tuple[Value, Place]],
    expression: Callable[[Value], Expression],
    passed: Callable[[str], str | None],
) -> Cut:
    """A function in parts; see `_Cutter`."""
    return _Cutter(printed, places, results, expression, passed).cut(printed.function.name)
