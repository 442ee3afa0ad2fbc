"""The rows that `observe` and `mask` write: single ones, and those that one function computes one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet import schema
from hamletc.ir.ops import Const, Input, Type
from hamletc.kernel.body import held_name, identifier, remarks
from hamletc.targets.known_rows import KnownRows
from hamletc.targets.numba.bindings import Bindings, outside, shared
from hamletc.targets.numba.formatter import literal

LOCALS = {type_: f"local_{type_.value}(LANES)" for type_ in Type}
MANY_WORDS = 9
"""So many words with a bit per row are rows of an array, of which each row fetches its own."""


@dataclass(frozen=True, slots=True)
class Single:
    """What a function gives for a lane: a row of what it writes, or (without a row) what repeated rows share. `scale`:
    how an observed row becomes bytes. `part`: the row of an array."""

    variable: str
    make: str
    text: str
    row: int | None
    scale: str = ""
    part: int = 0

    @property
    def element(self) -> str:
        """The element of its array for `lane`."""
        return f"{self.variable}[{f'{self.part} * LANES + ' if self.part else ''}lane]"


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


def singles(functions: Bindings, function: str) -> list[Single]:
    """The single rows of what it writes."""
    make = "local_bool(LANES)" if function == "mask" else "local_f32(LANES)"
    offsets, scales = functions.offsets, functions.scales
    taken: set[str] = set()
    names = [output.name for output in functions.bodies[function].outputs]
    return [
        Single(_variable(functions, function, name, taken), make, text, offsets[name], scales.get(name, ""))
        for name, text in zip(names, functions.results(function), strict=True)
        if name in offsets
    ]


def _variable(functions: Bindings, function: str, output: str, taken: set[str]) -> str:
    """The array of a chunk for a single row: `observed_meter_energy`, `action_UP`."""
    if function == "mask":
        name = f"action.{schema.action_names(functions.universe)[functions.offsets[output]]}"
    else:
        name = f"observed.{output}"
    return held_name(identifier(name), taken)


def shared_by_rows(functions: Bindings, function: str) -> list[Single]:
    """What the rows of loops need and no element changes, inputs left out."""
    printed = functions.bodies[function]
    values = [
        Single(f"shared_{printed.names[value]}", LOCALS[printed.type(value)], printed.names[value], None)
        for value in shared(printed)
    ]
    if function != "observe":
        return values
    texts = dict(zip((output.name for output in printed.outputs), functions.results(function), strict=True))
    for rows in functions.known:
        for number, word in enumerate(rows.words):
            values.append(Single(_words(rows), f"rows_u32({len(rows.words)})", texts[word], None, part=number))
        if rows.own is not None:
            values.append(Single(_own(rows), LOCALS[Type.I32], texts[rows.own], None))
    return values


def _words(rows: KnownRows) -> str:
    """The array of words with a bit per row."""
    return f"words_of_{identifier(rows.output)}"


def _own(rows: KnownRows) -> str:
    """The array of the own row of each lane."""
    return f"own_of_{identifier(rows.output)}"


def repeated(functions: Bindings, function: str) -> list[Repeated]:
    """The repeated rows of what it writes."""
    printed, tables = functions.bodies[function], functions.tables_of(function)
    result = [_known(functions, rows) for rows in functions.known] if function == "observe" else []
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


def _known(functions: Bindings, rows: KnownRows) -> Repeated:
    """Rows that are known but for a bit each."""
    plain, marked, own_plain, own_marked = (
        literal(Const(Type.F32, value)) for value in (*rows.values, *rows.own_values)
    )
    lines = [
        *remarks(rows.origin, functions.sources),
        "unset = equal(bit_and(word, shift_left(1, bit_and(element, 31))), 0)",
    ]
    text = f"where(unset, {plain}, {marked})"
    parameters, arguments = ["element", "word"], ["u32(element)", f"{_words(rows)}[(element >> 5) * LANES + lane]"]
    if rows.own is not None:
        text = f"where(equal(to_i32(element), own), where(unset, {own_plain}, {own_marked}), {text})"
        parameters.append("own")
        arguments.append(f"{_own(rows)}[lane]")
    return Repeated(
        function=f"_observe_{identifier(rows.output)}",
        row=functions.offsets[rows.output],
        count=rows.count,
        parameters=parameters,
        arguments=arguments,
        lines="\n".join(f"    {line}" for line in lines),
        text=text,
        scale=functions.scales.get(rows.output, ""),
    )
