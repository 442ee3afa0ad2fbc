"""Sides of a context: what is one on all of them is one, and a certificate that lies about them is refused."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")

from hamlet_lab.proof import attest as checker
from hamlet_lab.proof.attest import RefusedError
from hamlet_lab.proof.certificate import tables_of
from hamlet_lab.proof.merging import Merger
from hamlet_lab.proof.term import Term, Variable
from hamlet_lab.proof.terms import Arena

KEYS = 3
SIZE = 400


def effects(arena: Arena, order: tuple[int, ...]) -> Term:
    """A meter after a guarded clamped addition for each key, in an order: they exclude each other."""
    zero, meter = arena.constant(0, 32), arena.variable("meter")
    for key in order:
        amount = arena.op("fmul", arena.variable("meter"), arena.constant(0xBD000000 + key, 32))
        total = arena.op("fadd", meter, amount)
        clamped = arena.select(arena.op("flt", total, zero), zero, total)
        meter = arena.select(arena.op("eq", arena.variable("key"), arena.constant(key, 32)), clamped, meter)
    return meter


def told_apart() -> tuple[Arena, Merger, Term, Term]:
    """An arena with sides, and two terms that are one on each of them."""
    random = np.random.default_rng(7)
    meters = random.uniform(0.0, 1.0, SIZE).astype(np.float32).view(np.uint32)
    variables = (
        Variable("key", random.integers(0, KEYS, SIZE).astype(np.uint32), 0, KEYS - 1),
        Variable("meter", meters, 0.0, 1.0, True),
    )
    merger = Merger(by_sides=True)
    arena = Arena({each.name: each for each in variables}, merger.equal, merger.simpler)
    arena.comparing = False
    left = effects(arena, tuple(range(KEYS)))
    merger.tell_apart(arena)
    return arena, merger, left, effects(arena, tuple(reversed(range(KEYS))))


@pytest.fixture(scope="module")
def proven() -> dict[str, Any]:
    """The nodes and steps of a proof by sides, and which nodes are one by it."""
    arena, merger, left, right = told_apart()
    assert merger.equal(arena, left, right)
    assert merger.reasons["sides"] >= 1
    tables = tables_of(merger.merges)
    replay = tables.replay(arena)
    data = {"nodes": [json.loads(each) for each in tables.nodes], "steps": [json.loads(each) for each in tables.steps]}
    return {**data, "replay": replay}


def replayed(data: dict[str, Any]) -> Counter[str]:
    """The reasons of steps, after the checker went through them."""
    certificate = checker.Certificate.__new__(checker.Certificate)
    variables = {"key": (32, 0, KEYS - 1, False), "meter": (32, 0.0, 1.0, True)}
    certificate.data, certificate.nodes, certificate.used = data, data["nodes"], Counter[str]()
    certificate.solver, context = checker.Solver(True), checker.Context(variables, certificate.used)
    for entry in data["replay"]:
        certificate._replay(context, entry, "case")
    return certificate.used


def test_what_is_one_on_all_sides_is_one(proven: dict[str, Any]) -> None:
    used = replayed(proven)
    assert used["cover"] >= 1
    assert used["sides"] >= 1


def _missing(data: dict[str, Any]) -> None:
    next(each for each in data["steps"] if each[2] == "cover")[3].pop()


def _unshown(data: dict[str, Any]) -> None:
    covers = {each[0] for each in data["steps"] if each[2] == "cover"}
    data["replay"] = [each for each in data["replay"] if isinstance(each, list) or not _is_query(data, each, covers)]


def _is_query(data: dict[str, Any], step: int, covers: set[int]) -> bool:
    return data["steps"][step][0] in covers and data["steps"][step][2] == "query"


def _stronger(data: dict[str, Any]) -> None:
    """Of a side, only where the meter is 0 as well."""
    step = next(each for each in data["steps"] if each[2] == "cover")
    meter = data["nodes"].index(["variable", 32, [], "meter"])
    zero = data["nodes"].index(["constant", 32, [], 0])
    data["nodes"] += [["eq", 1, [meter, zero]], ["and", 1, [step[3][0], len(data["nodes"])]]]
    step[3][0] = len(data["nodes"]) - 1


def _unlike(data: dict[str, Any]) -> None:
    step = next(each for each in data["steps"] if each[2] == "sides")
    step[1] = data["nodes"].index(["variable", 32, [], "meter"])


def _on_one_side(data: dict[str, Any]) -> None:
    next(each for each in data["steps"] if each[2] == "sides")[3].append(None)


def _no_such_sides(data: dict[str, Any]) -> None:
    next(each for each in data["steps"] if each[2] == "sides")[3] = [7]


def _of_32_bits(data: dict[str, Any]) -> None:
    """A word is no condition: that it is 1 or not, bit by bit, are not all cases."""
    step = next(each for each in data["steps"] if each[2] == "cover")
    step[3].append(data["nodes"].index(["variable", 32, [], "key"]))


@pytest.mark.parametrize(
    ("lie", "place"),
    [
        (_missing, r"case, step \d+: a side is missing"),
        (_unshown, r"case, step \d+: it is not shown that one of the sides holds"),
        (_stronger, r"case, step \d+: a side is missing"),
        (_unlike, r"case, step \d+: the two terms are not equal on all sides"),
        (_on_one_side, "shorter"),
        (_no_such_sides, r"case, step \d+: there are no such sides"),
        (_of_32_bits, "a condition: it has 32 bits, not 1"),
    ],
)
def test_lies_about_sides_are_refused(
    proven: dict[str, Any], lie: Callable[[dict[str, Any]], None], place: str
) -> None:
    data = copy.deepcopy(proven)
    lie(data)
    with pytest.raises((RefusedError, ValueError), match=place):
        replayed(data)
