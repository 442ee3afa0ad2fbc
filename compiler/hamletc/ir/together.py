"""Reductions with numpy, as plainly as possible (docs/semantics.md, "Worlds whose agents meet")."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hamletc.ir.evaluate import Array
from hamletc.ir.function import Program, Reduction, Stage, pairer
from hamletc.ir.ops import Input


def together(reduction: Reduction, terms: Mapping[str, Array], runs: Array, agents: int) -> Array:
    """The result of a reduction for each lane.

    Args:
        terms: what `reduce_<stage>` gave, by name: [lanes]; of pairs also what `pair_<stage>` gave: [lanes * agents].
        runs: bool [lanes]: the lanes that run the tick; of the others terms do not count.
        agents: of a world; agent `agent` of world `world` is lane `world * agents + agent`.
    """
    if reduction.pairs:
        return _asked(reduction, terms, runs, agents)
    term, runs = terms[f"term.{reduction.name}"].reshape(-1, agents), runs.reshape(-1, agents)
    match reduction.op:
        case "grant":
            _check(reduction, terms)
            return _granted(reduction.name, terms, term & runs)
        case "rank":
            _check(reduction, terms)
            return _ranked(term & runs, terms[f"priority.{reduction.name}"].reshape(term.shape))
        case "alike":
            key, asked = (terms[f"{kind}.{reduction.name}"].reshape(term.shape) for kind in ("key", "asked"))
            return _alike(term & runs, key, asked, reduction.others)
        case "count":
            result = (term & runs).sum(axis=1).astype(np.float32)
        case "total":
            result = _total(term, runs)
        case "lowest" | "highest":
            result = _extreme(term, runs, reduction.op == "lowest")
        case "last" | "nearest":
            raise ValueError(f"all lanes of a world have no {reduction.op} one")
    return np.repeat(result, agents)


def paired(program: Program, stage: Stage, shown: Mapping[str, Array], agents: int) -> dict[str, Array]:
    """The inputs of the function of pairs, for each asking lane all lanes of its world: [lanes * agents]."""
    inputs: dict[str, Array] = {}
    for node in program.function(pairer(stage)).nodes:
        if isinstance(node.op, Input):
            whose, _, number = node.op.name.partition(".")
            values = shown[f"shown.{number}"]
            of_worlds = np.repeat(values.reshape(-1, agents), agents, axis=0).reshape(-1)
            inputs[node.op.name] = np.repeat(values, agents) if whose == "own" else of_worlds
    return inputs


def _asked(reduction: Reduction, terms: Mapping[str, Array], runs: Array, agents: int) -> Array:
    """The results of a reduction of pairs: a row for each lane that asks."""
    lanes = len(runs)
    run = np.repeat(runs.reshape(-1, agents), agents, axis=0)
    term = np.broadcast_to(terms[f"term.{reduction.name}"], (lanes * agents,)).reshape(lanes, agents)
    match reduction.op:
        case "count":
            result: Array = (term & run).sum(axis=1).astype(np.float32)
            return result
        case "total":
            return _total(term, run)
        case "lowest" | "highest":
            return _extreme(term, run, reduction.op == "lowest")
        case "nearest":
            away, value = (
                np.broadcast_to(terms[f"{kind}.{reduction.name}"], (lanes * agents,)).reshape(lanes, agents)
                for kind in ("away", "value")
            )
            there = term & run
            first = np.where(there, away, np.float32(np.inf)).argmin(axis=1)[:, None]
            otherwise = np.broadcast_to(terms[f"otherwise.{reduction.name}"], (lanes,))
            return np.where(there.any(axis=1), np.take_along_axis(value, first, axis=1)[:, 0], otherwise)
        case "rank" | "alike" | "grant" | "last":
            raise ValueError(f"pairs of lanes have no {reduction.op}")


def _check(reduction: Reduction, terms: Mapping[str, Array]) -> None:
    """Raise `ValueError` where few priorities are known to be possible, and one is another."""
    if reduction.few is not None:
        priority = terms[f"priority.{reduction.name}"]
        if not ((priority >= 1) & (priority <= reduction.few)).all():
            raise ValueError(f"{reduction.name} has priorities beyond 1 .. {reduction.few}")


def _padded(values: Array) -> Array:
    """Rows up to the next power of two, with zeros behind."""
    missing = (1 << (values.shape[1] - 1).bit_length()) - values.shape[1]
    return np.pad(values, ((0, 0), (0, missing)))


def _total(term: Array, runs: Array) -> Array:
    values = _padded(np.where(runs, term, np.float32(0.0)))
    with np.errstate(all="ignore"):
        while values.shape[1] > 1:
            values = values[:, 0::2] + values[:, 1::2]
    return values[:, 0]


def _extreme(term: Array, runs: Array, lowest: bool) -> Array:
    values, there = _padded(term), _padded(runs)
    while values.shape[1] > 1:
        left, right = values[:, 0::2], values[:, 1::2]
        better = np.where((left < right) if lowest else (right < left), left, right)
        values = np.where(there[:, 1::2], np.where(there[:, 0::2], better, right), left)
        there = there[:, 0::2] | there[:, 1::2]
    return np.where(there[:, 0], values[:, 0], np.float32(0.0)).astype(np.float32)


def _ranked(counts: Array, priority: Array) -> Array:
    agents = np.arange(counts.shape[1])
    higher = priority[:, :, None] < priority[:, None, :]
    equal = (priority[:, :, None] == priority[:, None, :]) & (agents[None, :] < agents[:, None])
    before: Array = ((higher | equal) & counts[:, None, :]).sum(axis=2)
    return before.astype(np.float32).reshape(-1)


def _alike(counts: Array, key: Array, asked: Array, others: bool) -> Array:
    meets = (asked[:, :, None] == key[:, None, :]) & counts[:, None, :]
    result: Array = (meets & ~(np.eye(counts.shape[1], dtype=np.bool_) & others)).sum(axis=2)
    return result.astype(np.float32).reshape(-1)


def _granted(name: str, terms: Mapping[str, Array], claims: Array) -> Array:
    worlds, agents = claims.shape
    nothing = np.zeros(claims.size, np.int64)
    first = terms.get(f"first.{name}", nothing).astype(np.int64).reshape(worlds, agents)
    priority = terms.get(f"priority.{name}", nothing).astype(np.int64).reshape(worlds, agents)
    places = terms[f"places.{name}"].reshape(worlds, agents)
    granted = np.zeros_like(claims)
    for world in range(worlds):
        claiming = np.flatnonzero(claims[world])
        order = np.lexsort((claiming, -priority[world, claiming], -first[world, claiming]))
        granted[world, claiming[order[: places[world, 0]]]] = True
    return granted.reshape(-1)
