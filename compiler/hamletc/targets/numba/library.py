"""What kernels for CPUs import of their library, `hamlet.launch.cpu.ops`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hamletc.ir.function import REDUCTION_OPS
from hamletc.kernel.code import Function, Name, names
from hamletc.kernel.scopes import expressions, operands, statements

MADE = tuple(
    Name(f"{kind}_{dtype}") for kind in ("room", "rows") for dtype in ("bool", "f32", "i32", "i8", "u16", "u32", "u8")
)
"""What makes arrays, but those of one row on the stack."""
LIBRARY = (
    *names(
        """
        AHEAD CACHE_TICKS CHOSEN LANES NOTES WIDE Short absolute add add_meter add_notes bit_and bit_or bit_xor alike
        all_set any_set choose_lanes count_by_lane count_episode count_episodes count_uses divide drain draw encode
        equal find fma from_bits fetch give_back helper inline kernel less less_equal load_lanes load_worlds local_bool
        local_f32 local_i8 local_i32 local_u8 local_u16 local_u32 look_up mulhigh multiply next_worlds part put ramp
        remainder room_like
        """
    ),
    *MADE,
    *names(
        """
        scatter shift_left shift_right square_root store_lanes store_last store_worlds subtract take to_bits to_f32
        to_i32 to_u32 traced unset_bool unset_f32 unset_i32 unset_u32 where wide write
        """
    ),
)
"""Names in the order in which they are imported."""
SELDOM = frozenset((*MADE, *names("any_set encode fetch give_back room_like store_last write")))
"""Those that only modules import that use them: lines of the tick IR, whose names nobody looks for, have none."""
MEETING = (
    *names("INFINITY SHARED TALLIES TERMS TILED TREE add_to_tree clear_cells rank_few_worlds share_worlds"),
    *(Name(f"{op}_{of}") for op in REDUCTION_OPS for of in ("worlds", "on_cells")),
)
"""What modules import besides whose agents meet."""
OF_CELLS = frozenset((Name("mark_edges"), *(Name(f"{op}_over_cells") for op in REDUCTION_OPS)))
"""What they import last whose cells have rules."""

BESIDE = ("CELLS", "f32", "i32", "max", "min", "range", "u32")
"""Names that all modules have beside what they import of it."""


def imports(functions: Iterable[Function]) -> list[str]:
    """What functions import."""
    used = dict.fromkeys(name for function in functions for name in _names(function))
    first = [name for name in LIBRARY if name not in SELDOM or name in used]
    of_agents = sorted(name.name for name in MEETING if name in used)
    # The edges of a grid are marked in the kernel, which is the last function.
    of_cells = sorted((name for name in used if name in OF_CELLS), key=lambda name: name != Name("mark_edges"))
    return [*(name.name for name in first), *of_agents, *(name.name for name in of_cells)]


def _names(function: Function) -> Iterator[Name]:
    """All names that a function has."""
    for statement in statements(function.body):
        for value in operands(statement):
            yield from (each for each in expressions(value) if isinstance(each, Name))
