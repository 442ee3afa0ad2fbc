"""Affordances and own actions as rows of tables, where they are too many to be unrolled.

Constructs that are alike but for their numbers have one *shape*: a tree in which every number is the number of its
column. They are rows of a table that has a column for each number. Spans do not count, and `m -= 0.1` is `m += -0.1`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Literal, TypeVar

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import round32
from hamlet.universe import Action, Affordance, Among, Assign, Grid, Nearest, Number, Rank, Span, Universe
from hamletc.ir.function import Table
from hamletc.ir.ops import F32, I32
from hamletc.lowering.moves import coordinates, displacement

WIDEST = 16
"""The most lanes of a vector."""
NO_KIND = -1
NOWHERE = Span(0, 0, 0, 0)
Named = TypeVar("Named", Action, Affordance)


@dataclass(frozen=True, slots=True)
class TreeRows:
    """Trees of the universe as rows of tables.

    Attributes:
        shapes: each different shape, in the order of the first tree that has it, and the numbers of all that do.
        kind: the number of the shape, or `NO_KIND`.
        columns: the numbers of a shape; 0.0 where a tree has fewer.
    """

    shapes: dict[Any, list[int]]
    kind: Table
    columns: tuple[Table, ...]


def rows_of(name: str, trees: Sequence[Any], before: int = 0) -> TreeRows:
    """The rows of trees of the universe, behind `before` empty ones; the names of the tables begin with `name`."""
    shapes: dict[Any, list[int]] = {}
    kinds: dict[Any, int] = {}
    numbers: list[list[float]] = [[] for _ in range(before)]
    kind = [NO_KIND] * before
    for number, tree in enumerate(trees):
        row: list[float] = []
        shape = _abstract(tree, row)
        kind.append(kinds.setdefault(shape, len(kinds)))
        shapes.setdefault(shape, []).append(number)
        numbers.append(row)
    columns = (
        Table(f"{name}.number{column}", F32, tuple(row[column] if column < len(row) else 0.0 for row in numbers))
        for column in range(max(map(len, numbers)))
    )
    return TreeRows(shapes, Table(f"{name}.kind", I32, tuple(kind)), tuple(columns))


def _abstract(tree: Any, numbers: list[float]) -> Any:
    """The shape of a tree, which can be compared; its numbers, rounded to binary32, are added to `numbers`."""
    match tree:
        case Number(value=value):
            numbers.append(round32(value))
            return Number(float(len(numbers) - 1), NOWHERE)
        case Assign(op="-=", value=Number(value=value)):
            return Assign(tree.meter, "+=", _abstract(Number(-value, NOWHERE), numbers), tree.clamped, NOWHERE)
        case Among() | Rank() | Nearest():  # found before affordances and actions are tried, each by itself
            return tree
        case Span():
            return NOWHERE
        case tuple():
            return tuple(_abstract(part, numbers) for part in tree)
        case _ if is_dataclass(tree):
            kind: Callable[..., Any] = type(tree)
            return kind(*[_abstract(getattr(tree, field.name), numbers) for field in fields(tree)])
        case _:
            return tree


def _first_of(alike: list[Named]) -> Named:
    """The first of constructs of one shape, whose name tells how many there are."""
    first = alike[0]
    return first if len(alike) == 1 else replace(first, name=f"{first.name} and {len(alike) - 1} like it")


@dataclass(frozen=True, slots=True)
class AffordanceTable:
    """Tables with one row per affordance, in file order.

    Attributes:
        kinds: an affordance per shape, whose numbers are columns; of its duration it only counts whether there is one.
        kind: the number of the kind.
        opens, closes: the hours; 0 and the length of the day where it is always open. `None` without hours.
        duration: as `duration_table` has it.
        columns: the numbers of a shape; 0.0 where an affordance has fewer.
    """

    kinds: tuple[Affordance, ...]
    kind: Table
    opens: Table | None
    closes: Table | None
    duration: Table | None
    columns: tuple[Table, ...]


def affordance_table(universe: Universe, most_unrolled: int) -> AffordanceTable | None:
    """The affordances as a table; `None` where they are unrolled, as few are, and all whose places are stored."""
    affordances, space = universe.affordances, universe.space
    if not (isinstance(space, Grid) and space.places == "computed" and len(affordances) > most_unrolled):
        return None
    lasting = [affordance.duration is not None for affordance in affordances]
    trees = [
        # One with a capacity is a kind of its own: its claims are granted apart.
        (
            lasts,
            each.capacity and each.name,
            each.together,
            each.opening,
            each.needs,
            each.instantly,
            each.each_tick,
            each.on_completion,
        )
        for lasts, each in zip(lasting, affordances, strict=True)
    ]
    rows = rows_of("affordance", trees)
    hours = [affordance.hours for affordance in affordances]
    day = universe.clock.hours if universe.clock is not None else 0
    timed = any(each is not None for each in hours)
    kinds = []
    for (_, _, _, opening, needs, instantly, each_tick, on_completion), alike in rows.shapes.items():
        first = replace(_first_of([affordances[number] for number in alike]), place=None, hours=None, needs=needs)
        kinds.append(
            replace(first, opening=opening, instantly=instantly, each_tick=each_tick, on_completion=on_completion)
        )
    return AffordanceTable(
        tuple(kinds),
        rows.kind,
        Table("affordance.opens", I32, tuple(0 if each is None else each.opens for each in hours)) if timed else None,
        Table("affordance.closes", I32, tuple(day if e is None else e.closes for e in hours)) if timed else None,
        duration_table(universe),
        rows.columns,
    )


def duration_table(universe: Universe) -> Table | None:
    """The ticks that affordances last, 1 for an instantaneous one; `None` where none lasts."""
    durations = [affordance.duration for affordance in universe.affordances]
    if all(ticks is None for ticks in durations):
        return None
    return Table("affordance.duration", I32, tuple(1 if ticks is None else ticks for ticks in durations))


def number_tables(universe: Universe) -> tuple[Table, ...]:
    """The tables that an author wrote, in file order; then those of two agents as pairs of lanes read them."""
    written = tuple(
        Table(f"numbers{number}", F32, tuple(round32(value) for value in table.values))
        for number, table in enumerate(universe.tables)
    )
    agents = universe.agents
    of_two = (
        (table, numbers)
        for table, numbers in zip(written, universe.tables, strict=True)
        if agents is not None and numbers.sizes == (agents, agents)
    )
    return (*written, *(each for table, _ in of_two for each in _of_pairs(table, agents or 1)))


def _of_pairs(table: Table, agents: int) -> Iterator[Table]:
    """A table of two agents, in the order of rows and in that of columns; both with room for a vector behind."""
    room = table.values[-1:] * WIDEST
    yield Table(along(table, "rows"), F32, table.values + room)
    yield Table(along(table, "columns"), F32, tuple(x for n in range(agents) for x in table.values[n::agents]) + room)


def along(table: Table, by: Literal["rows", "columns"]) -> str:
    """The name of a table of two agents with its rows, or its columns, one behind the other."""
    return f"{table.name}.{by}"


@dataclass(frozen=True, slots=True)
class ActionTable:
    """Tables with one row per action; 0 in the rows of actions that are not the universe's own.

    Attributes:
        kinds: an action per shape, whose numbers are columns; of `move` and `teleport` only counts whether it does.
        kind: the number of the kind, or `NO_KIND`.
        steps, places: per axis the displacement and the coordinate to which an action teleports; empty where none does.
        keeps: 1 where an action keeps the agent engaged; `None` where none does.
        columns: the numbers of a shape; 0.0 where an action has fewer.
    """

    kinds: tuple[Action, ...]
    kind: Table
    steps: tuple[Table, ...]
    places: tuple[Table, ...]
    keeps: Table | None
    columns: tuple[Table, ...]


def action_table(universe: Universe, most_unrolled: int) -> ActionTable | None:
    """The own actions as a table; `None` where they are few, and unrolled."""
    if len(universe.actions) <= most_unrolled:
        return None
    actions = universe.actions
    before = len(schema.usual_actions(universe)) - len(actions)
    trees = [(each.needs, each.body, each.move is not None, each.teleport is not None, each.after) for each in actions]
    rows = rows_of("action", trees, before)
    steps = [None if each.move is None else displacement(universe, each.move) for each in actions]
    places = [None if each.teleport is None else coordinates(universe, each.teleport) for each in actions]
    keeps = (*[0] * before, *(int(each.keeps_progress) for each in actions))

    def ordered(tables: Iterable[Table]) -> tuple[Table, ...]:
        return tuple(replace(table, values=schema.in_order(universe, table.values)) for table in tables)

    (kind,) = ordered((rows.kind,))
    return ActionTable(
        tuple(
            replace(_first_of([actions[number] for number in alike]), needs=needs, body=body, after=after)
            for (needs, body, _, _, after), alike in rows.shapes.items()
        ),
        kind,
        ordered(_by_axis(universe, "action.step", steps, before)),
        ordered(_by_axis(universe, "action.place", places, before)),
        Table("action.keeps", I32, schema.in_order(universe, keeps)) if any(keeps) else None,
        ordered(rows.columns),
    )


def _by_axis(
    universe: Universe, name: str, rows: list[tuple[float, ...] | tuple[int, ...] | None], before: int
) -> tuple[Table, ...]:
    """A table per axis: what each action says for it."""
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
