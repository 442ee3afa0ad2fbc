"""The functions of docs/design.md: names and types of inputs and outputs, tables, origins; and the random policy."""

from __future__ import annotations

import numpy as np
import pytest

from hamlet import schema
from hamlet.universe import ObserveTime, Universe
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Function
from hamletc.ir.ops import Element, Input
from hamletc.ir.parser import parse_program
from hamletc.ir.printer import print_program
from hamletc.ir.types import Type
from hamletc.ir.verifier import verify_program
from hamletc.lowering import lower
from sample_universes import NAMES, sample

F32, I32, U32, BOOL = Type.F32, Type.I32, Type.U32, Type.BOOL


def state_names(universe: Universe) -> dict[str, Type]:
    names = {f"meter.{meter.name}": F32 for meter in universe.meters}
    names |= {f"position.{axis}": I32 for axis in schema.axes(universe)} | {"age": I32}
    if schema.has_progress(universe):
        names |= {"engaged": I32, "progress": I32}
    names |= {"hour": I32} if universe.clock is not None else {}
    return names | {"layout": U32} | {f"param.{param.name}": F32 for param in universe.params}


def inputs(function: Function) -> dict[str, Type]:
    return {node.op.name: node.op.type for node in function.nodes if isinstance(node.op, Input)}


def outputs(function: Function) -> dict[str, Type]:
    return {output.name: function.nodes[output.value].type for output in function.outputs}


@pytest.mark.parametrize("name", NAMES)
def test_functions_have_the_names_and_types_of_the_contract(name: str) -> None:
    universe = sample(name)
    program = lower(universe)
    verify_program(program)
    assert parse_program(print_program(program)) == program
    state, clock = state_names(universe), universe.clock is not None
    names = ["tick", *(["clock"] if clock else []), "reset", "observe", "mask", "policy", "choose"]
    assert [function.name for function in program.functions] == names
    assert inputs(program.function("tick")) == {**state, "action": I32}
    kept = {"hour", "layout", *(f"param.{param.name}" for param in universe.params)}
    changed = {name: type_ for name, type_ in state.items() if name not in kept}
    results = {"reward": F32, "terminated": BOOL, "truncated": BOOL, "used": I32, "cause": I32}
    assert outputs(program.function("tick")) == changed | results
    if clock:
        assert inputs(program.function("clock")) == outputs(program.function("clock")) == {"hour": I32}
    reset = program.function("reset")
    assert inputs(reset) == {"seed_low": U32, "seed_high": U32, "world": U32, "agent": I32, "episode": I32}
    placed = {name: type_ for name, type_ in state.items() if name.startswith(("meter.", "position.", "layout"))}
    assert outputs(reset) == placed
    for function in (program.function("observe"), program.function("mask")):
        assert inputs(function) == state
    assert outputs(program.function("mask")) == {f"action.{action}": BOOL for action in schema.action_names(universe)}


@pytest.mark.parametrize("name", NAMES)
def test_there_is_an_output_for_every_segment(name: str) -> None:
    universe = sample(name)
    program = lower(universe)
    function = program.function("observe")
    segments = schema.observation_segments(universe)
    assert [output.name for output in function.outputs] == [segment.name for segment in segments]
    elements = {node.op.output for node in function.nodes if isinstance(node.op, Element)}
    for output, segment in zip(function.outputs, segments, strict=True):
        assert function.nodes[output.value].type is F32
        assert output.count == (segment.count if segment.name in elements else None)
        assert output.count is not None or segment.count == 1
    timed = any(isinstance(item, ObserveTime) for item in universe.observations)
    assert [table.name for table in program.tables] == (["time.sin", "time.cos"] if timed else [])


@pytest.mark.parametrize("name", NAMES)
def test_nodes_tell_where_they_come_from(name: str) -> None:
    universe = sample(name)
    constructs = {node.origin.construct: node.origin.line for node in lower(universe).function("tick").nodes}
    expected = {f"affordance {affordance.name}" for affordance in universe.affordances}
    expected |= {f"action {action.name}" for action in universe.actions} | {"reward"}
    expected |= {f"meter {meter.name} decay" for meter in universe.meters if meter.decay is not None}
    for item in universe.dynamics:
        expected.add(f"{type(item).__name__.lower()} {item.name}")
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
