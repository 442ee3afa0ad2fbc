"""Shared libraries made of texts of C: made once for a machine, kept in the user's cache, and probed where they are
loaded."""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from time import monotonic_ns
from types import MappingProxyType
from typing import TypeAlias

from hamlet.errors import EnvError
from hamlet.native import cpu
from hamlet.native.compilers import HEADER, NATIVE, Compiler, compiled, compiler
from hamlet.package import cache as kept
from hamlet.system import process
from hamlet.terminal import say_once
from hamlet.waiting import compiling

KIND = "libraries"
"""Where the user's cache has them."""
FORMAT = 1
"""The version of what is kept."""
RECENT = 32
"""Libraries that stay loaded though nobody uses them: worlds of the same universe often follow each other."""

Defines: TypeAlias = tuple[tuple[str, str], ...]
DESCRIPTORS = Path("/proc/self/fd")
"""Where Linux has the files that a process has open, those without a name too."""
NOTHING_DEFINED: Mapping[str, str] = MappingProxyType({})
LIBRARY = {"HAMLET_LIBRARY": "1"}
"""Gives a library the function `SELFTEST`."""
SELFTEST = "hamlet_library_selftest"

WRONG = {
    1: "products and sums are contracted",
    2: "numbers are wider than binary32",
    3: "subnormal numbers are taken for zero",
    4: "subnormal results become zero",
    5: "results are not rounded to nearest",
    6: "operations are rearranged",
    7: "the sign of zero is lost",
    8: "comparisons with NaN are taken for others",
    9: "numbers begin with their highest byte",
    10: "integers do not wrap",
}
"""What the self-test of `hamlet.h` finds, by its numbers."""
OF_THE_THREAD = {3, 4, 5}
"""Those that a thread can have set for itself."""


@cache
def header() -> str:
    """The text of `hamlet.h`, which every text of C includes."""
    return files(__package__).joinpath(HEADER).read_text(encoding="utf-8")


def library(text: str, defines: Mapping[str, str] = NOTHING_DEFINED, by: Compiler | None = None) -> ctypes.CDLL:
    """The shared library of a text of C, compiled for this CPU where nobody has. It stays loaded while something refers
    to it or to a function of it, see `opened`; the latest ones do in any case.

    Args:
        text: in C99; it includes `hamlet.h` and nothing else that is not C's own, and exports with `HAMLET_EXPORT`.
        defines: values of macros by name.
        by: by default the compiler of this process.

    Raises:
        EnvError: there is no compiler, it fails, or bits would differ here (`probed`). The message is one line.
    """
    key = text, tuple(sorted(defines.items())), by or compiler()
    lock = _lock(sha256(repr(key).encode()).digest())
    if not lock.acquire(blocking=False):
        with compiling():
            lock.acquire()
    try:
        return _library(*key)
    finally:
        lock.release()


def is_kept(text: str, defines: Mapping[str, str], by: Compiler) -> bool:
    """Whether the user's cache has the library of a text."""
    return kept.recall(KIND, _name(text, tuple(sorted(defines.items())), by)) is not None


def machine_code(text: str, defines: Mapping[str, str], level: str) -> bytes:
    """The shared library of a text for all CPUs of a level, see `hamlet.launch.cpu.levels`; it is not kept.

    Raises:
        EnvError: there is no compiler, or it fails.
    """
    return compiled(compiler(), text, header().encode(), {**defines, **LIBRARY}, level)


def opened(content: bytes) -> ctypes.CDLL:
    """Load a shared library from memory. It is unloaded when nothing refers to it any more: its functions refer to it,
    and whoever takes an address of one has to (`hamlet.launch.cpu.entry.entry`).

    Raises:
        OSError: it cannot be loaded on this machine.
    """
    loaded = _loaded(content)
    # Threads may run in it when Python ends. Where there is no such function it stays loaded.
    unload = getattr(process(), "dlclose", None)
    if unload is not None:
        weakref.finalize(loaded, unload, ctypes.c_void_p(loaded._handle)).atexit = False
    return loaded


def _loaded(content: bytes) -> ctypes.CDLL:
    if not DESCRIPTORS.is_dir() or not hasattr(os, "memfd_create"):
        with TemporaryDirectory(prefix="hamlet-", ignore_cleanup_errors=True) as folder:
            path = Path(folder) / "library.so"
            path.write_bytes(content)
            return ctypes.CDLL(str(path))
    descriptor = os.memfd_create("hamlet", os.MFD_CLOEXEC)
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(content)
        # A path that was loaded before would give what was loaded then, and descriptors are used again.
        number = format(next(_numbers()), "b").replace("0", "/").replace("1", "./")
        return ctypes.CDLL(f"{DESCRIPTORS}/{number}{descriptor}")
    finally:
        os.close(descriptor)


def probed(loaded: ctypes.CDLL) -> ctypes.CDLL:
    """The same library, if its self-test finds that it gives the stated bits in this thread.

    Raises:
        EnvError: it does not.
    """
    number = int(loaded[SELFTEST]())
    if number:
        thread = "; this thread was told so (as by torch.set_flush_denormal)" if number in OF_THE_THREAD else ""
        raise EnvError(f"kernels in C are not exact here: {WRONG[number]}{thread}")
    return loaded


@lru_cache(RECENT)
def _library(text: str, defines: Defines, by: Compiler) -> ctypes.CDLL:
    try:
        return probed(opened(_made(text, defines, by)))
    except OSError as error:
        raise EnvError(f"compiled kernels cannot be loaded: {error}") from error


def _made(text: str, defines: Defines, by: Compiler) -> bytes:
    """The bytes of a library."""
    name = _name(text, defines, by)
    content = kept.recall(KIND, name)
    if content is not None:
        return content
    with compiling():
        content = compiled(by, text, header().encode(), {**dict(defines), **LIBRARY}, NATIVE)
    try:
        kept.keep(KIND, name, content)
    except OSError as error:
        say_once(f"compiled kernels cannot be kept, so every process compiles them: {kept.reason(error)}")
    return content


def _name(text: str, defines: Defines, by: Compiler) -> str:
    """Under which a library is kept."""
    parts = (str(FORMAT), text, header(), repr(defines), by.identity, repr(by.arguments(NATIVE)), cpu.identity())
    return sha256("\0".join(parts).encode()).hexdigest()


@cache
def _lock(_key: bytes) -> Lock:
    """Held by whoever makes or loads a library: others wait for it."""
    return Lock()


@cache
def _numbers() -> Iterator[int]:
    """Numbers of paths, others than before where this module is imported anew in a process."""
    return count(monotonic_ns())
