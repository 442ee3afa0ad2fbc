"""State values as functions of the tick IR name them, and how an episode begins."""

from __future__ import annotations

from hamlet import schema

KINDS = {"meters": "meter", "streaks": "streak", "inputs": "input", "places": "place", "params": "param"}
"""What a row of a field is called, where that is not the name of the field."""

GIVEN = schema.GIVEN
"""Fields that neither ticks nor resets change."""

STARTS: dict[str, int | bool] = {
    "velocity": 0,
    "age": 0,
    "engaged": schema.NOWHERE,
    "progress": 0,
    "used_at": 0,
    "last": schema.NOWHERE,
    "streaks": 0,
    "seen": False,
    "alive": True,
    "episode_return": 0,
    "hour": 0,
}
"""What fields are at the beginning of an episode, where the function `reset` does not compute it."""


def names(field: schema.Field) -> tuple[str, ...]:
    """The names of the rows of a field: `meter.energy`; its own where it has no rows."""
    if field.rows is None:
        return (field.name,)
    kind = KINDS.get(field.name, field.name)
    return tuple(f"{kind}.{row}" for row in field.rows)
