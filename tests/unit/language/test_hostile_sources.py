from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language_cases import bare, error, parsed

from examples import examples
from hamletc.diagnostics import Diagnostic, render, to_json
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from hamletc.language.source import LARGEST_SOURCE, read_source

TOWN = (Path(__file__).parents[3] / "universes" / "town.hamlet").read_text(encoding="utf-8")
GARBAGE = 10_000_000


def refused(path: Path) -> Diagnostic:
    result = read_source(path)
    assert isinstance(result, Diagnostic)
    return result


def test_a_source_is_read_without_its_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.hamlet"
    path.write_bytes(b"\xef\xbb\xbfuniverse a\r\n")
    assert read_source(path) == "universe a\r\n"
    assert len(parsed("universe a\r\nclock 2 hours\r\n").declarations) == 1


def test_what_cannot_be_read(tmp_path: Path) -> None:
    assert refused(tmp_path / "missing").message == "cannot read the file: no such file or directory"
    assert refused(tmp_path).message == "cannot read the file: is a directory"
    assert refused(tmp_path / "nul\0").code == "H001"
    assert refused(tmp_path / ("long" * 100)).code == "H001"


def test_what_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "a.hamlet"
    path.write_bytes(b"universe a\nmeter \xff = 1")
    found = refused(path)
    assert (found.code, found.message) == ("H002", "the file is not UTF-8: byte 0xff in line 2")
    assert (found.primary.span.line, found.primary.span.column) == (2, 7)


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a.hamlet"
    path.write_bytes(b"x" * GARBAGE)
    assert refused(path).code == "H003"
    path.write_bytes(b"#" * LARGEST_SOURCE)
    assert isinstance(read_source(path), str)


@pytest.mark.parametrize("text", ["", " \n\t\r\n", "# nothing", "# nothing\n\n"])
def test_an_empty_file(text: str) -> None:
    assert error(text).message == "the file declares nothing"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\0", "the character U+0000 (a control character) means nothing here"),
        ("\x1b[31m", "the character U+001B (a control character) means nothing here"),
        ("\x0c", "the character U+000C (a control character) means nothing here"),
        ("\ufeff", "the character U+FEFF (zero width no-break space) means nothing here"),
        ("\u00a0", "the character U+00A0 (no-break space) means nothing here"),
        ("\u202e", "the character U+202E (right-to-left override) means nothing here"),
        ("'", "`'` means nothing here"),
    ],
)
def test_characters_that_mean_nothing(text: str, message: str) -> None:
    found = error(f"universe u\nreward {text}")
    assert (found.code, found.message) == ("H004", message)
    assert "\x1b" not in render([found], f"universe u\nreward {text}", "\x1bfile")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000 + "1" + ")" * 10_000,
        "(" * 10_000,
        "-" * 10_000 + "1",
        "not " * 10_000 + "a",
        "if a then " * 10_000,
        "if a then b else " * 10_000 + "c",
        "1 + " * 10_000 + "1",
        "abs(" * 10_000,
        "-" * 300 + "1",
        "1" + " * 1" * 300,
    ],
)
def test_what_nests_too_deeply(text: str) -> None:
    assert "H015" in [d.code for d in parse(f"universe u reward {text}")[1]]
    assert format_source(f"universe u reward {text}")[0] is None


def test_what_nests_just_deeply_enough() -> None:
    tree = parsed(f"universe u reward {'(' * 100}1{')' * 100} reward 1{' + a' * 190} action A {{ {'together { ' * 90} "
                  f"a = 1 {'}' * 90} }}")  # fmt: skip
    text, _ = format_source(f"universe u reward 1{' + a' * 190}")
    assert text is not None
    assert len(tree.declarations) == 3


def test_tens_of_thousands_of_braces() -> None:
    assert error("universe u action A " + "{" * 50_000).code == "H015"
    assert parse("universe u " + "}" * 50_000)[1][-1].code == "H016"


def test_a_name_with_a_line_end_is_two_names() -> None:
    assert error("universe u\nmeter en\nergy = 1").message == "expected `=`, found `ergy`"


PIECES_AT_THE_START = ("a ", "}", "meter a {\n", "\0", "#", "//\n", "/*", "meter = ", "-- ")
PIECES_OF_EXPRESSIONS = ("a", "1 ", "(", "-", "a+", "{}", "reward a +\n", "é", ".", "=> ", "0,1 ", "if a then ", "--a ")
PIECES_OF_GARBAGE = (
    *(("", piece) for piece in PIECES_AT_THE_START),
    *(("universe u reward ", piece) for piece in PIECES_OF_EXPRESSIONS),
    ("universe u action A { b += ", "-"),
    ("universe u action A { b += ", "{"),
)


@pytest.mark.parametrize(("before", "piece"), PIECES_OF_GARBAGE)
def test_much_garbage_is_refused_quickly(before: str, piece: str) -> None:
    """One is as large as a source can be; the others are large enough for quadratic time to show."""
    size = LARGEST_SOURCE if piece == "a+" else LARGEST_SOURCE // 16
    text = before + piece * ((size - len(before)) // len(piece.encode()))
    start = time.process_time()
    _, diagnostics = parse(text)
    render(diagnostics, text, "garbage.hamlet")
    assert diagnostics != ()
    assert time.process_time() - start < (20 if piece == "a+" else 5)  # seconds of CPU; a twentieth of it is usual


@settings(max_examples=examples(300), deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    _check(text)


PIECES = [
    "{",
    "}",
    "(",
    ")",
    "meter",
    "reward",
    "when",
    "not",
    "-",
    "->",
    "..",
    "=",
    "if",
    "é",
    "1.",
    "//",
    "/*",
    "*/",
    "--",
    "**",
    "=>",
    "[1, 2]",
    "'a'",
    "\u2212",
    "8am",
    "a.b",
    "%",
    ";",
    "else",
    "for",
    "in",
    "0,5",
    "f()",
    "\n",
    "# c",
    "\0",
]


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 6))
def test_any_change_to_a_source_is_parsed_or_refused(seed: int, changes: int) -> None:
    chance = random.Random(seed)
    words = chance.choice(TOWN.split("\n\n")[2:]).split(" ")
    for _ in range(changes):
        place = chance.randrange(len(words))
        words[place : place + chance.randrange(3)] = chance.choices(PIECES, k=chance.randrange(3))
        words = words or [""]
    _check("universe u\n" + " ".join(words))


def _check(text: str) -> None:
    file, diagnostics = parse(text)
    assert file is not None or diagnostics
    assert len({(d.code, d.primary.span) for d in diagnostics}) == len(diagnostics)
    assert all(d.hint.endswith((".", "?", "`")) for d in diagnostics)
    lines = text.split("\n")
    for label in [label for d in diagnostics for label in (d.primary, *d.secondary)]:
        assert 1 <= label.span.line <= label.span.end_line <= len(lines)
        assert 1 <= label.span.column <= len(lines[label.span.line - 1]) + 1
    rendered = render(diagnostics, text, "any.hamlet")
    assert all(c == "\n" or c.isprintable() or c in "\u3000\u00a0\u1680\u202f\u205f" or "\u2000" <= c <= "\u200a"
               or not c.isascii() for c in rendered)  # fmt: skip
    to_json(diagnostics, "any.hamlet")
    if file is not None and not diagnostics:
        once, _ = format_source(text)
        assert once is not None
        assert format_source(once) == (once, ())
        assert bare(parsed(once)) == bare(file)
