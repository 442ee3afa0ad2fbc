"""What is no mistake is not reported, and what is reported has the reason that it has."""

from __future__ import annotations

import pytest

from hamletc.checking.check import check
from hamletc.diagnostics import Diagnostic
from hamletc.language.parser import parse

HEAD = "universe reasons\nspace none\nlifespan 20 ticks\n"


def said(text: str) -> list[Diagnostic]:
    file, problems = parse(text)
    assert file is not None, problems
    assert not problems, problems
    return list(check(file, ("reasons.hamlet",))[1])


def codes(text: str) -> list[str]:
    return [each.code for each in said(text)]


# --- what start values read ---

KEPT = "world { kept meter luck = uniform(0, 1)  rule draws: luck = uniform(0, 1) }\n"


def test_what_start_values_read_is_read() -> None:
    rest = "meter strength = luck { only falls }\nrule tires: strength -= 0.01\nreward strength\nobserve { meters }\n"
    assert codes(HEAD + KEPT + rest) == []


def test_what_start_values_read_of_what_nobody_reads_is_not_read() -> None:
    rest = "meter energy = 1 { decay 0.1  only falls }\nmeter unread = luck { decay 0.1 }\nreward energy\n"
    rest += "observe { meters energy }\n"
    found = [each.message for each in said(HEAD + KEPT + rest)]
    assert found == ["nobody reads the meter `luck` of the world", "nobody reads the meter `unread`"]


def test_start_values_read_those_above() -> None:
    rest = "meter one = uniform(0, 1) { only read }\nmeter other = 1 - one { only read }\n"
    rest += "reward one + other\nobserve { meters }\n"
    assert said(HEAD + rest) == []
    first, second, *others = rest.splitlines(keepends=True)
    (found,) = said(HEAD + "".join((second, first, *others)))
    assert (found.code, found.message, found.primary.text) == (
        "H270",
        "`other` begins before `one`",
        "this has no value yet",
    )
    assert found.hint == "Start values are found in the order of the file: move `one` above `other`."
    (found,) = said(HEAD + rest.replace("1 - one", "1 - other"))
    assert (found.code, found.message) == ("H270", "the start value of `other` reads itself")
    (found,) = said(HEAD + rest.replace("1 - one", "age"))
    assert (found.code, found.primary.text) == ("H083", "this is known from the first tick on")
    assert "`rule start: age == 0 -> other = age`" in found.hint


def test_names_in_backticks_are_told_as_they_are() -> None:
    odd = "`a\"*/{{ $x 'b`"
    rest = f"meter one = {odd} {{ only read }}\nmeter {odd} = 1 {{ decay 0.1 }}\n"
    rest += f"reward one + {odd}\nobserve {{ meters }}\n"
    (found,) = [each for each in said(HEAD + rest) if each.severity == "error"]
    assert (found.code, found.message) == ("H270", f"`one` begins before {odd}")


def test_what_reads_what_never_differs_never_changes() -> None:
    """Where all episodes begin with the same value, a meter that nothing changes is a number, whatever it reads."""
    rest = "meter one = 0.5 { decay 0.01  only falls }\nmeter other = 1 - one\n"
    rest += "reward one + other\nobserve { meters }\n"
    assert codes(HEAD + rest) == ["H073"]
    assert codes(HEAD + rest.replace("= 0.5 {", "= uniform(0, 1) {")) == []


def test_what_the_world_keeps_is_there_first() -> None:
    """What begins anew reads what is kept, wherever that stands; what is kept reads what is kept above."""
    block = "world {{ {}  rule draws {{ a = uniform(0, 1)  b = uniform(0, 1) }} }}\n"
    rest = "meter other = a * b { only read }\nreward other\nobserve { meters }\n"
    for meters, expected in (
        ("kept meter a = uniform(0, 1)  kept meter b = a", []),
        ("kept meter b = a  kept meter a = uniform(0, 1)", ["H270"]),
        ("meter b = a  kept meter a = uniform(0, 1)", []),
        ("meter b = uniform(0, 1)  kept meter a = b", ["H270"]),
    ):
        assert codes(HEAD + block.format(meters) + rest) == expected, meters


def test_cells_begin_at_the_same_time() -> None:
    """A cell reads what it has itself, and of others what is not their start value."""
    text = "universe field\nspace grid 4\nlifespan 5 ticks\ncells {{ meter moss = uniform(0, 1)  meter grass = {} \n"
    text += "rule grow {{ moss += 0.01  grass += 0.01 }} }}\nreward moss + grass\nobserve {{ cell }}\n"
    assert codes(text.format("1 - moss")) == []
    assert codes(text.format("1 when wall at (position x + 1)")) == []
    (found,) = said(text.format("moss at (position x + 1)"))
    assert (found.code, found.primary.text) == ("H083", "cells begin at the same time")


# --- what never changes ---

FIELD = """universe reasons
space grid map
map {
    "##.#"
    "#.s#"
    "####"
    wall "#"
    region shore "s"
}
lifespan 20 ticks
meter m = 1 { decay 0.1 }
cells { state stone = START }
action DIG { m += 0.1 when stone }
reward m when on shore
report left: count(stone) over cells
observe { meters  window 1 of stone }
"""


@pytest.mark.parametrize(
    ("start", "expected"),
    [("chance(0.3)", []), ("on shore and chance(0.3)", []), ("on shore", ["H073"]), ("true", ["H073"])],
)
def test_what_episodes_draw_need_not_change(start: str, expected: list[str]) -> None:
    assert codes(FIELD.replace("START", start)) == expected


@pytest.mark.parametrize(("start", "expected"), [("uniform(0, 1)", []), ("luck", []), ("agent", []), ("0.5", ["H073"])])
def test_what_differs_from_the_start_need_not_change(start: str, expected: list[str]) -> None:
    meter = f"meter height = {start}\nmeter m = 1 {{ decay 0.1  only falls }}\n"
    assert codes(f"{HEAD}{KEPT}{meter}reward m + height + luck\nobserve {{ meters }}\n") == expected


# --- cells behind a map with a mistake ---


def test_a_mistake_in_the_map_says_nothing_of_cells() -> None:
    assert codes(FIELD.replace("START", "chance(0.3)").replace('"##.#"', '"##Q#"')) == ["H144"]


def test_cells_without_a_grid_are_said_once() -> None:
    text = FIELD.replace("START", "chance(0.3)")
    text = text[: text.index("space grid")] + "space none\n" + text[text.index("lifespan") :]
    assert codes(text.replace("  window 1 of stone", "").replace(" when on shore", "")) == ["H180"]


def test_cells_that_have_nothing_are_said() -> None:
    text = FIELD.replace("cells { state stone = START }\n", "").replace("  window 1 of stone", "")
    assert "H242" in codes(text.replace("m += 0.1 when stone", "m += 0.1"))


# --- what looks back ---

SHIFTS = """state shifts: int in 0 .. 100 = 0
state level: int in 1 .. 5 = 1
action WORK { shifts += 1 }
rule promoted: GUARD -> level += 1
reward level
observe { state }
"""


@pytest.mark.parametrize("look", ["rising(shifts >= 4 * level)", "falling(shifts < 4 * level)"])
def test_what_looks_back_makes_another_condition_needless(look: str) -> None:
    """What stands beside it is always so where it holds, and can be left out; nothing inside of it can."""
    (found,) = said(HEAD + SHIFTS.replace("GUARD", f"shifts >= 4 * level and {look}"))
    assert (found.code, found.primary.span.column) == ("H062", 16)
    assert [label.text for label in found.secondary] == ["where this holds"]
    (found,) = said(HEAD + SHIFTS.replace("GUARD", f"{look} and shifts >= 4 * level"))
    assert (found.code, found.primary.span.column) == ("H062", 21 + len(look))
    assert codes(HEAD + SHIFTS.replace("GUARD", look)) == []
    assert codes(HEAD + SHIFTS.replace("GUARD", f"level < 3 and {look}")) == []


# --- what there must be ---


def test_what_the_world_and_cells_have_is_enough() -> None:
    world = "world { state lights: int in 0 .. 9 = 0  rule switch: lights += count(action == PRESS) }\n"
    assert codes(f"{HEAD}{world}action PRESS {{ }}\nreward lights\nobserve {{ state }}\n") == []
    text = FIELD.replace("START", "chance(0.3)").replace("meter m = 1 { decay 0.1 }\n", "")
    text = text.replace("m += 0.1 when stone ", "")
    text = text.replace("reward m when on shore", "reward 1 when (action == DIG and stone and on shore)")
    assert codes(text.replace("observe { meters ", "observe {")) == []
    assert codes(f"{HEAD}reward 1\nobserve nothing\n") == ["H025"]


# --- actions that do nothing themselves ---


def test_an_action_means_something_where_others_are_asked_for() -> None:
    luck = "meter luck = uniform(0, 1) { only read }\n"
    two = "action LEFT { }\naction RIGHT { }\n"
    assert codes(f"{HEAD}{luck}{two}reward if action == LEFT then luck else 1 - luck\nobserve {{ meters }}\n") == []
    assert codes(f"{HEAD}{luck}{two}reward luck\nobserve {{ meters }}\n") == ["H049", "H049"]
    asks_for_wait = f"{HEAD}{luck}{two}reward luck when action == WAIT\nobserve {{ meters }}\n"
    assert codes(asks_for_wait) == ["H049", "H049"]
