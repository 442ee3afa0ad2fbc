"""The settings of a training whose settings change while it learns."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from hamlet_train.settings import Settings, read_settings

CHANGING = ("epochs", "minibatches", "rate", "discount", "trace", "clip", "entropy", "value", "norm")
"""Settings that may change: the others say how large memory is, or what is learnt at all."""


@dataclass(frozen=True, slots=True)
class Change:
    """The settings from an update on."""

    update: int
    settings: Settings


@dataclass(frozen=True, slots=True)
class Schedule:
    """The settings at first, and their changes by ascending updates."""

    first: Settings
    changes: tuple[Change, ...] = ()

    def at(self, update: int) -> Settings:
        """The settings with which an update learns, the first one of which is number 0."""
        return next((each.settings for each in reversed(self.changes) if each.update <= update), self.first)

    def before(self, update: int) -> tuple[Change, ...]:
        """The changes that updates before this one have learnt with."""
        return tuple(each for each in self.changes if each.update < update)


def json_of(change: Change) -> dict[str, Any]:
    """A change as JSON has it."""
    settings = asdict(change.settings) | {"hidden": list(change.settings.hidden)}
    return {"update": change.update, "settings": settings}


def check_changes(first: Settings, changes: tuple[Change, ...]) -> None:
    """Raise `ValueError` where a training cannot change its settings so."""
    updates = [each.update for each in changes]
    if updates != sorted(set(updates)) or any(update < 1 for update in updates):
        raise ValueError("changes of settings are by ascending updates")
    if changes and first.critic:
        raise ValueError("a training with a critic of its own changes no settings")
    for each in changes:
        same = {name: getattr(first, name) for name in CHANGING}
        if replace(each.settings, **same) != first:
            raise ValueError(f"settings that change are {', '.join(CHANGING)}")


def read_changes(said: Any) -> tuple[Change, ...]:
    """Changes of settings from JSON.

    Raises:
        ValueError: they are others.
    """
    if not isinstance(said, list) or not all(
        isinstance(each, dict) and each.keys() == {"update", "settings"} and type(each["update"]) is int
        for each in said
    ):
        raise ValueError("changes are an update and settings each")
    return tuple(Change(each["update"], read_settings(each["settings"])) for each in said)
