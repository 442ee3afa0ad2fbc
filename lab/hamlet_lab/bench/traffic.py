"""The bytes that a tick has to move between memory and the processor, at the least."""

from __future__ import annotations

import torch

from hamlet import schema
from hamlet.backend.buffers import DTYPES
from hamlet.universe import Universe
from hamlet_lab.bench.cases import Case


def bytes_per_agent_tick(universe: Universe, case: Case) -> float:
    """A launch reads the state and writes it; a step reads an action and writes outcomes; both write observations and
    masks in every tick. What stays in registers or caches between the ticks of a rollout costs nothing."""
    state = sum(_bytes(field, case) for field in schema.state_fields(universe))
    outcome = sum(_bytes(field, case) for field in schema.outcome_fields(universe))
    per_launch = 2 * state + outcome
    masks = len(schema.action_names(universe))
    if case.observed == "none":
        observations = masks / case.ticks
    else:
        size = getattr(torch, case.observed).itemsize
        observations = masks + schema.observation_rows(universe) * size
    actions = DTYPES["i32"].itemsize if case.launch == "step" else 0
    return per_launch / case.ticks + observations + actions


def _bytes(field: schema.Field, case: Case) -> float:
    rows = 1 if field.rows is None else len(field.rows)
    size = rows * DTYPES[field.dtype].itemsize
    return size if field.per == "lane" else size / case.agents
