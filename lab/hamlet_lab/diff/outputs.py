"""Which output of which function a row of an array is."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet import schema
from hamlet.universe import Universe
from hamlet_lab.verify.arrays import Difference
from hamletc.ir.function import Program


@dataclass(frozen=True, slots=True)
class Place:
    """An output of a function, and the element of it."""

    function: str
    output: str
    element: int = 0


def output_of(universe: Universe, program: Program, difference: Difference) -> Place | None:
    """The output that gives the row of a difference in a tick; `None` where no function does."""
    match difference.array:
        case "observation":
            return _element(universe, difference.row)
        case "mask":
            number = schema.action_names(universe).index(difference.row)
            for output in program.function("mask").outputs:
                if number < (output.count or 1):
                    return Place("mask", output.name, number)
                number -= output.count or 1
            return None
        case "reports":
            return Place("tick", f"report.{difference.row}")
        case array:
            rows = {field.name: dict(zip(field.rows or ("",), field.names, strict=True)) for field in _fields(universe)}
            name = rows.get(array, {}).get(difference.row)
            given = {output.name for output in program.function("tick").outputs}
            return Place("tick", name) if name in given and name is not None else None


def _element(universe: Universe, row: str) -> Place:
    number = schema.observation_names(universe).index(row)
    segment = next(each for each in schema.observation_segments(universe) if number < each.offset + each.count)
    return Place("observe", segment.name, number - segment.offset)


def _fields(universe: Universe) -> tuple[schema.Field, ...]:
    return (*schema.state_fields(universe), *schema.outcome_fields(universe))
