"""variables_reference.yaml: the variables of the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamlet_townlet.pack.spanned import Spanned

VariableType: TypeAlias = Literal["scalar", "vecNf", "bool", "vec2i", "vec3i", "vecNi"]
Scope: TypeAlias = Literal["global", "agent", "agent_private"]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the registry. `default` has as many numbers as the variable; a scalar or bool has one.

    Only `scalar` and `vecNf` are observed. One with the name of an automatic variable takes its place.
    """

    id: Spanned[str]
    scope: Spanned[Scope]
    type: Spanned[VariableType]
    default: tuple[float, ...]
    default_span: Span
    readers: tuple[str, ...]
    writers: tuple[str, ...]
    span: Span
