"""What a user can name where a universe is expected: a text, a pack, a generated package, a recorded run, ..."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from hamletc.errors import CompileError

Kind: TypeAlias = Literal[
    "text", "pack", "package", "recorded run", "trace", "arrays", "pack's file", "package's file", "folder", "nothing"
]
RECORDED = ".npz"
SHARED = "global_actions.yaml"
"""It may also stand in the folder that packs are in."""


def kind_of(path: Path) -> Kind:
    """What this is. Of a pack or a package, be it a broken one: a folder with a file that those have. Of a text: any
    other file."""
    if path.is_dir():
        return "package" if _is_package(path) else "pack" if _is_pack(path) else "folder"
    if not path.exists():
        return "nothing"
    if path.suffix == RECORDED:
        return _archive(path)
    if path.suffix in (".yaml", ".yml") and _is_pack(path.parent):
        return "pack's file"
    if path.suffix in (".py", ".json", ".ir", ".cubin") and any(map(_is_package, path.parents[:3])):
        return "package's file"
    return "text"


def expect(path: Path, *wanted: Kind) -> Kind:
    """What this is, if it is wanted.

    Raises:
        CompileError: it is something else; the message says what, and what takes it.
    """
    kind = kind_of(path)
    if kind not in wanted:
        raise CompileError(f"{path} {_said(path, kind)}")
    return kind


def _said(path: Path, kind: Kind) -> str:
    match kind:
        case "text":
            return "is a file, and no folder of a pack"
        case "pack":
            return "is a pack of HAMLET and no text: `hamletc import` prints it as one"
        case "package":
            verbs = "`hamletc run`, `verify`, `bench`, `profile`, `diff`, `record` and `replay`"
            return f"is a generated package: hamlet.load loads it, and {verbs} take it"
        case "recorded run":
            return "is a recorded run: `hamletc replay` and `hamletc diff` take it"
        case "trace":
            return "is a trace of HAMLET: `hamletc replay PACK TRACE` takes it"
        case "arrays":
            return "is no recorded run and no trace of HAMLET, or a damaged one"
        case "pack's file":
            return f"is one file of a pack: name the folder, {path.parent}"
        case "package's file":
            folder = next(parent for parent in path.parents if _is_package(parent))
            return f"is one file of a generated package: name the folder, {folder}"
        case "folder":
            return "is a folder without a pack (bars.yaml, ...) and without a generated package"
        case "nothing":
            return "does not exist"


def _is_package(folder: Path) -> bool:
    from hamlet.package.manifest import FILENAME, is_generated

    try:
        return is_generated((folder / FILENAME).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return False


def _is_pack(folder: Path) -> bool:
    from hamlet_townlet.pack import FILES

    return any((folder / name).exists() for name in FILES if name != SHARED)


def _archive(path: Path) -> Kind:
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return "arrays"
    return "recorded run" if "about.npy" in names else "trace" if "reset_at.npy" in names else "arrays"
