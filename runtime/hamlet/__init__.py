"""hamlet: the runtime of compiled universes.

`load(path)` gives the universe of a generated package, `compile(path)` compiles a `.hamlet` file first, and
`make(module, worlds=...)` makes worlds of it. Importing this package imports neither torch nor the compiler.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hamlet.errors import EnvError, HamletError, HamletWarning, ModuleError, shown

if TYPE_CHECKING:
    from types import ModuleType

    from hamlet.env.make import make
    from hamlet.package.module import Module

__all__ = ["EnvError", "HamletError", "HamletWarning", "ModuleError", "compile", "load", "make"]


def __getattr__(name: str) -> object:
    """`make` brings torch in, which takes longer than all the rest: whoever only compiles goes without."""
    if name == "make":
        from hamlet.env.make import make

        globals()["make"] = make
        return make
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load(package: str | Path | ModuleType) -> Module:
    """The universe of a generated package: its folder, or the package as imported (`from generated import town`).

    Raises:
        ModuleError: it is no generated package, or a file in it was changed, added or removed.
    """
    from hamlet.package.module import load

    return load(package)


def compile(path: str | Path, output: str | Path | None = None) -> Module:
    """Compile a `.hamlet` file, or the folder of a pack of HAMLET's, and load it.

    The generated package goes to `output`, or else to a folder named after its contents under `$XDG_CACHE_HOME/hamletc`
    (`~/.cache/hamletc`), where the same contents are found again. Warnings about the universe are given as
    Python's, each a `HamletWarning` in one line that begins with its code.

    Raises:
        EnvError: an argument is no path.
        hamletc.CompileError: the file cannot be read or has errors (the message shows the diagnostics), or `output`
            cannot be written, or is something other than a generated package. Where the cache cannot be written, one
            line on stderr says that nothing is kept.

    ```python
    universe = hamlet.compile("universes/town.hamlet")
    print(universe, universe.universe)
    ```
    """
    import warnings

    from hamletc.compile import compile_file

    for name, given in (("path", path), ("output", path if output is None else output)):
        if not isinstance(given, (str, Path)) or "\0" in str(given):
            raise EnvError(f"{name} is the path of a file or a folder, not {shown(given)}")
    lines: list[str] = []
    module = compile_file(Path(path), None if output is None else Path(output), lambda file: lines.extend(file.lines()))
    for line in lines:
        warnings.warn(line, HamletWarning, stacklevel=2)
    return module
