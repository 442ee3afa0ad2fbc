"""Find, verify and import a generated package.

The loader reads every file once, compares its sha256 with the one in the package's `__init__.py`, and executes only
bytes that it has compared. It identifies kernels by their contents, never by their path, because the folder may hold
another package by the time they are imported.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from types import ModuleType

from hamlet.errors import ModuleError, shown
from hamlet.package import manifest
from hamlet.regular import read_regular
from hamlet.universe import Universe
from hamlet.universe.codec import from_json

UNIVERSE_FILE = "universe.json"

ATTEMPTS = 100
"""How often a folder is read again that another process replaces meanwhile."""

_importing = RLock()


def kernels_file(target: str, suffix: str = "py") -> str:
    """The name of the file in a package that has the kernels of this target, which writes texts with this suffix."""
    return f"{target}_kernels.{suffix}"


@dataclass(frozen=True, slots=True, repr=False)
class Module:
    """A generated package, verified and read into memory.

    Attributes:
        path: the folder of the package.
        universe: the universe that was compiled.
        digest: sha256 of `universe.json`, in hexadecimal; modules with equal digests have the same universe.
        sources: the contents of the other files, by name.
    """

    path: Path
    universe: Universe
    digest: str
    sources: dict[str, bytes]

    @property
    def name(self) -> str:
        """The name of the universe."""
        return self.universe.name

    def __repr__(self) -> str:
        return f"Module({self.name}, path={str(self.path)!r}, digest={self.digest[:12]})"

    def kernels(self, target: str) -> ModuleType:
        """The Python module with the kernels of a target such as "triton".

        Raises:
            ModuleError: the package has no kernels for the target, or their file is not valid Python.
        """
        text, filename = text_of(self, target), kernels_file(target)
        try:
            return execute(filename, text)
        except (SyntaxError, UnicodeDecodeError) as error:
            raise ModuleError(f"{self.path / filename} is no Python ({error}): compile {self.name} again") from error


def text_of(module: Module, target: str, suffix: str = "py") -> bytes:
    """The file of a module with the kernels of a target, which writes texts with this suffix.

    Raises:
        ModuleError: the package has none.
    """
    if not isinstance(target, str):
        raise ModuleError(f"a target is a name, not {shown(target)}")
    filename = kernels_file(target, suffix)
    if filename not in module.sources:
        raise ModuleError(f"{module.path} has no {filename}: compile {module.name} again with --target {target}")
    return module.sources[filename]


def load(package: str | Path | ModuleType) -> Module:
    """Verify a generated package, given as a folder or as the imported package, and read its universe.

    Raises:
        ModuleError: the folder is no generated package, or a file in it was changed, added or removed.
    """
    path = _folder(package)
    return in_memory(path, verified(path))


def in_memory(path: Path, files: Mapping[str, bytes]) -> Module:
    """The module of a package with these files, without verifying them; `path` is its folder, which need not exist.

    Raises:
        ModuleError: `universe.json` holds no universe.
    """
    contents = {name: content for name, content in files.items() if name != manifest.FILENAME}
    source = contents.pop(UNIVERSE_FILE)
    try:
        universe = from_json(source.decode())
    except (ValueError, KeyError, TypeError) as error:
        raise ModuleError(f"{path / UNIVERSE_FILE} holds no universe ({error}): compile it again") from error
    return Module(path, universe, manifest.sha256(source), contents)


def verified(path: Path) -> dict[str, bytes]:
    """The verified contents of the files of a generated package, except `__init__.py`. All of them belong to one
    package, even if another process replaces the folder meanwhile.

    Raises:
        ModuleError: the folder is no generated package, or a file in it was changed, added or removed.
    """
    for _ in range(ATTEMPTS):
        before = _identity(path)
        try:
            return _verified(path)
        except ModuleError:
            if _identity(path) == before:
                raise
    return _verified(path)


def _identity(path: Path) -> tuple[int, ...] | None:
    """Numbers that change when the folder or its manifest is replaced; `None` where one of them is missing."""
    try:
        statuses = (path.stat(), (path / manifest.FILENAME).stat())
    except OSError:
        return None
    return tuple(number for each in statuses for number in (each.st_dev, each.st_ino, each.st_mtime_ns))


def _verified(path: Path) -> dict[str, bytes]:
    written = read_manifest(path)
    expected = dict(written.files)
    present = manifest.files_in(path)
    if not (path / manifest.AHEAD).exists():
        expected = {name: digest for name, digest in expected.items() if not name.startswith(f"{manifest.AHEAD}/")}
    for name in present:
        if name not in expected:
            raise ModuleError(f"{path / name} was not written by hamletc: remove it, or compile into another folder")
    contents = {}
    for name, digest in expected.items():
        if name not in present:
            raise ModuleError(f"{path / name} is missing: compile {written.source} again")
        contents[name] = _read(path / name)
        if manifest.sha256(contents[name]) != digest:
            raise ModuleError(f"{path / name} was changed after it was written: compile {written.source} again")
    if UNIVERSE_FILE not in contents:
        raise ModuleError(f"{path / manifest.FILENAME} was changed: compile {written.source} again")
    return contents


def read_manifest(path: Path) -> manifest.Manifest:
    """The manifest of a generated package, read without executing anything.

    Raises:
        ModuleError: the folder is no generated package, or its `__init__.py` was changed.
    """
    if not path.is_dir():
        raise ModuleError(f"{path} is no folder" if path.exists() else f"{path} does not exist")
    init = path / manifest.FILENAME
    if not init.is_file():
        raise ModuleError(f"{path} is no generated package: it has no {manifest.FILENAME}")
    try:
        return manifest.parse(_read(init).decode())
    except UnicodeDecodeError as error:
        raise ModuleError(f"{init} is not UTF-8") from error
    except manifest.ManifestError as error:
        raise ModuleError(f"{init} {error}") from error


def _folder(package: str | Path | ModuleType) -> Path:
    if isinstance(package, ModuleType):
        if package.__file__ is None:
            raise ModuleError(f"{package.__name__} is no generated package")
        return Path(package.__file__).parent
    if not isinstance(package, (str, Path)) or "\0" in str(package):
        raise ModuleError(f"a package is a folder, or a module that was imported, not {shown(package)}")
    path = Path(package)
    if path.suffix == ".hamlet":
        raise ModuleError(f"{path} is a source file: hamlet.compile({str(path)!r}) compiles and loads it")
    return path


def _read(path: Path) -> bytes:
    try:
        return read_regular(path)
    except OSError as error:
        raise ModuleError(f"{path} cannot be read: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class Contents:
    """The loader of a module whose text lies in memory. Tracebacks and Triton ask it for source lines.

    Attributes:
        digest: sha256 of the text, in hexadecimal.
        text: the source text of the module.
    """

    digest: str
    text: str

    def get_source(self, _name: str) -> str:
        """The source text of the module."""
        return self.text


def execute(filename: str, source: bytes) -> ModuleType:
    """The module with these contents, executed once per process. Its name is that of the contents alone, like the key
    of its machine code in the cache, which asks for the module by name."""
    digest = manifest.sha256(source)
    name, path = f"hamlet_generated.{filename.removesuffix('.py')}_{digest}", f"hamlet_generated/{digest}/{filename}"
    with _importing:
        if name in sys.modules:
            return sys.modules[name]
        module = ModuleType(name)
        # No file has this path, so tools that look for the source find the text that was executed.
        module.__file__ = path
        loader = Contents(digest, source.decode())
        module.__dict__["__loader__"] = loader
        linecache.cache[path] = (len(source), None, loader.text.splitlines(keepends=True), path)
        # Triton looks up the module of a function by name.
        sys.modules[name] = module
        try:
            exec(compile(loader.text, path, "exec"), module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
        return module
