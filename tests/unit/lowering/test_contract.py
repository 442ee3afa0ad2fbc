"""The functions of docs/design.md: names and types of inputs and outputs, tables, origins; and the random policy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hamlet import schema
from hamlet.schema.features import Quantity, features
from hamlet.universe import DayTime, Observation, ObserveValue, Universe, draws
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Function
from hamletc.ir.ops import Input, Lookup, Type
from hamletc.ir.text import parse_program, print_program
from hamletc.ir.verifier import verify_program
from hamletc.lowering import lower
from hamletc.passes.facts import facts_of
from samples import CONSTRUCTS, NAMES, sample, universe_of
from samples.inputs import random_inputs

ALL = (*NAMES, *CONSTRUCTS)
F32, I32, U32, BOOL = Type.F32, Type.I32, Type.U32, Type.BOOL


def state_names(universe: Universe) -> dict[str, Type]:
    """The state that functions read: everything but what backends keep around the tick."""
    result: dict[str, Type] = {}
    for field in schema.state_fields(universe):
        if field.name not in ("alive", "episode_return", "episode"):
            type_ = U32 if field.name == "layout" else Type(field.dtype)
            result |= dict.fromkeys(field.names, type_)
    return result


def inputs(function: Function) -> dict[str, Type]:
    return {node.op.name: node.op.type for node in function.nodes if isinstance(node.op, Input)}


def outputs(function: Function) -> dict[str, Type]:
    return {output.name: function.nodes[output.value].type for output in function.outputs}


@pytest.mark.parametrize("name", ALL)
def test_functions_have_the_names_and_types_of_the_contract(name: str) -> None:
    universe = sample(name)
    program = lower(universe)
    verify_program(program)
    assert parse_program(print_program(program)) == program
    state, clock = state_names(universe), universe.clock is not None
    loops = ["cells"] if name in ("town", "shifts") else []
    functions = ["tick", *(["clock"] if clock else []), "reset", *loops, "observe", "mask", "policy", "choose"]
    functions.append("situation")
    assert [function.name for function in program.functions] == functions
    around = {"alive": BOOL} if universe.by_hand else {}
    if universe.tracking is not None and universe.tracking.by == "world":
        around["interacting"] = BOOL
    if draws(universe):
        around |= {"lane": U32, "tick": U32, "seed_low": U32, "seed_high": U32}
    assert inputs(program.function("tick")) == {**state, "action": I32, **around}
    kept = ("hour", "layout", "param.", "input.", "place.")
    changed = {name: type_ for name, type_ in state.items() if not name.startswith(kept)}
    results = {"reward": F32, "terminated": BOOL, "truncated": BOOL, "used": I32, "cause": I32}
    reports = {f"report.{name}": F32 for name in schema.report_names(universe)}
    assert outputs(program.function("tick")) == changed | results | reports
    if clock:
        assert inputs(program.function("clock")) == outputs(program.function("clock")) == {"hour": I32}
    reset = program.function("reset")
    assert inputs(reset) == {"seed_low": U32, "seed_high": U32, "world": U32, "agent": I32, "episode": I32}
    placed = ("meter.", "position.", "layout", "place.")
    assert outputs(reset) == {name: type_ for name, type_ in state.items() if name.startswith(placed)}
    for function in (program.function("observe"), program.function("mask")):
        assert inputs(function) == state
    situation, known = program.function("situation"), features(universe)
    binned = sum(isinstance(feature, Quantity) for feature in known)
    table = {f"stride.{number}": I32 for number in range(len(known))}
    table |= {f"{name}.{number}": F32 for name in ("scale", "top") for number in range(binned)}
    assert inputs(situation) == state | table
    assert outputs(situation) == {"situation": I32}


@pytest.mark.parametrize("name", ALL)
def test_masks_cover_all_actions_in_order(name: str) -> None:
    universe = sample(name)
    function, action = lower(universe).function("mask"), 0
    for output in function.outputs:
        assert output.name == f"mask.{action}"
        assert function.nodes[output.value].type is BOOL
        assert output.count is None or output.count > 1
        action += output.count or 1
    assert action == len(schema.action_names(universe))


@pytest.mark.parametrize("name", ALL)
def test_there_is_an_output_for_every_segment(name: str) -> None:
    universe = sample(name)
    program = lower(universe)
    function = program.function("observe")
    segments = schema.observation_segments(universe)
    assert [output.name for output in function.outputs] == [segment.name for segment in segments]
    for output, segment in zip(function.outputs, segments, strict=True):
        assert function.nodes[output.value].type is F32
        assert output.count == (segment.count if segment.repeated else None)
    tables = [node.op.table for each in program.functions for node in each.nodes if isinstance(node.op, Lookup)]
    assert sorted({table.name for table in program.tables}) == sorted(set(tables))
    assert {"time.sin", "time.cos"} <= set(tables) or not any(map(is_time, universe.observations))


def is_time(item: Observation) -> bool:
    return isinstance(item, ObserveValue) and isinstance(item.value, DayTime)


@pytest.mark.parametrize("name", ALL)
def test_nodes_tell_where_they_come_from(name: str) -> None:
    universe = sample(name)
    constructs = {str(node.origin): node.origin.line for node in lower(universe).function("tick").nodes}
    expected = {f"interact: affordance {affordance.name}" for affordance in universe.affordances}
    expected |= {f"act: action {action.name}" for action in universe.actions}
    expected |= {"reward" if reward.name is None else f"reward: reward {reward.name}" for reward in universe.rewards}
    expected |= {f"reward: report {report.name}" for report in universe.reports}
    expected |= {f"decay: meter {meter.name}" for meter in universe.meters if meter.decay is not None}
    for item in universe.dynamics:
        expected.add(f"rules: {type(item).__name__.lower()} {item.name}")
    assert expected <= set(constructs)
    assert all(constructs[construct] > 0 for construct in expected)
    assert "" not in constructs


def test_the_policy_is_philox() -> None:
    """The plain Philox below gives the known answers of Random123 (kat_vectors), and the words are its."""
    program = lower(sample("first_meal"))
    generator = np.random.default_rng(3)
    names = ("lane", "tick", "seed_low", "seed_high")
    given = {name: generator.integers(0, 2**32, 20, dtype=np.uint64).astype(np.uint32) for name in names}
    words = evaluate(program.function("policy"), given, ())
    for index in range(20):
        lane, tick, low, high = (int(given[name][index]) for name in names)
        assert [int(words[f"word{i}"][index]) for i in range(4)] == philox((lane, tick >> 2, 1, 0), (low, high))
    assert philox((0, 0, 0, 0), (0, 0)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    most = 0xFFFFFFFF
    assert philox((most,) * 4, (most,) * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


def philox(counter: tuple[int, ...], key: tuple[int, ...]) -> list[int]:
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(10):
        first, second = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = second >> 32 ^ c1 ^ k0, second & 0xFFFFFFFF, first >> 32 ^ c3 ^ k1, first & 0xFFFFFFFF
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return [c0, c1, c2, c3]


def test_choose_spreads_words_over_the_actions() -> None:
    universe = sample("town")
    count = len(schema.action_names(universe))
    words = np.array([0, 2**31, 2**32 - 1, 2**32 // count, 2**32 // count + 1], np.uint32)
    chosen = evaluate(lower(universe).function("choose"), {"word": words}, ())["action"]
    assert chosen.tolist() == [int(word) * count >> 32 for word in words]
    assert chosen.max() == count - 1


def test_what_is_observed_twice_has_names_of_its_own() -> None:
    universe = sample("lasting")
    twice = replace(universe, observations=universe.observations * 2)
    program = lower(twice)
    verify_program(program)
    assert parse_program(print_program(program)) == program
    function = program.function("observe")
    assert {"grid", "grid#2", "meter.mood#2", "here#2", "constant#4"} <= {output.name for output in function.outputs}
    inputs = random_inputs(twice, function, facts_of(twice, program), 40, 1)
    seen = list(evaluate(function, inputs, program.tables, program.functions).values())
    half = len(seen) // 2
    for first, second in zip(seen[:half], seen[half:], strict=True):
        assert first.tobytes() == second.tobytes()
    assert [bool(values.any()) for values in seen[:4]] == [True, False, True, True]


def test_names_of_authors_may_be_odd() -> None:
    text = (
        "universe odd\nspace none\nmeter `Fast Food; = 1, [2]` = 1\n"
        "affordance `%3 :5@1` { instantly { `Fast Food; = 1, [2]` -= 0.1 } }\n"
        "track uses\ndies when `Fast Food; = 1, [2]` < 0.1\nreward `Fast Food; = 1, [2]`\nreport `a b`: 2 * visited\n"
        "observe { meters }\n"
    )
    program = lower(universe_of(text))
    verify_program(program)
    assert parse_program(print_program(program)) == program
    assert {"meter.Fast Food; = 1, [2]", "streak.%3 :5@1", "report.a b"} <= set(outputs(program.function("tick")))
