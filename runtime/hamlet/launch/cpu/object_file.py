"""Machine code from an object file (ELF for x86-64, as LLVM writes it) into memory, without a linker and without LLVM.

The sections that a program needs are laid out one behind the other, in pages that are written once and then can only be
read and executed. Code reaches its own constants by their distance; functions of the C library, which may be anywhere,
through a *slot* with their address. The names follow the System V ABI (AMD64 supplement) and its table of relocations.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

LIBRARY = (
    *("memset", "memcpy", "memmove", "aligned_alloc", "free"),
    *("sem_trywait", "sem_wait", "sem_post", "sched_yield"),
)
"""What machine code may ask of the C library."""


class Relocation(IntEnum):
    """What LLVM writes for code that may lie anywhere."""

    R_X86_64_64 = 1
    R_X86_64_PC32 = 2
    R_X86_64_PLT32 = 4
    R_X86_64_GOTPCREL = 9
    R_X86_64_GOTPCRELX = 41
    R_X86_64_REX_GOTPCRELX = 42


SYMBOLS, RELOCATIONS, NO_BITS = 2, 4, 8
"""Types of sections."""
ALLOCATED = 2
"""A flag of sections that a program needs."""
UNWINDING = ".eh_frame"
"""A section that nobody reads here: kernels throw nothing."""
FUNCTION = 2

STUB = b"\xff\x25" + bytes(4) + bytes(2)
"""A jump to the address in a slot, whose distance is to be filled in."""
SLOT = 8

_HEADER = struct.Struct("<4s5B7x2HI3QI6H")
_SECTION = struct.Struct("<2I4Q2I2Q")
_SYMBOL = struct.Struct("<I2BH2Q")
_RELOCATION = struct.Struct("<QIIq")
_BEGINNING = (b"\x7fELF", 2, 1, 1)
_RELOCATABLE, _X86_64 = 1, 62


class ObjectError(ValueError):
    """The file is no such object file, or wants what cannot be given; the message says what, and ends a sentence."""


class Section(NamedTuple):
    """A section of the file, see the ABI."""

    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """Machine code in memory, where it stays as long as this object.

    Attributes:
        addresses: of the functions that others may call, by name.
        pages: the memory.
    """

    addresses: dict[str, int]
    pages: mmap.mmap


def load(content: bytes) -> Loaded:
    """Bring an object file into memory.

    Raises:
        ObjectError: it cannot be.
        OSError: there is no memory that can be executed.
    """
    return _loader(content).load()


def check(content: bytes) -> None:
    """See whether an object file can be brought into memory, which need not be executable here.

    Raises:
        ObjectError: it cannot be.
    """
    _loader(content).image(0)


def _loader(content: bytes) -> _Loader:
    try:
        return _Loader(content)
    except ObjectError:
        raise
    except (struct.error, IndexError, ValueError) as error:
        raise ObjectError(f"is damaged ({error})") from error


class _Loader:
    """One file on its way into memory."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        header = _HEADER.unpack_from(content)
        if header[:4] != _BEGINNING or header[6:8] != (_RELOCATABLE, _X86_64):
            raise ObjectError("is no object file for x86-64")
        first, size, count, names = header[11], *header[16:]
        self._sections = [Section(*_SECTION.unpack_from(content, first + size * number)) for number in range(count)]
        self._names = self._sections[names]
        self._places = dict(self._laid_out())
        self._symbols = list(self._read_symbols())
        outside = {name for name, section, *_ in self._symbols if section == 0 and name}
        for name in sorted(outside.difference(LIBRARY)):
            raise ObjectError(f"calls {name!r}, which is not there")
        self._outside = sorted(outside)
        end = max((place + self._sections[number].size for number, place in self._places.items()), default=0)
        self._slots = -(-end // SLOT) * SLOT
        self._stubs = self._slots + SLOT * len(self._outside)
        self._size = max(self._stubs + len(STUB) * len(self._outside), 1)

    def load(self) -> Loaded:
        """Bring it into memory."""
        pages = mmap.mmap(-1, self._size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        base = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        pages[:] = self.image(base)
        if _C.mprotect(ctypes.c_void_p(base), ctypes.c_size_t(self._size), mmap.PROT_READ | mmap.PROT_EXEC):
            raise OSError(ctypes.get_errno(), "memory cannot be executed")
        found = {
            name: base + self._places[section] + value
            for name, section, kind, value in self._symbols
            if kind == FUNCTION and section in self._places
        }
        return Loaded(found, pages)

    def image(self, base: int) -> bytes:
        """What memory holds that begins at an address."""
        image = bytearray(self._size)
        for number, place in self._places.items():
            section = self._sections[number]
            if section.type != NO_BITS:
                image[place : place + section.size] = self._bytes(section)
        self._write_slots(image)
        for section in self._sections:
            if section.type == RELOCATIONS and section.info in self._places:
                self._relocate(image, base, section)
        return bytes(image)

    def _laid_out(self) -> Iterator[tuple[int, int]]:
        """The sections that a program needs, by number, and where they come to lie."""
        place = 0
        for number, section in enumerate(self._sections):
            if section.flags & ALLOCATED and self._text(self._names, section.name) != UNWINDING:
                place = -(-place // max(section.align, 1)) * max(section.align, 1)
                yield number, place
                place += section.size

    def _read_symbols(self) -> Iterator[tuple[str, int, int, int]]:
        """Name, section, kind and value of each symbol."""
        for section in self._sections:
            if section.type == SYMBOLS:
                names = self._sections[section.link]
                for name, info, _, number, value, _ in _SYMBOL.iter_unpack(self._bytes(section)):
                    yield self._text(names, name), number, info & 15, value

    def _write_slots(self, image: bytearray) -> None:
        for number, name in enumerate(self._outside):
            slot, stub = self._slots + SLOT * number, self._stubs + len(STUB) * number
            address = ctypes.cast(getattr(_C, name), ctypes.c_void_p).value
            struct.pack_into("<Q", image, slot, address)
            image[stub : stub + len(STUB)] = STUB
            struct.pack_into("<i", image, stub + 2, slot - (stub + 6))

    def _relocate(self, image: bytearray, base: int, section: Section) -> None:
        """Fill in what the code of a section could not know."""
        begin = self._places[section.info]
        for offset, kind, symbol, addend in _RELOCATION.iter_unpack(self._bytes(section)):
            place = begin + offset
            match kind:
                case Relocation.R_X86_64_PC32 | Relocation.R_X86_64_PLT32:
                    struct.pack_into("<i", image, place, self._target(symbol) + addend - place)
                case Relocation.R_X86_64_GOTPCREL | Relocation.R_X86_64_GOTPCRELX | Relocation.R_X86_64_REX_GOTPCRELX:
                    struct.pack_into("<i", image, place, self._slot(symbol) + addend - place)
                case Relocation.R_X86_64_64:
                    struct.pack_into("<q", image, place, base + self._target(symbol) + addend)
                case _:
                    raise ObjectError(f"has a relocation of type {kind}, which is not known")

    def _target(self, symbol: int) -> int:
        """Where a symbol lies, or the stub of one that lies outside."""
        name, section, _, value = self._symbols[symbol]
        if section == 0:
            return self._stubs + len(STUB) * self._outside.index(name)
        if section not in self._places:
            raise ObjectError(f"uses {name!r}, which lies in no section that is loaded")
        return self._places[section] + value

    def _slot(self, symbol: int) -> int:
        name, section, *_ = self._symbols[symbol]
        if section != 0:
            raise ObjectError(f"reaches {name!r} by a slot")
        return self._slots + SLOT * self._outside.index(name)

    def _bytes(self, section: Section) -> bytes:
        found = self._content[section.offset : section.offset + section.size]
        if len(found) != section.size:
            raise ObjectError("is damaged (a section ends behind it)")
        return found

    def _text(self, names: Section, offset: int) -> str:
        begin = names.offset + offset
        return self._content[begin : self._content.index(b"\0", begin)].decode()


_C = ctypes.CDLL(None, use_errno=True)
