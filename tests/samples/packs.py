"""Packs for tests: a small sound one, changed in one place; those of the project; those of HAMLET, where they are."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from hamlet_townlet import Pack, read_pack
from hamlet_townlet.adapter import description
from hamlet_townlet.adapter.description import Description
from hamletc.codes import CODES
from hamletc.compile import Checked, check_file
from hamletc.diagnostics import FileDiagnostics, render_files
from hamletc.frontend import Stopwatch
from samples import ROOT, SHIPPED

PACKS = Path(__file__).parents[1] / "golden" / "packs"
BASE = PACKS / "base"
"""A pack without errors and warnings."""

OWN = sorted(path for path in (SHIPPED / "packs").iterdir() if path.is_dir())
"""The packs of this project."""

SHARED = ROOT.parent / "shared" / "townlet"
SHARED_PACKS = sorted(path for path in (SHARED / "packs").glob("*") if path.is_dir())
"""HAMLET's own packs, where they lie beside the repository."""
NOT_THERE = f"HAMLET's own packs are not there: no folder {SHARED / 'packs'}"

Edits = Mapping[str, Sequence[tuple[str, str]] | str]
"""By the name of a file without `.yaml`: texts to replace, or the whole file."""

PACK_CODES = tuple(code for code in CODES if "H100" <= code < "H140")


@cache
def checked(directory: Path) -> Checked:
    """A pack of those that lie there, checked once for all tests."""
    return check_file(directory, Stopwatch())


def described(checked: Checked) -> Description:
    """What HAMLET knows about the pack that was compiled."""
    return description.from_json(checked.attached[description.FILENAME])


def copy_base(folder: Path) -> Path:
    """A copy of the sound pack, to be changed."""
    return shutil.copytree(BASE, folder / "pack")


def read_case(code: str, folder: Path) -> tuple[Pack | None, tuple[FileDiagnostics, ...]]:
    """The pack of a diagnostic code: the sound one with the files of the code's own folder in place of its own."""
    pack = copy_base(folder)
    if code == "H100":
        (pack / "cues.yaml").unlink()
    else:
        shutil.copytree(PACKS / code, pack, dirs_exist_ok=True)
    return read_pack(pack)


def edited(folder: Path, edits: Edits) -> Path:
    """A copy of the sound pack with texts replaced, or whole files."""
    pack = copy_base(folder)
    for name, changes in edits.items():
        path = pack / f"{name}.yaml"
        if isinstance(changes, str):
            path.write_text(changes, encoding="utf-8")
            continue
        text = path.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new, 1)
        path.write_text(text, encoding="utf-8")
    return pack


def sound(folder: Path, edits: Edits) -> Pack:
    """The sound pack after edits that leave it sound."""
    pack, files = read_pack(edited(folder, edits))
    assert pack is not None, render_files(files)
    return pack
