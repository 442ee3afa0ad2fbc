"""Functions of C with a store after each line that is looked at. C has several functions for one of a program: one for
each list of types, and parts of large ones."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hamlet.launch.cpu.kernels import ENTRY
from hamlet.native.library import library
from hamlet_lab.divergence.compiled import TABLE, Generated, values_of
from hamletc.ir.evaluate import Array
from hamletc.ir.ops import Value
from hamletc.kernel.body import Body, Loop, identifier

FUNCTION = re.compile(r"^HAMLET_\w+ (?P<gives>\w+) (?P<name>\w+)\((?P<parameters>.*)\) \{$")
"""The line with which a function begins."""
DECLARED = re.compile(r"^ +(?P<type>\w+) (?P<name>\w+);$")
ASSIGNED = re.compile(r"^ +(?P<name>\w+?)(_\d+_of_several)? = .*;$")
CALL, GIVEN = re.compile(r"^ +do\w+\(.*\);$"), re.compile(r" = given_\d+th;$")
"""A loop over rows of tables, and how a line ends that gives a name one of its results."""
RESULT = re.compile(r"result_\d+th")
PART = re.compile(r"do_part_\d+_of_(?P<function>\w+?)(_\d+)?")
"""The name of a part of a function."""
STORED = re.compile(r"(?:, | = )(?P<name>\w+)\)?;$")
"""How a line ends that stores a value."""
EXPORTED = f"HAMLET_EXPORT i64 {ENTRY}("
TAP = "hamlet_tap"
INTEGER = "ix"
"""The type of integers that no value gave another."""
TYPES = ("f32", "i32", "u32", "bool", INTEGER, "vf32", "vi32", "vu32", "vbool")
"""Types of values."""


@dataclass(frozen=True, slots=True)
class _Defined:
    """A function as it stands in the text.

    Attributes:
        gives: the type that it returns; "void" where it writes results to its last parameters.
        parameters: types and names.
        first: the number of its first line, from 1 on.
        lines: all its lines, the first and the last one too.
        part_of: the function of the program that it is a part of; then also the names of the values that it `stored`.
    """

    name: str
    gives: str
    parameters: tuple[tuple[str, str], ...]
    first: int
    lines: tuple[str, ...]
    part_of: str | None = None
    stored: tuple[str, ...] = ()

    @property
    def passed(self) -> tuple[str, ...]:
        """The names of parameters that are not places of results."""
        return tuple(name for _, name in self.parameters if not RESULT.fullmatch(name))

    @property
    def results(self) -> tuple[str, ...]:
        """The types of results."""
        written = tuple(type_.removesuffix("*") for type_, name in self.parameters if RESULT.fullmatch(name))
        return written if self.gives == "void" else (self.gives,)


def generated(source: str, function: str, printed: Body) -> list[Generated]:
    """Functions of the kernels that a function of the program became; none where no kernel calls it."""
    kinds: list[tuple[str, tuple[Value, ...], Loop | None]]
    single = tuple(output.value for output in printed.outputs)
    if function in ("observe", "mask"):
        prefix = "_" if function == "mask" else "_observe_"
        kinds = [(f"_{function}_lane", single, None)]
        kinds += [(f"{prefix}{identifier(loop.output)}", (loop.value,), loop) for loop in printed.loops]
    else:
        kinds = [(f"_{function}", single, None)]
    result = []
    for each in _functions(source):
        if each.part_of == function:
            stored = tuple(values_of(each.stored, printed)[name] for name in each.stored)
            result.append(Generated(each.name, each.passed, _assigned(each), stored))
        result += [
            Generated(each.name, each.passed, _assigned(each), results, loop)
            for name, results, loop in kinds
            if each.part_of is None and re.fullmatch(rf"do{name}(_\d+)?", each.name)
        ]
    return result


def _functions(source: str) -> Iterator[_Defined]:
    lines = source.split("\n")
    for number, line in enumerate(lines):
        head = FUNCTION.match(line)
        if head is not None and "}" in lines[number:]:
            parameters = tuple(map(_parameter, head["parameters"].split(", "))) if head["parameters"] != "void" else ()
            end = lines.index("}", number) + 1
            whole = _Defined(head["name"], head["gives"], parameters, number + 1, tuple(lines[number:end]))
            part = PART.fullmatch(whole.name)
            yield whole if part is None else _without_memory(whole, part["function"])


def _without_memory(part: _Defined, of: str) -> _Defined:
    """A part of a function with parameters in place of what it fetches from memory, and results in place of the values
    that it stores there. Lines stay where they are."""
    arrays = [name for type_, name in part.parameters if type_.endswith("*") and not name.startswith(TABLE)]
    memory = re.compile(rf"\b({'|'.join(arrays) or '(?!)'})\b")
    declared = {each["name"]: each["type"] for line in part.lines if (each := DECLARED.match(line))}
    types = declared | {name: type_ for type_, name in part.parameters}
    passed = [
        each
        for each in part.parameters
        if each[1].startswith(TABLE) or (each[1] not in arrays and each[1][-1].isdigit())
    ]
    stored: dict[str, str] = {}
    fetched: set[str] = set()
    lines = list(part.lines)
    for number, line in enumerate(lines[1:], 1):
        if not memory.search(line):
            continue
        lines[number] = ""
        assigned = ASSIGNED.match(line)
        if assigned is not None and assigned["name"] in declared:
            fetched.add(assigned["name"])
            passed.append((declared[assigned["name"]], assigned["name"]))
        elif (written := STORED.search(line)) and written["name"] in types:
            stored[written["name"]] = types[written["name"]]
    for number, line in enumerate(lines):
        if (each := DECLARED.match(line)) and each["name"] in fetched:
            lines[number] = ""
    lines[-1:] = [*(f"  *result_{place}th = {name};" for place, name in enumerate(stored)), lines[-1]]
    results = [(f"{type_}*", f"result_{place}th") for place, type_ in enumerate(stored.values())]
    return _Defined(part.name, part.gives, (*passed, *results), part.first, tuple(lines), of, tuple(stored))


def _parameter(declared: str) -> tuple[str, str]:
    type_, _, name = declared.rpartition(" ")
    return (f"{type_}*", name[1:]) if name.startswith("*") else (type_, name)


def _assigned(function: _Defined) -> dict[str, tuple[int, str]]:
    """The number and the text of the lines that give names their values, by name; of several the first."""
    result: dict[str, tuple[int, str]] = {}
    call = (function.first, "")
    for number, line in enumerate(function.lines, function.first):
        here = number, line.strip()
        if CALL.match(line):
            call = here
        elif assigned := ASSIGNED.match(line):
            result.setdefault(assigned["name"], call if GIVEN.search(line) else here)
    return result


def tapped(
    source: str, generated_function: Generated, printed: Body, lines: Collection[Value]
) -> tuple[str, list[Value]]:
    """The text of kernels with a function `TAP`, and the values that are its rows.

    `TAP(inputs, taps)` takes arrays of bits, i32 [inputs, lanes], and writes the bits of these values, and of what the
    function returns, to the rows of `taps`, i32 [rows, lanes].
    """
    function = next(each for each in _functions(source) if each.name == generated_function.name)
    types = {name: type_ for type_, name in function.parameters}
    rows: list[Value] = []

    def store(type_: str, text: str, value: Value) -> str:
        rows.append(value)
        cast = "(i32)" if type_ == INTEGER else ""
        return f"tap_{'i32' if cast else type_}(taps, {len(rows) - 1}, tap_lane, {cast}{text});"

    body: list[str] = []
    for line in function.lines[1:]:
        body.append(line)
        if declared := DECLARED.match(line):
            types[declared["name"]] = declared["type"]
        if assigned := ASSIGNED.match(line):
            variable = line.split()[0]
            values = values_of([assigned["name"]], printed).values()
            if (type_ := types.get(variable, "")) in TYPES:
                body += [store(type_, variable, value) for value in values if value in lines]
    signature = [*(f"{type_} {name}" for type_, name in function.parameters), "array_i32 taps", "ix tap_lane"]
    head = f"HAMLET_INLINE {function.gives} tapped({', '.join(signature)}) {{"
    # Nobody calls the kernels themselves, so that they are not compiled.
    kernels = source.replace(EXPORTED, EXPORTED.replace("EXPORT", "INLINE"))
    tap = _tap(
        function,
        types,
        [
            store(type_, f"tap_{place}", value)
            for place, (type_, value) in enumerate(zip(function.results, generated_function.results, strict=False))
        ],
    )
    return "\n".join([kernels, head, *body, "", *tap, ""]), rows


def _tap(function: _Defined, types: dict[str, str], stores: Sequence[str]) -> Iterator[str]:
    """The function `TAP`."""
    row, arguments = 0, []
    for name in function.passed:
        if name.startswith(TABLE):
            arguments.append(name)
        else:
            kind = types[name].replace(INTEGER, "i32")
            arguments.append(f"recall_{kind}(inputs, {row}, tap_lane)")
            row += 1
    results = [f"tap_{place}" for place in range(len(function.results))]
    arguments += [f"&{name}" for name in results if function.gives == "void"]
    call = f"tapped({', '.join([*arguments, 'taps', 'tap_lane'])});"
    yield f"HAMLET_EXPORT void {TAP}(i32 *given, i32 *written, ix tap_lanes) {{"
    yield f"  array_i32 inputs = {{given, {row}, tap_lanes}}, taps = {{written, 0, tap_lanes}};"
    yield "  for (ix tap_lane = 0; tap_lane < tap_lanes; tap_lane++) {"
    yield from (f"    {type_} {name};" for type_, name in zip(function.results, results, strict=True))
    yield f"    {call}" if function.gives == "void" else f"    tap_0 = {call}"
    yield from (f"    {each}" for each in stores)
    yield "  }"
    yield "}"


def run_tap(source: str, inputs: Sequence[Array | str], rows: int, lanes: int) -> Array:
    """The bits that `TAP` writes, i32 [rows, lanes]. `inputs`: arrays [lanes], and the parameters that are tables.

    Raises:
        EnvError: there is no compiler, or it fails.
    """
    tap = library(source)[TAP]
    words_in = np.array([_bits(each) for each in inputs if not isinstance(each, str)], np.int32).reshape(-1, lanes)
    taps = np.zeros((rows, lanes), np.int32)
    tap(ctypes.c_void_p(words_in.ctypes.data), ctypes.c_void_p(taps.ctypes.data), ctypes.c_int64(lanes))
    return taps


def _bits(array: Array) -> Array:
    return array.astype(np.int32) if array.dtype == np.bool_ else np.ascontiguousarray(array).view(np.int32)
