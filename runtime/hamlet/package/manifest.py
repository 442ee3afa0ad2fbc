"""The `__init__.py` of a generated package: who wrote it, and the sha256 of every other file.

The compiler writes `render(manifest)`. The loader reads the constants without executing anything, renders them again
and wants the same text: so that file can hold nothing else.
"""

from __future__ import annotations

import ast
import hashlib
import re
from pathlib import Path

from hamlet.frozen import dataclass

SCHEMA = 10
"""The version of the layout of a generated package."""

FILENAME = "__init__.py"

AHEAD = "aot"
"""The folder of a package with kernels that were compiled ahead of time. It may be removed as a whole."""

_TEMPLATE = '''"""Universe {universe}, compiled by hamletc {hamletc} from {source}. Do not edit: compile it again.

    from generated import {universe}

    env = hamlet.make({universe}.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = {schema}
HAMLETC = "{hamletc}"
UNIVERSE = "{universe}"
SOURCE = "{source}"
SHA256 = {{
{files}
}}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
'''


class ManifestError(ValueError):
    """The text is not the `__init__.py` of a generated package."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The declarations of a package's `__init__.py`. `files` are pairs of file name and sha256 (hexadecimal), in the
    order of writing.
    """

    universe: str
    source: str
    hamletc: str
    files: tuple[tuple[str, str], ...]


def sha256(contents: bytes) -> str:
    """The sha256 of a file's contents, in hexadecimal."""
    return hashlib.sha256(contents).hexdigest()


def files_in(folder: Path) -> list[str]:
    """The names of everything in a package but `__init__.py` and what Python puts there; of `aot`, the files in it."""
    names = []
    for entry in folder.iterdir():
        if entry.name == AHEAD and entry.is_dir():
            names += [path.relative_to(folder).as_posix() for path in entry.rglob("*") if not path.is_dir()]
        elif entry.name not in ("__pycache__", FILENAME):
            names.append(entry.name)
    return sorted(names)


def plain(source: str) -> str:
    """The name of a source file with everything that could end a Python string replaced by `_`."""
    return re.sub(r"[^\w.-]", "_", source, flags=re.ASCII)


def render(manifest: Manifest) -> str:
    """The text of `__init__.py`."""
    files = "\n".join(f'    "{name}": "{digest}",' for name, digest in manifest.files)
    return _TEMPLATE.format(
        universe=manifest.universe, source=manifest.source, hamletc=manifest.hamletc, schema=SCHEMA, files=files
    )


def is_generated(text: str) -> bool:
    """Whether this is, or once was, the `__init__.py` of a generated package."""
    return {"SCHEMA", "HAMLETC", "UNIVERSE", "SHA256"} <= _constants(text).keys()


def parse(text: str) -> Manifest:
    """The manifest that `render` turns into this text. Nothing is executed.

    Raises:
        ManifestError: there is none; the message says what is wrong, as the end of a sentence.
    """
    constants = _constants(text)
    if "SCHEMA" not in constants:
        raise ManifestError("was not written by hamletc")
    if constants["SCHEMA"] != SCHEMA:
        raise ManifestError(
            f"has schema {constants['SCHEMA']}, and this hamlet reads schema {SCHEMA}: compile it again"
        )
    match constants:
        case {"UNIVERSE": str(universe), "SOURCE": str(source), "HAMLETC": str(hamletc), "SHA256": dict(files)}:
            manifest = Manifest(universe, source, hamletc, tuple((str(k), str(v)) for k, v in files.items()))
        case _:
            raise ManifestError("was changed: compile it again")
    if render(manifest) != text:
        raise ManifestError("was changed: compile it again")
    return manifest


def _constants(text: str) -> dict[str, object]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    constants: dict[str, object] = {}
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                try:
                    constants[name] = ast.literal_eval(value)
                except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                    continue
            case _:
                continue
    return constants
