"""What is asked about a function before it is printed."""

from __future__ import annotations

from typing import Any

from hamlet.frozen import dataclass
from hamletc.kernel.code import Assign, Compute, Fix, For, Function, If, Return, Update, While
from hamletc.kernel.expressions import Name


@dataclass(frozen=True, slots=True)
class Traits:
    """Attributes:
    assigned: the names that a function sets.
    once: those of them that it sets in one place.
    early: whether it can be left before its last line.
    """

    assigned: frozenset[str]
    once: frozenset[str]
    early: bool


def traits_of(function: Function) -> Traits:
    """The traits of a function."""
    sets: list[str] = []
    returns = 0
    waiting: list[Any] = list(function.body)
    while waiting:
        each = waiting.pop()
        match each:
            case Assign(targets=targets):
                sets += [target.name for target in targets if isinstance(target, Name)]
            case Update(target=Name(name=name)) | Fix(name=name):
                sets += [name, name] if isinstance(each, Update) else [name]
            case For(variable=Name(name=name), body=body):
                sets += [name, name]
                waiting += body
            case While(body=body):
                waiting += body
            case If(body=body, otherwise=otherwise):
                waiting += (*body, *otherwise)
            case Compute(lines=lines):
                sets += [name for line in lines for name in line.name.split(", ")]
            case Return():
                returns += 1
            case _:
                pass
    last = bool(function.body) and isinstance(function.body[-1], Return)
    return Traits(frozenset(sets), frozenset(n for n in sets if sets.count(n) == 1), returns > (1 if last else 0))
