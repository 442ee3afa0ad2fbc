"""The rows that `observe` and `mask` write: single ones, and those that one function computes one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet import schema
from hamletc.ir.ops import Input, Type
from hamletc.targets.body import identifier, unique
from hamletc.targets.numba.functions import Functions, outside, shared

LOCALS = {type_: f"local_{type_.value}(LANES)" for type_ in Type}


@dataclass(frozen=True, slots=True)
class Single:
    """What a function gives for a lane: a row of what it writes, or (without a row) what repeated rows share. `scale`:
    how an observed row becomes bytes."""

    variable: str
    make: str
    text: str
    row: int | None
    scale: str = ""


@dataclass(frozen=True, slots=True)
class Repeated:
    """Rows that one function computes: its text, and how it is called for a lane. `row` is the first, `scale` as in
    `Single`."""

    function: str
    row: int
    count: int
    parameters: list[str]
    arguments: list[str]
    lines: str
    text: str
    scale: str


def singles(functions: Functions, function: str) -> list[Single]:
    """The single rows of what it writes."""
    make = "local_bool(LANES)" if function == "mask" else "local_f32(LANES)"
    offsets, scales = functions.offsets, functions.scales
    taken: set[str] = set()
    names = [output.name for output in functions.bodies[function].outputs]
    return [
        Single(_variable(functions, function, name, taken), make, text, offsets[name], scales.get(name, ""))
        for name, text in zip(names, functions.results(function), strict=True)
    ]


def _variable(functions: Functions, function: str, output: str, taken: set[str]) -> str:
    """The array of a chunk for a single row: `observed_meter_energy`, `action_UP`."""
    if function == "mask":
        name = f"action.{schema.action_names(functions.universe)[functions.offsets[output]]}"
    else:
        name = f"observed.{output}"
    return unique(identifier(name), taken)


def shared_by_rows(functions: Functions, function: str) -> list[Single]:
    """What the rows of loops need and no element changes, inputs left out."""
    printed = functions.bodies[function]
    return [
        Single(f"shared_{printed.names[value]}", LOCALS[printed.type(value)], printed.names[value], None)
        for value in shared(printed)
    ]


def repeated(functions: Functions, function: str) -> list[Repeated]:
    """The repeated rows of what it writes."""
    printed, tables = functions.bodies[function], functions.tables_of(function)
    result = []
    for loop in printed.loops:
        values = outside(printed, loop)
        chunks = [
            functions.held[op.name].element
            if isinstance(op := printed.op(value), Input)
            else f"shared_{printed.names[value]}[lane]"
            for value in values
        ]
        output = identifier(loop.output)
        result.append(
            Repeated(
                function=f"_{output}" if function == "mask" else f"_observe_{output}",
                row=functions.offsets[loop.output],
                count=loop.count,
                parameters=[loop.element, *(printed.names[value] for value in values), *tables],
                arguments=["i32(element)", *chunks, *tables],
                lines=functions.lines(function, loop),
                text=functions.formatters[function].typed(loop.value),
                scale=functions.scales.get(loop.output, ""),
            )
        )
    return result
