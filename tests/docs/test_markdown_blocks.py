"""What the other tests of this folder stand on: reading pages and completing fragments."""

from __future__ import annotations

from pathlib import Path

from markdown_blocks import blocks, commands, completed, missing_lines, universe_name

PAGE = """# Page

```hamlet fragment
meter a = 1
```

```console exit=1
$ hamletc check x.hamlet
error: one
...
$ hamletc run x.hamlet
```
"""

BASE = "universe base\nspace grid 2\nmeter a = 0 { decay 1 }\nmeter b = 0 {\n    decay 1\n}\nreward a\n"


def test_blocks_know_their_line_and_info(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    first, second = blocks(page)
    assert (first.language, first.words, first.line, first.text) == ("hamlet", ("fragment",), 4, "meter a = 1\n")
    check, run = commands(second)
    assert (check.line, check.output) == ("hamletc check x.hamlet", ("error: one", "..."))
    assert (run.line, run.output) == ("hamletc run x.hamlet", ())


def test_a_fragment_replaces_declarations_of_the_same_name() -> None:
    text = completed("# why\nmeter b = 0.5\nspace grid 3\nrule r: b += 1\n", BASE)
    assert universe_name(text) == "base"
    assert "decay 1\n}" not in text
    assert "grid 2" not in text
    assert [line for line in text.splitlines() if line.startswith("meter")] == [
        "meter a = 0 { decay 1 }",
        "meter b = 0.5",
    ]
    assert text.endswith("rule r: b += 1\n")


def test_shown_output_must_appear_in_order() -> None:
    assert missing_lines(("a  b", "...", "c"), "x\na b\ny\nc\n") == []
    assert missing_lines(("c", "...", "a b"), "a b\nc\n") == ["a b"]


def test_lines_shown_side_by_side_are_side_by_side() -> None:
    assert missing_lines(("a", "c"), "a\nb\nc\n") == ["a", "c"]
    assert missing_lines(("a", "", "b"), "a\n  b\nc\n") == []
