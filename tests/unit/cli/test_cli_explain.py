"""`hamletc explain`, its page in an installed package; the version as options; mistyped commands."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from hamletc import __version__
from hamletc.codes import CODES
from processes import Command
from samples import SHIPPED

ROOT = SHIPPED.parent
PAGE = ROOT / "docs" / "diagnostics.md"


def test_every_code_is_explained_as_on_the_page(hamletc_here: Command) -> None:
    done = hamletc_here("explain", *CODES)
    assert (done.returncode, done.stderr) == (0, "")
    page = PAGE.read_text(encoding="utf-8")
    words = " ".join(done.stdout.split())
    for code, about in CODES.items():
        assert f"{about.severity}[{code}]: {about.title}" in words
        section = page.partition(f"### {code}: ")[2].partition("\n#")[0]
        _, example, prose = re.split(r"^```\w*\n", section, flags=re.MULTILINE)
        for line in filter(str.strip, example.splitlines()):
            assert f"    {line}\n" in done.stdout
        assert " ".join(re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", prose).split()) in words, code


def test_a_code_as_it_is_printed_or_typed(hamletc_here: Command) -> None:
    expected = hamletc_here("explain", "H050").stdout
    assert expected.startswith("error[H050]: divisor that can be zero\n\n    error[H050]: this divisor can be zero\n")
    assert max(map(len, expected.splitlines())) <= 100
    for typed in ("h050", "50", "H50", "error[H050]", "[H050]"):
        assert hamletc_here("explain", typed).stdout == expected
    assert hamletc_here("explain", "H070").stdout.startswith("warning[H070]: ")


@pytest.mark.parametrize("code", ["H999", "foo", "H0500"])
def test_a_code_that_is_not_there(hamletc_here: Command, code: str) -> None:
    done = hamletc_here("explain", code)
    assert done.returncode == 2
    assert f"there is no diagnostic '{code}'" in done.stderr


def test_the_page_is_in_the_package_and_stated_once() -> None:
    """The file in the sources, which a wheel holds, is the page itself."""
    shipped = files("hamletc.diagnostics") / "diagnostics.md"
    assert shipped.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")
    here = ROOT / "compiler" / "hamletc"
    assert (here / "diagnostics" / "diagnostics.md").resolve() == PAGE


@pytest.mark.parametrize("option", ["--version", "-V", "version"])
def test_the_version(hamletc_here: Command, option: str) -> None:
    done = hamletc_here(option)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"hamletc {__version__}\n", "")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("chek", "There is no command 'chek': did you mean 'check'?"),
        ("verfy", "There is no command 'verfy': did you mean 'verify'?"),
        ("Compile", "There is no command 'Compile': did you mean 'compile'?"),
        ("frobnicate", "There is no command 'frobnicate'."),
    ],
)
def test_a_mistyped_command(hamletc_here: Command, typed: str, said: str, tmp_path: Path) -> None:
    done = hamletc_here(typed, "town.hamlet")
    assert done.returncode == 2
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []
