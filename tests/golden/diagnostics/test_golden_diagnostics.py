"""Every diagnostic code has a case, whose rendering is golden, and a section in docs/diagnostics.md, which shows it.

The cases of packs are in the folder `packs` beside this one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from hamletc.checking.check import check
from hamletc.codes import CODES
from hamletc.diagnostics import Diagnostic, render
from hamletc.language.parser import parse
from hamletc.language.source import LARGEST_SOURCE, Source, read_source
from hamletc.link import link
from samples.packs import PACK_CODES, read_case

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs" / "diagnostics.md"
SECTION = re.compile(r"^### (H\d{3}): ([^\n]+)\n(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"```text\n(.*?)```\n", re.DOTALL)

SOURCE_CODES = tuple(code for code in CODES if code not in PACK_CODES)

COMPANIONS = {"H016": {"H009"}}
"""Codes that a case has besides its own. No other mistake brings about a second one."""

Golden = Callable[[Path, str], None]


def source(code: str, folder: Path) -> Path:
    """The case of a code; those that are no proper text files are made here."""
    path = folder / f"{code}.hamlet"
    match code:
        case "H001":
            pass
        case "H002":
            path.write_bytes(b"universe h002\n\n# caf\xe9\n")
        case "H003":
            path.write_bytes(b"#" * (LARGEST_SOURCE + 1))
        case _:
            return HERE / path.name
    return path


@cache
def diagnose(path: Path) -> tuple[tuple[Diagnostic, ...], str]:
    """The diagnostics of a file, and its text."""
    text = read_source(path)
    if isinstance(text, Diagnostic):
        return (text,), ""
    file, diagnostics = parse(text)
    if file is None or diagnostics:
        return diagnostics, text
    file, _, problems = link(file, Source(path, text))
    return problems or check(file, (path.name,))[1], text


def example(code: str, folder: Path) -> str:
    """The rendering of the first diagnostic with a code in the case of that code."""
    if code in PACK_CODES:
        _, files = read_case(code, folder / code)
        found = [(d, file.text, file.path.name) for file in files for d in file.diagnostics]
    else:
        path = source(code, folder)
        diagnostics, text = diagnose(path)
        found = [(d, text, path.name) for d in diagnostics]
    diagnostic, text, name = next(entry for entry in found if entry[0].code == code)
    return render([diagnostic], text, name)


@pytest.mark.parametrize("code", SOURCE_CODES)
def test_case(code: str, tmp_path: Path, golden: Golden) -> None:
    path = source(code, tmp_path)
    diagnostics, text = diagnose(path)
    assert {diagnostic.code for diagnostic in diagnostics} - COMPANIONS.get(code, set()) == {code}
    assert all(diagnostic.hint.endswith((".", "?")) for diagnostic in diagnostics)
    assert all(diagnostic.severity == CODES[diagnostic.code].severity for diagnostic in diagnostics)
    golden(HERE / f"{code}.txt", render(diagnostics, text, path.name))


def test_there_are_no_other_cases() -> None:
    assert {path.stem for path in HERE.glob("H*.*")} == set(SOURCE_CODES)


def test_the_page_has_every_code_in_order() -> None:
    sections = [(match[1], match[2]) for match in SECTION.finditer(PAGE.read_text(encoding="utf-8"))]
    assert sections == [(code, about.title) for code, about in CODES.items()]


def test_the_page_shows_the_cases(golden: Golden, tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")

    def with_rendering(section: re.Match[str]) -> str:
        block = f"```text\n{example(section[1], tmp_path)}```\n"
        assert len(BLOCK.findall(section[0])) == 1, section[1]
        return BLOCK.sub(lambda _: block, section[0])

    golden(PAGE, SECTION.sub(with_rendering, page))


def test_every_section_says_what_to_do() -> None:
    for section in SECTION.finditer(PAGE.read_text(encoding="utf-8")):
        assert len(BLOCK.sub("", section[3]).split()) >= 8, section[1]
