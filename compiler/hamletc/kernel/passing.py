"""Functions that pass each other variables by name: one that needs a variable of the kernel takes it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from hamletc.kernel.body import Body
from hamletc.kernel.code import Compute, Function, Parameter
from hamletc.kernel.expressions import Call, Name
from hamletc.kernel.scopes import CodeError, unset


def passing(functions: Sequence[Function], library: Collection[str], bodies: Mapping[str, Body]) -> list[Function]:
    """Functions whose further parameters are the names that they read and do not set, but for kernels. A call passes
    arguments for the first parameters, or by keyword where the function has such a one, and for others the variables
    of their names. What is in capitals is known when a function is compiled.

    Args:
        functions: in the order of the module, as in `hamletc.kernel.scopes.verify`.

    Raises:
        CodeError: a function is no code.
    """
    earlier: dict[str, Function] = {}
    declared = {each.name: len(each.parameters) for each in functions}
    for each in functions:
        called = replace(each, body=_called(each.body, earlier, declared))
        names = () if each.kind == "kernel" else unset(called, library, earlier, bodies)
        further = (Parameter(name, constant=name.isupper()) for name in names)
        earlier[each.name] = replace(called, parameters=(*called.parameters, *further))
    return list(earlier.values())


def _called(code: Any, functions: Mapping[str, Function], declared: Mapping[str, int]) -> Any:
    """Code in which calls of these functions pass all arguments."""
    match code:
        case tuple():
            parts = tuple([_called(each, functions, declared) for each in code])
            return parts if any(new is not old for new, old in zip(parts, code, strict=True)) else code
        case Call(function=Name(name=name), arguments=arguments, keywords=keywords) if name in functions:
            if len(arguments) > declared[name]:
                raise CodeError(
                    f"{name} declares {declared[name]} parameters, and is passed {len(arguments)} arguments"
                )
            by_keyword = dict(keywords)
            others = [each.name for each in functions[name].parameters[len(arguments) :]]
            passed = (*arguments, *(by_keyword.get(other, Name(other)) for other in others))
            return replace(code, arguments=_called(passed, functions, declared), keywords=())
        case Compute() | Name():
            return code
        case _ if names := _parts(code.__class__):
            # Most code calls nothing, and stays as it is: making it anew would check all of it again.
            changed = {
                name: new
                for name in names
                if (new := _called(old := getattr(code, name), functions, declared)) is not old
            }
            return replace(code, **changed) if changed else code
        case _:
            return code


@cache
def _parts(kind: type) -> tuple[str, ...]:
    """The names of the fields of a kind of code."""
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else ()
