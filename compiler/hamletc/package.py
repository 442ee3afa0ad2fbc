"""Writing a generated package: all of it or nothing, and never over somebody else's files."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from hamlet import manifest
from hamlet.adapters.townlet import description
from hamlet.adapters.townlet.description import Description
from hamlet.manifest import Manifest
from hamlet.module import UNIVERSE_FILE, kernels_file
from hamlet.universe import Universe
from hamletc import __version__
from hamletc.errors import CompileError

IR_FILE = "tick.ir"
FILENAMES = (UNIVERSE_FILE, IR_FILE, kernels_file("triton"), kernels_file("numba"), description.FILENAME)
"""The files that a package can hold beside `__init__.py`, in the order in which it lists them."""


def package(universe: Universe, texts: Mapping[str, str], pack: Description | None = None) -> dict[str, bytes]:
    """The contents of every file of a package, by name: the texts, the description of the pack that the universe comes
    from, and the `__init__.py` that vouches for them."""
    described = {} if pack is None else {description.FILENAME: description.to_json(pack)}
    files = {name: {**texts, **described}[name].encode() for name in FILENAMES if name in texts or name in described}
    hashes = tuple((name, manifest.sha256(contents)) for name, contents in files.items())
    source = universe.sources[0] if pack is None else pack.pack
    listing = Manifest(universe.name, manifest.plain(source), __version__, hashes)
    return {manifest.FILENAME: manifest.render(listing).encode(), **files}


def default_folder(name: str) -> Path:
    """Where `hamletc` puts the package of a universe: so that `from generated import town` works from here."""
    return Path("generated") / name


def cache_folder(name: str, files: Mapping[str, bytes]) -> Path:
    """Where the user's cache keeps a package with these contents: `__init__.py` holds the hashes of all other files."""
    home = os.environ.get("XDG_CACHE_HOME")
    cache = Path(home) if home else Path.home() / ".cache"
    return cache / "hamletc" / f"{name}-{manifest.sha256(files[manifest.FILENAME])[:16]}" / name


def write(files: Mapping[str, bytes], output: Path) -> bool:
    """Write a package into the folder `output`, replacing a generated package that is there.

    Returns:
        Whether anything was written: a folder that already holds exactly these files is left as it is.

    Raises:
        CompileError: the folder cannot be written, or is something other than a generated package. Nothing is left
            behind, and an earlier package is still there.
    """
    output = output.absolute()
    try:
        if output.exists() or output.is_symlink():
            _check_replaceable(output)
            if _holds(output, files):
                return False
        with _folders(output.parent):
            _replace(output, files)
    except OSError as error:
        with contextlib.suppress(OSError):
            if _holds(output, files):
                # Another process wrote the same package in the meantime.
                return False
        raise CompileError(f"cannot write {output}: {error.strerror}") from error
    return True


def _check_replaceable(output: Path) -> None:
    if not output.is_dir():
        raise CompileError(f"cannot write {output}: it exists and is no folder")
    names = {entry.name for entry in output.iterdir()}
    if not names:
        return
    init = output / manifest.FILENAME
    if not init.is_file() or not manifest.is_generated(init.read_text(encoding="utf-8", errors="replace")):
        raise CompileError(f"cannot write {output}: it is not empty and no generated package; choose another folder")
    foreign = sorted(names - {manifest.FILENAME, "__pycache__", *FILENAMES})
    if foreign:
        raise CompileError(f"cannot write {output}: {foreign[0]} was not written by hamletc; move it away first")


def _holds(output: Path, files: Mapping[str, bytes]) -> bool:
    present = {entry.name for entry in output.iterdir()} - {"__pycache__"}
    return present == files.keys() and all((output / name).read_bytes() == files[name] for name in files)


def _replace(output: Path, files: Mapping[str, bytes]) -> None:
    staging = Path(tempfile.mkdtemp(prefix=f".{output.name}.", dir=output.parent))
    try:
        fresh, old = staging / "new", staging / "old"
        fresh.mkdir()
        for name, contents in files.items():
            (fresh / name).write_bytes(contents)
        if output.exists():
            output.rename(old)
        try:
            fresh.rename(output)
        except BaseException:
            if old.exists():
                old.rename(output)
            raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


@contextlib.contextmanager
def _folders(folder: Path) -> Iterator[None]:
    """Creates a folder and those above it; removes them again if the body fails."""
    created: list[Path] = []
    try:
        for path in reversed((folder, *folder.parents)):
            if not path.exists():
                path.mkdir(exist_ok=True)
                created.append(path)
        yield
    except BaseException:
        for path in reversed(created):
            with contextlib.suppress(OSError):
                path.rmdir()
        raise
