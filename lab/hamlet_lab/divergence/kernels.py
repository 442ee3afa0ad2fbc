"""Generated kernels, looked at line by line: the first line that does not compute what its program says.

A generated function is compiled again as it stands in the package, with the same decorators, but with a store after
each line that is looked at; a kernel `tap` calls it for every lane. With Triton, what observes and masks is one
function with its stores, and is not looked at line by line. Nor are functions of C, which are printed for the types of
their arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import torch

from hamlet.launch.gpu.options import interpreted, options
from hamlet.package.module import Module, execute
from hamlet_lab.divergence.compiled import (
    TABLE,
    Form,
    Generated,
    Kernels,
    definition,
    generated,
    parameters,
    source_line,
    values_of,
)
from hamlet_lab.divergence.values import Evaluation, Spot, words
from hamletc.ir.evaluate import DTYPES, Array
from hamletc.ir.ops import Element, Input, Type, Value
from hamletc.kernel.body import Body, table_name
from hamletc.kernel.run import FunctionCall
from hamletc.targets.target import written_by
from hamletc.targets.triton.columns import LANES, Column, Columns

LANES_OF_A_BLOCK = 32


@dataclass(frozen=True, slots=True)
class Fault:
    """A line whose value is wrong, though what it is computed from is right.

    Attributes:
        evaluation: what the program says.
        value, spot: which value, and where it is wrong.
        found: the bits that the kernel has.
        line: number and text of the line in the kernels.
        together: whether all lines were looked at together. Otherwise the fault vanished then, and shows only where the
            operands of a line are not looked at: operations were merged.
        returned: the line is right, but the function returns something else.
    """

    evaluation: Evaluation
    value: Value
    spot: Spot
    found: int
    line: tuple[int, str] | None
    together: bool
    returned: bool = False


def first_fault(kernels: Kernels, call: FunctionCall) -> Fault | None:
    """The first wrong line of the function that a call evaluates; `None` where its results are right."""
    evaluation = Evaluation(kernels.program, call)
    for wanted in kernels.functions(call.function, evaluation.printed):
        look = _Look(kernels, evaluation, wanted)
        if not look.possible:
            continue
        lines = look.lines()
        found = look.first(lines)
        if found is not None and not found.returned:
            return found
        # Stores can change what a compiler makes of a function: without them its results may be wrong.
        wrong_result = look.first(())
        if wrong_result is None:
            continue
        apart = [fault for group in apart_from_operands(evaluation, lines) if (fault := look.first(group, False))]
        within = [fault for fault in apart if not fault.returned]
        return min(within, key=lambda fault: fault.value, default=found or wrong_result)
    return None


def apart_from_operands(evaluation: Evaluation, lines: Collection[Value]) -> list[set[Value]]:
    """Groups of lines, such that none is together with a line that it is computed from: a store of an operand is
    another use of it, and can keep a compiler from merging it into the operation."""
    groups: list[set[Value]] = []
    for value in sorted(lines):
        near = set(evaluation.leaves(value))
        group = next((group for group in groups if group.isdisjoint(near)), None)
        if group is None:
            groups.append({value})
        else:
            group.add(value)
    return groups


class _Look:
    """One generated function on the lanes of a call."""

    def __init__(self, kernels: Kernels, evaluation: Evaluation, wanted: Generated) -> None:
        self._kernels, self._evaluation, self._wanted = kernels, evaluation, wanted
        self._lanes = len(evaluation.call.lanes)
        self._count = 1 if wanted.loop is None else wanted.loop.count
        self._definition = definition(kernels.source, wanted)
        self._inputs = [value for name in parameters(self._definition) if (value := self._input(name)) is not None]

    @property
    def possible(self) -> bool:
        """Whether the program says what the function is given. It does not where a kernel computes a part ahead, for an
        episode."""
        return len(self._inputs) == len(parameters(self._definition))

    def lines(self) -> set[Value]:
        """The values that have a line in this function."""
        evaluation = self._evaluation
        lines = evaluation.printed.lines if self._wanted.loop is None else self._wanted.loop.lines
        names = [name for line in lines for name in line.name.split(", ")]
        values = values_of(names, evaluation.printed).values()
        return {value for value in values if not isinstance(evaluation.node(value).op, Input | Element)}

    def first(self, lines: Collection[Value], together: bool = True) -> Fault | None:
        """The first of these lines, then of the results, that is wrong somewhere."""
        evaluation = self._evaluation
        rows, taps = self._kernels.tap(self._wanted, evaluation.printed, lines, self._inputs)
        found = taps.view(np.uint32).reshape(len(rows), self._count, self._lanes)
        first_result = len(rows) - len(self._wanted.results)
        for row in sorted(range(len(rows)), key=lambda row: (row >= first_result, rows[row])):
            value = rows[row]
            expected = np.broadcast_to(words(evaluation.values[value]), found[row].shape)
            wrong = (expected != _canonical(found[row], evaluation, value)) & evaluation.call.lanes
            if wrong.any():
                element, lane = (int(number) for number in np.argwhere(wrong)[0])
                line = source_line(self._kernels.source, self._definition, evaluation.printed.names.get(value, ""))
                bits, returned = int(found[row, element, lane]), row >= first_result
                return Fault(evaluation, value, Spot(lane, element), bits, line, together, returned)
        return None

    def _input(self, name: str) -> Array | str | None:
        """What a parameter is on all lanes, one element after the other; its name if it is a table; `None` unknown."""
        if name.startswith(TABLE):
            return name
        if self._wanted.loop is not None and name == self._wanted.loop.element:
            return np.repeat(np.arange(self._count, dtype=np.int32), self._lanes)
        value = values_of([name], self._evaluation.printed).get(name)
        if value is None:
            return None
        return np.broadcast_to(self._evaluation.values[value], (self._count, self._lanes)).ravel()


def _canonical(bits: Array, evaluation: Evaluation, value: Value) -> Array:
    return words(bits.view(np.float32)) if evaluation.values[value].dtype == np.float32 else bits


# --- functions with a store after each line ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a target's functions are looked at.

    Attributes:
        more: parameters that the function is given beside its own.
        store: a statement that writes a value to a row of `taps`, i32 [rows, lanes], at the lane.
        load: a parameter of the kernel `tap`, an array [lanes], at the lane.
        hold: a parameter that is a column (`hamletc.targets.triton.columns`), as functions take it.
        signature, body: of that kernel, beside inputs and tables.
    """

    more: tuple[str, ...]
    store: Callable[[int, str, Type], str]
    load: Callable[[str, Type], str]
    hold: Callable[[str], str]
    decorator: str
    signature: tuple[str, ...]
    body: str


def _triton_store(row: int, text: str, type_: Type) -> str:
    match type_:
        case Type.BOOL:
            bits = f"({text}).to(tl.int32)"
        case Type.I32:
            bits = text
        case _:
            bits = f"({text}).to(tl.int32, bitcast=True)"
    return f"tl.store(taps + {row} * tap_lanes + tap_lane, {bits}, mask=tap_lane < tap_lanes)"


def _triton_load(name: str, type_: Type) -> str:
    loaded = f"tl.load({name} + tap_lane, mask=tap_lane < tap_lanes, other=0)"
    return loaded + {Type.BOOL: ".to(tl.int1)", Type.U32: ".to(tl.uint32, bitcast=True)"}.get(type_, "")


NUMBA = Dialect(
    ("taps", "tap_lane"),
    lambda row, text, _: f"tap_bits(taps, {row}, tap_lane, {text})",
    lambda name, _: f"{name}[tap_lane]",
    lambda name: name,
    "from hamlet.launch.cpu.ops.taps import tap as tap_bits\n\n@kernel",
    ("taps",),
    "for tap_lane in range(taps.shape[1]):\n        ",
)
TRITON = Dialect(
    ("taps", "tap_lanes", "tap_lane"),
    _triton_store,
    _triton_load,
    lambda name: f"tl.load({name} + tl.arange(0, {LANES}))",
    "@triton.jit",
    ("taps", "tap_lanes: tl.int32", "BLOCK: tl.constexpr"),
    "tap_lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    ",
)


def kernels_of(module: Module, form: Form, target: str, device: torch.device, capability: int | None) -> Kernels:
    """The kernels of a package for a target, as text whose lines can be looked at.

    Args:
        form: what they were printed from.
        device: where they run; with a `capability` (90: sm_90) as PTX on the CPU.
    """
    file = written_by(target)
    source = module.sources[file].decode()

    def functions(function: str, printed: Body) -> list[Generated]:
        match target:
            case "numba":
                return generated(function, printed)
            case "triton" if function not in ("observe", "mask"):
                return generated(function, printed)
            case _:
                return []

    def tap(
        wanted: Generated, printed: Body, lines: Collection[Value], inputs: list[Array | str]
    ) -> tuple[list[Value], Array]:
        lanes = next(len(item) for item in inputs if not isinstance(item, str))
        dialect, columns = (NUMBA, []) if target == "numba" else (TRITON, Columns(form.program).all)
        text, rows = tapped(source, wanted, printed, lines, dialect, [column.name for column in columns])
        if target == "numba":
            return rows, run_numba_tap(text, inputs, len(rows), lanes)
        return rows, run_triton_tap(text, inputs, columns, len(rows), lanes, device, capability)

    return Kernels(file, source, form.program, functions, tap)


def tapped(
    source: str,
    wanted: Generated,
    printed: Body,
    lines: Collection[Value],
    dialect: Dialect,
    columns: Collection[str],
) -> tuple[str, list[Value]]:
    """The text of a module with a kernel `tap`, and the values that are its rows; `columns`: the tables that are such.

    `tap(inputs..., tables..., taps, ...)` writes the bits of these values, and of what the function returns, to the
    rows of `taps`, i32 [rows, lanes].
    """
    function = definition(source, wanted)
    given = parameters(function)
    types = {name: printed.type(value) for name, value in values_of(given, printed).items()}
    rows: list[Value] = []

    def store(text: str, value: Value) -> ast.stmt:
        rows.append(value)
        return ast.parse(dialect.store(len(rows) - 1, text, printed.type(value))).body[0]

    body: list[ast.stmt] = []
    for statement in function.body:
        if isinstance(statement, ast.Return) and statement.value is not None:
            returned = statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
            results = zip(wanted.results, returned, strict=False)
            body += [store(ast.unparse(expression), value) for value, expression in results]
        body.append(statement)
        if isinstance(statement, ast.Assign):
            names = [node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)]
            body += [store(name, value) for name, value in values_of(names, printed).items() if value in lines]
    function.name = "tapped"
    function.body = body
    function.args.args += [ast.arg(name) for name in dialect.more]

    def passed(name: str) -> str:
        if name in columns:
            return dialect.hold(name)
        return name if name.startswith(TABLE) else dialect.load(name, types.get(name, Type.I32))

    call = f"tapped({', '.join([*map(passed, given), *dialect.more])})"
    kernel = f"{dialect.decorator}\ndef tap({', '.join([*given, *dialect.signature])}):\n    {dialect.body}{call}\n"
    return f"{source}\n\n{ast.unparse(ast.fix_missing_locations(function))}\n\n{kernel}", rows


def run_numba_tap(source: str, inputs: Sequence[Array | str], rows: int, lanes: int) -> Array:
    """The bits that `tap` writes, i32 [rows, lanes]. `inputs`: arrays [lanes], and the parameters that are tables."""
    kernels = execute("tapped_numba_kernels.py", source.encode())
    taps = np.zeros((rows, lanes), np.int32)
    kernels.tap(*_arguments(inputs, _tables(kernels)), taps)
    return taps


def run_triton_tap(
    source: str,
    inputs: Sequence[Array | str],
    columns: Sequence[Column],
    rows: int,
    lanes: int,
    device: torch.device,
    capability: int | None,
) -> Array:
    """As `run_numba_tap`; on this device, or with a compute capability (90: sm_90) as PTX on the CPU."""
    kernels = execute("tapped_triton_kernels.py", source.encode())
    taps = torch.zeros((rows, lanes), dtype=torch.int32, device=device)
    tables = _tables(kernels)
    for column in columns:
        tables[column.name] = tables[table_name(column.array)][column.rows]
    arrays = [torch.from_numpy(_signed(each).copy()).to(device) for each in _arguments(inputs, tables)]
    block = 1 << (lanes - 1).bit_length() if interpreted(kernels) else LANES_OF_A_BLOCK
    tap = kernels.tap
    if capability is not None:
        from hamlet_lab.ptx.backend import Executed

        tap = Executed(tap, capability)
    tap[(-(-lanes // block),)](*arrays, taps, lanes, BLOCK=block, **options(block))
    result: Array = taps.cpu().numpy()
    return result


def _signed(array: Array) -> Array:
    return array.view(np.int32) if array.dtype == np.uint32 else array


def _tables(kernels: ModuleType) -> dict[str, Array]:
    """The tables of kernels by the names of parameters."""
    return {table_name(name): np.array(values, DTYPES[Type(dtype)]) for name, dtype, values in kernels.TABLES}


def _arguments(inputs: Sequence[Array | str], tables: Mapping[str, Array]) -> list[Array]:
    """The arrays of a launch, tables among them."""
    return [tables[item] if isinstance(item, str) else np.ascontiguousarray(item) for item in inputs]
