"""Which functions of a tick can have gone wrong, by what they left in the arrays."""

from __future__ import annotations

import numpy as np

from hamlet import schema
from hamlet.universe import Universe
from hamlet_lab.diff.evaluated import Call
from hamlet_lab.diff.evaluation import words
from hamlet_lab.diff.parting import Outcome
from hamletc.ir.evaluate import Array, evaluate
from hamletc.ir.function import Program

OBSERVING = {"observe": ("observation", "final_observation"), "mask": ("mask",)}
"""The functions that are seen by what they write alone."""
OBSERVED = {array for arrays in OBSERVING.values() for array in arrays}


class Found:
    """What a side had after an event, by the names that outputs of functions have."""

    def __init__(self, universe: Universe, outcome: Outcome) -> None:
        agents = outcome.before.shape.agents
        arrays = {array.name: array.values for array in outcome.after}
        self._values: dict[str, Array] = {}
        fields = [(field, field.names) for field in schema.state_fields(universe)]
        fields += [(field, _outcomes(field)) for field in schema.outcome_fields(universe)]
        for field, rows in fields:
            values = np.atleast_2d(arrays[field.name].numpy())
            if field.per == "world":
                values = np.repeat(values, agents, axis=1)
            self._values |= dict(zip(rows, values, strict=True))
        self._outcomes = {row for field in schema.outcome_fields(universe) for row in _outcomes(field)}
        began = outcome.before.state["episode"].numpy() != arrays["episode"].numpy().reshape(-1)
        self._began = np.repeat(began, agents)

    def contradicts(self, program: Program, call: Call, reset: bool) -> bool:
        """Whether an output of the called function is not what it should be, where nothing wrote over it. `reset`: the
        event was a reset."""
        results = evaluate(program.function(call.function), call.inputs, program.tables, program.functions)
        began = np.ones_like(self._began) if reset else self._began
        for name, expected in results.items():
            if name not in self._values:
                continue
            if call.function in ("shuffle", "reset"):
                seen = began
            else:
                seen = np.ones_like(began) if name in self._outcomes else ~began
            if ((words(expected) != words(self._values[name])) & seen & call.lanes).any():
                return True
        return False


def _outcomes(field: schema.Field) -> tuple[str, ...]:
    return (field.name,) if field.rows is None else tuple(f"report.{row}" for row in field.rows)
