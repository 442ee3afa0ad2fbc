"""A name that is refused is one mistake: its uses are none, and what else is wrong is still found."""

from __future__ import annotations

import pytest

from hamletc.checking.check import check
from hamletc.language.parser import parse

HANDS = """universe hands
space grid 4 x 4
lifespan 15 ticks
param NAME_OF_PARAM = 0.5 in 0 .. 1
let NAME_OF_LET = 0.02 * NAME_OF_PARAM
meter NAME_OF_METER = 1 { decay NAME_OF_LET }
state NAME_OF_STATE: rock paper = rock
world { meter NAME_OF_WORLD = 1  rule runs: NAME_OF_WORLD -= 0.01 * count(NAME_OF_STATE == paper) }
cells { meter NAME_OF_CELLS = 0  rule grow: NAME_OF_CELLS += 0.01 * NAME_OF_WORLD }
effect NAME_OF_EFFECT lasts 3 ticks { each tick { NAME_OF_METER -= 0.01 } }
affordance NAME_OF_PLACE at random { instantly { NAME_OF_METER += 0.1  begin NAME_OF_EFFECT } }
action NAME_OF_ACTION { NAME_OF_STATE = rock }
action PAPER { NAME_OF_STATE = paper }
rule NAME_OF_RULE: here == NAME_OF_PLACE and NAME_OF_STATE != rock -> NAME_OF_METER += 0.01 * NAME_OF_CELLS
reward NAME_OF_METER when NAME_OF_STATE == rock
report often: 1 when (action == NAME_OF_ACTION and not NAME_OF_EFFECT)
observe { meters NAME_OF_METER  state  world  cell NAME_OF_CELLS  params }
"""
NAMED = ("PARAM", "LET", "METER", "STATE", "WORLD", "CELLS", "EFFECT", "PLACE", "ACTION", "RULE")


def hands(**words: str) -> str:
    text = HANDS
    for name in NAMED:
        text = text.replace(f"NAME_OF_{name}", words.get(name, f"own_{name.lower()}"))
    return text


def said(text: str) -> list[str]:
    file, problems = parse(text)
    assert file is not None, problems
    assert not problems, problems
    return [f"{each.code} {each.message}" for each in check(file, ("hands.hamlet",))[1]]


def test_there_is_no_mistake() -> None:
    assert said(hands()) == []


@pytest.mark.parametrize("word", ["last", "hour", "speed", "progress"])
@pytest.mark.parametrize("name", NAMED)
def test_one_refused_name_is_one_error(name: str, word: str) -> None:
    (found,) = said(hands(**{name: word}))
    assert found.startswith("H023 ")
    assert found.endswith(f"cannot be called `{word}`")


def test_several_are_said_and_so_is_what_else_is_wrong() -> None:
    text = hands(METER="age", STATE="last").replace("+= 0.01 *", "+= 0.01 / 0 *").replace("!= rock", "!= scissors")
    assert said(text) == [
        "H023 a meter cannot be called `age`",
        "H023 a state cannot be called `last`",
        "H050 division by zero",
        "H161 `scissors` is none of the options",
        "H050 division by zero",
    ]


def test_a_word_that_is_used_as_what_it_means_is_not_made_worse() -> None:
    text = hands(STATE="hour").replace("often: 1 when", "often: hour * 0.1 + 1 when")
    text = text.replace("lifespan", "clock 9 hours\nlifespan")
    assert said(text)[0] == "H023 a state cannot be called `hour`"
    assert len(said(text)) == 2


def test_copies_have_one_mistake() -> None:
    own = "state last = false  rule r: last = not last"
    text = hands().replace("own_place at random {", f"own_place: 5 copies at random {{ {own} ")
    found = said(text)
    assert found == ["H023 a meter cannot be called `last`"]
