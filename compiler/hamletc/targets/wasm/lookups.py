"""Several tables that are read at one index: the entries of four tables lie side by side, and are read together.

WebAssembly reads no vector of addresses. One number at a time costs an address and a lane for each table; 16 bytes of
four tables are one, and shuffles put what belongs to a table side by side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from hamletc.ir.ops import Lookup, Value
from hamletc.kernel.body import Body, Line
from hamletc.targets.wasm.encoding import I32, V128
from hamletc.targets.wasm.instructions import access, get, i32, lane, op, put, shuffle
from hamletc.targets.wasm.values import WIDE, Frame

MOST_ENTRIES = 64
"""Entries of a table that is copied to lie beside others, at most."""


def together(printed: Body, lines: Iterable[Line], tables: Collection[str]) -> dict[Value, tuple[Value, ...]]:
    """The values of those lines that read one of these tables at the index at which another one is read, too: for each
    all that are read there, in order."""
    at: dict[Value, list[Value]] = defaultdict(list)
    for line in lines:
        op_ = printed.op(line.value)
        if isinstance(op_, Lookup) and op_.table in tables:
            at[op_.index].append(line.value)
    return {value: tuple(several) for several in at.values() if len(several) > 1 for value in several}


def addresses(index: bytes, frame: Frame) -> tuple[bytes, list[int]]:
    """Instructions that put the bytes before the entry of each lane into variables."""
    scaled = frame.local(V128)
    places = [frame.local(I32) for _ in range(WIDE)]
    code = index + i32(4) + op("i32x4.shl") + put(scaled)
    for each, place in enumerate(places):
        code += get(scaled) + lane("i32x4.extract_lane", each) + put(place)
    frame.give_back([scaled])
    return code, places


def read(base: int, places: Sequence[int], count: int, frame: Frame) -> tuple[bytes, list[bytes]]:
    """Instructions that read what lies side by side from an address on, and those that leave the vector of each of
    `count` tables on the stack."""
    rows = [frame.local(V128) for _ in range(WIDE)]
    code = b"".join(get(place) + access("v128.load", base) + put(row) for place, row in zip(places, rows, strict=True))
    halves = [frame.local(V128) for _ in range(4 if count > 2 else 2)]
    low, high = _words(0, 4, 1, 5), _words(2, 6, 3, 7)
    for number, half in enumerate(halves):
        first = rows[0] if number % 2 == 0 else rows[2]
        second = rows[1] if number % 2 == 0 else rows[3]
        code += get(first) + get(second) + shuffle(low if number < 2 else high) + put(half)
    vectors = []
    for number in range(count):
        pair = halves[2 * (number // 2) : 2 * (number // 2) + 2]
        words = _words(0, 1, 4, 5) if number % 2 == 0 else _words(2, 3, 6, 7)
        vectors.append(get(pair[0]) + get(pair[1]) + shuffle(words))
    frame.give_back([*rows, *halves])
    return code, vectors


def _words(*numbers: int) -> bytes:
    """The lanes of a shuffle of numbers of 32 bits."""
    return bytes(4 * number + byte for number in numbers for byte in range(4))
