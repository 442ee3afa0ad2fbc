"""The language service: functions over a text and those that it includes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from garden import GARDEN, ROOT, SHIPPED, at, cut, document, hover, offered
from hypothesis import given, settings
from hypothesis import strategies as st

import hamlet_language as service
from examples import examples
from hamlet_language import Document, Lines, Position
from hamletc.compile import check
from hamletc.errors import SourceError
from hamletc.language.formatter import format_source
from hamletc.language.parser import is_fragment, parse, parse_fragment
from hamletc.language.source import Source
from hamletc.language.tokens import scan
from hamletc.read import parsed

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
