"""Queries that values refuse before a solver does: it would have refused them as well."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")

from hamlet_lab.proof import queries
from hamlet_lab.proof.bounds import Bounds
from hamlet_lab.proof.merging import Merger
from hamlet_lab.proof.queries import DEPTHS, Depth, Query
from hamlet_lab.proof.term import Term, Variable
from hamlet_lab.proof.terms import Arena

OPS = ("add", "sub", "and", "or", "xor", "lshr", "udiv", "ite", "ite")


def arena() -> Arena:
    """Two words and a number, of which nothing is merged, where the first word is below 100."""
    random_of = np.random.default_rng(7)
    words = {name: random_of.integers(0, most + 1, 200).astype(np.uint32) for name, most in (("x", 255), ("y", 7))}
    number = random_of.uniform(0.25, 1.0, 200).astype(np.float32).view(np.uint32)
    variables = [
        Variable("x", words["x"], 0, 255),
        Variable("y", words["y"], 0, 7),
        Variable("f", number, 0.25, 1.0, True),
    ]
    result = Arena({each.name: each for each in variables}, lambda *_: False)
    result.premises.append(result.op("ult", result.variable("x"), result.constant(100, 32)))
    return result


def any_term(pick: random.Random, of: Arena, depth: int) -> Term:
    """A term of words and comparisons."""
    if depth == 0:
        return pick.choice([of.variable("x"), of.variable("y"), of.constant(pick.choice((0, 1, 7, 99)), 32)])
    one, other = any_term(pick, of, depth - 1), any_term(pick, of, pick.randrange(depth))
    match op := pick.choice(OPS):
        case "ite" if pick.random() < 0.5:
            return of.select(of.op("flt", of.variable("f"), of.constant(0x3F000000, 32)), one, other)
        case "ite":
            return of.select(of.op(pick.choice(("ult", "slt", "eq")), one, other), one, other)
        case _:
            return of.op(op, one, other)


def test_what_values_refuse_the_solver_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counter[str]()
    refuted = queries.refuted
    for seed in range(150):
        pick, of = random.Random(seed), arena()
        one = any_term(pick, of, 3)
        # Some are one in all states, some only where the premise holds, and most are not.
        below = of.op("ult", of.variable("x"), of.constant(pick.choice((100, 99)), 32))
        often = of.raw("ite", below, one, of.constant(5, 32))
        other = pick.choice([any_term(pick, of, 3), often, of.op("sub", of.op("add", one, often), often)])
        depth = Depth(pick.choice((1, 2, 6)))
        said: list[bool] = []

        def noted(*parts: Any, said: list[bool] = said) -> bool:
            said.append(refuted(*parts))
            return said[-1]

        answers = []
        for by_values in (noted, lambda *_: False):
            monkeypatch.setattr(queries, "refuted", by_values)
            answers.append(Query(of, Bounds(of), depth).equal(one, other))
        assert answers[0] is answers[1]
        counted["held" if answers[0] else "refused by values" if said[-1] else "refused"] += 1
    assert counted["held"] >= 30, counted
    assert counted["refused by values"] >= 60, counted
    assert counted["refused"] <= 10, counted


def test_values_of_what_is_cut_off_are_within_its_bounds() -> None:
    of = arena()
    for op, name, k, same in (("and", "y", 7, True), ("and", "y", 3, False), ("urem", "y", 8, True)):
        term = of.op(op, of.variable(name), of.constant(k, 32))
        assert Query(of, Bounds(of), Depth(3)).equal(term, of.variable(name)) is same
    merger = Merger()
    random_of = np.random.default_rng(7)
    names = {"place": 4, "action": 5}
    words = {each: random_of.integers(0, most + 1, 500).astype(np.uint32) for each, most in names.items()}
    walks = Arena({each: Variable(each, words[each], 0, names[each]) for each in names}, merger.equal, merger.simpler)
    action, zero, four = walks.variable("action"), walks.constant(0, 32), walks.constant(4, 32)
    back = walks.select(walks.op("eq", action, zero), walks.constant(-1, 32), zero)
    by = walks.select(walks.op("eq", action, walks.constant(1, 32)), walks.constant(1, 32), back)
    moved = walks.op("add", walks.variable("place"), by)
    above = walks.select(walks.op("slt", moved, zero), zero, moved)
    stays = walks.select(walks.op("slt", four, above), four, above)
    # Above is cut off in the comparison, and opened where it is chosen: its bounds are needed.
    below = walks.raw("ule", stays, four)
    assert Query(walks, merger.bounds(walks), DEPTHS[0]).equal(below, walks.constant(1, 1))
