"""Values of code as expressions of C, each with its type."""

from __future__ import annotations

from hamlet.frozen import dataclass
from hamletc.ir.ops import Type
from hamletc.kernel.expressions import Typed
from hamletc.targets.c.types import CType, number


@dataclass(frozen=True, slots=True)
class Spelt:
    """An expression of C."""

    text: str
    type: CType


def as_index(value: Spelt) -> str:
    """The text of an integer outside of lanes, which is an i64."""
    return f"(ix){value.text}" if value.type.shape == "number" else value.text


def constant(typed: Typed) -> Spelt:
    """A number or truth value of a type of the tick IR."""
    plain = typed.value
    match typed.type:
        case Type.F32:
            text = f"{float(plain).hex()}f"
        case Type.U32:
            text = f"{plain}u"
        case Type.BOOL:
            text = "true" if plain else "false"
        case Type.I32:
            text = str(plain) if plain != -(1 << 31) else "(-2147483647 - 1)"
    return Spelt(f"({text})" if text.startswith("-") else text, number(typed.type))
