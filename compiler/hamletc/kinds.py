"""Kinds of paths where a universe is expected: a text, a pack, a generated package, a recorded run, ..."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from hamlet.regular import open_regular, read_regular
from hamletc.errors import CompileError
from hamletc.frontend import front_ends

Kind: TypeAlias = Literal[
    "text",
    "sources",
    "package",
    "recorded run",
    "episode",
    "another's",
    "arrays",
    "package's file",
    "folder",
    "nothing",
]
"""`sources` are what a front end reads, and `another's` is what it knows beside that."""
RECORDED = ".npz"
EPISODE = ".episode"
MOST_MANIFEST = 1 << 24
"""The most bytes that the `__init__.py` of a package has."""


def kind_of(path: Path) -> Kind:
    """The kind of a path. Of sources or a package, be it broken ones: a folder with a file that those have. Of a text:
    any other file.
    """
    if path.is_dir():
        return "package" if _is_package(path) else "sources" if _owned(path) else "folder"
    if not path.exists():
        return "nothing"
    if path.suffix == ".hamlet":
        return "text"
    if path.suffix == EPISODE:
        return "episode"
    if "about.npy" in arrays_in(path):
        return "recorded run"
    if _owned(path):
        return "sources"
    if _phrase(path) is not None:
        return "another's"
    if path.suffix == RECORDED:
        return "arrays"
    if path.suffix in (".py", ".json", ".ir", ".cubin") and any(map(_is_package, path.parents[:3])):
        return "package's file"
    return "text"


def expect(path: Path, *kinds: Kind) -> Kind:
    """The kind of a path, which is one of these.

    Raises:
        CompileError: it is something else; the message says what, and what takes it.
    """
    kind = kind_of(path)
    if kind not in kinds:
        raise CompileError(f"{path} {_said(path, kind)}")
    return kind


def _said(path: Path, kind: Kind) -> str:
    match kind:
        case "text":
            return "is a file"
        case "sources" | "another's":
            return _phrase(path) or "is the source of a universe, and no text"
        case "package":
            verbs = "`sweep`, `design`, `verify`, `bench`, `profile`, `diff`, `trace`, `record` and `replay`"
            return f"is a generated package: hamlet.load loads it, and `hamletc run`, {verbs} take it"
        case "recorded run":
            return "is a recorded run: `hamletc replay UNIVERSE RUN`, `diff` and `trace` take it"
        case "episode":
            return "is a recorded episode: `hamletc replay` and `trace` take it"
        case "arrays":
            return "is no recorded run and no trace of HAMLET, or a damaged one"
        case "package's file":
            folder = next(parent for parent in path.parents if _is_package(parent))
            return f"is one file of a generated package: name the folder, {folder}"
        case "folder":
            lacking = "".join(f"without {front_end.reads} and " for front_end in front_ends())
            return f"is a folder {lacking}without a generated package"
        case "nothing":
            return "does not exist"


def _owned(path: Path) -> bool:
    return any(front_end.owns(path) for front_end in front_ends())


def _phrase(path: Path) -> str | None:
    """The phrase of a front end about it."""
    return next((said for each in front_ends() if (said := each.knows(path)) is not None), None)


def _is_package(folder: Path) -> bool:
    from hamlet.package.manifest import FILENAME, is_generated

    try:
        return is_generated(read_regular(folder / FILENAME, MOST_MANIFEST).decode())
    except (OSError, UnicodeDecodeError):
        return False


def arrays_in(path: Path) -> frozenset[str]:
    """The names of the files in an archive of arrays; none where it is no such archive."""
    import struct
    import zipfile

    if path.suffix != RECORDED:
        return frozenset()
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            return frozenset(archive.namelist())
    except (OSError, zipfile.BadZipFile, struct.error, ValueError, NotImplementedError, OverflowError):
        return frozenset()
