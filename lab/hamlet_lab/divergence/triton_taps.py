"""Functions of Triton with a store after each line that is looked at. What observes and masks is one function with its
stores, and is not looked at."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from types import ModuleType

import numpy as np
import torch

from hamlet.launch.gpu.options import interpreted, options
from hamlet.package.module import execute
from hamlet_lab.divergence.compiled import TABLE, Generated, values_of
from hamletc.errors import CompileError
from hamletc.ir.evaluate import DTYPES, Array
from hamletc.ir.ops import Type, Value
from hamletc.kernel.body import Body, table_name
from hamletc.targets.triton.columns import LANES, Column

LANES_OF_A_BLOCK = 32
MORE = ("taps", "tap_lanes", "tap_lane")
"""Parameters that a function with stores has beside its own."""
SIGNATURE = ("taps", "tap_lanes: tl.int32", "BLOCK: tl.constexpr")
"""Parameters of the kernel `tap` beside inputs and tables."""
LANE = "tap_lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    "


def generated(source: str, function: str, printed: Body) -> list[Generated]:
    """Functions of the kernels that a function of the program became.

    Raises:
        CompileError: the text has no such function.
    """
    if function in ("observe", "mask"):
        return []
    name = f"_{function}"
    defined = _definition(source, name)
    parameters = tuple(argument.arg for argument in defined.args.args)
    results = tuple(output.value for output in printed.outputs)
    return [Generated(name, parameters, _lines(source, defined), results)]


def _definition(source: str, name: str) -> ast.FunctionDef:
    """The syntax tree of a function.

    Raises:
        CompileError: the text has none.
    """
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    raise CompileError(f"the kernels have no function {name}: they were made by another version of hamletc")


def _lines(source: str, function: ast.FunctionDef) -> dict[str, tuple[int, str]]:
    """The number and the text of the lines that give names their values, by name; of several the first."""
    result: dict[str, tuple[int, str]] = {}
    for statement in ast.walk(function):
        if isinstance(statement, ast.Assign):
            line = statement.lineno, (ast.get_source_segment(source, statement) or "").split("\n")[0]
            for name in _targets(statement):
                result.setdefault(name, line)
    return result


def _targets(statement: ast.Assign) -> list[str]:
    """The names that an assignment gives values."""
    return [node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)]


def _stored(row: int, text: str, type_: Type) -> str:
    match type_:
        case Type.BOOL:
            bits = f"({text}).to(tl.int32)"
        case Type.I32:
            bits = text
        case _:
            bits = f"({text}).to(tl.int32, bitcast=True)"
    return f"tl.store(taps + {row} * tap_lanes + tap_lane, {bits}, mask=tap_lane < tap_lanes)"


def _loaded(name: str, type_: Type) -> str:
    loaded = f"tl.load({name} + tap_lane, mask=tap_lane < tap_lanes, other=0)"
    return loaded + {Type.BOOL: ".to(tl.int1)", Type.U32: ".to(tl.uint32, bitcast=True)"}.get(type_, "")


def tapped(
    source: str,
    generated_function: Generated,
    printed: Body,
    lines: Collection[Value],
    columns: Collection[str],
) -> tuple[str, list[Value]]:
    """The text of a module with a kernel `tap`, and the values that are its rows; `columns`: the tables that are such.

    `tap(inputs..., tables..., taps, ...)` writes the bits of these values, and of what the function returns, to the
    rows of `taps`, i32 [rows, lanes].
    """
    function = _definition(source, generated_function.name)
    parameters = generated_function.parameters
    types = {name: printed.type(value) for name, value in values_of(parameters, printed).items()}
    rows: list[Value] = []

    def store(text: str, value: Value) -> ast.stmt:
        rows.append(value)
        return ast.parse(_stored(len(rows) - 1, text, printed.type(value))).body[0]

    body: list[ast.stmt] = []
    for statement in function.body:
        if isinstance(statement, ast.Return) and statement.value is not None:
            returned = statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
            results = zip(generated_function.results, returned, strict=False)
            body += [store(ast.unparse(expression), value) for value, expression in results]
        body.append(statement)
        if isinstance(statement, ast.Assign):
            values = values_of(_targets(statement), printed)
            body += [store(name, value) for name, value in values.items() if value in lines]
    function.name = "tapped"
    function.body = body
    function.args.args += [ast.arg(name) for name in MORE]

    def passed(name: str) -> str:
        if name in columns:
            return f"tl.load({name} + tl.arange(0, {LANES}))"
        return name if name.startswith(TABLE) else _loaded(name, types.get(name, Type.I32))

    call = f"tapped({', '.join([*map(passed, parameters), *MORE])})"
    kernel = f"@triton.jit\ndef tap({', '.join([*parameters, *SIGNATURE])}):\n    {LANE}{call}\n"
    return f"{source}\n\n{ast.unparse(ast.fix_missing_locations(function))}\n\n{kernel}", rows


def run_tap(
    source: str,
    inputs: Sequence[Array | str],
    columns: Sequence[Column],
    rows: int,
    lanes: int,
    device: torch.device,
    capability: int | None,
) -> Array:
    """The bits that `tap` writes, i32 [rows, lanes].

    Args:
        inputs: arrays [lanes], arrays [worlds, numbers] that are fetched from, and the parameters that are tables.
        columns: the tables that are such.
        device, capability: where `tap` runs: there, or with a compute capability (90: sm_90) as PTX on the CPU.
    """
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
