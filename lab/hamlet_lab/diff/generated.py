"""Generated functions whose lines can be looked at: which function of the program each comes from, and what its names
stand for. The names are those that `hamletc.targets.body` gives, for all targets."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass

from hamletc.errors import CompileError
from hamletc.ir.ops import Value
from hamletc.targets.body import Body, Loop, identifier

TABLE = "table_"


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated function.

    Attributes:
        name: in the text.
        results: the values that it returns, in order; there may be more.
        loop: the repeated output that it computes, one element a call; else `None`.
    """

    name: str
    results: tuple[Value, ...]
    loop: Loop | None = None


def generated(function: str, printed: Body) -> list[Generated]:
    """What a function of the program becomes in numba kernels."""
    single = tuple(output.value for output in printed.outputs)
    if function not in ("observe", "mask"):
        return [Generated(f"_{function}", single)]
    prefix = "_" if function == "mask" else "_observe_"
    loops = [Generated(f"{prefix}{identifier(loop.output)}", (loop.value,), loop) for loop in printed.loops]
    return [*([Generated(f"_{function}_lane", single)] if single else []), *loops]


def definition(source: str, wanted: Generated) -> ast.FunctionDef:
    """The syntax tree of a generated function.

    Raises:
        CompileError: the text has none.
    """
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == wanted.name:
            return node
    raise CompileError(f"the kernels have no function {wanted.name}: they were made by another version of hamletc")


def parameters(function: ast.FunctionDef) -> list[str]:
    """The names of its parameters."""
    return [argument.arg for argument in function.args.args]


def values_of(names: Collection[str], printed: Body) -> dict[str, Value]:
    """The values that names stand for; those that the compiler does not give are left out."""
    known = {name: value for value, name in printed.names.items()}
    return {name: known[name] for name in names if name in known}


def source_line(source: str, function: ast.FunctionDef, name: str) -> tuple[int, str] | None:
    """The number and the text of the line that gives a name its value."""
    for statement in ast.walk(function):
        if isinstance(statement, ast.Assign) and any(
            isinstance(node, ast.Name) and node.id == name for target in statement.targets for node in ast.walk(target)
        ):
            return statement.lineno, (ast.get_source_segment(source, statement) or "").split("\n")[0]
    return None
