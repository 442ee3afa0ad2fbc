"""The compiler in a page: it answers requests, and needs nothing that a browser's Python lacks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from hamletc.page import service

ROOT = Path(__file__).parents[3]
HEX = ROOT / "universes/gallery/hex.hamlet"
ALONE = """
import json, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"torch", "triton", "numpy", "lark", "jinja2", "yaml", "rich", "click", "matplotlib"}:
            raise ImportError(f"a browser has no {name}")
sys.meta_path.insert(0, Absent())
from hamletc.page import service
text = sys.stdin.read()
answers = [service.answered(json.dumps({"ask": ask, "text": text})) for ask in ("check", "format", "compile")]
assert "torch" not in sys.modules and "numpy" not in sys.modules
sys.stdout.buffer.write(answers[2].module)
"""


def asked(ask: str, text: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(service.answered(json.dumps({"ask": ask, "text": text})).said)
    return answer


def first(ask: str, text: str) -> dict[str, Any]:
    """The first diagnostic of an answer without anything else."""
    answer = asked(ask, text)
    assert list(answer) == ["diagnostics"]
    found: dict[str, Any] = answer["diagnostics"][0]
    return found


def test_the_compiler_of_a_page_needs_the_standard_library_alone() -> None:
    command = [sys.executable, "-c", ALONE]
    module = subprocess.run(command, input=HEX.read_bytes(), check=True, capture_output=True, timeout=300).stdout
    here = service.answered(json.dumps({"ask": "compile", "text": HEX.read_text()})).module
    assert module == here
    assert module.startswith(b"\0asm")


def test_a_compilation_says_what_a_page_must_know_and_warns() -> None:
    warned = HEX.read_text().replace("lifespan", "meter idle = 1\nlifespan", 1)
    answer = asked("compile", warned)
    assert answer["about"]["id"] == service.ID
    assert answer["about"]["source"] == warned
    assert {each["severity"] for each in answer["diagnostics"]} == {"warning"}
    assert "about" not in asked("check", HEX.read_text())


def test_a_diagnostic_has_its_place_and_what_to_do() -> None:
    text = HEX.read_text().replace("meter thirst", "meter thirst wet", 1)
    found = first("check", text)
    line, column = found["begin"]
    assert text.splitlines()[line - 1][column - 1 :].startswith("wet")
    assert found["end"] == [line, column + 3]
    assert (found["severity"], found["code"][0]) == ("error", "H")
    assert found["hint"]
    assert first("compile", text) == found == first("format", text)


def test_a_text_reads_the_files_that_come_with_it() -> None:
    folder = ROOT / "universes/ports"
    text, level = (folder / "sokoban.hamlet").read_text(), (folder / "maps/sokoban.txt").read_text()
    assert first("check", text)["message"] == "there is no file `maps/sokoban.txt`"
    with_files = {"ask": "check", "text": text, "files": {"maps/sokoban.txt": level}}
    assert json.loads(service.answered(json.dumps(with_files)).said)["diagnostics"] == []


def test_a_text_is_formatted_as_by_the_command() -> None:
    assert (
        asked("format", "universe a\nspace   grid 5 x 5 # small\n")["text"]
        == "universe a\n\nspace grid 5 x 5  # small\n"
    )


def test_what_a_page_cannot_do_is_said_in_a_line() -> None:
    large = "universe large\nspace grid 200 x 200\nlifespan 9 ticks\nmeter e = 1 { decay 0.1 }\n"
    large += "affordance A at random { instantly { e += 1 } }\ndies when e <= 0\nreward e\nobserve { grid }\n"
    for ask, text, said in (
        ("compile", "universe a\nuniverse b\n", "expected a declaration, found `universe`"),
        ("check", 'universe a\ninclude "b.hamlet"\nspace none\n', "there is no file `b.hamlet`"),
        ("check", "#" * ((1 << 20) + 1), "the text is larger than 1 MiB"),
        ("lint", "universe a\n", "this page does not know how to lint"),
        ("compile", large, "an agent of large observes 40,000 numbers; a page has room for 16,384"),
        (
            "check",
            f"universe a\nspace none\nreward {'(' * 5000}1{')' * 5000}\n",
            "more than 100 braces and parentheses are open",
        ),
    ):
        message = first(ask, text)["message"]
        assert said in message, message
        assert "\n" not in message


def test_a_diagnostic_has_what_its_hint_writes() -> None:
    text = HEX.read_text().replace("meter thirst", "meter = thirst", 1)
    found = first("check", text)
    assert found["sure"] is True
    line, column = text[: text.index("= thirst")].count("\n") + 1, len("meter ") + 1
    assert [edit["text"] for edit in found["edits"]] == [""]
    assert found["edits"][0]["end"] == [line, column + 1]


def test_the_language_service_answers_a_page() -> None:
    """It is another package, which is found by entry points."""
    text = HEX.read_text()
    at = [text.count("\n", 0, text.index("meter thirst")), 2]
    offers = answered("complete", text=text, at=at)
    assert offers["from"] == [at[0], 0]
    assert "meter" in [offer["text"] for offer in offers["offers"]]
    about = answered("hover", text=text, at=[at[0], 8])
    assert "meter thirst" in about["about"]
    assert (about["from"], about["to"]) == ([at[0], 6], [at[0], 12])
    assert answered("hover", text="# ", at=[0, 0])["about"] is None
    broken = text.replace("meter thirst", "meter: thirst", 1)
    assert answered("mend", text=broken)["text"] == text.replace("meter thirst", "meter  thirst", 1).replace(
        "meter  ", "meter "
    )
    unknown = answered("sing", text=text)
    assert unknown["diagnostics"][0]["message"] == "this page does not know how to sing"


def answered(ask: str, **more: object) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(service.answered(json.dumps({"ask": ask, **more})).said)
    return answer
