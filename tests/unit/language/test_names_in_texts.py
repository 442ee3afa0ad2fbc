"""Where names of a text are declared and stand, and new ones for them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from garden import GARDEN, SHIPPED, at, cut, document, hover, offered
from hypothesis import given, settings
from hypothesis import strategies as st

import hamlet_language as service
from examples import examples
from hamlet.universe.codec import to_json
from hamlet_language import Document, Position
from hamlet_language.outline import every
from hamletc.compile import check
from hamletc.frontend import UniverseText

# --- names ---


def test_an_outline_has_what_stands_in_what() -> None:
    text = GARDEN.replace(
        "reward joy",
        "world { meter rain = 1 in 0 .. 9  rule dry: rain -= 0.1 }\n"
        "template Tub(name) { affordance name at random { instantly { water += 0.1 } } }\nuse Tub(Barrel)\nreward joy",
    )
    entries = service.symbols(document(text))
    assert [(entry.name, entry.kind) for entry in entries] == [
        *(("water", "meter"), ("joy", "meter"), ("REST", "action"), ("thirst", "rule"), ("even", "rule")),
        *(("Well", "affordance"), ("world", "world"), ("Tub", "template")),
    ]
    assert [child.name for child in entries[-2].children] == ["rain", "dry"]
    assert [(child.name, child.kind) for child in entries[-1].children] == [("name", "affordance")]
    assert entries[0].name_range == service.Range(at(text, "meter water", 6), at(text, "meter water", 11))
    for entry in entries:
        assert entry.range.holds(entry.name_range.start)
        assert entry.range.holds(entry.name_range.end)


def test_a_text_with_a_mistake_has_an_outline() -> None:
    names = [entry.name for entry in service.symbols(document(GARDEN.replace("rule even:", "rule even: ->")))]
    assert names == ["water", "joy", "REST", "thirst", "Well"]


def test_a_name_is_declared_and_stands_elsewhere() -> None:
    text = GARDEN
    (place,) = service.definition(document(text), at(text, "reward joy", 8))
    assert place.range.start == at(text, "meter joy", 6)
    found_lines = [place.range.start.line for place in service.references(document(text), at(text, "reward joy", 8))]
    assert found_lines == [3, 4, 5, 6, 8, 10, 11]
    assert service.definition(document(text), at(text, "reward joy", 2)) == ()
    assert service.references(document(text), Position(0, 0)) == ()


def universe(of: Document) -> str:
    """The universe of a text. Random words go by the names of what has them, and are left out."""
    tree, sources, _ = of.linked
    assert tree is not None
    return re.sub(r'"site": \d+', "", to_json(check(UniverseText(of.path, tree, sources)).universe))


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_a_universe_with_another_name_is_the_same(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(SHIPPED))
    of = Document(path, path.read_text(encoding="utf-8"))
    names = [each.name for each in every(of.declarations) if each.name.span.file == 0 and len(each.name.text) > 3]
    if of.included or not names:
        return
    old = data.draw(st.sampled_from(names))
    new = "Q" * len(old.text)
    answer = service.rename(of, of.lines.position(old.span.line, old.span.column), new)
    if isinstance(answer, service.Refusal):
        assert answer.reason.count("\n") == 0
        return
    assert universe(service.renamed(of, answer)).replace(new, old.text) == universe(of)


def test_a_meter_is_renamed_everywhere_and_written_as_it_must_be() -> None:
    for new, spelled in (("wetness", "wetness"), ("hour", "`hour`"), ("`decay`", "`decay`"), ("my well", "`my well`")):
        answer = service.rename(document(GARDEN), at(GARDEN, "water <= 0"), new)
        assert isinstance(answer, service.Renaming)
        assert answer.text == spelled
        assert len(answer.ranges) == GARDEN.count("water")
        assert service.renamed(document(GARDEN), answer).text == GARDEN.replace("water", spelled)


@pytest.mark.parametrize(
    ("text", "part", "new", "reason"),
    [
        (GARDEN, "water <= 0", "joy", "`joy` is a name in this universe already"),
        (GARDEN, "water <= 0", "a\nb", "cannot be a name"),
        (GARDEN, "water <= 0", "", "cannot be a name"),
        (GARDEN, "reward joy", "pay", "no declaration has the name"),
        (GARDEN.replace("reward joy", "reward jjoy"), "water <= 0", "wet", "the text has errors"),
        (GARDEN.replace("rule even", "rule water"), "water <= 0", "wet", "several things: meter, rule"),
        ("meter water = 1\n", "water", "wet", "universes that include this text"),
        (
            GARDEN.replace("reward joy", "template Rain(m) { rule m: m += 0.1 }\nuse Rain(water)\nreward joy"),
            *("use Rain(water)", "wet", "no declaration"),
        ),
    ],
)
def test_a_name_stays_for_a_reason(text: str, part: str, new: str, reason: str) -> None:
    answer = service.rename(document(text), at(text, part), new)
    assert isinstance(answer, service.Refusal)
    assert reason in answer.reason


SHOP = GARDEN.replace(
    "reward joy",
    "template Shop(name, m) { affordance name at random { instantly { m += 0.1 } } }\nuse Shop(Bakery, joy)\n"
    "reward joy + 1 when here == Bakery",
)


def test_names_that_templates_make_are_found_and_renamed() -> None:
    """An argument that a template declares something by is a declaration; another one is a use of a name."""
    of = document(SHOP)
    (place,) = service.definition(of, at(SHOP, "== Bakery", 4))
    assert place.range.start == at(SHOP, "Shop(Bakery", 5)
    assert "use Shop(Bakery, joy)" in hover(of, at(SHOP, "== Bakery", 4))
    assert "affordance, line" in hover(of, at(SHOP, "== Bakery", 4))
    assert "Bakery" in offered(cut(SHOP, "when here == "))
    for where in (at(SHOP, "Shop(Bakery", 6), at(SHOP, "== Bakery", 4)):
        answer = service.rename(of, where, "Baker")
        assert isinstance(answer, service.Renaming)
        assert service.renamed(of, answer).text == SHOP.replace("Bakery", "Baker")
    answer = service.rename(of, at(SHOP, ", joy)", 3), "glee")
    assert isinstance(answer, service.Renaming)
    assert service.renamed(of, answer).text == SHOP.replace("joy", "glee")
    answer = service.rename(of, at(SHOP, "{ m +=", 2), "n")
    assert isinstance(answer, service.Renaming)
    assert len(answer.ranges) == 2


def test_names_in_lists_of_uses_are_declarations() -> None:
    text = SHOP.replace("use Shop(Bakery, joy)", "use Shop((Mill, Bakery), (joy, water))")
    of = document(text)
    assert service.diagnostics(of) == ()
    (place,) = service.definition(of, at(text, "== Bakery", 4))
    assert place.range.start == at(text, "(Mill, Bakery", 7)
    answer = service.rename(of, at(text, "== Bakery", 4), "Baker")
    assert isinstance(answer, service.Renaming)
    assert service.renamed(of, answer).text == text.replace("Bakery", "Baker")


RULE = "rule thirst: water < 0.2 -> joy -= 0.1 * water\n"
SPLIT = "\n".join('include "rules.hamlet"' if "rule thirst" in line else line for line in GARDEN.split("\n"))


def test_a_name_is_renamed_in_the_files_that_a_text_includes(tmp_path: Path) -> None:
    """As an editor has these files, if it has them open; wherever it is declared."""
    (tmp_path / "rules.hamlet").write_text("old")
    rules = tmp_path / "rules.hamlet"
    of = Document(tmp_path / "garden.hamlet", SPLIT, {rules.resolve(): RULE})
    before = universe(of)
    answer = service.rename(of, at(SPLIT, "water <= 0"), "creek")
    assert isinstance(answer, service.Renaming)
    assert {place.path for place in answer.elsewhere} == {rules}
    assert [place.range.start.character for place in answer.elsewhere] == [13, 41]
    after = service.renamed(of, answer)
    assert after.others[rules.resolve()] == RULE.replace("water", "creek")
    assert after.text == re.sub(r"\bwater\b", "creek", SPLIT)
    assert universe(after).replace("creek", "water") == before
    assert service.diagnostics(after) == ()


def test_a_name_in_a_file_that_another_universe_has_stays(tmp_path: Path) -> None:
    (tmp_path / "rules.hamlet").write_text(RULE)
    (tmp_path / "swamp.hamlet").write_text('universe swamp\ninclude "./rules.hamlet"\n')
    of = Document(tmp_path / "garden.hamlet", SPLIT)
    answer = service.rename(of, at(SPLIT, "water <= 0"), "creek")
    assert answer == service.Refusal("`water` stands in rules.hamlet, which swamp.hamlet includes, too")
    (tmp_path / "swamp.hamlet").write_text("universe swamp\n")
    assert isinstance(service.rename(of, at(SPLIT, "water <= 0"), "creek"), service.Renaming)
    part = Document(tmp_path / "rules.hamlet", RULE)
    answer = service.rename(part, at(RULE, "thirst"), "parched")
    assert answer == service.Refusal("`thirst` may stand in universes that include this text")
