"""State values as Triton kernels hold them: their names, their types, and where they are in memory."""

from __future__ import annotations

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.schema import abi
from hamlet.schema.bounds import Bounds
from hamlet.universe import Universe
from hamletc.ir.ops import Type
from hamletc.kernel.body import identifier, unique
from hamletc.kernel.expressions import Constant, Expression, Name, Operand, expression
from hamletc.targets.triton.blocks import cast, same_bits

FETCHED = ("places", "streaks", "seen")
"""Fields that stay in memory: there may be many rows, and a tick changes few of them or none."""

TYPES = {"f32": Type.F32, "i32": Type.I32, "bool": Type.BOOL}
"""The types of values, by those of arrays."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A state value that a kernel holds per lane.

    Attributes:
        name: in the contract of functions: `meter.energy`.
        variable: in kernels: `meter_energy`. An author's name has its kind before it, so it meets no other name; where
            two would look alike, a number follows.
        field, row: where it is in memory: a row of the array of a field.
        type: in registers; memory has u32 as i32, and a truth value as a byte.
        given: ticks and resets do not change it.
        fetched: it stays in memory and is loaded where it is needed; the others are in registers.
        per: what has it, a lane or a world.
        beyond: what lanes beyond the last one hold, which are computed like all others: a number within the bounds of
            the value, since some of these say where memory is read.
    """

    name: str
    variable: str
    field: str
    row: int
    type: Type
    given: bool
    fetched: bool
    per: schema.Per
    beyond: Constant

    def read(self, value: Expression) -> Expression:
        """What is held of a loaded value."""
        match self.type:
            case Type.BOOL:
                return cast(value, "int1")
            case Type.U32:
                return same_bits(value, "uint32")
            case _:
                return value

    def written(self, value: Operand) -> Expression:
        """What is stored of a value that is held."""
        return same_bits(value, "int32") if self.type is Type.U32 else expression(value)

    @property
    def word(self) -> Expression:
        """The value as an i32, all of whose bits follow from it."""
        return word(self.variable, self.type)


def word(variable: str, type_: Type) -> Expression:
    """The value of a variable as an i32, all of whose bits follow from it."""
    match type_:
        case Type.I32:
            return Name(variable)
        case Type.BOOL:
            return cast(variable, "int32")
        case Type.F32 | Type.U32:
            return same_bits(variable, "int32")


def nearest_to_zero(bounds: Bounds) -> float:
    """The number within bounds that is nearest to 0."""
    return min(max(0.0, bounds.low), bounds.high)


def slots(universe: Universe) -> tuple[Slot, ...]:
    """The state of a lane and its world, in the order of the state arrays."""
    taken = {f"{name}_ptr" for name in abi.array_arguments(universe, "rollout")}
    result = []
    for field in (each for each in schema.state_fields(universe) if not each.pitch):
        type_ = Type.U32 if field.name == "layout" else TYPES[field.dtype]
        fetched = field.name in FETCHED
        for row, name in enumerate(field.names):
            kind, _, author = name.partition(".")
            variable = unique(f"{kind}_{identifier(author)}" if author else name, taken)
            least = 0.0 if field.bounds is None else nearest_to_zero(field.bounds[row])
            beyond = Constant(least if type_ is Type.F32 else int(least))
            given = field.written_by_users
            result.append(Slot(name, variable, field.name, row, type_, given, fetched, field.per, beyond))
    return tuple(result)
