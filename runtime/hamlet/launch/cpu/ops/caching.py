"""Machine code of numba kernels, kept in the user's cache under all that it depends on.

Numba's own cache is found by the path of the source and the number of a line, lies beside the source, and is
unpickled and run as it is. So a package would bring its machine code along, and one that takes another's place would
run the other's. Here a package is only read.
"""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache as once
from functools import partial
from hashlib import sha256
from importlib import metadata
from itertools import count
from pathlib import Path
from typing import Any

from llvmlite.binding import parse_assembly

from hamlet.launch.cpu import entry as layout
from hamlet.launch.cpu.child import in_a_child
from hamlet.launch.cpu.ops.machinery import NullCache, compiler, config, dumps
from hamlet.package import cache
from hamlet.terminal import say_once
from hamlet.waiting import compiling

KIND = "kernels"
FORMAT = 2
"""The version of what is kept."""

PACKAGES = ("hamletc", "numba", "llvmlite", "numpy")
OPTIONS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT", "ENABLE_AVX", "BOUNDSCHECK")
"""Those of numba that change machine code."""

OWN = 8
"""Kernels that a process compiles itself. Numba and LLVM never give back what they took to compile one, some 20 MB;
machine code that a child made takes 1 MB."""

LARGE = 1_000_000
"""Characters of kernels that take more than half a minute to compile."""


def announcement(length: int) -> str:
    """What to tell a user who will wait: the cost of kernels with a text of this length, by `benchmarks/sizes.py`."""
    seconds, gigabytes = 11 + 30e-6 * length, 0.41 + 0.23e-6 * length
    return f"compiling large kernels for this CPU, once: about {seconds:.0f} s and {gigabytes:.1f} GB of memory"


class KernelCache(NullCache):  # type: ignore[misc]  # numba has no types
    """Has the place of numba's cache of a function."""

    def __init__(self, kernel: str, source: str, length: int) -> None:
        """`kernel` is the name of the function in a module whose text has the sha256 `source` and this length."""
        self._length = length
        self._identity = {"format": FORMAT, "kernel": kernel, "source": source, **_machinery()}

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """What was compiled for these types; `None` where nothing is kept that can be trusted."""
        target_context.refresh()
        kept = cache.recall(KIND, self._name(signature, target_context.codegen()))
        if kept is None:
            self.announce()
        # The cache vouches that these are the bytes that `save_overload` gave it, and that nobody else could.
        return None if kept is None else compiler.CompileResult._rebuild(target_context, *pickle.loads(kept))

    def save_overload(self, signature: Any, data: Any) -> None:
        """Keep what was compiled for these types."""
        if data.lifted or data.library.has_dynamic_globals:
            return
        try:
            cache.keep(KIND, self._name(signature, data.codegen), dumps(data._reduce()))
        except OSError as error:
            _cannot_keep(error)

    def entry_name(self, given: tuple[Any, ...]) -> str:
        """The name of the function by which machine code calls the kernel with arguments of these types."""
        return "hamlet_entry_" + _sha256({**self._identity, "types": [str(type_) for type_ in given]})

    def announce(self) -> None:
        """Tell the user where compiling will take long."""
        if self._length > LARGE:
            say_once(announcement(self._length))

    def _name(self, signature: Any, codegen: Any) -> str:
        return _named({**self._identity, "signature": str(signature)}, codegen)


def kept_library(
    name: str, codegen: Any, write: Callable[[Any], None], announce: Callable[[], None] | None = None
) -> Any:
    """A library of functions whose names begin with this one, which says all that it depends on beside the machine and
    our own code; `write` generates it where it is not kept.

    Kernels take seconds, so the user is told (`compiling`, `announce`), and megabytes, so after the first `OWN` of them
    this process lets children compile. Without `announce` it is neither.
    """
    file = _named({"format": FORMAT, "function": name, **_machinery()}, codegen)
    content = cache.recall(KIND, file)
    if content is not None:
        # As above: nobody else could have put it there.
        return codegen.unserialize_library(pickle.loads(content))
    compile_ = partial(_library, name, codegen, write)
    if announce is None:
        library = compile_()
    else:
        with compiling():
            announce()
            content = in_a_child(lambda: _serialized(compile_())) if next(_turns()) >= OWN else None
            # What cannot be compiled in a child fails here again, where the user sees why.
            library = compile_() if content is None else codegen.unserialize_library(pickle.loads(content))
    try:
        cache.keep(KIND, file, content or _serialized(library))
    except OSError as error:
        _cannot_keep(error)
    return library


def _serialized(library: Any) -> bytes:
    return pickle.dumps(library.serialize_using_object_code())


def _library(name: str, codegen: Any, write: Callable[[Any], None]) -> Any:
    """Compile it."""
    library = codegen.create_library(name)
    library.enable_object_caching()
    write(library)
    library.finalize()
    library._shared_module = _stubs(library, name)
    return library


@once
def _turns() -> Iterator[int]:
    """Counts the kernels that this process compiled, or had compiled."""
    return count()


def _stubs(library: Any, name: str) -> Any:
    """A module with the names of functions alone. Numba keeps one beside machine code, to link it into other code."""
    found = [each.name for each in library.get_defined_functions() if each.name.startswith(name)]
    return parse_assembly("\n".join(f"define void @{each}() {{ ret void }}" for each in found))


def _cannot_keep(error: OSError) -> None:
    say_once(f"compiled kernels cannot be kept, so every process compiles them: {cache.reason(error)}")


def _named(identity: Mapping[str, Any], codegen: Any) -> str:
    """The sha256 of all that machine code depends on."""
    machine = [str(part) for part in codegen.magic_tuple()]
    options = {name: str(getattr(config, name, None)) for name in OPTIONS}
    key = {**identity, "machine": machine, "options": options}
    return _sha256(key)


def _sha256(key: Mapping[str, Any]) -> str:
    return sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()


@once
def _machinery() -> dict[str, str]:
    """The helpers that are linked into kernels, and the versions of all that compiles them."""
    helpers = sha256()
    for file in (*sorted(Path(__file__).parent.glob("*.py")), Path(layout.__file__)):
        helpers.update(f"{file.name}\0".encode() + sha256(file.read_bytes()).digest())
    versions = {name: _version(name) for name in PACKAGES}
    return {"helpers": helpers.hexdigest(), "python": sys.version, "abi": sys.implementation.cache_tag, **versions}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
