"""Versions of a universe: rows and actions of the same name, which they have in common, and the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import NetworkPolicy, RandomPolicy, RecordedPolicy, TabularPolicy
from hamlet.schema.bounds import coordinates
from hamlet.schema.features import features
from hamlet.universe import Universe
from hamlet_lab.divergence.arrays import Array, cause_names
from hamlet_lab.divergence.events import Event, Inject, Jump, Reset, Rollout, Step

NUMBERING = {"engaged": "affordance", "last": "affordance", "used": "affordance", "cause": "cause of death"}
"""Arrays that hold numbers of things."""
UNKNOWN = -2
"""This number and those below stand for things that the other side does not have."""


@dataclass(frozen=True, slots=True)
class Apart:
    """Parts that two universes do not have in common, whatever they compute.

    Attributes:
        left, right: what stands on this side only: "meter joy".
        reordered: what stands in another order on the right, so that rows or numbers are others, kind by kind.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    reordered: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.left or self.right or self.reordered)


NOTHING_APART = Apart((), (), ())


def apart(left: Universe, right: Universe) -> Apart:
    """The parts that two universes do not have in common."""
    ours, theirs = _kinds(left), _kinds(right)
    reordered = []
    for kind, names in ours.items():
        here = [name for name in names if name in theirs[kind]]
        there = [name for name in theirs[kind] if name in names]
        if here != there:
            reordered.append(f"{_several(kind)} {', '.join(here)}: on the right {', '.join(there)}")
    return Apart(_only(ours, theirs), _only(theirs, ours), tuple(reordered))


def _only(kinds: Mapping[str, Sequence[str]], others: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    return tuple(
        f"{kind} {name}".strip() for kind, names in kinds.items() for name in names if name not in others[kind]
    )


def _several(kind: str) -> str:
    return {"axis": "axes", "cause of death": "causes of death"}.get(kind, f"{kind}s")


def _kinds(universe: Universe) -> dict[str, tuple[str, ...]]:
    """All names that rows, numbers and arrays come from, by kind."""
    fields = (*schema.state_fields(universe), *schema.outcome_fields(universe))
    segments = schema.observation_segments(universe)
    return {
        "axis": schema.axes(universe),
        "meter": tuple(meter.name for meter in universe.meters),
        "param": tuple(param.name for param in universe.params),
        "input": tuple(item.name for item in universe.inputs),
        "control": tuple(item.name for item in universe.controls),
        "affordance": _numbered(universe, "affordance"),
        "action": schema.action_names(universe),
        "cause of death": _numbered(universe, "cause of death"),
        # Lifespans of other lengths show in who is truncated.
        "lifespan": () if universe.lifespan is None else ("",),
        "report": schema.report_names(universe),
        "observation": tuple(s.name if not s.repeated else f"{s.name}[{s.count}]" for s in segments),
        "state": tuple(f"{f.name} ({f.dtype})" for f in fields if f.name not in ("reports", *schema.GIVEN)),
        "place": schema.place_rows(universe),
    }


def _numbered(universe: Universe, kind: str) -> tuple[str, ...]:
    """The names that the numbers of a kind stand for."""
    return cause_names(universe) if kind == "cause of death" else tuple(item.name for item in universe.affordances)


def renumbered(array: str, values: Tensor, source: Universe, target: Universe) -> Tensor:
    """The values of an array of the source, with the numbers that the target has for the same things."""
    if array not in NUMBERING:
        return values
    ours, theirs = (_numbered(each, NUMBERING[array]) for each in (source, target))
    if ours == theirs:
        return values
    numbers = [theirs.index(name) if name in theirs else UNKNOWN - index for index, name in enumerate(ours)]
    table = torch.tensor([*numbers, schema.NOWHERE], dtype=values.dtype, device=values.device)
    return table[values.long()]


def common(
    left: list[Array], right: list[Array], universes: tuple[Universe, Universe]
) -> tuple[list[Array], list[Array]]:
    """The arrays and rows that both universes have, in the order and with the numbers of the left one."""
    theirs = {array.name: array for array in right}
    result: tuple[list[Array], list[Array]] = [], []
    for ours in left:
        other = theirs.get(ours.name)
        if other is None or ours.values.dtype != other.values.dtype:
            continue
        other = replace(other, values=renumbered(other.name, other.values, universes[1], universes[0]))
        rows = tuple(row for row in ours.rows if row in other.rows)
        if rows:
            for chosen, array in zip(result, (ours, other), strict=True):
                places = [array.rows.index(row) for row in rows]
                chosen.append(replace(array, rows=rows, values=array.values[places]))
    return result


class Translation:
    """Events of one universe as those of another. Actions that the other does not have become its idle action."""

    def __init__(self, source: Universe, target: Universe, shape: Shape) -> None:
        self._source, self._target, self._shape = source, target, shape
        ours, theirs = schema.action_names(source), schema.action_names(target)
        self._same_actions = ours == theirs
        self._same_controls = [c.name for c in source.controls] == [c.name for c in target.controls]
        same_places = _numbered(source, "affordance") == _numbered(target, "affordance")
        self._same_tables = self._same_actions and same_places and features(source) == features(target)
        idle = schema.idle_action(target)
        self._actions = torch.tensor([theirs.index(name) if name in theirs else idle for name in ours])
        self._fields = {field.name: field for field in schema.state_fields(source)}

    def event(self, event: Event) -> Event | None:
        """The event for the other universe; `None` where it has none: actions drawn among others, or looked up by
        features that are others, or chosen by a network, which reads what this one observes."""
        match event:
            case Reset() | Jump():
                return event
            case Inject(state=state):
                return Inject(self._state(state))
            case Step(actions=actions, controls=controls):
                rows = self._renumbered_rows({} if controls is None else {"controls": controls})
                return Step(self._renumbered(actions), rows.get("controls"))
            case Rollout():
                return self._rollout(event)

    def _rollout(self, event: Rollout) -> Rollout | None:
        match event.policy:
            case RandomPolicy():
                drawn = self._same_actions and self._same_controls
                return replace(event, by_tick=self._renumbered_rows(event.by_tick)) if drawn else None
            case RecordedPolicy(actions=actions):
                policy = RecordedPolicy(self._renumbered(actions))
                return replace(event, policy=policy, by_tick=self._renumbered_rows(event.by_tick))
            case TabularPolicy():
                drawn = self._same_tables and self._same_controls
                return replace(event, by_tick=self._renumbered_rows(event.by_tick)) if drawn else None
            case NetworkPolicy():
                return None

    def _renumbered_rows(self, by_tick: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Rows of each tick, [..., rows, lanes], as the other universe has them; what only that one has is 0, or as
        near to it as can be."""
        result: dict[str, Tensor] = {}
        for name, values in by_tick.items():
            ours, theirs = ([item.name for item in getattr(each, name)] for each in (self._source, self._target))
            bounds = self._bounds()[name]
            if not theirs:
                continue
            rows = [
                values[..., ours.index(row), :] if row in ours else torch.zeros_like(values[..., 0, :])
                for row in theirs
            ]
            result[name] = _within(torch.stack(rows, dim=-2), *bounds)
        return result

    def _renumbered(self, actions: Tensor) -> Tensor:
        return self._actions[actions.long()].to(torch.int32)

    def _state(self, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The state with the rows and numbers of the other universe, within its bounds, for which its kernels are made;
        what only the other universe has begins as an episode does."""
        result: dict[str, Tensor] = {}
        fresh = allocate(self._target, self._shape, torch.device("cpu"), None).state
        for row, meter in enumerate(self._target.meters):
            fresh["meters"][row] = meter.start if isinstance(meter.start, float) else meter.low
        for field in schema.state_fields(self._target):
            ours = self._fields.get(field.name)
            if ours is None or ours.dtype != field.dtype or field.name not in state:
                result[field.name] = fresh[field.name]
            elif field.rows is None:
                values = renumbered(field.name, state[field.name], self._source, self._target)
                # An affordance that is not there is none.
                result[field.name] = values.clamp(min=schema.NOWHERE) if field.name in NUMBERING else values
            elif field.rows == ours.rows:
                result[field.name] = state[field.name]
            else:
                values = fresh[field.name]
                numbers = {name: row for row, name in enumerate(ours.rows or ())}
                for row, name in enumerate(field.rows or ()):
                    if name in numbers:
                        values[row] = state[field.name][numbers[name]]
                result[field.name] = values
        return result | {name: _within(result[name], *each) for name, each in self._bounds().items() if name in result}

    def _bounds(self) -> dict[str, tuple[list[float], list[float]]]:
        """The least and the most of every row of some fields of the other universe."""
        target, bounds = self._target, dict[str, tuple[list[float], list[float]]]()
        others = ("params", target.params), ("inputs", target.inputs), ("controls", target.controls)
        for name, items in (("meters", target.meters), *others):
            bounds[name] = [item.low for item in items], [item.high for item in items]
        for field in schema.state_fields(target):
            if field.pitch and field.bounds is not None:
                bounds[field.name] = [each.low for each in field.bounds], [each.high for each in field.bounds]
        if schema.axes(target):
            ends = coordinates(target)
            bounds["position"] = [low for low, _ in ends], [high for _, high in ends]
        if target.clock is not None:
            bounds["hour"] = [0.0], [target.clock.hours - 1.0]
        if target.lifespan is not None and not target.by_hand:
            bounds["age"] = [0.0], [target.lifespan.ticks - 1.0]
        return bounds


def _within(values: Tensor, low: list[float], high: list[float]) -> Tensor:
    least, most = (torch.tensor(each, dtype=torch.float64).to(values.dtype) for each in (low, high))
    if values.dim() >= 2:
        least, most = least.unsqueeze(1), most.unsqueeze(1)
    return torch.where(values < least, least, torch.where(values > most, most, values))
