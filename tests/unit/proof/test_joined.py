"""What the lanes of a world have together, where a world has one: the prover and the checker say what numpy says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")

from hamlet_lab.proof import attest as checker
from hamlet_lab.proof.of_schedule import joined
from hamlet_lab.proof.term import Variable
from hamlet_lab.proof.terms import Arena
from hamletc.ir.function import Reduction
from hamletc.ir.together import together

KINDS = (
    *("count", "total", "lowest", "highest", "rank", "grant", "alike", "alike of others"),
    *(f"{op} of pairs" for op in ("count", "total", "lowest", "highest", "nearest")),
)
LANES = 400


def registers(kind: str) -> dict[str, np.ndarray]:
    """Values of the registers of a reduction in many worlds."""
    random = np.random.default_rng(5)
    claim, running = (random.integers(0, 2, LANES).astype(np.bool_) for _ in range(2))
    number = random.uniform(-3, 3, LANES).astype(np.float32)
    words = {name: random.integers(low, 3, LANES).astype(np.int32) for name, low in (("places", 0), ("asked", -1))}
    words |= {name: random.integers(1, 3, LANES).astype(np.int32) for name in ("key", "priority")}
    words |= {name: random.uniform(0, 3, LANES).astype(np.float32) for name in ("away", "value", "otherwise")}
    term = number if kind.split(" ")[0] in ("total", "lowest", "highest") else claim
    return {"running": running, "term.any": term, **{f"{name}.any": each for name, each in words.items()}}


def as_words(values: np.ndarray) -> np.ndarray:
    return values if values.dtype == np.bool_ else np.ascontiguousarray(values).view(np.uint32)


def by_prover(reduction: Reduction, words: Mapping[str, np.ndarray]) -> np.ndarray:
    variables = {name: Variable(name, each, 0, 2**32 - 1) for name, each in words.items()}
    arena = Arena(variables, lambda *_: False)
    return np.broadcast_to(joined(arena, reduction, {name: arena.variable(name) for name in words}).samples, LANES)


def by_checker(kind: str, words: Mapping[str, np.ndarray]) -> list[int | None]:
    result = []
    for at in range(LANES):
        context = checker.Context({}, Counter())
        constants = {
            name: context.constant(int(each[at]), 1 if each.dtype == np.bool_ else 32) for name, each in words.items()
        }
        result.append(checker.joined(context, kind, "any", constants).value)
    return result


@pytest.mark.parametrize("kind", KINDS)
def test_a_lane_alone_has_what_numpy_says(kind: str) -> None:
    op, others = kind.split(" ")[0], kind.endswith(" of others")
    reduction = Reduction("tick", "any", cast(Any, op), kind.endswith(" of pairs"), others=others)
    values = registers(kind)
    expected = as_words(together(reduction, values, values["running"], 1))
    words = {name: as_words(each) for name, each in values.items()}
    assert (by_prover(reduction, words) == expected).all()
    assert by_checker(kind, words) == expected.tolist()
    assert kind in ("rank", "alike of others") or len(np.unique(expected)) > 1
