"""A universe that was read keeps to what a compiler checks: names, ranges, references, types and heights."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hamlet.universe import DayTime, ObserveValue
from hamlet.universe.codec import CodecError, from_json, to_json
from hamlet.universe.members import UnsoundError
from hamlet.universe.sound import check_sound
from samples import sample, universe_of
from samples.by_hand import SPAN

WRONG: list[tuple[tuple[Any, ...], Any, str]] = [
    (("name",), "a\x1b[31m", "a universe cannot be called 'a\\x1b[31m'"),
    (("name",), "../../town", "a universe cannot be called '../../town'"),
    (("name",), "class", "a universe cannot be called 'class'"),
    (("sources", 0), "a\nb.hamlet", "a source cannot be called 'a\\nb.hamlet'"),
    (("meters", 0, "name"), "new\nline", "Meter has the name 'new\\nline', which cannot be shown"),
    (("meters", 0, "name"), "\u202eeman", "which cannot be shown"),
    (("meters", 0, "name"), "mood", "there are two meters called 'mood'"),
    (("meters", 0, "low"), 2.0, "Meter energy lies in 2.0 .. 1.0, the higher number first"),
    (("lifespan", "ticks"), 10**30, "ticks of Lifespan is 1000000000000000000000000000000, and not in 1 .. 1000000000"),
    (("lifespan", "ticks"), 0, "ticks of Lifespan is 0"),
    (("space", "sizes", 0), 1 << 40, "a grid has 1 .. 100 sides of 1 .. 16384 cells"),
    (("space", "sizes"), [], "a grid has 1 .. 100 sides"),
    (("affordances", 0, "duration"), -1, "duration of Affordance is -1"),
    (("affordances", 0, "place"), [1.0], "a place or a move has another number of axes than 2"),
    (("affordances", 0, "place"), [1.0, 99.0], "stands on no cell of the grid"),
    (("observations", 3, "value", "meter"), "nothing", "MeterValue names 'nothing', which is none of the meters"),
    (("causes", 0, "condition", "left", "meter"), "nothing", "MeterValue names 'nothing'"),
    (("causes", 0, "condition", "op"), "+", "condition of Cause is a number"),
    (("causes", 0, "condition", "op"), "and", "a number and a condition are confused in Binary"),
    (("dynamics", 0, "body", 0, "meter"), "nothing", "'nothing' is written, which is none of the meters"),
    (("rewards",), [], "it has no reward"),
]


@pytest.mark.parametrize(("path", "value", "message"), WRONG)
def test_what_no_compiler_makes_is_refused(path: tuple[Any, ...], value: Any, message: str) -> None:
    document = json.loads(to_json(sample("town")))
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    assert path[-1] in holder if isinstance(holder, dict) else holder[path[-1]] != value
    holder[path[-1]] = value
    with pytest.raises(CodecError) as error:
        from_json(json.dumps(document))
    assert message in str(error.value)


def test_high_expressions_are_refused() -> None:
    document = json.loads(to_json(sample("town")))
    reward = document["rewards"][0]
    for _ in range(250):
        reward["value"] = {"kind": "Unary", "op": "-", "operand": reward["value"], "span": [1, 1, 1, 2]}
    with pytest.raises(CodecError, match="more than 200 levels"):
        from_json(json.dumps(document))


HERE = {"span": [1, 1, 1, 2]}
PLAIN = {"kind": "Number", "value": 1.0, **HERE}
HAPPENS = {"kind": "DrawChance", "probability": {**PLAIN, "value": 0.5}, "site": 0, **HERE}
COUNTED = {"kind": "Among", "op": "count", "operand": {"kind": "Truth", "value": True, **HERE}, **HERE}
USED = {"kind": "Used", "affordance": None, **HERE}
AGE = {"kind": "Age", **HERE}
SUMMED = {"kind": "Among", "op": "total", **HERE}
REWARD, START, NEEDS = ("rewards", 0, "value"), ("meters", 0, "start"), ("affordances", 0, "needs")
MISPLACED: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    (START, COUNTED, "Among is read in a start value: no agents are counted"),
    (START, {"kind": "Apart", **HERE}, "Apart is read in a start value: no agent asks"),
    (START, {"kind": "Previous", "operand": PLAIN, **HERE}, "Previous is read in a start value: it has no past"),
    (NEEDS, HAPPENS, "DrawChance is read in what can be done: nothing is drawn"),
    (NEEDS, USED, "Used is read in what can be done: nothing has been used yet"),
    (REWARD, {"kind": "Deficit", **HERE}, "Deficit is read in an end or a reward: no cascade measured it"),
    (REWARD, {"kind": "Neighbours", "operand": PLAIN, **HERE}, "Neighbours is read in an end or a reward"),
    (REWARD, {**SUMMED, "operand": COUNTED}, "Among is read in what agents have together: no agents are counted"),
    (REWARD, {"kind": "Previous", "operand": COUNTED, **HERE}, "Among is read in the past of an end or a reward"),
    (REWARD, {"kind": "DayTime", "function": "sin", **HERE}, "DayTime needs a clock, and there is none"),
    (("meters", 0, "decay"), {**SUMMED, "operand": {"kind": "Own", "operand": AGE, **HERE}}, ""),
    (("meters", 0, "decay"), {"kind": "Own", "operand": AGE, **HERE}, "Own is read in a rule: no agent asks"),
]


@pytest.mark.parametrize(("path", "value", "message"), MISPLACED)
def test_what_has_no_value_there_is_refused(path: tuple[Any, ...], value: dict[str, Any], message: str) -> None:
    document = json.loads(to_json(sample("town")))
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    if not message:
        assert from_json(json.dumps(document))
        return
    with pytest.raises(CodecError) as error:
        from_json(json.dumps(document))
    assert message in str(error.value)


def test_what_a_universe_needs() -> None:
    time = ObserveValue("time.sin", DayTime("sin", SPAN), -1.0, 1.0, SPAN)
    with pytest.raises(UnsoundError, match="DayTime needs a clock, and there is none"):
        check_sound(replace(sample("town"), clock=None, observations=(time,)))


def test_cells_begin_without_what_other_cells_have() -> None:
    document = json.loads(to_json(sample("gallery/forest_fire")))
    name = document["cells"]["meters"][0]["name"]
    document["cells"]["meters"][0]["start"] = {"kind": "CellValue", "meter": name, **HERE}
    with pytest.raises(CodecError, match="begins with tree, which begins later"):
        from_json(json.dumps(document))


def test_the_nearest_of_all_agents_needs_no_space() -> None:
    """Without a space all are within reach, and the one of the lowest number is the nearest."""
    text = "universe near\nspace none\nmeter a = 0.5 { decay 0.01 }\nreward nearest(true, a)\nobserve { meters }\n"
    assert from_json(to_json(universe_of(text))) == universe_of(text)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (("INTERACT", "UP", "UP"), "there are two actions in the list called 'UP'"),
        (("DOWN",), "the list of actions and the actions differ in 'INTERACT'"),
        (("INTERACT", "FLY"), "the list of actions and the actions differ in 'FLY'"),
    ],
)
def test_a_list_of_actions_has_what_it_must_and_no_more(order: tuple[str, ...], message: str) -> None:
    own = tuple(action.name for action in sample("town").actions)
    check_sound(replace(sample("town"), order=("UP", *own, "INTERACT")))
    with pytest.raises(UnsoundError, match=message):
        check_sound(replace(sample("town"), order=(*own, *order)))
