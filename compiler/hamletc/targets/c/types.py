"""Types of C for the values of code, and what helpers of the header `hamlet.h` give."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamletc.ir.ops import Type

Shape: TypeAlias = Literal["literal", "index", "lanes", "number", "vector", "pointer", "table", "array", "nothing"]
"""What a value is: an integer whose type is decided by what it meets; an i64; the number of the first lane of a vector;
a number or truth value; one for each lane of a vector; the address of the first of several in memory; an array of the
kernel, with its rows and columns; nothing."""

ELEMENTS = {"i8": "i32", "u8": "u32", "u16": "u32"}
"""What values are of memory that has other elements."""
MAKERS = ("local", "unset", "rows", "room")
"""What makes memory of a thread: zeros, anything, rows of lanes, and what is not on the stack."""


class UntypedError(Exception):
    """Code that has no types; the message says which."""


@dataclass(frozen=True, slots=True)
class CType:
    """The type of a value. `element`: f32, i32, u32, bool; in memory also i8, u8, u16, i64, observed."""

    shape: Shape
    element: str = ""

    @property
    def text(self) -> str:
        """The type in C."""
        match self.shape:
            case "literal" | "index" | "lanes":
                return "ix"
            case "number":
                return self.element
            case "vector":
                return f"v{self.element}"
            case "pointer":
                return f"{memory(self.element)} *"
            case "table":
                return f"const {self.element} *"
            case "array":
                return f"array_{'bool8' if self.element == 'bool' else self.element}"
            case "nothing":
                return "void"

    def declared(self, name: str) -> str:
        """The declaration of a name."""
        return f"{self.text}{'' if self.text.endswith('*') else ' '}{name}"

    @property
    def kind(self) -> str:
        """What the names of functions of this type end in."""
        return self.text if self.shape in ("number", "vector") else self.element


LITERAL, INDEX, LANES, NOTHING = CType("literal"), CType("index"), CType("lanes"), CType("nothing")
BOOL = CType("number", "bool")


def memory(element: str) -> str:
    """The type in C of an element in memory. Authors have variables called `observed`."""
    return {"bool": "bool8", "observed": "hamlet_observed"}.get(element, element)


def number(type_: Type) -> CType:
    """The type of a number of the tick IR."""
    return CType("number", type_.value)


def read(element: str) -> CType:
    """The type of what is read of memory."""
    return INDEX if element == "i64" else CType("number", ELEMENTS.get(element, element))


def vector(element: str) -> CType:
    """The type of what a vector reads of memory."""
    return CType("vector", ELEMENTS.get(element, element))


def settled(type_: CType) -> CType:
    """The type of a variable that is set to a value, or of the parameter that it is passed for."""
    return INDEX if type_ is LITERAL else type_


@dataclass(frozen=True, slots=True)
class Helper:
    """A function of the header: the arguments whose types its name ends in, what it gives, and the arguments that are
    arrays of a kernel, of which it takes the data."""

    by: tuple[int, ...] = ()
    gives: CType = NOTHING
    data: tuple[int, ...] = ()


HELPERS: dict[str, Helper] = {
    "add_meter": Helper(),
    "add_notes": Helper((0,)),
    "add_to_tree": Helper(),
    "all_set": Helper(gives=BOOL),
    "alike_worlds": Helper(),
    "any_on_cells": Helper(gives=BOOL),
    "any_set": Helper(gives=BOOL),
    "choose_lanes": Helper(gives=INDEX),
    "clear_cells": Helper(),
    "count_by_lane": Helper((0, 1)),
    "count_episode": Helper((1,)),
    "count_episodes": Helper((2,)),
    "count_on_cells": Helper(),
    "count_uses": Helper((0, 1), INDEX),
    "count_worlds": Helper(),
    "drain": Helper(),
    "draw": Helper(data=(1,)),
    "find": Helper(),
    "give_back": Helper(),
    "grant_worlds": Helper(),
    "greatest_on_cells": Helper(),
    "highest_on_cells": Helper(),
    "highest_over_cells": Helper(gives=CType("number", "f32")),
    "highest_worlds": Helper(),
    "last_on_cells": Helper(),
    "least_on_cells": Helper(),
    "load_lanes": Helper((0,)),
    "load_worlds": Helper((0,)),
    "look_up": Helper(data=(1,)),
    "lowest_on_cells": Helper(),
    "lowest_over_cells": Helper(gives=CType("number", "f32")),
    "lowest_worlds": Helper(),
    "mark_edges": Helper(),
    "next_worlds": Helper(gives=INDEX),
    "rank_few_worlds": Helper(),
    "rank_worlds": Helper(),
    "share_worlds": Helper(),
    "store_last": Helper((0,)),
    "store_worlds": Helper((0,)),
    "total_on_cells": Helper(),
    "total_over_cells": Helper(gives=CType("number", "f32")),
    "total_worlds": Helper(),
    "turn_cells": Helper(),
}
"""The functions of the header that work on memory, by their names in code."""

ARITHMETIC = frozenset(
    (
        *("add", "subtract", "multiply", "divide", "remainder", "mulhigh", "fma"),
        *("bit_and", "bit_or", "bit_xor", "shift_left", "shift_right"),
    )
)
"""Operations on numbers of one type, which they give."""
COMPARISONS = {"equal": "==", "less": "<", "less_equal": "<="}
"""Operations on numbers of one type that give truth values, and their signs."""
CONVERSIONS = {"to_f32": "f32", "to_i32": "i32", "to_u32": "u32", "to_bits": "u32", "from_bits": "f32"}
"""Operations that give a number of another type."""
FLOATS = frozenset(("square_root", "absolute"))
"""Operations on one f32."""
CONSTANTS = frozenset(
    (
        *("LANES", "WIDE", "CHOSEN", "NOTES", "AHEAD", "CACHE_TICKS", "CELLS"),
        *("TERMS", "SHARED", "TALLIES", "TILED", "TREE"),
    )
)
"""Constants of the header."""
