"""What two versions of a universe have in common: rows and actions of the same name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend import RandomPolicy, RecordedPolicy, TabularPolicy
from hamlet.state import Shape, allocate
from hamlet.universe import Universe
from hamlet.verify.arrays import Array
from hamlet.verify.events import Event, Inject, Jump, Reset, Rollout, Step


def common(left: list[Array], right: list[Array]) -> tuple[list[Array], list[Array]]:
    """The arrays and rows that both sides have, in the left side's order."""
    theirs = {array.name: array for array in right}
    result: tuple[list[Array], list[Array]] = [], []
    for ours in left:
        other = theirs.get(ours.name)
        if other is None or ours.values.dtype != other.values.dtype:
            continue
        if ours.rows == other.rows:
            result[0].append(ours)
            result[1].append(other)
            continue
        rows = tuple(row for row in ours.rows if row in other.rows)
        if rows:
            for chosen, array in zip(result, (ours, other), strict=True):
                places = [array.rows.index(row) for row in rows]
                chosen.append(Array(array.name, array.column, rows, array.values[places]))
    return result


def only_one_has(left: Universe, right: Universe) -> tuple[list[str], list[str]]:
    """The fields, rows and actions that the left or the right universe has alone."""
    ours, theirs = _names(left), _names(right)
    return [name for name in ours if name not in theirs], [name for name in theirs if name not in ours]


def _names(universe: Universe) -> list[str]:
    fields = (*schema.state_fields(universe), *schema.outcome_fields(universe))
    rows = [f"{field.name} {row}".strip() for field in fields for row in field.rows or ("",)]
    observed = [f"observation {segment.name}" for segment in schema.observation_segments(universe)]
    return [*rows, *observed, *(f"action {name}" for name in schema.action_names(universe))]


class Translation:
    """Events of one universe as those of another. Actions that the other does not have become WAIT."""

    def __init__(self, source: Universe, target: Universe, shape: Shape) -> None:
        self._source, self._target, self._shape = source, target, shape
        ours, theirs = schema.action_names(source), schema.action_names(target)
        self.same_actions = ours == theirs
        self._actions = torch.tensor([theirs.index(name if name in theirs else "WAIT") for name in ours])
        self._fields = {field.name: field for field in schema.state_fields(source)}

    def event(self, event: Event) -> Event | None:
        """The event for the other universe; `None` where it has none: actions drawn or looked up among others."""
        match event:
            case Reset() | Jump():
                return event
            case Inject(state=state):
                return Inject(self._state(state))
            case Step(actions=actions):
                return Step(self._renumbered(actions))
            case Rollout():
                return self._rollout(event)

    def _rollout(self, event: Rollout) -> Rollout | None:
        match event.policy:
            case RandomPolicy():
                return event if self.same_actions else None
            case RecordedPolicy(actions=actions):
                return replace(event, policy=RecordedPolicy(self._renumbered(actions)))
            case TabularPolicy():
                return None

    def _renumbered(self, actions: Tensor) -> Tensor:
        return self._actions[actions.long()].to(torch.int32)

    def _state(self, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Rows by name; those that only the other universe has begin as an episode does, affordances by number too."""
        result: dict[str, Tensor] = {}
        fresh = allocate(self._target, self._shape, torch.device("cpu"), None).state
        for row, meter in enumerate(self._target.meters):
            fresh["meters"][row] = meter.start
        for field in schema.state_fields(self._target):
            ours = self._fields.get(field.name)
            if ours is None or ours.dtype != field.dtype or field.name not in state:
                result[field.name] = fresh[field.name]
            elif field.rows == ours.rows:
                result[field.name] = state[field.name]
            else:
                values = fresh[field.name]
                for row, name in enumerate(field.rows or ()):
                    if name in (ours.rows or ()):
                        values[row] = state[field.name][(ours.rows or ()).index(name)]
                result[field.name] = values
        return result
