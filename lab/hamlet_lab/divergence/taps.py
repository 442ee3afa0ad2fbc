"""Kernels that tell what their lines compute.

A generated function is compiled again as it stands in the package, with the same decorators, but with a store after
each line that is looked at; a kernel `tap` calls it for every lane. With Triton, what observes and masks is one
function with its stores, and is not looked at line by line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from hamlet.launch.gpu.options import interpreted, options
from hamlet.package.module import Module, execute, kernels_file
from hamlet_lab.divergence.compiled import TABLE, Form, Generated, Kernels, definition, generated, parameters, values_of
from hamletc.ir.evaluate import DTYPES, Array
from hamletc.ir.ops import Type, Value
from hamletc.targets.body import Body

LANES_OF_A_BLOCK = 32


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a target's functions are looked at.

    Attributes:
        more: parameters that the function is given beside its own.
        store: a statement that writes a value to a row of `taps`, i32 [rows, lanes], at the lane.
        load: a parameter of the kernel `tap`, an array [lanes], at the lane.
        signature, body: of that kernel, beside inputs and tables.
    """

    more: tuple[str, ...]
    store: Callable[[int, str, Type], str]
    load: Callable[[str, Type], str]
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
    "from hamlet.launch.cpu.ops.taps import tap as tap_bits\n\n@kernel",
    ("taps",),
    "for tap_lane in range(taps.shape[1]):\n        ",
)
TRITON = Dialect(
    ("taps", "tap_lanes", "tap_lane"),
    _triton_store,
    _triton_load,
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
    file = kernels_file(target)
    source = module.sources[file].decode()

    def functions(function: str, printed: Body) -> list[Generated]:
        looked_at = target == "numba" or function not in ("observe", "mask")
        return generated(function, printed) if looked_at else []

    def tap(
        wanted: Generated, printed: Body, lines: Collection[Value], inputs: list[Array | str]
    ) -> tuple[list[Value], Array]:
        lanes = next(len(item) for item in inputs if not isinstance(item, str))
        text, rows = tapped(source, wanted, printed, lines, NUMBA if target == "numba" else TRITON)
        if target == "numba":
            return rows, run_numba_tap(text, inputs, len(rows), lanes)
        return rows, run_triton_tap(text, inputs, len(rows), lanes, device, capability)

    return Kernels(file, source, form.program, functions, tap)


def tapped(
    source: str, wanted: Generated, printed: Body, lines: Collection[Value], dialect: Dialect
) -> tuple[str, list[Value]]:
    """The text of a module with a kernel `tap`, and the values that are its rows.

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
    passed = [name if name.startswith(TABLE) else dialect.load(name, types.get(name, Type.I32)) for name in given]
    call = f"tapped({', '.join([*passed, *dialect.more])})"
    kernel = f"{dialect.decorator}\ndef tap({', '.join([*given, *dialect.signature])}):\n    {dialect.body}{call}\n"
    return f"{source}\n\n{ast.unparse(ast.fix_missing_locations(function))}\n\n{kernel}", rows


def run_numba_tap(source: str, inputs: Sequence[Array | str], rows: int, lanes: int) -> Array:
    """The bits that `tap` writes, i32 [rows, lanes]. `inputs`: arrays [lanes], and the names of tables."""
    kernels = execute("tapped_numba_kernels.py", source.encode())
    taps = np.zeros((rows, lanes), np.int32)
    kernels.tap(*_arguments(inputs, kernels.TABLES), taps)
    return taps


def run_triton_tap(
    source: str, inputs: Sequence[Array | str], rows: int, lanes: int, device: torch.device, capability: int | None
) -> Array:
    """As `run_numba_tap`; on this device, or with a compute capability (90: sm_90) as PTX on the CPU."""
    kernels = execute("tapped_triton_kernels.py", source.encode())
    taps = torch.zeros((rows, lanes), dtype=torch.int32, device=device)
    arrays = [torch.from_numpy(_signed(each).copy()).to(device) for each in _arguments(inputs, kernels.TABLES)]
    block = 1 << (lanes - 1).bit_length() if interpreted(kernels) else LANES_OF_A_BLOCK
    tap = kernels.tap
    if capability is not None:
        from hamlet_lab.ptx.backend import Executed

        tap = Executed(tap, capability)
    tap[(-(-lanes // block),)](*arrays, taps, lanes, BLOCK=block, **options(block, False))
    result: Array = taps.cpu().numpy()
    return result


def _signed(array: Array) -> Array:
    return array.view(np.int32) if array.dtype == np.uint32 else array


def _arguments(inputs: Sequence[Array | str], declared: Sequence[tuple[str, str, Sequence[float]]]) -> list[Array]:
    """The arrays of a launch, tables among them."""
    tables = {name: np.array(values, DTYPES[Type(dtype)]) for name, dtype, values in declared}
    return [tables[item] if isinstance(item, str) else np.ascontiguousarray(item) for item in inputs]
