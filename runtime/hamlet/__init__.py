"""hamlet: the runtime of compiled universes.

`compile(path)` compiles a `.hamlet` file, `load(path)` loads a generated package; both return a `Module`.
`make(module, worlds=...)` makes an environment of it, whose params can be drawn from `Uniform`, `LogUniform`, `Choice`
and `Normal`; an `MLP` is a policy that its rollouts run, `policy(path)` one that was learnt, and `Storage` holds
what they store of it. Importing this package imports neither torch nor the compiler.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hamlet.errors import EnvError, HamletError, HamletWarning, ModuleError, shown

if TYPE_CHECKING:
    from types import ModuleType

    from hamlet.backend.storage import Storage
    from hamlet.env.make import make
    from hamlet.env.replay import replay
    from hamlet.env.write.distributions import Choice, LogUniform, Normal, Uniform
    from hamlet.package.module import Module
    from hamlet.policies.mlp import MLP
    from hamlet.policies.reading import policy

__all__ = [
    "MLP",
    "Choice",
    "EnvError",
    "HamletError",
    "HamletWarning",
    "LogUniform",
    "ModuleError",
    "Normal",
    "Storage",
    "Uniform",
    "__version__",
    "compile",
    "load",
    "make",
    "policy",
    "replay",
]

__version__ = "0.2.0"
"""The version of all packages of the distribution."""

FROM_TORCH = {
    "MLP": "hamlet.policies.mlp",
    "Storage": "hamlet.backend.storage",
    "make": "hamlet.env.make",
    "Choice": "hamlet.env.write.distributions",
    "LogUniform": "hamlet.env.write.distributions",
    "Normal": "hamlet.env.write.distributions",
    "policy": "hamlet.policies.reading",
    "Uniform": "hamlet.env.write.distributions",
    "replay": "hamlet.env.replay",
}
"""Modules of names that are imported at their first use: they import torch, which takes longer than a whole
compilation.
"""


def __getattr__(name: str) -> object:
    """Import what `FROM_TORCH` names.

    Raises:
        EnvError: torch or numpy is not installed.
    """
    if name in FROM_TORCH:
        from importlib import import_module

        try:
            globals()[name] = member = getattr(import_module(FROM_TORCH[name]), name)
        except ModuleNotFoundError as error:
            from hamlet.extras import advice

            if not (line := advice(error)):
                raise
            raise EnvError(line) from error
        return member
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load(package: str | Path | ModuleType) -> Module:
    """Verify and load a generated package, given as a folder or as the imported package (`from generated import town`).

    Raises:
        ModuleError: the folder is no generated package, or a file in it was changed, added or removed.
    """
    from hamlet.package.module import load

    return load(package)


def compile(path: str | Path, output: str | Path | None = None) -> Module:
    """Compile a `.hamlet` file, or the folder of a pack of HAMLET, and load the generated package.

    The package is written to `output`. Without `output` it is written to the user's cache, `$XDG_CACHE_HOME/hamletc`
    or `~/.cache/hamletc`, into a folder that is named after its contents; where the cache cannot be written, the
    package stays in memory and one line on stderr says so. Each warning about the universe is issued as a Python
    warning, a `HamletWarning` whose text begins with its code.

    Raises:
        EnvError: an argument is not a path.
        hamletc.CompileError: the file cannot be read or has errors (the message shows the diagnostics), or `output`
            cannot be written or is something other than a generated package.

    ```python
    universe = hamlet.compile("universes/town.hamlet")
    print(universe, universe.universe)
    ```
    """
    import warnings

    from hamletc.compile import compile_file

    for name, argument in (("path", path), ("output", path if output is None else output)):
        if not isinstance(argument, (str, Path)) or "\0" in str(argument):
            raise EnvError(f"{name} is the path of a file or a folder, not {shown(argument)}")
    lines: list[str] = []
    module = compile_file(Path(path), None if output is None else Path(output), lambda file: lines.extend(file.lines()))
    for line in lines:
        warnings.warn(line, HamletWarning, stacklevel=2)
    return module
