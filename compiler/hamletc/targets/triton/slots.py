"""State values as Triton kernels hold them: their names, where they are in memory, how an episode begins."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet import schema
from hamlet.schema import abi
from hamlet.universe import Universe
from hamletc.kernel.body import identifier, unique
from hamletc.kernel.code import Constant, Expression, Name, Operand, expression
from hamletc.targets.triton.blocks import cast, same_bits

FETCHED = ("places", "streaks", "seen")
"""Fields that stay in memory: there may be many rows, and a tick changes few of them or none."""

BOOL = ".to(tl.int1)"
"""How a loaded byte becomes a truth value."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A state value that a kernel holds per lane.

    Attributes:
        name: in the contract of functions: `meter.energy`.
        variable: in kernels: `meter_energy`. An author's name has its kind before it, so it meets no other name; where
            two would look alike, a number follows.
        field, row: where it is in memory: a row of the array of a field.
        address: of that.
        load, store: how a loaded and a stored value are converted.
        other: what lanes beyond the last one hold.
        given: ticks and resets do not change it.
        fetched: it stays in memory and is loaded where it is needed; the others are in registers.
    """

    name: str
    variable: str
    field: str
    row: int
    address: str
    load: str
    store: str
    other: str
    given: bool
    fetched: bool
    per: schema.Per

    @property
    def nothing(self) -> Constant:
        """What lanes beyond the last one hold."""
        return Constant(0.0 if self.other == "0.0" else 0)

    def read(self, value: Expression) -> Expression:
        """What is held of a loaded value."""
        if self.load == BOOL:
            return value.method("to", "tl.int1")
        return value.method("to", "tl.uint32", bitcast=True) if self.load else value

    def written(self, value: Operand) -> Expression:
        """What is stored of a value that is held."""
        held = expression(value)
        return held.method("to", "tl.int32", bitcast=True) if self.store else held

    @property
    def whole(self) -> bool:
        """Whether it is an i32."""
        return not self.load and self.other == "0"

    @property
    def word(self) -> Expression:
        """The value as an i32, all of whose bits follow from it."""
        value = Name(self.variable)
        if self.whole:
            return value
        return cast(value, "int32") if self.load == BOOL else same_bits(value, "int32")


def slots(universe: Universe) -> tuple[Slot, ...]:
    """The state of a lane and its world, in the order of the state arrays."""
    taken = {f"{name}_ptr" for name in abi.array_arguments(universe, "rollout")}
    result = []
    for field in (each for each in schema.state_fields(universe) if not each.pitch):
        width, index = ("lanes", "lane") if field.per == "lane" else ("worlds", "world")
        load = store = ""
        if field.name == "layout":
            load, store = ".to(tl.uint32, bitcast=True)", ".to(tl.int32, bitcast=True)"
        elif field.dtype == "bool":
            load = BOOL
        other = "0.0" if field.dtype == "f32" else "0"
        fetched = field.name in FETCHED
        for row, name in enumerate(field.names):
            kind, _, author = name.partition(".")
            variable = unique(f"{kind}_{identifier(author)}" if author else name, taken)
            address = f"{field.name}_ptr + {offset(row, width)}{index}"
            place = (field.name, row, address)
            result.append(Slot(name, variable, *place, load, store, other, field.given, fetched, field.per))
    return tuple(result)


def address_after(previous: Slot | None, slot: Slot, of: str = "") -> str:
    """The assignment of the address of a slot, by that of the slot before it in its array; else by the number of its
    lane or world, in the variable of that name before `of`: products of all rows would take registers."""
    if previous is not None and (previous.field, previous.row) == (slot.field, slot.row - 1):
        return f"row += {slot.per}s"
    return f"row = {slot.address}{of}"


def offset(row: int, width: str = "lanes") -> str:
    """What leads to a row of a field-major array."""
    return f"{row} * {width} + " if row else ""
