from __future__ import annotations

import pytest
from language_cases import error, errors

from hamletc.language import syntax
from hamletc.language.braces import DECLARATIONS
from hamletc.language.parser import MOST_ERRORS, parse
from hamletc.language.tables import Automaton, terminals
from hamletc.language.tokens import Token
from hamletc.language.words import SHAPES

MANY = """\
universe town
spcae grid 8 x 8
meter energy 1.0 { decay 0.1 }
meter b = 1.0 { decya 0.1 }
cascde foo: a < 0.3 -> b += 1
rule x: a < 3 < b -> a += 1
affordance Bed at random {
    needs money >= (0.5 + 1
    instantly { energy += 1 }
}
affordance Kitchen at random {
    instantly { energy + 1 }
    each tick { b += 1 }
}
reward a && b
observe { grid  positoin relative }
meter last = 1
"""


def test_one_run_reports_every_independent_error_once() -> None:
    assert errors(MANY) == [
        ("H009", 2, 1),
        ("H009", 3, 14),
        ("H009", 4, 17),
        ("H009", 5, 1),
        ("H013", 6, 15),
        ("H009", 9, 5),
        ("H009", 12, 24),
        ("H004", 15, 10),
        ("H009", 16, 17),
    ]


def test_after_an_error_between_braces_the_items_in_its_next_lines_are_read() -> None:
    text = """\
universe town
affordance Bed at random {
    sleeping bag
    on completion { energy += 0.2 ) }
    open 9 17
    each tick { mood += }
    capacity 2
}
role cat: others {
    observe { meters  window 5 (  grid
        hours
        what: energy energy
        text mood
    }
    reward energy mood
    dies hen energy <= 0
}
"""
    lines = [(3, 5), (4, 35), (5, 10), (6, 25), (10, 32), (12, 22), (14, 5), (15, 19), (16, 10)]
    assert [(line, column) for _, line, column in errors(text)] == lines


def test_what_could_be_read_is_kept() -> None:
    file, _ = parse(MANY)
    assert file is not None
    kinds = [type(declaration).__name__ for declaration in file.declarations]
    assert kinds == ["MeterDecl", "MeterDecl", *["AffordanceDecl"] * 2, "RewardDecl", "ObserveDecl", "MeterDecl"]
    kitchen, observe = file.declarations[3], file.declarations[5]
    assert isinstance(kitchen, syntax.AffordanceDecl)
    assert [item.kind for item in kitchen.items if isinstance(item, syntax.BlockItem)] == ["instantly", "each tick"]
    assert isinstance(observe, syntax.ObserveDecl)
    assert [type(item) for item in observe.items] == [syntax.ObserveGrid]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("cascde c: a < 1 -> b += 1", "expected a declaration, found `cascde`", "Did you mean `cascade`?"),
        ("meter a = 1 { move 1, decay 2 }",
         "expected an operator, `decay`, `interact`, `move`, `only` or `}`, found `,`",
         "Items stand side by side, without commas."),
        ("action A { 5 }", "expected a statement, `keeps`, `needs` or `}`, found `5`",
         "Write it as in `action REST { needs energy < 0.9  energy += 0.01 }`."),
        ("space torus 4", "expected `continuous`, `graph`, `grid`, `hexagons` or `none`, found `torus`",
         "`space grid 8 x 8 { edges wrap }` joins opposite edges."),
        ("space gird 4", "expected `continuous`, `graph`, `grid`, `hexagons` or `none`, found `gird`",
         "Did you mean `grid`?"),
        ("space grid (0 .. 1)", "expected a number or `map`, found `(`",
         "Write it as in `space grid 8 x 8 { edges wrap }`."),
        ("space continuous 4", "expected `(`, found `4`",
         "Write it as in `space continuous (0 .. 10) x (0 .. 10) { step 0.5  reach 1 }`."),
        ("space grid 4 { step 1 }",
         "expected `agents`, `distance`, `edges`, `momentum`, `moves`, `places`, `starts` or `}`, found `step`",
         "`step 0.5` stands in the braces of a continuous space; `age` is the ticks that an agent has lived."),
        ("space none { }", "expected a declaration, found `{`", "Write it as in `space none`."),
        ("track uses by lane", "expected `agent` or `world`, found `lane`", "Write it as in `track uses by world`."),
        ("episodes by foot", "expected `hand`, found `foot`", "Write it as in `episodes by hand`."),
        ("allow UP", "expected a name or `when`, found the end of the file",
         "Write it as in `allow UP DOWN when position x > 0`."),
        ("allow 5 when true", "expected a name or `all`, found `5`",
         "Write it as in `allow UP DOWN when position x > 0`."),
        ("report 5", "expected a name, found `5`", "Write it as in `report NAME: energy * food`."),
        ("moves { UP 1 }", "expected `(`, found `1`", "Write it as in `moves { NORTH (0, -1)  EAST (1, 0) }`."),
        ("affordance A together { }", "expected `at`, `lasts`, `open`, `solid`, `:` or `{`, found `together`",
         "Write it as in `affordance Bed at random open 8 .. 18 { instantly { energy += 0.5 } }`."),
        ("observe { constant }", "expected a number, found `}`",
         "Write it as in `observe { grid  meters  lack: 1 - energy }`."),
        ("observe { 5 }", "expected `NAME:`, an item of `observe` or `}`, found `5`",
         "Write it as in `observe { grid  meters  lack: 1 - energy }`."),
        ("reward `a` `b`", "expected an operator or a declaration, found `b`",
         "Write it as in `reward 0.1 when here == Bed`."),
        ("reward position w", "expected an operator or a declaration, found `w`",
         "Axes are called `x`, `y` and `z`; where there are more than three, `x0`, `x1`, ..."),
        ("affordance A at random { each tck { a += 1 } }", "expected `tick`, found `tck`", "Did you mean `tick`?"),
        ("affordance A at random open 8 { }", "expected `..`, found `{`",
         "Write `open 8 .. 18`: the hours from the first up to the second."),
        ("clock 24", "expected `hour` or `hours`, found the end of the file", "Write `clock 24 hours`."),
        ("clock hours", "expected a number, found `hours`", "Write it as in `clock 24 hours`."),
        ("meter 5 = 1", "expected a name, found `5`",
         "Write it as in `meter energy = 1.0 in 0 .. 1 { decay 0.01  move 0.005 }`."),
        ("rule r:", "expected an expression or a statement, found the end of the file",
         "Write it as in `rule NAME: energy < 0.3 -> mood -= 0.01`."),
        ("rule r: a + 1", "expected an operator or `->`, found the end of the file",
         "Write it as in `rule NAME: energy < 0.3 -> mood -= 0.01`."),
        ("universe v", "expected a declaration, found `universe`", "A file declares one universe, in its first line."),
    ],
)  # fmt: skip
def test_what_is_expected_is_said_in_an_authors_words(text: str, message: str, hint: str) -> None:
    found = error(f"universe u\n{text}")
    assert (found.code, found.message, found.hint) == ("H009", message, hint)


def test_an_error_far_from_its_declaration_names_it() -> None:
    found = error("universe u\naffordance Bed at random {\n    needs 5\n    instanly { a += 1 }\n}")
    assert [(label.text, label.span.line) for label in found.secondary] == [("in this affordance", 2)]


@pytest.mark.parametrize(
    ("text", "found", "opened"),
    [
        ("universe u\naction A { a += 1\nmeter b = 1 { decay 1 }\n", (3, 1), (2, 10)),
        ("universe u\naction A {\n  a += 1\n", (4, 1), (2, 10)),
        ("universe u\naffordance A at random {\n  instantly { a += 1\n}\nreward a", (4, 1), (3, 13)),
        ("universe u\nlifespan 5 ticks {\n  reward 1\nreward 2", (4, 1), (2, 18)),
    ],
)
def test_a_forgotten_brace_is_the_only_error(text: str, found: tuple[int, int], opened: tuple[int, int]) -> None:
    diagnostic = error(text)
    place, (label,) = diagnostic.primary.span, diagnostic.secondary
    assert diagnostic.code == "H010"
    assert (place.line, place.column) == found
    assert (label.text, label.span.line, label.span.column) == ("opened here", *opened)


def test_two_forgotten_braces_are_one_error() -> None:
    found = error("universe u\naffordance A at random { instantly { a += 1\nmeter b = 1 { decay 1 }\n")
    assert found.message == "2 braces are not closed before `meter`"
    assert [label.span.column for label in found.secondary] == [36, 24]


def test_a_closing_brace_too_many_is_the_only_error() -> None:
    assert errors("universe u\naction A { a += 1 } }\nmeter b = 1") == [("H011", 2, 21)]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("meter b = 1 {}", 13), ("observe {\n}", 9), ("rule r { }", 8), ("rule r: a < 1 -> { }", 18), ("moves { }", 7),
        ("lifespan 5 ticks { }", 18), ("space grid 8 { }", 14), ("action A { together { } }", 21),
        ("affordance A { instantly { together { } } }", 37),
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", ["universe u", "universe u\naction B { }\n", "universe u action B { } "])
def test_empty_braces(before: str, text: str, column: int) -> None:
    line = before.count("\n") + 1
    start = len(before.split("\n")[-1])
    assert errors(f"{before} {text}") == [("H014", line, start + 1 + column)]


@pytest.mark.parametrize("before", ["universe u", "universe u meter a = 1 { decay 1 }"])
def test_affordances_and_actions_may_have_empty_braces(before: str) -> None:
    text = "affordance A { } affordance B { instantly { } each tick {\n} } action C { }"
    text += " affordance D lasts 2 ticks together { } meter together = 1"
    assert errors(f"{before} {text}") == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("meter a = 1", (1, 1)),
        ("univers u\nmeter a = 1", (1, 1)),
        ("universe\nmeter = 1", (2, 7)),
        ("universe 5\nmeter a = 1", (1, 10)),
        ("universe when\nmeter a = 1", (1, 10)),
    ],
)
def test_a_file_without_a_header_is_parsed_all_the_same(text: str, place: tuple[int, int]) -> None:
    file, diagnostics = parse(text + "\nmeter b = 1")
    assert file is not None
    assert len(file.declarations) >= 1
    assert (diagnostics[0].primary.span.line, diagnostics[0].primary.span.column) == place


def test_too_many_errors_end_the_run() -> None:
    file, diagnostics = parse("universe u\n" + "meter\n" * 100)
    assert file is None
    assert len(diagnostics) == MOST_ERRORS + 1
    assert diagnostics[-1].code == "H016"


def test_the_words_that_begin_a_declaration_are_those_of_the_grammar() -> None:
    automaton = Automaton()
    automaton.feed("UNIVERSE", Token("word", "universe", 1, 1))
    automaton.feed("NAME", Token("word", "u", 1, 10))
    texts = {text for text, terminal in terminals().items() if terminal in automaton.expected()}
    assert texts == DECLARATIONS | {"extends"}


def test_every_declaration_has_a_shape() -> None:
    """... that is shown where one is not understood."""
    assert {shape.split()[0] for shape in SHAPES} == DECLARATIONS
    file, (found, *_) = parse("universe u\nstart a\n")
    assert file is not None or found is not None
    assert found.hint is not None


@pytest.mark.parametrize("text", ["override", "override param x", "world { } override param x", "override override"])
def test_what_ends_behind_override_ends_with_an_error(text: str) -> None:
    file, diagnostics = parse(f"universe a {text}")
    assert file is not None
    assert {diagnostic.code for diagnostic in diagnostics} <= {"H009", "H014"}


def test_an_empty_affordance_of_a_template_may_be_empty() -> None:
    text = "universe a template T(n) { affordance n at (0) lasts forever together { } }"
    assert parse(text)[1] == ()
