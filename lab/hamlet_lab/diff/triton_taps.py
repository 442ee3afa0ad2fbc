"""Triton kernels that tell what their lines compute.

As for numba: a generated function is compiled again as it stands in the package, with a store after each line that is
looked at. What observes and masks is one function with its stores, and is not looked at line by line.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from hamlet_lab.diff.generated import TABLE, Generated, definition, generated, parameters, values_of
from hamletc.ir.ops import Type, Value
from hamletc.targets.body import Body


def functions(function: str, printed: Body) -> list[Generated]:
    """What a function of the program becomes in Triton kernels, as far as it can be looked at."""
    return [] if function in ("observe", "mask") else generated(function, printed)


def tapped(source: str, wanted: Generated, printed: Body, lines: Collection[Value]) -> tuple[str, list[Value]]:
    """The text of a module with a kernel `tap`, and the values that are its rows.

    `tap(inputs..., tables..., taps, tap_lanes, BLOCK)` writes the bits of these values, and of what the function
    returns, to the rows of `taps`, i32 [rows, lanes]. Inputs of u32 are given as i32.
    """
    function = definition(source, wanted)
    given = parameters(function)
    types = {name: printed.type(value) for name, value in values_of(given, printed).items()}
    rows: list[Value] = []

    def store(text: str, value: Value) -> ast.stmt:
        rows.append(value)
        target = f"taps + {len(rows) - 1} * tap_lanes + tap_lane"
        bits = _bits(text, printed.type(value))
        return ast.parse(f"tl.store({target}, {bits}, mask=tap_lane < tap_lanes)").body[0]

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
    function.args.args += [ast.arg(name) for name in ("taps", "tap_lanes", "tap_lane")]
    passed = [name if name.startswith(TABLE) else _load(name, types[name]) for name in given]
    kernel = f"""
@triton.jit
def tap({", ".join([*given, "taps", "tap_lanes: tl.int32", "BLOCK: tl.constexpr"])}):
    tap_lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tapped({", ".join([*passed, "taps", "tap_lanes", "tap_lane"])})
"""
    return f"{source}\n\n{ast.unparse(ast.fix_missing_locations(function))}\n\n{kernel}", rows


def _load(name: str, type_: Type) -> str:
    loaded = f"tl.load({name} + tap_lane, mask=tap_lane < tap_lanes, other=0)"
    match type_:
        case Type.BOOL:
            return f"{loaded}.to(tl.int1)"
        case Type.U32:
            return f"{loaded}.to(tl.uint32, bitcast=True)"
        case _:
            return loaded


def _bits(text: str, type_: Type) -> str:
    match type_:
        case Type.BOOL:
            return f"({text}).to(tl.int32)"
        case Type.I32:
            return text
        case _:
            return f"({text}).to(tl.int32, bitcast=True)"
