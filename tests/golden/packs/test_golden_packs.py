"""Every diagnostic code of packs has a case: a small pack with one mistake, whose rendering is golden."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hamlet_townlet import read_pack
from hamletc.codes import CODES
from hamletc.diagnostics import render
from samples.packs import BASE, PACK_CODES, PACKS, read_case


@pytest.mark.parametrize("code", PACK_CODES)
def test_case(code: str, tmp_path: Path, golden: Callable[[Path, str], None]) -> None:
    pack, files = read_case(code, tmp_path)
    found = [diagnostic for file in files for diagnostic in file.diagnostics]
    assert {diagnostic.code for diagnostic in found} == {code}
    assert (pack is None) == (CODES[code].severity == "error")
    golden(PACKS / f"{code}.txt", "\n".join(render(f.diagnostics, f.text, f.path.name) for f in files))


def test_the_base_has_no_findings() -> None:
    pack, files = read_pack(BASE)
    assert pack is not None
    assert files == ()


def test_there_are_no_other_cases() -> None:
    assert {path.stem for path in PACKS.glob("H*")} == set(PACK_CODES)
