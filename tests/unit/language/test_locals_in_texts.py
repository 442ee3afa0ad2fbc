"""Locals in an editor: where one can be read, where it is declared and stands, and new names for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from garden import at, cut, document, hover, offered

import hamlet_language as service
from hamlet.universe.codec import to_json
from hamlet_language import Document
from hamletc.compile import check
from hamletc.frontend import UniverseText

TEXT = """\
universe garden
space none
meter water = 0.5 in 0 .. 2 { decay 0.01 }
meter joy = 1
rule thirst: water < 0.2 -> {
    let lack = 0.2 - water
    let sad = lack > 0.1
    joy -= 0.1 * lack
    together { let half = lack / 2  water += half }
    joy -= 0.02 when sad
}
rule lack {
    let lack = 1 - joy
    water -= 0.001 * lack
}
action REST { joy += 0.1  water += 0.1 }
dies when water <= 0 or joy <= 0
reward joy
observe { meters }
"""
FIRST = (5, 6, 7, 8)
"""The lines on which the first `lack` stands."""


def lines_of(text: str, part: str, more: int) -> list[int]:
    return [place.range.start.line for place in service.references(document(text), at(text, part, more))]


def test_a_local_is_offered_behind_it_to_the_end_of_its_statements() -> None:
    assert not {"lack", "sad", "half"} & set(offered(cut(TEXT, "let lack = 0.2 - ")))
    inside = offered(cut(TEXT, "joy -= 0.1 * "))
    assert (inside["lack"].detail, inside["sad"].detail) == ("local", "local")
    assert "half" not in inside
    assert {"lack", "half"} <= set(offered(cut(TEXT, "let half = lack / 2  water += ")))
    assert not {"lack", "half"} & set(offered(cut(TEXT, "together { let half = lack / 2  ")))
    # In the whole text, before a mistake that is being mended.
    text = TEXT.replace("0.1 * lack", "")
    offers = {each.text for each in service.completion(document(text), at(text, "joy -= \n", 7))}
    assert {"lack", "sad", "water"} <= offers
    assert "half" not in offers
    assert {"lack", "sad"} <= set(offered(cut(TEXT, "water += half }\n")[:-1] + "  joy -= "))
    # A brace that is not closed ends before the next declaration.
    text = TEXT.replace("joy -= 0.02 when sad\n}", "joy -= 0.02 when sad")
    place = at(text, "reward joy", 7)
    assert not {"lack", "sad"} & {each.text for each in service.completion(document(text), place)}


def test_a_local_is_declared_where_it_can_be_read_and_not_elsewhere() -> None:
    for part, more, line in (("0.1 * lack", 6, 5), ("let half = lack", 11, 5), ("0.001 * lack", 8, 12)):
        (place,) = service.definition(document(TEXT), at(TEXT, part, more))
        assert place.range.start.line == line
    assert lines_of(TEXT, "0.1 * lack", 6) == [*FIRST]
    assert lines_of(TEXT, "0.001 * lack", 8) == [12, 13]
    assert lines_of(TEXT, "rule lack", 5) == [11]
    assert lines_of(TEXT, "water += half", 9) == [8, 8]
    assert hover(document(TEXT), at(TEXT, "0.1 * lack", 6)) == "```hamlet\nlet lack = 0.2 - water\n```\n\nlocal, line 6"


def test_a_local_has_the_colour_of_what_nothing_writes() -> None:
    colours = {
        (each.range.start.line, each.range.start.character): (each.colour, *each.modifiers)
        for each in service.semantic_tokens(document(TEXT))
    }
    assert colours[5, 8] == colours[12, 8] == ("variable", "declaration", "readonly")
    assert colours[7, 17] == colours[13, 21] == ("variable", "readonly")
    assert colours[11, 5] == ("event", "declaration")


def test_a_local_has_a_hint_of_where_it_lies() -> None:
    hints = {hint.position.line: hint.text for hint in service.inlay_hints(document(TEXT))}
    assert hints[5] == ": 1.49e-8 .. 0.2"
    assert 6 not in hints
    assert hints[12] == ": 0 .. 1"


@pytest.mark.parametrize(
    ("part", "more", "lines"),
    [("0.1 * lack", 6, FIRST), ("let lack = 1 -", 4, (12, 13)), ("rule lack", 5, (11,)), ("let sad", 4, (6, 9))],
)
def test_a_local_is_renamed_alone(part: str, more: int, lines: tuple[int, ...]) -> None:
    old = "sad" if "sad" in part else "lack"
    new = "Q" * len(old)
    answer = service.rename(document(TEXT), at(TEXT, part, more), new)
    assert isinstance(answer, service.Renaming)
    assert tuple(dict.fromkeys(each.start.line for each in answer.ranges)) == lines
    written = [line.replace(old, new) if n in lines else line for n, line in enumerate(TEXT.split("\n"))]
    after = service.renamed(document(TEXT), answer)
    assert after.text == "\n".join(written)
    assert universe(after).replace(new, old) == universe(document(TEXT))


def universe(of: Document) -> str:
    """The universe of a text, in which two locals of one name have none with a number."""
    tree, sources, _ = of.linked
    assert tree is not None
    return to_json(check(UniverseText(Path("garden.hamlet"), tree, sources)).universe).replace("lack 2", "lack")


def test_a_local_may_be_called_as_one_elsewhere_is() -> None:
    """Names of locals in other rules, or in statements that are over, are free."""
    plain = TEXT.replace("rule lack", "rule dry")
    text = plain.replace("let lack = 1 -", "let gap = 1 -").replace("0.001 * lack", "0.001 * gap")
    answer = service.rename(document(text), at(text, "let gap", 4), "lack")
    assert isinstance(answer, service.Renaming)
    assert service.renamed(document(text), answer).text == plain


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("sad", "`lack` cannot be followed everywhere: with `sad` `sad` is there already"),
        ("half", "`lack` cannot be followed everywhere: with `half` `half` is there already"),
        ("water", "`water` is a name in this universe already"),
        ("thirst", "`thirst` is a name in this universe already"),
        ("a\nb", "cannot be a name"),
    ],
)
def test_a_local_stays_for_a_reason(name: str, reason: str) -> None:
    answer = service.rename(document(TEXT), at(TEXT, "0.1 * lack", 6), name)
    assert isinstance(answer, service.Refusal)
    assert reason in answer.reason


def test_nothing_else_gets_the_name_of_a_local() -> None:
    answer = service.rename(document(TEXT), at(TEXT, "reward joy", 7), "sad")
    assert answer == service.Refusal("`sad` is a name in this universe already")


def test_locals_of_a_file_that_is_included_are_those_of_that_file(tmp_path: Path) -> None:
    """A line of another file is no line of this one."""
    rules = tmp_path / "rules.hamlet"
    text = TEXT.replace(TEXT[TEXT.index("rule lack") : TEXT.index("action")], 'include "rules.hamlet"\n')
    others = {rules.resolve(): "rule dry { let gone = 0.5 * water  water -= 0.01 * gone }\n"}
    rules.write_text("old")
    of = Document(tmp_path / "garden.hamlet", text, others)
    assert service.diagnostics(of) == ()
    assert "gone" not in {each.text for each in service.completion(of, at(text, "joy -= 0.1 * ", 13))}
    (place,) = service.definition(of, at(text, "0.1 * lack", 6))
    assert place.path == of.path
    part = Document(rules, others[rules.resolve()])
    assert [place.range.start.character for place in service.references(part, at(part.text, "* gone", 2))] == [15, 51]
