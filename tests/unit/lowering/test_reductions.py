"""What the agents of a world have together, in the tick IR: which reductions there are, and what they give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hamletc.compile import lower, optimise
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import Array, evaluate
from hamletc.ir.function import Output, Program, Reduction, ReductionOp
from hamletc.ir.ops import BOOL, F32, I32, Input
from hamletc.ir.text import parse_program, print_program
from hamletc.ir.together import together
from hamletc.ir.verifier import VerificationError, verify_program
from hamletc.passes.facts import facts_of
from samples import universe_of

SHOP = """
universe shop
space grid 5
world {
    meter stock = 3 in 0 .. 9
    rule sale: stock -= count(used == Shop)
}
meter hunger = 0.5 in 0 .. 10
affordance Shop at (2) { capacity 1 + stock to highest -hunger  instantly { hunger = 0 } }
affordance Seat at (1) lasts 2 ticks { capacity 2 to lowest number  each tick { hunger += 0.1 } }
rule hungrier: hunger += 0.25 * count(here == Seat)
rule sated: count(here == Seat) > 3 -> hunger -= 1
reward average(hunger) + total(hunger)
report served: count(used == Shop)
report had: previous(stock) - previous(hunger)
observe { meters  world stock }
"""


def program(text: str = SHOP) -> Program:
    return lower(universe_of(text)).program


def inputs(known: Program, function: str) -> set[str]:
    return {node.op.name for node in known.function(function).nodes if isinstance(node.op, Input)}


def test_functions_and_reductions_of_a_universe() -> None:
    known = program()
    ticking = [function.name for function in known.functions][:5]
    assert ticking == ["reduce_tick", "tick", "reduce_settle", "world", "settle"]
    # Equal ones are made once, and an average consists of two.
    assert [(each.stage, each.name) for each in known.reductions] == [
        ("tick", "count.0"), ("tick", "grant.Shop"), ("tick", "grant.Seat"),
        ("settle", "count.1"), ("settle", "total.0"), ("settle", "count.2"),
    ]  # fmt: skip
    terms = {output.name for output in known.function("reduce_tick").outputs}
    shop = {"term.grant.Shop", "places.grant.Shop", "priority.grant.Shop"}
    seat = {"term.grant.Seat", "places.grant.Seat", "first.grant.Seat"}
    assert terms == {"term.count.0"} | shop | seat
    state = {"meter.hunger", "position.x", "engaged", "progress"}
    assert {output.name for output in known.function("tick").outputs} == state | {"used"}
    assert {output.name for output in known.function("world").outputs} == {"world.stock"}
    ended = {"age", "reward", "terminated", "truncated", "cause", "report.served", "report.had"}
    assert {output.name for output in known.function("settle").outputs} == ended
    assert {"before.world.stock", "before.meter.hunger"} <= inputs(known, "settle")
    assert "world.stock" in {output.name for output in known.function("reset").outputs}
    verify_program(known)
    assert parse_program(print_program(known)) == known


def test_a_tick_that_nothing_follows_is_whole() -> None:
    text = SHOP[: SHOP.index("reward")].replace("world {", "").replace("1 + stock", "1")
    lines = [line for line in text.splitlines() if "stock" not in line and line != "}"]
    known = program("\n".join([*lines, "reward hunger", "observe { meters }"]))
    assert {each.stage for each in known.reductions} == {"tick"}
    assert not known.has("settle")
    assert {"reward", "used", "age"} <= {output.name for output in known.function("tick").outputs}


def test_ranges_of_what_agents_have_together() -> None:
    universe = universe_of(SHOP)
    known = facts_of(universe, program()).inputs
    assert (known["among.count.0"].low, known["among.count.0"].high) == (0.0, 1024.0)
    assert (known["among.total.0"].low, known["among.total.0"].high) == (0.0, 10240.0)
    assert (known["world.stock"].low, known["before.world.stock"].high) == (0.0, 9.0)
    verify_program(optimise(lower(universe)).program)


def test_malformed_reductions_are_refused() -> None:
    known = program()
    count = known.reductions[0]
    for wrong, problem in (
        (replace(count, name="count.9"), "gives no term"),
        (replace(count, op="total"), "gives no term"),
        (replace(count, stage="settle"), "gives no term"),
        (known.reductions[1], "given twice"),
    ):
        with pytest.raises(VerificationError, match=problem):
            verify_program(replace(known, reductions=(wrong, *known.reductions[1:])))
    with pytest.raises(VerificationError, match="no reduction gives it"):
        verify_program(replace(known, reductions=known.reductions[1:]))


def of(op: ReductionOp, values: list[float], runs: list[bool], agents: int) -> list[float]:
    terms: dict[str, Array] = {"term.x": np.array(values, np.float32)}
    return together(Reduction("settle", "x", op), terms, np.array(runs), agents).tolist()


def test_totals_and_extremes_go_by_a_tree() -> None:
    large, everybody = 2.0**24, [True] * 3
    # (large + 1) + (1 + 0): one that stands behind is added to nothing first.
    assert of("total", [large, 1.0, 1.0], everybody, 3) == [large + 0.0] * 3
    assert of("total", [1.0, 1.0, large], everybody, 3) == [large + 2.0] * 3
    assert of("total", [5.0, 7.0, 1.0, 2.0], [True, False, False, False], 2) == [5.0, 5.0, 0.0, 0.0]
    assert of("lowest", [5.0, 7.0, 9.0], [False, True, True], 3) == [7.0] * 3
    assert of("highest", [-5.0, -7.0, -9.0], [False, True, True], 3) == [-7.0] * 3
    assert of("highest", [-5.0, -7.0], [False, False], 2) == [0.0, 0.0]


def test_places_go_to_the_first_then_by_priority_then_by_number() -> None:
    claims = np.array([1, 1, 0, 1, 1, 1], np.bool_)
    terms = {
        "term.g": claims,
        "places.g": np.full(6, 3, np.int32),
        "first.g": np.array([0, 0, 1, 0, 0, 1], np.bool_),
        "priority.g": np.array([7, 9, 9, 7, 1, 0], np.uint32),
    }
    runs = np.ones(6, np.bool_)
    reduction = Reduction("tick", "g", "grant")
    assert together(reduction, terms, runs, 6).tolist() == [True, True, False, False, False, True]
    runs[1] = False
    assert together(reduction, terms, runs, 6).tolist() == [True, False, False, True, False, True]
    assert together(reduction, {**terms, "places.g": np.zeros(6, np.int32)}, runs, 6).sum() == 0


def test_places_among_others_are_each_lanes_own() -> None:
    terms = {
        "term.r": np.array([1, 0, 1, 1, 1, 1], np.bool_),
        "priority.r": np.array([5, 5, 2**32 - 1, 5, 1, 9], np.uint32),
    }
    runs = np.ones(6, np.bool_)
    reduction = Reduction("settle", "r", "rank")
    assert together(reduction, terms, runs, 6).tolist() == [2.0, 3.0, 0.0, 3.0, 4.0, 1.0]
    assert together(reduction, terms, runs, 3).tolist() == [1.0, 2.0, 0.0, 1.0, 2.0, 0.0]
    runs[2] = False
    assert together(reduction, terms, runs, 6).tolist() == [1.0, 2.0, 0.0, 2.0, 3.0, 0.0]


def test_who_is_alike_is_each_lanes_own() -> None:
    terms = {
        "term.a": np.array([1, 0, 1, 1, 1, 1], np.bool_),
        "key.a": np.array([0, 2, 2, 2, 0, 1], np.int32),
        "asked.a": np.array([2, 2, 2, -1, 0, 2], np.int32),
    }
    runs = np.ones(6, np.bool_)
    anybody, others = Reduction("tick", "a", "alike", few=3), Reduction("tick", "a", "alike", few=3, others=True)
    assert together(anybody, terms, runs, 6).tolist() == [2.0, 2.0, 2.0, 0.0, 2.0, 2.0]
    assert together(anybody, terms, runs, 3).tolist() == [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]
    # Lane 1 counts nowhere, so it is not left out either.
    assert together(others, terms, runs, 6).tolist() == [2.0, 2.0, 1.0, 0.0, 1.0, 2.0]
    runs[2] = False
    assert together(others, terms, runs, 6).tolist() == [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]


def test_counts_at_cells_are_looked_up() -> None:
    text = (
        "universe crowd\nspace grid 4 x 3\nlifespan 9 ticks\nmeter a = 1 { decay 0.1 }\n"
        "rule near: a += 0.01 * count(a > 0.5) at (position x + 1, position y)\n"
        "rule again: a += 0.02 * count(a > 0.5) at (position x + 1, position y)\n"
        "rule with: a += 0.01 * count(other) at (position x, position y)\n"
        "rule more: a += 0.01 * count(a > own(a)) at (position x, position y)\n"
        "rule whole: a += 0.01 * total(a) at (position x, position y)\n"
        "rule by_hand: a += 0.01 * count(position x == own(position x) and a < 0.5)\n"
        "rule at_one: a += 0.01 * count(position x == 2 and position y == own(position y) and a < 0.5)\n"
        "rule at_other: a += 0.01 * count(position x == 1 and position y == own(position y) and a < 0.5)\n"
        "rule theirs: a += 0.01 * count(position x == floor(3 * a) and position y == own(position y))\n"
        "reward a\nobserve { meters }\n"
    )
    known = program(text)
    kinds = [(each.op, each.pairs, each.others, each.few) for each in known.reductions]
    assert kinds == [
        ("alike", False, False, 12),
        ("alike", False, True, 12),
        ("alike", False, False, 12),
        ("alike", False, False, 12),
        ("count", True, False, None),
        ("total", True, False, None),
        ("count", True, False, None),
        # Where others stand is nothing that the agent that asks knows.
        ("count", True, False, None),
    ]
    verify_program(known)
    assert parse_program(print_program(known)) == known
    for size, op in (("256 x 256", "alike"), ("257 x 256", "count"), ("16384 x 16384 { places stored }", "count")):
        assert program(text.replace("4 x 3", size)).reductions[0].op == op
    lies = facts_of(universe_of(text), known).inputs["among.alike.0"]
    assert (lies.low, lies.high, lies.whole) == (0.0, 1024.0, True)
    alike = known.reductions[0]
    for wrong in (replace(alike, few=None), replace(alike, name="alike.9"), replace(alike, op="count", others=True)):
        with pytest.raises(VerificationError):
            verify_program(replace(known, reductions=(wrong, *known.reductions[1:])))


def test_ranks_of_both_stages() -> None:
    text = SHOP + "rule envies: hunger += 0.1 * rank(hunger > 1, hunger) - 0.05 * rank(hunger > 1, -hunger)\n"
    text += "reward rank(used == Shop, hunger) + rank(used == Shop, hunger + 0)\nreport r: rank(used == Shop, hunger)\n"
    known = program(text)
    ranks = [(each.stage, each.name) for each in known.reductions if each.op == "rank"]
    # Those of equal conditions and priorities are one.
    assert ranks == [("tick", "rank.0"), ("tick", "rank.1"), ("settle", "rank.2"), ("settle", "rank.3")]
    assert {"term.rank.0", "priority.rank.0"} <= {output.name for output in known.function("reduce_tick").outputs}
    verify_program(known)
    assert parse_program(print_program(known)) == known
    lies = facts_of(universe_of(text), known).inputs["among.rank.0"]
    assert (lies.low, lies.high) == (0.0, 1023.0)
    rank = next(each for each in known.reductions if each.op == "rank")
    for wrong in (replace(rank, op="count", name="rank.9"), replace(rank, name="count.0")):
        with pytest.raises(VerificationError):
            verify_program(replace(known, reductions=(wrong,)))


def test_what_pairs_of_lanes_show_each_other() -> None:
    text = SHOP + "rule near: hunger += 0.1 * count(apart <= 2 and hunger > own(hunger) + 1) - 0.1 * count(other)\n"
    text += "rule same: hunger -= 0.05 * count(apart <= 2 and hunger > own(hunger) + 1)\n"
    text += "reward nearest(used == Shop, hunger, 3) + rank(hunger > own(hunger), -hunger)\n"
    known = program(text)
    pairs = [(each.stage, each.name, each.op) for each in known.reductions if each.pairs]
    assert pairs == [
        ("tick", "count.1", "count"), ("tick", "count.2", "count"),
        ("settle", "nearest.0", "nearest"), ("settle", "count.5", "count"),
    ]  # fmt: skip
    # A lane shows its position, its hunger, its hunger + 1 and its number; what it shows it computes once.
    shown = [output.name for output in known.function("reduce_tick").outputs if output.name.startswith("shown.")]
    assert shown == ["shown.0", "shown.1", "shown.2", "shown.3"]
    assert inputs(known, "pair_tick") == {"own.0", "other.0", "other.1", "own.2", "own.3", "other.3"}
    assert {output.name for output in known.function("pair_tick").outputs} == {"term.count.1", "term.count.2"}
    nearest = {"term.nearest.0", "away.nearest.0", "value.nearest.0"}
    assert nearest <= {output.name for output in known.function("pair_settle").outputs}
    assert "otherwise.nearest.0" in {output.name for output in known.function("reduce_settle").outputs}
    verify_program(known)
    assert parse_program(print_program(known)) == known
    facts = facts_of(universe_of(text), known).inputs
    assert (facts["own.0"].low, facts["other.0"].high) == (0, 4)
    assert (facts["among.nearest.0"].low, facts["among.nearest.0"].high) == (0.0, 10.0)
    count = next(each for each in known.reductions if each.pairs)
    for wrong, problem in (
        (replace(count, op="total"), "gives no term"),
        (replace(count, pairs=False), "gives no term"),
        (replace(count, op="nearest"), "gives no"),
    ):
        with pytest.raises(VerificationError, match=problem):
            verify_program(replace(known, reductions=(wrong,)))
    without = replace(known.function("reduce_tick"), outputs=known.function("reduce_tick").outputs[:-1])
    functions = tuple(without if each.name == "reduce_tick" else each for each in known.functions)
    with pytest.raises(VerificationError, match="no lane shows"):
        verify_program(replace(known, functions=functions))


def test_priorities_are_ordered_like_numbers() -> None:
    known = program()
    numbers = np.array([0.0, -0.0, 1e-45, 0.5, 3.0, 10.0], np.float32)
    function = known.function("reduce_tick")
    given = {
        node.op.name: np.zeros(
            len(numbers), {F32: np.float32, I32: np.int32, BOOL: np.bool_}.get(node.op.type, np.uint32)
        )
        for node in function.nodes
        if isinstance(node.op, Input)
    }
    keys = evaluate(function, {**given, "meter.hunger": numbers}, known.tables, known.functions)["priority.grant.Shop"]
    # The priority is -hunger: the most hungry comes last.
    assert keys[0] == keys[1]
    assert (np.diff(keys[1:].astype(np.int64)) < 0).all()


def test_a_function_may_give_more_than_its_reductions_need() -> None:
    builder = Builder("rules")
    term = Output("term.count.0", builder.boolean(True))
    function = builder.finish("reduce_tick", (term, Output("other", builder.i32(1))))
    verify_program(Program("u", (function,), (), (Reduction("tick", "count.0", "count"),)))
