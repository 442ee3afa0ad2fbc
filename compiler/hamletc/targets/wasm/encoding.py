"""A WebAssembly module as bytes: numbers, sections, and what they list.

The names are those of the specification, https://webassembly.github.io/spec/core/binary/.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache

from hamlet.frozen import dataclass

HEADER = b"\0asm\x01\0\0\0"
I32, I64, F32, F64, V128 = b"\x7f", b"\x7e", b"\x7d", b"\x7c", b"\x7b"
"""Types of values."""
PAGE = 1 << 16
"""Bytes of a page of memory."""
_CUSTOM, _TYPE, _FUNCTION, _MEMORY, _GLOBAL, _EXPORT, _CODE, _DATA = 0, 1, 3, 5, 6, 7, 10, 11
_END = b"\x0b"


@dataclass(frozen=True, slots=True)
class Signature:
    """The types of the parameters and results of a function, or of a block."""

    parameters: tuple[bytes, ...]
    results: tuple[bytes, ...]

    @property
    def encoded(self) -> bytes:
        return b"\x60" + vector(self.parameters) + vector(self.results)


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a module.

    Attributes:
        signature: its index in the types of the module.
        variables: the types of its variables, behind its parameters.
        code: its instructions, without the last `end`.
    """

    signature: int
    variables: tuple[bytes, ...]
    code: bytes

    @property
    def encoded(self) -> bytes:
        runs: list[tuple[int, bytes]] = []
        for each in self.variables:
            if runs and runs[-1][1] == each:
                runs[-1] = (runs[-1][0] + 1, each)
            else:
                runs.append((1, each))
        body = vector(unsigned(count) + each for count, each in runs) + self.code + _END
        return unsigned(len(body)) + body


@dataclass(frozen=True, slots=True)
class Module:
    """A module with one memory, which it exports as `memory`.

    Attributes:
        exports: the indices of functions by the names under which hosts call them.
        size: the bytes of memory, at the least.
        data: what is in memory at first: bytes by their address.
        globals: numbers that functions share and change, each with its first value (i32).
        custom: contents that engines ignore, by the name of their section.
    """

    types: Sequence[Signature]
    functions: Sequence[Function]
    exports: Sequence[tuple[str, int]]
    size: int
    data: Sequence[tuple[int, bytes]] = ()
    globals: Sequence[int] = ()
    custom: Sequence[tuple[str, bytes]] = ()

    @property
    def encoded(self) -> bytes:
        """The contents of a file."""
        pages = -(-self.size // PAGE)
        named = [name("memory") + b"\x02\0", *(name(each) + b"\0" + unsigned(index) for each, index in self.exports)]
        listed = (
            (_TYPE, [each.encoded for each in self.types]),
            (_FUNCTION, [unsigned(each.signature) for each in self.functions]),
            (_MEMORY, [b"\0" + unsigned(pages)]),
            (_GLOBAL, [I32 + b"\x01\x41" + signed(first) + _END for first in self.globals]),
            (_EXPORT, named),
            (_CODE, [each.encoded for each in self.functions]),
            (_DATA, [b"\0\x41" + signed(at) + _END + unsigned(len(held)) + held for at, held in self.data]),
        )
        sections = b"".join(_section(number, vector(items)) for number, items in listed if items)
        return HEADER + sections + b"".join(_section(_CUSTOM, name(each) + held) for each, held in self.custom)


@lru_cache(1 << 12)
def unsigned(number: int) -> bytes:
    """A number that is not negative, in LEB128."""
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


@lru_cache(1 << 12)
def signed(number: int) -> bytes:
    """A number in signed LEB128."""
    encoded = bytearray()
    while not -0x40 <= number < 0x40:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number & 0x7F)
    return bytes(encoded)


def binary32(number: float) -> bytes:
    """A number of 32 bits, the lowest byte first."""
    return struct.pack("<f", number)


def vector(items: Iterable[bytes]) -> bytes:
    """Items behind their number."""
    listed = tuple(items)
    return unsigned(len(listed)) + b"".join(listed)


def name(text: str) -> bytes:
    """A text behind its length in bytes."""
    encoded = text.encode()
    return unsigned(len(encoded)) + encoded


def _section(number: int, contents: bytes) -> bytes:
    return bytes([number]) + unsigned(len(contents)) + contents
