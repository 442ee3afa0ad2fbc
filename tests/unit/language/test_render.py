from __future__ import annotations

import json

from hamlet.universe import Span
from hamletc.diagnostics import Label, diagnose, render, summary, to_json
from hamletc.language.parser import parse
from hamletc.suggest import closest

SOURCE = """\
meter energy = 1.0
meter mood = 0.5

reward energy * mod
dies when energy <= 0
"""


def test_one_label() -> None:
    found = diagnose("H020", "no meter is called `mod`", Span(4, 17, 4, 20), "unknown", hint="Did you mean `mood`?")
    assert (
        render([found], SOURCE, "a.hamlet")
        == """\
error[H020]: no meter is called `mod`
 --> a.hamlet:4:17
  |
4 | reward energy * mod
  |                 ^^^ unknown
  |
  = help: Did you mean `mood`?
"""
    )


def test_labels_in_several_lines_of_which_one_between_is_shown() -> None:
    secondary = [Label(Span(2, 7, 2, 11), "a meter"), Label(Span(1, 7, 1, 13))]
    found = diagnose("H020", "message", Span(4, 8, 4, 14), secondary=secondary, hint="Do.")
    assert (
        render([found], SOURCE, "a.hamlet")
        == """\
error[H020]: message
 --> a.hamlet:4:8
  |
1 | meter energy = 1.0
  |       ------
2 | meter mood = 0.5
  |       ---- a meter
3 |
4 | reward energy * mod
  |        ^^^^^^
  |
  = help: Do.
"""
    )


def test_lines_far_apart_and_wide_numbers() -> None:
    source = "\n".join(f"line {n}" for n in range(1, 12))
    found = diagnose(
        "H020", "message", Span(10, 1, 10, 5), "here", secondary=[Label(Span(2, 6, 2, 7), "and here")], hint="Do."
    )
    assert (
        render([found], source, "a.hamlet")
        == """\
error[H020]: message
  --> a.hamlet:10:1
   |
 2 | line 2
   |      - and here
...
10 | line 10
   | ^^^^ here
   |
   = help: Do.
"""
    )


def test_several_labels_in_one_line() -> None:
    secondary = [Label(Span(4, 8, 4, 14), "first"), Label(Span(4, 15, 4, 16)), Label(Span(4, 1, 4, 7), "zeroth")]
    found = diagnose("H020", "message", Span(4, 17, 4, 20), "second", secondary=secondary, hint="Do.")
    assert (
        render([found], SOURCE, "a.hamlet")
        == """\
error[H020]: message
 --> a.hamlet:4:17
  |
4 | reward energy * mod
  | ------ ------ - ^^^ second
  | |      |
  | |      first
  | zeroth
  |
  = help: Do.
"""
    )


def test_tabs_wide_and_combining_characters_and_controls_keep_the_carets_in_place() -> None:
    source = "# \t\u732b e\u0301 \x1b[31m here\r\n"
    found = diagnose("H020", "message", Span(1, 15, 1, 19), "this", hint="Do.")
    assert (
        render([found], source, "a.hamlet")
        == """\
error[H020]: message
 --> a.hamlet:1:15
  |
1 | #   \u732b e\u0301 \u241b[31m here
  |                ^^^^ this
  |
  = help: Do.
"""
    )


def test_places_without_a_character() -> None:
    assert (
        render([diagnose("H001", "message", Span(1, 1, 1, 1), hint="Help.")], "", "a\n.hamlet")
        == """\
error[H001]: message
 --> a\u240a.hamlet:1:1
  = help: Help.
"""
    )
    _, diagnostics = parse("universe a meter")
    assert (
        render(diagnostics, "universe a meter", "a.hamlet")
        == """\
error[H009]: expected a name, found the end of the file
 --> a.hamlet:1:17
  |
1 | universe a meter
  |                 ^ expected here
  |
  = help: Write it as in `meter energy = 1.0 in 0 .. 1 { decay 0.01  move 0.005 }`.
"""
    )


def test_a_span_over_several_lines_is_marked_in_its_first() -> None:
    assert (
        render([diagnose("H020", "message", Span(1, 7, 2, 3), hint="Do.")], SOURCE, "a.hamlet")
        == """\
error[H020]: message
 --> a.hamlet:1:7
  |
1 | meter energy = 1.0
  |       ^^^^^^^^^^^^
  |
  = help: Do.
"""
    )


def test_of_a_long_line_the_part_around_the_label_is_shown() -> None:
    source = "a" * 5_000 + "b" + "a" * 5_000
    rendered = render([diagnose("H020", "message", Span(1, 5_001, 1, 5_002), "b", hint="Do.")], source, "a.hamlet")
    line, carets = rendered.splitlines()[3:5]
    assert len(line) < 160
    assert line.index("b") == carets.index("^")


def test_colours_change_nothing_else() -> None:
    found = diagnose("H020", "message", Span(4, 17, 4, 20), "x", secondary=[Label(Span(4, 8, 4, 14), "y")], hint="Z.")
    coloured = render([found], SOURCE, "a.hamlet", colour=True)
    assert "\x1b[1;31merror[H020]\x1b[0m" in coloured
    plain = coloured
    for code in ("0", "1", "1;31", "1;34"):
        plain = plain.replace(f"\x1b[{code}m", "")
    assert plain == render([found], SOURCE, "a.hamlet")


def test_summary() -> None:
    error = diagnose("H020", "message", Span(1, 1, 1, 2), hint="Do.")
    assert summary([]) == "no errors"
    assert summary([error]) == "1 error"
    assert summary([error, error]) == "2 errors"


def test_json() -> None:
    found = diagnose("H020", "m\u00e9", Span(1, 2, 3, 4), "t", secondary=[Label(Span(5, 6, 7, 8))], hint="Hint.")
    assert to_json([], "a.hamlet") == (
        '{\n  "file": "a.hamlet",\n  "errors": 0,\n  "warnings": 0,\n  "diagnostics": []\n}\n'
    )
    assert json.loads(to_json([found], "a.hamlet")) == {
        "file": "a.hamlet",
        "errors": 1,
        "warnings": 0,
        "diagnostics": [
            {
                "code": "H020",
                "severity": "error",
                "message": "m\u00e9",
                "primary": {"line": 1, "column": 2, "end_line": 3, "end_column": 4, "text": "t"},
                "secondary": [{"line": 5, "column": 6, "end_line": 7, "end_column": 8, "text": ""}],
                "hint": "Hint.",
                "edits": [],
            }
        ],
    }


def test_suggestions() -> None:
    assert closest("satiaton", ["mood", "satiation", "station"]) == "satiation"
    assert closest("bed", ["Job", "Bed"]) == "Bed"
    assert closest("energy", ["mood", "x"]) is None
    assert closest("a", []) is None
    assert closest("ab", ["abd", "abc"]) == closest("ab", ["abc", "abd"])
