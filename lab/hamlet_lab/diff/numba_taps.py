"""Numba kernels that tell what their lines compute.

A generated function is compiled again as it stands in the package, with the same decorators, but with a store after
each line that is looked at. A loop over lanes calls it, as a kernel does.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from hamlet_lab.diff.generated import TABLE, Generated, definition, parameters, values_of
from hamletc.ir.ops import Value
from hamletc.targets.body import Body

IMPORT = "from hamlet.launch.cpu.ops.taps import tap as tap_bits"


def tapped(source: str, wanted: Generated, printed: Body, lines: Collection[Value]) -> tuple[str, list[Value]]:
    """The text of a module with a kernel `tap`, and the values that are its rows.

    `tap(inputs..., tables..., taps)` writes the bits of these values, and of what the function returns, to the rows of
    `taps`, i32 [rows, lanes].
    """
    function = definition(source, wanted)
    given = parameters(function)
    rows: list[Value] = []

    def store(text: str, value: Value) -> ast.stmt:
        rows.append(value)
        return ast.parse(f"tap_bits(taps, {len(rows) - 1}, tap_lane, {text})").body[0]

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
    function.args.args += [ast.arg("taps"), ast.arg("tap_lane")]
    passed = [name if name.startswith(TABLE) else f"{name}[tap_lane]" for name in given]
    kernel = f"""
@kernel
def tap({", ".join([*given, "taps"])}):
    for tap_lane in range(taps.shape[1]):
        tapped({", ".join([*passed, "taps", "tap_lane"])})
"""
    return f"{source}\n\n{IMPORT}\n\n{ast.unparse(ast.fix_missing_locations(function))}\n\n{kernel}", rows
