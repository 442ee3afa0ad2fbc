"""Options of the command line, checked: settings, threads, the folder of a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hamlet.system import cpus
from hamlet_train.errors import TrainError
from hamlet_train.settings import DEEPEST, LIMITS, WIDEST, Settings, names

FOLDER = Path("runs")


def settings_of(texts: Sequence[str], memory: str | None = None, usual: Settings | None = None) -> Settings:
    """The `usual` settings, by default those of no universe, with those that are given, NAME=NUMBER each;
    `hidden=64,64` has a number for each layer; and with a memory, `gru:64`.

    Raises:
        TrainError: there is no such setting, or it is out of range, or a network of such settings has no memory.
    """
    settings = usual or Settings()
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or name not in names():
            raise TrainError(f"--set {text}: write NAME=NUMBER, of {', '.join(names())}")
        changed: Any = _hidden(text, value) if name == "hidden" else _number(text, name, value)
        settings = replace(settings, **{name: changed})
    if memory is not None:
        from hamlet_train.remembering import check_memory, memory_of

        try:
            settings = replace(settings, memory=memory_of(memory))
            check_memory(settings)
        except ValueError as error:
            raise TrainError(f"--memory {memory}: {error}") from error
    return settings


def searched_of(searches: Sequence[str], fixed: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """The space that a user asks for: `NAME=NUMBER/NUMBER` each are the numbers of a setting, in place of the usual
    ones; settings that `--set` has are not searched.

    Raises:
        TrainError: there is no such setting, or a number is out of range, or it is said twice.
    """
    from hamlet_train.tuning.space import SPACE

    fixed_names = {text.partition("=")[0] for text in fixed}
    space: dict[str, tuple[Any, ...]] = {
        name: tuple(values) for name, values in SPACE.items() if name not in fixed_names
    }
    said = set[str]()
    for text in searches:
        name, _, values = text.partition("=")
        if name in said or name in fixed_names:
            raise TrainError(f"--search {text}: {name} has its numbers already")
        said.add(name)
        try:
            space[name] = tuple(getattr(settings_of([f"{name}={each}"]), name) for each in values.split("/"))
        except TrainError as error:
            raise TrainError(f"--search {text}: {str(error).partition(': ')[2]}") from error
    return space


def _number(text: str, name: str, value: str) -> Any:
    kind, (low, high) = type(getattr(Settings(), name)), LIMITS[name]
    try:
        number = kind(value)
    except ValueError as error:
        raise TrainError(f"--set {text}: {name} is a {'whole ' * (kind is int)}number") from error
    if not low <= number <= high:
        raise TrainError(f"--set {text}: {name} lies in {low:g} .. {high:g}")
    return number


def _hidden(text: str, value: str) -> tuple[int, ...]:
    parts = value.split(",")
    if not 1 <= len(parts) <= DEEPEST or not all(part.isdecimal() and 1 <= int(part) <= WIDEST for part in parts):
        raise TrainError(f"--set {text}: write 1 .. {DEEPEST} layers of 1 .. {WIDEST} outputs, as in hidden=64,64")
    return tuple(map(int, parts))


def threads_of(asked: int | None) -> int:
    """The threads of this process: by default the CPUs that it may use, shared with the other processes of torchrun
    on this machine."""
    if asked is not None:
        return asked
    beside = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    return max(cpus() // beside, 1)


def folder_of(name: str) -> Path:
    """The folder of a run.

    Raises:
        TrainError: the name is no name of a folder.
    """
    if not name or name in (".", "..") or "/" in name or "\0" in name:
        raise TrainError(f"--name {name!r}: a name is that of a folder in {FOLDER}")
    return FOLDER / name
