"""What the lanes of a world have together: the prover and the checker say what numpy says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")

from hamlet_lab.proof import attest as checker
from hamlet_lab.proof.of_worlds import joined
from hamlet_lab.proof.term import Variable
from hamlet_lab.proof.terms import Arena
from hamletc.ir.function import Reduction
from hamletc.ir.together import together

KINDS = (
    *("count", "total", "lowest", "highest", "rank", "grant", "alike", "alike of others"),
    *(f"{op} of pairs" for op in ("count", "total", "lowest", "highest", "nearest")),
)
WORLDS = 100
PAIRED = ("term", "away", "value")
"""What functions of pairs give, for each lane that asks and each other one."""
Rows = list[dict[str, np.ndarray]]


def registers(kind: str, agents: int) -> dict[str, np.ndarray]:
    """Values of the registers of a reduction in many worlds, and of pairs of lanes."""
    random = np.random.default_rng(5)
    lanes = WORLDS * agents
    of_pairs = lanes * agents if kind.endswith(" of pairs") else lanes
    claim, first = (random.integers(0, 2, count).astype(np.bool_) for count in (of_pairs, lanes))
    running = random.integers(0, 2, lanes).astype(np.bool_)
    number = (random.integers(-3, 3, of_pairs) * 0.3).astype(np.float32)
    places = np.repeat(random.integers(0, 3, WORLDS), agents).astype(np.int32)
    words = {name: random.integers(low, 3, lanes).astype(np.int32) for name, low in (("asked", -1), ("key", 0))}
    words |= {"priority": random.integers(1, 3, lanes).astype(np.uint32), "places": places, "first": first}
    words |= {name: random.integers(0, 3, of_pairs).astype(np.float32) for name in ("away", "value")}
    words["otherwise"] = random.uniform(0, 3, lanes).astype(np.float32)
    term = number if kind.split(" ")[0] in ("total", "lowest", "highest") else claim
    return {"running": running, "term.any": term, **{f"{name}.any": each for name, each in words.items()}}


def as_words(values: np.ndarray) -> np.ndarray:
    return values if values.dtype == np.bool_ else np.ascontiguousarray(values).view(np.uint32)


def columns(values: Mapping[str, np.ndarray], agents: int, pairs: bool) -> tuple[Rows, list[Rows]]:
    """What each lane of a world has, and what each gives to each that asks, in all worlds."""

    def of(name: str, lane: int, asking: int) -> np.ndarray:
        each = values[name].reshape(WORLDS, -1)
        return as_words(each[:, asking * agents + lane if pairs and name.split(".")[0] in PAIRED else lane].copy())

    lanes = [{name: of(name, lane, 0) for name in values} for lane in range(agents)]
    given = [[{name: of(name, lane, asking) for name in values} for lane in range(agents)] for asking in range(agents)]
    return lanes, given


def by_prover(reduction: Reduction, lanes: Rows, given: Rows, own: int) -> np.ndarray:
    named = {"lane": lanes, "given": given}
    variables = {
        f"{of} {lane} {name}": Variable("any", each, 0, 2**32 - 1)
        for of, rows in named.items()
        for lane, row in enumerate(rows)
        for name, each in row.items()
    }
    arena = Arena(variables, lambda *_: False)
    terms = {
        of: [{name: arena.variable(f"{of} {lane} {name}") for name in row} for lane, row in enumerate(rows)]
        for of, rows in named.items()
    }
    return np.broadcast_to(joined(arena, reduction, terms["lane"], terms["given"], own).samples, WORLDS)


def by_checker(kind: str, lanes: Rows, given: Rows, own: int) -> list[int | None]:
    result = []
    for at in range(WORLDS):
        context = checker.Context({}, Counter())
        rows, shown = (
            [
                {
                    name: context.constant(int(each[at]), 1 if each.dtype == np.bool_ else 32)
                    for name, each in row.items()
                }
                for row in of
            ]
            for of in (lanes, given)
        )
        result.append(checker.joined(context, kind, "any", rows, shown, own).value)
    return result


@pytest.mark.parametrize("agents", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_lanes_have_together_what_numpy_says(kind: str, agents: int) -> None:
    op, others, pairs = kind.split(" ")[0], kind.endswith(" of others"), kind.endswith(" of pairs")
    reduction = Reduction("tick", "any", cast(Any, op), pairs, others=others)
    values = registers(kind, agents)
    expected = as_words(together(reduction, values, values["running"], agents)).reshape(WORLDS, agents)
    lanes, given = columns(values, agents, pairs)
    for own in range(agents):
        assert (by_prover(reduction, lanes, given[own], own) == expected[:, own]).all()
        assert by_checker(kind, lanes, given[own], own) == expected[:, own].tolist()
    assert (agents == 1 and kind in ("rank", "alike of others")) or len(np.unique(expected)) > 1
