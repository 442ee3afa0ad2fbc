"""Writing a generated package: all of it or nothing, and never over somebody else's files."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import glob
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hamlet.errors import ModuleError
from hamlet.package import cache, manifest
from hamlet.package.manifest import Manifest
from hamlet.package.module import UNIVERSE_FILE, verified
from hamlet.system import process
from hamlet.universe import Universe
from hamletc import __version__
from hamletc.errors import CompileError
from hamletc.frontend import front_ends
from hamletc.targets.target import target_names, written_by

IR_FILE = "tick.ir"
SCHEDULE_FILE = "tick.kernel"
AHEAD_FOLDERS = (f"{manifest.AHEAD}/sm_", f"{manifest.AHEAD}/x86-64-")
"""How the folders of machine code begin."""
_HERE, _RENAME_EXCHANGE = -100, 2
"""AT_FDCWD and a flag of Linux's renameat2."""


def filenames(names: Collection[str]) -> tuple[str, ...]:
    """The files of these names that a package can hold beside `__init__.py`, in the order in which it lists them."""
    own = (UNIVERSE_FILE, IR_FILE, SCHEDULE_FILE, *map(written_by, target_names()))
    # Front ends are loaded, and pyyaml with them, only for a file that one of them may have attached.
    others = front_ends() if set(names).difference(own) else ()
    attached = (name for front_end in others for name in front_end.attaches)
    return tuple(name for name in (*own, *attached) if name in names)


def package(universe: Universe, texts: Mapping[str, str | bytes], source: str | None = None) -> dict[str, bytes]:
    """The contents of every file of a package, by name: the texts, and the `__init__.py` that vouches for them.
    `source` is what the universe was read from, by default its first text."""
    contents = {name: texts[name] for name in filenames(texts)}
    files = {name: each.encode() if isinstance(each, str) else each for name, each in contents.items()}
    hashes = tuple((name, manifest.sha256(contents)) for name, contents in files.items())
    listing = Manifest(universe.name, source or manifest.plain(universe.sources[0]), __version__, hashes)
    return {manifest.FILENAME: manifest.render(listing).encode(), **files}


def with_ahead(files: Mapping[str, bytes], compiled: Mapping[str, bytes]) -> dict[str, bytes]:
    """A package with kernels that were compiled ahead of time, in place of those that it has."""
    others = {n: c for n, c in files.items() if n != manifest.FILENAME and not n.startswith(f"{manifest.AHEAD}/")}
    every = others | dict(sorted(compiled.items()))
    listing = manifest.parse(files[manifest.FILENAME].decode())
    hashes = tuple((name, manifest.sha256(contents)) for name, contents in every.items())
    return {manifest.FILENAME: manifest.render(replace(listing, files=hashes)).encode(), **every}


def ahead_in(folder: Path, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The kernels in a folder that were compiled ahead of time from these very files; none where there is no such
    package, or a damaged one."""
    try:
        package = verified(folder)
    except ModuleError:
        return {}
    compiled = {name: contents for name, contents in package.items() if name.startswith(f"{manifest.AHEAD}/")}
    rest = {name: contents for name, contents in package.items() if name not in compiled}
    same = rest == {name: contents for name, contents in files.items() if name != manifest.FILENAME}
    return compiled if same else {}


def default_folder(name: str) -> Path:
    """Where `hamletc` puts the package of a universe: so that `from generated import town` works from here."""
    return Path("generated") / name


def cache_folder(name: str, files: Mapping[str, bytes]) -> Path:
    """Where the user's cache keeps a package with these contents: `__init__.py` holds the hashes of all other files."""
    return cache.folder() / f"{name}-{manifest.sha256(files[manifest.FILENAME])[:16]}" / name


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
        if _is_whole(output, files):
            # Another process wrote the same package in the meantime.
            return False
        raise CompileError(f"cannot write {output}: {error.strerror}") from error
    return True


def keep(files: Mapping[str, bytes], output: Path) -> bool:
    """Write a package into a folder of the user's cache. It is named after these contents (`cache_folder`), so whatever
    else is there was damaged, and is replaced.

    Returns:
        Whether something damaged was replaced.

    Raises:
        CompileError: the folder cannot be written.
    """
    output = output.absolute()
    try:
        there = output.exists() or output.is_symlink()
        if there and _is_whole(output, files):
            return False
        with _folders(output.parent):
            _replace(output, files)
    except OSError as error:
        if _is_whole(output, files):
            # Another process wrote the same package in the meantime.
            return False
        raise CompileError(f"cannot write {output}: {error.strerror}") from error
    return there


def _is_whole(output: Path, files: Mapping[str, bytes]) -> bool:
    """Whether a folder holds exactly these files, and they can be read."""
    with contextlib.suppress(OSError):
        return _holds(output, files)
    return False


def _listed(output: Path, said: str) -> Iterator[str]:
    """The files of a package that are as its `__init__.py` lists them, those of a target that is gone among them."""
    with contextlib.suppress(manifest.ManifestError, OSError):
        for name, digest in manifest.parse(said).files:
            if manifest.sha256((output / name).read_bytes()) == digest:
                yield name


def _check_replaceable(output: Path) -> None:
    if not output.is_dir():
        raise CompileError(f"cannot write {output}: it exists and is no folder")
    if not any(output.iterdir()):
        return
    init = output / manifest.FILENAME
    said = init.read_text(encoding="utf-8", errors="replace") if init.is_file() else ""
    if not manifest.is_generated(said):
        raise CompileError(f"cannot write {output}: it is not empty and no generated package; choose another folder")
    present = manifest.files_in(output)
    others = {name for name in present if not name.startswith(AHEAD_FOLDERS)}.difference(_listed(output, said))
    foreign = sorted(others.difference(filenames(others)))
    if foreign:
        raise CompileError(f"cannot write {output}: {foreign[0]} was not written by hamletc; move it away first")


def _holds(output: Path, files: Mapping[str, bytes]) -> bool:
    present = {manifest.FILENAME, *manifest.files_in(output)}
    return present == files.keys() and all((output / name).read_bytes() == files[name] for name in files)


def _replace(output: Path, files: Mapping[str, bytes]) -> None:
    """Put a package in the place of what is there, in one step: whoever looks finds the one or the other, also when
    this process is killed."""
    beginning = f".{output.name}.hamletc-"
    with _alone(output.parent):
        # Writers of this folder take turns, so what lies there was left behind by a process that was killed.
        for left in output.parent.glob(f"{glob.escape(beginning)}*"):
            shutil.rmtree(left, ignore_errors=True)
        staging = Path(tempfile.mkdtemp(prefix=beginning, dir=output.parent))
        try:
            fresh = staging / output.name
            fresh.mkdir()
            for name, contents in files.items():
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                (fresh / name).write_bytes(contents)
            if output.exists() or output.is_symlink():
                _exchange(fresh, output)
            else:
                fresh.rename(output)
        finally:
            shutil.rmtree(staging, ignore_errors=True)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Waits until no other process writes packages into a folder."""
    try:
        import fcntl
    except ImportError:
        # Windows has no locks of folders: the one that writes last stays.
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):
            # There are file systems without locks.
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _exchange(one: Path, other: Path) -> None:
    """Swap two folders."""
    exchange: Any = getattr(process(), "renameat2", None)
    names = (os.fsencode(one), os.fsencode(other))
    if exchange is not None:
        if exchange(_HERE, names[0], _HERE, names[1], _RENAME_EXCHANGE) == 0:
            return
        number = ctypes.get_errno()
        if number not in (errno.EINVAL, errno.ENOSYS):
            raise OSError(number, os.strerror(number))
    # This file system cannot exchange folders: for a moment neither package stands there.
    old = one.with_name(f"{one.name}.old")
    other.rename(old)
    try:
        one.rename(other)
    except BaseException:
        old.rename(other)
        raise


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
