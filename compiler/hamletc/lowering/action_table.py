"""A universe's own actions as a table with a row for each action, where they are too many to be unrolled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hamlet import schema
from hamlet.universe import Action, Expression, Span, Statement, Universe
from hamletc.ir.function import Table
from hamletc.ir.ops import F32, I32
from hamletc.lowering.moves import displacement, fixed_position
from hamletc.lowering.shapes import shape

NO_KIND = -1


@dataclass(frozen=True, slots=True)
class ActionKind:
    """What own actions of one shape have in common; numbers are columns.

    Attributes:
        name: of the first of them, and how many there are.
        span: of the first.
        moves, teleports: whether they do, each to where its row says.
    """

    name: str
    span: Span
    needs: Expression | None
    body: tuple[Statement, ...]
    moves: bool
    teleports: bool


@dataclass(frozen=True, slots=True)
class ActionTable:
    """Tables with one row per action; 0 in the rows of actions that are not the universe's own.

    Attributes:
        kinds: the shapes, in the order of their first action.
        kind: the number of the kind, or `NO_KIND`.
        steps, places: per axis the displacement and the coordinate to which an action teleports; empty where none does.
        keeps: 1 where an action keeps the agent engaged; `None` where none does.
        columns: the numbers of a shape; 0.0 where an action has fewer.
    """

    kinds: tuple[ActionKind, ...]
    kind: Table
    steps: tuple[Table, ...]
    places: tuple[Table, ...]
    keeps: Table | None
    columns: tuple[Table, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """All of them."""
        keeps = () if self.keeps is None else (self.keeps,)
        return (self.kind, *self.steps, *self.places, *keeps, *self.columns)


def action_table(universe: Universe) -> ActionTable:
    """The own actions as a table."""
    before = schema.interact_action(universe) + 2
    kinds: dict[Any, list[Action]] = {}
    order: dict[Any, int] = {}
    rows: list[tuple[float, ...]] = [()] * before
    numbers = [NO_KIND] * before
    for action in universe.actions:
        key, row = shape((action.needs, action.body, action.move is not None, action.teleport is not None))
        numbers.append(order.setdefault(key, len(order)))
        kinds.setdefault(key, []).append(action)
        rows.append(row)
    steps = [None if each.move is None else displacement(universe, each.move) for each in universe.actions]
    places = [None if each.teleport is None else fixed_position(universe, each.teleport) for each in universe.actions]
    keeps = (*[0] * before, *(int(each.keeps_progress) for each in universe.actions))
    width = max(len(row) for row in rows)
    return ActionTable(
        tuple(_kind(key, alike) for key, alike in kinds.items()),
        Table("action.kind", I32, tuple(numbers)),
        _by_axis(universe, "action.step", steps, before),
        _by_axis(universe, "action.place", places, before),
        Table("action.keeps", I32, keeps) if any(keeps) else None,
        tuple(
            Table(f"action.number{column}", F32, tuple(row[column] if column < len(row) else 0.0 for row in rows))
            for column in range(width)
        ),
    )


def _by_axis(
    universe: Universe, name: str, rows: list[tuple[float, ...] | tuple[int, ...] | None], before: int
) -> tuple[Table, ...]:
    """A table per axis of what actions say for it."""
    if all(row is None for row in rows):
        return ()
    type_ = F32 if schema.position_dtype(universe) == "f32" else I32
    nothing = 0.0 if type_ is F32 else 0
    return tuple(
        Table(
            f"{name}.{label}",
            type_,
            (*[nothing] * before, *(nothing if row is None else row[axis] for row in rows)),
        )
        for axis, label in enumerate(schema.axes(universe))
    )


def _kind(key: Any, alike: list[Action]) -> ActionKind:
    needs, body, moves, teleports = key
    name = alike[0].name if len(alike) == 1 else f"{alike[0].name} and {len(alike) - 1} like it"
    return ActionKind(name, alike[0].span, needs, body, moves, teleports)
