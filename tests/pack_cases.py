"""Small packs for tests: a sound one, changed in one place."""

from __future__ import annotations

import shutil
from pathlib import Path

from hamletc.codes import CODES
from hamletc.diagnostics import FileDiagnostics
from hamletc.townlet import Pack, read_pack

PACKS = Path(__file__).parent / "golden" / "packs"
BASE = PACKS / "base"
"""A pack without errors and warnings."""

PACK_CODES = tuple(code for code in CODES if code >= "H100")


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
