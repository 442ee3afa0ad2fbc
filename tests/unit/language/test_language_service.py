"""The language service: functions over a text and those that it includes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hamlet_language as service
from examples import examples
from hamlet.universe.codec import to_json
from hamlet_language import Document, Lines, Position
from hamlet_language.outline import every
from hamletc.compile import check
from hamletc.errors import SourceError
from hamletc.frontend import UniverseText
from hamletc.language.formatter import format_source
from hamletc.language.parser import is_fragment, parse, parse_fragment
from hamletc.language.source import Source
from hamletc.language.tokens import scan
from hamletc.read import parsed

ROOT = Path(__file__).parents[3]
SHIPPED = sorted((ROOT / "universes").rglob("*.hamlet"))
GARDEN = """\
universe garden
space grid 4 x 4
meter water = 0.5 in 0 .. 2 { decay 0.01  interact 0.001 }
meter joy = 1
action REST { joy += 0.1  water += 0.1 }
rule thirst: water < 0.2 -> joy -= 0.1 * water
rule even: water > 1 -> joy = 0.5
affordance Well at random {
    instantly { water += 0.5  joy -= 0.01 }
}
dies when water <= 0 or joy <= 0
reward joy
observe { meters }
"""


def document(text: str, path: Path = Path("garden.hamlet")) -> Document:
    return Document(path, text)


def at(text: str, part: str, more: int = 0) -> Position:
    """The position of the only place where a part stands, or of a character of it."""
    assert text.count(part) == 1, part
    before = text[: text.index(part) + more]
    return Position(before.count("\n"), len(before) - before.rfind("\n") - 1)


def offered(text: str) -> dict[str, service.Offer]:
    """The offers at the end of a text."""
    end = Position(text.count("\n"), len(text) - text.rfind("\n") - 1)
    return {offer.text: offer for offer in service.completion(document(text), end)}


def cut(text: str, part: str) -> str:
    """A text up to the end of a part of it."""
    assert text.count(part) == 1, part
    return text[: text.index(part) + len(part)]


# --- positions ---


@pytest.mark.parametrize(
    ("text", "line", "column", "position"),
    [
        ("ab\ncd", 2, 2, (1, 1)),
        ("# \U0001f600 a", 1, 4, (0, 4)),
        ("a\r\nb", 2, 1, (1, 0)),
        ("a\rb\nc", 2, 1, (2, 0)),
        ("a", 7, 3, (0, 1)),
    ],
)
def test_editors_count_halves_of_utf16_and_every_kind_of_break(
    text: str, line: int, column: int, position: tuple[int, int]
) -> None:
    lines = Lines(text)
    assert lines.position(line, column) == Position(*position)
    if line <= text.count("\n") + 1:
        assert lines.place(Position(*position)) == (line, column)


def test_a_position_behind_its_line_is_the_end_of_it() -> None:
    assert Lines("ab\r\ncd").offset(Position(0, 99)) == 2
    assert Lines("ab\ncd").offset(Position(9, 0)) == 5


# --- diagnostics ---


def test_the_garden_has_no_problems_and_a_mistake_has_its_range_and_a_hint() -> None:
    assert service.diagnostics(document(GARDEN)) == ()
    text = GARDEN.replace("reward joy", "reward jjoy")
    (notice,) = service.diagnostics(document(text))
    assert (notice.code, notice.severity) == ("H020", "error")
    assert notice.range == service.Range(at(text, "jjoy"), at(text, "jjoy", 4))
    assert "joy" in notice.hint
    assert notice.path == Path("garden.hamlet")


def test_a_notice_is_what_the_command_says() -> None:
    """The service asks for no universe, and says the same."""
    texts = sorted((ROOT / "tests" / "golden" / "diagnostics").glob("*.hamlet"))[::9]
    assert len(texts) > 10
    for path in [*texts, ROOT / "universes" / "gallery" / "wolves.hamlet"]:
        of = Document(path, path.read_text(encoding="utf-8"))
        try:
            said = check(parsed(Source(path, of.text))).warnings
        except SourceError as error:
            said = error.found
        assert of.checked == said, path.name


def test_related_places_are_told() -> None:
    text = GARDEN.replace("meter joy = 1\n", "meter joy = 1\nmeter joy = 0.2\n")
    (notice,) = service.diagnostics(document(text))
    assert notice.code == "H022"
    assert [related.range.start for related in notice.related] == [at(text, "meter joy = 1\n", 6)]


def test_a_text_to_be_included_is_parsed_alone() -> None:
    assert service.diagnostics(document("meter water = 1 { decay nobody }\n")) == ()
    (notice,) = service.diagnostics(document("meter water = = 1\n"))
    assert notice.range.start == Position(0, 14)
    assert service.diagnostics(document(""))[0].code == "H008"


def test_the_text_of_an_editor_counts_for_files_that_are_included(tmp_path: Path) -> None:
    needs = tmp_path / "needs.hamlet"
    needs.write_text("meter water = 0.5 in 0 .. 2 { decay 0.01  interact 0.001 }\n")
    garden = tmp_path / "garden.hamlet"
    text = "\n".join('include "needs.hamlet"' if "meter water" in line else line for line in GARDEN.split("\n"))
    assert service.diagnostics(Document(garden, text)) == ()
    broken = Document(garden, text, {needs.resolve(): "meter water = = 1\n"})
    (notice,) = service.diagnostics(broken)
    assert (notice.path, notice.range.start) == (needs, Position(0, 14))
    whole = Document(garden, text)
    (place,) = service.definition(whole, at(text, "water <= 0"))
    assert (place.path, place.range.start) == (needs, Position(0, 6))
    (file,) = service.definition(whole, at(text, "needs.hamlet"))
    assert (file.path, file.range.start) == (needs, Position(0, 0))
    assert "of needs.hamlet" in hover(whole, at(text, "water <= 0"))


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


@settings(max_examples=examples(120), deadline=None)
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


def test_a_name_in_another_file_stays(tmp_path: Path) -> None:
    (tmp_path / "rules.hamlet").write_text("rule thirst: water < 0.2 -> joy -= 0.1 * water\n")
    text = "\n".join('include "rules.hamlet"' if "rule thirst" in line else line for line in GARDEN.split("\n"))
    answer = service.rename(Document(tmp_path / "garden.hamlet", text), at(text, "water <= 0"), "wet")
    assert answer == service.Refusal("`water` stands in rules.hamlet, too")


# --- hovers ---


def hover(of: Document, position: Position) -> str:
    said = service.hover(of, position)
    return "" if said is None else said.text


def test_a_hover_of_a_meter_says_its_range_and_what_changes_it_in_the_order_of_a_tick() -> None:
    said = hover(document(GARDEN), at(GARDEN, "reward joy", 7))
    assert "meter joy = 1" in said
    assert "from 0 to 1" in said
    assert [line for line in said.splitlines() if line.startswith("- ")] == [
        "- raises: action REST (`joy += 0.1`, line 5)",
        "- lowers: affordance Well instantly (`joy -= 0.01`, line 9)",
        "- lowers by 0 .. 0.02: rule thirst (`joy -= 0.1 * water`, line 6)",
        "- sets: rule even (`joy = 0.5`, line 7)",
    ]
    water = hover(document(GARDEN), at(GARDEN, "water <= 0"))
    assert "meter water = 0.5 in 0 .. 2" in water
    assert [line for line in water.splitlines() if line.startswith("- ")] == [
        "- raises: action REST (`water += 0.1`, line 5)",
        "- lowers: meter water (`interact 0.001`, line 3)",
        "- raises: affordance Well instantly (`water += 0.5`, line 9)",
        "- lowers: meter water (`decay 0.01`, line 3)",
    ]
    assert "in play: 0 .. 2\n" in water
    assert water.endswith("left alone: -0.01 in a tick")
    assert "left alone" not in said  # a rule sets it


def test_a_hover_of_a_text_with_errors_says_what_can_be_read() -> None:
    text = GARDEN.replace("observe { meters }", "observe { meterz }")
    said = hover(document(text), at(text, "reward joy", 7))
    assert "- changes: rule thirst (`joy -= 0.1 * water`, line 6)" in said
    assert "in play" not in said


def test_hovers_explain_words_functions_quantities_and_codes() -> None:
    text = GARDEN.replace("reward joy", "reward max(joy, age)  # H020 is an error")
    assert "cascade NAME" not in hover(document(text), at(text, "rule thirst", 1))
    assert "rule NAME" in hover(document(text), at(text, "rule thirst", 1))
    assert "function of two or more arguments" in hover(document(text), at(text, "max("))
    assert "ticks an agent has lived" in hover(document(text), at(text, "age)"))
    assert "name that is not declared" in hover(document(text), at(text, "H020", 2))
    assert service.hover(document(text), at(text, "is an error")) is None


# --- completion ---


def test_offers_are_what_fits() -> None:
    statement = offered(cut(GARDEN, "instantly { "))
    assert {"water", "joy", "begin", "together"} <= set(statement)
    assert not {"Well", "max", "meter"} & set(statement)
    expression = offered(cut(GARDEN, "joy -= 0.1 * "))
    assert {"water", "max", "age", "distance"} <= set(expression)
    assert not {"deficit", "thirst", "meter"} & set(expression)
    compared = offered(cut(GARDEN, "reward joy") + " when here == ")
    assert {"Well"} <= set(compared)
    assert not {"joy", "max"} & set(compared)
    assert {"rule", "meter", "affordance"} <= set(offered(cut(GARDEN, "reward joy\n")))
    assert "deficit" in offered(cut(GARDEN, "-> joy = 0.5\n") + "cascade c: water < 0.3 -> joy -= ")
    assert "Well" in offered(cut(GARDEN, "reward joy") + " * distance to ")


def test_an_offer_takes_the_place_of_what_was_begun() -> None:
    text = cut(GARDEN, "joy -= 0.1 * wa")
    assert offered(text)["water"].range == service.Range(at(text, "* wa", 2), at(text, "* wa", 4))


@pytest.mark.parametrize(
    "text",
    [
        cut(GARDEN, "water = 0.5")[:-11],
        cut(GARDEN, "even:")[:-5],
        cut(GARDEN, "reward joy") + "  # a",
        cut(GARDEN, "joy = 0.5"),
        cut(GARDEN, "-> joy = 0.5\n") + "rule a: = = ",
        cut(GARDEN, "joy -= 0.1") + " %",
        "universe ",
        "univers u meter ",
    ],
    ids=[
        "new name",
        "new rule",
        "comment",
        "number",
        "percent",
        "behind a mistake",
        "name of a universe",
        "no universe",
    ],
)
def test_nothing_is_offered(text: str) -> None:
    if text.endswith(("rule ", "meter ")):
        assert all(offer.kind != "name" for offer in offered(text).values())
    else:
        assert offered(text) == {}


@settings(max_examples=examples(160), deadline=None)
@given(data=st.data())
def test_no_offer_is_refused_by_the_parser(data: st.DataObject) -> None:
    """With the braces closed that are open behind it, there is no complaint about an offer."""
    text = data.draw(st.sampled_from(SHIPPED)).read_text(encoding="utf-8")
    end = data.draw(st.integers(0, len(text)))
    before = text[:end]
    position = Position(before.count("\n"), len(before) - before.rfind("\n") - 1)
    of = document(text)
    offers = service.completion(of, position)
    for offer in data.draw(st.lists(st.sampled_from(offers), max_size=5)) if offers else ():
        assert refused(before[: of.lines.offset(offer.range.start)], offer.text) == []


def refused(before: str, text: str) -> list[str]:
    """The complaints about a text that is added to another one."""
    new = before + text
    scanned = scan(new)
    depth = 0
    for token in scanned.tokens:
        depth = max(0, depth + (token.text == "{") - (token.text == "}"))
    _, problems = (parse_fragment if is_fragment(scanned) else parse)(new + " }" * depth)
    place = (new.count("\n") + 1, len(before) - before.rfind("\n"))
    return [each.message for each in problems if (each.primary.span.line, each.primary.span.column) == place]


def test_a_refusal_would_be_seen() -> None:
    assert refused(cut(GARDEN, "joy -= 0.1 * "), "and") != []


# --- all of it ---


@settings(max_examples=examples(80), deadline=None)
@given(data=st.data())
def test_whatever_is_written_there_is_an_answer(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SHIPPED[:20])).read_text(encoding="utf-8")
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 40)))
    of = document(text[:begin] + data.draw(st.text(max_size=6)) + text[end:])
    position = Position(data.draw(st.integers(0, 200)), data.draw(st.integers(0, 90)))
    service.symbols(of)
    service.hover(of, position)
    service.definition(of, position)
    service.references(of, position)
    service.completion(of, position)
    service.formatting(of)


def test_a_text_is_formatted_or_left() -> None:
    text = GARDEN.replace("meter joy = 1", "meter   joy=1")
    assert service.formatting(document(text)) == format_source(text)[0] != text
    assert service.formatting(document("universe u meter")) is None


def test_the_service_needs_the_compiler_alone() -> None:
    program = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in {'torch', 'numpy', 'triton', 'lark', 'jinja2', 'yaml', 'rich', 'click',"
        " 'rich_click', 'pygls', 'lsprotocol'}:\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "from pathlib import Path\n"
        "from hamlet_language import *\n"
        f"of = Document(Path('garden.hamlet'), {GARDEN!r})\n"
        "assert diagnostics(of) == () and symbols(of) and hover(of, Position(3, 7))\n"
        "assert completion(of, Position(5, 0)) and formatting(of) and references(of, Position(3, 7))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
